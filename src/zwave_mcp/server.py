"""The MCP server: tools over stdio, device changes announced, and a clean end by every way."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp.devices import devices_of
from zwave_mcp.events import Event, EventLog, Reporting
from zwave_mcp.home import Home, HomeError, Snapshot
from zwave_mcp.resources import Resources, event_uris
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.schema_parts import ToolSpec
from zwave_mcp.tools import ALL_TOOLS, Tools, argument_validator
from zwave_mcp.user_names import UserNames
from zwave_mcp.wire import Lines, TooLong, Writer, refusal

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import InMemorySubscriptionBus
    from mcp_types import CallToolResult, Tool

log = logging.getLogger(__name__)

_NAME: Final = "zwave"
_INSTRUCTIONS: Final = (
    "Controls a Z-Wave home by device names. Report what a result says: only 'confirmed' means done. "
    "tools/list_changed means that devices were added, removed or renamed: call list_zwave_devices again."
)
_LAST_CALLS_SECONDS: Final = 1.0  # a client that has closed its end may still read the last answers
_QUIET_SECONDS: Final = 0.05  # nothing running and nothing written for so long: there are no more
_DRAIN_SECONDS: Final = 0.5


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
        self._known: frozenset[tuple[object, ...]] | None = None
        self._changed = asyncio.Event()
        self._events = EventLog(self._happened, names=names)
        self._resources = Resources(home, self._events)
        self._updated: list[str] = []  # resources that are not as they were
        self._greeted = asyncio.Event()  # the client has asked for the tools
        self._devices_changed = False
        self._running = 0
        self._session: ServerSession | None = None
        self._bus: InMemorySubscriptionBus | None = None
        home.watch(self._look)
        if isinstance(home, Reporting):
            home.on_report(self._events.heard)

    async def serve(self, stdin: int, stdout: int) -> None:
        """Until end of input, SIGTERM or SIGINT. The home is closed when this returns."""
        writer = Writer(stdout)
        lines = Lines(stdin)
        stop = asyncio.Event()
        _on_signals(stop.set)
        lines.start()
        async with asyncio.TaskGroup() as tasks:
            background = [
                tasks.create_task(self._home.run(), name="home"),
                tasks.create_task(self._announce(), name="announcements"),
                tasks.create_task(self._warm_up(), name="warm-up"),
            ]
            talk = tasks.create_task(self._talk(lines, writer), name="mcp")
            stopped = tasks.create_task(stop.wait(), name="signals")
            await asyncio.wait((talk, stopped), return_when=asyncio.FIRST_COMPLETED)
            for task in (talk, stopped, *background):
                task.cancel()
        self._tools.house.close()
        await asyncio.to_thread(writer.drain, _DRAIN_SECONDS)

    async def _talk(self, lines: Lines, writer: Writer) -> None:
        from mcp.server.lowlevel import NotificationOptions
        from mcp.server.stdio import stdio_server

        server = self._mcp()
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        patient: Any = _Patient(lines, writer, self._last_calls)
        out: Any = writer
        async with stdio_server(patient, out) as (read, write):
            await server.run(read, write, options)

    def _mcp(self) -> "Server[Any]":
        from mcp.server.lowlevel import Server
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
        from mcp_types import EmptyResult, ListToolsResult

        listing = ListToolsResult(tools=[_tool(spec) for spec in ALL_TOOLS])
        self._bus = InMemorySubscriptionBus()

        async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
            self._session = ctx.session
            self._greeted.set()
            return listing

        async def call_tool(ctx: Any, params: Any) -> "CallToolResult":
            self._session = ctx.session
            return _as_mcp(await self._call(params.name, params.arguments))

        async def list_resources(ctx: Any, params: Any) -> Any:
            return await self._told(ctx, self._resources.listing())

        async def read_resource(ctx: Any, params: Any) -> Any:
            return await self._told(ctx, self._resources.read(str(params.uri)))

        async def subscribe(ctx: Any, params: Any) -> EmptyResult:
            self._session = ctx.session
            self._resources.subscribe(str(params.uri))
            return EmptyResult()

        async def unsubscribe(ctx: Any, params: Any) -> EmptyResult:
            self._resources.unsubscribe(str(params.uri))
            return EmptyResult()

        return Server(
            _NAME,
            version=_version(),
            title="Z-Wave home",
            instructions=_INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_list_resources=list_resources,
            on_read_resource=read_resource,
            on_subscribe_resource=subscribe,
            on_unsubscribe_resource=unsubscribe,
            on_subscriptions_listen=ListenHandler(self._bus),
        )

    async def _told(self, ctx: Any, answer: Awaitable[Any]) -> Any:
        """What the home cannot tell now is an error that says why."""
        self._session = ctx.session
        try:
            return await answer
        except HomeError as error:
            from mcp.shared.exceptions import MCPError
            from mcp_types import INTERNAL_ERROR

            raise MCPError(INTERNAL_ERROR, str(error)) from error

    async def _call(self, name: str, arguments: dict[str, Any] | None) -> Result:
        if not self._tools.knows(name):
            from mcp.shared.exceptions import MCPError
            from mcp_types import INVALID_PARAMS

            raise MCPError(INVALID_PARAMS, f'Unknown tool "{name[:60]}"')
        self._running += 1
        try:
            return await self._tools.call(name, arguments)
        except Exception:  # a bug must not be silent, and must not take the other calls with it
            log.exception("tool raised", extra={"tool": name})
            return result("Something went wrong inside the Z-Wave server.", "failed", Facts(arguments or {}))
        finally:
            self._running -= 1

    async def _last_calls(self, writer: Writer) -> None:
        try:
            async with asyncio.timeout(_LAST_CALLS_SECONDS):
                written = -1
                while self._running or written != writer.written:
                    written = writer.written
                    await asyncio.sleep(_QUIET_SECONDS)
        except TimeoutError:
            log.info("calls abandoned at end of input", extra={"calls": self._running})

    def _look(self, snapshot: Snapshot) -> None:
        """Called with each new snapshot: is it still the same set of devices?"""
        now = frozenset(
            (device.node.id, device.endpoint, device.name, device.room, device.kind)
            for device in devices_of(snapshot)
        )
        self._events.look(snapshot)
        news = self._resources.news(snapshot)
        self._updated += [uri for uri in news if uri not in self._updated]
        self._devices_changed |= self._known is not None and now != self._known
        if self._devices_changed or self._updated:
            self._changed.set()
        self._known = now

    def _happened(self, event: Event) -> None:
        self._updated += [uri for uri in event_uris(event) if uri not in self._updated]
        self._changed.set()

    async def _warm_up(self) -> None:
        """What checks arguments takes 100 ms to load: not while a client waits for its first answer."""
        await self._greeted.wait()
        await asyncio.to_thread(argument_validator)

    async def _announce(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._announce_states()
            if not self._devices_changed:
                continue
            self._devices_changed = False
            log.info("devices changed")
            if self._session is not None:
                await self._session.send_tool_list_changed()
            if self._bus is not None:
                from mcp.server.subscriptions import ToolsListChanged

                await self._bus.publish(ToolsListChanged())

    async def _announce_states(self) -> None:
        updated, self._updated = self._updated, []
        for uri in updated:
            if self._session is not None and self._resources.is_wanted(uri):
                await self._session.send_resource_updated(uri)
            if self._bus is not None:
                from mcp.server.subscriptions import ResourceUpdated

                await self._bus.publish(ResourceUpdated(uri))


class _Patient:
    """The messages of the client; after the last one, calls still running get a moment to answer."""

    def __init__(self, lines: Lines, writer: Writer, last_calls: Callable[[Writer], Awaitable[None]]) -> None:
        self._lines = lines
        self._writer = writer
        self._last_calls = last_calls

    async def __aiter__(self) -> AsyncIterator[str | TooLong]:
        async for line in self._lines:
            error = refusal(line)
            if error is None:
                yield line
            else:
                await self._writer.write(error)
        await self._last_calls(self._writer)


def _on_signals(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


def _tool(spec: ToolSpec) -> "Tool":
    from mcp_types import Tool, ToolAnnotations

    hints = ToolAnnotations(
        title=spec.title,
        read_only_hint=spec.read_only,
        destructive_hint=spec.destructive,
        idempotent_hint=spec.idempotent,
        open_world_hint=False,
    )
    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=spec.parameters,
        output_schema=spec.output,
        annotations=hints,
        _meta={"summary": spec.summary, **({"words": list(spec.words)} if spec.words else {})},
    )


def _as_mcp(answer: Result) -> "CallToolResult":
    from mcp_types import CallToolResult, TextContent

    return CallToolResult(
        content=[TextContent(type="text", text=answer.sentence)],
        structured_content=dict(answer.structured),
        is_error=answer.is_error,
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("voice-gateway")
    except PackageNotFoundError:
        return "0"
