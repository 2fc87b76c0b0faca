"""The SDK's session over streams of ours: the handshake, and what a server sends beside replies to us."""

import logging
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

from voice_gateway.errors import LinkError
from voice_gateway.mcp_client.connection import Greeting, client_arguments

if TYPE_CHECKING:  # importing mcp takes 0.7 s; the server starts meanwhile
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.client.session import ClientSession
    from mcp.shared.message import SessionMessage

log = logging.getLogger(__name__)

HOME_SERVER = "zwave"  # as our Z-Wave server calls itself
QUEUE_LIMIT = 1000  # what a server tells or asks may wait for the SDK; a flood is cut off here, replies never


class StreamSession:
    """Fed with frames, writes lines. Entered and left by one task, as the SDK demands."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        on_tools_changed: Callable[[], None],
        on_resource: Callable[[str], None] = lambda _uri: None,
    ) -> None:
        self._write, self._on_resource = write, on_resource
        self._on_tools_changed = on_tools_changed
        self._frames: MemoryObjectSendStream[SessionMessage | Exception] | None = None
        self._session: ClientSession | None = None
        self._early: list[Mapping[str, Any]] = []  # what came before the SDK was loaded
        self._over = False
        self.greeting = Greeting()
        self.tells_changes = False  # it says at once when a device is not as it was

    async def open(self) -> None:
        """After `load_sdk`."""
        import anyio
        from mcp.client.session import ClientSession
        from mcp.shared.message import SessionMessage

        self._frames, frames = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        session = ClientSession(
            frames, _Writer(self._write), **client_arguments(self._on_tools_changed, self._on_resource)
        )
        await session.__aenter__()
        self._session = session
        for frame in self._early:
            self.feed(frame)
        if self._over:
            self.end()
        greeting = await session.initialize()
        self.greeting = Greeting.of(greeting)
        resources = greeting.capabilities.resources
        # A home's server: what it is called stands in its answer, and nothing is asked of others.
        self.tells_changes = (
            bool(resources and resources.subscribe) and greeting.server_info.name == HOME_SERVER
        )

    def feed(self, frame: Mapping[str, Any]) -> bool:
        """Whether it was JSON-RPC."""
        if self._frames is None:
            self._early = [*self._early, frame][:QUEUE_LIMIT]
            return True
        import anyio
        import mcp_types as types
        from mcp.shared.message import SessionMessage
        from pydantic import ValidationError

        if self._frames.statistics().current_buffer_used > QUEUE_LIMIT and "method" in frame:
            return True
        try:
            message = types.jsonrpc_message_adapter.validate_python(frame, by_name=False)
            self._frames.send_nowait(SessionMessage(message))
        except ValidationError:
            return False
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("MCP session is closed; a frame was dropped")
        return True

    def end(self) -> None:
        """Nothing more will come: whoever waits for the server in the SDK is told at once."""
        self._over = True
        if self._frames is not None:
            self._frames.close()

    async def close(self) -> None:
        self.end()
        if self._session is not None:
            session, self._session = self._session, None
            # Without the error that made us close: anyio would wrap it into groups of groups.
            await session.__aexit__(None, None, None)


class _Writer:
    """The SDK's write stream. It never waits, so the SDK cannot hang on a server that does not read."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    async def send(self, item: "SessionMessage", /) -> None:
        import anyio

        line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            self._write(line.encode() + b"\n")
        except LinkError as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass
