"""The settings of hearing and speaking."""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from voice_gateway.config.kinds import ListenAddress, ServerAddress, checked_wake_words
from voice_gateway.config.section import Section


class VoiceSettings(Section):
    """The microphone and the loudspeaker."""

    enabled: bool = Field(False, description="listen and speak; also `run --voice`")
    room: str | None = Field(None, description="the room the microphone stands in")
    input_device: str | None = Field(None, description="microphone, by name or number; see `audio list`")
    output_device: str | None = Field(None, description="loudspeaker, by name or number")
    wake: Literal["openwakeword", "microwakeword", "none"] = Field(
        "openwakeword", description="wake word engine; microwakeword is lighter; none is push to talk"
    )
    wake_words: tuple[str, ...] = Field(("hey_jarvis",), min_length=1, description="any of these wakes it")
    wake_threshold: float | None = Field(
        None, gt=0, lt=1, description="how sure the engine must be; without it the engine's own good value"
    )
    silence_seconds: float = Field(0.5, gt=0, le=5, description="silence that ends an utterance")
    quick_silence_seconds: float = Field(0.3, gt=0, le=5, description="the same after a complete command")
    min_speech_seconds: float = Field(0.2, ge=0, description="less speech than this is noise")
    max_speech_seconds: float = Field(15.0, gt=0, le=120, description="longest utterance")
    pre_roll_seconds: float = Field(0.3, ge=0, le=2, description="audio kept from before speech was noticed")
    no_speech_seconds: float = Field(5.0, gt=0, description="wait for a command after the wake word")
    follow_up_seconds: float = Field(6.0, ge=0, description="listen without wake word after a question")
    stt: Literal["moonshine", "whisper", "wyoming"] = Field("moonshine", description="speech to text engine")
    whisper_model: Path | None = Field(None, description="folder of a faster-whisper model")
    stt_url: ServerAddress | None = Field(None, description="Wyoming speech-to-text server, tcp://host:port")
    tts: Literal["hibari", "piper", "espeak", "wyoming"] = Field(
        "hibari", description="text to speech engine"
    )
    piper_voice: Path | None = Field(None, description="voice file (.onnx) for Piper")
    tts_url: ServerAddress | None = Field(None, description="Wyoming text-to-speech server, tcp://host:port")
    earcons: bool = Field(True, description="short sounds for wake, end of speech, done, not done and error")
    wyoming_url: ListenAddress | None = Field(
        None,
        description="offer hearing, speaking and conversation to Wyoming clients here, as tcp://127.0.0.1:10700",
    )
    wyoming_announce: bool = Field(
        True, description="tell the local network of that port (mDNS), unless only this machine can reach it"
    )

    @field_validator("wake_words")
    @classmethod
    def _words_are_known(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return checked_wake_words(words, info.data.get("wake", ""))

    @model_validator(mode="after")
    def _engines_have_what_they_need(self) -> "VoiceSettings":
        needs = (
            (self.stt == "whisper", self.whisper_model, "stt = whisper needs whisper_model"),
            (self.stt == "wyoming", self.stt_url, "stt = wyoming needs stt_url"),
            (self.tts == "piper", self.piper_voice, "tts = piper needs piper_voice"),
            (self.tts == "wyoming", self.tts_url, "tts = wyoming needs tts_url"),
        )
        for chosen, given, problem in needs:
            if chosen and given is None:
                raise ValueError(problem)
        return self
