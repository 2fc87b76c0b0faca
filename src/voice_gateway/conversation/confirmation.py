"""The user's own yes or no to a sensitive call, taken from the next utterance of the conversation only."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from voice_gateway.turn import ToolCall, new_id

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


def remember(state: dict[str, Any], pending: Pending) -> None:
    state[KEY] = pending.to_json()


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
