"""What shall be done, and when: from the verb, state and value of one clause to an action and its thing."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from home_names import colours
from home_words import command_words as words
from home_words.clause_words import WHEN
from voice_gateway.brain.local.command.verb_phrase import VerbPhrase, verb_phrases
from voice_gateway.brain.local.command.which import Which, read_which
from voice_gateway.brain.local.grammar import Frame, Slot


@dataclass(frozen=True, slots=True)
class What:
    """An action with its value, absolute or relative, as slots of a frame."""

    action: str  # the intent
    value: Mapping[str, Slot] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """One reading of a clause. It is a frame in parts: the frame is what is kept, asked about and planned."""

    what: What
    which: Which
    literal: int = 0  # characters of words that are ours: the more, the surer

    @property
    def frame(self) -> Frame:
        return Frame(self.what.action, {**self.which.slots, **self.what.value}, self.literal)


def read_command(text: str) -> list[Command]:
    """Every reading of one clause, the likeliest first."""
    for pattern, instead in words.REWORDED:
        text = " ".join(pattern.sub(instead, text).split())
    made: dict[str, Command] = {}
    for clause in verb_phrases(text):
        for what in _actions(clause):
            command = _command(what, clause, text)
            if command is not None:
                made.setdefault(repr((what.action, command.frame.slots)), command)
    if not made and (wanted := words.COLOUR_NEEDED.fullmatch(text)):
        said = wanted["colour"] or wanted["to"]
        known = colours.css_of(said)
        coloured = What("SetColour", {"colour": known} if known else {"unknown": said})
        made[text] = Command(coloured, read_which(wanted["thing"] or wanted["of"]), literal=1)
    return list(made.values())


def told_for_later(text: str) -> str:
    """The command of a clause that names a time, an event or a condition, for who asks why it is not done."""
    for kind, when in WHEN:
        for place in (rf"^(?P<when>{when}) (?P<order>.+)$", rf"^(?P<order>.+?) (?P<when>{when})$"):
            if (found := re.match(place, text)) and (commands := read_command(found["order"])):
                frame = commands[0].frame
                parts = [f"{name} {value}" for name, value in frame.slots.items()]
                return f"{frame.intent} ({', '.join(parts)}, {kind}: {found['when']})"
    return ""


def _actions(clause: VerbPhrase) -> Iterator[What]:
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


def _whole(clause: VerbPhrase) -> Iterator[What]:
    """All the way: a cover has ends, and a lamp is never off by this."""
    up = clause.found["way"] == "up"
    yield What("Open" if up else "Close")
    yield What("SetLevel", {"level": 100.0 if up else 1.0})


def _degrees(clause: VerbPhrase) -> Iterator[What]:
    if clause.relative:
        named = words.SETPOINT.search(clause.rest)  # "the heating" is whatever keeps the temperature
        cooling = _setpoint(clause) if named and named["kind"] == "cooling" else {}
        yield from _changed(clause, {"amount": clause.amount, **cooling})
    else:
        yield What("SetTemperature", {"degrees": clause.amount, **clause.unit, **_setpoint(clause)})


def _setpoint(clause: VerbPhrase) -> dict[str, Slot]:
    """ "The cooling to 25", "heat to 20 and cool to 25": which of two is meant, where there are two."""
    if found := words.SETPOINT.search(clause.rest):
        return {"setpoint": found["kind"], "named": True}
    verb = "cooling" if clause.does("cool") else "heating" if clause.does("warm") else ""
    return {"setpoint": verb} if verb else {}


def _number(clause: VerbPhrase) -> Iterator[What]:
    """A number without a unit is whatever the thing is set to."""
    if clause.found.get("prep") == "by":
        yield from _changed(clause, {"amount": clause.amount})
    elif clause.subject == "heat" or clause.unit or words.SETPOINT.search(clause.rest):
        yield What("SetTemperature", {"degrees": clause.amount, **clause.unit, **_setpoint(clause)})
    else:
        yield What("SetLevel", {"level": clause.amount, "bare": True})


def _level(clause: VerbPhrase) -> Iterator[What]:
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


def _some(clause: VerbPhrase) -> Iterator[What]:
    yield What("TurnOn" if clause.subject == "light" else "Warmer")


def _times(clause: VerbPhrase) -> Iterator[What]:
    yield What("Scale", {"factor": 0.5 if clause.found.get("times", "half") == "half" else 2.0})


def _volume(clause: VerbPhrase) -> Iterator[What]:
    """Of something that plays; our own loudspeaker has its own sentences."""
    level = clause.found.get("share") or clause.found.get("bare")
    if clause.value in ("percent", "number", "share") and not clause.relative:
        yield What("PlayerVolume", {"level": float(words.SHARES[level]) if level else clause.amount})
    elif clause.direction:
        louder = "PlayerLouder" if clause.direction > 0 else "PlayerQuieter"
        yield What(louder, {"amount": clause.amount} if clause.amount else {})


def _coloured(clause: VerbPhrase) -> Iterator[What]:
    if clause.verb and not clause.does("set", "on"):
        return
    bright: dict[str, Slot] = {"level": float(clause.found["bright"])} if "bright" in clause.found else {}
    if clause.value == "colour":
        said = clause.found.get("colour") or clause.found["other"]
        yield What("SetColour", {"colour": colours.COLOURS[said], **bright})
    else:
        kelvin = clause.found.get("kelvin") or colours.WHITES[clause.found["white"]]
        yield What("SetKelvin", {"kelvin": float(kelvin), **bright})


def _gear(clause: VerbPhrase) -> Iterator[What]:
    gear = clause.found.get("gear") or clause.found["speed"]
    yield What("SetSpeed", {"level": float(words.GEARS[gear])})


def _mode(clause: VerbPhrase) -> Iterator[What]:
    yield What("SetMode", {"mode": words.MODES[clause.found.get("mode") or clause.found["to"]]})


def _changed(clause: VerbPhrase, value: Mapping[str, Slot] | None = None) -> Iterator[What]:
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


_WITH_VALUE: dict[str, Callable[[VerbPhrase], Iterator[What]]] = {
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


def _with_state(clause: VerbPhrase) -> Iterator[What]:
    free = not clause.verb or clause.does("set")
    if clause.verb == "shut" and clause.state in ("off", "down"):
        yield What("TurnOff")
    elif clause.state in ("up", "down") and (free or clause.does("pull")):
        yield from _changed(clause)
    elif clause.state in _BY_STATE and free:
        yield What(_BY_STATE[clause.state])
    else:
        yield from _by_verb(clause)


def _by_verb(clause: VerbPhrase) -> Iterator[What]:
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


def _command(what: What, clause: VerbPhrase, text: str) -> Command | None:
    rest = re.sub(r"^(?:with|of|to) ", "", clause.rest)
    if clause.value:  # "30 percent on the lamp", "the lamp to" before what was taken out
        rest = re.sub(r"^(?:on|for|from) | (?:to|by|at|on|for|as)$", "", rest)
    if what.action in HEATING:
        rest = words.SETPOINT.sub("", rest).strip() if "setpoint" in what.value else rest
        if not words.THERMOSTAT.fullmatch(rest):  # there may be one that is called so
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


def _lit(what: What, clause: VerbPhrase, rest: str) -> str:
    """What has a level: "the brightness of the lamp" is the lamp's, and of a place its lights'."""
    rest = words.ATTRIBUTE.sub("", words.ITSELF.sub("", rest)).strip()
    rest = words.COLOUR_OF.sub("", rest)
    if clause.state == "dark" and not words.SOMEWHERE.match(rest):
        rest = f"in {rest}"
    if not words.SOMEWHERE.match(rest):
        return rest
    wanted = rest or what.action.startswith("Turn")
    return f"lights {re.sub('^for ', 'in ', rest)}".strip() if wanted else ""
