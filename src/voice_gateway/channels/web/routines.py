"""`/api/routines`: what is planned, and switching it on and off or deleting it, as by words."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.ask_api import DOOR, Name
from voice_gateway.channels.web.models import Body, checked_name, json_response, read
from voice_gateway.errors import ToolError
from voice_gateway.routines.book import RoutineBook
from voice_gateway.routines.model import CANCEL, Routine
from voice_gateway.turn import Reply, ToolCall, Utterance, new_id

# `Conversation.make_calls`
MakeCalls = Callable[[Utterance, Sequence[ToolCall]], Awaitable[Reply]]
LONGEST_NUMBER = 18  # digits
TALK = "web-routines"  # the conversation of who names none


class Switch(Body):
    enabled: bool
    conversation_id: Name | None = None


class NoRoutine(LookupError):
    """There is none with that number."""


class PlannedRoutines:
    """For the page, and for other assistants. A change is a call like any other: judged, recorded, undone."""

    def __init__(self, book: RoutineBook, make_calls: MakeCalls) -> None:
        self._book = book
        self._make_calls = make_calls

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/routines", self.list, methods=["GET"]),
            Route("/api/routines/{id}", self.one, methods=["GET", "POST", "DELETE"]),
        ]

    async def one(self, request: Request) -> Response:
        """One route for all methods, so that whoever uses another is told all of these."""
        by_method = {"POST": self.switch, "DELETE": self.delete}
        return await by_method.get(request.method, self.show)(request)

    async def listed(self) -> list[dict[str, Any]]:
        """ToolError: nobody can say now."""
        zone = self._book.place.zone
        found = await asyncio.to_thread(self._book.all)
        return [routine_json(one.to_json(zone)) for one in found]

    async def change(self, number: int, action: str, channel: str, conversation: str) -> Reply:
        """`action` is one of CANCEL's. NoRoutine; ToolError: nobody can say now."""
        routine = await self._found(number)
        words = {"cancel": "delete", "pause": "switch off", "resume": "switch on"}[action]
        utterance = Utterance(f"{words} the routine: {routine.text}", channel, conversation)
        args = {"name": str(routine.id), "action": action}
        return await self._make_calls(utterance, [ToolCall(new_id(), CANCEL, args)])

    async def _found(self, number: int) -> Routine:
        for one in await asyncio.to_thread(self._book.all):
            if one.id == number:
                return one
        raise NoRoutine(f"there is no routine {number}")

    async def list(self, _request: Request) -> Response:
        try:
            return json_response({"routines": await self.listed()})
        except ToolError as error:
            raise HTTPException(503, str(error)) from error

    async def show(self, request: Request) -> Response:
        try:
            routine = await self._found(_number(request))
        except NoRoutine as error:
            raise HTTPException(404, str(error)) from None
        except ToolError as error:
            raise HTTPException(503, str(error)) from error
        return json_response(routine_json(routine.to_json(self._book.place.zone)))

    async def switch(self, request: Request) -> Response:
        asked = await read(request, Switch)
        return await self._changed(request, "resume" if asked.enabled else "pause", asked.conversation_id)

    async def delete(self, request: Request) -> Response:
        named = request.query_params.get("conversation_id")
        try:
            talk = checked_name(named) if named is not None else None
        except ValueError as error:
            raise HTTPException(422, f"conversation_id: {error}") from None
        return await self._changed(request, "cancel", talk)

    async def _changed(self, request: Request, action: str, talk: str | None) -> Response:
        try:
            reply = await self.change(_number(request), action, DOOR, talk or TALK)
        except NoRoutine as error:
            raise HTTPException(404, str(error)) from None
        except ToolError as error:
            raise HTTPException(503, str(error)) from error
        return json_response(reply.to_json())


def _number(request: Request) -> int:
    """NoRoutine: it is none."""
    text = request.path_params["id"]
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise NoRoutine("there is no such routine")
    return int(text)


def routine_json(facts: dict[str, Any]) -> dict[str, Any]:
    """As `routines --json` has it, with its sentence."""
    return {**facts, "sentence": facts["text"]}
