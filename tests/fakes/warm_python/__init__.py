"""A Python that has imported everything already, for tests that start our programs.

Starting one takes a second or two of computing, nearly all of it imports: with a process or more for each
test that was most of the time of a whole run. `python()` names an executable for the place of
`sys.executable`. What it starts is a process of its own as ever, forked from one where the imports are done
(`server.py`); whatever else it is asked for, and any setting of Python itself, gets the real interpreter.

COLD_START=1 in the environment starts everything from scratch. Tests of the start itself name
`sys.executable`.
"""

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

NOT_UNIT = "a process with all imports"

HERE = Path(__file__).parent


@cache
def python() -> str:
    """Started with the first call, ended with this process."""
    if os.environ.get("COLD_START") or not hasattr(os, "pidfd_open"):  # Linux alone has it
        return sys.executable
    folder = Path(tempfile.mkdtemp(prefix="vg-python-"))
    launcher = folder / "python"
    launcher.write_text(
        f"#!{sys.executable} -IS\n{(HERE / 'launcher.py').read_text(encoding='utf-8')}", "utf-8"
    )
    launcher.chmod(0o700)
    server = subprocess.Popen(
        [sys.executable, str(HERE / "server.py"), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    atexit.register(_end, server, folder)
    assert server.stdout is not None
    assert server.stdout.readline(), "the process with all imports did not start"
    return str(launcher)


async def start(program: str, *words: str, env: Mapping[str, str], **how: Any) -> asyncio.subprocess.Process:
    """asyncio's own, but its pid and signals are those of the forked process, also SIGSTOP and SIGKILL."""
    if program == sys.executable:
        return await asyncio.create_subprocess_exec(program, *words, env=env, **how)
    ours, its = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            program, *words, env={**env, "PID_TO": str(its)}, pass_fds=[its], **how
        )
    finally:
        os.close(its)
    try:
        process.pid = int(await asyncio.to_thread(os.read, ours, 20))
    finally:
        os.close(ours)
    process.send_signal = partial(_send, process)
    process.terminate = partial(_send, process, signal.SIGTERM)
    process.kill = partial(_send, process, signal.SIGKILL)
    return process


def _send(process: asyncio.subprocess.Process, number: int) -> None:
    if process.returncode is not None:
        raise ProcessLookupError
    with contextlib.suppress(ProcessLookupError):  # it has ended, and we are about to hear of it
        os.kill(process.pid, number)


def _end(server: "subprocess.Popen[bytes]", folder: Path) -> None:
    server.communicate()  # the end of its input
    shutil.rmtree(folder, ignore_errors=True)
