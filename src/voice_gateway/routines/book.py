"""Makes routines, finds them again by what people call them, and changes them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from voice_gateway.config import RoutinesSettings
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.routines.loops import starts_itself
from voice_gateway.routines.model import (
    Call,
    Condition,
    Event,
    Every,
    Later,
    Missing,
    Once,
    Routine,
    Sun,
    from_record,
    to_record,
)
from voice_gateway.routines.schedule import NoPlace, Place, check_rule, due_next
from voice_gateway.routines.store import RoutineStore
from voice_gateway.routines.wording import say_when
from voice_gateway.turn import OutcomeStatus

NOBODY_RUNS = "Only a running gateway carries it out: start one with voice-gateway run."
NO_OPENING = (
    "A routine may not open the house. Whoever wants that sets allow_opening = true below [routines] in "
    "voice-gateway.toml. I kept nothing."
)
MINUTES = timedelta(minutes=2)  # what is nearer is told to the second
LONGEST_SAY = 300  # characters


@dataclass(frozen=True, slots=True)
class JudgedCalls:
    """What calls would do, by whoever knows the home."""

    text: str  # "turn on the Floor Lamp"
    devices: tuple[tuple[str, str, str], ...] = ()  # name, room and server
    sensitive: bool = False
    opens: bool = False  # the house


class RoutineReader(Protocol):
    """Who reads words and knows the home."""

    def when(self, text: str) -> Later | Missing | None: ...

    def order(self, text: str) -> Sequence[Call] | str:
        """The calls that these words mean, or why there are none."""
        ...

    def judged(self, calls: Sequence[Call]) -> JudgedCalls: ...

    def nobody_tells(self, server: str, resource: str) -> str:
        """Why no change of that can be noticed; empty where it can."""
        ...


@dataclass(frozen=True, slots=True)
class From:
    """Who made it, and where."""

    channel: str = "cli"
    room: str = ""
    conversation: str = "default"


class RoutineBook:
    """Every method waits for the disk: call it through a thread."""

    def __init__(
        self,
        store: RoutineStore,
        words: RoutineReader | None,
        place: Place,
        settings: RoutinesSettings,
        *,
        now: Callable[[], datetime],
    ) -> None:
        self.store, self.place = store, place
        self._home, self._settings, self.now = words, settings, now

    @property
    def _words(self) -> RoutineReader:
        """Who only looks, cancels or pauses needs none."""
        if self._home is None:
            raise ToolError("That needs the home.")
        return self._home

    # --- making

    def drafted(self, when: str, do: str = "", calls: Sequence[Call] = (), say: str = "") -> Routine:
        """As it would be kept. BadArguments: it cannot be, with a sentence that says why."""
        later = self._words.when(when)
        if later is None:
            raise BadArguments(
                f'I can\'t read "{when[:80]}" as a time or an event. For example: "every day at 7 am".'
            )
        if isinstance(later, Missing):
            raise BadArguments(later.text)
        found: Sequence[Call] | str = calls or (self._words.order(do) if do else ())
        if isinstance(found, str):
            raise BadArguments(found)
        if not found and not say:
            raise BadArguments("There is nothing in it to do or to say.")
        if len(say) > LONGEST_SAY:
            raise BadArguments(f"What is said may have {LONGEST_SAY} characters.")
        made = Routine("", later.trigger, tuple(found), say, later.condition, until=later.until)
        return self._judged(replace(made, back=later.back, made=self.now()))

    def _judged(self, routine: Routine) -> Routine:
        judged = self._words.judged(routine.calls)
        if judged.opens and not self._settings.allow_opening:
            raise ToolError(NO_OPENING)
        what = judged.text or f"say “{routine.say}”"
        made = replace(routine, devices=judged.devices, sensitive=judged.sensitive, next=self._next(routine))
        return replace(made, text=f"{what} {say_when(made, self.now(), self.place, absolute=True)}")

    def _next(self, routine: Routine) -> datetime | None:
        try:
            return due_next(routine, self.now(), self.place)
        except NoPlace:
            raise BadArguments("home.latitude and home.longitude are not set.") from None

    def keep(self, routine: Routine, by: From) -> Routine:
        """ToolError: it is not kept, and nothing of it is."""
        if isinstance(routine.trigger, Event) and starts_itself(routine, self.store.events()):
            raise ToolError("That would start itself again and again, so I kept nothing.")
        made = replace(routine, channel=by.channel, room=by.room, conversation=by.conversation)
        return self.store.add([made], self._settings.limit)[0]

    def what(self, routine: Routine) -> str:
        """ "turn on the Floor Lamp" """
        return self._words.judged(routine.calls).text or f"say “{routine.say}”"

    def spoken(self, routine: Routine, *, just_made: bool = False) -> str:
        """ "turn on the Floor Lamp tomorrow at 7 AM"; a length of time is only said while it is new."""
        if isinstance(routine.trigger, Once) and not just_made:
            at = routine.trigger.at.replace(microsecond=0)
            routine = replace(
                routine, trigger=Once(at if at - self.now() < MINUTES else at.replace(second=0))
            )
        return f"{self.what(routine)} {say_when(routine, self.now(), self.place)}"

    def note(self, when: str) -> str:
        """What should be said beside it: that a time has passed and means tomorrow."""
        later = self._words.when(when)
        return later.note if isinstance(later, Later) else ""

    # --- finding

    def all(self) -> list[Routine]:
        return self.store.all()

    def find(self, name: str, fits: Callable[[Routine], bool] | None = None) -> list[Routine]:
        """Never more than was meant: what is not clear is asked. Of several with that name only the one that
        `fits` can be meant."""
        routines = self.store.all()
        if not routines:
            raise ToolError("No routines are planned.", structured={"routines": []})
        wanted = _plain(name)
        if wanted in ("all", "everything", "every"):
            return routines
        if wanted in ("last", "newest", "it", "that"):
            return [max(routines, key=lambda one: (one.made, one.id))]
        if wanted in ("first", "next"):
            return routines[:1]
        if wanted.isdecimal() and (own := [one for one in routines if one.id == int(wanted)]):
            return own
        said = set(wanted.split())
        found = [one for one in routines if said <= self._called(one)] if said else routines
        if fits is not None and len(found) > 1:
            found = list(filter(fits, found)) or found
        if len(found) == 1:
            return found
        shown = "; ".join(self.spoken(one) for one in (found or routines)[:4])
        if not found:
            raise ToolError(f"I don't find that routine. Planned: {shown}.")
        raise ToolError(
            f"Which routine do you mean? {shown}.", structured={"outcome": OutcomeStatus.AMBIGUOUS.value}
        )

    def _called(self, routine: Routine) -> set[str]:
        """All words that it can be named by: its own, and the part of the day at which it comes next."""
        own = set(_plain(routine.text).split())
        if routine.next is None:
            return own
        there, today = (one.astimezone(self.place.zone) for one in (routine.next, self.now()))
        days = {0: {"today"}, 1: {"tomorrow"}}.get((there.date() - today.date()).days, set())
        parts = ("night", "morning", "afternoon", "evening", "night")
        part = parts[(there.hour >= 5) + (there.hour >= 12) + (there.hour >= 18) + (there.hour >= 22)]
        return own | days | {part, f"{there:%A}".casefold(), f"{there:%-I}:{there:%M}"}

    def find_next(self, name: str, day: str) -> list[Routine]:
        """The one of that name; its next time must be on that day ("today", "tomorrow") if one is said."""
        wanted = {"today": 0, "tonight": 0, "tomorrow": 1}.get(day)
        today = self.now().astimezone(self.place.zone).date()

        def fits(one: Routine) -> bool:
            return (
                one.next is not None and (one.next.astimezone(self.place.zone).date() - today).days == wanted
            )

        if wanted is None:
            return self.find(name or "last", has_time)
        found = self.find(name, fits) if name else [one for one in self.store.all() if fits(one)]
        if not any(map(fits, found)):
            raise ToolError(f"Nothing of that is planned for {day}, so I skipped nothing.")
        if len(found) > 1:
            shown = "; ".join(self.spoken(one) for one in found[:4])
            raise ToolError(
                f"Which routine do you mean? {shown}.", structured={"outcome": OutcomeStatus.AMBIGUOUS.value}
            )
        return found

    # --- changing

    def cancel(self, routines: Sequence[Routine]) -> list[Routine]:
        gone = self.store.remove([one.id for one in routines])
        if not gone:
            raise ToolError("It is over already.")
        return gone

    def skip(self, routine: Routine) -> Routine | None:
        """Its next time is left out; None: there was only that one, and it is cancelled."""
        if routine.one_time:
            self.cancel([routine])
            return None
        if routine.next is None:
            raise ToolError("Nobody knows when that comes next, so there is nothing to skip.")
        if isinstance(routine.trigger, Event):  # it is so for a while already
            return self._replaced(replace(routine, next=None))
        following = due_next(routine, max(routine.next, self.now()), self.place)
        if following is None:
            self.cancel([routine])
            return None
        return self._replaced(replace(routine, next=following))

    def move(self, routine: Routine, when: str) -> Routine:
        return self._replaced(self.moved(routine, when))

    def moved(self, routine: Routine, when: str) -> Routine:
        """As it would be at another time; what comes again and again comes again at the new one."""
        later = self._words.when(when)
        if later is None or isinstance(later, Missing):
            raise BadArguments(
                later.text if isinstance(later, Missing) else f'I can\'t read the time "{when[:80]}".'
            )
        trigger = later.trigger
        if isinstance(trigger, Once) and trigger.seconds is None and not _HALF_SAID.search(when.casefold()):
            trigger = replace(trigger, at=self._same_half(trigger.at, routine))
        if isinstance(routine.trigger, Every) and isinstance(trigger, Once) and trigger.seconds is None:
            trigger = replace(routine.trigger, rrule=_at_time(routine.trigger.rrule, trigger.at, self.place))
        elif isinstance(routine.trigger, Sun | Every) and isinstance(trigger, Sun):
            trigger = replace(trigger, once=routine.one_time)
        elif isinstance(routine.trigger, Event) or isinstance(trigger, Event):
            raise ToolError("That starts when something happens, so it has no time to move.")
        moved = replace(routine, trigger=trigger, condition=later.condition or routine.condition)
        return self._judged(moved)

    def _same_half(self, at: datetime, routine: Routine) -> datetime:
        """ "To 7:30" without am or pm: what comes at 6 in the morning stays in the morning."""
        zone = self.place.zone
        if routine.next is None or at.astimezone(zone).hour in (0, 12):
            return at
        before, new = (one.astimezone(zone) for one in (routine.next, at))
        apart = abs((new.hour * 60 + new.minute) - (before.hour * 60 + before.minute))
        if min(apart, 1440 - apart) <= 360:
            return at
        other = at + timedelta(hours=12 if new.hour < 12 else -12)
        return other if other > self.now() or not routine.one_time else other + timedelta(days=1)

    def pause(self, *, paused: bool, routines: Sequence[Routine] | None = None) -> list[Routine]:
        """These, or all but what ends something that was done for a while: a lamp would stay on. Who goes on
        counts from now: what was left out is not made up for."""
        chosen = routines
        if chosen is None:
            chosen = [one for one in self.store.all() if not (paused and one.back)]
        changed = [one for one in chosen if one.paused != paused]
        if paused:
            return self.store.replace(replace(one, paused=True) for one in changed)
        on = [replace(one, paused=False, next=self._next(one)) for one in changed]
        over = [one for one in on if one.next is None and not isinstance(one.trigger, Event)]
        if over:
            self.store.remove([one.id for one in over])
        return self.store.replace(one for one in on if one not in over)

    def _replaced(self, routine: Routine) -> Routine:
        kept = self.store.replace([routine])
        if not kept:
            raise ToolError("It is over already.")
        return kept[0]

    # --- as a file

    def exported(self) -> list[dict[str, Any]]:
        return [to_record(one) for one in self.store.all()]

    def imported(self, records: Sequence[Mapping[str, Any]]) -> int:
        """All or none of them."""
        routines = []
        for place, record in enumerate(records, start=1):
            try:
                routine = from_record(record)
                if isinstance(routine.trigger, Every):
                    check_rule(routine.trigger.rrule)
                self._check_tellers(routine)
                routines.append(self._judged(replace(routine, last=None)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                why = f'"{error.args[0]}" is missing' if isinstance(error, KeyError) else error
                raise BadArguments(
                    f"Routine {place} of the file can't be read: {why}. I kept nothing."
                ) from error
        coming = [one for one in routines if one.next is not None or isinstance(one.trigger, Event)]
        return len(self.store.add(coming, self._settings.limit))

    def _check_tellers(self, routine: Routine) -> None:
        waiting = [one for one in (routine.trigger, routine.condition) if isinstance(one, Event | Condition)]
        for one in waiting:
            known = self._words.nobody_tells(one.server, one.resource) if one.server or one.resource else ""
            if known:
                raise ToolError(f"{known} I kept nothing.")


def has_time(routine: Routine) -> bool:
    """Which can be moved, and skipped."""
    return not isinstance(routine.trigger, Event)


_FILLERS = frozenset(
    "the my routine routines plan plans of one for a to that this please timer rule automation".split()
)


_HALF_SAID = re.compile(
    r"\d ?[ap]m\b|morning|afternoon|evening|night|noon|\b(?:1[3-9]|2[0-3]):|\b0\d:|rrule|t\d\d:"
)


def _plain(name: str) -> str:
    kept = [word for word in re.sub(r"[^\w\s:]", " ", name.casefold()).split() if word not in _FILLERS]
    return " ".join(kept)


def _at_time(rrule: str, at: datetime, place: Place) -> str:
    here = at.astimezone(place.zone)
    rule = re.sub(r"BYHOUR=[\d,]+", f"BYHOUR={here.hour}", rrule)
    return re.sub(r"BYMINUTE=[\d,]+", f"BYMINUTE={here.minute}", rule)
