"""Builds the doors of a gateway, and opens those that stay open beside the text door."""

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from voice_gateway.config import control_file, data_folder
from voice_gateway.errors import LinkError
from voice_gateway.events import Event, Notice, Progressed, State, Waiting
from voice_gateway.problems import VOICE_PACKAGE

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway
    from voice_gateway.channels.control import ControlChannel
    from voice_gateway.channels.mqtt.channel import MqttChannel
    from voice_gateway.channels.mqtt.controls import Controls
    from voice_gateway.channels.terminal import TextChannel
    from voice_gateway.channels.voice.channel import VoiceChannel
    from voice_gateway.channels.voice.recording import Listener
    from voice_gateway.channels.web.channel import WebChannel
    from voice_gateway.channels.wyoming.channel import WyomingChannel
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.speaker import KeepingSpeaker
    from voice_gateway.speaking.synthesizer import Synthesizer

NO_VOICE = "The running gateway was started without its voice: use `voice-gateway run --voice`."
ANNOUNCED_SECONDS = 5.0

# Takes a sentence for people to a place where they read it.
Tell = Callable[[str], None]


async def announced_by_running(text: str) -> bool:
    """By the gateway that has the doors; False: there is none, or it could not."""
    from voice_gateway.channels.control import request

    call = {"op": "call", "name": "broadcast", "args": {"message": text}}
    try:
        outcome = await request(control_file(), call, limit_seconds=ANNOUNCED_SECONDS)
    except LinkError:
        return False
    return bool(outcome and outcome.get("ok"))


class Doors:
    """Each door is imported when it is opened: most commands need none."""

    def __init__(self, gateway: "Gateway") -> None:
        self._gateway = gateway
        # Only a gateway that stays up has them.
        self._mqtt: MqttChannel | None = None
        self._voice: VoiceChannel | None = None
        self._control: ControlChannel | None = None
        self._wyoming: WyomingChannel | None = None
        self._web: WebChannel | None = None
        self._terminal = False

    def open(self, config: Path | None, *, spoken: bool, show: Tell, announce: Tell) -> None:
        """`config` is the file of our settings; `show` gets what cannot be spoken, `announce` how to talk
        to it."""
        from voice_gateway.app.control_api import operations
        from voice_gateway.channels.control import ControlChannel

        gateway = self._gateway
        if spoken or gateway.settings.voice.wyoming_url:
            self._open_voice(spoken, show, announce)
        if gateway.settings.mqtt.broker_url:
            self._open_mqtt()
        if gateway.settings.web.enabled:
            from voice_gateway.app.web import web_channel

            self._web = web_channel(gateway, config)
            gateway.start(self._web.run(), "door.web")
        if self._mqtt is not None or self._web is not None:
            gateway.start(gateway.plans_told().run(), "plans")
        self._control = ControlChannel(control_file(), operations(gateway, config))
        gateway.start(self._control.run(), "door.control")

    async def tried(self) -> None:
        """Returns when it is known whether commands and browsers can reach us."""
        if self._control is not None:
            await self._control.tried.wait()
        if self._web is not None:
            await self._web.tried.wait()

    @property
    def web_address(self) -> str:
        """What to type into a browser; empty: there is nothing to see."""
        return self._web.address if self._web is not None else ""

    def addresses(self) -> list[str]:
        """Every open door, for people, with what one needs to get in."""
        settings, found = self._gateway.settings, ["this terminal"] if self._terminal else []
        if self._control is not None:
            taken = "" if self._control.is_open else " (taken by another gateway)"
            found.append(f"commands at {control_file()}{taken}")
        if self._mqtt is not None:
            from voice_gateway.channels.mqtt.link import where

            found.append(f"MQTT {where(settings.mqtt)} ({settings.mqtt.prefix}/req)")
        if self._voice is not None:
            words = " or ".join(f'"{word}"' for word in settings.voice.wake_words).replace("_", " ")
            found.append(
                "voice (`voice-gateway talk`)" if settings.voice.wake == "none" else f"voice ({words})"
            )
        if self._wyoming is not None:
            found.append(f"Wyoming at {self._wyoming.address}")
        return found

    def announce_ready(self) -> None:
        if self._mqtt is not None:
            self._mqtt.announce_ready()

    def push_to_talk(self) -> str:
        """Empty when it listens now, else what keeps it from listening."""
        if self._voice is not None:
            return self._voice.push_to_talk()
        part = self._gateway.watch.part("voice")  # its packages may be missing
        return f"{part.sentence} To get it, {part.advice}." if part else NO_VOICE

    def text(self, *, as_json: bool, out: TextIO | None = None) -> "TextChannel":
        """Lines in, answers out; what nobody asked for, such as a timer that rings, is told there, too."""
        from voice_gateway.channels.terminal import Source, TextChannel, TypedHistory, source

        gateway = self._gateway
        answer, room = gateway.conversation.answer, gateway.settings.brain.room
        history = TypedHistory(data_folder() / "typed-history")
        door = TextChannel(answer, as_json=as_json, room=room, out=out, history=history)

        def told(event: Event) -> None:
            if isinstance(event, Notice):
                door.tell(event.text)
            elif isinstance(event, Waiting):
                door.tell_waiting(event)
            elif isinstance(event, Progressed):
                door.tell_progress(event)

        gateway.watch.subscribe(told)
        self._terminal = source(sys.stdin) is Source.TERMINAL
        if self._terminal:
            gateway.talks_in["cli"] = door.conversation_id
        return door

    def voice(self, **options: Any) -> "VoiceChannel":
        """Microphone, engines and loudspeaker of this machine."""
        from voice_gateway.channels.voice.channel import VoiceChannel
        from voice_gateway.channels.voice.switches import VoiceSwitches

        gateway = self._gateway
        return VoiceChannel(
            gateway.settings.voice,
            gateway.conversation.answer,
            gateway.watch,
            transcriber=self.transcriber,
            synthesizer=self.synthesizer,
            gain=gateway.playback.gain,
            ringers=gateway.timers.ringers,
            sounders=gateway.sounders,
            is_complete=gateway.is_complete,
            switches=VoiceSwitches(data_folder() / "voice-switches.json"),
            model_tone=gateway.settings.speech.model_tone,
            **options,
        )

    def listener(self, speaker: "KeepingSpeaker", **options: Any) -> "Listener":
        """A voice door for recordings (`listen`)."""
        from voice_gateway.channels.voice.recording import Listener

        gateway = self._gateway
        return Listener(
            gateway.settings.voice,
            gateway.conversation.answer,
            speaker,
            events=gateway.watch,
            is_complete=gateway.is_complete,
            ready=gateway.home_read,
            **options,
        )

    def _open_mqtt(self) -> None:
        from voice_gateway.channels.mqtt.channel import MqttChannel

        gateway = self._gateway
        self._mqtt = MqttChannel(
            gateway.settings.mqtt,
            gateway.conversation.answer,
            gateway.store,
            gateway.watch,
            controls=self._controls(),
        )
        gateway.start(self._mqtt.run(), "door.mqtt")

    def _controls(self) -> "Controls":
        from voice_gateway.channels.mqtt.controls import Controls, Switch

        def say(text: str) -> None:
            self._gateway.watch.publish(Notice(text, aloud=True))

        heard = self._gateway.events.acknowledge
        if self._voice is None:
            return Controls(say, acknowledge=heard)
        switches = self._voice.switches
        return Controls(
            say,
            self.push_to_talk,
            {
                "listening": Switch(lambda: switches.listening, switches.set_listening),
                "mute": Switch(lambda: switches.mute, switches.set_mute),
            },
            acknowledge=heard,
        )

    def _open_voice(self, spoken: bool, show: Tell, announce: Tell) -> None:
        gateway = self._gateway
        try:
            voice = self.voice(show=show, announce=announce) if spoken else None
            wyoming = self._new_wyoming() if gateway.settings.voice.wyoming_url else None
        except ImportError as error:
            from voice_gateway.sound.packages import ADVICE

            missing = error.name
            gateway.watch.report("voice", State.DEGRADED, VOICE_PACKAGE.format(package=missing), ADVICE)
            return
        if voice is not None:
            from voice_gateway.channels.voice.aloud import Aloud

            self._voice = voice
            gateway.talks_in["voice"] = voice.conversation_id
            gateway.start(voice.run(), "door.voice")
            aloud = Aloud(gateway.watch, voice.output, ready=gateway.linked, missing=gateway.what_is_missing)
            gateway.start(aloud.run(), "door.voice.aloud")
        if wyoming is not None:
            self._wyoming = wyoming
            gateway.start(wyoming.run(), "door.wyoming")

    def _new_wyoming(self) -> "WyomingChannel":
        from voice_gateway.channels.wyoming.channel import WyomingChannel

        gateway = self._gateway
        return WyomingChannel(
            gateway.settings.voice,
            gateway.conversation.answer,
            self.transcriber,
            self.synthesizer,
            events=gateway.watch,
            recognise=self._recognise,
            name=gateway.settings.mqtt.name,
            wants_pin=lambda: gateway.conversation.wants_pin("wyoming"),
        )

    async def _recognise(self, text: str) -> list[tuple[str, Mapping[str, Any]]]:
        requests = await self._gateway.local.recognise(text, None)
        return [(request.tool, request.args) for request in requests]

    @cached_property
    def transcriber(self) -> "Transcriber":
        """One for the microphone, all Wyoming clients and browsers, as is the voice that speaks."""
        from voice_gateway.hearing.engines import new_transcriber

        return new_transcriber(self._gateway.settings.voice)

    @cached_property
    def synthesizer(self) -> "Synthesizer":
        from voice_gateway.speaking.engines import new_synthesizer

        return new_synthesizer(self._gateway.settings.voice)
