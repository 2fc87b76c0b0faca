"""The risk of a call: it reads, it acts, or it is sensitive because it opens the house."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from home_names.kinds import HomeDevice
from home_names.names import plain_words
from home_names.risk import HARMLESS, is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.tools.permission.target import LIST, LOOK, WARMTH, Reach
from voice_gateway.turn import ToolCall, ToolTraits

TIMERS = frozenset({"set_timer", "cancel_timer", "extend_timer"})
ROUTINES = frozenset({"make_routine", "cancel_routine"})
VOLUME = "control_speaker_volume"
LISTS = "manage_list"
WEATHER = "get_weather"


class Tier(StrEnum):
    READ = "read"
    ACT = "act"
    SENSITIVE = "sensitive"


SENSITIVE_WORDS = re.compile(r"\b(unlock|disarm)", re.IGNORECASE)
# The first word of the name of a tool that only reads, and words that no such name contains.
LOOKING_WORDS = frozenset(
    "get list read show find search query fetch check lookup describe count status is has view tell".split()
)
ACTING_WORDS = frozenset(
    "set update delete remove add create write send post put open close start stop run execute turn switch "
    "toggle enable disable activate lock unlock arm disarm buy order pay play cancel reset clear control "
    "move make".split()
)
DEVICE_KEYS = re.compile(r"name|device|entity|target|door|^id$", re.IGNORECASE)
ACTION_KEYS = ("action", "state", "command", "service")
OPENING_WORDS = frozenset({"open", "unlock", "toggle"})
LONGEST_NAME, LONGEST_VALUE = 100, 200  # characters
GUARDED_WORDS = re.compile(r"\b(garage|gate|lock|alarm|safe)", re.IGNORECASE)


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9\u00c0-\uffff]+")


def name_words(name: str) -> tuple[str, ...]:
    """The words of a tool's name: "openGarage", "open_garage" and "open-garage" are the same."""
    return tuple(word.lower() for word in _HUMP.split(name) if word)


def tier(call: ToolCall, traits: ToolTraits, settings: PermissionSettings, reach: Reach | None) -> Tier:
    """By the settings, then for a home's call by what it would reach, then by the tool's name and hints."""
    names = {traits.original_name or call.name, call.name}
    if names & set(settings.trusted_tools):
        looks = traits.read_only or (reach is not None and reach.action == LOOK)
        return Tier.READ if looks else Tier.ACT
    if names & set(settings.sensitive_tools):
        return Tier.SENSITIVE
    if reach is not None:
        return _reach_tier(reach)
    if traits.sensitive is not None:  # what it would do later is judged as if it were done now
        return Tier.SENSITIVE if traits.sensitive(call.arguments) else Tier.ACT
    return _own_tier(traits.original_name or call.name, call.arguments, traits)


def _reach_tier(reach: Reach) -> Tier:
    """By the devices themselves, however the call names them: "node 15" may be the garage door."""
    if reach.action == LOOK:
        return Tier.READ
    if reach.scene:
        return Tier.SENSITIVE if reach.unseen else Tier.ACT
    if not reach.devices:
        return Tier.ACT if reach.action in HARMLESS | {LIST, WARMTH} else Tier.SENSITIVE
    # A chime is as loud as the tone it plays.
    called = f"{reach.said} {reach.how}" if reach.action in ("ring", "on") else reach.said
    risky = any(_is_risky(device, called, reach.action) for device in reach.devices)
    return Tier.SENSITIVE if risky or reach.unseen else Tier.ACT


def _own_tier(name: str, args: Mapping[str, Any], traits: ToolTraits) -> Tier:
    if traits.source == "builtin":
        return _builtin_tier(name, args, traits)
    if _only_looks(name, traits):
        return Tier.READ
    return Tier.SENSITIVE if traits.destructive or _sounds_sensitive(name, args) else Tier.ACT


def _builtin_tier(name: str, args: Mapping[str, Any], traits: ToolTraits) -> Tier:
    """A reminder to unlock the door unlocks nothing."""
    if traits.read_only or (name == VOLUME and args.get("action") == "get"):
        return Tier.READ
    return Tier.SENSITIVE if traits.destructive or _sounds_sensitive(name, {}) else Tier.ACT


def _only_looks(name: str, traits: ToolTraits) -> bool:
    """Names first: no hint makes `unlock_door` a read; an untrusted tool needs both the hint and the name."""
    if not traits.read_only or _sounds_sensitive(name, {}):
        return False
    words = name_words(name)
    by_name = bool(words) and words[0] in LOOKING_WORDS and not ACTING_WORDS & set(words)
    return by_name or traits.trusted


def _is_risky(device: HomeDevice, called: str, action: str) -> bool:
    """Judge by the names of device and room, and by what the call adds: "Relay 2" in "Gate" drives a gate."""
    full = f"{device.room} {device.name}"
    own = set(plain_words(full))
    beside = " ".join(word for word in plain_words(called) if word not in own)
    aliases = (*getattr(device, "aliases", ()), *getattr(device, "room_aliases", ()))
    return is_sensitive(device.kind, (device.name, full, beside, *aliases), action)


def is_drastic(call: ToolCall, traits: ToolTraits) -> bool:
    """Clearing a list cannot be taken back."""
    return traits.source == "builtin" and call.name == LISTS and call.arguments.get("action") == "clear"


def asks_outside(traits: ToolTraits, name: str) -> bool:
    """Whether the call tells an outside service what is asked here."""
    return is_search(traits, name) or (traits.source == "builtin" and name == WEATHER)


def is_search(traits: ToolTraits, name: str) -> bool:
    """Whether the tool sends the user's words to a web search."""
    words = frozenset(name_words(traits.original_name or name))
    return "search" in words and bool(words & {"web", "internet", "online", "google"})


def _sounds_sensitive(name: str, args: Mapping[str, Any]) -> bool:
    words = " ".join(name_words(name))
    values = " ".join(value for _, value in _texts(args) if len(value) < LONGEST_VALUE)
    if SENSITIVE_WORDS.search(words) or SENSITIVE_WORDS.search(values):
        return True
    both = f"{words} {values}"
    opens = re.search(r"\bopen", both, re.IGNORECASE) and GUARDED_WORDS.search(both)
    # What is in a scene of a foreign server is not known.
    return bool(opens or re.search(r"\bscenes?\b", words)) or _reaches_guarded(name_words(name), args)


def _texts(args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(nearest key, text) of every text, however deep: `{"target": {"entity_id": ["lock.front"]}}`."""
    waiting: list[tuple[str, Any]] = [("", args)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, Mapping):
            waiting += [(str(inner), part) for inner, part in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(key, part) for part in value]


def _reaches_guarded(words: Sequence[str], args: Mapping[str, Any]) -> bool:
    """Whether a foreign tool's arguments name a guarded device: `HassTurnOn(name="Garage Door")`."""
    named = [value for key, value in _texts(args) if DEVICE_KEYS.search(key) and len(value) <= LONGEST_NAME]
    given = {word for key, value in _texts(args) if key in ACTION_KEYS for word in plain_words(value)}
    done = given or set(words)
    plain = () if done & OPENING_WORDS else ("close", "stop", "lock", "off", "on")
    action = next((word for word in plain if word in done), "")  # unknown counts as the riskiest
    return any(is_sensitive("switch", (name,), action) for name in named)


COOLEST, WARMEST = 10.0, 26.0  # what a heating may be set to without harm, in degrees Celsius
FAHRENHEIT_FROM = 50.0  # a number without a unit from here on is in Fahrenheit
REVERSIBLE = frozenset({VOLUME, LISTS, *TIMERS, *ROUTINES})
# Kinds that do no harm until they are set back.
_TAKEN_BACK = frozenset(
    "switch plug dimmer light fan blind garage_door media_player vacuum thermostat chime other".split()
)


def is_reversible(call: ToolCall, traits: ToolTraits, level: Tier, reach: Reach | None) -> bool:
    """Whether the act does no harm until it is taken back: a light, a plug, a blind, the volume, a timer."""
    if level is not Tier.ACT:
        return False
    if reach is None:
        return traits.trusted and (traits.original_name or call.name) in REVERSIBLE
    if reach.action == WARMTH:
        return _is_mild(reach.how)
    kept = reach.scene or reach.action in ("lock", "unlock", LIST)
    return not kept and all(device.kind in _TAKEN_BACK for device in reach.devices)


def _is_mild(how: str) -> bool:
    """ "to 21 degrees" """
    found = re.search(r"(?<!\d)(-?\d{1,9}(?:\.\d{1,9})?) degrees(?: (Celsius|Fahrenheit))?", how)
    if found is None:
        return "degrees" not in how
    degrees = float(found[1])
    fahrenheit = found[2] == "Fahrenheit" or (not found[2] and degrees >= FAHRENHEIT_FROM)
    return COOLEST <= ((degrees - 32) / 1.8 if fahrenheit else degrees) <= WARMEST
