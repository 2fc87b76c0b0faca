"""What the doctor tries of the voice: its engines, microphone and loudspeaker."""

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from voice_gateway.cli.doctor.finding import CheckResults, Grade, bad, ok
from voice_gateway.config import Settings, VoiceSettings
from voice_gateway.errors import GatewayError, HearingError
from voice_gateway.problems.channels import MICROPHONE, SPEECH, TRANSCRIBER, VOICE
from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import CANNOT_HEAR, CANNOT_SPEAK, CANNOT_UNDERSTAND
from voice_gateway.sound.card import Kind, devices, find
from voice_gateway.sound.packages import ADVICE, check_files

if TYPE_CHECKING:
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.synthesizer import Synthesizer


async def speech(settings: Settings) -> CheckResults:
    """Only a warning while nobody uses it. The engines' own words say what is wrong, and what to do."""
    voice = settings.voice
    grade = Grade.FAILED if voice.enabled or voice.wyoming_url else Grade.WARNING
    trials: tuple[tuple[str, Callable[[VoiceSettings], Awaitable[str]], Problem, str], ...] = (
        ("wake word", _wake_word, VOICE, CANNOT_HEAR),
        ("voice activity", _voice_activity, VOICE, CANNOT_HEAR),
        ("speech to text", _speech_to_text, TRANSCRIBER, CANNOT_UNDERSTAND),
        ("text to speech", _text_to_speech, SPEECH, CANNOT_SPEAK),
    )
    for name, trial, problem, sentence in trials:
        try:
            yield ok(name, await trial(voice))
        except GatewayError as error:
            yield bad(name, problem, sentence.format(reason=error), grade=grade)


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

    if voice.stt_engine == "moonshine":
        return await _whole("moonshine_voice", "moonshine-voice", "moonshine_voice/assets/tiny-en/")
    return await _answers(new_transcriber(voice))


async def _text_to_speech(voice: VoiceSettings) -> str:
    from voice_gateway.speaking.engines import new_synthesizer

    if voice.tts_engine == "hibari":
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


async def audio(settings: Settings) -> CheckResults:
    """Only a warning while the voice is off: a gateway without a sound card is a good one."""
    voice = settings.voice
    grade = Grade.FAILED if voice.enabled else Grade.WARNING
    try:
        found = await asyncio.to_thread(devices)
    except GatewayError as error:
        yield bad("audio", MICROPHONE, CANNOT_HEAR.format(reason=error), grade=grade)
        return
    kinds: tuple[tuple[Kind, str, str | None, Problem, str], ...] = (
        ("input", "microphone", voice.input_device, MICROPHONE, CANNOT_HEAR),
        ("output", "loudspeaker", voice.output_device, SPEECH, CANNOT_SPEAK),
    )
    for kind, name, wanted, problem, sentence in kinds:
        count = sum((one.inputs if kind == "input" else one.outputs) > 0 for one in found)
        try:
            device = find(wanted, kind, found)
        except GatewayError as error:
            yield bad(name, problem, sentence.format(reason=error), grade=grade)
        else:
            yield ok(name, f"{count} found, {device.name} is used")
