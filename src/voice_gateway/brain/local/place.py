"""Where something is meant: a room by its name, here, the whole house, or a place that nobody knows."""

import re
from dataclasses import dataclass

from home_names.kinds import device_class
from home_names.names import name_key
from home_words.best_match import best_match
from voice_gateway.integrations.home import Home

EVERYWHERE = "*"

_DETERMINERS = re.compile(r"^(?:(?:please|the|my|our|a|an|that|this|these|those|some|your) )+(?=\S)")
_TAIL = re.compile(r"(?: (?:again|too|as well|also)){1,3}$")
_PLACE = re.compile(
    r"^(?P<what>.+?)(?<!\s)\s+(?:in|inside|on|at|of|from|for|throughout|across|around)\s+"
    r"(?P<where>(?:the\s+|my\s+|our\s+|this\s+)?.+)$",
    re.DOTALL,
)
_HERE = re.compile(r"^(?P<what>.*?)(?<!\s)\s*\b(?:in here|over here|here|in (?:this|the|my) room)$")
_HOUSE = re.compile(
    r"^(?P<what>.*?)(?<!\s)\s*\b(?:everywhere|in (?:the|my|our) (?:whole |entire )?"
    r"(?:house|home|flat|apartment)|in (?:every|all|all the) rooms?|"
    r"(?:^|^whole |^entire )(?:house|home|flat|apartment))$"
)


@dataclass(frozen=True, slots=True)
class Placed:
    what: str
    room: str | None = None  # as it is written; EVERYWHERE for the whole house
    nowhere: str = ""  # a place that was named and that nobody knows

    @property
    def text(self) -> str:
        return f" in the {self.room}" if self.room and self.room != EVERYWHERE else ""


def plain(phrase: str) -> str:
    """Without articles and without the words that only make a sentence longer."""
    return _TAIL.sub("", _DETERMINERS.sub("", " ".join(phrase.split())))


def room_named(said: str, home: Home) -> str | None:
    key = name_key(plain(said))
    return (home.rooms.get(key) or best_match(key.split(), home.rooms)) if key else None


def place(said: str, home: Home, here: str | None) -> Placed:
    """ "In the kitchen", "kitchen light", "here", the whole house, or somewhere unknown."""
    if match := _HOUSE.match(said):
        return Placed(plain(match["what"]) or "everything", EVERYWHERE)
    if match := _HERE.match(said):
        return Placed(plain(match["what"]) or "everything", here, "" if here else "here")
    if match := _PLACE.match(said):
        what, where = plain(match["what"]), plain(match["where"])
        if room := room_named(where, home):
            return Placed(what, room)
        turned = f"{where} {what}"  # "the light on the desk" is the desk light
        if home.names.same_words(turned):
            return Placed(turned)
        if device_class(what) and not home.names.same_words(said):
            return Placed(what, nowhere=where)
    return _around(said, home)


def _around(said: str, home: Home) -> Placed:
    """A room's name before or behind the thing: "kitchen light"."""
    words = f" {name_key(said)} "
    for key, room in home.rooms.items():
        if words.startswith(f" {key} ") or words.endswith(f" {key} "):
            behind = not words.startswith(f" {key} ")
            return Placed((words[: -len(key) - 1] if behind else words[len(key) + 1 :]).strip(), room)
    return Placed(said)
