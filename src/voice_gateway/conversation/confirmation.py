"""The user's own yes or no to a sensitive call, taken from the next utterance of the conversation only."""

import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.stage import Turn
from voice_gateway.config import PermissionSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission import DevicesNamed, TurnGate, question
from voice_gateway.tools.traits import traits
from voice_gateway.turn import OutcomeStatus, Reply, ToolCall, ToolTraits, Utterance, new_id

log = logging.getLogger(__name__)

KEY = "confirmation"  # where the open question stands in a conversation's state

# A yes is made of these words alone (and of the question's own). "Okay, turn on the lamp" is a new request,
# and must not unlock a door.
_AGREEING = frozenset(
    "yes yeah yep yup sure ok okay confirm confirmed affirmative correct absolutely".split()
)
_BESIDE_A_YES = _AGREEING | frozenset(
    "please do it that go ahead of course thanks thank you my pin code number is the i right now".split()
)
_ALONE = frozenset({"do it", "go ahead", "please do", "of course"})
_REFUSING = re.compile(
    r"^(no|nope|nah|don't|do not|cancel|stop|never ?mind|forget it|leave it|negative)\b", re.I
)
_LONGEST_NO = 4  # "no, turn on the lamp instead" is a new request
_DIGITS = {
    "zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_FILLERS = re.compile(r"^((well|um+|uh+|oh|hey|and)[\s,]+)+", re.I)


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    WRONG_PIN = "wrong pin"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Pending:
    """Calls that wait for the user, until a moment in wall-clock time."""

    calls: tuple[ToolCall, ...]
    question: str
    expires: float

    def to_json(self) -> dict[str, Any]:
        calls = [{"name": call.name, "args": call.args} for call in self.calls]
        return {"calls": calls, "question": self.question, "expires": self.expires}


class Confirmation:
    """Asks before a sensitive call, reads the answer, and makes the calls that were agreed to."""

    def __init__(
        self,
        executor: ToolExecutor,
        settings: PermissionSettings,
        *,
        devices_named: DevicesNamed,
        linked: Callable[[], Awaitable[None]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._executor = executor
        self._settings = settings
        self._devices_named = devices_named
        self._linked = linked
        self._now = now
        self._pin = settings.pin.get_secret_value() if settings.pin else None

    def gate(self, door: str, *, read_only: bool = False, confirmed: bool = False) -> TurnGate:
        """For the calls of one turn."""
        return TurnGate(
            door, self._settings, self._devices_named, forbid_side_effects=read_only, confirmed=confirmed
        )

    def shown(self, utterance: Utterance) -> Utterance:
        """A PIN is for the gateway alone: not for MQTT, the history, a model or the log."""
        return utterance if self._pin is None else replace(utterance, text=without_pin(utterance.text))

    def ask(self, turn: Turn, reply: Reply, calls: Sequence[ToolCall]) -> Reply:
        """Calls that wait for a yes were not made: they leave no outcome, only the question."""
        asks = question(calls, self._traits, self._devices_named, pin=self._pin is not None)
        pending = Pending(tuple(calls), asks, self._now() + self._settings.expiry_seconds)
        turn.history.state[KEY] = pending.to_json()
        done = tuple(one for one in reply.outcomes if one.status is not OutcomeStatus.WAITING)
        # What strangers wrote does not stand before a question of ours: it could ask one itself.
        told = [one for one in done if not one.outside or one.status is not OutcomeStatus.READ]
        text = f"{render_outcomes(told)} {asks}" if told else asks
        turn.history.add_ai(text)
        return replace(reply, text=text, outcomes=done, ok=all(one.ok for one in done), expects_answer=True)

    async def settle(self, turn: Turn, pending: Pending) -> Reply | None:
        """The answer to our own question, or None when something else was said: then the question is void."""
        answer = read_answer(turn.utterance.text, pending.question, self._pin)
        if answer is Answer.OTHER:
            return None
        turn.history.add_user(self.shown(turn.utterance).text)
        if answer is Answer.YES and self._now() <= pending.expires:
            return await self._run(turn, pending.calls)
        text = {
            Answer.YES: "That was too long ago, so I did nothing. Please ask again.",
            Answer.NO: "Okay, I won't.",
            Answer.WRONG_PIN: "That is not the right PIN, so I did nothing.",
        }[answer]
        turn.history.add_ai(text)
        log.info("confirmation answered", extra={"answer": answer.value})
        return Reply(text, stage="local", ok=answer is Answer.NO)

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

    def _traits(self, name: str) -> ToolTraits:
        tool = self._executor.tools.find(name)
        return traits(tool) if tool else ToolTraits()


def take(state: dict[str, Any]) -> Pending | None:
    """The open question, which is open no longer: whatever is said next settles it."""
    raw = state.pop(KEY, None)
    if not isinstance(raw, Mapping):
        return None
    calls = tuple(ToolCall(id=new_id(), name=c["name"], args=c["args"]) for c in raw["calls"])
    return Pending(calls, str(raw["question"]), float(raw["expires"]))


def read_answer(text: str, asked: str, pin: str | None) -> Answer:
    """`asked` is the question, whose own words may come back: "yes, unlock the front door"."""
    said = _FILLERS.sub("", _plain(text))
    words = said.split()
    if _REFUSING.search(said) and len(words) <= _LONGEST_NO:
        return Answer.NO
    digits = "".join(_DIGITS.get(word, word) for word in words if word in _DIGITS or word.isdigit())
    wordy = [word for word in words if word not in _DIGITS and not word.isdigit()]
    agreed = _agrees(wordy, frozenset(_plain(asked).split()))
    if pin is None:
        return Answer.YES if agreed else Answer.OTHER
    if digits == pin and (agreed or not wordy):
        return Answer.YES
    return Answer.WRONG_PIN if agreed or (digits and not wordy) else Answer.OTHER


def without_pin(text: str) -> str:
    """What may be published and remembered of an answer with a PIN: no digit of it."""
    words = text.split()
    digits = [word for word in words if _is_digits(_plain(word))]
    others = {_plain(word) for word in words if not _is_digits(_plain(word))} - {""}
    if not digits or not others <= _BESIDE_A_YES:
        return text
    return " ".join("•" if _is_digits(_plain(word)) else word for word in words)


def _is_digits(word: str) -> bool:
    return bool(word) and all(part.isdigit() or part in _DIGITS for part in word.split())


def _agrees(words: Sequence[str], asked: frozenset[str]) -> bool:
    if " ".join(words) in _ALONE:
        return True
    return bool(words) and words[0] in _AGREEING and set(words) <= _BESIDE_A_YES | asked


def _plain(text: str) -> str:
    return re.sub(r"[^\w\s']", " ", text).lower().strip()
