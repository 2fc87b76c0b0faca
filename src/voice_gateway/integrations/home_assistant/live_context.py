"""The entities that a Home Assistant shares: reads GetLiveContext's answer, keeps the list of the last look.

Nothing is guessed: a text that is cut, or not understood, is no list at all.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from voice_gateway.errors import ToolError

_CUT, _UNREADABLE = "is cut off", "cannot be read"
NOTHING_SHARED = "Home Assistant shares no devices with voice assistants."

Scalar = str | None


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
    """Raises ToolError."""
    heading, _, rest = text.partition("\n")
    body = text if heading.startswith("- ") else rest
    if not body.strip():
        return ()
    if not body.endswith("\n") or not body.startswith("- "):
        raise _unreadable(_CUT)
    import yaml

    # Every scalar is a text: "on" is no truth, and 0123 no number.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        listed = yaml.load(body, Loader=loader)
    except yaml.YAMLError:
        raise _unreadable(_UNREADABLE) from None
    if not isinstance(listed, list) or not all(isinstance(raw, dict) for raw in listed):
        raise _unreadable(_UNREADABLE)
    return tuple(map(_entity, listed))


def overview(answer: str) -> str:
    """The text in what the tool answered. Raises ToolError."""
    try:
        facts = json.loads(answer)
    except ValueError:
        raise _unreadable(_UNREADABLE) from None
    result = facts.get("result") if isinstance(facts, Mapping) else None
    if isinstance(result, str):
        return result
    if isinstance(facts, Mapping) and facts.get("success") is False:
        raise ToolError(NOTHING_SHARED)
    raise _unreadable(_UNREADABLE)


def _entity(raw: Mapping[str, Any]) -> Entity:
    names, domain, state, areas = (raw.get(key) for key in ("names", "domain", "state", "areas"))
    if not names or not domain or "state" not in raw or not isinstance(names, str):
        raise _unreadable(_CUT)
    attributes = raw.get("attributes")
    scalars = attributes.items() if isinstance(attributes, dict) else ()
    return Entity(
        names.strip(),
        str(domain),
        str(state or ""),
        tuple(area for area in map(str.strip, str(areas or "").split(", ")) if area),
        {key: value or None for key, value in scalars if isinstance(value, str)},
    )


def _unreadable(why: str) -> ToolError:
    return ToolError(f"Home Assistant's list of devices {why}.")


def degrees_in(entities: Sequence[Entity]) -> str:
    """The unit in which this home counts warmth; a thermostat itself does not say it."""
    units = Counter(entity.attributes.get("unit_of_measurement") for entity in entities)
    known = [unit for unit in ("°C", "°F") if units[unit]]
    if known:
        return max(known, key=lambda unit: units[unit])
    warm = (entity.number("current_temperature") or entity.number("temperature") for entity in entities)
    return "°F" if any(number is not None and number > 45 for number in warm) else "°C"


Ask = Callable[[], Awaitable[str]]  # what GetLiveContext answers now

FRESH_SECONDS = 0.3  # what was seen so recently is still so, unless something acted


class LiveList:
    """The entities as of the last look; looks at the same time share one request."""

    def __init__(self) -> None:
        self.entities: tuple[Entity, ...] = ()
        self.degrees = "°C"
        self.text = ""  # as Home Assistant wrote it
        self.ask: Ask | None = None  # None: it shares no list
        self._started = -inf  # when the last look began
        self._acted = -inf
        self._looking = asyncio.Lock()

    def acted(self) -> None:
        """Something was changed: what was seen before no longer counts."""
        self._acted = _now()

    async def recent(self) -> tuple[Entity, ...]:
        """As it was a moment ago, if nothing has acted since."""
        return await self._look(max(_now() - FRESH_SECONDS, self._acted))

    async def look(self) -> tuple[Entity, ...]:
        """As it is from now on."""
        return await self._look(_now())

    async def _look(self, since: float) -> tuple[Entity, ...]:
        if self._started >= since:
            return self.entities
        async with self._looking:
            if self._started < since:  # else another caller has looked while we waited
                await self._read()
            return self.entities

    async def _read(self) -> None:
        if self.ask is None:
            raise ToolError(NOTHING_SHARED)
        started, self._started = _now(), -inf
        entities, text, degrees = await asyncio.to_thread(_read, await self.ask())
        self.entities, self.text, self.degrees, self._started = entities, text, degrees, started


def _read(answer: str) -> tuple[tuple[Entity, ...], str, str]:
    text = overview(answer)
    entities = read_live_context(text)
    return entities, text, degrees_in(entities)


def _now() -> float:
    return asyncio.get_running_loop().time()
