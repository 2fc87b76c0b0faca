"""The time that a regular expression takes grows with the length of a text, whatever the letters are.

For each one the worst letters are made from its own parse tree. A first look at short texts finds what may
grow faster; only that is timed at full length. Times are compared with each other, the best of several.
"""

import re
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import pytest
from tests.fakes.regexes import SRC, Regex, regexes_of, source_files
from tests.fakes.worst_letters import worst_letters

NOT_UNIT = "a minute of the processor's time"

SHORT, LONGER, FULL = 500, 4_000, 32_000
SUSPICIOUS = 14  # eight times the letters in more than so many times the time
PLAIN = 30  # and in so many it needs no longer look: a square makes it 64
MOST_GROWTH = 2.5  # for twice the letters
LONG_ENOUGH_SECONDS = 0.02  # what takes longer need not be timed again
HOPELESS_SECONDS = 2.0  # for a text of full length, and no machine is so slow


def seconds(regex: Regex, text: str, *, times: int = 1) -> float:
    """The processor's, so that it does not matter what else runs; the best of three where it is short."""
    best = float("inf")
    for _ in range(3):
        started = thread_time()
        for _ in range(times):
            regex.apply(text)
        best = min(best, thread_time() - started)
        if best > LONG_ENOUGH_SECONDS:
            break
    return best


def grows(regex: Regex, made: Callable[[int], str], short: int, long: int, limit: float) -> bool:
    """Beyond this limit from the short text to the long one, however often it is tried."""
    once = seconds(regex, made(short))
    times = max(1, round(LONG_ENOUGH_SECONDS / 4 / max(once, 1e-6)))  # less is too short to be compared
    return all(
        seconds(regex, made(long), times=times) > limit * seconds(regex, made(short), times=times)
        for _ in range(3)
    )


def grows_too_fast(regex: Regex, made: Callable[[int], str]) -> bool:
    if seconds(regex, made(LONGER)) <= SUSPICIOUS * seconds(regex, made(SHORT)):
        return False
    if grows(regex, made, SHORT, LONGER, PLAIN) or seconds(regex, made(FULL)) > HOPELESS_SECONDS:
        return True
    return grows(regex, made, FULL, 2 * FULL, MOST_GROWTH)


@pytest.mark.slow
@pytest.mark.parametrize("file", source_files(), ids=lambda file: str(file.relative_to(SRC)))
def test_twice_the_letters_take_twice_the_time(file: Path) -> None:
    slow = {}
    for regex in regexes_of(file):
        for made in worst_letters(regex.pattern):
            if grows_too_fast(regex, made):
                slow[regex.pattern.pattern] = made.__doc__
                break
    assert slow == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [r"\s+$", r"(\*\*|\*)(?=\S)(.+?)(?<=\S)\1", r"\d+ ?%", r"<[^>]*>", r"\w+@\w+", r"x.*y"],
)
def test_what_grows_too_fast_is_found(pattern: str) -> None:
    regex = Regex(re.compile(pattern))

    assert any(grows_too_fast(regex, made) for made in worst_letters(regex.pattern))


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s+$", r"(?<!\d)\d+ ?%", r"<[^<>]*>", r"\w{1,64}@\w+"])
def test_what_does_not_is_not(pattern: str) -> None:
    regex = Regex(re.compile(pattern))

    assert not any(grows_too_fast(regex, made) for made in worst_letters(regex.pattern))
