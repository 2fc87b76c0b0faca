"""When it shall be done: at a time, at an event, or under a condition. Only "now" is acted on yet."""

import re
from dataclasses import dataclass

from home_words import clause_words as around


@dataclass(frozen=True, slots=True)
class When:
    kind: str  # "time", "event" or "condition"
    said: str


def read_when(text: str) -> tuple[str, When] | None:
    """The order, and what was said of its time; None when nothing of the kind stands at an end of it."""
    for kind, pattern in around.WHEN:
        for place in (rf"^(?P<when>{pattern}) (?P<order>.+)$", rf"^(?P<order>.+?) (?P<when>{pattern})$"):
            if found := re.match(place, text):
                return found["order"], When(kind, found["when"])
    return None
