"""Looks at the home until it shows what was asked, or the time for that is over.

Home Assistant's own "done" only means "asked": it says so of an unavailable lamp and a jammed lock as well.
This is the only place that decides "confirmed".
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from voice_gateway.integrations.home_assistant.effects import Effect, Seen
from voice_gateway.integrations.home_assistant.entities import is_available
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.turn import OutcomeStatus

# All entities as they are now: a look that begins with this call.
Look = Callable[[], Awaitable[Sequence[Entity]]]

_MOTORS: Final = frozenset({"cover", "valve", "vacuum"})


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a wish may take to show, by the domain of the entity."""

    seconds: float = 1.5
    by_domain: dict[str, float] = field(
        default_factory=lambda: {
            "lock": 4.0,  # until it moves; many never say that they do
            "cover": 3.0,
            "valve": 3.0,
            "climate": 2.0,
            "media_player": 2.0,
            "vacuum": 3.0,
        }
    )
    lock_moves_seconds: float = 12.0  # a bolt that moves is waited for
    first_pause_seconds: float = 0.05
    pause_seconds: float = 0.2

    def limit(self, domain: str) -> float:
        return self.by_domain.get(domain, self.seconds)


@dataclass(frozen=True, slots=True)
class Verdict:
    effect: Effect
    outcome: OutcomeStatus
    now: Entity | None = None  # as it was seen last; None: it is no longer there
    jammed: bool = False
    hidden: bool = False  # Home Assistant does not show whether it was done


class _Watched:
    """One effect while it is looked for. Twins that cannot be told apart are looked at together."""

    def __init__(self, effect: Effect) -> None:
        self.effect = effect
        self.now: tuple[Entity, ...] = ()
        self.seen = Seen.STILL
        self.moved = False
        self._positions: set[float | None] = set()

    def look(self, entities: Sequence[Entity]) -> Verdict | None:
        was, earlier = self.effect.before, self.now
        self.now = tuple(
            entity
            for entity in entities
            if (entity.names, entity.domain, entity.areas) == (was.names, was.domain, was.areas)
        )
        if not self.now:
            self.seen = Seen.STILL
            return None
        seen = [
            self.effect.seen(entity, earlier[place] if place < len(earlier) else None)
            for place, entity in enumerate(self.now)
        ]
        self._positions |= {entity.number("current_position") for entity in self.now}
        self.seen = next((worst for worst in _WORST if worst in seen), Seen.STILL)
        self.moved = self.moved or self.seen is Seen.MOVING
        if self.seen is Seen.DONE:
            return self._verdict(OutcomeStatus.CONFIRMED)
        if self.seen is Seen.JAMMED:
            return self._verdict(OutcomeStatus.FAILED, jammed=True)
        if self.seen is Seen.HIDDEN:
            return self._verdict(OutcomeStatus.UNCONFIRMED, hidden=True)
        under_way = self.seen is Seen.MOVING and self.effect.before.domain in _MOTORS
        return self._verdict(OutcomeStatus.WORKING) if under_way else None

    def late(self) -> Verdict:
        """Its time is over."""
        if not self.now:
            return Verdict(self.effect, OutcomeStatus.UNCONFIRMED)
        if not all(map(is_available, self.now)):
            return self._verdict(OutcomeStatus.UNREACHABLE)
        if self.seen is Seen.MOVING:
            return self._verdict(OutcomeStatus.WORKING)
        if any(entity.state == "jammed" for entity in self.now):
            return self._verdict(OutcomeStatus.FAILED, jammed=True)
        if self.effect.action == "stop" and (resting := self._resting()) is not None:
            return Verdict(self.effect, OutcomeStatus.CONFIRMED, resting)
        gave_up = self.moved and self.now[0].state == self.effect.before.state
        return self._verdict(OutcomeStatus.FAILED if gave_up else OutcomeStatus.UNCONFIRMED)

    def _resting(self) -> Entity | None:
        """Some still report "closing" after they have stopped: an unchanged position tells more."""
        position = next(iter(self._positions), None)
        if len(self._positions) != 1 or position is None:
            return None
        return replace(self.now[0], state="open" if position else "closed")

    def _verdict(self, outcome: OutcomeStatus, *, jammed: bool = False, hidden: bool = False) -> Verdict:
        return Verdict(self.effect, outcome, self.now[0], jammed, hidden)

    def limit(self, pace: Pace) -> float:
        domain = self.effect.before.domain
        moving = domain == "lock" and self.seen is Seen.MOVING
        return pace.lock_moves_seconds if moving else pace.limit(domain)


_WORST: Final = (Seen.JAMMED, Seen.STILL, Seen.MOVING, Seen.HIDDEN, Seen.DONE)


async def confirm(effects: Sequence[Effect], look: Look, pace: Pace) -> list[Verdict]:
    """One verdict for each effect, in their order."""
    clock = asyncio.get_running_loop().time
    started, pause = clock(), pace.first_pause_seconds
    waiting = {place: _Watched(effect) for place, effect in enumerate(effects)}
    verdicts: dict[int, Verdict] = {}
    looks = 0
    while waiting:
        entities, looks = await look(), looks + 1
        gone = clock() - started
        for place, watched in list(waiting.items()):
            verdict = watched.look(entities)
            if verdict is None and gone >= watched.limit(pace) and looks > 1:  # a stop needs two
                verdict = watched.late()
            if verdict is not None:
                verdicts[place] = verdict
                del waiting[place]
        if waiting:
            await asyncio.sleep(pause)
            pause = pace.pause_seconds
    return [verdicts[place] for place in range(len(effects))]
