"""A process that plays tones on the default loudspeaker as the lines of its input say, and tells how it went.

`play SECONDS` waits for the end; `cut SECONDS AFTER` stops it after that time.
"""

import asyncio
import json
import sys
import time

import numpy as np

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.speaker import SounddeviceSpeaker
from voice_gateway.turn import Speech

RATE = 24_000


def tone(seconds: float) -> Speech:
    return Speech(np.full(round(seconds * RATE), 0.4, np.float32) * _wave(seconds), RATE, "tone")


def _wave(seconds: float):
    return np.sin(2 * np.pi * 440 * np.arange(round(seconds * RATE)) / RATE).astype(np.float32)


async def play(speaker: SounddeviceSpeaker, seconds: float, after: float | None) -> dict:
    started = time.monotonic()
    stopping = None
    if after is not None:
        stopping = asyncio.get_running_loop().call_later(after, speaker.stop)
    try:
        await speaker.play(tone(seconds))
    except SpeakingError as error:
        return {"error": str(error)}
    finally:
        if stopping is not None:
            stopping.cancel()
    ended = time.monotonic()
    heard = speaker.loudness(started, ended + 0.1, 0.02)
    return {"seconds": ended - started, "loudest": max(heard)}


async def main() -> None:
    speaker = SounddeviceSpeaker()
    while line := await asyncio.to_thread(sys.stdin.readline):
        _, seconds, *after = line.split()
        told = await play(speaker, float(seconds), float(after[0]) if after else None)
        print(json.dumps(told), flush=True)
    await speaker.close()


if __name__ == "__main__":
    asyncio.run(main())
