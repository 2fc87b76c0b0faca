"""The settings of hearing and speaking."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from voice_gateway.config.kinds import (
    ListenAddress,
    Section,
    checked_server,
    checked_wake_words,
    did_you_mean,
)

SERVER = "tcp://"  # of a Wyoming server
STT_ENGINES, TTS_ENGINES = ("moonshine",), ("hibari", "espeak")


class SpeechSettings(Section):
    """How replies are spoken."""

    model_tone: bool = Field(True, description="a soft tone before the words of a language model")


class VoiceSettings(Section):
    """The microphone and the loudspeaker."""

    enabled: bool = Field(False, description="listen and speak; also `run --voice`")
    input_device: str | None = Field(None, description="microphone, by name or number; see `doctor`")
    output_device: str | None = Field(None, description="loudspeaker, by name or number")
    wake: Literal["openwakeword", "microwakeword", "none"] = Field(
        "openwakeword", description="wake word engine; microwakeword is lighter; none is push to talk"
    )
    wake_words: tuple[str, ...] = Field(("hey_jarvis",), min_length=1, description="any of these wakes it")
    wake_threshold: float | None = Field(
        None, gt=0, lt=1, description="how sure the engine must be; without it the engine's own good value"
    )
    silence_seconds: float = Field(0.5, gt=0, le=5, description="silence that ends an utterance")
    quick_silence_seconds: ClassVar[float] = 0.3  # silence that ends a complete command
    min_speech_seconds: ClassVar[float] = 0.2  # less speech than this is noise
    max_speech_seconds: ClassVar[float] = 15.0  # longest utterance
    pre_roll_seconds: ClassVar[float] = 0.3  # audio kept from before speech was noticed
    no_speech_seconds: ClassVar[float] = 5.0  # wait for a command after the wake word
    follow_up_seconds: ClassVar[float] = 6.0  # listen without wake word after a question
    stt: str = Field(
        "moonshine",
        description="speech to text: moonshine, the folder of a faster-whisper model, or a Wyoming server, "
        "tcp://host:port",
    )
    tts: str = Field(
        "hibari",
        description="text to speech: hibari, espeak, a Piper voice (.onnx file), or a Wyoming server, "
        "tcp://host:port",
    )
    earcons: bool = Field(True, description="short sounds for wake, end of speech, done, not done and error")
    wyoming_url: ListenAddress | None = Field(
        None,
        description="offer hearing, speaking and conversation to Wyoming clients here, as tcp://127.0.0.1:10700",
    )

    @field_validator("wake_words")
    @classmethod
    def _words_are_known(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return checked_wake_words(words, info.data.get("wake", ""))

    @field_validator("stt")
    @classmethod
    def _hearing_is_known(cls, stt: str) -> str:
        return _checked_engine(stt, STT_ENGINES, is_file="/" in stt or Path(stt).is_dir())

    @field_validator("tts")
    @classmethod
    def _speaking_is_known(cls, tts: str) -> str:
        return _checked_engine(tts, TTS_ENGINES, is_file=tts.endswith(".onnx"))

    @property
    def stt_engine(self) -> Literal["moonshine", "whisper", "wyoming"]:
        if self.stt.startswith(SERVER):
            return "wyoming"
        return "moonshine" if self.stt in STT_ENGINES else "whisper"

    @property
    def tts_engine(self) -> Literal["hibari", "espeak", "piper", "wyoming"]:
        if self.tts.startswith(SERVER):
            return "wyoming"
        if self.tts.endswith(".onnx"):
            return "piper"
        return "espeak" if self.tts == "espeak" else "hibari"


def _checked_engine(text: str, known: tuple[str, ...], *, is_file: bool) -> str:
    """Raises ValueError."""
    if text.startswith(SERVER):
        return checked_server(text)
    if text in known or is_file:
        return text
    raise ValueError(f"must be {', '.join(known)}, a file or {SERVER}host:port{did_you_mean(text, known)}")
