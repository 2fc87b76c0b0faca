"""The description of a simulated home: a TOML file, checked completely before anything starts."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from zwave_mcp.home import is_number

KINDS: Final = ("switch", "plug", "dimmer", "blind", "garage_door", "lock", "thermostat", "sensor")
MEASURES: Final = ("temperature", "humidity", "light", "motion", "door")
FAULTS: Final = ("dead", "asleep", "jams", "optimistic", "slow")
_WORDS: Final[dict[str, dict[str, int | bool]]] = {
    "switch": {"on": True, "off": False},
    "plug": {"on": True, "off": False},
    "dimmer": {"on": 99, "off": 0},
    "blind": {"open": 99, "closed": 0},
    "garage_door": {"open": 255, "closed": 0},
    "lock": {"locked": 255, "unlocked": 0},
}


class BadHome(ValueError):
    """The file cannot be used; the text says where and why."""


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    node: int
    kind: str
    name: str = ""
    room: str = ""
    state: Any = None  # as a Z-Wave value
    supervised: bool = True
    move_seconds: float = 0.0
    slow_seconds: float = 0.0
    watts: float = 0.0
    temperature: float = 20.0
    battery: int | None = None
    measures: tuple[str, ...] = ()
    faults: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SceneSpec:
    name: str
    states: tuple[tuple[int, Any], ...]  # node and Z-Wave value


@dataclass(frozen=True, slots=True)
class HomeSpec:
    devices: tuple[DeviceSpec, ...]
    scenes: tuple[SceneSpec, ...] = ()
    allow_unlock: bool = True
    radio_seconds: float = 0.07
    source: str = field(default="default", compare=False)


def read_home(path: Path | None) -> HomeSpec:
    if path is None:
        text = resources.files("zwave_mcp").joinpath("default_home.toml").read_text(encoding="utf-8")
        return parse_home(text, "default")
    try:
        return parse_home(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadHome(f"cannot read the home file {path}: {error}") from error


def parse_home(text: str, source: str = "text") -> HomeSpec:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadHome(f"{source} is not TOML: {error}") from error
    _only(raw, {"home", "device", "scene"}, source)
    home = _table(raw.get("home", {}), f"{source}: [home]")
    _only(home, {"allow_unlock", "radio_seconds"}, f"{source}: [home]")
    devices: list[DeviceSpec] = []
    for place, item in enumerate(_tables(raw.get("device", []), f"{source}: [[device]]"), start=1):
        devices.append(_device(item, f"{source}: device {place}", [device.node for device in devices]))
    if not devices:
        raise BadHome(f"{source}: there is no [[device]]")
    scenes = tuple(
        _scene(item, f"{source}: scene {place}", devices)
        for place, item in enumerate(_tables(raw.get("scene", []), f"{source}: [[scene]]"), start=1)
    )
    return HomeSpec(
        tuple(devices),
        scenes,
        _typed(home, "allow_unlock", bool, True, f"{source}: [home]"),
        _seconds(home, "radio_seconds", 0.07, f"{source}: [home]"),
        source,
    )


def _device(raw: Mapping[str, Any], where: str, taken: list[int]) -> DeviceSpec:
    _only(raw, set(DeviceSpec.__dataclass_fields__), where)
    kind = _typed(raw, "kind", str, "", where)
    if kind not in KINDS:
        raise BadHome(f"{where}: kind must be one of {', '.join(KINDS)}")
    node = _typed(raw, "node", int, max(taken, default=1) + 1, where)
    if node in taken or not 2 <= node <= 4000:
        raise BadHome(f"{where}: node {node} is used twice or not between 2 and 4000")
    measures, faults = _words(raw, "measures", MEASURES, where), _words(raw, "faults", FAULTS, where)
    battery = raw.get("battery")
    if battery is not None and (not isinstance(battery, int) or not 0 <= battery <= 100):
        raise BadHome(f"{where}: battery must be a number from 0 to 100")
    return DeviceSpec(
        node=node,
        kind=kind,
        name=_typed(raw, "name", str, "", where),
        room=_typed(raw, "room", str, "", where),
        state=state_value(kind, raw["state"], where) if "state" in raw else None,
        supervised=_typed(raw, "supervised", bool, kind not in ("lock", "thermostat"), where),
        move_seconds=_seconds(raw, "move_seconds", 0.0, where),
        slow_seconds=_seconds(raw, "slow_seconds", 3.0 if "slow" in faults else 0.0, where),
        watts=_seconds(raw, "watts", 100.0, where),
        temperature=_number(raw, "temperature", 20.0, where),
        battery=battery,
        measures=measures,
        faults=frozenset(faults),
    )


def state_value(kind: str, state: Any, where: str) -> Any:
    """A word ("off", "open", "locked") or a percentage, as the value that Z-Wave has for it."""
    words = _WORDS.get(kind, {})
    if isinstance(state, str) and state in words:
        return words[state]
    percent = isinstance(state, int) and not isinstance(state, bool) and 0 <= state <= 100
    if percent and kind in ("dimmer", "blind"):
        from zwave_mcp.devices import to_level

        return to_level(state)
    allowed = ", ".join(words) or "nothing"
    raise BadHome(f"{where}: the state of a {kind} can be {allowed}, or for a dimmer or blind 0 to 100")


def _scene(raw: Mapping[str, Any], where: str, devices: list[DeviceSpec]) -> SceneSpec:
    _only(raw, {"name", "set"}, where)
    name = _typed(raw, "name", str, "", where)
    if not name:
        raise BadHome(f"{where}: a scene needs a name")
    states = []
    for item in _tables(raw.get("set", []), f"{where}: set"):
        _only(item, {"device", "state"}, where)
        hit = next((device for device in devices if device.name == item.get("device")), None)
        if hit is None:
            raise BadHome(f"{where}: there is no device {item.get('device')!r}")
        states.append((hit.node, state_value(hit.kind, item.get("state"), where)))
    return SceneSpec(name, tuple(states))


def _only(raw: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(raw) - known)
    if unknown:
        raise BadHome(f"{where}: unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")


def _table(raw: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise BadHome(f"{where} must be a table")
    return raw


def _tables(raw: Any, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(raw, list):
        raise BadHome(f"{where} must be a list of tables")
    return [_table(item, where) for item in raw]


def _typed(raw: Mapping[str, Any], key: str, kind: type, default: Any, where: str) -> Any:
    value = raw.get(key, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadHome(f"{where}: {key} must be a {kind.__name__}")
    return value


def _number(raw: Mapping[str, Any], key: str, default: float, where: str) -> float:
    value = raw.get(key, default)
    if not is_number(value):
        raise BadHome(f"{where}: {key} must be a number")
    return float(value)


def _seconds(raw: Mapping[str, Any], key: str, default: float, where: str) -> float:
    value = _number(raw, key, default, where)
    if not 0 <= value <= 100_000:
        raise BadHome(f"{where}: {key} must be between 0 and 100000")
    return value


def _words(raw: Mapping[str, Any], key: str, known: tuple[str, ...], where: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    if not isinstance(value, list) or any(word not in known for word in value):
        raise BadHome(f"{where}: {key} must be a list of {', '.join(known)}")
    return tuple(value)
