"""What the doctor looks at for the voice: the engines that the settings choose, and the sound card."""

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from voice_gateway.cli.checks import Finding, Findings, Verdict
from voice_gateway.config import Settings, VoiceSettings
from voice_gateway.errors import GatewayError, HearingError
from voice_gateway.hearing.packages import ADVICE, check_files
from voice_gateway.sound.card import Kind, devices, find

if TYPE_CHECKING:
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.synthesizer import Synthesizer


async def speech(settings: Settings) -> Findings:
    """Only a warning while nobody uses it. The engines' own words say what is wrong, and what to do."""
    voice = settings.voice
    bad = Verdict.FAILED if voice.enabled or voice.wyoming_url else Verdict.WARNING
    trials: tuple[tuple[str, Callable[[VoiceSettings], Awaitable[str]], str], ...] = (
        ("wake word", _wake_word, "voice.wake and voice.wake_words choose it"),
        ("voice activity", _voice_activity, "only the voice needs it"),
        ("speech to text", _speech_to_text, "voice.stt chooses the engine"),
        ("text to speech", _text_to_speech, "voice.tts chooses the engine"),
    )
    for name, trial, advice in trials:
        try:
            yield Finding(name, Verdict.OK, await trial(voice))
        except GatewayError as error:
            yield Finding(name, bad, str(error), f"{advice}; docs/voice.md tells what each needs")


async def _wake_word(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import load_wake_word

    if await asyncio.to_thread(load_wake_word, voice) is None:
        return "not used (voice.wake is none)"
    return f"{voice.wake} listens for {', '.join(voice.wake_words)}"


async def _voice_activity(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import load_recorder

    await asyncio.to_thread(load_recorder, voice)
    return "tells speech from silence"


async def _speech_to_text(voice: VoiceSettings) -> str:
    from voice_gateway.hearing.engines import new_transcriber

    if voice.stt == "moonshine":
        return await _whole("moonshine_voice", "moonshine-voice", "moonshine_voice/assets/tiny-en/")
    return await _answers(new_transcriber(voice))


async def _text_to_speech(voice: VoiceSettings) -> str:
    from voice_gateway.speaking.engines import new_synthesizer

    if voice.tts == "hibari":
        return await _whole("hibari", "hibari-tts", "hibari/")
    return await _answers(new_synthesizer(voice))


async def _answers(engine: "Transcriber | Synthesizer") -> str:
    try:
        await engine.warm_up()
    finally:
        await engine.close()
    return f"{engine.name} answers"


async def _whole(module: str, package: str, files: str) -> str:
    """A model that comes with its package is not loaded, which takes long: it cannot be another one."""
    if importlib.util.find_spec(module) is None:
        raise HearingError(f"the package {package} is not installed: {ADVICE}")
    await asyncio.to_thread(check_files, package, files, "its model")
    return f"{package} is installed, and its model is whole"


async def audio(settings: Settings) -> Findings:
    """Only a warning while the voice is off: a gateway without a sound card is a good one."""
    bad = Verdict.FAILED if settings.voice.enabled else Verdict.WARNING
    try:
        found = await asyncio.to_thread(devices)
    except GatewayError as error:
        yield Finding("audio", bad, str(error), "only the voice needs sound")
        return
    kinds: tuple[tuple[Kind, str, str | None, int], ...] = (
        ("input", "microphone", settings.voice.input_device, sum(device.inputs > 0 for device in found)),
        ("output", "loudspeaker", settings.voice.output_device, sum(device.outputs > 0 for device in found)),
    )
    for kind, name, wanted, count in kinds:
        try:
            device = await asyncio.to_thread(find, wanted, kind)
        except GatewayError as error:
            choose = f"set voice.{kind}_device to one of `voice-gateway audio list`; " if count else ""
            yield Finding(name, bad, str(error), f"{choose}only the voice needs it")
        else:
            yield Finding(name, Verdict.OK, f"{count} found, {device.name} is used")
