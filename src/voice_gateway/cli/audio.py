"""`voice-gateway audio`: which sound devices there are, and whether they work."""

import argparse
import asyncio
import contextlib
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded, wants_json
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.sound import card
from voice_gateway.turn import Speech

METER = (-60.0, 0.0)  # dB, both ends of the bar
METER_WIDTH = 40
# How loud a recording of somebody who speaks should be, loudest first.
VERDICTS = (
    (-1.0, "too loud: it is cut off; turn the microphone down"),
    (-30.0, "good"),
    (-55.0, "quiet: come closer, or turn the microphone up"),
    (-100.0, "very quiet: is this the right microphone? see `voice-gateway audio list`"),
)
SILENT = "nothing but silence: is the microphone muted?"


async def audio(options: argparse.Namespace) -> int:
    if options.action == "test":
        return await _test(options, loaded(options).settings.voice)
    return await _list(options)


async def _list(options: argparse.Namespace) -> int:
    devices = await asyncio.to_thread(card.devices)
    if wants_json(options):
        print_json({"devices": [device.to_json() for device in devices]})
        return 0 if devices else 1
    if not devices:
        print("There are no sound devices here: plug one in, or start the sound server.", file=sys.stderr)
        return 1
    table = Table(box=None)
    for title in ("number", "name", "system", "in", "out", "rate", ""):
        table.add_column(title)
    for device in devices:
        marks = ["microphone"] * device.default_input + ["loudspeaker"] * device.default_output
        cells = (
            device.number,
            escape(device.name),
            device.system,
            device.inputs,
            device.outputs,
            device.rate,
        )
        default = f"default {' and '.join(marks)}" if marks else ""
        table.add_row(*map(str, cells), default)
    Console().print(table, highlight=False)
    return 0


async def _test(options: argparse.Namespace, settings: VoiceSettings) -> int:
    """Records, shows the level, and plays what was recorded."""
    try:
        from voice_gateway.sound.samples import level_db
    except ImportError as error:
        raise HearingError(f"sound needs {error.name}: {card.PACKAGES}") from error
    microphone = await asyncio.to_thread(card.find, settings.input_device, "input")
    samples = await _record(settings.input_device, options.seconds, microphone.name)
    level, peak = level_db(samples), level_db(_loudest(samples))
    verdict = next((words for least, words in VERDICTS if peak >= least), SILENT)
    played_on, problem = await _played(samples, settings.output_device)
    if wants_json(options):
        facts: dict[str, Any] = {"microphone": microphone.name, "loudspeaker": played_on}
        facts |= {"level_db": round(level, 1), "peak_db": round(peak, 1), "verdict": verdict}
        print_json({**facts, "problem": problem})
    else:
        print(f"{microphone.name}: {level:.0f} dB on average, {peak:.0f} dB at its loudest: {verdict}")
        print(f"played on {played_on}" if played_on else f"not played: {problem}")
    return 0 if played_on and peak >= VERDICTS[-1][0] else 1


async def _record(device: str | None, seconds: float, title: str) -> Any:
    import numpy as np

    from voice_gateway.hearing.sounddevice_microphone import SounddeviceMicrophone
    from voice_gateway.sound.samples import RATE, level_db

    pieces = []
    left = round(seconds * RATE)
    console = Console(stderr=True)
    with console.status(f"recording {seconds:g} s from {escape(title)}; say something …") as status:
        async with contextlib.aclosing(SounddeviceMicrophone(device).chunks()) as chunks:
            async for chunk in chunks:
                pieces.append(chunk.samples)
                left -= len(chunk.samples)
                level = level_db(chunk.samples)
                status.update(f"{meter(level)} {level:4.0f} dB  say something …")
                if left <= 0:
                    break
    return np.concatenate(pieces)


def meter(level: float) -> str:
    share = (level - METER[0]) / (METER[1] - METER[0])
    filled = round(METER_WIDTH * min(1.0, max(0.0, share)))
    return "█" * filled + "·" * (METER_WIDTH - filled)


def _loudest(samples: Any) -> Any:
    """The loudest tenth of a second."""
    import numpy as np

    size = min(len(samples), 1600)
    parts = samples[: len(samples) // size * size].reshape(-1, size).astype(np.int64)
    return parts[int(np.argmax((parts**2).sum(axis=1)))].astype(np.int16)


async def _played(samples: Any, device: str | None) -> tuple[str | None, str | None]:
    """On which loudspeaker, or why not."""
    from voice_gateway.sound.samples import RATE, to_floats
    from voice_gateway.speaking.sounddevice_speaker import SounddeviceSpeaker

    speaker = SounddeviceSpeaker(device)
    try:
        found = await asyncio.to_thread(card.find, device, "output")
        await speaker.play(Speech(to_floats(samples), RATE))
    except (card.SoundError, SpeakingError) as error:
        return None, str(error)
    finally:
        await speaker.close()
    return found.name, None
