"""Whether the user's own words are for a call: asked where others could have put it into a model's mind.

Erring costs a question: who is not sure says no. So a few words for each action are enough.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from home_names.kinds import HomeDevice, classes_in
from home_names.names import loose_words, plain_words, words
from home_names.resolver import ALL
from voice_gateway.tools.permission.risk import name_words
from voice_gateway.tools.permission.target import WARMTH, Reach
from voice_gateway.turn import ToolCall, ToolTraits

# What a tool's name says beside what it is for.
_EMPTY: Final = frozenset(
    "a an the do does run call use tool zwave mcp api v1 v2 my all for of to in on".split()
)
# Other words with which people ask for an action.
_ASKED: Final[Mapping[str, frozenset[str]]] = {
    key: frozenset(said.split())
    for key, said in {
        "on": "on start enable activate",
        "off": "off stop disable deactivate kill",
        "open": "open raise up",
        "close": "close shut lower down",
        "dim": "dim brighter darker brightness percent set",
        "toggle": "toggle switch flip",
        "up": "up louder raise increase",
        "down": "down quieter softer lower decrease",
        "set": "set make change put",
        "heat": "heat heating warm warmer",
        "cool": "cool cooling colder",
        "colour": "colour color set make change turn put",
        "kelvin": "kelvin white warm cool set make change turn put",
        "ring": "ring play sound chime bell gong start on",
        "stop": "stop silence quiet off end halt",
        "speed": "speed fan set faster slower up down turn",
        "volume": "volume louder quieter up down set turn",
        "play": "play resume continue unpause start",
        "pause": "pause stop halt",
        "next": "next skip",
        "previous": "previous last back",
        "start": "start run clean vacuum on",
        "dock": "dock home base return back off stop",
    }.items()
}
_SECONDS: Final = (1, 60, 3600)  # a tool may count the minutes that were said in seconds
# What only says how a value is meant.
_BESIDE: Final = frozenset("to by and with at percent degrees celsius fahrenheit kelvin".split())


def asked_for(said: str, call: ToolCall, traits: ToolTraits, reach: Reach | None, *, by_name: bool) -> bool:
    """Whether these words ask for this call. With `by_name` it is enough that they name the tool."""
    spoken = loose_words(said)
    named = _names_tool(spoken, call, traits)
    if by_name:
        return named
    if reach is not None:
        return _asks_for_reach(said, spoken, reach, named=named)
    return named and all(_is_said(value, said, spoken) for value in _leaves(call.arguments))


def _asks_for_reach(said: str, spoken: frozenset[str], reach: Reach, *, named: bool) -> bool:
    """A scene is started by its name; of a device, thing, action and value must be said."""
    if reach.scene:
        return loose_words(reach.scene) <= spoken
    if not reach.devices and not reach.said:
        return named
    values = [word for word in reach.how.split() if word.casefold() not in _BESIDE]
    done = [reach.action] if reach.action != WARMTH else []
    return _names_device(said, reach.said, reach.devices) and all(
        _is_said(_number(value), said, spoken) for value in (*done, *values)
    )


def _number(value: str) -> str | float:
    try:
        return float(value)
    except ValueError:
        return value


def _names_tool(spoken: frozenset[str], call: ToolCall, traits: ToolTraits) -> bool:
    names = [traits.original_name or call.name]
    if traits.trusted:
        names.append(traits.title)
    return any(meant and meant <= spoken for meant in map(_meant, names))


def _meant(name: str) -> frozenset[str]:
    return loose_words(" ".join(word for word in name_words(name) if word not in _EMPTY))


def _names_device(said: str, asked: str, devices: Sequence[HomeDevice]) -> bool:
    spoken = loose_words(said)
    if loose_words(asked) and loose_words(asked) <= spoken:
        return True
    return bool(devices) and all(_is_named(device, said, spoken) for device in devices)


def _is_named(device: HomeDevice, said: str, spoken: frozenset[str]) -> bool:
    """By its name, or as one of "the lights in the kitchen" or "all lights"."""
    if loose_words(device.name) <= spoken:
        return True
    scope = spoken & ALL or (device.room and loose_words(device.room) <= spoken)
    return bool(scope) and any(sort.has(device) for sort in classes_in(words(said)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def _is_said(value: Any, said: str, spoken: frozenset[str]) -> bool:
    if value is None or value is False:
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        return any(math.isclose(value, number * per) for number in _numbers(said) for per in _SECONDS)
    if not isinstance(value, str):
        return False
    if asked := _ASKED.get(value.strip().casefold()):
        return bool(asked & spoken)
    return loose_words(value) <= spoken


def _numbers(said: str) -> Iterable[float]:
    for word in (*plain_words(said), *re.findall(r"\d+(?:[.,]\d+)?", said)):
        try:
            yield float(word.replace(",", "."))
        except ValueError:
            continue
