"""The same minimal stdio server over nothing but asyncio's pipes: what no client can be quicker than."""

import asyncio
import json
import sys
from statistics import median
from time import perf_counter
from typing import Any

from bench.driver import ROOT
from bench.worker import Figures, serve_async

CALLS = 1000
MINIMAL = str(ROOT / "tests" / "fakes" / "minimal_server.py")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
running: list[asyncio.subprocess.Process] = []


async def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    to, back = running[0].stdin, running[0].stdout
    assert to is not None
    assert back is not None
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    to.write(json.dumps(request).encode() + b"\n")
    answer: dict[str, Any] = json.loads(await back.readline())
    return answer


async def measure() -> Figures:
    if not running:
        pipe = asyncio.subprocess.PIPE
        running.append(await asyncio.create_subprocess_exec(sys.executable, MINIMAL, stdin=pipe, stdout=pipe))
        await ask(0, "initialize", HELLO)
    seconds = []
    for number in range(1, CALLS + 1):
        started = perf_counter()
        answer = await ask(number, "tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}})
        seconds.append(perf_counter() - started)
        assert answer["result"]["content"][0]["text"] == "3"
    return {"call_us": median(seconds) * 1e6}


serve_async(measure)
