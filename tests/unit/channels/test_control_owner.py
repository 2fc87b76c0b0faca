"""Who may stand behind the control socket: what is asked there may be private, and the answer is believed."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from voice_gateway.channels.control import ControlChannel, greet
from voice_gateway.errors import LinkError

NOT_UNIT = "processes of other users"
LIMIT_SECONDS = 30
OTHER, THIRD = 12_345, 54_321

LISTENER = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
listening = socket.socket(socket.AF_UNIX)
listening.bind("control.sock")
os.chmod("control.sock", 0o777)
listening.listen()
print("ready", flush=True)
while True:
    connection = listening.accept()[0]
    if connection.recv(1000):
        print("heard", flush=True)
        connection.sendall(b'{"result": "hello"}\\n')
"""
ASKER = """
import asyncio, os, sys
from pathlib import Path
from voice_gateway.channels.control import greet
from voice_gateway.errors import LinkError
os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
try:
    print(asyncio.run(greet(Path(sys.argv[1]))))
except LinkError as error:
    print(error)
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Short enough for a socket: a test's folder may be anything but."""
    monkeypatch.chdir(tmp_path)
    folder = Path("run")
    folder.mkdir(mode=0o755)
    return folder


@contextlib.asynccontextmanager
async def listening(folder: Path, user: int) -> AsyncIterator[asyncio.subprocess.Process]:
    os.chown(folder, user, user)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LISTENER, str(folder), str(user), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(LIMIT_SECONDS):
            assert await process.stdout.readline() == b"ready\n"
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_the_users_own_gateway_is_trusted(folder):
    async def hello(_asked, _interruption) -> str:
        return "hello"

    door = ControlChannel(folder / "control.sock", {"hello": hello})
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(door.run())
        await door.tried.wait()
        assert await greet(folder / "control.sock") == "hello"
        assert folder.stat().st_mode & 0o777 == 0o700
        serving.cancel()


@as_root
async def test_root_trusts_a_service_in_a_folder_of_root(folder):
    async with listening(folder, OTHER):
        assert await greet(folder / "control.sock") == "hello"


@as_root
async def test_root_does_not_trust_a_folder_others_can_make(folder, tmp_path, caplog):
    tmp_path.chmod(0o1777)  # as /tmp
    async with listening(folder, OTHER) as process:
        with pytest.raises(LinkError, match="belongs to somebody else"):
            await greet(folder / "control.sock")
        process.kill()
        assert process.stdout is not None
        assert await process.stdout.read() == b""  # it heard nothing
    assert "control socket belongs to somebody else, it is not used" in caplog.messages


@as_root
@pytest.mark.parametrize(("listener", "answer"), [(0, "hello"), (OTHER, "hello"), (THIRD, "somebody else")])
async def test_a_user_trusts_their_own_gateway_and_roots_only(folder, tmp_path, listener, answer):
    for one in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        one.chmod(0o755)
    async with listening(folder, listener):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ASKER, "run/control.sock", str(OTHER), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
    assert answer in out.decode()
