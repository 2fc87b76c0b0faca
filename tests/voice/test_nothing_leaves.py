"""Without any configuration the gateway tells nobody anything, and writes into its own folder only."""

import asyncio
import os
import re
import shutil
import signal
import sys

from tests.fakes.gateway_process import Commands
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.speech_packages import need_packages

LIMIT_SECONDS = 50  # every engine is loaded, and each system call that connects is looked at
CONNECTED = re.compile(r"connect\(\d+, \{sa_family=AF_INET6?,.*")
LOOPBACK = ("127.0.0.", '"::1"')


async def listened(commands, *tracer: str) -> tuple[bytes, bytes]:
    """A recording through all engines: wake word, voice activity, speech to text, text to speech."""
    process = await asyncio.create_subprocess_exec(
        *tracer,
        *(sys.executable, "-m", "voice_gateway", "listen", str(FOLDER / "session_2_bf_emma.wav")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=commands.folder,
        env=commands.env,
        start_new_session=True,  # who traces is not who listens: both must end
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            return await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()


async def test_the_engines_leave_nothing_behind_and_connect_to_nobody(tmp_path):
    need_speech()
    need_packages("hibari")
    commands, home, trace = Commands(tmp_path), tmp_path / "home", tmp_path / "trace"
    home.mkdir()
    commands.env |= {"HOME": str(home), "TMPDIR": str(home)}
    strace = shutil.which("strace")
    tracer = [strace, "-f", "--seccomp-bpf", "-e", "trace=connect", "-s", "200", "-o", str(trace)]

    out, err = await listened(commands, *(tracer if strace else []))
    if strace and b"strace: " in err and not out:  # a machine may forbid to look into processes
        strace, (out, err) = None, await listened(commands)

    assert b"what time is it" in out.lower(), err.decode()
    assert sorted(str(file.relative_to(home)) for file in home.rglob("*")) == []
    connected = CONNECTED.findall(trace.read_text()) if strace else []
    assert [line for line in connected if not any(address in line for address in LOOPBACK)] == []
