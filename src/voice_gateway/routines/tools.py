"""The tools `make_routine`, `list_routines` and `cancel_routine`, and repeated alarms for the timer tools."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, time
from typing import Any

from langchain_core.tools import BaseTool

from home_names.phrases import listed
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.routines.book import RoutineBook, has_time
from voice_gateway.routines.model import CANCEL, LIST, MAKE, Call, Routine, calls_text
from voice_gateway.routines.wording import date_of, on_day, say_when, when_text
from voice_gateway.tools.builtin.timers.store import Kind, Timer
from voice_gateway.tools.gateway_tool import declared_tool, parameters
from voice_gateway.turn import ToolTraits

MOST_SAID = 5  # routines in a list
NOT_RUNNING = "It only happens while the gateway is running."

MAKE_TEXT = (
    "REQUIRED for later: you MUST call this whenever the user asks about doing something at a time, again "
    "and again, or when something happens. DO NOT use for now, or reminders.\n"
    'Good: "lamp off at 11 pm". Bad: "lamp off".'
)
LIST_TEXT = (
    "REQUIRED to know what is planned: you MUST call this whenever the user asks about routines. DO NOT use "
    'for timers.\nGood: "what is planned". Bad: "how long is left".'
)
CANCEL_TEXT = (
    "REQUIRED to end a routine: you MUST call this whenever the user asks about cancelling what is planned. "
    'DO NOT use for timers.\nGood: "forget the lamp routine". Bad: "stop the timer".'
)


MAKE_PARAMETERS = parameters(
    "when",
    when='For example "tomorrow at 7 am", "every weekday at 6", "when the front door opens"',
    do='The command, for example "turn on the floor lamp"',
    say='Or what to say then, for example "good morning"',
    calls='Leave out; do, as JSON, for example [{"name": "tool", "args": {}}]',
)
CANCEL_PARAMETERS = parameters(
    name='For example "floor lamp", "last" or "all"',
    action={
        "type": "string",
        "enum": ["cancel", "skip", "move", "pause", "resume"],
        "description": 'For example "skip" for one time; "cancel" if left out',
    },
    when='Of move, for example "at 8 am"; of skip "today" or "tomorrow"',
)

Facts = dict[str, Any]


class _Tools:
    def __init__(
        self,
        book: RoutineBook,
        runs: Callable[[], bool],
        home_known: Callable[[Sequence[Call]], Awaitable[None]],
    ) -> None:
        self._book, self._runs, self._home_known = book, runs, home_known
        self._warned = False

    # --- for the permission; what cannot be kept is refused by the tool itself, with a sentence

    def makes_sensitive(self, args: Mapping[str, Any]) -> bool:
        """By the calls that it would make later."""
        try:
            return self._book.drafted(*_given(args)).sensitive
        except ToolError:
            return False

    def making(self, args: Mapping[str, Any]) -> str:
        """What it would do and when, for a question."""
        try:
            return self._book.spoken(self._book.drafted(*_given(args)), just_made=True)
        except ToolError:
            return "plan that"

    def changes_sensitive(self, args: Mapping[str, Any]) -> bool:
        """The user's yes was for another time, or was taken back by a pause."""
        return any(routine.sensitive for routine in self._changed(args))

    def changing(self, args: Mapping[str, Any]) -> str:
        return listed([self._book.spoken(routine) for routine in self._changed(args)]) or "change that"

    def _changed(self, args: Mapping[str, Any]) -> Sequence[Routine]:
        """What is moved, as it would be then, and the sensitive ones that are resumed."""
        action, name = args.get("action"), str(args.get("name") or "")
        try:
            if action == "resume":
                matches = self._book.find(name or "all")
                return [routine for routine in matches if routine.paused and routine.sensitive]
            if action == "move" and len(matches := self._book.find(name, has_time)) == 1:
                return [self._book.moved(matches[0], str(args.get("when") or ""))]
        except ToolError:
            pass
        return ()

    # --- the tools

    async def make(self, when: str, do: str = "", say: str = "", calls: str = "") -> tuple[str, Facts]:
        given = _given({"when": when, "do": do, "say": say, "calls": calls})
        await self._home_known(given[2])
        routine = await asyncio.to_thread(self._book.drafted, *given)
        kept = await asyncio.to_thread(self._book.keep, routine)
        text = f"{kept.note} Okay, I'll {self._book.spoken(kept, just_made=True)}.".lstrip()
        return await self._or_not_running(text), self._facts([kept], [_cancelling(kept)])

    async def list(self) -> tuple[str, Facts]:
        routines = await asyncio.to_thread(self._book.store.all)
        return await self._or_not_running(self._listing(routines)), self._facts(routines)

    async def cancel(self, name: str = "", action: str = "cancel", when: str = "") -> tuple[str, Facts]:
        if action in ("pause", "resume"):
            return await asyncio.to_thread(self._pause, name, paused=action == "pause")
        if action == "skip":
            return await asyncio.to_thread(self._skip, name, when)
        matches = await asyncio.to_thread(self._book.find, name, has_time if action == "move" else None)
        if action == "move":
            if len(matches) != 1 or not when:
                raise BadArguments("Which routine shall I move, and to when?")
            await self._home_known(matches[0].calls)
            moved = await asyncio.to_thread(self._book.move, matches[0], when)
            undo = [_cancelling(moved), made_again(matches[0])]
            return f"Okay, I'll {self._book.spoken(moved)}.", self._facts([moved], undo)
        gone = await asyncio.to_thread(self._book.cancel, matches)
        text = f"{len(gone)} routines are cancelled."
        if len(gone) == 1:
            text = f"Okay, I won't {self._book.spoken(gone[0])}."
        return text, self._facts(gone, [made_again(routine) for routine in gone])

    def _skip(self, name: str, day: str) -> tuple[str, Facts]:
        matches = self._book.find_next(name, day)
        if len(matches) != 1:
            raise BadArguments("Which routine shall I skip?")
        wanted = self._book.day_meant(day)
        left = self._book.skip(matches[0], wanted)
        if left is None or left.next is None:
            return f"Okay, I won't {self._book.spoken(matches[0])}.", self._facts(matches)
        zone = self._book.place.zone
        if wanted is not None and wanted in left.left_out:
            shown = date_of(datetime.combine(wanted, time()), self._book.now().astimezone(zone))
            return f"Okay, I skip it on {shown}.", self._facts([left])
        following = on_day(left.next.astimezone(zone), self._book.now().astimezone(zone))
        return f"Okay, I skip it once. I'll {self._book.what(left)} again {following}.", self._facts([left])

    def _pause(self, name: str, *, paused: bool) -> tuple[str, Facts]:
        only = self._book.find(name) if name and name != "all" else None
        changed = self._book.pause(paused=paused, routines=only)
        if not changed:
            return f"No routine is {'running' if paused else 'paused'}.", self._facts([])
        routines = "The routine is" if len(changed) == 1 else f"{len(changed)} routines are"
        text = f"{routines} paused until you say: resume the routines." if paused else f"{routines} on again."
        back = "resume" if paused else "pause"
        undo = [_cancelling(routine, action=back) for routine in changed]
        return text, self._facts(changed, undo)

    def _listing(self, routines: Sequence[Routine]) -> str:
        if not routines:
            return "Nothing is planned."
        shown = [
            f"{self._book.spoken(routine)}{' (paused)' if routine.paused else ''}"
            for routine in routines[:MOST_SAID]
        ]
        if len(routines) == 1:
            return f"I'll {shown[0]}."
        more = [f"{len(routines) - len(shown)} more"] if len(routines) > len(shown) else []
        return f"{len(routines)} routines: {'; '.join([*shown, *more])}."

    async def _or_not_running(self, text: str) -> str:
        """The text, with a remark the first time that nothing here would carry a routine out."""
        if self._warned or await asyncio.to_thread(self._runs):
            return text
        self._warned = True
        return f"{text} {NOT_RUNNING}"

    def _facts(self, routines: Sequence[Routine], undo: Sequence[Mapping[str, Any]] = ()) -> Facts:
        shown = [routine.to_json(self._book.place.zone) for routine in routines]
        return {"structured": {"routines": shown, "before": list(undo)}}


async def _known_already(_: Sequence[Call]) -> None:
    """For a home that is there."""


def routine_tools(
    book: RoutineBook,
    runs: Callable[[], bool],
    home_known: Callable[[Sequence[Call]], Awaitable[None]] = _known_already,
) -> list[BaseTool]:
    """`runs`: whether a gateway carries routines out now; `home_known` waits for the devices of calls."""
    own = _Tools(book, runs, home_known)
    making = ToolTraits(
        title="Make a routine",
        summary="Does something later, again and again, or when something happens.",
        sensitive=own.makes_sensitive,
        asked=own.making,
    )
    looking = ToolTraits(title="Routines", summary="What is planned.", read_only=True, idempotent=True)
    changing = ToolTraits(
        title="Cancel or change a routine",
        summary="Cancels, skips, moves or pauses what is planned.",
        sensitive=own.changes_sensitive,
        asked=own.changing,
    )
    return [
        declared_tool(MAKE, MAKE_TEXT, MAKE_PARAMETERS, own.make, making),
        declared_tool(LIST, LIST_TEXT, parameters(), own.list, looking),
        declared_tool(CANCEL, CANCEL_TEXT, CANCEL_PARAMETERS, own.cancel, changing),
    ]


def _cancelling(routine: Routine, **more: str) -> dict[str, Any]:
    return {"name": CANCEL, "args": {"name": str(routine.id), **more}}


def _given(args: Mapping[str, Any]) -> tuple[str, str, tuple[Call, ...], str]:
    try:
        calls = json.loads(args.get("calls") or "[]")
        fit = all(isinstance(call["name"], str) and isinstance(call.get("args", {}), dict) for call in calls)
    except (ValueError, TypeError, KeyError, RecursionError):
        fit = False
    if not fit:
        raise BadArguments('calls must be a list of {"name": …, "args": {…}}.')
    made = tuple({"name": call["name"], "args": dict(call.get("args") or {})} for call in calls)
    return str(args.get("when") or ""), str(args.get("do") or ""), made, str(args.get("say") or "")


def made_again(routine: Routine) -> dict[str, Any]:
    """The call that makes a cancelled routine once more."""
    calls = calls_text(routine.calls) if routine.calls else ""
    args = {"when": when_text(routine), "calls": calls, "say": routine.say}
    return {"name": MAKE, "args": {key: value for key, value in args.items() if value}}


class RepeatedAlarms:
    """Routines that let an alarm or a reminder ring, as the timer tools see them. `book` is asked for when it
    is needed, because it is made after those tools."""

    def __init__(self, book: Callable[[], RoutineBook]) -> None:
        self._book = book

    def all(self) -> list[Timer]:
        routines = self._book().store.all()
        return [self._timer(routine, routine.next) for routine in routines if routine.rings and routine.next]

    def cancel(self, timers: Sequence[Timer]) -> list[dict[str, Any]]:
        """The calls that make them again."""
        book, numbers = self._book(), {-timer.id for timer in timers}
        gone = book.cancel([routine for routine in book.store.all() if routine.id in numbers])
        return [made_again(routine) for routine in gone]

    def _timer(self, routine: Routine, due: datetime) -> Timer:
        book, args = self._book(), routine.calls[0]["args"]
        again = say_when(routine, book.now(), book.place, absolute=True)
        name, message = str(args.get("name", "")), str(args.get("message", ""))
        return Timer(
            -routine.id,  # the numbers of timers are above 0
            name,
            message,
            0.0,
            due,
            kind=Kind(args.get("kind", Kind.ALARM)),
            again=f"{again} (paused)" if routine.paused else again,
        )
