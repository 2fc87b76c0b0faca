"""Tools of the user's own, in a running gateway and at the command line."""

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, parts

pytestmark = pytest.mark.attack

SETTINGS = '[mcp]\nsimulated_home = false\n[tools]\ntools_dir = "tools"\n'
DICE = '''
from langchain_core.tools import tool


@tool
def roll_dice(sides: int = 6) -> str:
    """Rolls a die."""
    return f"You rolled a {sides}."


roll_dice.metadata = {"read_only": True}
'''


@pytest.fixture
def folder(commands):
    commands.file("voice-gateway.toml", SETTINGS)
    made = commands.folder / "tools"
    made.mkdir(mode=0o700)
    (made / "dice.py").write_text(DICE, encoding="utf-8")
    return made


async def approve(commands):
    approved = await commands.run("tools", "approve", "--json")
    assert approved.code == 0, approved.err
    return approved.json["approved"]


async def test_a_changed_file_is_left_out_until_it_is_approved(commands, folder):
    assert await approve(commands) == [str(folder / "dice.py")]
    (folder / "dice.py").write_text(DICE.replace("You rolled", "You threw"), encoding="utf-8")

    (folder / "songs.py").write_text(DICE.replace("roll_dice", "sing"), encoding="utf-8")

    listed = await commands.run("tools", "--json")
    assert {"roll_dice", "sing"}.isdisjoint(tool["name"] for tool in listed.json)
    looked = await commands.run("doctor")
    assert "tools approve" in looked.out
    await approve(commands)
    called = await commands.run("tools", "call", "roll_dice", "sides=3", "--json")
    assert called.json["text"] == "You threw a 3."


async def test_a_file_with_a_mistake_is_named_with_its_line_and_the_other_files_work(commands, folder):
    (folder / "broken.py").write_text("import os\n\nnobody()\n", encoding="utf-8")
    await approve(commands)
    async with Running.opened(commands):
        part = (await parts(commands))["tools"]
        assert part["state"] == "degraded"
        assert f"{folder / 'broken.py'}: line 3: NameError" in part["sentence"]
        assert (await ask(commands, "what time is it"))["ok"] is True
        called = await commands.run("tools", "call", "roll_dice", "sides=3", "--json")
        assert called.json["text"] == "You rolled a 3."
        assert f"the file {folder / 'dice.py'}\n" in (await commands.run("tools")).out
        shown = await commands.run("tools", "roll_dice")
        assert f"Rolls a die.\nOf the file {folder / 'dice.py'}; it only looks" in shown.out
