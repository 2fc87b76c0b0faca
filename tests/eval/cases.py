"""Reads `utterances.txt`: what is said, and what is right."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.fakes.spoken_times import spoken_times

FILE = Path(__file__).with_name("utterances.txt")

Call = tuple[str, tuple[tuple[str, Any], ...]]


@dataclass(frozen=True)
class Right:
    """One way to be right."""

    kind: str  # "calls", "read", "ask", "pass", "forbid", "say"; of wishes also "none" and "back"
    calls: tuple[Call, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Case:
    number: int
    category: str
    held_out: bool
    turns: tuple[str, ...]
    room: str | None
    rights: tuple[Right, ...]
    line: str = field(repr=False, default="")


def read_cases(path: Path = FILE) -> list[Case]:
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    return [parse_case(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


def parse_case(number: int, line: str) -> Case:
    category, said, right = (part.strip() for part in line.split(" | "))
    room = None
    if said.startswith("@"):
        match = re.match(r"@((?:[A-Z]\w+ ?)+) ", said)
        assert match, line
        room, said = match[1].strip(), said[match.end() :]
    turns = tuple(part.strip() for part in said.split(">>"))
    rights = tuple(parse_right(way) for way in right.split(" or "))
    return Case(number, category.lstrip("*"), category.startswith("*"), turns, room, rights, line)


def parse_right(way: str) -> Right:
    word, _, rest = way.strip().partition(" ")
    if word in ("ask", "pass", "forbid", "none", "back"):
        return Right(word)
    if word in ("say", "read"):
        return Right(word, words=rest.strip('" '))
    return Right("calls", parse_calls(way))


def parse_calls(joined: str) -> tuple[Call, ...]:
    return tuple(_call(part.strip()) for part in joined.split(" + "))


def _call(part: str) -> Call:
    verb, _, rest = part.partition(" ")
    if verb == "read":
        return ("read", (("words", rest.strip('" ')),))
    name, args = _ARGUMENTS[verb](rest)
    return name, tuple(sorted(args.items()))


def _device(action: str) -> Any:
    return lambda rest: ("control_zwave_device", {"deviceName": rest, "action": action})


def _numbered(rest: str) -> tuple[str, float]:
    name, _, number = rest.rpartition(" ")
    return name, float(number)


def _dim(rest: str) -> tuple[str, dict[str, Any]]:
    name, level = _numbered(rest)
    return "control_zwave_device", {"deviceName": name, "action": "dim", "level": level}


def _heat(rest: str) -> tuple[str, dict[str, Any]]:
    name, degrees = _numbered(rest)
    return "set_zwave_thermostat", {"deviceName": name, "temperature": degrees}


def _volume(rest: str) -> tuple[str, dict[str, Any]]:
    action, _, level = rest.partition(" ")
    return "control_speaker_volume", {"action": action, **({"level": float(level)} if level else {})}


def _time(rest: str) -> tuple[str, dict[str, Any]]:
    if rest == "offset":
        return "get_current_datetime", {"offset": "…"}
    return "get_current_datetime", {"timezone": rest.rpartition("/")[2].replace("_", " ")} if rest else {}


_WEATHER = re.compile(r"\b(day|place|about)=(.+?)(?= (?:day|place|about)=|$)")
_MORE = re.compile(r" ?\b(name|kind|message)=(.+?)(?= (?:name|kind|message)=|$)")


def _timer(tool: str) -> Any:
    """DURATION or `at TIME`, `name=`, `kind=`, `message=`; what is cancelled or listed goes by its name."""

    def read(rest: str) -> tuple[str, dict[str, Any]]:
        given: dict[str, Any] = dict(_MORE.findall(rest))
        first = _MORE.sub("", rest).strip()
        if first and tool in ("cancel_timer", "list_timers"):
            given["name"] = first
        elif first.startswith("at "):
            usual = "reminder" if "message" in given else "alarm"
            given["at"] = moment(first.removeprefix("at "), str(given.get("kind", usual)))
        elif first:
            given["duration"] = seconds(first)
        return tool, given

    return read


_ARGUMENTS: dict[str, Any] = {
    **{action: _device(action) for action in ("on", "off", "toggle", "open", "close", "stop")},
    "dim": _dim,
    "lock": lambda rest: ("control_zwave_lock", {"deviceName": rest, "action": "lock"}),
    "unlock": lambda rest: ("control_zwave_lock", {"deviceName": rest, "action": "unlock"}),
    "heat": _heat,
    "mode": lambda rest: (
        "set_zwave_thermostat",
        {"deviceName": rest.rpartition(" ")[0], "mode": rest.rpartition(" ")[2]},
    ),
    "scene": lambda rest: ("activate_zwave_scene", {"sceneName": rest}),
    "vol": _volume,
    "time": _time,
    "search": lambda rest: ("search_web", {"query": rest}),
    "calc": lambda rest: ("calculate", {"expression": rest}),
    "list": lambda rest: (
        "manage_list",
        dict(zip(("action", "list", "items"), rest.split(" ", 2), strict=False)),
    ),
    "listed": lambda rest: ("read_list", {"list": rest}),
    "weather": lambda rest: ("get_weather", dict(_WEATHER.findall(rest))),
    "tell": lambda rest: ("broadcast", {"message": rest}),
    "timer": _timer("set_timer"),
    "timers": _timer("list_timers"),
    "cancel": _timer("cancel_timer"),
    "more": _timer("extend_timer"),
}


def seconds(duration: str) -> float:
    """A length of time as the timer tool would read it."""
    length = spoken_times().length(duration)
    assert length is not None, duration
    return length


def moment(text: str, kind: str) -> str:
    """A time as the timer tool would read it."""
    from voice_gateway.tools.builtin.times import local_zone

    zone = local_zone()[0]
    read = spoken_times().moment(text, datetime.now(UTC), kind)
    return read.astimezone(zone).isoformat(timespec="minutes") if read else text
