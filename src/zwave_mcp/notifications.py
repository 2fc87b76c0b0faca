"""What a value or a notification of a device means as an event."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal

from home_names.names import plain as folded
from zwave_mcp.devices import BATTERY_LOW_PERCENT, BOLT_UNKNOWN, CC, LOCKED, Device
from zwave_mcp.home import Value, is_number

Kind = Literal[
    "smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water", "intrusion", "tamper", "emergency",
    "doorbell", "button", "door", "lock", "keypad", "battery", "power", "siren", "smoke_test",
    "other",
]  # fmt: skip
KINDS: Final[tuple[Kind, ...]] = Kind.__args__  # type: ignore[attr-defined]
# Announced at once, over everything else, until acknowledged.
URGENT: Final = frozenset({"smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water"})
ALARMS: Final = URGENT | {"intrusion", "tamper"}  # these stand until the device takes them back

_ON: Final = "on"
# Of a notification: (type, variable) -> the kind and what its values mean; all other values are calm.
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
_LOCKING: Final = re.compile(r"\b(?:un)?lock(?:ed)?\b")
_VARIABLES: Final = (" status", " state", " state simple")  # names of values that have states
_OPERATION: Final = re.compile(r"\boperation\b")
_WAYS: Final = {
    "keypad": "at the keypad", "manual": "by hand", "rf": "by radio", "auto": "by itself",
    "fingerprint": "with a fingerprint", "user code": "with a code",
}  # fmt: skip
# Names of doorbells: whole words, endings ("Türglocke") and parts ("Klingeltaster"). A clock is none: not
# "klocka", but "ringklocka".
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
    """A lasting state; several values of a device may report the same one."""

    kind: Kind
    state: str  # "on", "open", "low", …; "off" where nothing is the matter


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened and is over: the same again is another event."""

    kind: Kind
    state: str
    button: int | None = None
    user: int | None = None  # who operated a lock, where it tells
    way: str = ""  # and how


@lru_cache(4096)
def plain(name: object) -> str:
    """One form for `Door state (simple)` of a list and `Door_state_simple` of a topic."""
    return re.sub(r"[\W_]+", " ", str(name).casefold()).strip()


def meaning(command_class: int, prop: object, key: object, value: Any) -> Standing | Moment | None:
    """What a value means, published or listed; None if it is no event."""
    read = _READ.get(command_class)
    return read(plain(prop), plain(key) if key is not None else "", value) if read is not None else None


def _bolt(name: str, _key: str, value: Any) -> Standing | None:
    if name == "doorstatus" and value in ("open", "closed"):
        return Standing("door", value)
    mode = name == "currentmode" and is_number(value) and value != BOLT_UNKNOWN
    return Standing("lock", "locked" if value == LOCKED else "unlocked") if mode else None


def _barrier(name: str, _key: str, value: Any) -> Standing | None:
    """A moving door is neither open nor closed."""
    ends = {0: "closed", 255: "open"}
    return Standing("door", ends[value]) if name == "currentstate" and value in ends else None


def _binary(name: str, _key: str, value: Any) -> Standing | None:
    if name not in _BINARY or not isinstance(value, bool):
        return None
    kind, on, off = _BINARY[name]
    return Standing(kind, on if value else off)


def _press(name: str, button: str, value: Any) -> Moment | None:
    """The gateway clears the value a second later, which is no event."""
    if name != "scene" or not button.isdecimal() or not is_number(value) or value not in _PRESSES:
        return None
    return Moment("button", _PRESSES[int(value)], button=int(button))


def _battery(name: str, _key: str, value: Any) -> Standing | None:
    if name == "level" and is_number(value):
        return Standing("battery", "low" if value <= BATTERY_LOW_PERCENT else "off")
    if name in ("islow", "battery low") and value is not None:
        return Standing("battery", "off" if value is False else "low")
    return None


def _notified(name: str, inner: str, value: Any) -> Standing | Moment | None:
    if (name, inner) in _STANDING:
        kind, states = _STANDING[name, inner]
        known = is_number(value) and (kind != "door" or value in states)
        return Standing(kind, states.get(int(value), "off")) if known else None
    # A momentary notification has no value, or says who it was. A variable without a value was cut on its
    # way.
    if not inner or (value is not None and not isinstance(value, dict)) or inner.endswith(_VARIABLES):
        return None
    user = value.get("userId") if isinstance(value, dict) else None
    if name == "access control" and _OPERATION.search(inner) and _LOCKING.search(inner):
        state = "not fully locked" if "not fully" in inner else "unlocked" if "unlock" in inner else "locked"
        way = next((text for word, text in _WAYS.items() if word in inner), "")
        return Moment("lock", state, user=user if is_number(user) else None, way=way)
    if name == "home security":
        return Moment("tamper" if "tamper" in inner else "intrusion", inner)
    return Moment("emergency", inner) if name == "emergency alarm" else None


_READ: Final[dict[int, Callable[[str, str, Any], Standing | Moment | None]]] = {
    CC.CENTRAL_SCENE: _press,
    CC.BATTERY: _battery,
    CC.BINARY_SENSOR: _binary,
    CC.DOOR_LOCK: _bolt,
    CC.BARRIER: _barrier,
    CC.NOTIFICATION: _notified,
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
    """The events that a device reports, where its kind does not say so: "button 2", "smoke", "doorbell"."""
    names: dict[str, None] = {}
    for value in device.values:
        where = value.id
        if where.command_class == CC.CENTRAL_SCENE and where.property == "scene":
            if str(where.property_key).isdecimal():
                names[f"button {int(str(where.property_key))}"] = None
        elif where.command_class in (CC.NOTIFICATION, CC.BINARY_SENSOR):  # whatever it reports now
            calm = 0 if where.command_class == CC.NOTIFICATION else False
            if (alarm := alarm_of(replace(value, value=calm))) is not None:
                names[alarm.kind] = None
    buttons = any(name.startswith("button") for name in names)
    return (*names, *(("doorbell",) if buttons and is_bell(device.name) else ()))


def alarm_of(value: Value) -> Standing | None:
    """The alarm that a value reports, on or off."""
    where = value.id
    if where.command_class not in EVENT_CLASSES:
        return None
    sense = meaning(where.command_class, where.property, where.property_key, value.value)
    return sense if isinstance(sense, Standing) and sense.kind in ALARMS else None


def alarms_of(device: Device) -> list[Standing]:
    """Each kind of alarm once; a value that reports trouble wins."""
    alarms: dict[str, Standing] = {}
    for alarm in filter(None, map(alarm_of, device.values)):
        if alarm.state != "off" or alarm.kind not in alarms:
            alarms[alarm.kind] = alarm
    return list(alarms.values())


DETECTED: Final = {
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
    """The state of a device with such an alarm: "smoke detected", "dry"."""
    if state == "off":
        return CALM.get(kind, "normal")
    if kind == "tamper":
        return "tampered with"
    return f"{DETECTED.get(kind, kind).removeprefix('Dangerous ').lower()} detected"
