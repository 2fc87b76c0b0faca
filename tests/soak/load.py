"""Who asks in the soak: by MQTT, by the control socket, by voice; in new conversations and in old ones."""

import asyncio
import contextlib
import json
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import aiomqtt
from tests.fakes.running_gateway import ask
from tests.fakes.speech import FOLDER
from tests.soak.house import KITCHEN, LAMPS, House

from voice_gateway.errors import LinkError
from voice_gateway.turn import new_id

REPEAT_SECONDS = 4.0
ANSWER_SECONDS = 90.0  # with its repeats, through everything that is down every few seconds
OLD_CONVERSATIONS = ("kitchen", "hall", "study")  # asked again and again, as people do
QUESTIONS = (
    "what time is it",
    "what day is it",
    "which lights are on",
    "banana",
    "how many lights are there",
)
TALK = ("tell me a joke about foxes", "write a haiku about rain", "what do you think of jazz")
SPOKEN = {"cmd_00_am_michael.wav": "", "cmd_32_am_michael.wav": KITCHEN, "cmd_06_am_michael.wav": ""}
TIMER_SECONDS = (1, 2, 3)


@dataclass
class Record:
    """What was asked, and every answer that came."""

    asked: Counter[str] = field(default_factory=Counter)  # by door
    answered: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # the gateway was gone, and the asker was told
    wished: Counter[str] = field(default_factory=Counter)  # how often each lamp might have been switched
    confirmed: Counter[str] = field(default_factory=Counter)  # and how often that was said
    answers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # to one id, by MQTT
    faults: Counter[str] = field(default_factory=Counter)
    timers: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)

    def note(self, channel: str, lamp: str, reply: dict[str, Any] | None, started: float) -> None:
        self.asked[channel] += 1
        self.wished[lamp] += bool(lamp)
        if reply is None:
            self.refused[channel] += 1
            return
        self.answered[channel] += 1
        self.seconds.append(time.monotonic() - started)
        self.confirmed[lamp] += bool(lamp) and bool(reply["ok"])


def question() -> tuple[str, str]:
    """Words, and the lamp that they want switched, if any."""
    kind = random.random()
    if kind < 0.5:
        lamp = random.choice(LAMPS)
        return f"turn on the {lamp.lower()}", lamp
    return random.choice(QUESTIONS if kind < 0.85 else TALK), ""


def conversation() -> str:
    return random.choice(OLD_CONVERSATIONS) if random.random() < 0.5 else new_id()


async def asks_by_mqtt(house: House, record: Record, end: float) -> None:
    """A client that repeats what stays unanswered, on a new connection when the old one is lost."""
    while time.monotonic() < end:
        id, (text, lamp), started = new_id(), question(), time.monotonic()
        body = {"id": id, "text": text, "conversation_id": conversation(), "reply_to": f"voice/res/{id}"}
        reply: dict[str, Any] | None = None
        async with asyncio.timeout(ANSWER_SECONDS):
            while reply is None:
                with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                    reply = await _answer_by_mqtt(house, id, json.dumps(body))
                await asyncio.sleep(0.02)
        if reply["ok"] or "busy" not in str(reply["text"]).lower():
            record.answers[id].add(str(reply["text"]))
        record.note("mqtt", lamp, reply, started)


async def _answer_by_mqtt(house: House, id: str, body: str) -> dict[str, Any]:
    async with aiomqtt.Client("localhost", house.broker.port, timeout=2.0) as client:
        await client.subscribe(f"voice/res/{id}", qos=1)
        await client.publish("voice/req", body, qos=1)
        async with asyncio.timeout(REPEAT_SECONDS):
            async for message in client.messages:
                answer: dict[str, Any] = json.loads(str(message.payload, "utf-8"))  # type: ignore[arg-type]
                return answer
    raise TimeoutError


async def asks_by_socket(house: House, record: Record, end: float) -> None:
    while time.monotonic() < end:
        (text, lamp), started = question(), time.monotonic()
        reply = None
        async with asyncio.timeout(ANSWER_SECONDS):
            with contextlib.suppress(LinkError):
                reply = await ask(house.commands, text, conversation())
        record.note("socket", lamp, reply, started)
        await asyncio.sleep(0.02 if reply else 0.2)


async def asks_aloud(house: House, record: Record, end: float) -> None:
    """A satellite: it sends what was said, gets the words, and has them answered."""
    from voice_gateway.sound.wav import read_wav

    while time.monotonic() < end:
        (name, lamp), started = random.choice(list(SPOKEN.items())), time.monotonic()
        reply = None
        async with asyncio.timeout(ANSWER_SECONDS):
            with contextlib.suppress(OSError, EOFError):
                reply = await _answer_aloud(house.wyoming_port, read_wav(FOLDER / name).tobytes())
        record.note("voice", lamp, reply, started)
        await asyncio.sleep(0.5)


async def _answer_aloud(port: int, sound: bytes) -> dict[str, Any]:
    from wyoming.asr import Transcribe, Transcript
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.client import AsyncTcpClient
    from wyoming.handle import Handled, NotHandled

    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Transcribe(language="en").event())
        await client.write_event(AudioStart(16000, 2, 1).event())
        for start in range(0, len(sound), 3200):
            await client.write_event(AudioChunk(16000, 2, 1, sound[start : start + 3200]).event())
        await client.write_event(AudioStop().event())
        heard = await _event(client, Transcript)
        await client.write_event(Transcript(heard.text, context={"conversation_id": "study"}).event())
        answer = await _event(client, Handled, NotHandled)
        return {"ok": isinstance(answer, Handled), "text": answer.text}


async def _event(client: Any, *wanted: Any) -> Any:
    """The next one of these kinds. EOFError: the gateway is gone."""
    while (event := await client.read_event()) is not None:
        for kind in wanted:
            if kind.is_type(event.type):
                return kind.from_event(event)
    raise EOFError


async def sets_timers(house: House, record: Record, end: float) -> None:
    """Each has a name of its own. Those that were confirmed must ring."""
    while time.monotonic() < end:
        name = f"{random.choice(LAMPS).removesuffix(' Lamp').lower()} {next(house.numbers)}"
        text = f"set a timer for {random.choice(TIMER_SECONDS)} seconds called {name}"
        with contextlib.suppress(LinkError, TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                reply = await ask(house.commands, text, new_id())
            if reply["ok"] and "set for" in reply["text"]:
                record.timers.add(name)
        await asyncio.sleep(random.uniform(0.5, 2))


async def makes_trouble(house: House, record: Record, end: float, faults: list[str]) -> None:
    """One thing after the other; what was broken is whole again before the next."""
    while time.monotonic() < end:
        await asyncio.sleep(random.uniform(0.5, 4))
        fault = random.choice(faults)
        record.faults[fault] += 1
        await getattr(house, fault)()
