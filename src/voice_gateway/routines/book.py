"""Makes routines, finds them by what people call them, and changes them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Protocol

from voice_gateway.config import RoutinesSettings
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.routines.model import Call, Event, Every, Later, Missing, Once, Routine, Sun
from voice_gateway.routines.schedule import NoPlace, Place, due_next, on_clock
from voice_gateway.routines.store import RoutineStore
from voice_gateway.routines.wording import date_of, say_when
from voice_gateway.turn import OutcomeStatus, speaking

NO_OPENING = (
    "A routine may not open the house. To allow it, set allow_opening = true below [routines] in "
    "voice-gateway.toml. I kept nothing."
)
OVER = "It is over already."
NEAR = timedelta(minutes=2)  # times that are nearer are given to the second
LONGEST_SAY = 300  # characters
MOST_SHOWN = 4  # routines in a question


@dataclass(frozen=True, slots=True)
class JudgedCalls:
    """What calls would do."""

    text: str  # "turn on the Floor Lamp"
    devices: tuple[tuple[str, str, str], ...] = ()  # name, room and server
    sensitive: bool = False
    opens: bool = False  # the house


class RoutineReader(Protocol):
    """Reads words, and knows the home. `app/` hands it in."""

    def when(self, text: str) -> Later | Missing | None: ...

    def order(self, text: str) -> Sequence[Call] | str:
        """The calls that these words mean, or why there are none."""
        ...

    def judged(self, calls: Sequence[Call]) -> JudgedCalls: ...


class RoutineBook:
    """Every method blocks on the store: call it through a thread."""

    def __init__(
        self,
        store: RoutineStore,
        reader: RoutineReader | None,  # None: only for looking, cancelling and pausing
        place: Place,
        settings: RoutinesSettings,
        *,
        now: Callable[[], datetime],
    ) -> None:
        self.store, self.place, self.now = store, place, now
        self._reader, self._settings = reader, settings

    @property
    def _home(self) -> RoutineReader:
        if self._reader is None:
            raise ToolError("That needs the home.")
        return self._reader

    # --- making

    def drafted(self, when: str, do: str = "", calls: Sequence[Call] = (), say: str = "") -> Routine:
        """The routine as it would be kept. BadArguments: it cannot be, with a sentence that says why."""
        later = self._later(when)
        read: Sequence[Call] | str = calls or (self._home.order(do) if do else ())
        if isinstance(read, str):
            raise BadArguments(read)
        if not read and not say:
            raise BadArguments("There is nothing in it to do or to say.")
        if len(say) > LONGEST_SAY:
            raise BadArguments(f"What is said may have {LONGEST_SAY} characters.")
        made = Routine(
            "", later.trigger, tuple(read), say, later.condition, until=later.until, note=later.note
        )
        return self._judged(replace(made, back=later.back, made=self.now()))

    def _later(self, when: str) -> Later:
        """BadArguments: these words are no time and no event."""
        later = self._home.when(when)
        if isinstance(later, Later):
            return later
        problem = f'I can\'t read "{when[:80]}" as a time or an event. For example: "every day at 7 am".'
        raise BadArguments(later.text if later else problem)

    def _judged(self, routine: Routine) -> Routine:
        """With what the home says of its calls, its next time, and its text."""
        judged = self._home.judged(routine.calls)
        if judged.opens and not self._settings.allow_opening:
            raise ToolError(NO_OPENING)
        made = replace(routine, devices=judged.devices, sensitive=judged.sensitive, next=self._next(routine))
        what = judged.text or f"say “{routine.say}”"
        return replace(made, text=f"{what} {say_when(made, self.now(), self.place, absolute=True)}")

    def _next(self, routine: Routine) -> datetime | None:
        try:
            return due_next(routine, self.now(), self.place)
        except NoPlace:
            raise BadArguments("home.latitude and home.longitude are not set.") from None

    def keep(self, routine: Routine) -> Routine:
        """With where it was made. ToolError: it was not kept."""
        if (heard := speaking()) is not None:
            made_in = heard.conversation_id
            routine = replace(routine, channel=heard.channel, room=heard.room or "", conversation=made_in)
        return self.store.add([routine], self._settings.limit)[0]

    def what(self, routine: Routine) -> str:
        """ "turn on the Floor Lamp" """
        return self._home.judged(routine.calls).text or f"say “{routine.say}”"

    def spoken(self, routine: Routine, *, just_made: bool = False) -> str:
        """ "turn on the Floor Lamp tomorrow at 7 AM"; a duration is only said of a new routine."""
        if isinstance(routine.trigger, Once) and not just_made:
            at = routine.trigger.at.replace(microsecond=0)
            at = at if at - self.now() < NEAR else at.replace(second=0)
            routine = replace(routine, trigger=Once(at))
        return f"{self.what(routine)} {say_when(routine, self.now(), self.place)}"

    # --- finding

    def find(self, name: str, fits: Callable[[Routine], bool] | None = None) -> list[Routine]:
        """The routine that is meant, or all if that is said. ToolError asks where several could be meant and
        not only one of them `fits`."""
        routines = self.store.all()
        if not routines:
            raise ToolError("No routines are planned.", structured={"routines": []})
        wanted = _plain(name)
        if wanted in ("all", "everything", "every"):
            return routines
        if wanted in ("last", "newest", "it", "that"):
            return [max(routines, key=lambda routine: (routine.made, routine.id))]
        if wanted in ("first", "next"):
            return routines[:1]
        placed = name.removesuffix(".")  # its place in the list
        if placed != name and placed.isdecimal() and int(placed) <= len(routines):
            return routines[int(placed) - 1 : int(placed)]
        if numbered := [routine for routine in routines if str(routine.id) == wanted]:
            return numbered
        words = set(wanted.split())
        matches = [routine for routine in routines if words <= self._names(routine)] if words else routines
        if fits is not None and len(matches) > 1:
            matches = list(filter(fits, matches)) or matches
        if not matches:
            raise ToolError(f"I don't find that routine. Planned: {self._shown(routines)}.")
        if len(matches) > 1:
            raise self._ambiguous(matches)
        return matches

    def find_next(self, name: str, day: str) -> list[Routine]:
        """Like `find`, limited to routines that run on `day` ("today", "tomorrow", an ISO date) if given."""
        wanted = self.day_meant(day)
        if wanted is None:
            return self.find(name or "last", has_time)

        def is_on(moment: datetime | None) -> bool:
            return moment is not None and moment.astimezone(self.place.zone).date() == wanted

        start = on_clock(datetime.combine(wanted, time()), self.place.zone) - timedelta(seconds=1)
        soonest = any(is_on(routine.next) for routine in self.store.all())

        def fits(routine: Routine) -> bool:
            """Its next time, or where nothing comes next on that day any time."""
            later = not soonest and has_time(routine)
            following = due_next(routine, max(start, self.now()), self.place) if later else routine.next
            return is_on(following)

        matches = self.find(name, fits) if name else [*filter(fits, self.store.all())]
        if not any(map(fits, matches)):
            here = self.now().astimezone(self.place.zone)
            named = date_of(datetime.combine(wanted, time()), here) if day[:1].isdecimal() else day
            raise ToolError(f"Nothing of that is planned for {named}, so I skipped nothing.")
        if len(matches) > 1:
            raise self._ambiguous(matches)
        return matches

    def day_meant(self, day: str) -> date | None:
        ahead = {"today": 0, "tonight": 0, "tomorrow": 1}.get(day)
        if ahead is not None:
            return self.now().astimezone(self.place.zone).date() + timedelta(days=ahead)
        try:
            return date.fromisoformat(day) if day else None
        except ValueError:
            raise BadArguments(f'I can\'t read "{day[:80]}" as a day.') from None

    def _ambiguous(self, matches: Sequence[Routine]) -> ToolError:
        facts = {"outcome": OutcomeStatus.AMBIGUOUS.value}
        return ToolError(f"Which routine do you mean? {self._shown(matches)}.", structured=facts)

    def _shown(self, routines: Sequence[Routine]) -> str:
        return "; ".join(self.spoken(routine) for routine in routines[:MOST_SHOWN])

    def _names(self, routine: Routine) -> set[str]:
        """All words by which it can be named: its own, and the day and part of the day of its next time."""
        own = set(_plain(routine.text).split())
        if routine.next is None:
            return own
        there, here = (moment.astimezone(self.place.zone) for moment in (routine.next, self.now()))
        days = {0: {"today"}, 1: {"tomorrow"}}.get((there.date() - here.date()).days, set())
        parts = ("night", "morning", "afternoon", "evening", "night")
        part = parts[sum(there.hour >= hour for hour in (5, 12, 18, 22))]
        return own | days | {part, f"{there:%A}".casefold(), f"{there:%-I}:{there:%M}"}

    # --- changing

    def cancel(self, routines: Sequence[Routine]) -> list[Routine]:
        gone = self.store.remove([routine.id for routine in routines])
        if not gone:
            raise ToolError(OVER)
        return gone

    def skip(self, routine: Routine, day: date | None = None) -> Routine | None:
        """Skips its next time, or a day; None: it had no other time and is cancelled."""
        if routine.one_time:
            self.cancel([routine])
            return None
        if routine.next is None:
            raise ToolError("I don't know when that comes next, so there is nothing to skip.")
        if isinstance(routine.trigger, Event):  # its state has lasted for a while already
            return self._replaced(replace(routine, next=None))
        if day is not None and routine.next.astimezone(self.place.zone).date() != day:
            return self._replaced(replace(routine, left_out=(*routine.left_out, day)))
        following = due_next(routine, max(routine.next, self.now()), self.place)
        if following is None:
            self.cancel([routine])
            return None
        return self._replaced(replace(routine, next=following))

    def move(self, routine: Routine, when: str) -> Routine:
        return self._replaced(self.moved(routine, when))

    def moved(self, routine: Routine, when: str) -> Routine:
        """Moves a routine to another time; a repeated routine keeps repeating at the new time."""
        later = self._later(when)
        trigger = later.trigger
        if isinstance(routine.trigger, Event) or isinstance(trigger, Event):
            raise ToolError("That starts when something happens, so it has no time to move.")
        if isinstance(trigger, Once) and trigger.seconds is None:
            if not _HALF_SAID.search(when.casefold()):
                trigger = replace(trigger, at=self._same_half(trigger.at, routine))
            if isinstance(routine.trigger, Every):
                rule = _at_time(routine.trigger.rrule, trigger.at.astimezone(self.place.zone))
                trigger = replace(routine.trigger, rrule=rule)
        elif isinstance(routine.trigger, Sun | Every) and isinstance(trigger, Sun):
            trigger = replace(trigger, once=routine.one_time)
        return self._judged(replace(routine, trigger=trigger, condition=later.condition or routine.condition))

    def _same_half(self, at: datetime, routine: Routine) -> datetime:
        """ "To 7:30" without am or pm: what comes at 6 in the morning stays in the morning."""
        zone = self.place.zone
        if routine.next is None or at.astimezone(zone).hour in (0, 12):
            return at
        before, new = (moment.astimezone(zone) for moment in (routine.next, at))
        apart = abs((new.hour * 60 + new.minute) - (before.hour * 60 + before.minute))
        if min(apart, 1440 - apart) <= 360:
            return at
        other = at + timedelta(hours=12 if new.hour < 12 else -12)
        return other if other > self.now() or not routine.one_time else other + timedelta(days=1)

    def pause(self, *, paused: bool, routines: Sequence[Routine] | None = None) -> list[Routine]:
        """These, or all but those that end what was done for a while: a lamp would stay on. A routine that is
        resumed counts from now; the times it missed are not made up for."""
        if routines is None:
            routines = [routine for routine in self.store.all() if not (paused and routine.back)]
        changed = [replace(routine, paused=paused) for routine in routines if routine.paused != paused]
        if paused:
            return self.store.replace(changed)
        resumed = [replace(routine, next=self._next(routine)) for routine in changed]
        self.store.remove([routine.id for routine in resumed if not _comes(routine)])
        return self.store.replace(filter(_comes, resumed))

    def _replaced(self, routine: Routine) -> Routine:
        kept = self.store.replace([routine])
        if not kept:
            raise ToolError(OVER)
        return kept[0]


def has_time(routine: Routine) -> bool:
    """Whether it can be moved and skipped."""
    return not isinstance(routine.trigger, Event)


def _comes(routine: Routine) -> bool:
    return routine.next is not None or isinstance(routine.trigger, Event)


_FILLERS = frozenset(
    "the my routine routines plan plans of one for a to that this please timer rule automation".split()
)
_HALF_SAID = re.compile(
    r"\d ?[ap]m\b|morning|afternoon|evening|night|noon|\b(?:1[3-9]|2[0-3]):|\b0\d:|rrule|t\d\d:"
)


def _plain(name: str) -> str:
    words = re.sub(r"[^\w\s:]", " ", name.casefold()).split()
    return " ".join(word for word in words if word not in _FILLERS)


def _at_time(rrule: str, at: datetime) -> str:
    rule = re.sub(r"BYHOUR=[\d,]+", f"BYHOUR={at.hour}", rrule)
    return re.sub(r"BYMINUTE=[\d,]+", f"BYMINUTE={at.minute}", rule)
