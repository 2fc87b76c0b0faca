"""`/api/turns`: what the flight recorder kept, newest first; one turn with its whole story, or its end."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.models import json_response
from voice_gateway.recorder.recorder import Recorder
from voice_gateway.recorder.store import RecorderLost, TurnStore, public

LISTED, MOST_LISTED = 50, 200
LONGEST_SEARCH = 200  # characters; no less than a name of a conversation has


class Turns:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/turns", self.list, methods=["GET"]),
            Route("/api/turns/{id}", self.one, methods=["GET", "DELETE"]),
        ]

    async def list(self, request: Request) -> Response:
        asked = request.query_params
        search, before, talk = (_short(asked, name) for name in ("search", "before", "conversation"))
        limit = _limit(asked.get("limit"))
        found = await self._read(
            lambda store: store.turns(search=search, limit=limit, before=before, conversation=talk)
        )
        return json_response({"turns": [public(turn) for turn in found]})

    async def one(self, request: Request) -> Response:
        name = request.path_params["id"]
        return await (self._delete(name) if request.method == "DELETE" else self._show(name))

    async def _show(self, name: str) -> Response:
        found = [turn for turn in await self._read(lambda store: store.find(name)) if turn["id"] == name]
        if not found:
            raise HTTPException(404, "there is no such turn")
        return json_response(public(found[0]))

    async def _delete(self, name: str) -> Response:
        deleted = await self._read(lambda store: store.delete(name))
        if not deleted:
            raise HTTPException(404, "there is no such turn")
        return json_response({"deleted": deleted})

    async def _read(self, work: Callable[[TurnStore], Any]) -> Any:
        try:
            return await self._recorder.read(work)
        except RecorderLost as error:
            raise HTTPException(503, str(error)) from error


def _short(asked: Mapping[str, str], name: str) -> str:
    if len(text := asked.get(name, "")) > LONGEST_SEARCH:
        raise HTTPException(422, f"{name}: may have {LONGEST_SEARCH} characters")
    return text


def _limit(given: str | None) -> int:
    if given is None:
        return LISTED
    digits = given if given.isascii() and given.isdigit() else "0"
    if len(digits) > len(str(MOST_LISTED)) or not 0 < int(digits) <= MOST_LISTED:
        raise HTTPException(422, f"limit: must be a number from 1 to {MOST_LISTED}")
    return int(digits)
