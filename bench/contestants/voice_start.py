"""The cold start of every voice model in one process: how long, and how much memory afterwards."""

import asyncio
from pathlib import Path
from time import perf_counter, process_time

STARTED, CPU = perf_counter(), process_time()


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


async def load() -> None:
    from voice_gateway.config import VoiceSettings
    from voice_gateway.hearing.engines import load_hearing
    from voice_gateway.speaking.synthesizer import new_synthesizer

    settings = VoiceSettings()
    synthesizer = new_synthesizer(settings)
    ears, _ = await asyncio.gather(load_hearing(settings), synthesizer.warm_up())
    figures = perf_counter() - STARTED, process_time() - CPU, resident_mb()
    print(*figures, flush=True)
    await ears.close()


if __name__ == "__main__":
    asyncio.run(load())
