"""The entities that a Home Assistant shares: reads GetLiveContext's answer, keeps the list of the last look.

The answer is YAML, nearly all of it in one plain form: that is read line by line, four times faster than by a
library. Anything else (a folded line, double quotes) the library reads, entity by entity. Nothing is guessed:
a text that is cut, or not understood, is no list at all.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from voice_gateway.errors import ToolError

_LINE: Final = re.compile(r"( {2}| {4})([a-z_]+):(?: (.*))?")
# A plain word of YAML that means itself: no quotes, no marks that begin something, no comment, no mapping.
_PLAIN: Final = re.compile(r"(?![\s'\"\[\]{}&*!|>%@`#,?]|-(?:\s|$))(?:(?!: | #|:$).)+(?<!\s)")
_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")
_FIELDS: Final = frozenset({"names", "domain", "state", "areas"})

Scalar = str | None


class Unreadable(ValueError):
    """The text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity as Home Assistant wrote it: every value is a text, and None where it has none."""

    names: str  # the name, then its aliases, joined by commas; a name may have commas itself
    domain: str
    state: str
    areas: tuple[str, ...] = ()  # the area, then its aliases
    attributes: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def device_class(self) -> str:
        return self.attributes.get("device_class") or ""

    def number(self, attribute: str) -> float | None:
        return to_number(self.attributes.get(attribute))


def to_number(text: Scalar) -> float | None:
    """Whole numbers come as text, others as numbers; a device may also say "unknown" or "nan"."""
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < 1e9 else None  # nan and inf are not


def read_live_context(text: str) -> tuple[Entity, ...]:
    """Raises Unreadable."""
    heading, _, rest = text.partition("\n")
    body = text if heading.startswith("- ") else rest
    if not body.strip():
        return ()
    if not body.endswith("\n") or not body.startswith("- "):
        raise Unreadable("Home Assistant's list of devices is cut off.")
    return tuple(_entity(block) for block in body[2:-1].split("\n- "))


def overview(answer: str) -> str:
    """The text in what the tool answered. Raises Unreadable."""
    try:
        told = json.loads(answer)
    except ValueError:
        raise Unreadable("Home Assistant's list of devices cannot be read.") from None
    result = told.get("result") if isinstance(told, Mapping) else None
    if isinstance(result, str):
        return result
    if isinstance(told, Mapping) and told.get("success") is False:
        raise Unreadable("Home Assistant shares no devices with voice assistants.")
    raise Unreadable("Home Assistant's list of devices cannot be read.")


def _entity(block: str) -> Entity:
    raw = _read_lines(block)
    if raw is None:
        raw = _read_yaml(block)
    names, domain, state = raw.get("names"), raw.get("domain"), raw.get("state")
    attributes = raw.get("attributes")
    if not names or not domain or "state" not in raw or not isinstance(names, str):
        raise Unreadable("Home Assistant's list of devices is cut off.")
    areas = raw.get("areas") or ""
    return Entity(
        names.strip(),
        str(domain),
        str(state or ""),
        tuple(part for part in (one.strip() for one in str(areas).split(", ")) if part),
        attributes if isinstance(attributes, Mapping) else {},
    )


def _read_lines(block: str) -> dict[str, Any] | None:
    """None when it is not written in the plain form."""
    found: dict[str, Any] = {}
    inner: dict[str, Scalar] | None = None
    for line in ("  " + block).split("\n"):
        matched = _LINE.fullmatch(line)
        if matched is None:
            return None
        indent, key, text = matched.groups()
        if indent == "  " and key == "attributes" and not text:
            inner = found[key] = {}
            continue
        if not text:
            value = None
        elif quoted := _QUOTED.fullmatch(text):
            value = quoted[1].replace("''", "'")
        elif _PLAIN.fullmatch(text):
            value = text
        else:
            return None
        if indent == "    " and inner is not None:
            inner[key] = value
        elif indent == "  " and key in _FIELDS:
            found[key] = value
            inner = None
        else:
            return None
    return found


def _read_yaml(block: str) -> dict[str, Any]:
    """With a library that takes every scalar for text: "on" is no truth, and 0123 no number."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        read = yaml.load("- " + block + "\n", Loader=loader)
    except yaml.YAMLError:
        raise Unreadable("Home Assistant's list of devices cannot be read.") from None
    raw = read[0] if isinstance(read, list) and len(read) == 1 else None
    if not isinstance(raw, dict):
        raise Unreadable("Home Assistant's list of devices cannot be read.")
    attributes = raw.get("attributes")
    plain = attributes.items() if isinstance(attributes, dict) else ()
    return {**raw, "attributes": {key: value or None for key, value in plain if isinstance(value, str)}}


def degrees_in(entities: Iterable[Entity]) -> str:
    """The unit in which this home counts warmth; a thermostat itself does not say it."""
    units = Counter(entity.attributes.get("unit_of_measurement") for entity in entities)
    known = [unit for unit in ("°C", "°F") if units[unit]]
    if known:
        return max(known, key=lambda unit: units[unit])
    warm = (entity.number("current_temperature") or entity.number("temperature") for entity in entities)
    return "°F" if any(number is not None and number > 45 for number in warm) else "°C"


Ask = Callable[[], Awaitable[str]]  # what GetLiveContext answers now

_LARGE = 20_000  # characters: a list of more takes a while, and is read in a thread
FRESH_SECONDS = 0.3  # what was seen so short a time ago is still so, unless somebody acted


class LiveList:
    def __init__(self) -> None:
        self.entities: tuple[Entity, ...] = ()
        self.degrees = "°C"
        self.text = ""  # as Home Assistant wrote it
        self.ask: Ask | None = None  # None: it shares no list
        self._started = -inf  # when the look began that it was seen by
        self._acted = -inf
        self._looking = asyncio.Lock()

    def acted(self) -> None:
        """Somebody changed something: what was seen before no longer counts."""
        self._acted = _now()

    async def recent(self) -> tuple[Entity, ...]:
        """As it was a moment ago, if nobody has acted since."""
        return await self._look(max(_now() - FRESH_SECONDS, self._acted))

    async def look(self) -> tuple[Entity, ...]:
        """As it is from now on."""
        return await self._look(_now())

    async def _look(self, since: float) -> tuple[Entity, ...]:
        if self._started >= since:
            return self.entities
        async with self._looking:
            if self._started < since:  # else somebody else has looked while we waited
                await self._read()
            return self.entities

    async def _read(self) -> None:
        if self.ask is None:
            raise ToolError("Home Assistant shares no devices with voice assistants.")
        started, self._started = _now(), -inf
        answer = await self.ask()
        try:
            large = len(answer) > _LARGE
            entities, text, degrees = await asyncio.to_thread(_read, answer) if large else _read(answer)
        except Unreadable as error:
            raise ToolError(str(error)) from error
        self.entities, self.text, self.degrees, self._started = entities, text, degrees, started


def _read(answer: str) -> tuple[tuple[Entity, ...], str, str]:
    text = overview(answer)
    entities = read_live_context(text)
    return entities, text, degrees_in(entities)


def _now() -> float:
    return asyncio.get_running_loop().time()
