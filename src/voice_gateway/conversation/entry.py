"""The one entrance for words: an Utterance goes through the stages, and a Reply comes back."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from voice_gateway.brain.history import History
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.stage import Stage, Turn
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.confirmation import Answer, Pending, read_answer, remember, take, without_pin
from voice_gateway.conversation.store import MemoryStore, Store, claim_when_free, held
from voice_gateway.errors import GatewayError, UnfitAnswer
from voice_gateway.logs import turn_context
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission import KindsOf, TurnGate, question
from voice_gateway.tools.traits import traits
from voice_gateway.turn import (
    Interruption,
    OutcomeStatus,
    Passed,
    Reply,
    Say,
    ToolOutcome,
    ToolTraits,
    Utterance,
)
from voice_gateway.watch import Acted, Answered, Heard, State, Watch

log = logging.getLogger(__name__)

LONGEST_TEXT = 8_000  # characters; nobody says more in one breath, and a small model could not read it
NOTHING_HEARD = "I didn't hear anything."
OURS = frozenset({"local"})  # stages that make no long texts: what they do is done whole
TOO_LONG = "That was too much at once. Please say it in fewer words."


def no_kinds(_name: str) -> frozenset[str]:
    return frozenset()


def nothing_known() -> str:
    return "I don't know how to do that."


@dataclass
class _Open:
    """A conversation that is being answered right now, and how many wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Conversation:
    """One conversation answers one utterance at a time; different conversations run in parallel."""

    def __init__(
        self,
        stages: Sequence[Stage],
        executor: ToolExecutor,
        brain: BrainSettings,
        permission: PermissionSettings,
        *,
        store: Store | None = None,
        watch: Watch | None = None,
        linked: Callable[[], Awaitable[None]] | None = None,
        first: Callable[[Turn], Awaitable[Reply | None]] | None = None,
        kinds_of: KindsOf = no_kinds,
        unknown: Callable[[], str] = nothing_known,
        without_model: Callable[[], str] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._stages = tuple(stages)
        self._executor = executor
        self._brain = brain
        self._permission = permission
        self._store = store or MemoryStore()
        self._watch = watch or Watch()
        self._linked = linked
        self._first = first  # what goes before every stage, such as stopping a timer that rings
        self._kinds_of = kinds_of
        self._unknown = unknown
        self._without_model = without_model
        self._now = now
        self._open: dict[str, _Open] = {}

    async def answer(
        self,
        utterance: Utterance,
        *,
        say: Say | None = None,
        read_only_reason: str | None = None,
        interruption: Interruption | None = None,
    ) -> Reply:
        """Never raises except cancellation: whatever goes wrong becomes a reply that says so.

        With `read_only_reason` nothing may be changed; where something was wanted, that is the reply.
        """
        started = perf_counter()
        shown = self._shown(utterance)
        turn = Turn(utterance, say=say, interruption=interruption or Interruption())
        self._watch.tell(Heard(shown))
        with turn_context(turn=utterance.id[:8], door=utterance.door):
            mine = self._open.setdefault(utterance.conversation_id, _Open())
            mine.users += 1
            try:
                async with mine.lock:
                    reply = await self._in_order(turn, read_only_reason)
            finally:
                mine.users -= 1
                if not mine.users:
                    self._open.pop(utterance.conversation_id, None)
        seconds = perf_counter() - started
        log.debug("turn answered", extra={"said": shown.text, "reply": reply.text, "stage": reply.stage})
        reply = replace(reply, conversation_id=utterance.conversation_id, seconds=seconds)
        for outcome in reply.outcomes:
            self._watch.tell(Acted(shown, outcome, reply.model))
        self._watch.tell(Answered(shown, reply))
        return reply

    async def _in_order(self, turn: Turn, read_only_reason: str | None) -> Reply:
        key = _stored(turn.utterance.conversation_id)
        if not self._store.shared:
            return await self._limited(turn, read_only_reason)
        try:
            await claim_when_free(self._store, f"{key}:lock")  # another gateway may be answering in it
        except Exception as error:  # a store that is down costs memory, not the answer
            self._store_failed("conversation could not be claimed", error)
            return await self._limited(turn, read_only_reason)
        async with held(self._store, f"{key}:lock"):
            return await self._limited(turn, read_only_reason)

    async def _limited(self, turn: Turn, read_only_reason: str | None) -> Reply:
        turn = replace(turn, history=await self._load(turn.utterance.conversation_id))
        try:
            return await self._in_time(turn, read_only_reason)
        except GatewayError as error:
            log.error("turn failed", extra={"reason": str(error)})
            return _after(turn.outcomes, Reply(error.spoken, ok=False))
        except Exception:  # the door must get an answer, whatever a stage did
            log.exception("turn failed")
            return _after(turn.outcomes, Reply("Sorry, something went wrong in me.", ok=False))
        finally:
            await self._save(turn.utterance.conversation_id, turn.history)

    async def _in_time(self, turn: Turn, read_only_reason: str | None) -> Reply:
        seconds = self._brain.turn_timeout_seconds
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._turn(turn, read_only_reason)
        except TimeoutError:
            if not limit.expired():
                raise
            log.warning("turn took too long", extra={"limit_seconds": seconds})
            done = turn.outcomes
            rest = "What else was asked may still happen." if done else "It may still happen."
            return _after(done, Reply(f"Sorry, that took too long, so I stopped. {rest}", ok=False))

    async def _turn(self, turn: Turn, read_only_reason: str | None) -> Reply:
        utterance, history = turn.utterance, turn.history
        text = _clean(utterance.text)
        if not text:
            return Reply(NOTHING_HEARD, ok=False)
        if len(text) > LONGEST_TEXT:
            return Reply(TOO_LONG, ok=False)
        utterance = replace(utterance, text=text, room=utterance.room or self._brain.room)
        turn = replace(turn, utterance=utterance)
        if (pending := take(history.state)) is not None:
            if read_only_reason:
                return Reply(read_only_reason, ok=False)
            answered = await self._confirmed(turn, pending)
            if answered is not None:
                return answered
        gate = TurnGate(
            utterance.door, self._permission, self._kinds_of, forbid_side_effects=bool(read_only_reason)
        )
        reply = await self._ask_stages(replace(turn, gate=gate), gate)
        if read_only_reason and gate.refused:
            return replace(reply, text=read_only_reason, ok=False)
        return self._asking(reply, gate, history) if gate.asked else reply

    async def _ask_stages(self, turn: Turn, gate: TurnGate) -> Reply:
        if self._first and (reply := await self._first(turn)):
            return reply
        passed: list[Passed] = []
        for stage in self._stages:
            try:
                result = await _heeding(stage, replace(turn, passed=tuple(passed)))
            except GatewayError as error:
                log.error("stage failed", extra={"stage": stage.name, "reason": str(error)})
                return _after(turn.outcomes, self._stage_failed(stage, error, tuple(passed)))
            if isinstance(result, Reply):
                self._answers(stage, result)
                return replace(result, passed=tuple(passed))
            passed.append(result)
            gate.forbid_side_effects |= result.forbid_side_effects
            gate.forbid_tools |= result.forbid_tools
        return self._fallback_reply(turn.utterance, turn.history, tuple(passed))

    def _answers(self, stage: Stage, reply: Reply) -> None:
        if reply.model is None and stage.name not in OURS:
            return  # it was interrupted: nobody knows whether it would have come to an end
        sentence = (
            f"My language model ({reply.model}) is there." if reply.model else "The local brain answers."
        )
        self._watch.report(f"brain {stage.name}", State.OK, sentence)

    def _stage_failed(self, stage: Stage, error: GatewayError, passed: tuple[Passed, ...]) -> Reply:
        """What cannot be answered now is said, and what still can."""
        text = error.spoken
        if not isinstance(error, UnfitAnswer):
            self._watch.report(f"brain {stage.name}", State.DEGRADED, error.spoken, str(error))
            text = f"{text} Without it {self._without_model()}" if self._without_model else text
        return Reply(text, stage=stage.name, ok=False, passed=passed)

    def _fallback_reply(self, utterance: Utterance, history: History, passed: tuple[Passed, ...]) -> Reply:
        spoken = next((entry.spoken for entry in passed if entry.spoken), None)
        text = spoken or self._unknown()
        history.add_user(utterance.text)
        history.add_ai(text)
        return Reply(text, ok=False, passed=passed)

    async def _confirmed(self, turn: Turn, pending: Pending) -> Reply | None:
        """The answer to our own question, or None when something else was said: then the question is void."""
        utterance, history = turn.utterance, turn.history
        pin = self._permission.pin.get_secret_value() if self._permission.pin else None
        answer = read_answer(utterance.text, pending.question, pin)
        if answer is Answer.OTHER:
            return None
        history.add_user(self._shown(utterance).text)
        if answer is Answer.YES and self._now() <= pending.expires:
            return await self._run_confirmed(turn, pending)
        text = {
            Answer.YES: "That was too long ago, so I did nothing. Please ask again.",
            Answer.NO: "Okay, I won't.",
            Answer.WRONG_PIN: "That is not the right PIN, so I did nothing.",
        }[answer]
        history.add_ai(text)
        log.info("confirmation answered", extra={"answer": answer.value})
        return Reply(text, stage="local", ok=answer is Answer.NO)

    async def _run_confirmed(self, turn: Turn, pending: Pending) -> Reply:
        history = turn.history
        if self._linked and any(self._executor.tools.find(call.name) is None for call in pending.calls):
            await self._linked()  # a new process: the server that was asked about is not connected yet
        gate = TurnGate(turn.utterance.door, self._permission, self._kinds_of, confirmed=True)
        history.add_ai("", pending.calls)
        outcomes = await replace(turn, gate=gate).run(self._executor, pending.calls)
        history.add_outcomes(outcomes)
        text = render_outcomes(outcomes)
        history.add_ai(text)
        return Reply(text, tuple(outcomes), stage="local", ok=all(outcome.ok for outcome in outcomes))

    def _asking(self, reply: Reply, gate: TurnGate, history: History) -> Reply:
        """Calls that wait for a yes were not made: they leave no outcome, only the question."""
        asks = question(gate.asked, self._traits, pin=self._permission.pin is not None)
        done = tuple(one for one in reply.outcomes if one.status is not OutcomeStatus.WAITING)
        remember(
            history.state, Pending(tuple(gate.asked), asks, self._now() + self._permission.expiry_seconds)
        )
        text = f"{render_outcomes(done)} {asks}" if done else asks
        history.add_ai(text)
        return replace(
            reply, text=text, outcomes=done, ok=all(outcome.ok for outcome in done), expects_answer=True
        )

    def _shown(self, utterance: Utterance) -> Utterance:
        """A PIN is for the gateway alone: not for MQTT, the history, a model or the log."""
        if self._permission.pin is None:
            return utterance
        return replace(utterance, text=without_pin(utterance.text))

    def _traits(self, name: str) -> ToolTraits:
        tool = self._executor.tools.find(name)
        return traits(tool) if tool else ToolTraits()

    async def _load(self, conversation_id: str) -> History:
        try:
            stored = await self._store.get(_stored(conversation_id))
            return History.from_json(json.loads(stored)) if stored else History()
        except Exception as error:  # a lost conversation is a pity; a lost answer would be a fault
            self._store_failed("conversation could not be read, starting a new one", error)
            return History()

    async def _save(self, conversation_id: str, history: History) -> None:
        key, expiry = _stored(conversation_id), self._brain.conversation_expiry_seconds
        try:
            await self._store.put(key, json.dumps(history.to_json()), expiry_seconds=expiry)
        except Exception as error:
            self._store_failed("conversation could not be kept", error)
        else:
            if self._watch.state("memory") is State.DEGRADED:
                self._watch.report("memory", State.OK, "I can remember what is said again.")

    def _store_failed(self, phrase: str, error: Exception) -> None:
        log.error(
            phrase,
            extra={"reason": f"{type(error).__name__}: {error}"},
            exc_info=log.isEnabledFor(logging.DEBUG),
        )
        advice = f"check brain.store: {error}"
        self._watch.report("memory", State.DEGRADED, "I cannot remember what is said at the moment.", advice)


def _after(done: Sequence[ToolOutcome], reply: Reply) -> Reply:
    """Trouble does not undo what was done before it: that is told first, with its outcomes."""
    return (
        replace(reply, text=f"{render_outcomes(done)} {reply.text}", outcomes=tuple(done)) if done else reply
    )


async def _heeding(stage: Stage, turn: Turn) -> Reply | Passed:
    """A model's text ends when somebody interrupts it; what it has said and done until then stays."""
    if stage.name in OURS:
        return await stage.answer(turn)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if turn.say is not None:
            turn.say(text)

    answer = await turn.interruption.cutting(stage.answer(replace(turn, say=say)))
    if answer is not None:
        return answer
    outcomes = tuple(turn.outcomes)
    log.info("turn interrupted", extra={"stage": stage.name, "calls": len(outcomes)})
    if not outcomes:  # then the stage has left no trace
        turn.history.add_user(turn.utterance.text)
    text = "".join(said).strip() or (render_outcomes(outcomes) if outcomes else "")
    turn.history.add_ai(text)
    ok = bool(text) and all(outcome.ok for outcome in outcomes)
    return Reply(text, outcomes, stage=stage.name, ok=ok)


def _stored(conversation_id: str) -> str:
    """Apart from what else is in the store: whoever asks may choose the name of a conversation."""
    return f"conversation:{conversation_id}"


def _clean(text: str) -> str:
    """Control characters are never words; white space of any kind is one space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
