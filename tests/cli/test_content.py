"""`tools call --save` and `mcp resources`, by the running gateway and without one."""

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.linked import FAKES
from tests.fakes.running_gateway import server, socket_of
from tests.fakes.stdio_rpc import PNG, WAV

from voice_gateway.channels.control import request
from voice_gateway.progress import Progress

pytestmark = pytest.mark.slow

SETTINGS = "[mcp]\nsimulated_home = false\n" + server("content", str(FAKES / "content_server.py"))


@pytest.fixture
def commands(tmp_path) -> Commands:
    commands = Commands(tmp_path)
    commands.file("voice-gateway.toml", SETTINGS)
    return commands


async def test_without_a_running_gateway(commands, tmp_path):
    folder = tmp_path / "new" / "folder"
    every = await commands.run("tools", "call", "every_kind", "--save", str(folder))
    assert every.code == 0
    assert "[an image of 3 kB]" in every.out
    assert f"saved an image of 3 kB: {folder}/image-1.png" in every.err
    assert {path.name for path in folder.iterdir()} == {
        "image-1.png",
        "audio-2.wav",
        "report.pdf",
        "today.txt",
    }
    assert (folder / "image-1.png").read_bytes() == PNG
    assert (folder / "audio-2.wav").read_bytes() == WAV
    assert (folder / "today.txt").read_text() == "Notes: today"

    again = await commands.run("tools", "call", "picture", "--save", str(folder), "--json")
    assert again.json["saved"] == [str(folder / "image-1-2.png")]
    assert "files" not in again.json

    listed = await commands.run("mcp", "resources", "--json")
    assert [one["uri"] for one in listed.json][-1] == "box://notes/{day}"
    read = await commands.run("mcp", "read", "box://notes/friday")
    assert (read.code, read.out.strip()) == (0, "Notes: friday")
    missing = await commands.run("mcp", "read", "box://none")
    assert (missing.code, missing.out) == (1, "")
    assert "there is no box://none" in missing.err


async def test_by_the_running_gateway(commands, tmp_path):
    async with Running.opened(commands):
        saved = await commands.run("mcp", "read", "box://pictures/cat", "--save", str(tmp_path / "o"))
        assert (tmp_path / "o" / "cat.png").read_bytes() == PNG
        assert saved.out == ""

        told: list[Progress] = []
        message = {"op": "call", "name": "steps", "args": {"count": 3}, "timeout": None}
        outcome = await request(socket_of(commands), message, on_progress=told.append)
        assert outcome["text"] == "all steps done"
        assert told[-1].text == "the content server: 100 %, a step"


async def test_a_folder_that_cannot_be_written_is_reported(commands, tmp_path):
    (tmp_path / "file").write_text("here")
    done = await commands.run("tools", "call", "picture", "--save", str(tmp_path / "file"))
    assert done.code == 1
    assert "cannot write to" in done.err
