"""A user's own tools: what is taken from files and packages, and what is left out with a reason."""

import contextlib
import json
import sys
from pathlib import Path

import pytest

from voice_gateway.config import PermissionSettings
from voice_gateway.errors import ErrorKind
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.own_tools import Approvals, OwnTools, own_tools, tool_files
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.tools.traits import traits
from voice_gateway.turn import ToolCall

DICE = '''
from langchain_core.tools import tool


@tool
def roll_dice(sides: int = 6) -> str:
    """Rolls a die."""
    return f"You rolled a {sides}."
'''
SEVERAL = '''
from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel


class Wish(BaseModel):
    artist: "Artist"


class Artist(BaseModel):
    name: str


async def find_song(artist: Artist) -> str:
    return f"A song of {artist.name}."


def _hidden() -> None: ...


TOOLS = [
    StructuredTool.from_function(
        coroutine=find_song, description="Finds a song.", args_schema=Wish, metadata={"read_only": True}
    )
]


@tool
async def open_garage() -> str:
    """Opens it."""
    raise ConnectionRefusedError("no radio")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tools"
    made.mkdir(mode=0o700)
    return made


def write(folder: Path, name: str, text: str, mode: int = 0o600) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def approved(folder: Path) -> Approvals:
    approvals = Approvals(folder.parent / "approved-tools.json")
    for file in tool_files(folder):
        with contextlib.suppress(OSError):
            approvals.approve([file])
    return approvals


def names(found: OwnTools) -> list[str]:
    return [tool.name for tool in found.tools]


async def test_the_tools_of_a_folder_are_taken_and_run(folder: Path) -> None:
    write(folder, "dice.py", DICE)
    write(folder, "songs.py", SEVERAL)
    write(folder, "_helper.py", "1 / 0")
    write(folder, "notes.txt", "milk")
    found = own_tools(folder, approved(folder))
    tools = ToolManager()
    for tool in found.tools:
        tools.add(tool)
    executor = ToolExecutor(tools)

    assert found.problems == []
    assert names(found) == ["roll_dice", "find_song", "open_garage"]
    assert (
        await executor.execute(ToolCall("1", "dice__roll_dice", {"sides": "3"}))
    ).text == "You rolled a 3."
    song = await executor.execute(ToolCall("2", "find_song", {"artist": {"name": "Nina"}}))
    assert song.text == "A song of Nina."
    failed = await executor.execute(ToolCall("3", "open_garage", {}))
    assert failed.error is ErrorKind.UNAVAILABLE
    assert "server" not in failed.text


def test_one_that_says_nothing_of_itself_is_judged_as_a_strangers(folder: Path) -> None:
    write(folder, "dice.py", DICE)
    write(folder, "songs.py", SEVERAL)
    dice, song, garage = own_tools(folder, approved(folder)).tools
    settings = PermissionSettings()

    def judged(tool: object, name: str) -> Risk:
        return risk_of(ToolCall("1", name, {}), traits(tool), settings, None)  # type: ignore[arg-type]

    assert [traits(tool).trusted for tool in (dice, song, garage)] == [False, True, False]
    assert judged(song, "find_song") is Risk.LOOK
    assert judged(dice, "roll_dice") is Risk.UNKNOWN
    assert judged(garage, "open_garage") is Risk.SENSITIVE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1\ndef broken(:\n", "line 2: SyntaxError"),
        ("import os\n\n1 / 0\n", "line 3: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "line 1: SystemExit"),
        ("x = 1\n", "no LangChain tool"),
        ("from langchain_core.tools import tool\n\n@tool\ndef f() -> str:\n    return ''\n", "docstring"),
        ("\0", "null bytes"),
    ],
)
def test_a_file_with_a_mistake_costs_itself_and_names_the_line(folder: Path, text: str, reason: str) -> None:
    broken = write(folder, "broken.py", text)
    write(folder, "dice.py", DICE)
    found = own_tools(folder, approved(folder))

    assert names(found) == ["roll_dice"]
    [problem] = found.problems
    assert problem.startswith(f"{broken}: ")
    assert reason in problem


def test_a_file_that_others_could_have_written_is_not_run(folder: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    touch = f"open({str(ran)!r}, 'w').close()\n"
    write(folder, "theirs.py", touch, mode=0o622)
    (folder / "folder.py").mkdir()
    found = own_tools(folder, approved(folder))

    [directory, writable] = sorted(found.problems)
    assert ("Is a directory" in directory, "others may write it" in writable) == (True, True)
    write(folder, "theirs.py", touch)
    folder.chmod(0o777)
    assert "could be replaced" in own_tools(folder, approved(folder)).problems[1]
    assert not ran.exists()


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: dict[str, str], code: str) -> None:
    """A package as pip leaves it: its code, and what it says of itself."""
    info = folder / "my_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-tools\nVersion: 1.0\n", encoding="utf-8")
    lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[voice_gateway.tools]\n{lines}\n", encoding="utf-8")
    (folder / "my_tools.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "my_tools", raising=False)


def test_the_tools_of_an_installed_package_are_taken(tmp_path: Path, monkeypatch) -> None:
    given = {"dice": "roll_dice", "songs": "songs", "gone": "nobody", "number": "number", "wrong": "wrong"}
    entries = {name: f"my_tools:{code}" for name, code in given.items()} | {"nothing": "nobody_has_this:tool"}
    code = DICE + (
        "def songs():\n    return [roll_dice.model_copy(update={'name': 'sing'})]\n"
        "number = 3\n"
        "def wrong():\n    raise ValueError('no key')\n"
    )
    package(tmp_path, monkeypatch, entries, code)
    found = own_tools(None, approved(tmp_path))

    assert names(found) == ["roll_dice", "sing"]
    assert [traits(tool).source for tool in found.tools] == ["dice", "songs"]
    assert {traits(tool).origin for tool in found.tools} == {"the package my-tools"}
    assert [problem.partition(":")[0] for problem in found.problems] == [
        f"{json.dumps(name)} of the package my-tools" for name in ("gone", "nothing", "number", "wrong")
    ]
    assert "no key" in found.problems[-1]
