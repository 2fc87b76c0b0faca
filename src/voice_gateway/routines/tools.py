"""The tools `make_routine`, `list_routines` and `cancel_routine`."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from home_words.phrases import listed
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.routines.alarms import made_again
from voice_gateway.routines.book import NOBODY_RUNS, From, RoutineBook, has_time
from voice_gateway.routines.model import CANCEL, LIST, MAKE, Call, Routine
from voice_gateway.routines.wording import on_day
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.turn import ToolTraits, speaking

MOST_TOLD = 5  # nobody listens to more

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


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


MAKE_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "when": _text('For example "tomorrow at 7 am", "every weekday at 6", "when the front door opens"'),
        "do": _text('The command, for example "turn on the floor lamp"'),
        "say": _text('Or what to say then, for example "good morning"'),
        "calls": _text('Leave out; do, as JSON, for example [{"name": "tool", "args": {}}]'),
    },
    "required": ["when"],
}
CANCEL_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": _text('For example "floor lamp", "last" or "all"'),
        "action": {
            "type": "string",
            "enum": ["cancel", "skip", "move", "pause", "resume"],
            "description": 'For example "skip" for one time; "cancel" if left out',
        },
        "when": _text('Of move, for example "at 8 am"; of skip "today" or "tomorrow"'),
    },
}
NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class _Tools:
    def __init__(
        self,
        book: RoutineBook,
        runs: Callable[[], bool],
        known: Callable[[Sequence[Call]], Awaitable[None]],
    ) -> None:
        self._book, self._runs, self._known = book, runs, known

    def sensitive(self, args: Mapping[str, Any]) -> bool:
        """By the calls that it would make later."""
        try:
            return self._book.drafted(*_given(args)).sensitive
        except ToolError:  # what cannot be kept is refused by the tool itself, with a sentence
            return False

    def asked(self, args: Mapping[str, Any]) -> str:
        """What it would do and when, for a question."""
        try:
            return self._book.spoken(self._book.drafted(*_given(args)), just_made=True)
        except ToolError:  # as above
            return "plan that"

    def _moved(self, args: Mapping[str, Any]) -> Routine | None:
        """As it would be then; None where nothing is moved, or nobody knows what."""
        try:
            moves, name = args.get("action") == "move", str(args.get("name") or "")
            found = self._book.find(name, has_time) if moves else []
            return self._book.moved(found[0], str(args.get("when") or "")) if len(found) == 1 else None
        except ToolError:  # as above
            return None

    def _resumed(self, args: Mapping[str, Any]) -> Sequence[Routine]:
        """What is sensitive among those that would be on again."""
        if args.get("action") != "resume":
            return ()
        try:
            found = self._book.find(str(args.get("name") or "all"))
        except ToolError:  # as above
            return ()
        return [one for one in found if one.paused and one.sensitive]

    def moves_sensitive(self, args: Mapping[str, Any]) -> bool:
        """A yes was for another time, or was taken back by a pause."""
        moved = self._moved(args)
        return bool(self._resumed(args)) or (moved is not None and moved.sensitive)

    def asked_to_move(self, args: Mapping[str, Any]) -> str:
        if resumed := self._resumed(args):
            return listed([self._book.spoken(one) for one in resumed])
        moved = self._moved(args)
        return self._book.spoken(moved) if moved is not None else "change that"

    async def make(
        self, when: str, do: str = "", say: str = "", calls: str = ""
    ) -> tuple[str, dict[str, Any]]:
        given = _given({"when": when, "do": do, "say": say, "calls": calls})
        await self._known(given[2])
        routine = await asyncio.to_thread(self._book.drafted, *given)
        kept = await asyncio.to_thread(self._book.keep, routine, _by())
        said = f"Okay, I'll {self._book.spoken(kept, just_made=True)}."
        if note := self._book.note(when):
            said = f"{note} {said}"
        return await self._told(said), self._facts([kept], [_cancelling(kept)])

    async def list(self) -> tuple[str, dict[str, Any]]:
        routines = await asyncio.to_thread(self._book.all)
        return await self._told(self._listing(routines)), self._facts(routines)

    async def cancel(
        self, name: str = "", action: str = "cancel", when: str = ""
    ) -> tuple[str, dict[str, Any]]:
        if action in ("pause", "resume"):
            return await self._pause(name, paused=action == "pause")
        if action == "skip":
            return await self._skip(await asyncio.to_thread(self._book.find_next, name, when))
        found = await asyncio.to_thread(self._book.find, name, has_time if action == "move" else None)
        if action == "move":
            if len(found) != 1 or not when:
                raise BadArguments("Which routine shall I move, and to when?")
            await self._known(found[0].calls)
            moved = await asyncio.to_thread(self._book.move, found[0], when)
            back = {"name": CANCEL, "args": {"name": str(moved.id)}}
            return f"Okay, I'll {self._book.spoken(moved)}.", self._facts(
                [moved], [back, made_again(found[0])]
            )
        gone = await asyncio.to_thread(self._book.cancel, found)
        again = [made_again(one) for one in gone]
        if len(gone) == 1:
            return f"Okay, I won't {self._book.spoken(gone[0])}.", self._facts(gone, again)
        return f"{len(gone)} routines are cancelled.", self._facts(gone, again)

    async def _skip(self, found: Sequence[Routine]) -> tuple[str, dict[str, Any]]:
        if len(found) != 1:
            raise BadArguments("Which routine shall I skip?")
        left = await asyncio.to_thread(self._book.skip, found[0])
        if left is None or left.next is None:
            return f"Okay, I won't {self._book.spoken(found[0])}.", self._facts(found)
        zone = self._book.place.zone
        following = on_day(left.next.astimezone(zone), self._book.now().astimezone(zone))
        return f"Okay, I skip it once. I'll {self._book.what(left)} again {following}.", self._facts([left])

    async def _pause(self, name: str, *, paused: bool) -> tuple[str, dict[str, Any]]:
        one = await asyncio.to_thread(self._book.find, name) if name and name != "all" else None
        changed = await asyncio.to_thread(self._book.pause, paused=paused, routines=one)
        how = "resume" if paused else "pause"
        back = [{"name": CANCEL, "args": {"name": str(one.id), "action": how}} for one in changed]
        count = len(changed)
        if not count:
            return f"No routine is {'running' if paused else 'paused'}.", self._facts([])
        routines = "The routine is" if count == 1 else f"{count} routines are"
        said = f"{routines} paused until you say: resume the routines." if paused else f"{routines} on again."
        return said, self._facts(changed, back)

    def _listing(self, routines: Sequence[Routine]) -> str:
        if not routines:
            return "Nothing is planned."
        said = [
            f"{self._book.spoken(one)}{' (paused)' if one.paused else ''}" for one in routines[:MOST_TOLD]
        ]
        more = len(routines) - len(said)
        said += [f"{more} more"] if more else []
        return (
            f"I'll {listed(said)}." if len(routines) == 1 else f"{len(routines)} routines: {'; '.join(said)}."
        )

    async def _told(self, said: str) -> str:
        return said if await asyncio.to_thread(self._runs) else f"{said} {NOBODY_RUNS}"

    def _facts(self, routines: Sequence[Routine], before: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        shown = [one.to_json(self._book.place.zone) for one in routines]
        return {"structured": {"routines": shown, "before": list(before)}}


async def _known_already(_: Sequence[Call]) -> None:
    """For a home that is there."""


def routine_tools(
    book: RoutineBook,
    runs: Callable[[], bool],
    known: Callable[[Sequence[Call]], Awaitable[None]] = _known_already,
) -> list[BaseTool]:
    """`runs`: whether a gateway is there that carries them out; `known` waits for what calls are about."""
    own = _Tools(book, runs, known)
    making = ToolTraits(
        title="Make a routine",
        summary="Does something later, again and again, or when something happens.",
        sensitive=own.sensitive,
        asked=own.asked,
    )
    looking = ToolTraits(title="Routines", summary="What is planned.", read_only=True, idempotent=True)
    ending = ToolTraits(
        title="Cancel or change a routine",
        summary="Cancels, skips, moves or pauses what is planned.",
        sensitive=own.moves_sensitive,
        asked=own.asked_to_move,
    )
    return [
        declared_tool(MAKE, MAKE_TEXT, MAKE_PARAMETERS, own.make, making),
        declared_tool(LIST, LIST_TEXT, NO_PARAMETERS, own.list, looking),
        declared_tool(CANCEL, CANCEL_TEXT, CANCEL_PARAMETERS, own.cancel, ending),
    ]


def _given(args: Mapping[str, Any]) -> tuple[str, str, tuple[Mapping[str, Any], ...], str]:
    try:
        calls = json.loads(args.get("calls") or "[]")
        fit = all(isinstance(one["name"], str) and isinstance(one.get("args", {}), dict) for one in calls)
    except (ValueError, TypeError, KeyError, RecursionError):
        fit = False
    if not fit:
        raise BadArguments('calls must be a list of {"name": …, "args": {…}}.')
    made = tuple({"name": one["name"], "args": dict(one.get("args") or {})} for one in calls)
    return str(args.get("when") or ""), str(args.get("do") or ""), made, str(args.get("say") or "")


def _cancelling(routine: Routine) -> Mapping[str, Any]:
    return {"name": CANCEL, "args": {"name": str(routine.id)}}


def _by() -> From:
    said = speaking()
    return From(said.channel, said.room or "", said.conversation_id) if said else From()
