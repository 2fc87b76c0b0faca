"""Which words are phrases of time, one behind the other."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from home_words import when_words as words

Found = Mapping[str, str]


def phrases(text: str) -> list[tuple[str, Found]] | None:
    """All words as phrases of time, one behind the other; None where a word is over."""
    found = _matches(text)
    return None if found is None else [(kind, given_groups(match)) for kind, match in found]


def _matches(text: str) -> list[tuple[str, re.Match[str]]] | None:
    found: list[tuple[str, re.Match[str]]] = []
    while text:
        for kind, pattern in words.PHRASES:
            if match := pattern.match(text):
                found.append((kind, match))
                text = text[match.end() :].strip()
                break
        else:
            return None
    return found


def instead_of(before: str, after: str) -> str:
    """ "Tomorrow at 7", no, "at 8": what is said anew, with what still holds; "" where that is no time."""
    after = f"at {after}" if after[:1].isdigit() else after
    anew = _matches(after)
    if not anew:
        return ""
    kinds = {kind for kind, _ in anew}
    return " ".join(
        (*(found[0].strip() for kind, found in _matches(before) or () if kind not in kinds), after)
    )


def given_groups(match: re.Match[str]) -> Found:
    return {name: value for name, value in match.groupdict().items() if value}


_REPEATING = frozenset({"days", "monthly", "often", "every", "turn", "yearly"})


class Repeated(NamedTuple):
    """What comes again and again: on which days or how often, and the clock time, where one is said."""

    days: str
    clock: str


def repeated(text: str) -> Repeated | None:
    """None: it comes once, or it is no time at all."""
    found = _matches(text) or []
    if not any(kind in _REPEATING for kind, _ in found):
        return None
    clocks = [given_groups(match) for kind, match in found if kind == "clock"]
    days = " ".join(match[0].strip() for kind, match in found if kind != "clock")
    return Repeated(days, next((one.get("clock") or one["sure"] for one in clocks), ""))
