"""The MCP server: tools and resources over stdio, changes announced, and an orderly end in every case."""

import asyncio
import contextlib
import json
import logging
import os
import queue
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.care import UserNames
from zwave_mcp.devices import View, Viewer
from zwave_mcp.events import Event, EventLog
from zwave_mcp.home import Home, HomeError
from zwave_mcp.results import result
from zwave_mcp.schemas import ALL_TOOLS, SPECS, ToolSpec
from zwave_mcp.states import Row, Rows, reading
from zwave_mcp.tools import Tools

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import InMemorySubscriptionBus
    from mcp_types import CallToolResult, ListResourcesResult, ReadResourceResult, Tool

log = logging.getLogger(__name__)

_NAME: Final = "zwave"
_INSTRUCTIONS: Final = (
    "Controls a Z-Wave home by device names. Report what a result says: only 'confirmed' means done. "
    "tools/list_changed means that devices were added, removed or renamed: call list_zwave_devices again."
)
_LAST_CALLS_SECONDS: Final = 1.0  # a client that has closed its end may still read the last answers
_QUIET_SECONDS: Final = 0.05  # with nothing running and nothing written for this long, the server ends
_DRAIN_SECONDS: Final = 0.5
ALL: Final = "zwave://devices"  # updated with every change of any device
EVENTS: Final = "zwave://events"  # updated with every event; holds the standing alarms
_JSON: Final = "application/json"
_EVENTS_OF: Final = re.compile(rf"{EVENTS}(?:/(\d{{1,5}})/(\d{{1,3}}))?")


# --- newline-delimited text over two file descriptors
#
# The SDK reads and writes in worker threads that cannot be interrupted: a signal must wait for the next line.
# Here both are daemon threads on raw descriptors, which die with the process.

_CHUNK: Final = 65_536


async def lines_of(descriptor: int) -> AsyncIterator[str]:
    """The lines of a descriptor, until its end."""
    loop = asyncio.get_running_loop()
    received: asyncio.Queue[bytes | None] = asyncio.Queue()

    def hand_over(*lines: bytes | None) -> None:
        for line in lines:
            received.put_nowait(line)

    def read() -> None:
        rest = b""
        with contextlib.suppress(RuntimeError):  # the loop is closed: we are ending
            with contextlib.suppress(OSError):
                while chunk := os.read(descriptor, _CHUNK):
                    *lines, rest = (rest + chunk).split(b"\n")
                    loop.call_soon_threadsafe(hand_over, *lines)
            loop.call_soon_threadsafe(hand_over, rest, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await received.get()) is not None:
        if line.strip():
            yield line.decode("utf-8", "replace")


class Writer:
    """What the SDK writes to; `drain` waits until all of it has left."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.SimpleQueue[bytes | threading.Event] = queue.SimpleQueue()
        self.written = 0  # messages
        threading.Thread(target=self._write, name="stdout", daemon=True).start()

    async def write(self, text: str) -> int:
        self.written += 1
        self._queue.put(text.encode())
        return len(text)

    async def flush(self) -> None:
        return

    def drain(self, timeout_seconds: float) -> None:
        done = threading.Event()
        self._queue.put(done)
        done.wait(timeout_seconds)

    def _write(self) -> None:
        broken = False
        while True:
            item = self._queue.get()
            if isinstance(item, threading.Event):
                item.set()
                continue
            view = memoryview(item)
            while view and not broken:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except OSError:  # the client is gone; end of input follows
                    broken = True


# --- the server


class ZwaveServer:
    def __init__(
        self,
        home: Home,
        *,
        allow_unlock: bool = False,
        energy_file: Path | None = None,
        names: UserNames | None = None,
    ) -> None:
        self._home = home
        names = names or UserNames()
        self._tools = Tools(home, allow_unlock=allow_unlock, energy_file=energy_file, names=names)
        self._view: View | None = None
        self._events = EventLog(self._on_event, names=names)
        self._resources = Resources(home, self._tools.viewer, self._tools.rows, self._events)
        self._changed = asyncio.Event()
        self._devices_changed = False
        self._updated: dict[str, None] = {}  # resources that changed, in order
        self._running = 0
        self._session: ServerSession | None = None
        self._bus: InMemorySubscriptionBus | None = None
        self._tools.viewer.listeners.append(self._on_view)
        home.on_report(self._events.heard)

    async def serve(self, stdin: int, stdout: int) -> None:
        """Serve until end of input, SIGTERM or SIGINT. The home is closed when this returns."""
        writer, stop = Writer(stdout), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with asyncio.TaskGroup() as tasks:
            background = [
                tasks.create_task(self._home.run(), name="home"),
                tasks.create_task(self._announce(), name="announcements"),
            ]
            talk = tasks.create_task(self._talk(stdin, writer), name="mcp")
            stopped = tasks.create_task(stop.wait(), name="signals")
            await asyncio.wait((talk, stopped), return_when=asyncio.FIRST_COMPLETED)
            for task in (talk, stopped, *background):
                task.cancel()
        self._tools.close()
        await asyncio.to_thread(writer.drain, _DRAIN_SECONDS)

    async def _talk(self, stdin: int, writer: Any) -> None:
        from mcp.server.lowlevel import NotificationOptions
        from mcp.server.stdio import stdio_server

        server = self._mcp()
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        messages: Any = self._messages(stdin, writer)
        async with stdio_server(messages, writer) as (read, write):
            await server.run(read, write, options)

    def _mcp(self) -> "Server[Any]":
        from mcp.server.lowlevel import Server
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
        from mcp.shared.exceptions import MCPError
        from mcp_types import INTERNAL_ERROR, EmptyResult, ListToolsResult

        listing = ListToolsResult(tools=[_tool(spec) for spec in ALL_TOOLS])
        self._bus = InMemorySubscriptionBus()

        def handler(work: Callable[[Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
            async def handle(ctx: Any, params: Any) -> Any:
                self._session = ctx.session
                try:
                    return await work(params)
                except HomeError as error:
                    raise MCPError(INTERNAL_ERROR, str(error)) from error

            return handle

        async def list_tools(_params: Any) -> ListToolsResult:
            return listing

        async def subscribe(params: Any) -> EmptyResult:
            self._resources.wanted.add(str(params.uri))
            self._resources.follow()
            return EmptyResult()

        async def unsubscribe(params: Any) -> EmptyResult:
            self._resources.wanted.discard(str(params.uri))
            return EmptyResult()

        listen = ListenHandler(self._bus)

        async def listening(ctx: Any, params: Any) -> Any:
            self._resources.follow()
            return await listen(ctx, params)

        return Server(
            _NAME,
            version=version("voice-gateway"),
            title="Z-Wave home",
            instructions=_INSTRUCTIONS,
            on_list_tools=handler(list_tools),
            on_call_tool=handler(lambda params: self._call(params.name, params.arguments)),
            on_list_resources=handler(lambda _: self._resources.listing()),
            on_read_resource=handler(lambda params: self._resources.read(str(params.uri))),
            on_subscribe_resource=handler(subscribe),
            on_unsubscribe_resource=handler(unsubscribe),
            on_subscriptions_listen=listening,
        )

    async def _call(self, name: str, arguments: dict[str, Any] | None) -> "CallToolResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

        if name not in SPECS:
            raise MCPError(INVALID_PARAMS, f'Unknown tool "{name[:60]}"')
        self._running += 1
        try:
            answer = await self._tools.call(name, arguments)
        except Exception:  # a bug must be reported, and must not end the other calls
            log.exception("tool raised", extra={"tool": name})
            sentence = "Something went wrong inside the Z-Wave server."
            answer = result(sentence, "failed", requested=arguments)
        finally:
            self._running -= 1
        return CallToolResult(
            content=[TextContent(type="text", text=answer.sentence)],
            structured_content=dict(answer.structured),
            is_error=answer.is_error,
        )

    async def _messages(self, stdin: int, writer: Writer) -> AsyncIterator[str]:
        """The messages of the client; after the last one, running calls get a moment to answer."""
        async for line in lines_of(stdin):
            yield line
        try:
            async with asyncio.timeout(_LAST_CALLS_SECONDS):
                written = -1
                while self._running or written != writer.written:
                    written = writer.written
                    await asyncio.sleep(_QUIET_SECONDS)
        except TimeoutError:
            log.info("calls abandoned at end of input", extra={"calls": self._running})

    # --- announcements

    def _on_view(self, view: View) -> None:
        before, self._view = self._view, view
        self._events.look(view)
        if before is None or before.devices is view.devices:
            return
        if self._resources.followed:
            self._updated |= dict.fromkeys(self._resources.changes(before, view))
        self._devices_changed |= before.called != view.called
        if self._devices_changed or self._updated:
            self._changed.set()

    def _on_event(self, event: Event) -> None:
        own = [] if event.node is None else [f"{EVENTS}/{event.node}/{event.endpoint}"]
        self._updated |= dict.fromkeys((EVENTS, *own))
        self._changed.set()

    async def _announce(self) -> None:
        from mcp.server.subscriptions import ResourceUpdated, ToolsListChanged

        while True:
            await self._changed.wait()
            self._changed.clear()
            updated, self._updated = self._updated, {}
            for uri in updated:
                if self._session is not None and uri in self._resources.wanted:
                    await self._session.send_resource_updated(uri)
                if self._bus is not None:
                    await self._bus.publish(ResourceUpdated(uri))
            if self._devices_changed:
                self._devices_changed = False
                log.info("devices changed")
                if self._session is not None:
                    await self._session.send_tool_list_changed()
                if self._bus is not None:
                    await self._bus.publish(ToolsListChanged())


def _tool(spec: ToolSpec) -> "Tool":
    from mcp_types import Tool, ToolAnnotations

    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=spec.parameters,
        output_schema=spec.output,
        annotations=ToolAnnotations(
            title=spec.title,
            read_only_hint=spec.read_only,
            destructive_hint=spec.destructive,
            idempotent_hint=spec.idempotent,
            open_world_hint=False,
        ),
        _meta={"summary": spec.summary, **({"words": list(spec.words)} if spec.words else {})},
    )


# --- devices and events as resources: each can be read, and its subscribers are told of changes


def uri_of(row: Row) -> str:
    return f"{ALL}/{row.device.node.id}/{row.device.endpoint}"


class Resources:
    def __init__(self, home: Home, viewer: Viewer, rows: Rows, events: EventLog) -> None:
        self._home, self._viewer, self._rows, self._events = home, viewer, rows, events
        self.followed = False  # a client has subscribed to changes
        self.wanted: set[str] = set()  # subscriptions of a client of the older protocol

    def follow(self) -> None:
        self.followed = True
        self._home.follow()

    def changes(self, *views: View) -> list[str]:
        """The resources that differ between two views."""
        old, new = ({uri_of(row): row.entry for row in self._rows.of(view.devices)} for view in views)
        changed = [uri for uri in old | new if old.get(uri) != new.get(uri)]
        return [ALL, *changed] if changed else []

    async def listing(self) -> "ListResourcesResult":
        from mcp_types import ListResourcesResult, Resource

        every = [(ALL, "devices", "All devices"), (EVENTS, "events", "What has happened")]
        for row in self._rows.of((await self._viewer.now()).devices):
            device = row.device
            every.append((uri_of(row), f"{device.room} {device.name}".strip(), device.name))
        listed = [Resource(uri=uri, name=name, title=title, mime_type=_JSON) for uri, name, title in every]
        return ListResourcesResult(resources=listed)

    async def read(self, uri: str) -> "ReadResourceResult":
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS, ReadResourceResult, TextResourceContents

        content: Any = None
        if of := _EVENTS_OF.fullmatch(uri):  # without asking the home, which may be away
            content = self._events.to_json((int(of[1]), int(of[2])) if of[1] else None)
        elif not uri.startswith(EVENTS):
            rows = self._rows.of((await self._viewer.now()).devices)
            content = [row.entry for row in rows] if uri == ALL else None
            for row in rows:
                if uri_of(row) == uri:
                    content = {**row.entry, "readings": list(map(reading, row.device.readings))}
        if content is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri[:100]}")
        text = json.dumps(content, ensure_ascii=False)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=_JSON)])
