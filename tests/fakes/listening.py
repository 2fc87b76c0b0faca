"""A process that hears a microphone and tells what it hears, for tests of a sound card that goes away."""

import asyncio
import contextlib
import json
import logging

import numpy as np

from voice_gateway.hearing.microphone import SounddeviceMicrophone
from voice_gateway.sound.samples import level_db


def tell(**facts) -> None:
    print(json.dumps(facts), flush=True)


async def main() -> None:
    logging.basicConfig(level="WARNING")
    microphone = SounddeviceMicrophone(on_state=lambda text: tell(state=text), retry_seconds=0.2)
    pieces = []
    async with contextlib.aclosing(microphone.chunks()) as chunks:
        async for chunk in chunks:
            pieces.append(chunk.samples)
            if len(pieces) == 8:  # about a quarter of a second
                tell(level=round(level_db(np.concatenate(pieces))), at=chunk.start_seconds)
                pieces.clear()


if __name__ == "__main__":
    asyncio.run(main())
