"""A recorder with 100,000 turns in its file: what a turn costs the loop, and how long one searches."""

import asyncio
import random
import tempfile
from pathlib import Path
from statistics import median
from time import clock_gettime, perf_counter, process_time, pthread_getcpuclockid, time

from tests.fakes.limits import with_limits

from bench.worker import Figures, serve_async
from voice_gateway.config import RecorderSettings
from voice_gateway.events import (
    Answered,
    CallFinished,
    CallStarted,
    Event,
    EventBus,
    Heard,
    Judged,
    ModelRound,
    SentMessage,
    Staged,
)
from voice_gateway.recorder.recorder import GATHER_SECONDS, Recorder
from voice_gateway.recorder.store import Kept, TurnStore
from voice_gateway.turn import (
    Decision,
    Permission,
    Reply,
    ToolCall,
    ToolOutcome,
    ToolTraits,
    Utterance,
    Verdict,
)

TURNS, MEASURED, MEASURED_ALONE = 100_000, 200, 20
NAMES = ["floor lamp", "desk lamp", "kitchen light", "front door", "window blind", "heating", "coffee maker"]
VERBS = ["turn on", "turn off", "dim", "open", "close", "lock", "is it warm at"]
GONE_AT_EXIT = tempfile.TemporaryDirectory(prefix="bench-recorder-")
FOLDER = Path(GONE_AT_EXIT.name)


def kept(number: int) -> Kept:
    said = f"{random.choice(VERBS)} the {random.choice(NAMES)} number {number % 977}"
    said += " please xylophone" if number % 25_000 == 77 else ""
    events = [{"type": "heard", "text": said, "at": 1.0}, {"type": "answered", "text": said, "at": 2.0}] * 4
    return Kept(
        f"{number:032x}", time(), "cli", None, "cli", said, f"Done: {said}.", True, "local", 0.1,
        [{"tool": "control", "ok": True, "outcome": "confirmed"}], "control", events,
    )  # fmt: skip


def filled() -> TurnStore:
    store = TurnStore(FOLDER / "turns.sqlite", megabytes=1000)
    random.seed(7)
    for start in range(0, TURNS, 5_000):
        store.add([kept(number) for number in range(start, start + 5_000)])
    return store


STORE = filled()
WATCH = EventBus()
RECORDER = Recorder(with_limits(RecorderSettings, megabytes=1000), FOLDER / "turns.sqlite", WATCH)


def story() -> list[Event]:
    said = Utterance("turn on the floor lamp")
    args = {"deviceName": "Floor Lamp", "action": "on"}
    call = ToolCall("1", "control_zwave_device", args)
    structured = {"device": "Floor Lamp", "state": "on", "outcome": "confirmed"}
    outcome = ToolOutcome("1", call.name, "The Floor Lamp is now on.", True, 0.1, args, None, structured)
    asked = (SentMessage("user", "[Monday, 16 November 2026, 12:00] turn on the floor lamp"),)
    done = (SentMessage("assistant", "", (call,)), SentMessage("tool", outcome.text, (), call.name, "1"))
    tools = tuple(f"tool_number_{number}" for number in range(20))
    return [
        Heard(said),
        Staged(said, "local", False, "unknown", 0.01),
        ModelRound(said, "qwen", 1, 0.5, 0.1, 900, 20, (call,), sent=asked, earlier=4, tools=tools),
        Judged(said, call, Verdict(Decision.ALLOWED, why=Permission.ORDINARY)),
        CallStarted(said, call, ToolTraits()),
        CallFinished(said, outcome),
        ModelRound(said, "qwen", 2, 0.5, 0.1, 950, 12, text="The Floor Lamp is on.", sent=done, earlier=4),
        Staged(said, "ollama", True, "", 0.01),
        Answered(said, Reply("The Floor Lamp is now on.", (outcome,))),
    ]


def searched(**how: str) -> float:
    started = perf_counter()
    found = STORE.turns(limit=50, **how)  # type: ignore[arg-type]
    assert found
    return (perf_counter() - started) * 1e3


async def alone(name: str, pause_seconds: float) -> Figures:
    """Turns one after the other: processor time of the thread that writes one and of the whole program, and
    how long it is until it is in the file."""
    await RECORDER.written(60)  # its thread is there now
    [writer] = RECORDER._thread._threads
    clock = pthread_getcpuclockid(writer.ident or 0)
    thread, whole, until = [], [], []
    for _ in range(MEASURED_ALONE):
        events = story()
        await asyncio.sleep(pause_seconds)
        begun = clock_gettime(clock), process_time(), perf_counter()
        for event in events:
            WATCH.publish(event)
        await RECORDER.written(60)
        until.append((perf_counter() - begun[2]) * 1e3)
        thread.append((clock_gettime(clock) - begun[0]) * 1e3)
        whole.append((process_time() - begun[1]) * 1e3)
    return {
        f"{name}_ms": median(thread),
        f"{name}_whole_ms": median(whole),
        f"{name}_until_ms": median(until),
    }


async def measure() -> Figures:
    took = []
    begun = process_time()
    for _ in range(MEASURED):
        events = story()
        started = perf_counter()
        for event in events:
            WATCH.publish(event)
        took.append((perf_counter() - started) * 1e3)
    await RECORDER.written(60)
    together = (process_time() - begun) * 1e3 / MEASURED
    return {
        "loop_ms": median(took),
        "slowest_ms": max(took),
        "together_ms": together,
        **await alone("alone", 0.0),
        **await alone("seldom", GATHER_SECONDS),
        "rare_ms": searched(search="xylophone"),
        "common_ms": searched(search="the"),
        "prefix_ms": searched(search="num lam"),
        "list_ms": searched(),
    }


serve_async(measure)
