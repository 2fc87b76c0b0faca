"""The sound card, by PortAudio: devices by name or number, for microphone and loudspeaker."""

import asyncio
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

from voice_gateway.errors import GatewayError
from voice_gateway.sound.worker import in_thread

log = logging.getLogger(__name__)

Kind = Literal["input", "output"]
WORDS: dict[Kind, str] = {"input": "microphone", "output": "loudspeaker"}
SETTINGS: dict[Kind, str] = {"input": "voice.input_device", "output": "voice.output_device"}
PACKAGES = "run `make setup` again, or `pip install 'voice-gateway[speech]'`"
LIBRARY = "`apt install libportaudio2` (Debian, Ubuntu) or `brew install portaudio` (macOS)"
BROKEN = (
    "check ALSA's settings (~/.asoundrc, /etc/asound.conf), and that the package libasound2-data is installed"
)
# A trial in a process of its own, which leaves no core file behind.
TRIAL = "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); import sounddevice"
TRIAL_SECONDS = 10.0
CLOSE_SECONDS = 3.0  # closing a card that is gone may hang
LATENCY_SECONDS = 0.06  # of the card's own buffer: less stutters on a busy machine, more is heard

# PortAudio reads its list of devices once. To read it again it must be ended, which no open stream survives.
_lock = threading.Lock()
_open_streams: set[object] = set()


class SoundError(GatewayError):
    """The sound card cannot be used; hearing and speaking make it an error of theirs."""


@dataclass(frozen=True, slots=True)
class SoundDevice:
    number: int
    name: str
    inputs: int  # channels
    outputs: int
    rate: int  # that it likes best
    default_input: bool = False
    default_output: bool = False


def portaudio() -> Any:
    """The `sounddevice` package; loading takes some time, so call it in a thread."""
    try:
        if "sounddevice" not in sys.modules:
            _try_elsewhere()
        import sounddevice
    except ImportError as error:
        raise SoundError(
            f"sound needs the package sounddevice, which is not installed: {PACKAGES}"
        ) from error
    except OSError as error:
        raise SoundError(f"sound needs the PortAudio library, which is not installed: {LIBRARY}") from error
    except SoundError:
        raise
    except Exception as error:  # it looks at the devices when it is imported, and raises an error of its own
        raise _broken(error) from error
    return sounddevice


def _try_elsewhere() -> None:
    """Tries PortAudio in another process: it aborts where ALSA lacks its own settings."""
    if sys.platform != "linux":
        return
    try:
        trial = subprocess.run(
            [sys.executable, "-P", "-c", TRIAL],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _broken("it does not answer") from error
    if trial.returncode < 0:  # any other end is told better by our own import
        raise _broken(f"it ended a program that looked at it ({signal.Signals(-trial.returncode).name})")


def _broken(reason: object) -> SoundError:
    return SoundError(f"the sound system cannot be used: {reason}; {BROKEN}")


def devices() -> list[SoundDevice]:
    """Blocking."""
    sound = portaudio()
    try:
        known = sound.query_devices()
    except sound.PortAudioError as error:
        raise _broken(error) from error
    default_input, default_output = sound.default.device
    return [
        SoundDevice(
            number=number,
            name=str(facts["name"]),
            inputs=facts["max_input_channels"],
            outputs=facts["max_output_channels"],
            rate=int(facts["default_samplerate"]),
            default_input=number == default_input,
            default_output=number == default_output,
        )
        for number, facts in enumerate(known)
    ]


def find(wanted: str | None, kind: Kind, among: Sequence[SoundDevice] | None = None) -> SoundDevice:
    """The device of this number or name (a part of it will do), or the default one. Blocking."""
    known = devices() if among is None else among
    usable = [device for device in known if (device.inputs if kind == "input" else device.outputs)]
    if not usable:
        raise SoundError(
            f"there is no {WORDS[kind]} (`voice-gateway doctor`): plug one in, or start the sound server"
        )
    if wanted is None:
        is_default = attrgetter(f"default_{kind}")
        return max(usable, key=is_default)
    name = wanted.strip().casefold()
    matches = (  # a name comes before a number: a device may be called "2"
        [device for device in usable if device.name.casefold() == name]
        or [device for device in usable if name == str(device.number)]
        or [device for device in usable if name in device.name.casefold()]
    )
    if not matches:
        names = ", ".join(f"{device.number} {device.name}" for device in usable)
        raise SoundError(f'there is no {WORDS[kind]} "{wanted}" ({SETTINGS[kind]}); there are: {names}')
    return matches[0]


def refresh() -> bool:
    """Read the devices again, if no stream is open; whether it was done. Blocking."""
    sound = portaudio()
    with _lock:
        if _open_streams:
            return False
        try:
            if sound._initialized:  # not when it could not be begun again the last time
                sound._terminate()
            sound._initialize()
        except sound.PortAudioError as error:
            raise _broken(error) from error
        return True


class CardStream:
    """An open stream of the wanted device. Making and closing one blocks; a card that is gone may hang."""

    def __init__(
        self, wanted: str | None, kind: Kind, rate: int, block_seconds: float, **options: Any
    ) -> None:
        """`options` are PortAudio's own: what the samples are, and who is called with them."""
        refresh()
        with _lock:
            _open_streams.add(self)
        try:
            self.device = find(wanted, kind)
            self._open(kind, rate, block_seconds, options)
        except BaseException:
            _open_streams.discard(self)
            raise

    def _open(self, kind: Kind, wanted_rate: int, block_seconds: float, options: dict[str, Any]) -> None:
        """At the wanted rate, else at the card's own; mono, else as many channels as it insists on."""
        sound, device = portaudio(), self.device
        new, most = (
            (sound.RawInputStream, device.inputs) if kind == "input" else (sound.OutputStream, device.outputs)
        )
        problem: Exception | None = None
        for self.rate, self.channels in dict.fromkeys(
            (rate, channels) for rate in (wanted_rate, device.rate) for channels in (1, min(2, most))
        ):
            try:
                self._stream = new(
                    samplerate=self.rate,
                    channels=self.channels,
                    blocksize=round(self.rate * block_seconds),
                    latency=LATENCY_SECONDS,
                    device=device.number,
                    **options,
                )
                self._stream.start()
            except (sound.PortAudioError, ValueError, OSError) as error:
                problem = error
            else:
                return
        raise SoundError(f"the {WORDS[kind]} {device.name} cannot be opened: {problem}") from problem

    @property
    def latency_seconds(self) -> float:
        return float(self._stream.latency)

    def close(self) -> None:
        try:
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)
        finally:
            _open_streams.discard(self)

    async def end(self) -> None:
        """Closes it in a thread. A card that does not let go is left behind."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await in_thread("sound card", self.close)
        except TimeoutError:
            log.warning("the sound card does not let go of a stream", extra={"device": self.device.name})


async def opened(
    wanted: str | None, kind: Kind, rate: int, block_seconds: float, limit_seconds: float, **options: Any
) -> CardStream:
    """Opens a stream in a thread. SoundError also where the card does not answer in time; a stream that it
    opens later is closed at once."""
    stream: CardStream | None = None
    given_up = False

    def work() -> CardStream:
        made = CardStream(wanted, kind, rate, block_seconds, **options)
        if given_up:
            made.close()
        return made

    try:
        async with asyncio.timeout(limit_seconds):
            stream = await in_thread(WORDS[kind], work)
            return stream
    except TimeoutError as error:
        title = f"the {WORDS[kind]} {wanted or '(default)'}"
        raise SoundError(f"{title} cannot be opened: it does not answer") from error
    finally:
        given_up = stream is None
