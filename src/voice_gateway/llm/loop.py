"""One turn with a model, the same for every provider: ask, run the calls, and say what is true."""

import hashlib
import json
import logging
import re
from time import perf_counter
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from home_names.phrases import is_question
from voice_gateway.errors import BrainError
from voice_gateway.events import ModelRound, SentMessage
from voice_gateway.languages import say
from voice_gateway.llm.model import Model, UnreadableCall
from voice_gateway.llm.prompt import CORRECTIONS, COUNTS, NAMES, PLAIN, SAID, SYSTEM_PROMPT, unwrapped
from voice_gateway.llm.provenance import Provenance, is_look
from voice_gateway.llm.streaming import SentenceStreamer, clean, text_tool_calls, unusable
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import qualified_name, traits
from voice_gateway.turn import OutcomeStatus, Part, PartSource, Reply, ToolCall, ToolOutcome, new_id
from voice_gateway.turns.stage import Turn

log = logging.getLogger(__name__)

PROMPT_ID = hashlib.sha256(SYSTEM_PROMPT.encode()).hexdigest()[:12]
NOT_RUN_AGAIN = "(Not run again: the same call was already made in this turn.) "


async def run_loop(
    model: Model,
    turn: Turn,
    executor: ToolExecutor,
    *,
    user_text: str,
    max_rounds: int = 6,
    history_budget: int | None = None,
) -> Reply:
    """Answer one turn. However it ends, the history is valid; a turn that failed early leaves no trace."""
    start = list(turn.history.messages)
    turn.history.add_user(user_text)
    rounds = _Rounds(model, turn, executor, history_budget)
    try:
        await rounds.answer(max_rounds)
    except BrainError as error:
        if not rounds.acted:
            raise
        # What was done is told, also when the model then fails: silence would be the worst answer.
        log.warning("model failed after acting, telling the outcomes", extra={"reason": str(error)})
        rounds.close()
    finally:
        if not rounds.answered and not rounds.called:
            turn.history.messages = start
    text = rounds.out.text
    good = rounds.answered and not rounds.provenance.replaced
    return Reply(
        text,
        parts=rounds.out.parts,
        outcomes=tuple(rounds.outcomes),
        stage=model.stage,
        expects_answer=is_question(text),
        ok=good and all(outcome.ok for outcome in rounds.outcomes),
        model=model.model_name,
        conversation_id=turn.utterance.conversation_id,
    )


class _Rounds:
    """The state of one turn: what was done, and what was said."""

    def __init__(self, model: Model, turn: Turn, executor: ToolExecutor, history_budget: int | None) -> None:
        self.outcomes: list[ToolOutcome] = []
        self.called = False  # a call was begun: whatever happens now, the history must say so
        self.answered = False
        self._model, self._turn, self._executor = model, turn, executor
        self._history, self._history_budget = turn.history, history_budget
        self._question = turn.history.messages[-1]  # what was said in this turn, as the model gets it
        self.provenance = Provenance(turn.utterance.text, turn.home, of_home=self._is_of_home)
        self._prompt = [SYSTEM_PROMPT, NAMES, COUNTS, SAID, *model.offer.descriptions()]
        self.out = SentenceStreamer(turn.say, self.provenance.on_sentence, self._usable)
        self._first: dict[str, str] = {}  # by what a call does: the id of the first such call
        self._by_id: dict[str, ToolOutcome] = {}
        self._asked = 0  # how often the model was
        self._sent: dict[int, BaseMessage] = {}  # in this turn, by their ids, which stay taken so

    @property
    def acted(self) -> bool:
        """Whether something was changed, or may have been."""
        return any(not outcome.read_only and outcome.ran for outcome in self.outcomes)

    async def answer(self, max_rounds: int) -> None:
        extra: list[BaseMessage] = []
        for _ in range(max_rounds):
            message = await self._ask(extra)
            text = clean(str(message.text))
            if calls := self._calls(message, text):
                extra = []
                done = await self._run("" if self._unusable(text) else text, calls)
                if any(outcome.status is OutcomeStatus.WAITING for outcome in done):
                    self.answered = True  # the conversation asks the user
                    return None
                if not self._asked_again(done):
                    return self.close()
                continue
            reason = self._unusable(text)
            if reason is None:
                self.out.finish(text)
                return self.close()
            log.warning("reply is not an answer", extra={"reason": reason, "again": not extra})
            if extra or self.provenance.acted:  # what was done is told already
                return self.close()
            given: list[BaseMessage] = [AIMessage(content=text)] if text else []
            extra = [*given, HumanMessage(content=CORRECTIONS.get(reason, PLAIN))]
        log.warning("model did not come to an end", extra={"rounds": max_rounds})
        return self.close(say("too_many_steps"))

    def _asked_again(self, done: list[ToolOutcome]) -> bool:
        """When something went wrong, when it only looked, or when it is trusted to go on by itself.

        An ordinary action is told by its outcome: another round would cost a small model seconds, and bring
        nothing that may be said.
        """
        went_well = all(outcome.ok for outcome in done)
        return not went_well or all(is_look(outcome) for outcome in done) or self._model.several_steps

    async def _ask(self, extra: list[BaseMessage]) -> AIMessage:
        if self._history_budget is not None and (gone := self._history.trim(self._history_budget)):
            log.info("older part of the conversation forgotten", extra={"messages": gone})
        messages = [*self._history.paired(), *extra]
        self.out.open()
        try:
            return await self._watched(messages)
        except UnreadableCall as error:
            log.warning("tool call could not be read, asking again", extra={"reason": str(error)})
            self.out.open(again=True)
            return await self._watched([*messages, HumanMessage(content=CORRECTIONS["call"])])

    async def _watched(self, messages: list[BaseMessage]) -> AIMessage:
        self._asked += 1
        started = perf_counter()
        first: list[float] = []

        def feed(text: str) -> None:
            if not first:
                first.append(perf_counter() - started)
            self.out.feed(text)

        sent = self._newly_sent(messages)

        def tell(**more: Any) -> None:
            seconds = perf_counter() - started
            name, until_text = self._model.model_name, first[0] if first else None
            self._turn.tell_step(ModelRound, name, self._asked, seconds, until_text, **sent, **more)

        try:
            message = await self._model.reply(messages, feed)
        except BrainError as error:
            tell(error=str(error))
            raise
        tell(**_round_facts(message))
        return message

    def _newly_sent(self, messages: list[BaseMessage]) -> dict[str, Any]:
        """What no earlier round of this turn had; what was said in earlier turns is told there."""
        asked = [place for place, message in enumerate(messages) if message is self._question]
        start = asked[-1] if asked else 0
        new = [message for message in messages[start:] if id(message) not in self._sent]
        self._sent |= {id(message): message for message in new}
        offered = tuple(tool.name for tool in self._model.offer.tools) if self._asked == 1 else ()
        sent = tuple(_sent(message, self._turn) for message in new)
        return {"sent": sent, "earlier": start, "prompt": PROMPT_ID, "tools": offered}

    def _calls(self, message: AIMessage, text: str) -> list[ToolCall]:
        """The calls of a message, each with an id of its own (MSG-6), unparsed ones too."""
        made = _made(message)
        if not made and (made := text_tool_calls(text, self._model.offer.names())):
            log.info("call in the text taken as a call", extra={"tools": [call.name for call in made]})
        used = self._history.call_ids()
        calls = []
        for call in map(unwrapped, made):
            call_id = call.id if call.id and call.id not in used else new_id()
            used.add(call_id)
            calls.append(ToolCall(call_id, call.name, call.args))
        return calls

    async def _run(self, text: str, calls: list[ToolCall]) -> list[ToolOutcome]:
        """Run them. The same act again in one turn runs once, and its outcome is told again. What became of
        each is said as soon as it is known."""
        firsts = {call.id: self._first.setdefault(self._act(call), call.id) for call in calls}
        self.called = True
        self.out.finish(text)
        self.provenance.begin_calls()
        self._history.add_ai(text, calls)
        done: list[ToolOutcome] = []
        new = [call for call in calls if firsts[call.id] == call.id]

        def tell(outcome: ToolOutcome) -> None:
            done.append(outcome)
            self.out.add(self.provenance.on_outcome(outcome))

        try:
            await self._turn.run(self._executor, new, on_outcome=tell)
        finally:  # also when the turn is cancelled: what was finished is known
            order = {call.id: place for place, call in enumerate(calls)}
            self.outcomes += sorted(done, key=lambda outcome: order[outcome.call_id])
            self._by_id |= {outcome.call_id: outcome for outcome in done}
            repeated = ((call, self._by_id.get(firsts[call.id])) for call in calls if call not in new)
            again = [_told_again(call, first) for call, first in repeated if first is not None]
            self._history.add_outcomes([*done, *again])
            self._history.repair()
        return [*done, *again]

    def _act(self, call: ToolCall) -> str:
        """The same text for the same act; a look is never a repetition."""
        tool = self._executor.tools.find(call.name)
        if tool is None or traits(tool).read_only:
            return call.id
        # Small models spell one argument in many ways: `device_name` and "50", `deviceName` and 50.
        given = call.args if isinstance(call.args, dict) else {"": call.args}
        return f"{qualified_name(tool)} {sorted((_folded(name), _folded(given[name])) for name in given)}"

    def _usable(self, sentence: str) -> bool:
        return self._unusable(sentence) in {None, "nothing"}  # an emoji between two sentences is no harm

    def _unusable(self, text: str) -> str | None:
        return unusable(text, prompt=self._prompt, said=self._turn.utterance.text)

    def close(self, *behind: str) -> None:
        """The end of the turn, with what still has to be said; what was said closes it in the history."""
        self.answered = not self.provenance.silent
        self.out.add([*self.provenance.finish(), *(Part(PartSource.GATEWAY, text) for text in behind)])
        if not self.out.said:
            self.out.add([Part(PartSource.GATEWAY, say("not_understood"))])
        self._history.add_ai(self.out.text)

    def _is_of_home(self, outcome: ToolOutcome) -> bool:
        tool = self._executor.tools.find(outcome.name)
        return tool is not None and traits(tool).server in self._turn.home.servers


def _round_facts(message: AIMessage) -> dict[str, Any]:
    used = message.usage_metadata
    return {
        "input_tokens": used["input_tokens"] if used else None,
        "output_tokens": used["output_tokens"] if used else None,
        "calls": tuple(_made(message)),
        "text": str(message.text),
    }


def _made(message: AIMessage) -> list[ToolCall]:
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [ToolCall(call["id"] or "", call["name"] or "", call["args"]) for call in calls]


def _sent(message: BaseMessage, turn: Turn) -> SentMessage:
    """The message as it may be published: the user's words hold no PIN."""
    text = str(message.text)
    if isinstance(message, ToolMessage):
        return SentMessage("tool", text, tool=message.name or "", call_id=message.tool_call_id)
    if isinstance(message, AIMessage):
        return SentMessage("assistant", text, tuple(_made(message)))
    if turn.shown is not None:
        text = text.replace(turn.utterance.text, turn.shown.text)
    return SentMessage("user", text)


def _told_again(call: ToolCall, first: ToolOutcome) -> ToolOutcome:
    """For the model alone."""
    log.info("repeated call not run again", extra={"tool": call.name})
    text = NOT_RUN_AGAIN + (first.for_model or first.text)
    return ToolOutcome(call.id, call.name, text, first.ok, 0.0, for_model=text, outside=first.outside)


def _folded(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return re.sub(r"[^\w.-]|_", "", text.removesuffix(".0")).casefold()
