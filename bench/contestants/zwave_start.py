"""From starting the Z-Wave server to its first answer, beside the mere import of the `mcp` package."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.worker import Figures, serve

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
# As an installed program has it: bytecode is there.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _import_seconds() -> float:
    """Until the import is done; how long the interpreter then takes to end is not counted on either side."""
    started = perf_counter()
    command = [sys.executable, "-c", "import mcp; print('there', flush=True)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        return perf_counter() - started


def _hello_seconds(state: Path) -> float:
    started = perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "zwave_mcp", "--simulate", "--state-file", str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HELLO) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        seconds = perf_counter() - started
        server.stdin.close()
    return seconds


def measure() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        imported = _import_seconds()
        greeted = _hello_seconds(Path(folder) / "state.json")
    return {
        "import_ms": imported * 1000,
        "hello_ms": greeted * 1000,
        "beyond_ms": (greeted - imported) * 1000,
    }


serve(measure)
