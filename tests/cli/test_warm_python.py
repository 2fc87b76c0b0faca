"""Most tests start our programs from a Python with all imports done, and nothing else may differ."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes import warm_python
from tests.fakes.gateway_process import NO_CONSOLE


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("fly",),
        ("ask", "turn on the kitchen light"),
        ("--json", "config", "show"),
        ("status",),
    ],
    ids=" ".join,
)
async def test_a_command_says_the_same_when_it_is_started_from_scratch(commands, words):
    warm = await commands.run(*words)
    commands.python = sys.executable
    cold = await commands.run(*words)

    warm.out = warm.out.replace(warm_python.python(), sys.executable)
    assert warm == cold


@pytest.mark.slow
async def test_bytes_that_are_no_text_come_through(commands):
    answers = []
    for python in (commands.python, sys.executable):
        process = await warm_python.start(
            *(python, "-m", "voice_gateway", "run"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**NO_CONSOLE, **commands.env},
        )
        answers.append(await process.communicate(b"what is 2 plus 2\xff\n"))

    assert answers[0] == answers[1]


async def test_it_dies_of_the_signal_that_it_is_sent(commands):
    process = await commands.start("run")
    process.kill()
    process.send_signal(signal.SIGTERM)  # too late, and no error before the end is known
    await process.communicate()

    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_who_ends_what_they_started_ends_all_of_it(tmp_path: Path, number: signal.Signals):
    """A server of the gateway, say, or of an MCP client."""
    server = subprocess.Popen(
        [warm_python.python(), "-m", "zwave_mcp", "--simulate", "--state-file", str(tmp_path / "state")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"]},
    )
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
    server.stdin.flush()
    assert server.stdout.readline()
    server.send_signal(number)

    assert server.stdout.read() == b""  # nobody holds the other end any more
    assert server.wait(10) == (0 if number == signal.SIGTERM else -number)
    server.stdin.close()
    server.stdout.close()


@pytest.mark.parametrize("env", [{}, {"LANG": "C.UTF-8"}, {"LC_CTYPE": "C.UTF-8"}], ids=str)
def test_without_a_language_of_its_own_a_program_is_forked_as_well(tmp_path: Path, env: dict[str, str]):
    """Where none is set, Python sets LC_CTYPE by itself, and that is no wish of whoever starts it."""
    words = ["-m", "zwave_mcp", "--simulate", "--state-file", str(tmp_path / "state"), "--show-state"]
    before = children_cpu_seconds()
    subprocess.run([warm_python.python(), *words], env=env, capture_output=True, check=True)

    assert children_cpu_seconds() - before < 0.15, "a launcher's; an interpreter imports for longer"


def children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_what_is_not_ours_and_what_python_itself_reads_gets_the_real_interpreter():
    program = [warm_python.python(), "-c", "import sys; print(sys.executable)"]
    asked = subprocess.run(program, capture_output=True, text=True, check=True)
    ours = [warm_python.python(), "-m", "zwave_mcp", "--help"]
    told = subprocess.run(ours, env={"PYTHONVERBOSE": "1"}, capture_output=True, text=True, check=True)

    assert asked.stdout.strip() == sys.executable
    assert "import 'site'" in told.stderr
