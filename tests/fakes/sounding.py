"""A process at a sound card, for tests of one that goes away; it prints what it finds, a JSON object a line.

`python -m tests.fakes.sounding hear` tells what it hears. With `play` it reads lines: `play SECONDS` waits
for the end of a tone; `cut SECONDS AFTER` stops it after that time.
"""

import asyncio
import contextlib
import json
import logging
import sys
import time

import numpy as np

from voice_gateway.errors import SpeakingError
from voice_gateway.hearing.microphone import SounddeviceMicrophone
from voice_gateway.sound.samples import level_db
from voice_gateway.speaking.speaker import SounddeviceSpeaker
from voice_gateway.turn import Speech

RATE = 24_000


def tell(**facts) -> None:
    print(json.dumps(facts), flush=True)


async def hear() -> None:
    logging.basicConfig(level="WARNING")
    microphone = SounddeviceMicrophone(on_state=lambda text: tell(state=text), retry_seconds=0.2)
    pieces = []
    async with contextlib.aclosing(microphone.chunks()) as chunks:
        async for chunk in chunks:
            pieces.append(chunk.samples)
            if len(pieces) == 8:  # about a quarter of a second
                tell(level=round(level_db(np.concatenate(pieces))), at=chunk.start_seconds)
                pieces.clear()


def tone(seconds: float) -> Speech:
    wave = np.sin(2 * np.pi * 440 * np.arange(round(seconds * RATE)) / RATE)
    return Speech((0.4 * wave).astype(np.float32), RATE, "tone")


async def play() -> None:
    speaker = SounddeviceSpeaker()
    while line := await asyncio.to_thread(sys.stdin.readline):
        _, seconds, *after = line.split()
        started = time.monotonic()
        if after:
            asyncio.get_running_loop().call_later(float(after[0]), speaker.stop)
        try:
            await speaker.play(tone(float(seconds)))
        except SpeakingError as error:
            tell(error=str(error))
            continue
        ended = time.monotonic()
        tell(seconds=ended - started, loudest=max(speaker.loudness(started, ended + 0.1, 0.02)))
    await speaker.close()


if __name__ == "__main__":
    asyncio.run(hear() if sys.argv[1] == "hear" else play())
