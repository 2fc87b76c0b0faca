"""`/api/health`: every part with its state, what to do about it, and how its server and the tools do."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.models import json_response
from voice_gateway.channels.web.stats import Figures
from voice_gateway.events import PartState, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.problems.catalogue import problem_of
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.tools.plain_text import plain_text

FRESH_SECONDS = 1.0
LINES = 20  # the last of a server's stderr
LONGEST_LINE = 500  # characters


class Health:
    """`parts` asks the servers that are connected whether they still answer."""

    def __init__(
        self,
        figures: Figures,
        parts: Callable[[], Awaitable[Sequence[PartState]]],
        servers: Callable[[], Sequence[ServerStatus]],
    ) -> None:
        self._figures = figures
        self._ask_parts, self._servers = parts, servers
        self._asking = asyncio.Lock()
        self._asked: tuple[float, Sequence[PartState]] | None = None

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/health", self.health, methods=["GET"])]

    async def health(self, _request: Request) -> Response:
        parts = await self._parts()
        servers = {f"server {one.name}": one for one in self._servers()}
        return json_response(
            {
                "state": overall(parts),
                "parts": [_part(part, servers.get(part.part)) for part in parts],
                "tools": self._figures.tools(),
            }
        )

    async def _parts(self) -> Sequence[PartState]:
        """Many who look at once ask each server once."""
        async with self._asking:
            now = time.monotonic()
            if self._asked is None or now - self._asked[0] > FRESH_SECONDS:
                self._asked = (now, await self._ask_parts())
            return self._asked[1]


def overall(parts: Sequence[PartState]) -> str:
    states = {part.state for part in parts}
    for state in (State.DEGRADED, State.STARTING):
        if state in states:
            return state.value
    return State.OK.value


def _part(part: PartState, server: ServerStatus | None) -> dict[str, Any]:
    facts = part.to_json()
    if part.state is State.DEGRADED and (problem := problem_of(part.sentence)) is not None:
        facts |= {"means": problem.means, "returns": problem.returns}
        facts["advice"] = part.advice or problem.advice
    facts["advice"] = _shown(facts["advice"])
    if server is None:
        return facts
    lines = [_shown(line) for line in server.stderr_tail.splitlines()[-LINES:]]
    facts |= {"restarts": server.restarts, "stderr": lines, "simulated": server.simulated}
    return facts | ({"last_error": _shown(server.last_error)} if server.last_error else {})


def _shown(text: str) -> str:
    """What a server writes may have its secrets in it, and signs that a terminal would obey."""
    return hide_secrets(plain_text(text)[0])[:LONGEST_LINE]
