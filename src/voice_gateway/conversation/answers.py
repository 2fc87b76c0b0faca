"""Reads an answer to an open question: yes, no, a PIN, or something else."""

import re
from collections.abc import Sequence
from enum import StrEnum
from hmac import compare_digest

from voice_gateway.conversation.numerals import Spoken, parted, readings

# A yes holds these words and the question's own, and no others: "okay, turn on the lamp" is a new request and
# must not unlock a door.
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
_FILLERS = re.compile(r"^((well|um+|uh+|oh|hey|and)[\s,]+)+", re.I)

# Words beside a PIN may vary more: a number answers the question.
_PIN_WORDS = frozenset("pin pins pincode passcode".split())
_BESIDE_A_PIN = frozenset(
    "a all alright am an and be by digits enter er fine for good great hello here here's hey hi hmm i'm im "
    "in it's its just let me oh our password said say secret so that's then there this to try uh um use "
    "using we well with your st nd rd th open unlock disarm".split()
).union(_BESIDE_A_YES, _PIN_WORDS)
_REFUSING_WORDS = frozenset(
    "no nope nah not never cancel stop abort wait hold forget leave keep nevermind negative wrong refuse "
    "deny decline reject later dont wont cannot instead rather quit".split()
)
_ASKING = frozenset("what who why how when where which is was are did does".split())
_LONGEST_ANSWER = 12  # words beside the PIN
_STRANGE_WORDS = 2  # "yes honey, it's Joe, 2468"; three more would be another request


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    WRONG_PIN = "wrong pin"
    OTHER = "other"


def read_answer(text: str, asked: str, pin: str | None) -> Answer:
    """`asked` is the question, whose own words may come back: "yes, unlock the front door"."""
    own, spoken = frozenset(_plain(asked).split()), parted(text)
    if pin is not None and spoken.numbers:
        answer = _read_with_number(spoken, own)
        return answer if answer is not Answer.YES or _is_pin(spoken, pin) else Answer.WRONG_PIN
    words = _FILLERS.sub("", _plain(text))
    if _REFUSING.search(words) and len(words.split()) <= _LONGEST_NO:
        return Answer.NO
    wordy = [word for word in words.split() if not parted(word).numbers]
    if not _agrees(wordy, own):
        return Answer.OTHER
    return Answer.YES if pin is None else Answer.WRONG_PIN


def _read_with_number(spoken: Spoken, asked: frozenset[str]) -> Answer:
    """Whether it is meant as an answer, whatever the number is."""
    words = spoken.words
    if any(word in _REFUSING_WORDS or word.endswith("n't") for word in words):
        return Answer.NO
    if len(words) > _LONGEST_ANSWER or (words and words[0] in _ASKING):
        return Answer.OTHER
    strange = [word for word in words if word not in _BESIDE_A_PIN and word not in asked]
    agreed = any(word in _AGREEING or word in _PIN_WORDS for word in words)
    return Answer.YES if len(strange) <= (_STRANGE_WORDS if agreed else 0) else Answer.OTHER


def _is_pin(spoken: Spoken, pin: str) -> bool:
    """Whether it is the PIN, compared in constant time."""
    return sum(compare_digest(reading, pin) for reading in readings(spoken)) > 0


def _agrees(words: Sequence[str], asked: frozenset[str]) -> bool:
    if " ".join(words) in _ALONE:
        return True
    return bool(words) and words[0] in _AGREEING and set(words) <= _BESIDE_A_YES | asked


def _plain(text: str) -> str:
    return re.sub(r"[^\w\s']", " ", text).lower().strip()
