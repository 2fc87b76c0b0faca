"""What a value or a notification of a device means as an event, and how that is said."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from home_words.names import plain as folded
from home_words.phrases import capital, listed, with_article
from home_words.wording import in_room
from zwave_mcp.devices import BARRIER, BATTERY, BINARY_SENSOR, DOOR_LOCK, NOTIFICATION, Device
from zwave_mcp.home import Value, is_number

CENTRAL_SCENE: Final = 91
LOCKED: Final = 255
BOLT_UNKNOWN: Final = 254  # the lock itself does not know where its bolt is

Kind = Literal[
    "smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water", "intrusion", "tamper", "emergency",
    "doorbell", "button", "door", "lock", "keypad", "battery", "power", "siren", "smoke_test",
    "network", "other",
]  # fmt: skip
KINDS: Final[tuple[Kind, ...]] = Kind.__args__  # type: ignore[attr-defined]
# Told at once, over everything else, until somebody has heard it.
URGENT: Final = frozenset({"smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water"})
ALARMS: Final = URGENT | {"intrusion", "tamper"}  # these stand until the device takes them back

# Of a notification: (type, variable) -> the kind and what its values mean; all others are quiet.
_ON: Final = "on"
_STANDING: Final[dict[tuple[str, str], tuple[Kind, dict[int, str]]]] = {
    ("smoke alarm", "sensor status"): ("smoke", {1: _ON, 2: _ON}),
    ("smoke alarm", "alarm status"): ("smoke_test", {3: _ON}),
    ("co alarm", "sensor status"): ("carbon_monoxide", {1: _ON, 2: _ON}),
    ("co2 alarm", "sensor status"): ("carbon_dioxide", {1: _ON, 2: _ON}),
    ("heat alarm", "heat sensor status"): ("heat", {1: _ON, 2: _ON, 3: _ON, 4: _ON}),
    ("water alarm", "sensor status"): ("water", {1: _ON, 2: _ON}),
    ("gas alarm", "combustible gas status"): ("gas", {1: _ON, 2: _ON}),
    ("gas alarm", "toxic gas status"): ("gas", {3: _ON, 4: _ON}),
    ("home security", "sensor status"): ("intrusion", {1: _ON, 2: _ON}),
    ("home security", "cover status"): ("tamper", {3: _ON}),
    ("access control", "door state"): ("door", {22: "open", 23: "closed", 5632: "open", 5633: "open"}),
    ("access control", "door state simple"): ("door", {22: "open", 23: "closed"}),
    ("access control", "opening state"): ("door", {0: "closed", 1: "open", 2: "open"}),
    ("access control", "lock state"): ("lock", {11: "jammed"}),
    ("access control", "keypad state"): ("keypad", {16: "blocked"}),
    ("power management", "battery maintenance status"): ("battery", {10: "low", 11: "low"}),
    ("power management", "mains status"): ("power", {2: "lost", 3: "back"}),
    ("siren", "siren status"): ("siren", {1: _ON}),
}
_BINARY: Final[dict[str, tuple[Kind, str, str]]] = {
    "smoke": ("smoke", _ON, "off"),
    "co": ("carbon_monoxide", _ON, "off"),
    "co2": ("carbon_dioxide", _ON, "off"),
    "heat": ("heat", _ON, "off"),
    "water": ("water", _ON, "off"),
    "tamper": ("tamper", _ON, "off"),
    "glass break": ("intrusion", _ON, "off"),
    "door window": ("door", "open", "closed"),
}
_PRESSES: Final = {
    0: "pressed", 1: "released", 2: "held",
    3: "pressed twice", 4: "pressed three times", 5: "pressed four times", 6: "pressed five times",
}  # fmt: skip
_BATTERY_LOW_PERCENT: Final = 15
_LOCKING: Final = re.compile(r"\b(?:un)?lock(?:ed)?\b")
_VARIABLES: Final = (" status", " state", " state simple")  # how those are called that have states
_OPERATION: Final = re.compile(r"\boperation\b")
_WAYS: Final = {
    "keypad": "at the keypad", "manual": "by hand", "rf": "by radio", "auto": "by itself",
    "fingerprint": "with a fingerprint", "user code": "with a code",
}  # fmt: skip
# Bells of doors: words of their own, and those that other words end with ("Türglocke") or have in them
# ("Klingeltaster"). A clock is none: not "klocka", but "ringklocka".
_BELL_WORDS: Final = frozenset(
    map(
        folded,
        "bell bells chime chimes gong bel sonnette sonnerie carillon timbre campainha campanello sonerie "
        "zvonek zvonček zvono zvonec csengő zil zili звонок звонка дзвінок дзвоник звънец звоно κουδούνι "
        "פעמון جرس".split(),
    )
)
_BELL_ENDINGS: Final = tuple(
    map(
        folded,
        "doorbell glocke gong deurbel ringklocka dörrklocka ringeklokke dørklokke dyrabjalla ovikello "
        "uksekell csengő 門鈴 门铃 ドアベル チャイム 초인종".split(),
    )
)
_BELL_PARTS: Final = ("klingel", "dzwonek", "doorbell")


@dataclass(frozen=True, slots=True)
class Standing:
    """A state of a device that lasts; several of its values may tell the same one."""

    kind: Kind
    state: str  # "on", "open", "low", …; "off" where nothing is the matter


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, and is over: the same again is another one."""

    kind: Kind
    state: str
    button: int | None = None
    user: int | None = None  # who operated a lock, where it tells
    way: str = ""  # … and how


@lru_cache(4096)
def plain(name: object) -> str:
    """`Door state (simple)` of a list and `Door_state_simple` of a topic are the same."""
    return re.sub(r"[\W_]+", " ", str(name).casefold()).strip()


def meaning(command_class: int, prop: object, key: object, value: Any) -> Standing | Moment | None:
    """Of a value as it is told, live or in a list; None: nothing that anybody must hear of."""
    read = _READ.get(command_class)
    return read(plain(prop), plain(key) if key is not None else "", value) if read is not None else None


def _bolt(name: str, _key: str, value: Any) -> Standing | None:
    if name == "doorstatus" and value in ("open", "closed"):
        return Standing("door", value)
    mode = name == "currentmode" and is_number(value) and value != BOLT_UNKNOWN
    return Standing("lock", "locked" if value == LOCKED else "unlocked") if mode else None


def _barrier(name: str, _key: str, value: Any) -> Standing | None:
    """On its way it is neither."""
    ends = {0: "closed", 255: "open"}
    return Standing("door", ends[value]) if name == "currentstate" and value in ends else None


def _binary(name: str, _key: str, value: Any) -> Standing | None:
    if name not in _BINARY or not isinstance(value, bool):
        return None
    kind, on, off = _BINARY[name]
    return Standing(kind, on if value else off)


def _press(name: str, button: str, value: Any) -> Moment | None:
    """A second later the gateway takes it back, without a value: that is no event."""
    if name != "scene" or not button.isdecimal() or not is_number(value) or value not in _PRESSES:
        return None
    return Moment("button", _PRESSES[int(value)], button=int(button))


def _battery(name: str, _key: str, value: Any) -> Standing | None:
    if name == "level" and is_number(value):
        return Standing("battery", "low" if value <= _BATTERY_LOW_PERCENT else "off")
    if name in ("islow", "battery low"):
        return Standing("battery", "off" if value is False else "low") if value is not None else None
    return None


def _notified(name: str, inner: str, value: Any) -> Standing | Moment | None:
    if (name, inner) in _STANDING:
        kind, states = _STANDING[name, inner]
        known = is_number(value) and (kind != "door" or value in states)
        return Standing(kind, states.get(int(value), "off")) if known else None
    return _told_once(name, inner, value) if inner else None


def _told_once(name: str, inner: str, value: Any) -> Moment | None:
    """It has no value, or says who it was."""
    if value is not None and not isinstance(value, dict):
        return None  # a state that nobody must hear of
    if inner.endswith(_VARIABLES):
        return None  # a state without its value: cut on its way, or no longer kept by the broker
    user = value.get("userId") if isinstance(value, dict) else None
    if name == "access control" and _OPERATION.search(inner) and _LOCKING.search(inner):
        state = "not fully locked" if "not fully" in inner else "unlocked" if "unlock" in inner else "locked"
        way = next((said for word, said in _WAYS.items() if word in inner), "")
        return Moment("lock", state, user=user if is_number(user) else None, way=way)
    if name == "home security":
        return Moment("tamper" if "tamper" in inner else "intrusion", inner)
    if name == "emergency alarm":
        return Moment("emergency", inner)
    return None


_READ: Final[dict[int, Callable[[str, str, Any], Standing | Moment | None]]] = {
    CENTRAL_SCENE: _press,
    BATTERY: _battery,
    BINARY_SENSOR: _binary,
    DOOR_LOCK: _bolt,
    BARRIER: _barrier,
    NOTIFICATION: _notified,
}
EVENT_CLASSES: Final = frozenset(_READ)


@lru_cache(1024)
def is_bell(name: str) -> bool:
    words = folded(name).split()
    return any(
        word in _BELL_WORDS or word.endswith(_BELL_ENDINGS) or any(part in word for part in _BELL_PARTS)
        for word in words
    )


def event_names(device: Device) -> tuple[str, ...]:
    """What it tells of when it happens, where its kind does not say so: "button 2", "smoke", "doorbell"."""
    found: dict[str, None] = {}
    for value in device.values:
        of, kind = value.id, ""
        if of.command_class == CENTRAL_SCENE and of.property == "scene" and str(of.property_key).isdecimal():
            found[f"button {int(str(of.property_key))}"] = None
        elif of.command_class == NOTIFICATION:
            kind = _STANDING.get((plain(of.property), plain(of.property_key or "")), ("", {}))[0]
        elif of.command_class == BINARY_SENSOR:
            kind = _BINARY.get(plain(of.property), ("", "", ""))[0]
        if kind in ALARMS:
            found[kind] = None
    buttons = any(name.startswith("button") for name in found)
    return (*found, *(("doorbell",) if buttons and is_bell(device.name) else ()))


# --- as it is said

_DETECTED: Final = {
    "smoke": "Smoke",
    "carbon_monoxide": "Carbon monoxide",
    "carbon_dioxide": "Too much carbon dioxide",
    "gas": "Gas",
    "heat": "Dangerous heat",
    "water": "Water",
}
CALM: Final = {
    "smoke": "no smoke",
    "carbon_monoxide": "no carbon monoxide",
    "carbon_dioxide": "no carbon dioxide",
    "gas": "no gas",
    "heat": "no heat",
    "water": "dry",
    "intrusion": "no intrusion",
    "tamper": "not tampered with",
}


def state_words(kind: str, state: str) -> str:
    """How a device is that has such an alarm: "smoke detected", "dry"."""
    if state == "off":
        return CALM.get(kind, "normal")
    if kind == "tamper":
        return "tampered with"
    return f"{_DETECTED.get(kind, kind).removeprefix('Dangerous ').lower()} detected"


def alarm_of(value: Value) -> Standing | None:
    """What a value says of an alarm, on or off."""
    of = value.id
    if of.command_class not in EVENT_CLASSES:  # most are not, and this is asked of every one in a list
        return None
    told = meaning(of.command_class, of.property, of.property_key, value.value)
    return told if isinstance(told, Standing) and told.kind in ALARMS else None


def alarms_of(device: Device) -> list[Standing]:
    """Each kind once; whoever says that something is the matter is believed."""
    found: dict[str, Standing] = {}
    for told in filter(None, map(alarm_of, device.values)):
        if told.state != "off" or told.kind not in found:
            found[told.kind] = told
    return list(found.values())


def alarm_report(device: Device) -> str:
    """What its alarms are, as sentences; empty where it has none."""
    known = alarms_of(device)
    on = [sentence(one.kind, one.state, [(device.name, device.room)]) for one in known if one.state != "off"]
    if on:
        return " ".join(on)
    calm = [_DETECTED[one.kind].lower() for one in known if one.kind in _DETECTED]
    where = f" {in_room(device.room)}" if device.room else f" by {with_article(device.name)}"
    return f"No {listed(calm, 'or')} is detected{where}." if calm else ""


def sentence(
    kind: str,
    state: str,
    among: Sequence[tuple[str, str]],
    detail: "Moment | None" = None,
    *,
    user: str = "",
) -> str:
    """One sentence that can be spoken, about a device with this name in this room, or one of several;
    `user`: who did it."""
    where = " " + listed(
        [in_room(room) if room else f"by {with_article(name)}" for name, room in among], "or"
    )
    places = [(with_article(name), f" {in_room(room)}" if room else "") for name, room in among]
    device = listed([f"{name}{place}" for name, place in places], "or")
    if kind in _DETECTED:
        what = _DETECTED[kind]
        return f"{what} is detected{where}." if state != "off" else f"{what} is no longer detected{where}."
    said = _said(kind, state, device, detail, user)
    return capital(said) + "."


def _said(kind: str, state: str, device: str, detail: "Moment | None", user: str) -> str:
    if kind == "doorbell":
        return f"{device} rang: somebody is at the door"
    if kind == "button":
        number = f"button {detail.button} of " if detail is not None and detail.button else ""
        return f"{number}{device} was {state}"
    if kind == "lock":
        number = f"user {detail.user}" if detail is not None and detail.user is not None else ""
        who = f" by {user or number}" if number else ""
        way = f" {detail.way}" if detail is not None and detail.way else ""
        return f"{device} is jammed" if state == "jammed" else f"{device} was {state}{way}{who}"
    off = state == "off"
    texts = {
        "door": f"{device} was {'opened' if state == 'open' else 'closed'}",
        "battery": f"the battery of {device} is {'fine again' if off else 'low'}",
        "tamper": f"{device} is {'no longer ' if off else 'being '}tampered with",
        "intrusion": f"{device} {'no longer reports' if off else 'reports'} an intrusion",
        "emergency": f"{device} reports an emergency: {state}",
        "keypad": f"the keypad of {device} {'works again' if off else 'is blocked after wrong codes'}",
        "power": f"{device} has {'no mains power' if state == 'lost' else 'mains power again'}",
        "siren": f"{device} {'is quiet again' if off else 'sounds'}",
        "network": f"{device} has {state} the network",
        "smoke_test": f"the test of {device} {'is over' if off else 'runs'}",
    }
    return texts.get(kind, f"{device} reports {state}")
