"""A recorder with 100,000 turns in its file: what a turn costs the loop, and how long one searches."""

import random
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, time

from bench.worker import Figures, serve_async
from voice_gateway.config import RecorderSettings
from voice_gateway.recorder.recorder import Recorder
from voice_gateway.recorder.store import Kept, TurnStore
from voice_gateway.turn import Reply, ToolCall, ToolOutcome, ToolTraits, Utterance
from voice_gateway.verdict import Decision, Permission, Verdict
from voice_gateway.watch import Answered, CallFinished, CallStarted, Event, Heard, Judged, Staged, Watch

TURNS, MEASURED = 100_000, 200
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
WATCH = Watch()
RECORDER = Recorder(RecorderSettings(megabytes=1000), FOLDER / "turns.sqlite", WATCH)


def story() -> list[Event]:
    said = Utterance("turn on the floor lamp")
    args = {"deviceName": "Floor Lamp", "action": "on"}
    call = ToolCall("1", "control_zwave_device", args)
    structured = {"device": "Floor Lamp", "state": "on", "outcome": "confirmed"}
    outcome = ToolOutcome("1", call.name, "The Floor Lamp is now on.", True, 0.1, args, None, structured)
    return [
        Heard(said),
        Staged(said, "local", False, "unknown", 0.01),
        Judged(said, call, Verdict(Decision.ALLOWED, why=Permission.ORDINARY)),
        CallStarted(said, call, ToolTraits()),
        CallFinished(said, outcome),
        Staged(said, "ollama", True, "", 0.01),
        Answered(said, Reply("The Floor Lamp is now on.", (outcome,))),
    ]


def searched(**how: str) -> float:
    started = perf_counter()
    found = STORE.turns(limit=50, **how)  # type: ignore[arg-type]
    assert found
    return (perf_counter() - started) * 1e3


async def measure() -> Figures:
    if RECORDER._loop is None:
        RECORDER.start()
    took = []
    begun = perf_counter()
    for _ in range(MEASURED):
        events = story()
        started = perf_counter()
        for event in events:
            WATCH.tell(event)
        took.append((perf_counter() - started) * 1e3)
    await RECORDER.written(60)
    return {
        "loop_ms": median(took),
        "slowest_ms": max(took),
        "written_ms": (perf_counter() - begun) * 1e3 / MEASURED,
        "rare_ms": searched(search="xylophone"),
        "common_ms": searched(search="the"),
        "prefix_ms": searched(search="num lam"),
        "list_ms": searched(),
    }


serve_async(measure)
