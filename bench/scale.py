"""`python -m bench.scale`: several gateways behind one broker and one Redis, many rooms asking, one killed.

Each room is a satellite: it asks, waits for its answer, repeats what stays unanswered under the same id, and
asks the next. Half of the requests set a lamp to a level that no other request asks for, and the house writes
down what was really done: so an action that was done twice is seen. When half of all requests are answered,
one gateway is killed; a single one is started again. It exits with 1 when something was doubled or lost.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
from tests.fakes.gateway_process import Commands
from tests.fakes.mosquitto import Broker
from tests.fakes.redis_server import RedisServer
from tests.fakes.waiting import until

from bench.contestants.scale_house import LAMPS
from bench.table import RESULTS
from voice_gateway.backoff import Backoff

REPEAT_SECONDS = 10.0  # after which a room asks again, under the same id; each further wait is twice as long
LOST_SECONDS = 300.0
ROOMS_A_CONNECTION = 100
HOUSE = Path(__file__).parent / "contestants" / "scale_house.py"


@dataclass
class Result:
    gateways: int
    asked: int = 0
    answered: int = 0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    repeats: int = 0
    busy: int = 0
    interrupted: int = 0
    wrong: int = 0  # answered with something else than was asked for
    doubled: int = 0
    cpu_seconds: float = 0.0  # of the gateways, their start aside
    half: asyncio.Event = field(default_factory=asyncio.Event)

    def figures(self) -> dict[str, float]:
        p50, p95 = (round(statistics.quantiles(self.waits, n=100)[n - 1], 3) for n in (50, 95))
        rate = round(self.answered / self.seconds, 1)
        return {
            "gateways": self.gateways,
            "requests/s": rate,
            "p50 s": p50,
            "p95 s": p95,
            "cpu ms": round(self.cpu_seconds / self.answered * 1000, 1),
            "asked": self.asked,
            "answered": self.answered,
            "repeated": self.repeats,
            "busy": self.busy,
            "interrupted": self.interrupted,
            "wrong": self.wrong,
            "doubled": self.doubled,
            "lost": self.asked - self.answered,
        }


class Room:
    def __init__(self, number: int, client: aiomqtt.Client, texts: Iterator[str], result: Result) -> None:
        self.topic = f"voice/res/room-{number}"
        self._name = f"room-{number}"
        self._client = client
        self._texts = texts
        self._result = result
        self.inbox: asyncio.Queue[dict] = asyncio.Queue()

    async def asks(self, count: int, total: int) -> None:
        for number in range(count):
            text = next(self._texts)
            self._result.asked += 1
            started = time.perf_counter()
            answer = await self._answer_to(f"{self._name}-{number}", text)
            if answer is None:
                continue
            result = self._result
            result.answered += 1
            result.waits.append(time.perf_counter() - started)
            interrupted = "interrupted" in answer.get("text", "")
            result.interrupted += interrupted
            result.wrong += not (answer.get("ok") or interrupted)
            if result.answered >= total / 2:
                result.half.set()

    async def _answer_to(self, request_id: str, text: str) -> dict | None:
        body = {"id": request_id, "text": text, "conversation_id": self._name, "reply_to": self.topic}
        end = time.monotonic() + LOST_SECONDS
        wait = Backoff(REPEAT_SECONDS, LOST_SECONDS)
        while time.monotonic() < end:
            patience = wait.next()
            await self._client.publish("voice/req", json.dumps(body), qos=1, timeout=LOST_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    answer = await self._next(request_id)
                if not answer.get("error", "").startswith("busy"):
                    return answer
                self._result.busy += 1
                await asyncio.sleep(patience)
            self._result.repeats += 1
        return None

    async def _next(self, request_id: str) -> dict:
        """An answer to a repeat may come twice; it is not the next one's."""
        while (answer := await self.inbox.get())["id"] != request_id:
            pass
        return answer


@contextlib.asynccontextmanager
async def rooms(
    broker: Broker, count: int, texts: Iterator[str], result: Result
) -> AsyncIterator[list[Room]]:
    async with contextlib.AsyncExitStack() as stack:
        listening = await stack.enter_async_context(asyncio.TaskGroup())
        made: list[Room] = []
        jobs = []
        for first in range(0, count, ROOMS_A_CONNECTION):
            client = await stack.enter_async_context(aiomqtt.Client("localhost", broker.port))
            client.pending_calls_threshold = count
            here = [
                Room(n, client, texts, result) for n in range(first, min(first + ROOMS_A_CONNECTION, count))
            ]
            by_topic = {room.topic: room for room in here}
            for topic in by_topic:
                await client.subscribe(topic, qos=1)
            jobs.append(listening.create_task(_listen(client, by_topic)))
            made += here
        yield made
        for job in jobs:
            job.cancel()


async def _listen(client: aiomqtt.Client, by_topic: dict[str, Room]) -> None:
    async for message in client.messages:
        by_topic[str(message.topic)].inbox.put_nowait(json.loads(message.payload))  # type: ignore[arg-type]


class House:
    """The gateways of one run."""

    def __init__(self, folder: Path, broker: Broker, redis: RedisServer) -> None:
        self._folder = folder
        self.done = folder / "done"
        self._settings = f"""
[brain]
store = "{redis.url}"
[mqtt]
broker_url = "{broker.url}"
share_group = "house"
[mcpServers.zwave]
command = {json.dumps(sys.executable)}
args = [{json.dumps(str(HOUSE))}, {json.dumps(str(self.done))}]
"""
        self._numbers = itertools.count()
        self.running: list[asyncio.subprocess.Process] = []
        self._cpu_seconds = 0.0  # of those that are gone, less what the others had used when they were ready

    async def start(self) -> None:
        folder = self._folder / f"gateway-{next(self._numbers)}"
        folder.mkdir()
        commands = Commands(folder)
        settings = commands.file("settings.toml", self._settings)
        log = folder / "stderr"
        with log.open("wb") as errors:
            process = await commands.start("run", "--config", str(settings), stderr=errors)
        self.running.append(process)
        await until(lambda: b"ready:" in log.read_bytes(), 60)
        self._cpu_seconds -= _cpu_seconds(process.pid)

    async def kill_one(self) -> None:
        """A single one is started again, as systemd would do."""
        victim = self.running.pop(0)
        self._cpu_seconds += _cpu_seconds(victim.pid)
        victim.send_signal(signal.SIGKILL)
        await victim.wait()
        if not self.running:
            await self.start()

    def cpu_seconds(self) -> float:
        return self._cpu_seconds + sum(_cpu_seconds(process.pid) for process in self.running)

    async def stop(self) -> None:
        for process in self.running:
            process.terminate()
        for process in self.running:
            await process.communicate()

    def doubled(self) -> int:
        lines = self.done.read_text().splitlines() if self.done.exists() else []
        return sum(times - 1 for times in Counter(lines).values())


def _cpu_seconds(pid: int) -> float:
    """User and system time, the 14th and 15th field; the second one, a name, may have spaces."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def questions() -> Iterator[str]:
    """Every second one asks for something that no other one asks for."""
    for level, lamp in itertools.product(range(1, 100), LAMPS):
        yield "what time is it"
        yield f"set the {lamp.lower()} to {level} percent"


async def measured(gateways: int, room_count: int, each: int) -> Result:
    result = Result(gateways)
    with tempfile.TemporaryDirectory(prefix="vg-scale-") as name:
        folder = Path(name)
        (folder / "broker").mkdir()
        broker, redis = Broker(folder / "broker"), RedisServer(folder)
        broker.start()
        house = House(folder, broker, redis)
        try:
            await asyncio.gather(*(house.start() for _ in range(gateways)))
            async with rooms(broker, room_count, questions(), result) as asking:
                started = time.perf_counter()
                async with asyncio.TaskGroup() as tasks:
                    for room in asking:
                        tasks.create_task(room.asks(each, room_count * each))
                    await result.half.wait()
                    await house.kill_one()
                result.seconds = time.perf_counter() - started
            result.doubled = house.doubled()
            result.cpu_seconds = house.cpu_seconds()
        finally:
            await house.stop()
            broker.kill()
            redis.stop()
    return result


def shown(rows: list[dict[str, float]]) -> str:
    lines = [list(rows[0]), *([f"{value:g}" for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--gateways", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rooms", type=int, default=500)
    parser.add_argument("--each", type=int, default=6, help="requests of every room (default 6)")
    wanted = parser.parse_args()
    print(f"{wanted.rooms} rooms, {wanted.each} requests each, on {os.cpu_count()} cores", flush=True)
    rows = []
    for count in wanted.gateways:
        rows.append(asyncio.run(measured(count, wanted.rooms, wanted.each)).figures())
        print(shown(rows[-1:]), flush=True)
    print("\n" + shown(rows))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "scale.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["doubled"] or row["lost"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
