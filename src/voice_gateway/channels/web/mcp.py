"""`/mcp`: the gateway as an MCP server, so that other assistants can use the home."""

import asyncio
import contextlib
import hashlib
import importlib
import json
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.home_api import MakeCalls, NoRoutine, Routines
from voice_gateway.channels.web.models import json_response
from voice_gateway.errors import ToolError
from voice_gateway.interruption import Interruption
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, ToolCall, Utterance, new_id

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

CHANNEL = "mcp"
MOST_SESSIONS = 200
IDLE_SECONDS = 300.0  # a session without a request for so long ends
SESSION_HEADER = "mcp-session-id"
LIBRARY = "mcp.server.streamable_http_manager"
INSTRUCTIONS = (
    "A home with a voice gateway. Use ask for what a person would say to it, in plain words: it acts, and "
    "tells what was really done. call_tool runs one of its tools, which list_tools lists. Where an answer "
    'has "expects_answer": true, nothing was done yet: show its question to the user, and pass the '
    "user's own answer on with ask, in this session. Never answer it yourself."
)


class Arguments(BaseModel):
    """Of a tool without parameters. Subclasses carry the others; docstrings are the tools' descriptions."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Ask(Arguments):
    text: str = Field(description="What the user wants, in plain words", max_length=LONGEST_TEXT)
    room: str = Field("", description="Where the user is, if that is known", max_length=LONGEST_NAME)


class Call(Arguments):
    name: str = Field(description="As list_tools gives it", max_length=LONGEST_NAME)
    arguments: dict[str, Any] = Field(default_factory=dict, description="By the names of its parameters")


class Delete(Arguments):
    id: int = Field(description="Its id, as list_routines gives it")


class Set(Delete):
    enabled: bool = Field(description="false pauses it")


READS = {"readOnlyHint": True, "idempotentHint": True}
CHANGES = {"readOnlyHint": False, "destructiveHint": False}
# Name: title, parameters, hints, description.
TOOLS: Mapping[str, tuple[str, type[Arguments], Mapping[str, bool], str]] = {
    "ask": (
        "Ask the home",
        Ask,
        CHANGES,
        "Says something to the home, as a person in it would: a wish, a question, a plan, or the user's own "
        'answer to its last question. For example "turn on the floor lamp", "is a window open", "every day '
        'at 7 turn on the heating". The answer tells what was really done.',
    ),
    "list_tools": (
        "List the home's tools",
        Arguments,
        READS,
        "Lists the tools that call_tool can run, each with its description and parameters.",
    ),
    "call_tool": (
        "Run one of the home's tools",
        Call,
        CHANGES,
        "Runs one of the tools of list_tools. What is sensitive becomes a question to the user, or is "
        "refused.",
    ),
    "list_routines": (
        "List routines",
        Arguments,
        READS,
        "Lists what the home will do by itself, with the next time of each. Make a new one with ask.",
    ),
    "set_routine": ("Switch a routine on or off", Set, CHANGES, "Switches a routine on or off."),
    "delete_routine": (
        "Delete a routine",
        Delete,
        {"readOnlyHint": False, "destructiveHint": True},
        "Deletes a routine for good.",
    ),
}


class McpChannel:
    """Each session is a conversation, so a confirmation comes from the client that was asked."""

    def __init__(
        self,
        answer: Answer,
        make_calls: MakeCalls,
        tools: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]],
        routines: Routines,
        *,
        start: Start,
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

    def route(self) -> Route:
        """A route: a mount would redirect /mcp to /mcp/."""
        return Route("/mcp", _Endpoint(self))

    async def manager(self) -> "StreamableHTTPSessionManager":
        """Created with the first request, because the library is large."""
        async with self._opening:
            if self._manager is None:
                await asyncio.to_thread(importlib.import_module, LIBRARY)
                ready = asyncio.get_running_loop().create_future()
                self._start(self._serve(ready))
                self._manager = await ready
            return self._manager

    async def _serve(self, ready: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # The library logs session ids, and a session id is all that a client needs to take over.
        logging.getLogger("mcp.server").setLevel(logging.ERROR)
        try:
            manager = StreamableHTTPSessionManager(
                self._server(), max_sessions=MOST_SESSIONS, session_idle_timeout=IDLE_SECONDS
            )
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
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, _context: "ServerRequestContext[Any]", _params: "PaginatedRequestParams | None"
    ) -> "ListToolsResult":
        from mcp_types import ListToolsResult, Tool

        tools = [
            {
                "name": name,
                "title": title,
                "description": description,
                "inputSchema": arguments.model_json_schema(),
                "annotations": {"openWorldHint": False, **hints},
            }
            for name, (title, arguments, hints, description) in TOOLS.items()
        ]
        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in tools])

    async def _call_tool(
        self, context: "ServerRequestContext[Any]", params: "CallToolRequestParams"
    ) -> "CallToolResult":
        from mcp_types import CallToolResult, TextContent

        facts: dict[str, Any] | None = None
        try:
            given = _arguments(params.name, dict(params.arguments or {}))
            if params.name == "list_tools":
                facts, ok = {"tools": list(await self._tools())}, True
                text = json_text(facts)
            elif params.name == "list_routines":
                facts, ok = {"routines": await self._routines.listed()}, True
                text = json_text(facts)
            else:
                reply = await self._reply(given, _conversation(context))
                text, facts, ok = reply.text, reply.to_json(), reply.ok
        except (ValueError, NoRoutine, ToolError) as error:
            text, ok = str(error), False
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=facts, is_error=not ok
        )

    async def _reply(self, given: Arguments, conversation: str) -> Reply:
        interruption = Interruption()
        work: Awaitable[Reply]
        if isinstance(given, Ask):
            utterance = Utterance(given.text, CHANNEL, conversation, given.room or None)
            work = self._answer(utterance, interruption=interruption)
        elif isinstance(given, Call):
            # Models read this text later, so it has nothing of the arguments.
            utterance = Utterance(f"use the tool {given.name}", CHANNEL, conversation)
            work = self._make_calls(utterance, [ToolCall(new_id(), given.name, given.arguments)])
        else:
            assert isinstance(given, Delete)
            action = "cancel"
            if isinstance(given, Set):
                action = "resume" if given.enabled else "pause"
            work = self._routines.change(
                given.id, action, lambda text: Utterance(text, CHANNEL, conversation)
            )
        return await self._outlive(work, interruption)

    async def _outlive(self, work: Awaitable[Reply], interruption: Interruption) -> Reply:
        """The reply. A client that leaves interrupts the model, and a device's command is completed."""
        done: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                reply = await work
                if not done.done():
                    done.set_result(reply)
            except Exception as error:
                if done.done():
                    raise
                done.set_exception(error)
            finally:
                done.cancel()  # no effect on a result; the channel is closing otherwise

        self._start(run())
        try:
            return await done
        except asyncio.CancelledError:
            interruption.now()
            raise


class _Endpoint:
    """An ASGI application: Starlette would call a function with a `Request`."""

    def __init__(self, channel: McpChannel) -> None:
        self._channel = channel
        self._used: dict[str, float] = {}  # when each session was used last; the oldest first
        self._busy: Counter[str] = Counter()  # requests under way, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses protocol versions without sessions: a confirmation could not be told apart by client."""
        from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
        from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

        manager = await self._channel.manager()
        request = Request(scope, receive)
        version = request.headers.get("mcp-protocol-version")
        if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._in_session(manager, request, send)
            return
        try:
            number = json.loads(await request.body())["id"]
        except (ValueError, TypeError, KeyError, RecursionError):
            number = None
        known = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version}
        code, message = UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version"
        error = {"code": code, "message": message, "data": known}
        await json_response({"jsonrpc": "2.0", "id": number, "error": error}, 400)(scope, receive, send)

    async def _in_session(
        self, manager: "StreamableHTTPSessionManager", request: Request, send: Send
    ) -> None:
        session = request.headers.get(SESSION_HEADER)
        if session is None:
            await self._make_room(manager)

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and session is None:
                opened = Headers(raw=message["headers"]).get(SESSION_HEADER)
                if opened is not None:
                    self._used[opened] = time.monotonic()
            await send(message)

        # A session with an open stream of events and no request is idle.
        at_work = session if session in self._used and request.method == "POST" else None
        if at_work is not None:
            self._busy[at_work] += 1
        try:
            await manager.handle_request(request.scope, request.receive, noted)
        finally:
            if at_work is not None:
                self._busy[at_work] -= 1
                self._used.pop(at_work, None)
                self._used[at_work] = time.monotonic()

    async def _make_room(self, manager: "StreamableHTTPSessionManager") -> None:
        """Ends sessions that are idle for long and, if there are too many, the one that is idle longest."""
        self._busy += Counter()  # forgets those at zero
        idle = [session for session in self._used if not self._busy[session]]
        now, excess = time.monotonic(), len(self._used) - MOST_SESSIONS + 1
        for number, session in enumerate(idle):
            if number < excess or now - self._used[session] > IDLE_SECONDS:
                del self._used[session]
                await manager.handle_request(*_deletion(session))


def _deletion(session: str) -> tuple[Scope, Receive, Send]:
    """The request by which a client ends its session."""
    headers = [(SESSION_HEADER.encode(), session.encode())]
    scope = {"type": "http", "method": "DELETE", "path": "/mcp", "query_string": b"", "headers": headers}

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: Message) -> None:
        """Nobody waits for the answer."""

    return scope, receive, send


def _arguments(name: str, given: dict[str, Any]) -> Arguments:
    """The checked arguments of one of TOOLS. Raises ValueError with the reason."""
    if name not in TOOLS:
        raise ValueError(f'There is no tool "{name[:100]}"; list_tools lists those of the home.')
    if isinstance(written := given.get("arguments"), str):  # models often encode them twice
        with contextlib.suppress(ValueError, RecursionError):
            given["arguments"] = json.loads(written)
    try:
        return TOOLS[name][1].model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:100]
        raise ValueError(f"{where}: {first['msg']}.") from None


def _conversation(context: "ServerRequestContext[Any]") -> str:
    """A hash of the session id, because the id itself gives access to the session."""
    assert context.request is not None
    session = context.request.headers[SESSION_HEADER]
    return f"mcp-session-{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}"
