"""The gateway as a process: one question from cold, `run` until it is ready, and what waiting costs."""

import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from bench.driver import OURS, ROOT
from bench.table import Row

# What every program with LangChain tools pays. `import langchain_core.tools` alone loads nothing yet.
PLAIN = [OURS, "-c", "from langchain_core.tools import StructuredTool"]
ASK = [OURS, "-m", "voice_gateway", "ask", "what time is it"]
RUN = [OURS, "-m", "voice_gateway", "run"]
IDLE_SECONDS = 35.0  # one look at the devices is in it
TURNS = 600  # each half; with what every turn leaves, an hour would show in megabytes
QUESTIONS = ("what time is it", "what day is it", "banana", "how are you", "turn on the floor lamp")


def run(passes: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        plain, ask, ready = [], [], []
        for number in range(passes + 1):
            taken = _seconds(PLAIN, env), _seconds(ASK, env), _until_ready(env)
            if number:  # the first one writes .pyc files
                for kept, seconds in zip((plain, ask, ready), taken, strict=True):
                    kept.append(seconds)
        idle, growth = _stays_up(env)
    base = min(plain)  # the best of all passes: whatever else the machine does only adds to it
    return [
        Row(
            'ask "what time is it", cold, on top of importing StructuredTool',
            min(ask) - base,
            "s",
            0.4,
            total=min(ask),
        ),
        Row(
            "run until ready, simulated home, on top of the same",
            min(ready) - base,
            "s",
            2,
            total=min(ready),
        ),
        Row(f"processor time while idle, gateway and home, over {IDLE_SECONDS:.0f} s", idle, "%", 1),
        Row(f"memory that {TURNS} turns leave behind, after as many", growth, "MB", 5),
    ]


def _environment(folder: Path) -> dict[str, str]:
    """Folders of its own, and no sound server: nothing of the user's is touched."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LANG")}
    (folder / "run").mkdir(mode=0o700)
    return {
        **kept,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "PULSE_SERVER": "unix:/nowhere",
    }


def _seconds(command: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _until_ready(env: dict[str, str]) -> float:
    started = time.perf_counter()
    process = _started(env)
    seconds = time.perf_counter() - started
    _stopped(process)
    return seconds


def _started(env: dict[str, str]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        RUN, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while "ready" not in (line := process.stderr.readline()):
        if not line:
            raise RuntimeError("the gateway ended before it was ready")
    return process


def _stopped(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.communicate(timeout=30)


def _stays_up(env: dict[str, str]) -> tuple[float, float]:
    """Percent of a core while nobody asks, and megabytes that the second half of the turns left behind."""
    process = _started(env)
    try:
        file = Path(env["XDG_RUNTIME_DIR"]) / "voice-gateway" / "control.sock"
        _ask(file, TURNS)
        warm = _megabytes(process.pid)
        _ask(file, TURNS)
        growth = _megabytes(process.pid) - warm
        before = _processor_seconds(process.pid)
        time.sleep(IDLE_SECONDS)
        idle = (_processor_seconds(process.pid) - before) / IDLE_SECONDS * 100
    finally:
        _stopped(process)
    return idle, growth


def _ask(file: Path, turns: int) -> None:
    with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rwb") as lines:
        connection.connect(str(file))
        for number in range(turns):
            text = QUESTIONS[number % len(QUESTIONS)]
            asked = {"op": "ask", "text": text, "conversation_id": f"bench {number // len(QUESTIONS)}"}
            lines.write(json.dumps(asked).encode() + b"\n")
            lines.flush()
            if b'"reply"' not in lines.readline():
                raise RuntimeError("the gateway gave no reply")


def _processor_seconds(pid: int) -> float:
    """Of the process and its servers, whose parent it is."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(entry.parent.name) == pid or int(fields[1]) == pid:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")
