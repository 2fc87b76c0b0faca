"""`/mcp`: the gateway as an MCP server, so that other assistants can use the home."""

import asyncio
import contextlib
import hashlib
import importlib
import inspect
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from voice_gateway.channels import Answer, json_text
from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.home_api import MakeCalls, Routines
from voice_gateway.channels.web.responses import json_response
from voice_gateway.errors import ToolError
from voice_gateway.interruption import Interruption
from voice_gateway.progress import Progress, progress_to
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, ToolCall, Utterance, new_id

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
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
    "user's own answer on with ask, in this session. Never answer it yourself. What opens or unlocks the "
    "house, and what is unknown, waits for the owner's yes in another channel."
)


READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
CHANGES = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}


class Arguments(BaseModel):
    """Of one tool. Docstrings of subclasses are the tools' descriptions."""

    model_config = ConfigDict(extra="forbid", strict=True)
    title: ClassVar[str]
    hints: ClassVar[Mapping[str, bool]] = CHANGES


class Ask(Arguments):
    """Says something to the home, as a person in it would: a wish, a question, a plan, or the user's own
    answer to its last question. For example "turn on the floor lamp", "is a window open", "every day at 7
    turn on the heating". The answer tells what was really done."""

    title = "Ask the home"
    text: str = Field(description="What the user wants, in plain words", max_length=LONGEST_TEXT)
    room: str = Field("", description="Where the user is, if that is known", max_length=LONGEST_NAME)


class ListTools(Arguments):
    """Lists the tools that call_tool can run, each with its description and parameters."""

    title, hints = "List the home's tools", READS


class CallTool(Arguments):
    """Runs one of the tools of list_tools. What needs a yes waits for the owner of the home, who answers
    elsewhere within a minute."""

    title = "Run one of the home's tools"
    name: str = Field(description="As list_tools gives it", max_length=LONGEST_NAME)
    arguments: dict[str, Any] = Field(default_factory=dict, description="By the names of its parameters")


class ListRoutines(Arguments):
    """Lists what the home will do by itself, with the next time of each. Make a new one with ask."""

    title, hints = "List routines", READS


class DeleteRoutine(Arguments):
    """Deletes a routine for good."""

    title, hints = "Delete a routine", {**CHANGES, "destructiveHint": True}
    id: int = Field(description="Its id, as list_routines gives it")


class SetRoutine(DeleteRoutine):
    """Switches a routine on or off."""

    title, hints = "Switch a routine on or off", CHANGES
    enabled: bool = Field(description="false pauses it")


TOOLS: Mapping[str, type[Arguments]] = {
    "ask": Ask,
    "list_tools": ListTools,
    "call_tool": CallTool,
    "list_routines": ListRoutines,
    "set_routine": SetRoutine,
    "delete_routine": DeleteRoutine,
}


@dataclass(eq=False)
class McpChannel:
    """Each session is a conversation, so a confirmation comes from the client that was asked."""

    answer: Answer
    make_calls: MakeCalls
    tools: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
    routines: Routines
    start: Start
    version: str

    def __post_init__(self) -> None:
        self._opening = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._used: dict[str, float] = {}  # when each session was used last; the oldest first

    def route(self) -> Route:
        """A route: a mount would redirect /mcp to /mcp/."""
        return Route("/mcp", self)

    # --- sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses protocol versions without sessions: a confirmation could not be told apart by client."""
        from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
        from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

        manager = await self._opened()
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

    async def _opened(self) -> "StreamableHTTPSessionManager":
        """Opened by the first request, because the library is large."""
        async with self._opening:
            if self._manager is None:
                await asyncio.to_thread(importlib.import_module, LIBRARY)
                ready = asyncio.get_running_loop().create_future()
                self.start(self._serve(ready))
                self._manager = await ready
            return self._manager

    async def _serve(self, ready: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        from mcp.server.lowlevel import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # The library logs session ids, and a session id is all that a client needs to take over.
        logging.getLogger("mcp.server").setLevel(logging.ERROR)
        server = Server(
            "voice-gateway",
            version=self.version,
            title="Voice gateway",
            instructions=INSTRUCTIONS,
            on_list_tools=_list_tools,
            on_call_tool=self._call_tool,
        )
        try:
            manager = StreamableHTTPSessionManager(
                server, max_sessions=MOST_SESSIONS, session_idle_timeout=IDLE_SECONDS
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
        try:
            self._note(at_work)
            await manager.handle_request(request.scope, request.receive, noted)
        finally:
            self._note(at_work)

    def _note(self, session: str | None) -> None:
        if session is not None and self._used.pop(session, None) is not None:
            self._used[session] = time.monotonic()

    async def _make_room(self, manager: "StreamableHTTPSessionManager") -> None:
        """Ends sessions that are idle for long and, if there are too many, the one that is idle longest."""
        now, excess = time.monotonic(), len(self._used) - MOST_SESSIONS + 1
        for number, (session, used) in enumerate(list(self._used.items())):
            if number < excess or now - used > IDLE_SECONDS:
                del self._used[session]
                await manager.handle_request(*_deletion(session))

    # --- tools

    async def _call_tool(
        self, context: "ServerRequestContext[Any]", params: "CallToolRequestParams"
    ) -> "CallToolResult":
        from mcp_types import CallToolResult, TextContent

        facts: dict[str, Any] | None = None
        try:
            given = _arguments(params.name, dict(params.arguments or {}))
            if isinstance(given, ListTools | ListRoutines):
                listing = self.tools if isinstance(given, ListTools) else self.routines.listed
                facts, ok = {params.name.removeprefix("list_"): list(await listing())}, True
                text = json_text(facts)
            else:
                reply = await self._reply(given, context)
                text, facts, ok = reply.text, reply.to_json(), reply.ok
        except (HTTPException, ValueError, ToolError) as error:
            text, ok = getattr(error, "detail", str(error)), False
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=facts, is_error=not ok
        )

    async def _reply(self, given: Arguments, context: "ServerRequestContext[Any]") -> Reply:
        interruption = Interruption()
        utterance = partial(Utterance, channel=CHANNEL, conversation_id=_conversation(context))

        def report(progress: Progress) -> None:
            sent = context.session.report_progress(progress.done, progress.total, progress.text)
            self.start(sent)

        work: Awaitable[Reply]
        if isinstance(given, Ask):
            work = self.answer(utterance(given.text, room=given.room or None), interruption=interruption)
        elif isinstance(given, CallTool):
            call = ToolCall(new_id(), given.name, given.arguments)
            # Models read this text later, so it has nothing of the arguments.
            work = self.make_calls(utterance(f"use the tool {given.name}"), [call])
        else:
            assert isinstance(given, DeleteRoutine)
            action = "cancel"
            if isinstance(given, SetRoutine):
                action = "resume" if given.enabled else "pause"
            work = self.routines.change(given.id, action, utterance)
        with progress_to(report):
            return await self._outlive(work, interruption)

    async def _outlive(self, work: Awaitable[Reply], interruption: Interruption) -> Reply:
        """The reply. A client that leaves interrupts the model, and a device's command is completed."""
        done: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                done.set_result(await work)
            except Exception as error:
                done.set_exception(error)
            finally:
                done.cancel()  # no effect on a result; the channel is closing otherwise

        self.start(run())
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            interruption.now()
            raise


async def _list_tools(
    _context: "ServerRequestContext[Any]", _params: "PaginatedRequestParams | None"
) -> "ListToolsResult":
    from mcp_types import ListToolsResult, Tool

    listed = [
        {
            "name": name,
            "title": tool.title,
            "description": inspect.cleandoc(tool.__doc__ or "").replace("\n", " "),
            "inputSchema": tool.model_json_schema(),
            "annotations": tool.hints,
        }
        for name, tool in TOOLS.items()
    ]
    return ListToolsResult(tools=[Tool.model_validate(tool) for tool in listed])


def _deletion(session: str) -> tuple[Scope, Receive, Send]:
    """The request by which a client ends its session."""
    headers = [(SESSION_HEADER.encode(), session.encode())]
    scope = {"type": "http", "method": "DELETE", "path": "/mcp", "query_string": b"", "headers": headers}

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: Message) -> None:
        """The answer is not read."""

    return scope, receive, send


def _arguments(name: str, given: dict[str, Any]) -> Arguments:
    """The checked arguments of one of TOOLS. Raises ValueError with the reason."""
    if name not in TOOLS:
        raise ValueError(f'There is no tool "{name[:100]}"; list_tools lists those of the home.')
    if isinstance(written := given.get("arguments"), str):  # models often encode them twice
        with contextlib.suppress(ValueError, RecursionError):
            given["arguments"] = json.loads(written)
    try:
        return TOOLS[name].model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:100]
        raise ValueError(f"{where}: {first['msg']}.") from None


def _conversation(context: "ServerRequestContext[Any]") -> str:
    """A hash of the session id, because the id itself gives access to the session."""
    assert context.request is not None
    session = context.request.headers[SESSION_HEADER]
    return f"mcp-session-{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}"
