"""The description of a simulated home: a TOML file, checked completely before anything starts."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, Strict, StrictBool, StrictInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as table

from zwave_mcp.devices import to_level

Kind = Literal[
    "switch", "plug", "dimmer", "light", "fan", "blind", "garage_door", "lock", "thermostat", "chime",
    "siren", "sensor",
]  # fmt: skip
Shows = Literal["colours", "warm", "cold"]
Measure = Literal[
    "temperature", "humidity", "light", "motion", "door", "smoke", "carbon_monoxide", "water", "tamper"
]  # fmt: skip
Fault = Literal["dead", "asleep", "jams", "optimistic", "slow"]
Number = Annotated[float, Strict()]
Seconds = Annotated[Number, Field(ge=0, le=100_000)]
_WORDS: Final[dict[str, dict[str, int | bool]]] = {
    **{kind: {"on": True, "off": False} for kind in ("switch", "plug")},
    **{kind: {"on": 99, "off": 0} for kind in ("dimmer", "light", "fan")},
    "blind": {"open": 99, "closed": 0},
    "garage_door": {"open": 255, "closed": 0},
    "lock": {"locked": 255, "unlocked": 0},
}
_MESSAGES: Final = {"missing": "is needed", "unexpected_keyword_argument": "is not a key that is known"}
_SLOW_SECONDS: Final = 3.0
_CHECKED: Final = ConfigDict(extra="forbid", allow_inf_nan=False)


class BadHome(ValueError):
    """The file cannot be used; the text says where and why."""


@table(frozen=True, slots=True, config=_CHECKED)
class DeviceSpec:
    kind: Kind
    node: Annotated[StrictInt, Field(ge=2, le=4000)] = 0  # which is the next one that is free
    name: str = ""
    room: str = ""
    state: Any = None  # in words or percent; in a `HomeSpec` as a Z-Wave value
    supervised: StrictBool | None = None  # what is usual for its kind
    move_seconds: Seconds = 0.0
    slow_seconds: Seconds = 0.0
    watts: Seconds = 100.0
    temperature: Number = 20.0
    battery: Annotated[StrictInt, Field(ge=0, le=100)] | None = None
    shows: tuple[Shows, ...] = ("colours", "warm", "cold")  # a light
    # … at first: `#rrggbb`, or `#rrggbbwwcc` with its whites
    color: Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{4})?$")] = "#0000007191"
    # Of a chime or a siren.
    tones: tuple[str, ...] = ("Ding Dong (3 sec)", "Westminster (8 sec)", "Siren (30 sec)")
    volume: Annotated[StrictInt, Field(ge=1, le=100)] = 40
    measures: tuple[Measure, ...] = ()
    kwh: Seconds | None = None  # of a plug: it counts energy, beginning here
    users: tuple[str, ...] = ()  # of a lock: who has a code
    buttons: Annotated[StrictInt, Field(ge=0, le=8)] = 0  # of a remote or a bell
    faults: frozenset[Fault] = frozenset()


@table(frozen=True, config=_CHECKED)
class _Home:
    allow_unlock: StrictBool = True
    radio_seconds: Seconds = 0.07


@table(frozen=True, config=_CHECKED)
class _Setting:
    device: str
    state: Any


@table(frozen=True, config=_CHECKED)
class _Scene:
    name: Annotated[str, Field(min_length=1)]
    set: tuple[_Setting, ...] = ()


@table(frozen=True, config=_CHECKED)
class _Group:
    name: Annotated[str, Field(min_length=1)]
    devices: Annotated[tuple[str, ...], Field(min_length=2)]


@table(frozen=True, config=_CHECKED)
class _File:
    device: Annotated[list[DeviceSpec], Field(min_length=1)]
    home: _Home = _Home()
    scene: tuple[_Scene, ...] = ()
    group: tuple[_Group, ...] = ()


@dataclass(frozen=True, slots=True)
class HomeSpec:
    devices: tuple[DeviceSpec, ...]
    scenes: tuple[tuple[str, tuple[tuple[int, Any], ...]], ...]  # name; nodes and their Z-Wave values
    groups: tuple[tuple[str, tuple[int, ...]], ...]  # name and nodes
    home: _Home


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
        file = TypeAdapter(_File).validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadHome(f"{source} is not TOML: {error}") from error
    except ValidationError as error:
        raise BadHome(f"{source}: {_problem(error)}") from error
    devices: dict[int, DeviceSpec] = {}
    for place, given in enumerate(file.device, start=1):
        device = _device(given, devices, f"{source}: device {place}")
        devices[device.node] = device
    named = {device.name: device for device in reversed(devices.values())}

    def find(name: str, where: str) -> DeviceSpec:
        if name not in named:
            raise BadHome(f"{where}: there is no device {name!r}")
        return named[name]

    scenes, groups = [], []
    for place, scene in enumerate(file.scene, start=1):
        where = f"{source}: scene {place}"
        members = [(find(item.device, where), item.state) for item in scene.set]
        values = tuple((hit.node, _state_value(hit.kind, state, where)) for hit, state in members)
        scenes.append((scene.name, values))
    for place, group in enumerate(file.group, start=1):
        nodes = tuple(find(name, f"{source}: group {place}").node for name in group.devices)
        groups.append((group.name, nodes))
    return HomeSpec(tuple(devices.values()), tuple(scenes), tuple(groups), file.home)


def _problem(error: ValidationError) -> str:
    """The first problem: which table, which key, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    section, *rest = first["loc"]
    place = rest.pop(0) if rest and isinstance(rest[0], int) else None
    where = f"{section} {int(place) + 1}: " if place is not None else ""
    message = _MESSAGES.get(first["type"]) or first["msg"].replace("Input should be", "must be")
    return f"{where}{rest[0] if rest else f'[{section}]'} {message}"


def _device(given: DeviceSpec, others: Collection[int], where: str) -> DeviceSpec:
    """The device with its node, its state as a Z-Wave value, and what is usual for its kind."""
    if given.node in others:
        raise BadHome(f"{where}: node {given.node} is used twice")
    usual = given.kind not in ("lock", "thermostat")
    return replace(
        given,
        node=given.node or max(others, default=1) + 1,
        state=None if given.state is None else _state_value(given.kind, given.state, where),
        supervised=usual if given.supervised is None else given.supervised,
        slow_seconds=given.slow_seconds or (_SLOW_SECONDS if "slow" in given.faults else 0.0),
    )


def _state_value(kind: str, state: Any, where: str) -> Any:
    """A word ("off", "open", "locked") or a percentage, as its Z-Wave value."""
    words = _WORDS.get(kind, {})
    if isinstance(state, str) and state in words:
        return words[state]
    percent = isinstance(state, int) and not isinstance(state, bool) and 0 <= state <= 100
    if percent and kind in ("dimmer", "light", "fan", "blind"):
        return to_level(state)
    allowed = ", ".join(words) or "nothing"
    raise BadHome(
        f"{where}: the state of a {kind} can be {allowed}, or of a dimmer, light, fan or blind 0 to 100"
    )
