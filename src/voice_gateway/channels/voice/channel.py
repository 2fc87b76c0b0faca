"""The voice channel: loads its engines, runs the transcriber, and retries what fails."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voice_gateway.backoff import Backoff
from voice_gateway.channels import Answer
from voice_gateway.channels.voice.speech_output import SpeechOutput
from voice_gateway.channels.voice.transcriber import NOT_LISTENING, BackgroundTranscriber
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError, first_error
from voice_gateway.events import Changes, EventBus, Notice, PartState, State
from voice_gateway.hearing.engines import HearingEngines, load_hearing
from voice_gateway.hearing.microphone import SounddeviceMicrophone
from voice_gateway.hearing.transcriber import Transcriber
from voice_gateway.private_files import private_file
from voice_gateway.problems import CANNOT_HEAR
from voice_gateway.speaking.speaker import SounddeviceSpeaker
from voice_gateway.speaking.synthesizer import Synthesizer
from voice_gateway.turn import new_id

log = logging.getLogger(__name__)

STARTING = "The voice is starting."
FIRST_PAUSE_SECONDS = 2.0  # between attempts to load the engines
LONGEST_PAUSE_SECONDS = 30.0
AGAIN_SECONDS = 3600.0  # a part that keeps failing is announced once in this time
MUTE = frozenset({"speech", "speaker"})


class VoiceSwitches:
    """Listening and not mute, if the file cannot be read."""

    def __init__(self, file: Path) -> None:
        self._file, kept = file, None
        try:
            kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        except (OSError, ValueError) as error:
            log.warning("the switches of the voice cannot be read", extra={"reason": str(error)})
        kept = kept if isinstance(kept, dict) else {}
        self.listening = kept.get("listening") is not False
        self.mute = kept.get("mute") is True

    def turn(self, name: str, on: bool) -> None:
        """Sets `listening` or `mute`, and remembers both."""
        setattr(self, name, on)
        kept = {"listening": self.listening, "mute": self.mute}
        try:
            private_file(self._file).write_text(json.dumps(kept), encoding="utf-8")
        except OSError as error:
            log.warning("a switch of the voice is not remembered", extra={"reason": str(error)})


@dataclass(eq=False)
class VoiceChannel:
    """Microphone, engines and loudspeaker of this machine. Its failures do not affect other channels."""

    settings: VoiceSettings
    answer: Answer
    events: EventBus
    engine: Transcriber
    synthesizer: Synthesizer
    gain: Callable[[], float]
    ringers: list[Callable[[str], Awaitable[None]]]  # get the function that rings for a timer
    sounders: list[Callable[[str], Coroutine[Any, Any, None]]]  # get the one that sounds an alarm
    is_complete: Callable[[str], bool]
    show: Callable[[str], None]  # gets text that cannot be spoken
    announce: Callable[[str], None]  # gets how to talk to the gateway
    switches: VoiceSwitches
    model_tone: bool = True
    first_pause_seconds: float = FIRST_PAUSE_SECONDS
    conversation_id: str = field(default_factory=new_id)
    transcriber: BackgroundTranscriber | None = None
    _announced: bool = False

    def __post_init__(self) -> None:
        device = self.settings.output_device
        self.output = SpeechOutput(
            self.synthesizer,
            SounddeviceSpeaker(device, gain=lambda: self.output.alarms.gain(self.gain())),
            events=self.events,
            show=self.show,
            earcons=self.settings.earcons,
            model_tone=self.model_tone,
            mute=lambda: self.switches.mute,
        )

    async def run(self) -> None:
        """Runs until cancelled. Without hearing it still speaks, and timers ring."""
        self.events.report("voice", State.STARTING, STARTING)
        self.ringers.append(self.output.ring)
        self.sounders.append(self.output.alarm)
        try:
            await self._listen(await self._load())
        finally:
            self.ringers.remove(self.output.ring)
            self.sounders.remove(self.output.alarm)
            await self.output.close()

    async def _listen(self, engines: HearingEngines) -> None:
        microphone = SounddeviceMicrophone(self.settings.input_device, on_state=self._microphone_state)
        self.transcriber = BackgroundTranscriber(
            engines,
            microphone,
            self.output,
            self.answer,
            self.settings,
            events=self.events,
            is_complete=self.is_complete,
            listens=lambda: self.switches.listening,
            conversation_id=self.conversation_id,
        )
        self.events.subscribe(self._announce_when_ready, PartState)
        try:
            await self.transcriber.run()
        finally:
            await engines.close()

    def _announce_when_ready(self, event: PartState) -> None:
        """Announces the voice once, with the first sound."""
        if not self._announced and event.part == "voice" and event.state is State.OK:
            self._announced = True
            self.announce(f"voice: {event.sentence}")

    def push_to_talk(self) -> str:
        """Starts a recording. Returns why it cannot, or ""."""
        if not self.switches.listening:
            return NOT_LISTENING
        voice, microphone = map(self.events.part, ("voice", "microphone"))
        if microphone is not None and microphone.state is State.DEGRADED:
            return microphone.sentence
        if self.transcriber is None or voice is None or voice.state is State.STARTING:
            return voice.sentence if voice else STARTING
        self.transcriber.push_to_talk()
        return ""

    async def _load(self) -> HearingEngines:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.output.warm_up(), name="warm up speech")
            hearing = tasks.create_task(self._load_hearing(), name="load hearing")
        return hearing.result()

    async def _load_hearing(self) -> HearingEngines:
        """Retries until the engines are loaded: a server may come up later, or a file be added."""
        wait, failed = Backoff(self.first_pause_seconds, LONGEST_PAUSE_SECONDS), ""
        while True:
            try:
                if failed:  # a server that is away fails quickly, before the other engines are loaded
                    await self.engine.warm_up()
                return await load_hearing(self.settings, self.engine)
            except (HearingError, BaseExceptionGroup) as group:
                error = first_error(group)
                log.log(
                    logging.DEBUG if str(error) == failed else logging.ERROR,
                    "there is no voice",
                    extra={"reason": str(error), "retry_seconds": wait.seconds},
                )
                failed = str(error)
                self._announced = True  # its return is announced like that of any part
                sentence, check = CANNOT_HEAR.format(reason=error), ""
                if isinstance(error, HearingError) and error.has_own_words:
                    sentence, check = CANNOT_HEAR.format(reason=f"{error.spoken}; I keep trying"), str(error)
                self.events.report("voice", State.DEGRADED, sentence, check)
            await asyncio.sleep(wait.next())

    def _microphone_state(self, problem: str | None) -> None:
        if problem is None or self.transcriber is None:
            self.events.report("microphone", State.OK, "The microphone works.")
        else:
            self.transcriber.microphone_lost(problem)


class Aloud:
    """`ready` returns when the servers are connected or given up, `missing` gives a sentence for each missing
    part."""

    def __init__(
        self,
        events: EventBus,
        say: Callable[[str], Awaitable[None]],
        *,
        ready: Callable[[], Awaitable[None]],
        missing: Callable[[], list[str]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._events, self._say = events, say
        self._ready, self._missing, self._monotonic = ready, missing, monotonic
        self._changes = Changes()
        self._told: dict[str, float] = {}  # when a part's failure was spoken last
        self._gone: set[str] = set()  # parts whose failure was spoken
        self._sentences: asyncio.Queue[str] = asyncio.Queue()
        events.subscribe(self._noticed, Notice)  # notices are spoken during the start too

    async def run(self) -> None:
        await self._ready()
        await self._events.decided()
        for part in self._events.parts():  # parts that are missing now are in the first sentence
            self._worth_saying(part)
        self._events.subscribe(self._happened, PartState)
        await self._say(" ".join(["I am ready.", *self._missing()]))
        while True:
            await self._say(await self._sentences.get())

    def _noticed(self, event: Notice) -> None:
        if event.aloud:
            self._sentences.put_nowait(event.text)

    def _happened(self, event: PartState) -> None:
        if self._worth_saying(event):
            self._sentences.put_nowait(event.sentence)

    def _worth_saying(self, event: PartState) -> bool:
        news = self._changes.news(event)
        if event.late:
            self._gone.add(event.part)
        if event.part in MUTE or news is None:
            return False
        if event.state is State.OK:
            spoken = event.part in self._gone
            self._gone.discard(event.part)
            return spoken
        now = self._monotonic()
        if now - self._told.get(event.part, -AGAIN_SECONDS) < AGAIN_SECONDS:
            return False
        self._told[event.part] = now
        self._gone.add(event.part)
        return True
