"""The user's own yes or no to a sensitive call, taken from the next utterance of the conversation only."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from home_words.numerals import Spoken, parted, without_numbers
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.stage import Turn
from voice_gateway.config import SHORTEST_PIN, PermissionSettings
from voice_gateway.conversation.answers import Answer, may_be_pin, read_answer
from voice_gateway.conversation.pin_lock import PinLock, PinVerdict, in_words
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission import DevicesNamed, Tier, TurnGate, question, tier
from voice_gateway.tools.traits import traits
from voice_gateway.turn import OutcomeStatus, Reply, ToolCall, ToolTraits, Utterance, new_id
from voice_gateway.watch import Watch

log = logging.getLogger(__name__)

QUESTION = "confirmation"  # where the open question stands in a conversation's state
OVER = "confirmation over"  # there too: until when a PIN may still come, though the question is gone
GRACE_SECONDS = 60.0  # how long that is

TOO_LATE = "That was too long ago, so I did nothing. Please ask again."
WRONG_PIN = "That is not the right PIN, so I did nothing."
WRONG_DOOR = "That is not allowed from here, so I did nothing."
NOT_PASSED_ON = (
    "I did nothing: there was a number in that which could be a PIN, so I passed nothing on. "
    "Please say it again without the number; when I need your PIN, I ask for it."
)


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls that wait for the user, until a moment in wall-clock time."""

    calls: tuple[ToolCall, ...]
    question: str
    expires: float
    sensitive: bool = True  # only then a PIN is wanted, and the door matters

    def to_json(self) -> dict[str, Any]:
        calls = [{"name": call.name, "args": call.args} for call in self.calls]
        return {
            "calls": calls,
            "question": self.question,
            "expires": self.expires,
            "sensitive": self.sensitive,
        }


@dataclass(frozen=True, slots=True)
class Incoming:
    """What was said, as everybody may know it."""

    utterance: Utterance
    answer: Answer = Answer.OTHER  # to the open question
    hidden: bool = False  # there were numbers that may be a PIN


class Confirmation:
    """Asks before a sensitive call, reads the answer, and makes the calls that were agreed to."""

    def __init__(
        self,
        executor: ToolExecutor,
        settings: PermissionSettings,
        *,
        devices_named: DevicesNamed,
        linked: Callable[[], Awaitable[None]],
        pin_lock: PinLock | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._executor = executor
        self._settings = settings
        self._devices_named = devices_named
        self._linked = linked
        self._pin_lock = pin_lock or PinLock(None, Watch(), now)
        self._now = now
        self._pin = settings.pin.get_secret_value() if settings.pin else None
        self._asked_until: dict[str, float] = {}  # at which doors a PIN may come, until when

    def gate(self, door: str, *, read_only: bool = False, confirmed: bool = False) -> TurnGate:
        """For the calls of one turn."""
        return TurnGate(door, self._settings, self._devices_named, read_only=read_only, confirmed=confirmed)

    # --- what was said

    def receive(self, utterance: Utterance, state: Mapping[str, Any]) -> Incoming:
        """The only place that sees a PIN. Whatever comes behind it gets what is returned: MQTT, the history,
        the stages and their models, the log."""
        pending, text = _open_question(state), utterance.text
        pin = self._pin if pending and pending.sensitive else None
        answer = read_answer(text, pending.question, pin) if pending else Answer.OTHER
        if self._pin is None or not self._hides(parted(text), answer, pending, state):
            return Incoming(utterance, answer)
        return Incoming(replace(utterance, text=without_numbers(text)), answer, hidden=True)

    def _hides(
        self, spoken: Spoken, answer: Answer, pending: Pending | None, state: Mapping[str, Any]
    ) -> bool:
        """Every number while a question wants a PIN, and shortly behind it. At any other time, and in every
        other conversation, a sentence that is nothing but a PIN."""
        if not spoken.numbers:
            return False
        if pending is not None and pending.sensitive:
            near = self._now() <= pending.expires + GRACE_SECONDS
            if near or answer is not Answer.OTHER:
                return True
        return may_be_pin(spoken, shortest=1 if self._now() <= state.get(OVER, 0.0) else SHORTEST_PIN)

    def without_pin(self, text: str) -> str:
        """Of what nobody reads, because it is too long: then also nobody knows whether a PIN is wanted."""
        return text if self._pin is None else without_numbers(text)

    def wants_pin(self, door: str) -> bool:
        """Whether a question that wants one is open there, or was a moment ago."""
        return self._now() <= self._asked_until.get(door, 0.0)

    def may_hear_pin(self, text: str, door: str) -> bool:
        """Of words that may not be whole yet: whether nobody but `receive` should look at them."""
        if self._pin is None or not (spoken := parted(text)).numbers:
            return False
        return self.wants_pin(door) or may_be_pin(spoken, SHORTEST_PIN)

    # --- the question

    def ask(self, turn: Turn, reply: Reply, calls: Sequence[ToolCall]) -> Reply:
        """Calls that wait for a yes were not made: they leave no outcome, only the question."""
        sensitive = any(self._is_sensitive(call) for call in calls)
        pin = sensitive and self._pin is not None
        asks = question(calls, self._traits, self._devices_named, pin=pin)
        pending = Pending(tuple(calls), asks, self._now() + self._settings.expiry_seconds, sensitive)
        turn.history.state[QUESTION] = pending.to_json()
        if pin:
            self._asked_until[turn.utterance.door] = pending.expires + GRACE_SECONDS
        done = tuple(one for one in reply.outcomes if one.status is not OutcomeStatus.WAITING)
        # What strangers wrote does not stand before a question of ours: it could ask one itself.
        told = [one for one in done if not one.outside or one.status is not OutcomeStatus.READ]
        text = f"{render_outcomes(told)} {asks}" if told else asks
        turn.history.add_ai(text)
        return replace(reply, text=text, outcomes=done, ok=all(one.ok for one in done), expects_answer=True)

    # --- the answer

    async def settle(self, turn: Turn, incoming: Incoming) -> Reply | None:
        """The answer to our own question, or None when something else was said. Either way the question is
        open no longer: whatever is said next settles it."""
        pending = _open_question(turn.history.state)
        turn.history.state.pop(QUESTION, None)
        if pending is None or incoming.answer is Answer.OTHER:
            return self._kept_back(turn, hidden=incoming.hidden)
        if incoming.answer is Answer.NO:
            return _told(turn, "Okay, I won't.", ok=True)
        if refusal := await self._refusal(turn, pending, incoming):
            turn.history.state[OVER] = self._now() + GRACE_SECONDS
            return _told(turn, refusal)
        turn.history.add_user(turn.utterance.text)
        return await self._run(turn, pending.calls)

    def _kept_back(self, turn: Turn, *, hidden: bool) -> Reply | None:
        """What may be a PIN, and is the answer to nothing, goes no further. Whoever speaks of something else
        has done with it: then a short number is none of ours."""
        if not hidden:
            turn.history.state.pop(OVER, None)
            return None
        turn.history.state[OVER] = self._now() + GRACE_SECONDS
        return _told(turn, NOT_PASSED_ON)

    async def _refusal(self, turn: Turn, pending: Pending, incoming: Incoming) -> str:
        """Why a yes counts for nothing; empty if it counts. A PIN is looked at last."""
        if self._now() > pending.expires:
            return TOO_LATE
        if not pending.sensitive:
            return ""
        if turn.utterance.door not in self._settings.sensitive_doors:
            return WRONG_DOOR
        if self._pin is None:
            return ""
        # A yes without a number is no attempt to guess one.
        return await self._judged(right=incoming.answer is Answer.YES) if incoming.hidden else WRONG_PIN

    async def _judged(self, *, right: bool) -> str:
        verdict, attempts = await self._pin_lock.judge(right=right)
        left = in_words(attempts.seconds_left(self._now()))
        if verdict is PinVerdict.RIGHT:
            return ""
        if verdict is PinVerdict.LOCKED:
            return f"There were too many wrong PINs, so for another {left} I take none. I did nothing."
        return (
            f"{WRONG_PIN} There were too many: for {left} I take none." if attempts.is_locked else WRONG_PIN
        )

    async def _run(self, turn: Turn, calls: Sequence[ToolCall]) -> Reply:
        if any(self._executor.tools.find(call.name) is None for call in calls):
            await self._linked()  # a new process: the server that was asked about is not connected yet
        agreed = replace(turn, gate=self.gate(turn.utterance.door, confirmed=True))
        turn.history.add_ai("", calls)
        outcomes = await agreed.run(self._executor, calls)
        turn.history.add_outcomes(outcomes)
        text = render_outcomes(outcomes)
        turn.history.add_ai(text)
        return Reply(text, tuple(outcomes), stage="local", ok=all(outcome.ok for outcome in outcomes))

    def _is_sensitive(self, call: ToolCall) -> bool:
        level = tier(call, self._traits(call.name), self._settings, self._devices_named)
        return level is Tier.SENSITIVE

    def _traits(self, name: str) -> ToolTraits:
        tool = self._executor.tools.find(name)
        return traits(tool) if tool else ToolTraits()


def _told(turn: Turn, text: str, *, ok: bool = False) -> Reply:
    turn.history.add_user(turn.utterance.text)
    turn.history.add_ai(text)
    return Reply(text, stage="local", ok=ok)


def _open_question(state: Mapping[str, Any]) -> Pending | None:
    raw = state.get(QUESTION)
    if not isinstance(raw, Mapping):
        return None
    calls = tuple(ToolCall(id=new_id(), name=c["name"], args=c["args"]) for c in raw["calls"])
    sensitive = bool(raw.get("sensitive", True))
    return Pending(calls, str(raw["question"]), float(raw["expires"]), sensitive)
