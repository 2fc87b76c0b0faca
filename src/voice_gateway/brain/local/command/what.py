"""What shall be done, and when: verb, value and time of one clause; what is left is for the thing."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from home_words import colours
from home_words import command_words as words
from home_words.clause_words import WHEN
from voice_gateway.brain.local.command.which import Which, read_which
from voice_gateway.brain.local.grammar import Frame, Slot


@dataclass(frozen=True, slots=True)
class What:
    """An action with its value, absolute or relative, as slots of a frame."""

    action: str  # the intent
    value: Mapping[str, Slot] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class When:
    """Only "now" is acted on yet."""

    kind: str  # "time", "event" or "condition"
    said: str


@dataclass(frozen=True, slots=True)
class Command:
    """One reading of a clause. It is a frame in parts: the frame is what is kept, asked about and planned."""

    what: What
    which: Which
    when: When | None = None  # None is now
    literal: int = 0  # characters of words that are ours: the more, the surer

    def __str__(self) -> str:
        parts = [f"{name} {value}" for name, value in self.frame.slots.items()]
        later = f", {self.when.kind}: {self.when.said}" if self.when else ""
        return f"{self.what.action} ({', '.join(parts)}{later})"

    @property
    def frame(self) -> Frame:
        return Frame(self.what.action, {**self.which.slots, **self.what.value}, self.literal)


@dataclass
class _Clause:
    """The clause while its words are taken out one after the other."""

    rest: str
    verb: str = ""
    senses: tuple[str, ...] = ("",)
    state: str = ""
    value: str = ""  # the kind of value
    found: dict[str, str] = field(default_factory=dict)
    small: bool = False

    def does(self, *senses: str) -> bool:
        return any(sense in self.senses for sense in senses)

    @property
    def amount(self) -> float:
        number = self.found.get("n") or self.found.get("n2") or "0"
        return float(number.replace("minus ", "-"))

    @property
    def unit(self) -> dict[str, Slot]:
        return {"unit": words.UNITS[self.found["unit"]]} if "unit" in self.found else {}

    @property
    def direction(self) -> int:
        """1 is more, -1 is less, 0 is not said."""
        more = self.found.get("more", "")
        if more in words.MORE:
            return words.MORE[more][1]
        said = more or self.state
        if said in ("up", "down"):
            return 1 if said == "up" else -1
        less = self.does("lower", "less", "dim", "cool")
        return 1 if self.does("raise", "more", "warm") else -1 if less else 0

    @property
    def relative(self) -> bool:
        """By so much, not to so much."""
        if prep := self.found.get("prep"):
            return prep == "by"
        return self.value == "shared" or (self.direction != 0 and not self.does("dim"))

    @property
    def subject(self) -> str:
        """ "light" or "heat", where the words say so."""
        about = words.MORE.get(self.found.get("more", ""), ("", 0))[0]
        if of := self.found.get("of", ""):
            return "light" if re.fullmatch(words.LIGHT, of) else "heat"
        if about or self.state == "dark":
            return about or "light"
        if self.value in ("colour", "kelvin"):
            return "light"
        hot = self.value == "degrees" or self.does("warm", "cool")
        return "heat" if hot or (self.rest != "it" and words.HEATED.search(self.rest)) else ""


def read_command(text: str) -> list[Command]:
    """Every reading of one clause, the likeliest first."""
    for pattern, instead in words.REWORDED:
        text = " ".join(pattern.sub(instead, text).split())
    made: dict[str, Command] = {}
    for clause in _takes(text):
        for what in _actions(clause):
            command = _command(what, clause, text)
            if command is not None:
                made.setdefault(repr((what.action, command.frame.slots)), command)
    if not made and (wanted := words.COLOUR_NEEDED.fullmatch(text)):
        unknown = What("SetColour", {"unknown": wanted["colour"] or wanted["to"]})
        made[text] = Command(unknown, read_which(wanted["thing"] or wanted["of"]), literal=1)
    return list(made.values())


def read_later(text: str) -> Command | None:
    """The command of a clause that names a time, an event or a condition: to be told of, and planned."""
    for kind, when in WHEN:
        for place in (rf"^(?P<when>{when}) (?P<order>.+)$", rf"^(?P<order>.+?) (?P<when>{when})$"):
            if (found := re.match(place, text)) and (commands := read_command(found["order"])):
                return replace(commands[0], when=When(kind, found["when"]))
    return None


def _takes(text: str) -> Iterator[_Clause]:
    """With its verb, the longest first ("set to", "set"); and as a thing with a state behind it."""
    verb = words.VERB.match(text)
    if verb:
        yield _taken(_Clause(text[verb.end() :].strip(), verb[1], words.VERBS[verb[1]]))
        short = verb[1].split()[0]
        if short != verb[1] and short in words.VERBS:
            yield _taken(_Clause(text.removeprefix(short).strip(), short, words.VERBS[short]))
    if not verb or verb[1] in words.NOUNS:
        yield _taken(_Clause(text))


def _taken(clause: _Clause) -> _Clause:
    particle = words.PARTICLE.match(clause.rest) if clause.does("set", "pull") else None
    if particle:
        clause.state = {"of": "off", "out": "off"}.get(particle[1], particle[1])
        clause.rest = clause.rest[particle.end() :]
    _take_value(clause)
    if not clause.state and (
        not clause.verb or clause.does("set", "pull", "open", "close", "off", "on", "warm")
    ):
        clause.rest = words.WAY.sub("", clause.rest).strip()
        states = list(words.STATE_AT.finditer(clause.rest))
        if states and (clause.verb or states[-1].start() > 0):
            clause.state = words.STATES[states[-1]["state"]]
            clause.rest = _without(clause.rest, states[-1])
    return clause


def _take_value(clause: _Clause) -> None:
    for kind, pattern in words.VALUES:
        found = pattern.search(clause.rest)
        # "Turn on light 2" is no level, and "turn off some lights" no wish for some light.
        if not found or (kind == "number" and clause.state and not found["prep"]):
            continue
        if kind == "some" and clause.verb not in words.HAVE:
            continue
        # A colour is of a thing: "turn on violet" names one.
        if kind in ("colour", "kelvin") and not _without(clause.rest, found):
            continue
        clause.value = kind
        clause.found = {key: value for key, value in found.groupdict().items() if value}
        clause.small = "small" in clause.found or "after" in clause.found
        rest = _without(clause.rest, found)
        clause.rest = re.sub(rf" (?:all|both|each|{words.MORE_WORD})$", "", rest)
        return
    if end := words.SMALL_END.search(clause.rest):
        clause.small, clause.rest = True, clause.rest[: end.start()]


def _without(text: str, found: re.Match[str]) -> str:
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())


# --- from verb, state and value to an action


def _actions(clause: _Clause) -> Iterator[What]:
    if sound := words.VOLUME_OF.match(clause.rest):
        clause.rest = sound["of"] or sound["owner"]
        yield from _volume(clause)
        return
    if clause.state in ("up", "down") and clause.verb in ("turn", "crank") and clause.rest in words.POINTED:
        return  # what is talked of decides: the sound, or a lamp
    if (about := words.COLOUR_OF.search(clause.rest)) and clause.value in ("number", "percent", "share"):
        # "The colour temperature of the lamp to 3000": no other number is a colour.
        if "temperature" in about[0] and clause.value == "number":
            yield What("SetKelvin", {"kelvin": clause.amount})
        return
    if clause.value in _WITH_VALUE:
        # "Lights 25 percent kitchen off" is more than one wish.
        if clause.state not in ("off", "locked", "unlocked"):
            yield from _WITH_VALUE[clause.value](clause)
    elif clause.state:
        yield from _with_state(clause)
    elif clause.verb:
        yield from _by_verb(clause)


def _whole(clause: _Clause) -> Iterator[What]:
    """All the way: a cover has ends, and a lamp is never off by this."""
    up = clause.found["way"] == "up"
    yield What("Open" if up else "Close")
    yield What("SetLevel", {"level": 100.0 if up else 1.0})


def _degrees(clause: _Clause) -> Iterator[What]:
    if clause.relative:
        yield from _changed(clause, {"amount": clause.amount})
    else:
        yield What("SetTemperature", {"degrees": clause.amount, **clause.unit})


def _number(clause: _Clause) -> Iterator[What]:
    """A number without a unit is whatever the thing is set to."""
    if clause.found.get("prep") == "by":
        yield from _changed(clause, {"amount": clause.amount})
    elif clause.subject == "heat" or clause.unit:
        yield What("SetTemperature", {"degrees": clause.amount, **clause.unit})
    else:
        yield What("SetLevel", {"level": clause.amount, "bare": True})


def _level(clause: _Clause) -> Iterator[What]:
    share = clause.found.get("share") or clause.found.get("bare")
    level, prep = float(words.SHARES[share]) if share else clause.amount, clause.found.get("prep")
    if clause.does("ring", "play"):
        yield What("Ring", {"level": level})
        return
    if clause.relative and (prep or not share or clause.value == "shared"):
        yield from _changed(clause, {"share" if share else "amount": level})
        return
    # Closed by so much is open by the rest.
    by_verb = not prep and (clause.does("close") or (share and clause.does("lower")))
    closed = clause.found.get("tail") in ("closed", "shut") or clause.state == "closed"
    yield What("SetLevel", {"level": 100 - level if closed or by_verb else level})


def _some(clause: _Clause) -> Iterator[What]:
    yield What("TurnOn" if clause.subject == "light" else "Warmer")


def _times(clause: _Clause) -> Iterator[What]:
    yield What("Scale", {"factor": 0.5 if clause.found.get("times", "half") == "half" else 2.0})


def _volume(clause: _Clause) -> Iterator[What]:
    """Of something that plays; our own loudspeaker has its own sentences."""
    level = clause.found.get("share") or clause.found.get("bare")
    if clause.value in ("percent", "number", "share") and not clause.relative:
        yield What("PlayerVolume", {"level": float(words.SHARES[level]) if level else clause.amount})
    elif clause.direction:
        louder = "PlayerLouder" if clause.direction > 0 else "PlayerQuieter"
        yield What(louder, {"amount": clause.amount} if clause.amount else {})


def _coloured(clause: _Clause) -> Iterator[What]:
    if clause.verb and not clause.does("set", "on"):
        return
    bright: dict[str, Slot] = {"level": float(clause.found["bright"])} if "bright" in clause.found else {}
    if clause.value == "colour":
        yield What("SetColour", {"colour": colours.COLOURS[clause.found["colour"]], **bright})
    else:
        kelvin = clause.found.get("kelvin") or colours.WHITES[clause.found["white"]]
        yield What("SetKelvin", {"kelvin": float(kelvin), **bright})


def _gear(clause: _Clause) -> Iterator[What]:
    gear = clause.found.get("gear") or clause.found["speed"]
    yield What("SetSpeed", {"level": float(words.GEARS[gear])})


def _mode(clause: _Clause) -> Iterator[What]:
    yield What("SetMode", {"mode": words.MODES[clause.found.get("mode") or clause.found["to"]]})


def _changed(clause: _Clause, value: Mapping[str, Slot] | None = None) -> Iterator[What]:
    """More or less of it: light, heat, or whatever the thing has."""
    way, amount = clause.direction, dict(value or {})
    if not way and (amount or clause.small):  # "close it by 20 percent", "open it a bit"
        way = 1 if clause.does("open") else -1 if clause.does("close") else 0
    if not way:
        return
    light, heat, cover = ("Brighter", "Warmer", "Open") if way > 0 else ("Dimmer", "Cooler", "Close")
    small: dict[str, Slot] = {"small": True} if clause.small and not amount else {}
    if clause.value in ("percent", "share", "shared"):  # there is no percent of heat
        if clause.subject != "heat":
            yield What(light, {**amount, "moves": True})
    elif clause.subject == "sound":
        yield What("PlayerLouder" if way > 0 else "PlayerQuieter", amount)
    elif clause.subject == "heat":
        yield What(heat, amount)
    elif clause.subject == "light" or amount or clause.does("more", "less", "dim"):
        yield What(light, {**amount, **small})
        if amount and clause.subject != "light":
            yield What(heat, amount)
    elif clause.does("open", "close"):
        yield What(light, {"small": True, "moves": True})
    else:  # a cover, a light, the heating, in the order in which the verb is used
        moving = not clause.verb or clause.verb in ("put", "bring") or clause.does("pull", "raise", "lower")
        stepped = (clause.verb and not clause.does("pull")) or clause.small or clause.value
        covered = [What(cover)] if not clause.small or not moving else []
        lit = [What(light, {**small, "moves": True} if small else {}), What(heat)] if stepped else []
        yield from (*covered, *lit) if moving else (*lit, *(covered if stepped else []))


_WITH_VALUE: dict[str, Callable[[_Clause], Iterator[What]]] = {
    "whole": _whole,
    "degrees": _degrees,
    "percent": _level,
    "share": _level,
    "shared": _level,
    "number": _number,
    "quantity": _changed,
    "more": _changed,
    "some": _some,
    "times": _times,
    "mode": _mode,
    "colour": _coloured,
    "kelvin": _coloured,
    "gear": _gear,
}


_BY_STATE = {
    "on": "TurnOn", "off": "TurnOff", "dark": "TurnOff", "open": "Open", "closed": "Close", "locked": "Lock",
    "unlocked": "Unlock",
}  # fmt: skip


def _with_state(clause: _Clause) -> Iterator[What]:
    free = not clause.verb or clause.does("set")
    if clause.verb == "shut" and clause.state in ("off", "down"):
        yield What("TurnOff")
    elif clause.state in ("up", "down") and (free or clause.does("pull")):
        yield from _changed(clause)
    elif clause.state in _BY_STATE and free:
        yield What(_BY_STATE[clause.state])
    else:
        yield from _by_verb(clause)


def _by_verb(clause: _Clause) -> Iterator[What]:
    for sense in clause.senses:
        small = clause.small and sense in ("open", "close")
        if small or sense in ("raise", "lower", "more", "less", "dim"):
            yield from _changed(clause)
        elif sense in _BY_VERB:
            yield _BY_VERB[sense]
        elif sense == "scene":
            yield What("Start", {"explicit": True} if clause.verb in ("activate", "trigger") else {})


_BY_VERB = {
    "on": What("TurnOn"), "off": What("TurnOff"), "open": What("Open"), "stop": What("Stop"),
    "close": What("Close", {"sweep": True}), "lock": What("Lock", {"sweep": True}), "unlock": What("Unlock"),
    "toggle": What("Toggle"), "warm": What("Warmer"), "cool": What("Cooler"),
    "double": What("Scale", {"factor": 2.0}), "halve": What("Scale", {"factor": 0.5}),
    "start": What("Start", {"appliance": True, "explicit": True}), "dock": What("Dock"),
    "pause": What("Pause"), "play": What("Play"), "next": What("Next"), "previous": What("Previous"),
    "mute": What("Mute"), "unmute": What("Unmute"), "ring": What("Ring"),
}  # fmt: skip

HEATING = frozenset({"SetTemperature", "Warmer", "Cooler"})
_OF_IT = frozenset({"SetLevel", "Brighter", "Dimmer", "Scale", "SetColour", "SetKelvin", "SetSpeed"})
_OF_MUSIC = frozenset({"Pause", "Play", "Next", "Previous"})  # "pause": whatever plays


def _command(what: What, clause: _Clause, text: str) -> Command | None:
    rest = re.sub(r"^(?:with|of|to) ", "", clause.rest)
    if clause.value:  # "30 percent on the lamp", "the lamp to" before what was taken out
        rest = re.sub(r"^(?:on|for|from) | (?:to|by|at|on|for|as)$", "", rest)
    if what.action in HEATING:
        rest = words.HEATED.sub("", rest).strip()
        rest = re.sub(r"^(?:in|of|for|on|at) | ?\b(?:in |over )?here$", "", rest)
    elif what.action in _OF_IT or clause.subject == "light":
        rest = _lit(what, clause, rest)
    elif what.action == "Lock":
        rest = re.sub(r"(?:^| )(?:up|down)$", "", rest)
        rest = "everything" if words.HOUSE.fullmatch(rest) else rest
    if not rest and what.action not in HEATING | _OF_IT | _OF_MUSIC:
        return None
    ours = len(text.replace(" ", "")) - len(clause.rest.replace(" ", ""))
    return Command(what, read_which(rest), literal=max(0, ours))


def _lit(what: What, clause: _Clause, rest: str) -> str:
    """What has a level: "the brightness of the lamp" is the lamp's, and of a place its lights'."""
    rest = words.ATTRIBUTE.sub("", words.ITSELF.sub("", rest)).strip()
    rest = words.COLOUR_OF.sub("", rest)
    if clause.state == "dark" and not words.SOMEWHERE.match(rest):
        rest = f"in {rest}"
    if not words.SOMEWHERE.match(rest):
        return rest
    wanted = rest or what.action.startswith("Turn")
    return f"lights {re.sub('^for ', 'in ', rest)}".strip() if wanted else ""
