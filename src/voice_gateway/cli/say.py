"""`voice-gateway say`: speak a text, or write the sound into a file."""

import argparse
import asyncio
import sys
from pathlib import Path
from time import perf_counter

from voice_gateway.channels.terminal import print_json
from voice_gateway.cli.command import loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.speaking.speaker import KeepingSpeaker, SounddeviceSpeaker, Speaker
from voice_gateway.speaking.synthesizer import new_synthesizer
from voice_gateway.turns.sentences import sentences


def arguments(command: Parser) -> None:
    command.add_argument("text", nargs="+", help="what to say")
    command.add_argument("--out", metavar="FILE", help="write a WAV file instead")


async def say(options: argparse.Namespace) -> int:
    settings = loaded(options).settings.voice
    text = spoken_text(" ".join(options.text))
    if not text:
        raise SpeakingError("there is nothing to say")
    kept = KeepingSpeaker()
    speaker: Speaker = kept if options.out else SounddeviceSpeaker(settings.output_device)
    synthesizer = new_synthesizer(settings)
    started, seconds = perf_counter(), 0.0
    try:
        for sentence in sentences(text):
            speech = await synthesizer.speak(sentence)
            seconds += speech.seconds
            await speaker.play(speech)
    finally:
        await synthesizer.close()
        await speaker.close()
    if options.out:
        await asyncio.to_thread(kept.save, Path(options.out))
    if options.json:
        facts = {"text": text, "engine": synthesizer.name, "audio_seconds": round(seconds, 3)}
        print_json({**facts, "seconds": round(perf_counter() - started, 3), "file": options.out})
    elif options.out:
        print(f"{options.out}: {seconds:.1f} s", file=sys.stderr)
    return 0
