"""Which things are meant: an expression over the home, evaluated as a set of devices."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from home_words import command_words as words
from voice_gateway.brain.local.grammar import Frame, Slot

_AND = re.compile(r"(?<!\s)\s+(?:and|or|nor|plus)(?: also| the)?\s+(?=\w)|(?:(?<!\s)\s+)?,\s*")


@dataclass(frozen=True, slots=True)
class Which:
    """What is named, without what is left out, in a state, and how many of them."""

    said: str  # names, kinds and places: for the resolver
    without: tuple[str, ...] = ()
    having: str = ""  # a state, or "dimmable"
    pick: str = ""  # "one" of them, or "some": nobody knows which

    @classmethod
    def of(cls, frame: Frame) -> "Which":
        said, place = frame.text("thing") or "it", frame.text("place")
        without = tuple(filter(None, frame.text("without").split(" | ")))
        named = f"{said} in {place}" if place else said
        return cls(named, without, frame.text("having"), frame.text("pick"))

    @property
    def slots(self) -> Mapping[str, Slot]:
        """As a frame keeps it."""
        parts = {
            "thing": self.said,
            "without": " | ".join(self.without),
            "having": self.having,
            "pick": self.pick,
        }
        return {name: value for name, value in parts.items() if value}


def read_which(text: str) -> Which:
    said, *left_out = words.EXCEPT.split(text.replace("_", " "))
    said, pick, having = said.strip(), "", ""
    for count, pattern in (("one", words.ONE_OF), ("some", words.SHARE_OF)):
        if not pick and (found := pattern.match(said)):
            said, pick = said[found.end() :], count
    if able := words.ADJECTIVE.match(said):
        said, having = f"all {able['thing']}", words.STATES[able["state"]]
    elif able := words.ABLE.search(said):
        said, having = _dimmable(f"{said[: able.start()]} {said[able.end() :]}"), "dimmable"
    elif state := words.HAVING.match(said):
        thing = re.sub(r"\b(?:that|which|whatever|what)$", "", state["thing"]).strip()
        thing = re.sub(r"^(?:whichever|whatever|what|those|any) (?=\w)", "all ", thing)
        thing = "everything" if thing in words.WHATEVER else thing
        said, having = f"{thing} {state['tail'] or ''}".strip(), words.STATES[state["state"]]
    without = (part.strip() for one in left_out for part in _AND.split(one))
    return Which(said, tuple(filter(None, without)), having, pick)


def _dimmable(said: str) -> str:
    """Only lights are dimmed: "every one that can be dimmed"."""
    head = re.sub(r"\b(?:lamps?|ones?)$", "lights", " ".join(said.split()))
    return re.sub(r"^(?:every|each|all)?(?: of)?(?: the| my)?(?: ones?)?$", "all lights", head)


def plain_order(text: str) -> str:
    """The clause without what it leaves out and how its things are: no negation, and no statement."""
    return words.IS_SO.sub("", words.EXCEPT.split(words.ABLE.sub("", text))[0])
