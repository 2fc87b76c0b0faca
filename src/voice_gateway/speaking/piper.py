"""Text to speech by Piper with a voice file, in a process of its own: its licence (GPL-3) is not ours."""

import asyncio
import contextlib
import re
import shutil
import sys
import tempfile
from pathlib import Path

from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.synthesizer import PROGRAM_SECONDS, Synthesizer, from_wav
from voice_gateway.turn import Speech

ADVICE = "install it (`pip install piper-tts`), check voice.tts"
_WRITTEN = re.compile(r"(?<!\S)(\S*\.wav)\s*$")  # how it says that a sentence is ready


class PiperSynthesizer(Synthesizer):
    """One process for all sentences: loading the voice takes seconds. It writes a file for each line."""

    name = "piper"

    def __init__(self, voice: Path, *, program: str = "piper") -> None:
        self._voice = voice
        self._program = program
        self._process: asyncio.subprocess.Process | None = None
        self._folder: Path | None = None
        self._turn = asyncio.Lock()
        self._owed = 0  # files that Piper still has to write, also for callers that have gone

    async def speak(self, text: str) -> Speech:
        async with self._turn:
            process = await self._started()
            try:
                async with asyncio.timeout(PROGRAM_SECONDS):
                    raw = await self._sound(process, text)
            except TimeoutError as error:
                await self._end()
                raise SpeakingError(f"piper did not answer in {PROGRAM_SECONDS:g} s") from error
            except (OSError, SpeakingError) as error:
                await self._end()
                raise error if isinstance(error, SpeakingError) else _failed(error) from error
        return from_wav(raw, text, "piper")

    async def close(self) -> None:
        async with self._turn:
            await self._end()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        for file in (self._voice, Path(f"{self._voice}.json")):
            if not file.is_file():
                raise SpeakingError(f"{file} is not there: set voice.tts to an .onnx file with its .json")
        await self._end()
        self._folder = Path(tempfile.mkdtemp(prefix="voice-gateway-piper-"))
        program = shutil.which(self._program)
        # A package without its program's folder; -P: no module of the current folder takes its place.
        start = [program] if program else [sys.executable, "-P", "-m", "piper"]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(*start, "-m", str(self._voice), "--output_dir", str(self._folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,  # some versions tell the file here, others there
            )
        except OSError as error:
            raise _failed(error) from error
        return self._process

    async def _sound(self, process: asyncio.subprocess.Process, text: str) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(" ".join(text.split()).encode() + b"\n")
        self._owed += 1
        await process.stdin.drain()
        last = "it ended without a reason"
        while line := (await process.stdout.readline()).decode(errors="replace").strip():
            if (written := _WRITTEN.search(line)) is None:
                last = line
                continue
            raw = await asyncio.to_thread(_taken, Path(written[1]))
            self._owed -= 1
            if not self._owed:
                return raw
        raise SpeakingError(f"piper failed ({last}): {ADVICE}")

    async def _end(self) -> None:
        process, folder = self._process, self._folder
        self._process = self._folder = None
        self._owed = 0
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _taken(file: Path) -> bytes:
    raw = file.read_bytes()
    file.unlink(missing_ok=True)
    return raw


def _failed(error: OSError) -> SpeakingError:
    return SpeakingError(f"piper cannot be used ({error.strerror or error}): {ADVICE}")
