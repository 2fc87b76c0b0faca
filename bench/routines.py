"""Routines: what ten thousand cost while none is due, how late they are, and how soon a door is noticed."""

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fakes.gateway_process import Commands, Running
from tests.fakes.mosquitto import Broker
from tests.fakes.waiting import until
from tests.fakes.zwave_gateway import FakeGateway

from bench.table import Row
from voice_gateway.routines.model import Event, Every, Once, Routine
from voice_gateway.routines.store import RoutineStore, kept_in

MANY, IDLE_SECONDS = 1_000, 20.0
SENSORS, REPORTS = 1000, 100  # each sensor reports every ten seconds
DUE, EACH_SECONDS = 210, 0.1  # runs, and the time between two
WARM = 10  # the first ones, which load what every later one has
HOUSE = Path(__file__).parent / "contestants" / "reporting_house.py"
DOOR, DOOR_KEY, OPEN, CLOSED = 12, "113-0-Access Control-Door state", 22, 23


def run(passes: int) -> list[Row]:
    none, many = asyncio.run(_idle(0)), asyncio.run(_idle(MANY))
    late = sorted(asyncio.run(_lateness()))
    noticed = asyncio.run(_door(max(passes, 5)))
    p99 = late[round(len(late) * 0.99) - 1]
    return [
        Row(f"{MANY:,} routines of which none is due", max(many - none, 0.0), "% of a core", 1.0, total=many),
        Row(f"lateness with {SENSORS:,} devices reporting, p99 of {len(late)}", p99 * 1000, "ms", 50),
        Row("… in the middle", statistics.median(late) * 1000, "ms", 50),
        Row(
            "from a door's message to its routine's call, in the middle",
            statistics.median(noticed) * 1000,
            "ms",
            300,
        ),
        Row("… the slowest", max(noticed) * 1000, "ms", 300),
    ]


@contextlib.asynccontextmanager
async def _gateway(
    folder: Path, settings: str, routines: list[Routine]
) -> AsyncIterator[tuple[Running, RoutineStore]]:
    commands = Commands(folder)
    commands.file("voice-gateway.toml", settings)
    store = kept_in(None, folder / "data" / "voice-gateway")[0]
    if routines:
        store.add(routines, 2 * MANY)
    async with Running.opened(commands) as running:
        yield running, store


def _server(*words: object) -> str:
    command, args = json.dumps(sys.executable), json.dumps([str(word) for word in words])
    return f"[mcpServers.zwave]\ncommand = {command}\nargs = {args}\n"


async def _idle(count: int) -> float:
    """Percent of a core. Rules, lengths of time and events, a third each."""
    start = datetime.now(UTC).replace(microsecond=0)
    calls = ({"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "on"}},)
    made: list[Routine] = []
    for number in range(count):
        day = start + timedelta(days=1, seconds=number)
        length = start + timedelta(hours=5, seconds=number, microseconds=5)
        event = Event("zwave", f"zwave://devices/{number}/0", "open")
        made.append(
            (
                Routine("daily", Every("FREQ=DAILY", day), calls, next=day),
                Routine("once", Once(length, 18000.0), calls, next=length),
                Routine("event", event, calls),
            )[number % 3]
        )
    with tempfile.TemporaryDirectory(prefix="vg-routines-") as name:
        async with _gateway(Path(name), "", made) as (running, _):
            await asyncio.sleep(5)  # until it has settled
            before, began = _cpu_seconds(running.process.pid), time.perf_counter()
            await asyncio.sleep(IDLE_SECONDS)
            used = _cpu_seconds(running.process.pid) - before
            return 100 * used / (time.perf_counter() - began)


def _cpu_seconds(pid: int) -> float:
    """User and system time, the 14th and 15th field; the second one, a name, may have spaces."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _lateness() -> list[float]:
    """From when a routine is due to when its call is at the server; each has a lamp of its own."""
    with tempfile.TemporaryDirectory(prefix="vg-routines-") as name:
        folder = Path(name)
        done = folder / "done"
        done.touch()
        settings = _server(HOUSE, done, SENSORS, DUE, REPORTS)
        async with _gateway(folder, settings, []) as (_, store):
            await asyncio.sleep(5)
            first = datetime.now(UTC) + timedelta(seconds=3)
            due = [first + timedelta(seconds=number * EACH_SECONDS, microseconds=1) for number in range(DUE)]
            calls = [
                {"name": "control_zwave_device", "args": {"deviceName": f"Lamp {number}", "action": "on"}}
                for number in range(DUE)
            ]
            store.add(
                [Routine("x", Once(at, 1.0), (call,), next=at) for at, call in zip(due, calls, strict=True)],
                MANY,
            )
            await until(lambda: not store.all(), 120)
        lines = (line.rpartition("|") for line in done.read_text().splitlines())
        at = {lamp: float(moment) for lamp, _, moment in lines}
        return [at[f"Lamp {number}"] - moment.timestamp() for number, moment in enumerate(due)][WARM:]


async def _door(times: int) -> list[float]:
    """By a broker, our Z-Wave server and a gateway, to the call that comes back by the broker."""
    with tempfile.TemporaryDirectory(prefix="vg-routines-") as name:
        folder = Path(name)
        (folder / "broker").mkdir()
        broker = Broker(folder / "broker")
        broker.start()
        call = {"name": "control_zwave_device", "args": {"deviceName": "Ceiling Light", "action": "toggle"}}
        event = Event("zwave", f"zwave://devices/{DOOR}/0", "open", device="Back Door")
        settings = _server("-m", "zwave_mcp", "--broker", broker.url)
        try:
            async with (
                FakeGateway(broker.port) as zwave,
                _gateway(folder, settings, [Routine("toggle", event, (call,))]),
            ):
                await zwave.connected()
                await asyncio.sleep(5)
                return [await _opened(zwave, number) for number in range(1, times + 1)]
        finally:
            broker.kill()


async def _opened(zwave: FakeGateway, number: int) -> float:
    began = await _tell(zwave, OPEN)
    await zwave.asked("writeValue", number)
    seconds = time.perf_counter() - began
    await asyncio.sleep(1)
    await _tell(zwave, CLOSED)
    await asyncio.sleep(1)
    return seconds


async def _tell(zwave: FakeGateway, value: int) -> float:
    node = zwave.house.node(DOOR)
    assert node is not None
    node["values"][DOOR_KEY]["value"] = value
    began = time.perf_counter()
    topic = "zwave/Kitchen/Back_Door/113/0/Access_Control/Door_state"
    await zwave.publish(topic, json.dumps({"time": round(time.time() * 1000), "value": value}), retain=True)
    return began
