"""Things that happen in a simulated home because somebody says so: smoke, a press, a lock that is opened."""

import re
from collections.abc import Mapping
from typing import Any, Final

from zwave_mcp.devices import BATTERY, NOTIFICATION
from zwave_mcp.events import Report
from zwave_mcp.home import Value, ValueId
from zwave_mcp.notifications import CENTRAL_SCENE
from zwave_mcp.simulated.store import Track

Texts = dict[int | bool | str, str]

# What a sensor can watch: type and variable of its notification, the value of its alarm, and their texts.
ALARMS: Final[dict[str, tuple[str, str, Texts]]] = {
    "smoke": ("Smoke Alarm", "Sensor status", {0: "idle", 2: "Smoke detected"}),
    "carbon_monoxide": ("CO Alarm", "Sensor status", {0: "idle", 2: "Carbon monoxide detected"}),
    "water": ("Water Alarm", "Sensor status", {0: "idle", 2: "Water leak detected"}),
    "tamper": ("Home Security", "Cover status", {0: "idle", 3: "Tampering, product cover removed"}),
}
_PRESSES: Final = {
    "pressed": 0, "released": 1, "held": 2, "pressed twice": 3, "pressed three times": 4,
}  # fmt: skip
_PRESS: Final = re.compile(rf"(?:button )?(?P<button>[1-8]) (?P<how>{'|'.join(reversed(_PRESSES))})")
_LOCK: Final = re.compile(r"(?P<state>locked|unlocked)(?: by (?P<user>\d{1,3}))?")
WHAT: Final = (
    "smoke, carbon_monoxide, water or tamper (and each with “off” behind it), open, closed, battery low, "
    "2 pressed, 2 pressed twice, 2 held, locked, unlocked by 3"
)


def alarm_values(node: int, measures: tuple[str, ...]) -> list[Value]:
    watched = [ALARMS[one] for one in measures if one in ALARMS]
    return [
        Value(ValueId(node, NOTIFICATION, 0, kind, variable), 0, variable, states=states)
        for kind, variable, states in watched
    ]


def button_values(node: int, buttons: int) -> list[Value]:
    keys = [f"{number:03}" for number in range(1, buttons + 1)]
    return [Value(ValueId(node, CENTRAL_SCENE, 0, "scene", key), None, f"Scene {key}") for key in keys]


def fired(node: int, values: tuple[Value, ...], what: str, now: float) -> dict[str, Track] | None:
    """What is written down for it; None: this device cannot do that."""
    has = {str(value.id): value for value in values}
    name, _, off = what.partition(" ")
    if name in ALARMS and off in ("", "off"):
        kind, variable, states = ALARMS[name]
        return _written(has, ValueId(node, NOTIFICATION, 0, kind, variable), 0 if off else max(states), now)
    if what in ("open", "closed"):
        door = ValueId(node, NOTIFICATION, 0, "Access Control", "Door state (simple)")
        return _written(has, door, 22 if what == "open" else 23, now)
    if what == "battery low":
        return _written(has, ValueId(node, BATTERY, 0, "level"), 5, now)
    if (press := _PRESS.fullmatch(what)) is not None:
        button = ValueId(node, CENTRAL_SCENE, 0, "scene", f"{int(press['button']):03}")
        return _written(has, button, _PRESSES[press["how"]], now)
    lock = _LOCK.fullmatch(what)
    return _operated(node, values, lock, now) if lock is not None else None


def _written(has: Mapping[str, Value], where: ValueId, end: Any, now: float) -> dict[str, Track] | None:
    known = has.get(str(where))
    return {str(where): Track(known.value, end, now)} if known is not None else None


def _operated(
    node: int, values: tuple[Value, ...], how: re.Match[str], now: float
) -> dict[str, Track] | None:
    bolt = next((one for one in values if one.id.property == "currentMode"), None)
    if bolt is None:
        return None
    verb, end = ("lock", 255) if how["state"] == "locked" else ("unlock", 0)
    user = int(how["user"]) if how["user"] else None
    way = "Manual" if user is None else "Keypad"
    told = ValueId(node, NOTIFICATION, 0, "Access Control", f"{way} {verb} operation")
    return {str(bolt.id): Track(255 - end, end, now), str(told): Track(None, user, now)}


def momentary(key: str, track: Track) -> Report | None:
    """What is over at once, of all that is written down."""
    if key.count("-") < 4:
        return None
    node, command_class, endpoint, prop, inner = key.split("-", 4)
    if command_class == str(CENTRAL_SCENE) and prop == "scene":
        return Report((int(node),), CENTRAL_SCENE, int(endpoint), prop, inner, track.end)
    if command_class == str(NOTIFICATION) and inner.endswith(" operation"):
        value = None if track.end is None else {"userId": track.end}
        return Report((int(node),), NOTIFICATION, int(endpoint), prop, inner, value)
    return None
