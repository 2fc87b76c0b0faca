"""Which entities Home Assistant would take a call for: its own rules, on the list that it gave us.

Names and aliases come joined by commas, and a name may have a comma itself: all that it could be is kept.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from voice_gateway.integrations.home_assistant.live_context import Entity

_JOINED: Final = ", "
_MOST_PARTS: Final = 8  # a name of more is taken as a whole, and part by part
EVERY_NAME: Final = "all"  # as a name it means any name, in these letters alone


def normal(name: str) -> str:
    """Home Assistant's own: case and outer spaces do not matter, all else does."""
    return name.strip().casefold()


@lru_cache(maxsize=16_384)
def first_names(text: str) -> tuple[str, ...]:
    """What the name itself may be, likeliest first: "A, B" is A with the alias B, or a name with a comma."""
    parts = text.split(_JOINED)
    return tuple(_JOINED.join(parts[:count]).strip() for count in range(1, len(parts) + 1))


@lru_cache(maxsize=16_384)
def every_name(text: str) -> frozenset[str]:
    """All that may be a name or an alias here, in its normal form."""
    parts = text.split(_JOINED)
    if len(parts) > _MOST_PARTS:
        return frozenset(map(normal, [text, *parts]))
    spans = ((first, last) for first in range(len(parts)) for last in range(first + 1, len(parts) + 1))
    return frozenset(normal(_JOINED.join(parts[first:last])) for first, last in spans)


def other_names(text: str) -> tuple[str, ...]:
    """What people may call it besides its first name: the aliases, and the whole where a name has a comma."""
    parts = [part.strip() for part in text.split(_JOINED) if part.strip()]
    return tuple(dict.fromkeys([*parts[1:], text])) if len(parts) > 1 else ()


def in_area(entity: Entity, area: str) -> bool:
    return normal(area) in every_name(_JOINED.join(entity.areas))


def matching(
    entities: Iterable[Entity], args: Mapping[str, Any], domains: frozenset[str]
) -> tuple[Entity, ...]:
    """Those that a call with these arguments is for; `domains`: where the tool has its own."""
    name, area = text_of(args, "name"), text_of(args, "area")
    named = "" if args.get("name") == EVERY_NAME else name
    wanted = frozenset(texts_of(args, "domain")) or domains
    classes = frozenset(texts_of(args, "device_class"))
    return tuple(
        entity
        for entity in entities
        if (not wanted or entity.domain in wanted)
        and (not named or normal(named) in every_name(entity.names))
        and (not area or in_area(entity, area))
        and (not classes or entity.device_class in classes)
    )


def text_of(args: Mapping[str, Any], key: str) -> str:
    value = args.get(key)
    return value.strip() if isinstance(value, str) else ""


def texts_of(args: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = args.get(key)
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, list) else ()


def address(entity: Entity, entities: Sequence[Entity]) -> dict[str, Any] | None:
    """The arguments that mean this entity and no other; None: there are none."""
    area = {"area": first_names(_JOINED.join(entity.areas))[0]} if entity.areas else {}
    for name in _callable_names(entity):
        args = {"name": name, **area, "domain": [entity.domain]}
        if all(one is entity for one in matching(entities, args, frozenset())):
            return args
    return None


def _callable_names(entity: Entity) -> Iterator[str]:
    name, others = first_names(entity.names)[0], other_names(entity.names)
    for one in (name, *others):
        if one:
            yield one.upper() if one == EVERY_NAME else one
