"""Finds the sound system of this machine, and again when it changes; otherwise our own loudness is set."""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.volume.backends import AlsaVolume, PulseVolume
from voice_gateway.tools.builtin.volume.tool import FULL, Loudness, VolumeBackend

LOOK_AGAIN_SECONDS = 10.0  # a desktop session may start after the gateway

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class PlaybackVolume:
    """The gateway's own loudness, for a machine whose sound system cannot be controlled.

    Speaking multiplies its samples with `gain()`. It holds until the process ends.
    """

    label = "the gateway's own playback"

    def __init__(self, percent: int = FULL) -> None:
        self._now = Loudness(percent, muted=False)

    def gain(self) -> float:
        return 0.0 if self._now.muted else self._now.percent / FULL

    async def read(self) -> Loudness:
        return self._now

    async def set_percent(self, percent: int) -> None:
        self._now = Loudness(percent, self._now.muted)

    async def set_muted(self, muted: bool) -> None:
        self._now = Loudness(self._now.percent, muted)


class SystemVolume:
    """The sound system of this machine. It is looked for at first use, so starting costs nothing."""

    def __init__(
        self,
        own: PlaybackVolume,
        backends: Sequence[VolumeBackend] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._own = own
        self._backends: Sequence[VolumeBackend] = (
            (PulseVolume(), AlsaVolume()) if backends is None else backends
        )
        self._found: VolumeBackend | None = None
        self._clock, self._look_at = clock, -math.inf
        self.label = own.label

    async def find(self) -> VolumeBackend | None:
        """Look for it now; None when nothing here answers."""
        for backend in self._backends:
            try:
                await backend.read()
            except ToolUnavailable as error:
                log.debug("no volume control", extra={"backend": backend.label, "reason": str(error)})
                continue
            if backend is not self._found:
                log.info("volume control found", extra={"backend": backend.label})
                await self._make_way()
            self._found, self.label = backend, backend.label
            return backend
        return None

    async def _make_way(self) -> None:
        """From now on the system's loudness is what is set: ours would stay below it, out of reach."""
        if await self._own.read() != Loudness(FULL, muted=False):
            await self._own.set_percent(FULL)
            await self._own.set_muted(False)

    async def read(self) -> Loudness:
        return await self._ask(lambda backend: backend.read())

    async def set_percent(self, percent: int) -> None:
        await self._ask(lambda backend: backend.set_percent(percent))

    async def set_muted(self, muted: bool) -> None:
        await self._ask(lambda backend: backend.set_muted(muted))

    async def _ask(self, request: Callable[[VolumeBackend], Awaitable[Answer]]) -> Answer:
        backend = self._found
        if backend is None and self._clock() >= self._look_at:
            backend = await self.find()
            self._look_at = self._clock() + LOOK_AGAIN_SECONDS
        if backend is None:
            return await request(self._own)
        try:
            return await request(backend)
        except ToolUnavailable:
            # It may be back, or another system may have taken over. If not, the failure is reported: setting
            # the gateway's own loudness instead would claim a change of the system's.
            again = await self.find()
            if again is None:
                raise
            return await request(again)
