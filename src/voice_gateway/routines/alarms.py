"""Alarms and reminders that come again and again: routines that let one ring each time."""

from collections.abc import Callable, Sequence
from typing import Any

from voice_gateway.routines.book import RoutineBook
from voice_gateway.routines.model import MAKE, Routine, calls_text
from voice_gateway.routines.wording import say_when, when_text
from voice_gateway.tools.builtin.timers.store import Kind, Timer


class RepeatedAlarms:
    """As the tools of timers see them. `book` is asked for when needed: it is made behind those tools."""

    def __init__(self, book: Callable[[], RoutineBook]) -> None:
        self._book = book

    def all(self) -> list[Timer]:
        return [self._shown(one) for one in self._book().all() if one.rings and one.next is not None]

    def cancel(self, timers: Sequence[Timer]) -> list[dict[str, Any]]:
        book, numbers = self._book(), {-timer.id for timer in timers}
        gone = book.cancel([one for one in book.all() if one.id in numbers])
        return [made_again(one) for one in gone]

    def _shown(self, routine: Routine) -> Timer:
        book, args = self._book(), routine.calls[0]["args"]
        paused = " (paused)" if routine.paused else ""
        assert routine.next is not None
        return Timer(
            -routine.id,  # a timer's own are above 0
            str(args.get("name", "")),
            str(args.get("message", "")),
            0.0,
            routine.next,
            kind=Kind(args.get("kind", Kind.ALARM)),
            again=f"{say_when(routine, book.now(), book.place, absolute=True)}{paused}",
        )


def made_again(routine: Routine) -> dict[str, Any]:
    """The call that makes a cancelled routine once more."""
    calls = calls_text(routine.calls) if routine.calls else ""
    args = {"when": when_text(routine), "calls": calls, "say": routine.say}
    return {"name": MAKE, "args": {key: value for key, value in args.items() if value}}
