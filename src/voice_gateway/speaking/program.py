"""Voices that are programs: text goes in, a WAV file or raw sound comes out."""

import asyncio
import contextlib
import io
import wave
from collections.abc import Sequence

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.synthesizer import from_pcm16, trimmed
from voice_gateway.turn import Speech

TIMEOUT_SECONDS = 20.0  # a sentence takes a tenth of a second; a program that hangs must not hold the turn


async def output_of(command: Sequence[str], text: str, *, advice: str) -> bytes:
    """What the program writes on stdout when it gets the text on stdin."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise SpeakingError(
            f"{command[0]} cannot be started ({error.strerror or error}): {advice}"
        ) from error
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            output, complaint = await process.communicate(text.encode())
    except TimeoutError as error:
        raise SpeakingError(f"{command[0]} did not answer in {TIMEOUT_SECONDS:g} s") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        last = complaint.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise SpeakingError(f"{command[0]} failed ({last[0]}): {advice}")
    return output


def from_wav(raw: bytes, text: str, program: str) -> Speech:
    try:
        with wave.open(io.BytesIO(raw)) as sound:
            if sound.getsampwidth() != 2:
                raise SpeakingError(f"{program} gave sound of {8 * sound.getsampwidth()} bit instead of 16")
            # A program that writes into a pipe does not know the length: read what is there.
            samples = from_pcm16(sound.readframes(len(raw)), sound.getnchannels())
            return Speech(trimmed(samples, sound.getframerate()), sound.getframerate(), text)
    except (wave.Error, EOFError) as error:
        raise SpeakingError(f"{program} gave no sound ({error})") from error
