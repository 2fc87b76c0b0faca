"""Text to speech: the Protocol of an engine; hibari, espeak-ng, Piper and Wyoming servers."""

import asyncio
import contextlib
import io
import re
import shutil
import sys
import tempfile
import threading
import wave
from abc import abstractmethod
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import SpeakingError
from voice_gateway.sound.packages import need
from voice_gateway.sound.samples import Floats, from_pcm16
from voice_gateway.turn import Speech

AUDIBLE = 0.005  # of full scale; softer sound before the first word is a pause
LEAD_SECONDS = 0.01  # kept, so that the first sound is not cut
TAIL_SECONDS = 0.15  # kept, so that sentences do not run into each other
PROGRAM_SECONDS = 20.0  # a sentence takes a tenth of a second; a program that hangs must not hold the turn
ESPEAK_ADVICE = "install it (`apt-get install espeak-ng`), or choose another voice.tts"
PIPER_ADVICE = "install it (`pip install piper-tts`), check voice.tts"
_WRITTEN = re.compile(r"(?<!\S)(\S*\.wav)\s*$")  # how Piper says that a sentence is ready
SERVER_SECONDS = 15.0
SERVER_PORT = 10200
HIBARI_ADVICE = "run `make setup` again, or `pip install --force-reinstall 'voice-gateway[speech]'`"


class Synthesizer(Protocol):
    """Says one sentence at a time. The event loop is never blocked; trouble comes out as SpeakingError."""

    name: str

    async def warm_up(self) -> None:
        """Load the model and run it once, so that the first sentence is not slow."""
        await self.speak("Ready.")

    @abstractmethod
    async def speak(self, text: str) -> Speech: ...

    async def close(self) -> None: ...


def trimmed(samples: NDArray[Any], rate: int) -> Floats:
    """Without the silence that engines put around a sentence: a third of a second by the neural ones."""
    floats = np.nan_to_num(np.asarray(samples, np.float32))
    loud = np.flatnonzero(np.abs(floats) > AUDIBLE)
    if not len(loud):
        return np.zeros(0, np.float32)
    first = max(0, int(loud[0]) - round(LEAD_SECONDS * rate))
    last = min(len(floats), int(loud[-1]) + round(TAIL_SECONDS * rate))
    return floats[first:last]


def from_wav(raw: bytes, text: str, program: str) -> Speech:
    """What a program wrote."""
    try:
        with wave.open(io.BytesIO(raw)) as sound:
            if sound.getsampwidth() != 2:
                raise SpeakingError(f"{program} gave sound of {8 * sound.getsampwidth()} bit instead of 16")
            # A program that writes into a pipe does not know the length: read what is there.
            samples = from_pcm16(sound.readframes(len(raw)), sound.getnchannels())
            return Speech(trimmed(samples, sound.getframerate()), sound.getframerate(), text)
    except (wave.Error, EOFError) as error:
        raise SpeakingError(f"{program} gave no sound ({error})") from error


def new_synthesizer(settings: VoiceSettings) -> Synthesizer:
    """Loaded by its `warm_up` or its first sentence."""
    if settings.tts_engine == "espeak":
        return EspeakSynthesizer()
    if settings.tts_engine == "piper":
        return PiperSynthesizer(Path(settings.tts))
    return WyomingSynthesizer(settings.tts) if settings.tts_engine == "wyoming" else HibariSynthesizer()


class HibariSynthesizer(Synthesizer):
    """A small neural voice whose package carries the model."""

    name = "hibari"

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()  # a sentence whose caller has gone may still be in the works

    async def speak(self, text: str) -> Speech:
        return await asyncio.to_thread(self._speak, text)

    async def close(self) -> None:
        self._engine = None

    def _speak(self, text: str) -> Speech:
        with self._lock:
            engine = self._engine = self._engine or _load()
            try:
                samples = engine(text)
            except Exception as error:  # the engine's own errors are not documented
                raise SpeakingError(f"text to speech failed: {error!r}") from error
        return Speech(trimmed(np.asarray(samples), engine.sample_rate), engine.sample_rate, text)


def _load() -> Any:
    package = need("hibari", "speaking", advice=HIBARI_ADVICE, error_type=SpeakingError)
    try:
        return package.Hibari()
    except Exception as error:  # onnxruntime's own types, or a file that is not there
        raise SpeakingError(f"the voice cannot be loaded ({error}): {HIBARI_ADVICE}") from error


class EspeakSynthesizer(Synthesizer):
    """espeak-ng, where it is installed: tinny and tiny. It starts in ten milliseconds for each sentence."""

    name = "espeak"

    def __init__(self, *, program: str = "espeak-ng") -> None:
        self._program = program

    async def speak(self, text: str) -> Speech:
        return from_wav(await self._output(text), text, self._program)

    async def close(self) -> None:
        """Nothing stays open."""

    async def _output(self, text: str) -> bytes:
        try:
            process = await asyncio.create_subprocess_exec(
                *(self._program, "-v", "en-us", "--stdin", "--stdout"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            problem = f"{self._program} cannot be started ({error.strerror or error}): {ESPEAK_ADVICE}"
            raise SpeakingError(problem) from error
        try:
            async with asyncio.timeout(PROGRAM_SECONDS):
                output, complaint = await process.communicate(text.encode())
        except TimeoutError as error:
            raise SpeakingError(f"{self._program} did not answer in {PROGRAM_SECONDS:g} s") from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            last = complaint.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
            raise SpeakingError(f"{self._program} failed ({last[0]}): {ESPEAK_ADVICE}")
        return output


class PiperSynthesizer(Synthesizer):
    """Piper with a voice file, in a process of its own: its licence (GPL-3) is not ours. One process serves
    all sentences, because loading the voice takes seconds; it writes a file for each line."""

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
        raise SpeakingError(f"piper failed ({last}): {PIPER_ADVICE}")

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
    return SpeakingError(f"piper cannot be used ({error.strerror or error}): {PIPER_ADVICE}")


class WyomingSynthesizer(Synthesizer):
    """A Wyoming server, as Home Assistant uses. Each sentence has a connection, which costs a millisecond."""

    name = "wyoming"

    def __init__(self, url: str) -> None:
        self._url = url

    async def speak(self, text: str) -> Speech:
        server = f"the text to speech server {self._url}"
        try:
            async with asyncio.timeout(SERVER_SECONDS):
                return await self._ask(text)
        except TimeoutError as error:
            raise SpeakingError(f"{server} did not answer in {SERVER_SECONDS:g} s") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SpeakingError(f"{server} failed ({error}): check it, and voice.tts") from error

    async def close(self) -> None:
        """Nothing stays open."""

    async def _ask(self, text: str) -> Speech:
        need("wyoming", "a Wyoming server", error_type=SpeakingError)
        from wyoming.audio import AudioChunk, AudioStop
        from wyoming.client import AsyncTcpClient
        from wyoming.error import Error
        from wyoming.tts import Synthesize

        address = urlsplit(self._url)
        chunks: list[AudioChunk] = []
        async with AsyncTcpClient(address.hostname or "", address.port or SERVER_PORT) as client:
            await client.write_event(Synthesize(text=text).event())
            while (event := await client.read_event()) is not None:
                if AudioChunk.is_type(event.type):
                    chunks.append(AudioChunk.from_event(event))
                elif Error.is_type(event.type):
                    raise ValueError(Error.from_event(event).text)
                elif AudioStop.is_type(event.type):
                    break
        if not chunks or chunks[0].width != 2:
            raise ValueError("it sent no 16 bit sound")
        samples = from_pcm16(b"".join(chunk.audio for chunk in chunks), chunks[0].channels)
        return Speech(trimmed(samples, chunks[0].rate), chunks[0].rate, text)
