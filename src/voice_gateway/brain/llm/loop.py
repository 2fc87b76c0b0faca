"""One turn with a model, the same for every provider: ask, run the calls, ask again, and say what is true."""

import logging
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from home_words.question import is_question
from voice_gateway.brain.llm.model import Model, UnreadableCall
from voice_gateway.brain.llm.output_filter import clean, unusable
from voice_gateway.brain.llm.prompt import SYSTEM_PROMPT, correction
from voice_gateway.brain.llm.repeats import NOTE, Repeats
from voice_gateway.brain.llm.text_tool_calls import text_tool_calls
from voice_gateway.brain.receipts import SUBJECT, Receipts, topics_of
from voice_gateway.brain.receipts_compare import CLAIM
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.sentence_streamer import Review, SentenceStreamer, sentences
from voice_gateway.brain.stage import Turn
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import qualified_name, traits
from voice_gateway.turn import OutcomeStatus, Reply, ToolCall, ToolOutcome, new_id

log = logging.getLogger(__name__)

# The reply when the model's own cannot be used: from the outcomes of the turn and the reason of the refusal.
Compose = Callable[[Sequence[ToolOutcome], str], str]


async def run_loop(
    model: Model,
    turn: Turn,
    executor: ToolExecutor,
    *,
    user_text: str,
    max_rounds: int = 6,
    history_budget: int | None = None,
    review: Review | None = None,
    compose: Compose = render_outcomes,
) -> Reply:
    """Answer one turn. However it ends, the history is valid; a turn that failed early leaves no trace."""
    rounds = _Rounds(model, turn, executor, review=review, compose=compose, history_budget=history_budget)
    start = list(turn.history.messages)
    turn.history.add_user(user_text)
    try:
        text = await rounds.answer(max_rounds)
    except BrainError as error:
        if not rounds.acted:
            raise
        # What was done is told, also when the model then fails: silence would be the worst answer.
        log.warning("model failed after acting, telling the outcomes", extra={"reason": str(error)})
        text = rounds.tell("")
    finally:
        if not rounds.answered and not rounds.called:
            turn.history.messages = start
    return Reply(
        text,
        outcomes=tuple(rounds.outcomes),
        stage=model.stage,
        expects_answer=is_question(text),
        ok=rounds.answered and all(outcome.ok for outcome in rounds.outcomes),
        model=model.model_name,
        conversation_id=turn.utterance.conversation_id,
    )


class _Rounds:
    """The state of one turn: what was done, and what was said."""

    def __init__(
        self,
        model: Model,
        turn: Turn,
        executor: ToolExecutor,
        *,
        review: Review | None,
        compose: Compose,
        history_budget: int | None,
    ) -> None:
        self.outcomes: list[ToolOutcome] = []
        self.called = False  # a call was begun: whatever happens now, the history must say so
        self.answered = False
        self._model, self._turn, self._executor = model, turn, executor
        self._history = turn.history
        self._history_budget = history_budget
        self._receipts = Receipts(turn.utterance.text, topics_of(model.offer.tools))
        self._review, self._compose = review or self._receipts.why_not, compose
        self._prompt = [SYSTEM_PROMPT, *model.offer.descriptions()]
        self._release = SentenceStreamer(turn.say, self._accept)
        self._repeats = Repeats(self._side_effect_key)
        self._corrected = False

    @property
    def acted(self) -> bool:
        """Whether something was changed, or may have been."""
        return any(not outcome.read_only and outcome.ran for outcome in self.outcomes)

    async def answer(self, max_rounds: int) -> str:
        extra: list[BaseMessage] = []
        reason = "rounds"
        for _ in range(max_rounds):
            message = await self._ask(extra)
            text, extra = clean(str(message.text)), []
            calls = self._calls(message, text)
            if calls:
                if not await self._run("" if unusable(text) else text, calls):
                    return self._waiting()
                continue
            reason = self._refused(text) or ""
            if not reason:
                return self._finished()
            log.warning("reply is not an answer", extra={"reason": reason, "again": not self._corrected})
            if self._corrected or reason == SUBJECT:  # it was done: the tools' own sentences say it at once
                break
            self._corrected = True
            extra = self._correction(text, reason)
        if reason == "rounds":
            log.warning("model did not come to an end", extra={"rounds": max_rounds})
        return self.tell(reason)

    async def _ask(self, extra: list[BaseMessage]) -> AIMessage:
        if self._history_budget is not None and (gone := self._history.trim(self._history_budget)):
            log.info("older part of the conversation forgotten", extra={"messages": gone})
        messages = [*self._history.paired(), *extra]
        # After an action nothing is said before the whole reply has been compared with what was done.
        tried_to_act = any(not outcome.read_only for outcome in self.outcomes)
        self._release.open(hold=tried_to_act or self._model.doubtful(messages))
        try:
            return await self._model.reply(messages, self._release.feed)
        except UnreadableCall as error:
            log.warning("tool call could not be read, asking again", extra={"reason": str(error)})
            self._release.open(hold=True, again=True)
            again = [*messages, HumanMessage(content=correction("call"))]
            return await self._model.reply(again, self._release.feed)

    def _calls(self, message: AIMessage, text: str) -> list[ToolCall]:
        """The calls of a message, each with an id of its own (MSG-6), unparsed ones too."""
        found = [ToolCall(call["id"] or "", call["name"], call["args"]) for call in message.tool_calls]
        found += [
            ToolCall(call["id"] or "", call["name"] or "", call["args"])
            for call in message.invalid_tool_calls
        ]
        if not found and (found := text_tool_calls(text, self._model.offer.names())):
            log.info("call in the text taken as a call", extra={"tools": [call.name for call in found]})
        used = self._history.call_ids()
        calls = []
        for call in found:
            call_id = call.id if call.id and call.id not in used else new_id()
            used.add(call_id)
            calls.append(ToolCall(call_id, call.name, call.args))
        return calls

    async def _run(self, text: str, calls: list[ToolCall]) -> bool:
        """Run them, repeated ones excepted; False when the user has to be asked before the turn can go on."""
        earlier = {call.id: first for call in calls if (first := self._repeats.first_call(call))}
        self.called = True
        self._history.add_ai(text, calls)
        done: list[ToolOutcome] = []
        new = [call for call in calls if call.id not in earlier]
        try:
            await self._turn.run(self._executor, new, on_outcome=done.append)
        finally:  # also when the turn is cancelled: what was finished is known
            order = {call.id: place for place, call in enumerate(calls)}
            self.outcomes += sorted(done, key=lambda outcome: order[outcome.call_id])
            self._repeats.remember(done)
            self._history.add_outcomes([*done, *self._repeated(calls, earlier)])
            self._history.repair()
        return not any(outcome.status is OutcomeStatus.WAITING for outcome in done)

    def _repeated(self, calls: list[ToolCall], earlier: dict[str, str]) -> list[ToolOutcome]:
        again = []
        for call in calls:
            first = self._repeats.outcome(earlier.get(call.id, ""))
            if first is not None:
                log.info("repeated call not run again", extra={"tool": call.name})
                told_again = NOTE + (first.for_model or first.text)
                again.append(ToolOutcome(call.id, call.name, told_again, first.ok, 0.0, for_model=told_again))
        return again

    def _side_effect_key(self, name: str) -> str | None:
        tool = self._executor.tools.find(name)
        return qualified_name(tool) if tool is not None and traits(tool).side_effects else None

    def _accept(self, sentence: str) -> bool:
        if self._unusable(sentence) not in {None, "nothing"}:  # an emoji between two sentences is no harm
            return False
        return self._review(sentence, self.outcomes) is None

    def _refused(self, text: str) -> str | None:
        """Why this text is not the answer; None when it was, and has been said."""
        reason = self._unusable(text) or self._receipts.whole_reply(text, self.outcomes)
        if reason is None and not self._release.finish(text):
            said = sentences(text)
            reasons = [self._unusable(sentence) for sentence in said]
            reasons += [self._review(sentence, self.outcomes) for sentence in said]
            reason = next((why for why in reasons if why not in {None, "nothing"}), CLAIM)
        return reason

    def _unusable(self, text: str) -> str | None:
        return unusable(text, prompt=self._prompt, said=self._turn.utterance.text)

    def _correction(self, text: str, reason: str) -> list[BaseMessage]:
        facts = render_outcomes(self.outcomes) if self.outcomes else ""
        said: list[BaseMessage] = [AIMessage(content=text)] if text else []
        return [*said, HumanMessage(content=correction(reason, facts))]

    def tell(self, reason: str) -> str:
        """Our own words, from the outcomes."""
        self._release.add(self._compose(self.outcomes, reason))
        self.answered = bool(self.outcomes)
        return self._said()

    def _finished(self) -> str:
        self.answered = True
        if untold := self._receipts.untold(self._release.said, self.outcomes):
            log.info("told what the model left out", extra={"calls": len(untold)})
            self._release.add(self._compose(untold, ""))
        return self._said()

    def _said(self) -> str:
        text = self._release.said.strip()
        self._history.add_ai(text)
        return text

    def _waiting(self) -> str:
        """The conversation asks the user; another word of the model would only be in the way."""
        self.answered = True
        return self._release.said.strip()
