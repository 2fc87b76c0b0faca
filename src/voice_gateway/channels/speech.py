"""Speech for streamed text: each sentence as soon as it is complete, with a tone before a model's words."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from voice_gateway.errors import GatewayError, SpeakingError
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.sound.samples import RATE, Floats, resampled, to_samples
from voice_gateway.speaking.earcons import Earcon, earcon
from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import LONGEST_TEXT, Part, PartSource
from voice_gateway.turns.sentences import sentences, whole_sentences

CHUNK_SAMPLES = 1024

log = logging.getLogger(__name__)

Send = Callable[[str, dict[str, Any], bytes], Awaitable[None]]


async def warm_up(*engines: Transcriber | Synthesizer) -> None:
    """Makes the first request as quick as the others. An engine that fails is reported when it is used."""
    for engine in engines:
        try:
            await engine.warm_up()
        except GatewayError as error:
            log.info("a speech engine is not ready", extra={"engine": engine.name, "reason": str(error)})


@dataclass(slots=True)
class StreamedSpeech:
    """One answer in sound."""

    synthesizer: Synthesizer
    send: Send
    model_tone: bool = False
    _waiting: str = ""  # an incomplete sentence
    _source: PartSource = PartSource.GATEWAY
    _tone_due: bool = False
    _length: int = 0
    _begun: bool = False

    async def feed(self, part: Part) -> None:
        """Takes the next piece of text and speaks the sentences that are complete."""
        self._length += len(part.text)
        if self._length > LONGEST_TEXT:
            raise SpeakingError(f"a text to speak may have {LONGEST_TEXT} characters")
        if part.source is not self._source:
            await self._speak(self._waiting)
            self._waiting, self._source = "", part.source
            self._tone_due = self.model_tone and part.source is PartSource.MODEL
        ended, self._waiting = whole_sentences(self._waiting + part.text)
        for sentence in ended:
            await self._speak(sentence)

    async def end(self) -> None:
        await self._speak(self._waiting)
        await self._begin(RATE)
        await self.send("audio-stop", {}, b"")

    async def _begin(self, rate: int) -> dict[str, Any]:
        form = {"rate": rate, "width": 2, "channels": 1}
        if not self._begun:
            self._begun = True
            await self.send("audio-start", form, b"")
        return form

    async def _speak(self, text: str) -> None:
        for sentence in sentences(spoken_text(text)):
            speech = await self.synthesizer.speak(sentence)
            form = await self._begin(speech.rate)
            if self._tone_due:
                self._tone_due, tone = False, earcon(Earcon.MODEL)
                await self._send_sound(resampled(tone.samples, tone.rate, speech.rate), form)
            await self._send_sound(speech.samples, form)

    async def _send_sound(self, samples: Floats, form: dict[str, Any]) -> None:
        pcm = to_samples(samples)
        for start in range(0, len(pcm), CHUNK_SAMPLES):
            await self.send("audio-chunk", form, pcm[start : start + CHUNK_SAMPLES].tobytes())
