"""The risk of a call: one table for devices and for tools of any server. The owner's permits come first.

| risk | what |
|---|---|
| look | looks of our own, of a home, and of a trusted server by its hint |
| always | what the owner always allows |
| reversible | our own acts, devices by their class, acts of a trusted server that are not destructive |
| unknown | any other tool of another server; of our own what cannot be taken back |
| sensitive | opening, unlocking, disarming, valves, sirens, money, deleting, resetting |
| never | what the owner forbids |
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from home_names.kinds import HomeDevice
from home_names.names import name_key, plain_words
from home_names.risk import CLOSING, HARMLESS, drives_a_gate, is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.target import LIST, LOOK, WARMTH, Reach
from voice_gateway.tools.permission.untrusted import texts_in
from voice_gateway.turn import ToolCall, ToolTraits


class Risk(StrEnum):
    """In rising order."""

    LOOK = "look"
    ALWAYS = "always"
    REVERSIBLE = "reversible"
    UNKNOWN = "unknown"
    SENSITIVE = "sensitive"
    NEVER = "never"


_PERMITTED: Final = {
    "always": Risk.ALWAYS,
    "ask": Risk.UNKNOWN,
    "pin": Risk.SENSITIVE,
    "never": Risk.NEVER,
}
_RISING: Final = list(Risk)
VOLUME, LISTS, WEATHER = "control_speaker_volume", "manage_list", "get_weather"
COOLEST, WARMEST = 10.0, 26.0  # what a heating may be set to without harm, in degrees Celsius
FAHRENHEIT_FROM = 50.0  # a number without a unit from here on is in Fahrenheit
_DEGREES = re.compile(r"(?<!\d)(-?\d{1,9}(?:\.\d{1,9})?) degrees(?: (Celsius|Fahrenheit))?")
# Kinds that do no harm until they are set back.
_TAKEN_BACK = frozenset(
    "switch plug dimmer light fan blind garage_door media_player vacuum thermostat chime other".split()
)

# Words in a foreign tool's name or arguments raise its risk; no word lowers it.
_OPENING = re.compile(r"\b(unlock|disarm)", re.IGNORECASE)
_GUARDED = re.compile(
    r"\bopen.*\b(garage|gate|lock|alarm|safe|door)|\b(garage|gate)\b.*\bopen", re.IGNORECASE
)
_HAZARDS = frozenset({"valve", "siren"})
# … unless a trusted server says that the tool is harmless:
_COSTLY = frozenset("alarm pay payment buy purchase transfer delete erase wipe format reset".split())
_DEVICE_KEYS = re.compile(r"name|device|entity|target|door|^id$", re.IGNORECASE)
_ACTION_KEYS = ("action", "state", "command", "service")
_OPENS = frozenset({"open", "unlock", "toggle"})
_CLOSES = ("close", "stop", "lock", "off", "on")
_LONGEST_NAME, _LONGEST_VALUE = 100, 200  # characters
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9\u00c0-\uffff]+")


def name_words(name: str) -> tuple[str, ...]:
    """The words of a tool's name: "openGarage", "open_garage" and "open-garage" are the same."""
    return tuple(word.lower() for word in _HUMP.split(name) if word)


def risk_of(call: ToolCall, traits: ToolTraits, settings: PermissionSettings, reach: Reach | None) -> Risk:
    """By the owner's permits for the tool and for each device; by the table where there is none."""
    if not settings.permit:
        return _judged(call, traits, reach)
    permits = {name_key(name): _PERMITTED[permit] for name, permit in settings.permit.items()}
    scene = reach.scene if reach is not None else ""
    names = (call.name, traits.original_name or call.name, scene)
    of_tool = next((permits[key] for key in map(name_key, names) if key and key in permits), None)
    devices = reach.devices if reach is not None else ()
    given = [permits[key] for device in devices if (key := name_key(device.name)) in permits]
    judged = _judged(call, traits, reach)
    if judged is Risk.LOOK:
        return Risk.NEVER if of_tool is Risk.NEVER else judged
    if reach is None and traits.source != "builtin":  # a device is known by its name alone: that only raises
        named = {name_key(text.rpartition(".")[2]) for _, text in texts_in(call.arguments, _LONGEST_NAME)}
        given = [permits[key] for key in named & permits.keys()]
        opens = judged is Risk.SENSITIVE and traits.sensitive is None
        if opens and of_tool is Risk.ALWAYS and _of_foreign(names[1], {}, traits) is not judged:
            of_tool = None  # "always" is for what the tool is, and not for a door among its arguments
        given.append(judged if of_tool is None else of_tool)
    elif of_tool is not None:
        given.append(of_tool)
    elif reach is None or not given or reach.unseen:
        given.append(judged)
    elif rest := tuple(device for device in devices if name_key(device.name) not in permits):
        given.append(_judged(call, traits, replace(reach, devices=rest)))
    return max(given, key=_RISING.index)


def _judged(call: ToolCall, traits: ToolTraits, reach: Reach | None) -> Risk:
    if reach is not None:
        return _of_reach(reach)
    if traits.sensitive is not None:  # what it would do later is judged as if it were done now
        return Risk.SENSITIVE if traits.sensitive(call.arguments) else Risk.REVERSIBLE
    if traits.source != "builtin":
        return _of_foreign(traits.original_name or call.name, call.arguments, traits)
    action = call.arguments.get("action")
    if traits.read_only or (call.name == VOLUME and action == "get"):
        return Risk.LOOK
    if call.name == LISTS and action == "clear":
        return Risk.UNKNOWN
    return Risk.SENSITIVE if traits.destructive else Risk.REVERSIBLE


def _of_foreign(name: str, args: Mapping[str, Any], traits: ToolTraits) -> Risk:
    """The hints of a server that is not trusted can only raise the risk."""
    harmless = traits.trusted and (traits.read_only or traits.destructive is False)
    if traits.destructive or _sounds_sensitive(name, args, harmless=harmless):
        return Risk.SENSITIVE
    if not traits.trusted:
        return Risk.UNKNOWN
    return Risk.LOOK if traits.read_only else Risk.REVERSIBLE


def _of_reach(reach: Reach) -> Risk:
    """By the devices themselves, however the call names them: "node 15" may be the garage door."""
    if reach.action == LOOK:
        return Risk.LOOK
    if reach.scene:
        return Risk.SENSITIVE if reach.unseen else Risk.REVERSIBLE
    if reach.action == WARMTH and not _is_mild(reach.how):
        return Risk.UNKNOWN
    if not reach.devices:
        return Risk.REVERSIBLE if reach.action in HARMLESS | {LIST, WARMTH} else Risk.SENSITIVE
    # A chime is as loud as the tone it plays.
    called = f"{reach.said} {reach.how}" if reach.action in ("ring", "on") else reach.said
    risky = any(_is_risky(device, called, reach.action) for device in reach.devices)
    return Risk.SENSITIVE if risky or reach.unseen else Risk.REVERSIBLE


def _is_risky(device: HomeDevice, called: str, action: str) -> bool:
    """Judge by the names of device and room, and by what the call adds: "Relay 2" in "Gate" drives a gate."""
    full = f"{device.room} {device.name}"
    own = set(plain_words(full))
    beside = " ".join(word for word in plain_words(called) if word not in own)
    aliases = (*getattr(device, "aliases", ()), *getattr(device, "room_aliases", ()))
    return is_sensitive(device.kind, (device.name, full, beside, *aliases), action)


def _is_mild(how: str) -> bool:
    """ "to 21 degrees" """
    match = _DEGREES.search(how)
    if match is None:
        return "degrees" not in how
    degrees = float(match[1])
    fahrenheit = match[2] == "Fahrenheit" or (not match[2] and degrees >= FAHRENHEIT_FROM)
    return COOLEST <= ((degrees - 32) / 1.8 if fahrenheit else degrees) <= WARMEST


def is_taken_back(reach: Reach | None) -> bool:
    """Whether a reversible act does no harm until it is taken back; a scene or a lock may."""
    if reach is None:
        return True
    kept = reach.scene or reach.action in ("lock", LIST)
    return not kept and all(device.kind in _TAKEN_BACK for device in reach.devices)


def asks_outside(traits: ToolTraits, name: str) -> bool:
    """Whether the call tells an outside service what is asked here."""
    return is_search(traits, name) or (traits.source == "builtin" and name == WEATHER)


def is_search(traits: ToolTraits, name: str) -> bool:
    """Whether the tool sends the user's words to a web search."""
    words = frozenset(name_words(traits.original_name or name))
    return "search" in words and bool(words & {"web", "internet", "online", "google"})


def _sounds_sensitive(name: str, args: Mapping[str, Any], *, harmless: bool) -> bool:
    """`harmless`: a trusted server says that the tool only reads or destroys nothing."""
    words = name_words(name)
    text = " ".join((*words, *(value for _, value in texts_in(args, _LONGEST_VALUE))))
    hazards = _HAZARDS if harmless else _HAZARDS | _COSTLY
    if _OPENING.search(text) or _GUARDED.search(text) or hazards & {*words}:
        return True
    # A guarded device among the arguments: `HassTurnOn(name="Garage Door")`.
    named = [value for key, value in texts_in(args, _LONGEST_NAME) if _DEVICE_KEYS.search(key)]
    given = {word for key, value in texts_in(args) if key in _ACTION_KEYS for word in plain_words(value)}
    done = given or {*words}
    # An unknown action counts as the riskiest.
    action = "" if done & _OPENS else next((word for word in _CLOSES if word in done), "")
    gate = not harmless and action not in CLOSING and drives_a_gate(" ".join(words))
    return gate or any(is_sensitive("switch", (name,), action) for name in named)
