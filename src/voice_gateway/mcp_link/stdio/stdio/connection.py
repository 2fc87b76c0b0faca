"""One life of a stdio server: spawn, initialize, list, calls, teardown; opened and closed by one task."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from voice_gateway.config import ServerSettings
from voice_gateway.errors import GatewayError, LinkError
from voice_gateway.mcp_link.session import StreamSession, load_sdk
from voice_gateway.mcp_link.stdio.stdio.calls import SUSPECT_AFTER, Calls
from voice_gateway.mcp_link.stdio.stdio.frames import QUICK_LINE, Parsed, parse, shorten, shown, whole_frame
from voice_gateway.mcp_link.stdio.stdio.process import ServerProcess

log = logging.getLogger(__name__)

MAX_PAGES = 1000  # of one tools/list
PING_SECONDS = 2.0  # a server that is alive answers a ping at once
BROKEN_STOP_SECONDS = 0.5  # a server that misbehaved gets no long farewell
NOISE_SHOWN = 20  # odd lines logged one by one; later ones at each doubling


class Events(Protocol):
    """What a connection tells its owner, from the event loop; each returns at once."""

    def ended(self) -> None: ...
    def tools_changed(self) -> None: ...
    def suspect(self) -> None: ...


class Connection(Protocol):
    """What the owner of a server needs of a way to reach it."""

    definitions: list[Mapping[str, Any]]  # the tools, as the server describes them
    end: str | None  # why it is over

    async def start(self) -> None: ...
    async def open(self) -> None: ...
    async def close(self, *, broken: bool) -> None: ...
    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]: ...
    async def list_tools(self) -> list[Mapping[str, Any]]: ...
    async def answers(self) -> bool: ...
    def stderr_tail(self) -> str: ...


class StdioConnection:
    """`tools/call` goes beside the SDK's session on the same stream: own ids, one parse, no task switch.

    The SDK's own path costs three times as much, and holds a cancelled caller for five seconds when a server
    does not read its input.
    """

    def __init__(
        self,
        name: str,
        settings: ServerSettings,
        events: Events,
        *,
        stop_seconds: float,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._name = name
        self._hide = hide
        self._settings = settings
        self._events = events
        self._stop_seconds = stop_seconds
        self._noise = 0
        self._process = ServerProcess(name, self._on_line, self._on_end, hide)
        self._calls = Calls(self._process, events.suspect)
        self._session = StreamSession(self._write_for_sdk, events.tools_changed)
        self.definitions: list[Mapping[str, Any]] = []
        self.end: str | None = None

    async def start(self) -> None:
        """The server starts while we import the SDK; the limit of `open` is for the server alone."""
        await self._process.start(self._settings)
        await load_sdk()

    async def open(self) -> None:
        """Connected and listed, or a LinkError that says why not. `close` is due in either case."""
        try:
            await self._session.open()
            self.definitions = await self.list_tools()
        except Exception as error:  # the SDK raises its own errors, groups of them, and pydantic's
            await self._process.last_words()
            raise LinkError(self._reason(error)) from error

    async def close(self, *, broken: bool) -> None:
        """`broken`: the server misbehaved, and gets no long farewell."""
        self._calls.close(f'The server "{self._name}" was stopped.')
        try:
            await self._session.close()
        except Exception:  # an SDK in trouble must not keep its server alive
            log.debug("MCP session closed with an error", extra={"server": self._name}, exc_info=True)
        finally:
            await self._process.last_words()
            await self._process.stop(BROKEN_STOP_SECONDS if broken else self._stop_seconds)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._calls.call(tool, arguments)

    async def list_tools(self) -> list[Mapping[str, Any]]:
        """Asked by ourselves: the SDK's model refuses the whole list for one malformed definition."""
        found: list[Mapping[str, Any]] = []
        params: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            page = await self._calls.request("tools/list", params)
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise LinkError("its reply to tools/list holds no list of tools")
            found += tools
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or cursor == params.get("cursor"):
                return found
            params = {"cursor": cursor}
        raise LinkError(f"its list of tools has more than {MAX_PAGES} pages")

    async def answers(self) -> bool:
        """Whether the server still talks, when several calls in a row were given up."""
        if self._calls.unanswered >= 2 * SUSPECT_AFTER and not self._calls.under_way:
            return False  # it talks, but it does not work
        try:
            async with asyncio.timeout(PING_SECONDS):
                await self._calls.request("ping", {})
        except TimeoutError:
            return False
        except GatewayError:
            return self.end is None  # an error is an answer too
        return True

    def stderr_tail(self) -> str:
        return self._process.stderr_tail()

    def _on_line(self, line: bytes) -> None:
        if len(line) <= QUICK_LINE:
            frame = whole_frame(line)
            if frame is not None and self._calls.resolve(frame):
                return
            self._dispatch(parse(line), line)
            return
        self._process.hold()  # one long line at a time: a flood of them waits in the server
        _in_thread(partial(parse, line, patient=True), partial(self._parsed, line))

    def _parsed(self, line: bytes, parsed: Parsed) -> None:
        self._dispatch(parsed, line)
        self._process.go_on()

    def _dispatch(self, parsed: Parsed, line: bytes) -> None:
        understood = not parsed.noise
        for frame in parsed.frames:
            understood &= self._calls.resolve(frame) or self._session.feed(frame)
        if not understood:
            self._log_noise(line)

    def _log_noise(self, line: bytes) -> None:
        self._noise += 1
        if self._noise <= NOISE_SHOWN or self._noise.bit_count() == 1:  # every power of two
            facts = {"server": self._name, "content": self._hide(shown(line)), "count": self._noise}
            log.warning("MCP server wrote something that is not JSON-RPC", extra=facts)

    def _on_end(self) -> None:
        self.end = f"the server {self._process.end}"
        self._calls.close(f'The server "{self._name}" {self._process.end}.', self._process.stderr_tail())
        self._session.end()
        self._events.ended()

    def _write_for_sdk(self, line: bytes) -> None:
        if not self._process.congested:  # a server that asks without reading gets no answers that pile up
            self._process.write(line)

    def _reason(self, error: Exception) -> str:
        if self.end is not None:
            return self.end
        if isinstance(error, GatewayError):
            return str(error)
        return f"it did not speak the protocol: {shorten(str(error))}"


def _in_thread(work: Callable[[], Parsed], then: Callable[[Parsed], None]) -> None:
    """A daemon thread, not asyncio's own pool: nobody has to wait for it at the end of the program."""
    loop = asyncio.get_running_loop()

    def run() -> None:
        parsed = work()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            loop.call_soon_threadsafe(then, parsed)

    threading.Thread(target=run, name="mcp long line", daemon=True).start()
