"""Which voice speaks: chosen by the settings, loaded by its `warm_up` or its first sentence."""

from voice_gateway.config import VoiceSettings
from voice_gateway.speaking.synthesizer import Synthesizer


def new_synthesizer(settings: VoiceSettings) -> Synthesizer:
    if settings.tts == "espeak":
        from voice_gateway.speaking.espeak import EspeakSynthesizer

        return EspeakSynthesizer()
    if settings.tts == "piper":
        from voice_gateway.speaking.piper import PiperSynthesizer

        assert settings.piper_voice is not None  # checked by the settings
        return PiperSynthesizer(settings.piper_voice)
    if settings.tts == "wyoming":
        from voice_gateway.speaking.wyoming_synthesizer import WyomingSynthesizer

        assert settings.tts_url is not None
        return WyomingSynthesizer(settings.tts_url)
    from voice_gateway.speaking.hibari import HibariSynthesizer

    return HibariSynthesizer()
