"""One conversation's messages, and the rules that keep them fit to send."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)

from voice_gateway.tools.messages import OUTSIDE, to_message
from voice_gateway.tools.traits import estimate_tokens
from voice_gateway.turn import ToolCall, ToolOutcome

# What stands in for a result that never came (MSG-10). The model must neither take it for success nor be sure
# that nothing happened: a call that was interrupted may have reached its device.
NO_RESULT = (
    "Error: no result was recorded for this call. It was interrupted; it may or may not have happened."
)

SHORT_RESULT = 400  # characters kept of a result when the conversation does not fit otherwise
# What a store keeps of a conversation: more than any of our models reads, and little enough to be read and
# written in every turn.
MOST_KEPT_BYTES = 100_000

Estimate = Callable[[str], int]


def pair(messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """The same conversation with exactly one result per call, right behind the message that asked (MSG-10).

    Missing results become placeholders, orphans and duplicates go, repeated or empty call ids get new ones,
    and messages that say nothing go, because the Messages API refuses a whole history for any of these. A
    message that is already right is kept as the very same object.
    """
    source = list(messages)
    used: set[str] = set()
    fixed: list[BaseMessage] = []
    for position, message in enumerate(source):
        if isinstance(message, AIMessage):
            fixed += _with_results(message, source[position + 1 :], used)
        elif not isinstance(message, ToolMessage):
            fixed.append(message)
    return fixed


def _with_results(message: AIMessage, later: list[BaseMessage], used: set[str]) -> list[BaseMessage]:
    """The message and its results. `used` are the ids of calls before it."""
    calls = []
    results: list[BaseMessage] = []
    given = _results(message, later)
    for call in message.tool_calls:
        old_id = call["id"] or ""
        new_id = _free_id(old_id, used)
        used.add(new_id)
        calls.append(call if new_id == old_id else {**call, "id": new_id})
        result = next((each for each in given if each.tool_call_id == old_id), None)
        if result is None:
            result = ToolMessage(content=NO_RESULT, tool_call_id=new_id, name=call["name"], status="error")
        else:
            given.remove(result)
            if new_id != old_id:
                result = result.model_copy(update={"tool_call_id": new_id})
        results.append(result)
    plain = _plain(message, calls)
    if not plain.tool_calls and not str(plain.text).strip():
        return []
    return [plain, *results]


def _free_id(wanted: str, used: set[str]) -> str:
    candidate, number = wanted or "call", 1
    while candidate in used:
        number += 1
        candidate = f"{wanted or 'call'}-{number}"
    return candidate


def _results(message: AIMessage, later: list[BaseMessage]) -> list[ToolMessage]:
    """The results behind a message, up to one that uses an id of its calls again."""
    ids = {call["id"] or "" for call in message.tool_calls}
    results: list[ToolMessage] = []
    for each in later if ids else ():
        if isinstance(each, AIMessage):
            ids -= {call["id"] or "" for call in each.tool_calls}
        elif isinstance(each, ToolMessage) and each.tool_call_id in ids:
            results.append(each)
    return results


def _plain(message: AIMessage, calls: list[Any]) -> AIMessage:
    """The message as text and calls only: blocks of one provider mean nothing to another."""
    unchanged = calls == message.tool_calls and isinstance(message.content, str)
    if unchanged and not message.invalid_tool_calls and type(message) is AIMessage:
        return message
    return AIMessage(content=str(message.text), tool_calls=calls)


class History:
    """The messages of one conversation, shared by all stages: a model knows what was done without it."""

    def __init__(self, messages: Iterable[BaseMessage] = (), state: Mapping[str, Any] | None = None) -> None:
        self.messages: list[BaseMessage] = list(messages)
        # Small JSON-able notes of the local stage (last device, open question); kept with the conversation.
        self.state: dict[str, Any] = dict(state or {})
        self.stored: str | None = None  # as it was read from its store; None for a new one

    def add_user(self, text: str) -> None:
        self.messages.append(HumanMessage(content=text))

    def add_ai(self, text: str, calls: Sequence[ToolCall] = ()) -> None:
        requests = [
            {"id": call.id, "name": call.name, "args": call.args if isinstance(call.args, dict) else {}}
            for call in calls
        ]
        self.messages.append(AIMessage(content=text, tool_calls=requests))

    def add_outcomes(self, outcomes: Iterable[ToolOutcome]) -> None:
        self.messages += [to_message(outcome) for outcome in outcomes]

    def call_ids(self) -> set[str]:
        """The ids that are taken: a new call must not use one of them again."""
        asked = (message for message in self.messages if isinstance(message, AIMessage))
        return {call["id"] or "" for message in asked for call in message.tool_calls}

    @property
    def has_outside_words(self) -> bool:
        """Whether a model that reads it reads what strangers wrote."""
        return any(message.additional_kwargs.get(OUTSIDE) for message in self.messages)

    def recent(self) -> str:
        """The words and call arguments of the last two turns, without results, to resolve "it"."""
        starts = [at for at, message in enumerate(self.messages) if isinstance(message, HumanMessage)]
        messages = self.messages[starts[-2:][0] :] if starts else []
        spoken = [message for message in messages if not isinstance(message, ToolMessage)]
        asked = [call for message in spoken if isinstance(message, AIMessage) for call in message.tool_calls]
        values = [str(value) for call in asked for value in call["args"].values()]
        return " . ".join([*(str(message.text) for message in spoken), *values])

    def repair(self) -> None:
        """Make `messages` itself valid, for example after a turn was cancelled."""
        self.messages = self.paired()

    def paired(self) -> list[BaseMessage]:
        return pair(self.messages)

    def trim(self, budget_tokens: int) -> int:
        """Forget the oldest turns when the conversation is over a model's budget; how many messages went."""
        return self._trim(budget_tokens, estimate_tokens, ToolMessage)

    def trim_to_keep(self, most_bytes: int = MOST_KEPT_BYTES) -> int:
        """The same by what a store takes: however long people talk, a turn costs no more than at first."""
        return self._trim(most_bytes, _bytes, BaseMessage)

    def _trim(self, limit: int, estimate: Estimate, kind: type[BaseMessage]) -> int:
        """It forgets down to two thirds of the limit at once: a model server that keeps what it has read must
        read everything behind the first difference again, and that should be rare. The newest turn always
        stays, and a turn goes as a whole, so a call never loses its result.
        """
        costs = [_cost(message, estimate) for message in self.messages]
        left, cut = sum(costs), 0
        if left <= limit:
            return 0
        for position, message in enumerate(self.messages):
            if isinstance(message, HumanMessage):
                cut = position
                if left <= limit * 2 // 3:
                    break
            left -= costs[position]
        del self.messages[:cut]
        self._shorten(limit, estimate, kind)
        return cut

    def _shorten(self, limit: int, estimate: Estimate, kind: type[BaseMessage]) -> None:
        """When one turn alone is over the limit, its longest messages of this kind lose their middle."""
        total = sum(_cost(message, estimate) for message in self.messages)
        candidates = [i for i, message in enumerate(self.messages) if isinstance(message, kind)]
        for index in sorted(candidates, key=lambda i: -len(str(self.messages[i].text))):
            text = str(self.messages[index].text)
            if total <= limit or len(text) <= 2 * SHORT_RESULT:
                return
            short = f"{text[:SHORT_RESULT]}\n… (shortened) …\n{text[-SHORT_RESULT // 2 :]}"
            self.messages[index] = self.messages[index].model_copy(update={"content": short})
            total -= estimate(text) - estimate(short)

    def to_json(self) -> dict[str, Any]:
        return {"messages": messages_to_dict(self.paired()), "state": self.state}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "History":
        return cls(messages_from_dict(list(stored.get("messages", ()))), stored.get("state"))


def _cost(message: BaseMessage, estimate: Estimate) -> int:
    calls = str(message.tool_calls) if isinstance(message, AIMessage) and message.tool_calls else ""
    return estimate(str(message.text) + calls) + 4  # a role and its marks cost a few tokens too


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 400  # the rest of a message in JSON
