"""The web door: from an event to a console and a screen, 200 consoles with 50 asks a second, its costs."""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

import httpx
from tests.fakes.browser import AXE, Console, browser

from bench.driver import ROOT
from bench.gateway import RUN, _environment, _processor_seconds, _stopped
from bench.table import Row

CONSOLES = 200
ASKS_A_SECOND = 50
SECONDS = 10.0
IDLE_SECONDS = 20.0
SINGLE = 60  # events to one console
ON_SCREEN = 40  # asks that are typed in a browser
QUESTIONS = ("what time is it", "is the floor lamp on", "what is 12 times 12", "what day is it")
ON, OFF = {"VOICE_GATEWAY_WEB_PORT": "0"}, {"VOICE_GATEWAY_WEB_ENABLED": "false"}


def run(passes: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        ready: dict[str, list[float]] = {"with": [], "without": []}
        for number in range(passes + 1):
            for name, choice in (("with", ON), ("without", OFF)):
                with _gateway({**env, **choice}) as started:
                    seconds = started.seconds
                if number:  # the first one writes .pyc files
                    ready[name].append(seconds)
        with _gateway({**env, **OFF}) as without:
            idle_without = _idle(without.process)
        with _gateway({**env, **ON}) as running:
            idle = _idle(running.process) - idle_without
            single = asyncio.run(_one_console(running.address))
            screen = asyncio.run(_on_screen(running.address)) if _has_browser() else []
            many = asyncio.run(_many_consoles(running.address))
    grown = min(ready["with"]) - min(ready["without"])
    return [
        Row("an event to one console, p95", _p95(single) * 1000, "ms", 100),
        *(
            [Row("an event to the screen of a browser, p95", _p95(screen) * 1000, "ms", 100)]
            if screen
            else []
        ),
        Row(f"{ASKS_A_SECOND} asks a second beside {CONSOLES} consoles: errors", many.errors, "", 0),
        Row("the same: an answer, p95", _p95(many.answers) * 1000, "ms", 1000),
        Row("the same: an event to a console, p95", _p95(many.events) * 1000, "ms", 2000),
        Row("the same: answers that some console did not see", many.missed, "", 0),
        Row(
            "run until ready, on top of the same without the console",
            grown,
            "s",
            0.2,
            total=min(ready["with"]),
        ),
        Row(
            f"processor time while idle, on top of the same, over {IDLE_SECONDS:.0f} s",
            max(idle, 0.0),
            "%",
            0.2,
        ),
    ]


@dataclass
class Started:
    process: subprocess.Popen[str]
    seconds: float  # until it was ready
    address: str


@contextlib.contextmanager
def _gateway(env: dict[str, str]) -> Iterator[Started]:
    began = time.perf_counter()
    process = subprocess.Popen(
        RUN, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    address = ""
    try:
        for line in process.stderr:
            address = line.split()[-1].rstrip("/") if "http://" in line else address
            if line.startswith("ready"):
                break
        yield Started(process, time.perf_counter() - began, address)
    finally:
        _stopped(process)


def _idle(process: subprocess.Popen[str]) -> float:
    time.sleep(3)  # what starts late
    before = _processor_seconds(process.pid)
    time.sleep(IDLE_SECONDS)
    return (_processor_seconds(process.pid) - before) / IDLE_SECONDS * 100


def _p95(figures: list[float]) -> float:
    return quantiles(figures, n=20)[-1]


@contextlib.asynccontextmanager
async def _console(address: str) -> AsyncIterator[asyncio.StreamReader]:
    """What a browser's EventSource reads, without what it costs to parse HTTP in Python."""
    host, _, port = address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    writer.write(f"GET /api/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    try:
        await reader.readuntil(b": hello")
        yield reader
    finally:
        writer.close()


async def _one_console(address: str) -> list[float]:
    """Seconds between an event and its arrival, by one clock."""
    delays: list[float] = []
    async with httpx.AsyncClient(base_url=address, trust_env=False) as http, _console(address) as events:
        for number in range(SINGLE):
            asking = asyncio.ensure_future(_asked(http, number))  # a console reads while it asks
            while True:
                line = await events.readline()
                if line.startswith(b"data: ") and (told := json.loads(line[6:])).get("turn"):
                    delays.append(time.time() - told["at"])
                if line.startswith(b"event: answered"):
                    break
            await asking
    return delays


# When the trace shows what was heard, and when it shows the answer: behind the frame that has it.
WATCH_SCREEN = """() => {
  window.shown = [];
  const trace = document.getElementById("trace");
  let last = "";
  new MutationObserver(() => {
    const said = trace.querySelector(".trace-said").textContent.slice(1, -1);
    const answered = !trace.querySelector(".trace-total").textContent.startsWith("under way");
    if (`${said} ${answered}` === last) return;
    last = `${said} ${answered}`;
    requestAnimationFrame(() => setTimeout(() =>
      shown.push([said, answered, (performance.timeOrigin + performance.now()) / 1000])));
  }).observe(trace, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def _has_browser() -> bool:
    """Where `scripts/browser setup` was run."""
    return shutil.which("chromium") is not None and AXE.exists()


async def _on_screen(address: str) -> list[float]:
    """Seconds between an event and the frame that shows it, by one clock."""
    delays: list[float] = []
    async with (
        httpx.AsyncClient(base_url=address, trust_env=False) as http,
        browser() as chromium,
    ):
        console = Console(await chromium.new_page(), f"{address}/")
        await console.open()
        await console.page.evaluate(WATCH_SCREEN)
        for number in range(ON_SCREEN):
            text = f"what is {number} times 12"
            await console.say(text)
            await console.until("text => shown.some((one) => one[0] === text && one[1])", text)
            shown = [one for one in await console.page.evaluate("shown") if one[0] == text]
            if number:  # the first one loads what the page needs
                told = await _times(http, text)
                delays.append(shown[0][2] - told["heard"])
                delays.append(next(one[2] for one in shown if one[1]) - told["answered"])
    return delays


async def _times(http: httpx.AsyncClient, text: str) -> dict[str, float]:
    """When each kind of event of the last turn was told."""
    for _ in range(100):  # it is written beside the answer
        turns = (await http.get("/api/turns", params={"limit": 1})).json()["turns"]
        if turns and turns[0]["text"] == text:
            whole = (await http.get(f"/api/turns/{turns[0]['id']}")).json()
            return {event["type"]: event["at"] for event in whole["events"]}
        await asyncio.sleep(0.05)
    raise AssertionError(f"{text!r} is not kept")


@dataclass
class Many:
    answers: list[float] = field(default_factory=list)
    events: list[float] = field(default_factory=list)
    errors: int = 0
    missed: int = 0


async def _many_consoles(address: str) -> Many:
    found, seen = Many(), [0] * CONSOLES
    expected = round(ASKS_A_SECOND * SECONDS)
    limits = httpx.Limits(max_connections=64)
    async with (
        contextlib.AsyncExitStack() as stack,
        httpx.AsyncClient(base_url=address, trust_env=False, limits=limits, timeout=60) as http,
    ):
        consoles = [await stack.enter_async_context(_console(address)) for _ in range(CONSOLES)]
        watching = [
            asyncio.ensure_future(_watch(console, seen, place, expected, found.events))
            for place, console in enumerate(consoles)
        ]
        began, asks = time.perf_counter(), []
        for number in range(expected):
            await asyncio.sleep(max(0.0, began + number / ASKS_A_SECOND - time.perf_counter()))
            asks.append(asyncio.ensure_future(_timed(http, number, found)))
        await asyncio.gather(*asks)
        await asyncio.wait(watching, timeout=20)
        for task in watching:
            task.cancel()
    found.missed = sum(expected - count for count in seen)
    return found


async def _watch(
    console: asyncio.StreamReader, seen: list[int], place: int, expected: int, delays: list[float]
) -> None:
    while seen[place] < expected:
        line = await console.readline()
        if line.startswith(b"event: answered"):
            seen[place] += 1
            told = await console.readline()
            if not place:  # by one clock; the others only count
                delays.append(time.time() - json.loads(told[6:])["at"])


async def _timed(http: httpx.AsyncClient, number: int, found: Many) -> None:
    began = time.perf_counter()
    try:
        await _asked(http, number)
    except (httpx.HTTPError, AssertionError):
        found.errors += 1
    found.answers.append(time.perf_counter() - began)


async def _asked(http: httpx.AsyncClient, number: int) -> None:
    text = QUESTIONS[number % len(QUESTIONS)]
    answer = await http.post("/api/ask", json={"text": text, "conversation_id": f"bench {number}"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["ok"], answer.text


if __name__ == "__main__":
    from bench.table import show

    show(run(int(os.environ.get("PASSES", "1"))))
