"""`voice-gateway listen`: a recording goes through the whole pipeline as if it were spoken."""

import argparse
import asyncio
import sys
from pathlib import Path

from voice_gateway.app import opened
from voice_gateway.channels.marks import mark_lines
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.channels.voice.recording import check_recording
from voice_gateway.channels.voice.transcriber import Recorded
from voice_gateway.cli.command import loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.errors import first_error
from voice_gateway.speaking.speaker import KeepingSpeaker

NOTHING_HEARD = "no wake word was heard (--no-wake takes the whole recording as a command)"


def arguments(command: Parser) -> None:
    command.description = (
        "Print each stage with its time; --json: one object for each turn. "
        "Exit code 0: something was heard, and all of it was answered well; else 1."
    )
    command.add_argument("file", metavar="FILE.wav", help="a recording: wake word, then a command")
    command.add_argument("--out", metavar="FILE", help="keep the spoken answer in a WAV file")
    command.add_argument("--no-wake", action="store_true", help="the whole recording is one command")


async def listen(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    path = Path(options.file)
    await asyncio.to_thread(check_recording, path)
    heard: list[Recorded] = []

    def on_turn(recorded: Recorded) -> None:
        heard.append(recorded)
        if options.json:
            print_json(recorded.to_json())
        else:
            outcomes = recorded.reply.outcomes if recorded.reply else ()
            print_reply("\n".join(stage_lines(recorded)), mark_lines(outcomes))

    speaker = KeepingSpeaker()
    try:
        async with (
            opened(settings) as gateway,
            gateway.channels.listener(speaker, whole=options.no_wake) as hear,
        ):
            await hear(path, on_turn)
    except BaseExceptionGroup as group:
        raise first_error(group) from None
    if options.out:
        await asyncio.to_thread(speaker.save, Path(options.out))
    if not heard and options.json:
        print_json({"ok": False, "problem": NOTHING_HEARD})
    elif not heard:
        print(NOTHING_HEARD, file=sys.stderr)
    return 0 if heard and all(recorded.reply and recorded.reply.ok for recorded in heard) else 1


def stage_lines(recorded: Recorded) -> list[str]:
    """Each stage with its time, for people."""
    lines, wake, reply, times = [], recorded.wake, recorded.reply, recorded.timings_ms
    if wake is not None:
        lines.append(f"{wake.at_seconds:7.2f} s  wake word {wake.word} ({wake.score:.2f})")
    if recorded.transcript is None:
        return [*lines, "           no command"]

    def timed(name: str, text: str) -> None:
        if name in times:
            lines.append(f"{times[name]:7.0f} ms {text}")

    timed("endpoint", "end of speech")
    timed("transcribe", f"heard: {recorded.shown or f'(dropped: {recorded.transcript.noise})'}")
    if reply is not None:
        timed("brain", f"{reply.stage}: {reply.text}")
        lines += [f"           {outcome.name}: {outcome.text}" for outcome in reply.outcomes]
        timed("synthesize", "first sentence synthesized")
    timed("first_audio", "from the end of speech to the first sound of the answer")
    return lines
