"""Minutes of random faults: every request gets one answer, nothing is done twice, nothing leaks."""

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, parts, processes, server, socket_of, state_of
from tests.fakes.waiting import until

from voice_gateway.turn import new_id

SECONDS = float(os.environ.get("SOAK_SECONDS", "120"))
ASKERS = 4  # of each kind
REPEAT_SECONDS = 4.0
ANSWER_SECONDS = 60.0  # with its repeats, through a broker that is down every few seconds
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "silver")
QUESTIONS = ("what time is it", "what day is it", "set a timer for two hours", "cancel all timers", "banana")
# Caches fill and the allocator keeps some; what leaks grows with every request and passes this in minutes.
GROWTH_MB = 12.0


def question() -> str:
    return f"turn on the {random.choice(COLOURS)} lamp" if random.random() < 0.5 else random.choice(QUESTIONS)


@dataclass
class Record:
    """What was asked, and every answer that came."""

    asked: dict[str, str] = field(default_factory=dict)
    answers: dict[str, list[dict]] = field(default_factory=dict)
    by_socket: list[tuple[str, dict]] = field(default_factory=list)
    faults: Counter = field(default_factory=Counter)

    def switched(self) -> tuple[int, int]:
        """At least so often a lamp was switched (it was said so), and at most so often (it was asked for)."""
        replies = [(self.asked[id], answers[0]) for id, answers in self.answers.items()] + self.by_socket
        lamps = [reply for text, reply in replies if "lamp" in text]
        return sum(reply["ok"] for reply in lamps), len(lamps)


@dataclass(frozen=True)
class Size:
    descriptors: int
    threads: int
    children: int
    megabytes: float

    @classmethod
    def of(cls, pid: int, word: str) -> "Size":
        facts = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        megabytes = int(facts["VmRSS"].split()[0]) / 1024
        return cls(descriptors, int(facts["Threads"]), len(processes(word)), megabytes)


async def asks_by_mqtt(broker, record: Record, end: float) -> None:
    """A client that repeats what stays unanswered, on a new connection when the old one is lost."""
    while time.monotonic() < end:
        id = new_id()
        record.asked[id] = question()
        where = f"voice/res/{id}"
        body = json.dumps({"id": id, "text": record.asked[id], "conversation_id": id, "reply_to": where})
        async with asyncio.timeout(ANSWER_SECONDS):
            while id not in record.answers:
                with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                    async with client_of(broker) as client:
                        await client.subscribe(where, qos=1)
                        await client.publish("voice/req", body, qos=1)
                        async with asyncio.timeout(REPEAT_SECONDS):
                            async for message in client.messages:
                                answer = json.loads(message.payload)
                                record.answers.setdefault(id, []).append(answer)
                                break
                await asyncio.sleep(0.02)


def client_of(broker) -> aiomqtt.Client:
    return aiomqtt.Client("localhost", broker.port, timeout=2.0)


async def asks_by_socket(commands, record: Record, end: float) -> None:
    while time.monotonic() < end:
        text = question()
        async with asyncio.timeout(ANSWER_SECONDS):
            record.by_socket.append((text, await ask(commands, text, new_id())))
        await asyncio.sleep(0.02)


async def makes_trouble(broker, word: str, record: Record, end: float) -> None:
    while time.monotonic() < end:
        await asyncio.sleep(random.uniform(0.5, 4))
        fault = random.choice(["broker", "server"])
        record.faults[fault] += 1
        if fault == "server":
            for pid in processes(word):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        else:
            await asyncio.to_thread(broker.kill)
            await asyncio.sleep(random.random())
            await asyncio.to_thread(broker.start)


async def soaked(commands, broker, word: str, seconds: float) -> Record:
    record, end = Record(), time.monotonic() + seconds
    async with asyncio.TaskGroup() as tasks:
        for _ in range(ASKERS):
            tasks.create_task(asks_by_mqtt(broker, record, end))
            tasks.create_task(asks_by_socket(commands, record, end))
        tasks.create_task(makes_trouble(broker, word, record, end))
    return record


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 180)
async def test_random_faults_lose_double_and_leak_nothing(commands, broker, tmp_path):
    commands.python = sys.executable  # its memory is weighed: it shall share none
    done = tmp_path / "switched.txt"
    commands.file(
        "voice-gateway.toml",
        "[mcp]\nbase_delay_seconds = 0.2\nmax_delay_seconds = 1.0\n"
        + server("zwave", "counting_server.py", done, 0.05),
    )
    errors = (tmp_path / "stderr").open("wb")
    process = await commands.start("run", stderr=errors, MQTT_BROKER_URL=broker.url)
    try:
        await _ready(commands)
        first = await soaked(commands, broker, str(done), SECONDS * 0.4)  # caches fill
        warm = await _at_rest(process.pid, str(done), commands)
        second = await soaked(commands, broker, str(done), SECONDS * 0.6)
        rest = await _at_rest(process.pid, str(done), commands)
    finally:
        if process.returncode is None:
            code = await Running(process).stop()
        errors.close()

    switched = len(done.read_text().splitlines())
    least, most = (sum(pair) for pair in zip(first.switched(), second.switched(), strict=True))
    print(first.faults + second.faults, len(second.answers), len(second.by_socket), switched, warm, rest)
    assert least <= switched <= most
    for record in (first, second):
        assert record.answers.keys() == record.asked.keys()
        assert record.faults["broker"] or record.faults["server"]
    assert rest.descriptors <= warm.descriptors
    assert rest.children == 1
    assert rest.threads <= warm.threads + 2  # a pool grows to its limit
    assert rest.megabytes - warm.megabytes < GROWTH_MB
    assert code == 0
    assert processes(str(done)) == []
    assert "Traceback" not in (tmp_path / "stderr").read_text()


async def _ready(commands) -> None:
    async def up() -> bool:
        return socket_of(commands).exists() and await state_of(commands, "server zwave") == "ok"

    await until(up)


async def _at_rest(pid: int, word: str, commands) -> Size:
    """After the last fault: everything is connected again, and nothing is under way."""

    async def quiet() -> bool:
        known = await parts(commands)
        return len(processes(word)) == 1 and all(part["state"] == "ok" for part in known.values())

    await until(quiet)
    return Size.of(pid, word)
