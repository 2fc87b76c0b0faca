"""Every door is built in one file, where one sees what it is given."""

import ast
import io
from pathlib import Path

import pytest

import voice_gateway
from voice_gateway.app import opened
from voice_gateway.config import McpSettings, Settings
from voice_gateway.events import Notice

SOURCES = Path(voice_gateway.__file__).parent


def _made(file: Path) -> set[str]:
    """Names of classes that this file makes one of."""
    calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)}


def _door_classes() -> set[str]:
    trees = [ast.parse(file.read_text()) for file in (SOURCES / "doors").rglob("*.py")]
    return {
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Door")
    }


@pytest.mark.slow
def test_doors_are_built_in_one_place() -> None:
    doors = _door_classes()
    makers = {file.relative_to(SOURCES).as_posix(): _made(file) & doors for file in SOURCES.rglob("*.py")}

    assert len(doors) >= 5
    built = {file: made for file, made in makers.items() if made}
    assert {file.partition("/")[0] for file in built} == {"app"}
    assert sorted(door for made in built.values() for door in made) == sorted(doors), "each once"


async def test_the_text_door_tells_what_nobody_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    out, script = io.StringIO(), io.StringIO()
    async with opened(Settings(mcp=McpSettings(simulated_home=False))) as gateway:
        gateway.channels.text(as_json=False, out=out)
        gateway.channels.text(as_json=True, out=script)
        gateway.events.publish(Notice("The tea timer is done."))

    assert out.getvalue() == "The tea timer is done.\n"
    assert script.getvalue() == ""
