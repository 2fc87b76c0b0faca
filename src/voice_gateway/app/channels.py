"""Builds the channels of a gateway, and opens those that stay open beside the text channel."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway import __version__
from voice_gateway.app.timers import publish_plans
from voice_gateway.config import control_file, data_folder, web_token_file
from voice_gateway.conversation.store import SqliteStore
from voice_gateway.events import Notice, State
from voice_gateway.problems import VOICE_PACKAGE
from voice_gateway.reports import damaged_file

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway
    from voice_gateway.channels.control import ControlChannel
    from voice_gateway.channels.mqtt.channel import MqttChannel
    from voice_gateway.channels.terminal import TextChannel
    from voice_gateway.channels.voice.channel import VoiceChannel
    from voice_gateway.channels.voice.recording import Hear
    from voice_gateway.channels.web.channel import Start, WebChannel
    from voice_gateway.channels.web.tokens import TokenFile
    from voice_gateway.channels.wyoming import WyomingChannel
    from voice_gateway.hearing.transcriber import Transcriber
    from voice_gateway.speaking.speaker import KeepingSpeaker
    from voice_gateway.speaking.synthesizer import Synthesizer

NO_VOICE = "The running gateway was started without its voice: use `voice-gateway run --voice`."

# Shows a sentence to people.
Tell = Callable[[str], None]


class Channels:
    """Each channel is imported when it is opened: most commands need none."""

    def __init__(self, gateway: "Gateway") -> None:
        self._gateway = gateway
        self._mqtt: MqttChannel | None = None
        self._voice: VoiceChannel | None = None
        self._control: ControlChannel | None = None
        self._wyoming: WyomingChannel | None = None
        self.web: WebChannel | None = None
        self._terminal = False

    def open(self, config: Path | None, *, spoken: bool, show: Tell, announce: Tell) -> None:
        """Opens the channels of a gateway that stays up. `config` is its settings file; `show` gets text that
        cannot be spoken, `announce` how to talk to the gateway."""
        from voice_gateway.app.control_api import ControlApi
        from voice_gateway.channels.control import ControlChannel

        gateway = self._gateway
        if spoken or gateway.settings.voice.wyoming_url:
            self._open_voice(spoken, show, announce)
        if gateway.settings.mqtt.broker_url:
            self._open_mqtt()
        if gateway.settings.web.enabled:
            from voice_gateway.channels.web.channel import WebChannel
            from voice_gateway.channels.web.tokens import TokenFile

            tokens = TokenFile(web_token_file())
            self.web = WebChannel(
                gateway.settings.web,
                lambda start: web_routes(gateway, start, tokens, config),
                gateway.events,
                tokens,
            )
            gateway.start(self.web.run(), "channel.web")
        if self._mqtt is not None or self.web is not None:
            stores = gateway.timers.store, gateway.routines.store
            gateway.start(publish_plans(gateway.events, *stores, gateway.place.zone), "plans")
        self._control = ControlChannel(control_file(), ControlApi(gateway, config).operations())
        gateway.start(self._control.run(), "channel.control")

    async def tried(self) -> None:
        """Returns when the control socket and the console are open, or have failed once."""
        if self._control is not None:
            await self._control.tried.wait()
        if self.web is not None:
            await self.web.tried.wait()

    def addresses(self) -> list[str]:
        """Every open channel with its address, for people."""
        settings, listed = self._gateway.settings, ["this terminal"] if self._terminal else []
        if self._control is not None:
            taken = "" if self._control.is_open else " (taken by another gateway)"
            listed.append(f"commands at {control_file()}{taken}")
        if self._mqtt is not None:
            from voice_gateway.channels.mqtt.link import where

            listed.append(f"MQTT {where(settings.mqtt)} ({settings.mqtt.prefix}/req)")
        if self._voice is not None:
            words = " or ".join(f'"{word}"' for word in settings.voice.wake_words).replace("_", " ")
            listed.append(f"voice ({'`voice-gateway talk`' if settings.voice.wake == 'none' else words})")
        if self._wyoming is not None:
            listed.append(f"Wyoming at {self._wyoming.address}")
        return listed

    def announce_ready(self) -> None:
        if self._mqtt is not None:
            self._mqtt.announce_ready()

    def push_to_talk(self) -> str:
        """Starts a recording. Returns why it cannot, or ""."""
        if self._voice is not None:
            return self._voice.push_to_talk()
        part = self._gateway.events.part("voice")
        return f"{part.sentence} To get it, {part.advice}." if part else NO_VOICE

    def text(self, *, as_json: bool) -> "TextChannel":
        """Lines in, answers out, and unprompted messages such as a ringing timer."""
        from voice_gateway.channels.terminal import Source, TextChannel, source

        gateway = self._gateway
        answer, room = gateway.conversation.answer, gateway.settings.brain.room
        channel = TextChannel(answer, as_json=as_json, room=room)
        gateway.events.subscribe(channel.on_event)
        self._terminal = source(sys.stdin) is Source.TERMINAL
        if self._terminal:
            gateway.talks_in["cli"] = channel.conversation_id
        return channel

    def voice(self, **options: Any) -> "VoiceChannel":
        """Microphone, engines and loudspeaker of this machine."""
        from voice_gateway.channels.voice.channel import VoiceChannel, VoiceSwitches

        gateway = self._gateway
        return VoiceChannel(
            gateway.settings.voice,
            gateway.conversation.answer,
            gateway.events,
            engine=self.transcriber,
            synthesizer=self.synthesizer,
            gain=gateway.playback.gain,
            ringers=gateway.timers.ringers,
            sounders=gateway.sounders,
            is_complete=gateway.is_complete,
            switches=VoiceSwitches(data_folder() / "voice-switches.json"),
            model_tone=gateway.settings.speech.model_tone,
            **options,
        )

    def listener(self, speaker: "KeepingSpeaker", **options: Any) -> "AbstractAsyncContextManager[Hear]":
        """A voice channel for recordings (`listen`)."""
        from voice_gateway.channels.voice.recording import listening

        gateway = self._gateway
        return listening(
            gateway.settings.voice,
            gateway.conversation.answer,
            speaker,
            events=gateway.events,
            is_complete=gateway.is_complete,
            ready=gateway.home_read,
            **options,
        )

    def _open_mqtt(self) -> None:
        from voice_gateway.channels.mqtt.channel import Controls, MqttChannel

        gateway = self._gateway
        controls = Controls(
            lambda text: gateway.events.publish(Notice(text, aloud=True)),
            acknowledge=gateway.home_events.acknowledge,
        )
        if self._voice is not None:
            controls = replace(controls, press=self.push_to_talk, switches=self._voice.switches)
        answer, events, folder = gateway.conversation.answer, gateway.events, data_folder()
        store = gateway.store
        if not store.shared:  # what was answered survives a kill, whatever conversations are kept in
            damaged = damaged_file(events, "memory", "requests")
            store = SqliteStore(folder / "requests.sqlite3", on_damage=damaged, durable=False)
        self._mqtt = MqttChannel(
            gateway.settings.mqtt, answer, store, events, controls=controls, identity=folder / "gateway-id"
        )
        gateway.start(self._mqtt.run(), "channel.mqtt")

    def _open_voice(self, spoken: bool, show: Tell, announce: Tell) -> None:
        gateway = self._gateway
        try:
            voice = self.voice(show=show, announce=announce) if spoken else None
            wyoming = self._new_wyoming() if gateway.settings.voice.wyoming_url else None
        except ImportError as error:
            from voice_gateway.sound.packages import ADVICE

            missing = error.name
            gateway.events.report("voice", State.DEGRADED, VOICE_PACKAGE.format(package=missing), ADVICE)
            return
        if voice is not None:
            from voice_gateway.channels.voice.channel import Aloud

            self._voice = voice
            gateway.talks_in["voice"] = voice.conversation_id
            gateway.start(voice.run(), "channel.voice")
            aloud = Aloud(
                gateway.events, voice.output.say, ready=gateway.linked, missing=gateway.what_is_missing
            )
            gateway.start(aloud.run(), "channel.voice.aloud")
        if wyoming is not None:
            self._wyoming = wyoming
            gateway.start(wyoming.run(), "channel.wyoming")

    def _new_wyoming(self) -> "WyomingChannel":
        from voice_gateway.channels.wyoming import WyomingChannel

        gateway = self._gateway
        return WyomingChannel(
            gateway.settings.voice,
            gateway.conversation.answer,
            self.transcriber,
            self.synthesizer,
            events=gateway.events,
            name=gateway.settings.mqtt.name,
            model_tone=gateway.settings.speech.model_tone,
            wants_pin=lambda: gateway.conversation.wants_pin("wyoming"),
        )

    @cached_property
    def transcriber(self) -> "Transcriber":
        """Shared by the microphone, all Wyoming clients and browsers, like the synthesizer."""
        from voice_gateway.hearing.engines import new_transcriber

        return new_transcriber(self._gateway.settings.voice)

    @cached_property
    def synthesizer(self) -> "Synthesizer":
        from voice_gateway.speaking.synthesizer import new_synthesizer

        return new_synthesizer(self._gateway.settings.voice)


def web_routes(gateway: "Gateway", start: "Start", tokens: "TokenFile", config: Path | None) -> list[Any]:
    """Every route of the API, in FastAPI routers. Called when the libraries are imported."""
    from voice_gateway.app.control_api import ControlApi
    from voice_gateway.channels import ModelReplies
    from voice_gateway.channels.web.ask_api import AskApi, login_router
    from voice_gateway.channels.web.home_api import DevicesApi, Routines
    from voice_gateway.channels.web.mcp import McpChannel
    from voice_gateway.channels.web.openai import openai_router
    from voice_gateway.channels.web.responses import Feed
    from voice_gateway.channels.web.system_api import (
        Stats,
        doctor_router,
        health_router,
        permits_router,
        turns_router,
    )
    from voice_gateway.channels.web.voice import Engines, voice_router

    talk, home, events = gateway.conversation, gateway.local.cache, gateway.events
    api, feed = ControlApi(gateway), Feed(events)
    gateway.consoles.append(lambda: feed.consoles)
    asks = AskApi(talk.answer, feed, start)
    devices = DevicesApi(lambda: home.home, home.known, talk.make_calls, asks, feed)
    home.look_on(devices.publish_changes)
    routines = Routines(gateway.routines.book, talk.make_calls)

    def known_tool(name: str) -> str | None:
        tool = gateway.tools.find(name)
        return gateway.tools.offered_name(tool) if tool is not None else None

    stats = Stats(known_tool, __version__)
    events.subscribe(stats.on_event)

    async def records() -> Sequence[Mapping[str, Any]]:
        return list((await api.tools({"action": "list"}))["tools"])

    async def tools() -> Sequence[Mapping[str, Any]]:
        return [record["tool"] for record in await records()]

    def engines() -> Engines:
        channels, chosen = gateway.channels, gateway.settings
        tone = chosen.speech.model_tone
        return Engines(channels.transcriber, channels.synthesizer, chosen.voice, events, tone)

    return [
        asks.router(),
        devices.router(),
        routines.router(),
        login_router(tokens),
        turns_router(gateway.recorder),
        voice_router(engines, talk.answer, feed, ModelReplies(events), start),
        health_router(stats, events.parts, api.parts, gateway.link.status),
        doctor_router(_doctor(config), start),
        permits_router(gateway.permits, records, talk.pin_problem),
        openai_router(talk.answer, start),
        McpChannel(talk.answer, talk.make_calls, tools, routines, start=start, version=__version__).route(),
    ]


def _doctor(config: Path | None) -> list[str]:
    chosen = ["--config", str(config.resolve())] if config is not None else []
    return [sys.executable, "-m", "voice_gateway", "doctor", "--lines", *chosen]
