"""The sound card, by PortAudio: its devices by name or number, for microphone and loudspeaker alike."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from voice_gateway.errors import GatewayError

Kind = Literal["input", "output"]
WORDS: dict[Kind, str] = {"input": "microphone", "output": "loudspeaker"}
SETTINGS: dict[Kind, str] = {"input": "voice.input_device", "output": "voice.output_device"}
PACKAGES = "run `make setup` again, or `pip install 'voice-gateway[speech]'`"
LIBRARY = "`apt install libportaudio2` (Debian, Ubuntu) or `brew install portaudio` (macOS)"

# PortAudio reads its list of devices once. To read it again it must be ended, which no open stream survives.
_lock = threading.Lock()
_open_streams = 0


class SoundError(GatewayError):
    """The sound card cannot be used; hearing and speaking make it an error of theirs."""


@dataclass(frozen=True, slots=True)
class Device:
    number: int
    name: str
    system: str  # ALSA, Core Audio …
    inputs: int  # channels
    outputs: int
    rate: int  # that it likes best
    default_input: bool = False
    default_output: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def portaudio() -> Any:
    """The `sounddevice` package; loading takes some time, so call it in a thread."""
    try:
        import sounddevice
    except ImportError as error:
        raise SoundError(
            f"sound needs the package sounddevice, which is not installed: {PACKAGES}"
        ) from error
    except OSError as error:
        raise SoundError(f"sound needs the PortAudio library, which is not installed: {LIBRARY}") from error
    return sounddevice


def devices() -> list[Device]:
    """Blocking."""
    sound = portaudio()
    systems = sound.query_hostapis()
    default_input, default_output = sound.default.device
    return [
        Device(
            number=number,
            name=str(found["name"]),
            system=systems[found["hostapi"]]["name"],
            inputs=found["max_input_channels"],
            outputs=found["max_output_channels"],
            rate=int(found["default_samplerate"]),
            default_input=number == default_input,
            default_output=number == default_output,
        )
        for number, found in enumerate(sound.query_devices())
    ]


def find(wanted: str | None, kind: Kind) -> Device:
    """The device of this number or name (a part of it will do), or the default one. Blocking."""
    usable = [device for device in devices() if (device.inputs if kind == "input" else device.outputs)]
    if not usable:
        raise SoundError(
            f"there is no {WORDS[kind]} (`voice-gateway audio list`): plug one in, or start the sound server"
        )
    if wanted is None:
        defaults = [device for device in usable if _is_default(device, kind)]
        return (defaults or usable)[0]
    matches = _matches(wanted, usable)
    if not matches:
        names = ", ".join(f"{device.number} {device.name}" for device in usable)
        raise SoundError(f'there is no {WORDS[kind]} "{wanted}" ({SETTINGS[kind]}); there are: {names}')
    return matches[0]


def _is_default(device: Device, kind: Kind) -> bool:
    return device.default_input if kind == "input" else device.default_output


def _matches(wanted: str, usable: list[Device]) -> list[Device]:
    """A name comes before a number: a device may be called "2"."""
    name = wanted.strip().casefold()
    exact = [device for device in usable if device.name.casefold() == name]
    numbered = [device for device in usable if wanted.strip() == str(device.number)]
    return exact or numbered or [device for device in usable if name in device.name.casefold()]


@contextlib.contextmanager
def stream_in_use() -> Iterator[None]:
    """Held as long as a stream is open, so that nobody reads the devices again underneath it."""
    global _open_streams  # noqa: PLW0603 (PortAudio itself is one for the whole process)
    with _lock:
        _open_streams += 1
    try:
        yield
    finally:
        with _lock:
            _open_streams -= 1


def refresh() -> bool:
    """Read the devices again, if no stream is open; whether it was done. Blocking."""
    sound = portaudio()
    with _lock:
        if _open_streams:
            return False
        sound._terminate()
        sound._initialize()
        return True
