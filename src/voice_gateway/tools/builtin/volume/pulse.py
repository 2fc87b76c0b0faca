"""The system's volume through PulseAudio, or PipeWire speaking its protocol, with `pulsectl-asyncio`."""

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.volume.tool import FULL, Loudness

LIMIT_SECONDS = 2.0  # a local daemon answers in milliseconds


class PulseVolume:
    """Connects anew for every request, in milliseconds, so that a restarted daemon is no special case."""

    label = "PulseAudio"

    async def read(self) -> Loudness:
        async with _default_sink() as (_, sink):
            # The loudest channel, as desktop sliders show it.
            return Loudness(round(max(sink.volume.values) * FULL), bool(sink.mute))

    async def set_percent(self, percent: int) -> None:
        async with _default_sink() as (pulse, sink):
            loudest = max(sink.volume.values)
            # Scaled, so that the balance between the channels stays; from silence there is none to keep.
            sink.volume.values = [
                percent / FULL * (value / loudest if loudest else 1.0) for value in sink.volume.values
            ]
            await pulse.volume_set(sink, sink.volume)

    async def set_muted(self, muted: bool) -> None:
        async with _default_sink() as (pulse, sink):
            await pulse.mute(sink, muted)


@functools.cache
def _client() -> tuple[Any, type[Exception]]:
    """Loading takes a tenth of a second and more the first time, so it is done in a thread."""
    try:
        from pulsectl import PulseError
        from pulsectl_asyncio import PulseAsync
    except (ImportError, OSError) as error:  # OSError: the package is there, the C library is not
        raise ToolUnavailable("PulseAudio's client library is not installed.") from error
    return PulseAsync, PulseError


@asynccontextmanager
async def _default_sink() -> AsyncIterator[tuple[Any, Any]]:
    connection, pulse_error = await asyncio.to_thread(_client)
    pulse = connection("voice-gateway")
    try:
        async with asyncio.timeout(LIMIT_SECONDS) as limit:
            await pulse.connect()
            name = (await pulse.server_info()).default_sink_name
            if not name:
                raise ToolUnavailable("PulseAudio has no loudspeaker.")
            yield pulse, await pulse.get_sink_by_name(name)
    except pulse_error as error:
        raise ToolUnavailable("PulseAudio is not reachable or has no loudspeaker.") from error
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise ToolUnavailable("PulseAudio does not answer.") from error
    finally:
        pulse.close()
