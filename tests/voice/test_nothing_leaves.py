"""Without any configuration the gateway tells nobody anything, and writes into its own folder only."""

import asyncio
import os
import re
import signal
import sys

from tests.fakes.counterparts import missing, program
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
    tracer = [program("strace"), "-f", "--seccomp-bpf", "-e", "trace=connect", "-s", "200", "-o", str(trace)]

    out, err = await listened(commands, *tracer)
    if b"strace: " in err and not out:
        missing("this machine forbids to look into processes, so nobody can say what leaves")

    assert b"what time is it" in out.lower(), err.decode()
    left = [file for file in home.rglob("*") if file.is_file() and file.suffix != ".language"]
    assert left == [], "only the compiled language is kept, in the cache folder"
    looked = trace.read_text()
    assert "exited with 0" in looked, "nothing was traced to its end"
    connected = CONNECTED.findall(looked)
    assert [line for line in connected if not any(address in line for address in LOOPBACK)] == []


async def test_the_tracer_would_see_a_connection(tmp_path):
    """So that no connection seen means that there was none."""
    trace, asks = tmp_path / "trace", "import socket; socket.socket().connect_ex(('192.0.2.1', 9))"
    asks = asks.replace("socket.socket()", "(s := socket.socket(), s.setblocking(False))[0]")
    process = await asyncio.create_subprocess_exec(
        *(program("strace"), "-f", "--seccomp-bpf", "-e", "trace=connect", "-o", str(trace)),
        *(sys.executable, "-c", asks),
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        await process.wait()

    assert [line for line in CONNECTED.findall(trace.read_text()) if "192.0.2.1" in line]
