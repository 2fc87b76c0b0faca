"""`voice-gateway run` and `chat`: the text door, and for `run` everything that stays up beside it."""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.app import Gateway, opened
from voice_gateway.cli.ask import answered
from voice_gateway.cli.options import loaded, wants_json
from voice_gateway.cli.ready import Changes, decided, ready_line
from voice_gateway.config import control_file, conversations_file, data_folder
from voice_gateway.conversation.store import Store, store_from
from voice_gateway.doors.control import ControlDoor, Operation
from voice_gateway.doors.mqtt.door import MqttDoor
from voice_gateway.doors.terminal import Source, TextDoor, source, tell_unasked
from voice_gateway.turn import Interruption, Utterance
from voice_gateway.watch import Event, Notice, State, Watch

if TYPE_CHECKING:
    from voice_gateway.cli.voice import Voice

PROMPT_SECONDS = 2.0
FURTHER = (
    "Type a question, or end with Ctrl-D. docs/configuration.md tells how to add a model or your own devices."
)
NO_VOICE = "The running gateway was started without its voice: use `voice-gateway run --voice`."


async def run(options: argparse.Namespace) -> int:
    stays = options.command == "run"
    found = loaded(options)
    settings = found.settings
    behind = source(sys.stdin)
    store = store_from(settings.brain.store, conversations_file())
    watch = Watch()
    watch.subscribe(_announcer())
    async with contextlib.aclosing(store), opened(settings, store=store, watch=watch) as gateway:
        door = TextDoor(gateway.conversation.answer, as_json=wants_json(options), room=settings.brain.room)
        watch.subscribe(lambda event: door.tell(event.text) if isinstance(event, Notice) else None)
        gateway.start_long_tasks()
        mqtt = _open_mqtt(gateway, store) if stays and settings.mqtt.broker_url else None
        if stays:
            talk = _open_voice(gateway, door, spoken=settings.voice.enabled or options.voice)
            control = ControlDoor(control_file(), {**operations(gateway, found.file), "talk": talk})
            gateway.start(control.run(), "door.control")
            await _announce_ready(gateway, control, mqtt, behind)
        if behind is Source.NONE:
            return await _until_stopped() if stays else 0
        all_ok = await door.run(sys.stdin, prompt=behind is Source.TERMINAL)
    return 0 if all_ok or behind is Source.TERMINAL else 1


def _open_mqtt(gateway: Gateway, store: Store) -> MqttDoor:
    settings = gateway.settings.mqtt
    door = MqttDoor(settings, gateway.conversation.answer, store, gateway.watch)
    gateway.start(door.run(), "door.mqtt")
    return door


def _open_voice(gateway: Gateway, text_door: TextDoor, *, spoken: bool) -> Operation:
    """What cannot be spoken is shown by the text door. Returns push to talk: it tells what is missing."""
    voice = _voice(gateway, text_door) if spoken or gateway.settings.voice.wyoming_url else None
    if voice is not None and spoken:
        from voice_gateway.cli.aloud import Aloud

        gateway.start(voice.run(), "door.voice")
        gateway.start(Aloud(gateway, voice.mouth).run(), "door.voice.aloud")
    if voice is not None and gateway.settings.voice.wyoming_url:
        gateway.start(voice.wyoming().run(), "door.wyoming")

    async def talk(_asked: Mapping[str, Any], _interruption: Interruption) -> str:
        if voice is not None and spoken:
            return voice.push_to_talk()
        part = gateway.watch.part("voice")  # its packages may be missing
        return f"{part.sentence} To get it, {part.advice}." if part else NO_VOICE

    return talk


def _voice(gateway: Gateway, text_door: TextDoor) -> "Voice | None":
    try:
        from voice_gateway.cli.voice import Voice
    except ImportError as error:
        advice = "run `make setup`, or `pip install 'voice-gateway[speech]'`"
        gateway.watch.report("voice", State.DEGRADED, f"The voice needs the package {error.name}.", advice)
        return None
    return Voice(gateway, show=text_door.tell, announce=_tell)


async def _until_stopped() -> int:
    await asyncio.Event().wait()
    return 0


def _announcer() -> Callable[[Event], None]:
    """Tells when a part fails and when it comes back; the start itself has its own line."""
    changes = Changes()

    def watched(event: Event) -> None:
        if part := changes.news(event):
            _tell(f"{part.sentence} ({part.advice})" if part.advice else part.sentence)

    return watched


def operations(gateway: Gateway, config: Path | None) -> dict[str, Operation]:
    """What other commands may ask of the running gateway."""
    mine = {"config": str(config.resolve()) if config else None, "data_folder": str(data_folder())}

    async def hello(_asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, Any]:
        return mine

    async def ask(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any]:
        utterance = Utterance(
            str(asked["text"]), conversation_id=str(asked["conversation_id"]), room=asked.get("room")
        )
        return answered(await gateway.conversation.answer(utterance, interruption=interruption))

    async def call(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any] | None:
        # Who leaves gives the call up; of a turn only what a model says.
        return await interruption.cutting(
            gateway.call(str(asked["name"]), asked.get("args"), asked.get("timeout"))
        )

    async def status(_asked: Mapping[str, Any], _interruption: Interruption) -> list[dict[str, Any]]:
        return [part.to_json() for part in gateway.watch.parts()]

    return {"hello": hello, "ask": ask, "call": call, "status": status}


async def _announce_ready(
    gateway: Gateway, control: ControlDoor, mqtt: MqttDoor | None, behind: Source
) -> None:
    """Once, when it is true. Nobody is kept waiting for it: what needs a server waits for it by itself."""
    ready = asyncio.Event()

    async def announce() -> None:
        await control.tried.wait()
        await gateway.linked()
        await decided(gateway.watch)
        if mqtt is not None:
            mqtt.announce_ready()
        if behind is not Source.LINES:
            _tell(ready_line(gateway))
        if behind is Source.TERMINAL:
            _tell(FURTHER)
        ready.set()

    gateway.start(announce(), "ready")
    if behind is Source.TERMINAL:  # the prompt stands below these lines, unless they take long
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROMPT_SECONDS):
                await ready.wait()


def _tell(text: str) -> None:
    tell_unasked(text, sys.stderr)
