"""`/mcp`: an MCP server of our own, so that other assistants can use the home, with this door's rights."""

import asyncio
import contextlib
import hashlib
import importlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from voice_gateway.channels import Answer
from voice_gateway.channels.json_text import json_text
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.mcp_tools import INSTRUCTIONS, TOOLS
from voice_gateway.channels.web.models import json_response
from voice_gateway.channels.web.routines import MakeCalls, NoRoutine, PlannedRoutines
from voice_gateway.errors import ToolError
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, ToolCall, Utterance, new_id

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

DOOR = "mcp"
MOST_SESSIONS = 200
LIBRARY = "mcp.server.streamable_http_manager"


class Wrong(ValueError):
    """The arguments cannot be used."""


class McpChannel:
    """One conversation for each session: who answers a question is who was asked."""

    def __init__(
        self,
        answer: Answer,
        make_calls: MakeCalls,
        tools: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]],
        routines: PlannedRoutines,
        *,
        start: Start,  # what was begun outlives the connection of who asked
        version: str,
    ) -> None:
        self._answer = answer
        self._make_calls = make_calls
        self._tools = tools
        self._routines = routines
        self._start = start
        self._version = version
        self._opening = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None

    def routes(self) -> list[BaseRoute]:
        # A route, not a mount: that would send whoever asks for /mcp on to /mcp/.
        return [Route("/mcp", _Endpoint(self))]

    # --- the protocol, which is the library's

    async def manager(self) -> "StreamableHTTPSessionManager":
        """Made when somebody comes for the first time: the library is large."""
        async with self._opening:
            if self._manager is None:
                await asyncio.to_thread(importlib.import_module, LIBRARY)
                ready: asyncio.Future[StreamableHTTPSessionManager] = (
                    asyncio.get_running_loop().create_future()
                )
                self._start(self._serve(ready))
                self._manager = await ready
            return self._manager

    async def _serve(self, ready: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        """Until the door is closed."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # It would write the sessions' names into the log, and whoever knows one is in.
        logging.getLogger("mcp.server").setLevel(logging.ERROR)
        try:
            manager = StreamableHTTPSessionManager(self._server(), max_sessions=MOST_SESSIONS)
            async with manager.run():
                ready.set_result(manager)
                await asyncio.Event().wait()
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)
            raise
        finally:
            self._manager = None

    def _server(self) -> "Server[Any]":
        from mcp.server.lowlevel import Server

        return Server(
            "voice-gateway",
            version=self._version,
            title="Voice gateway",
            instructions=INSTRUCTIONS,
            on_list_tools=self._listed,
            on_call_tool=self._called,
        )

    async def _listed(
        self, _context: "ServerRequestContext[Any]", _params: "PaginatedRequestParams | None"
    ) -> "ListToolsResult":
        from mcp_types import ListToolsResult, Tool

        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in TOOLS])

    async def _called(
        self, context: "ServerRequestContext[Any]", params: "CallToolRequestParams"
    ) -> "CallToolResult":
        from mcp_types import CallToolResult, TextContent

        try:
            text, facts, ok = await self._use(params.name, dict(params.arguments or {}), context)
        except (Wrong, NoRoutine, ToolError) as error:
            text, facts, ok = str(error), None, False
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=facts, is_error=not ok
        )

    # --- what can be called

    async def _use(
        self, name: str, given: dict[str, Any], context: "ServerRequestContext[Any]"
    ) -> tuple[str, dict[str, Any] | None, bool]:
        """Text, facts, whether it went well. Wrong, NoRoutine, ToolError: it was not done."""
        known = next((tool for tool in TOOLS if tool["name"] == name), None)
        if known is None:
            raise Wrong(f'There is no tool "{name[:100]}"; list_tools lists those of the home.')
        if isinstance(written := given.get("arguments"), str):  # as many a model writes them
            with contextlib.suppress(ValueError, RecursionError):
                given["arguments"] = json.loads(written)
        _check(given, known["inputSchema"])
        if name == "list_tools":
            listed = await self._tools()
            return json_text({"tools": listed}), {"tools": list(listed)}, True
        if name == "list_routines":
            routines = await self._routines.listed()
            return json_text({"routines": routines}), {"routines": routines}, True
        talk = _conversation(context)
        reply = await self._done(name, given, talk)
        return reply.text, reply.to_json(), reply.ok

    async def _done(self, name: str, given: Mapping[str, Any], talk: str) -> Reply:
        interruption = Interruption()
        if name == "ask":
            utterance = Utterance(given["text"], DOOR, talk, given.get("room") or None)
            return await self._outlived(self._answer(utterance, interruption=interruption), interruption)
        if name == "call_tool":
            # The words tell nothing but what it is: what is said stands in a history that models read.
            utterance = Utterance(f"use the tool {given['name'][:LONGEST_NAME]}", DOOR, talk)
            call = ToolCall(new_id(), given["name"], given.get("arguments", {}))
            return await self._outlived(self._make_calls(utterance, [call]), interruption)
        action = "cancel" if name == "delete_routine" else "resume" if given["enabled"] else "pause"
        return await self._outlived(self._routines.change(given["id"], action, DOOR, talk), interruption)

    async def _outlived(self, work: Awaitable[Reply], interruption: Interruption) -> Reply:
        """Who leaves interrupts what can be interrupted; what was begun with a device comes to its end."""
        over: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        async def worked() -> None:
            try:
                reply = await work
            except Exception as error:
                if not over.done():
                    over.set_exception(error)
            else:
                if not over.done():
                    over.set_result(reply)
            finally:
                over.cancel()  # we end

        self._start(worked())
        try:
            return await over
        except asyncio.CancelledError:
            interruption.now()
            raise


class _Endpoint:
    """An object, because Starlette takes a function for one that wants a `Request`."""

    def __init__(self, door: McpChannel) -> None:
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self._door.manager()
        if (refusal := await _without_session(Request(scope, receive))) is not None:
            await refusal(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)


async def _without_session(request: Request) -> Response | None:
    """The newest protocol knows no sessions, and without one nobody can tell whose yes it is. Its clients
    take an older one when they are told so."""
    from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    version = request.headers.get("mcp-protocol-version")
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    try:
        number = json.loads(await request.body())["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        number = None
    known = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version}
    error = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": "Unsupported protocol version", "data": known}
    return json_response({"jsonrpc": "2.0", "id": number, "error": error}, 400)


def _conversation(context: "ServerRequestContext[Any]") -> str:
    """Whoever knows the name of a session is in it, so only what was made of it is published."""
    assert context.request is not None
    session = context.request.headers["mcp-session-id"]
    return f"mcp-session-{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}"


_KINDS: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool, "object": dict}


def _check(given: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Wrong: what the schema does not take."""
    known = schema["properties"]
    if unknown := sorted(set(given) - set(known)):
        raise Wrong(f"There is no parameter {unknown[0][:100]!r}; there are: {', '.join(known)}.")
    for name in schema.get("required", ()):
        if name not in given:
            raise Wrong(f"{name} is missing.")
    for name, value in given.items():
        kind = known[name]["type"]
        if not isinstance(value, _KINDS[kind]) or (kind == "integer" and isinstance(value, bool)):
            raise Wrong(f"{name} must be of the type {kind}.")
        longest = LONGEST_TEXT if name == "text" else LONGEST_NAME
        if isinstance(value, str) and len(value) > longest:
            raise Wrong(f"{name} may have {longest} characters.")
