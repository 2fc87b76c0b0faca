"""How it starts, and that it ends within seconds from whatever it is doing, leaving no process behind."""

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands, Running
from tests.fakes.running_gateway import ask, parts, processes, server, socket_of
from tests.fakes.waiting import until

NO_SERVER = "[mcp]\nsimulated_home = false\n"
# Three seconds on a machine that has time; a busy one needs longer to end an import that is under way.
# A stop that waited for what is under way would take half a minute, or for ever.
STOP_SECONDS = 20.0


async def ends(process: asyncio.subprocess.Process, number: signal.Signals = signal.SIGTERM) -> int:
    """Its exit code; it must come soon."""
    process.send_signal(number)
    async with asyncio.timeout(STOP_SECONDS):
        await process.communicate()
    assert process.returncode is not None
    return process.returncode


async def test_servers_start_beside_each_other(commands, tmp_path):
    """Each waits for the other one's start: one after the other they would never come up."""
    a, b = tmp_path / "a", tmp_path / "b"
    commands.file(
        "voice-gateway.toml",
        server("one", "late_server.py", a, 0, b) + server("two", "late_server.py", b, 0, a),
    )
    async with Running.opened(commands):
        known = await parts(commands)

    assert known["server one"]["state"] == known["server two"]["state"] == "ok"
    assert len(a.read_text().splitlines()) == len(b.read_text().splitlines()) == 1


class Stage:
    """A gateway that is held up somewhere in its start."""

    def __init__(self, commands: Commands, folder) -> None:
        self.commands = commands
        self.marks = folder / "starts"

    async def start(self, settings: str, **env: str) -> asyncio.subprocess.Process:
        self.commands.file("voice-gateway.toml", settings)
        return await self.commands.start("run", **env)

    async def at_once(self):
        return await self.start(server("zwave", "late_server.py", self.marks, 0))

    async def server_says_nothing(self):
        process = await self.start(server("zwave", "late_server.py", self.marks, "never"))
        await until(self.marks.exists)
        return process

    async def stubborn_server(self):
        process = await self.start(
            server("zwave", "fault_server.py", "ignores_eof", "ignores_term", self.marks)
        )
        await Running(process).says("ready")
        return process


@pytest.mark.parametrize("stage", ["at_once", "server_says_nothing", "stubborn_server"])
async def test_a_stop_during_the_start_leaves_no_process(commands, tmp_path, stage):
    held = Stage(commands, tmp_path)
    process = await getattr(held, stage)()

    code = await ends(process)

    assert code in ((0, -signal.SIGTERM) if stage == "at_once" else (0,))
    assert processes(str(held.marks)) == []
    assert not socket_of(commands).exists()


async def test_a_stop_in_the_middle_of_a_call(commands, tmp_path):
    commands.file("voice-gateway.toml", server("zwave", "counting_server.py", tmp_path / "done", 30))
    gateway = Running(await commands.start("run"))
    await gateway.says("ready")
    asking = await commands.start("ask", "turn on the red lamp")
    await until((tmp_path / "begun").exists)

    assert await ends(gateway.process, signal.SIGINT) == 130
    told = b"".join(await asking.communicate())
    assert asking.returncode == 1
    assert b"may or may not have happened" in told or b"may still happen" in told
    assert processes(str(tmp_path / "done")) == []


async def test_a_second_gateway_says_so_and_takes_over_when_the_first_ends(commands):
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands) as first:
        second = Running(await commands.start("run"))
        try:
            await second.says("another gateway is running")
            await second.says("ready")
            assert (await ask(commands, "what time is it"))["ok"] is True

            await first.stop()
            await until(socket_of(commands).exists)
            assert (await ask(commands, "what time is it"))["ok"] is True
        finally:
            assert await ends(second.process) == 0
    assert not socket_of(commands).exists()


async def test_a_socket_left_behind_by_a_killed_gateway_is_no_obstacle(commands):
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands) as killed:
        killed.process.kill()
        await killed.process.communicate()
    assert socket_of(commands).exists()
    async with Running.opened(commands):
        assert (await ask(commands, "what time is it"))["ok"] is True


async def test_a_server_killed_during_a_call_is_an_honest_answer_and_comes_back(commands, tmp_path):
    done = tmp_path / "done"
    commands.file(
        "voice-gateway.toml",
        "[mcp]\nbase_delay_seconds = 0.2\n" + server("zwave", "counting_server.py", done, 1),
    )
    async with Running.opened(commands):
        lamp = asyncio.create_task(ask(commands, "turn on the red lamp"))
        await until((tmp_path / "begun").exists)
        (victim,) = processes(str(done))
        os.kill(victim, signal.SIGKILL)
        answer = await lamp
        assert answer["ok"] is False
        assert "lamp on" not in answer["text"]
        assert not done.exists()

        await until(lambda: processes(str(done)) not in ([], [victim]))
        assert (await ask(commands, "turn on the red lamp"))["ok"] is True
        assert done.read_text() == "Red Lamp\n"


# --- Ctrl-C in the first moments, and a settings file that would never come to its end


# Interrupts itself in the middle of the imports, however long these take on this machine.
INTERRUPTED = """
import builtins, os, signal, sys
from voice_gateway.__main__ import main
usual = builtins.__import__
def interrupting(name, *rest, **named):
    if name == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGINT)
    return usual(name, *rest, **named)
builtins.__import__ = interrupting
print(main(["status"]))
"""


@pytest.mark.parametrize("module", ["argparse", "asyncio"])
async def test_an_interrupt_during_the_imports_is_silent(commands, module):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", INTERRUPTED, module),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=commands.env,
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        out, err = await process.communicate()

    assert (process.returncode, out, err) == (128 + signal.SIGINT, b"", b"")


# --- All that a gateway and its servers keep is their owner's alone: looked at as a whole, not one by one


SAID = "set a timer for 2 hours\nturn on the floor lamp\nset the volume to 30 percent\n"


@pytest.fixture
def umask_of_nobody() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    kept = [folder, *folder.rglob("*")]
    assert len(kept) > 5
    wanted = {path: 0o700 if path.is_dir() else 0o600 for path in kept}
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in kept}
    return {path.name: oct(mode) for path, mode in found.items() if mode != wanted[path]}


@pytest.mark.slow
@pytest.mark.usefixtures("umask_of_nobody")
async def test_files_are_their_owners_alone_whatever_the_umask(commands):
    done = await commands.run("run", text=SAID, VOICE_GATEWAY_BRAIN_STORE="sqlite")

    assert "floor lamp" in done.out.lower()
    assert open_to_others(commands.folder / "data") == {}
