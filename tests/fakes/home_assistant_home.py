"""A home as Home Assistant has it: entities in areas, and which of them a call means.

The rules are those of Home Assistant 2026.2.3, measured: what it says of a match that failed included.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNAVAILABLE = "unavailable"


@dataclass
class Entity:
    """What has the attribute `brightness` can be dimmed, `rgb_color` coloured, `color_temp_kelvin` warmed;
    a cover with `current_position` can be put there."""

    id: str  # light.bed_light
    name: str
    area: str = ""
    state: str = "off"
    attributes: dict[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    trouble: str = ""  # "fails", "jams" (locks), "code" (locks: refuses to unlock without one)
    seconds: float = 0.0  # until it shows what it was told: a lamp, a lock's motor, 10 % of a cover's way
    exposed: bool = True
    sets: Mapping[str, str] = field(default_factory=dict)  # of a scene or script: {entity id: state}
    items: list[dict[str, str]] = field(default_factory=list)  # of a to-do list
    description: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)  # of a script: the schema of its arguments
    coming: list[tuple[float, str, dict[str, Any]]] = field(default_factory=list)  # (when, state, attributes)

    @property
    def domain(self) -> str:
        return self.id.partition(".")[0]

    def become(self, state: str, **attributes: Any) -> None:
        self.state = state
        self.attributes.update(attributes)

    def will_become(self, at: float, state: str, **attributes: Any) -> None:
        self.coming.append((at, state, attributes))

    def is_called(self, name: str) -> bool:
        wanted = name.strip().casefold()
        return wanted in {self.id, *(one.casefold() for one in (self.name, *self.aliases))}


@dataclass(frozen=True)
class Area:
    name: str
    aliases: tuple[str, ...] = ()
    floor: str = ""

    @property
    def id(self) -> str:
        return slug(self.name)

    def is_called(self, name: str) -> bool:
        return name.strip().casefold() in {self.id, *(one.casefold() for one in (self.name, *self.aliases))}


def slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.casefold()).strip("_")


class MatchFailed(Exception):
    """No entity, or not one, fits; its text is what Home Assistant sends."""


_REASONS = {
    "NAME": 1, "AREA": 2, "FLOOR": 3, "DOMAIN": 4, "DEVICE_CLASS": 5, "FEATURE": 6, "STATE": 7,
    "ASSISTANT": 8, "INVALID_AREA": 9, "INVALID_FLOOR": 10, "DUPLICATE_NAME": 11, "MULTIPLE_TARGETS": 12,
}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What a call says of the entities that it means."""

    name: str | None = None
    area: str | None = None
    floor: str | None = None
    domains: frozenset[str] | None = None
    device_classes: frozenset[str] | None = None
    single: bool = False
    preferences: str = "MatchTargetsPreferences(area_id=None, floor_id=None)"

    @classmethod
    def of(cls, args: Mapping[str, Any], domains: Iterable[str] | None = None, **more: Any) -> "Wanted":
        given = args.get("domain") or domains
        classes = args.get("device_class")
        return cls(
            args.get("name"), args.get("area"), args.get("floor"),
            frozenset(given) if given else None, frozenset(classes) if classes else None, **more,
        )  # fmt: skip

    @property
    def is_anything(self) -> bool:
        return not (self.name or self.area or self.floor or self.domains or self.device_classes)

    def failed(self, reason: str, name: str | None = None, areas: str = "[]") -> MatchFailed:
        """The repr that it sends; nothing of it is fit to be said."""
        return MatchFailed(
            f"<MatchFailedError result=MatchTargetsResult(is_match=False, "
            f"no_match_reason=<MatchFailedReason.{reason}: {_REASONS[reason]}>, states=[], "
            f"no_match_name={name!r}, areas={areas}, floors=[]), constraints=MatchTargetsConstraints("
            f"name={self.name!r}, area_name={self.area!r}, floor_name={self.floor!r}, "
            f"domains={set(self.domains) if self.domains else None}, "
            f"device_classes={set(self.device_classes) if self.device_classes else None}, features=None, "
            f"states=None, assistant='conversation', allow_duplicate_names=False, "
            f"single_target={self.single}), preferences={self.preferences}>"
        )


class HomeAssistantHome:
    """Its states change by `home_assistant_tools.py`, and as time goes by."""

    def __init__(
        self,
        entities: Iterable[Entity],
        areas: Iterable[Area] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.entities = {entity.id: entity for entity in entities}
        named = [entity.area for entity in self.entities.values() if entity.area]
        self.areas = {name: Area(name) for name in named} | {area.name: area for area in areas}
        self.clock = clock

    def __getitem__(self, entity_id: str) -> Entity:
        self.settle()
        return self.entities[entity_id]

    def settle(self) -> None:
        """What takes time and is over by now has happened."""
        now = self.clock()
        for entity in self.entities.values():
            while entity.coming and entity.coming[0][0] <= now:
                _, state, attributes = entity.coming.pop(0)
                if entity.state != UNAVAILABLE:
                    entity.become(state, **attributes)

    def states(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Of every entity, exposed or not, as the REST door tells them."""
        self.settle()
        return {entity.id: (entity.state, dict(entity.attributes)) for entity in self.entities.values()}

    def exposed(self) -> list[Entity]:
        self.settle()
        return sorted((one for one in self.entities.values() if one.exposed), key=lambda one: one.name)

    def area(self, name: str) -> Area | None:
        return next((area for area in self.areas.values() if area.is_called(name)), None)

    # --- which entities a call means

    def match(self, wanted: Wanted) -> list[Entity]:
        """In the order in which Home Assistant asks: places, domain, name, class, exposure, place, twins."""
        area, floor = self._place(wanted)
        found: Sequence[Entity] = list(self.entities.values())
        if wanted.domains:
            found = self._kept(found, lambda one: one.domain in wanted.domains, wanted, "DOMAIN")  # type: ignore[operator]
        if wanted.name is not None:
            found = self._kept(found, lambda one: one.is_called(wanted.name), wanted, "NAME")  # type: ignore[arg-type]
        if wanted.device_classes:
            classes = wanted.device_classes
            found = self._kept(
                found, lambda one: one.attributes.get("device_class") in classes, wanted, "DEVICE_CLASS"
            )
        found = self._kept(found, lambda one: one.exposed, wanted, "ASSISTANT")
        if floor is not None:
            found = self._kept(found, lambda one: self._floor_of(one) == floor, wanted, "FLOOR")
        if area is not None:
            found = self._kept(
                found, lambda one: one.area == area.name, wanted, "AREA", f"[{_area_repr(area)}]"
            )
        if wanted.name is not None and len(found) > 1:
            raise wanted.failed("DUPLICATE_NAME", wanted.name)
        if wanted.single and len(found) > 1:
            raise wanted.failed("MULTIPLE_TARGETS")
        return list(found)

    def _place(self, wanted: Wanted) -> tuple[Area | None, str | None]:
        area, floor = None, None
        if wanted.floor is not None:
            floors = {one.floor.casefold(): one.floor for one in self.areas.values() if one.floor}
            floor = floors.get(wanted.floor.strip().casefold())
            if floor is None:
                raise wanted.failed("INVALID_FLOOR", wanted.floor)
        if wanted.area is not None:
            area = self.area(wanted.area)
            if area is None:
                raise wanted.failed("INVALID_AREA", wanted.area)
        return area, floor

    @staticmethod
    def _kept(
        found: Sequence[Entity],
        fits: Callable[[Entity], bool],
        wanted: Wanted,
        reason: str,
        areas: str = "[]",
    ) -> Sequence[Entity]:
        kept = [one for one in found if fits(one)]
        if not kept:
            raise wanted.failed(reason, areas=areas)
        return kept

    def _floor_of(self, entity: Entity) -> str:
        return self.areas[entity.area].floor if entity.area in self.areas else ""


def _area_repr(area: Area) -> str:
    aliases = set(area.aliases) or "set()"
    return (
        f"AreaEntry(name={area.name!r}, normalized_name={area.id!r}, created_at=datetime.datetime(2026, 11,"
        f" 15, 18, 7, 33, 818177, tzinfo=datetime.timezone.utc), aliases={aliases},"
        f" floor_id={slug(area.floor)!r}, humidity_entity_id=None, icon=None,"
        f" id={area.id!r}, labels=set(), picture=None,"
        f" temperature_entity_id=None, _cache={{'json_fragment': <orjson.Fragment at 0x7f5dba4f3e70>}})"
    )
