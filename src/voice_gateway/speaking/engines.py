"""The synthesizer of the settings, loaded by its `warm_up` or its first sentence."""

from pathlib import Path

from voice_gateway.config import VoiceSettings
from voice_gateway.speaking.synthesizer import Synthesizer


def new_synthesizer(settings: VoiceSettings) -> Synthesizer:
    if settings.tts_engine == "espeak":
        from voice_gateway.speaking.espeak import EspeakSynthesizer

        return EspeakSynthesizer()
    if settings.tts_engine == "piper":
        from voice_gateway.speaking.piper import PiperSynthesizer

        return PiperSynthesizer(Path(settings.tts))
    if settings.tts_engine == "wyoming":
        from voice_gateway.speaking.wyoming_synthesizer import WyomingSynthesizer

        return WyomingSynthesizer(settings.tts)
    from voice_gateway.speaking.hibari import HibariSynthesizer

    return HibariSynthesizer()
