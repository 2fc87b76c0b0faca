"""Calls to one server, from any task: they wait while it is restarted, and some are made once more."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from voice_gateway.backoff import wait_at_most
from voice_gateway.errors import ToolUnavailable
from voice_gateway.mcp_client.connection import CallLost, Connection
from voice_gateway.mcp_client.tasks import run_as_task


class Calls:
    """The server's owner says which connection takes them, and when an attempt to connect begins and ends."""

    def __init__(
        self,
        name: str,
        *,
        only_looks: Callable[[str], bool],
        hurry: Callable[[], None],
        restart_seconds: float,
    ) -> None:
        """`hurry` brings the next attempt forward; a lost call waits `restart_seconds` for a restart."""
        self._name = name
        self._only_looks = only_looks
        self._hurry = hurry
        self._restart_seconds = restart_seconds
        self.connection: Connection | None = None  # only while it can take calls
        self._attempting: asyncio.Event | None = None  # set when the attempt under way is decided

    def wait_for_attempt(self) -> None:
        """From now on, until it is decided."""
        self._attempting = self._attempting or asyncio.Event()

    def attempt_decided(self) -> None:
        """Whoever waited for the attempt under way looks again."""
        if self._attempting is not None:
            self._attempting.set()
            self._attempting = None

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._exchange(
            lambda link: link.call(tool, arguments), looks=lambda: self._only_looks(tool)
        )

    async def call_as_task(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return await run_as_task(self.request, self._post, tool, arguments)

    async def request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._exchange(
            lambda link: link.request(method, params), looks=lambda: method != "tools/call"
        )

    def _post(self, method: str, params: Mapping[str, Any]) -> None:
        if self.connection is not None:
            self.connection.post(method, params)

    async def _exchange(
        self, ask: Callable[[Connection], Awaitable[Mapping[str, Any]]], *, looks: Callable[[], bool]
    ) -> Mapping[str, Any]:
        """Waits for a restart that is under way; where none is, the caller hears at once that it is gone.

        A call that was lost is made once more if it only looks, or if the server surely did not run it: a
        server that was restarted turns away every call of the old session, before it looks at the tool.
        """
        connection = await self._usable()
        try:
            return await ask(connection)
        except CallLost as lost:
            if not (lost.not_run or looks()):
                raise
            if lost.replaced and not await self._replaced(connection):
                raise
        return await ask(await self._usable())

    async def _usable(self) -> Connection:
        if self.connection is None and self._attempting is None:
            self._hurry()
        if self.connection is None and self._attempting is not None:
            await self._attempting.wait()
        if self.connection is None:
            raise ToolUnavailable(f'The server "{self._name}" is not connected at the moment.')
        return self.connection

    async def _replaced(self, connection: Connection) -> bool:
        """Whether there is a new connection, once that is known."""
        if self.connection is connection or self.connection is None:
            self._attempting = self._attempting or asyncio.Event()
            await wait_at_most(self._attempting, self._restart_seconds)
        return self.connection is not None and self.connection is not connection
