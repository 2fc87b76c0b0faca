"""Somebody at a terminal sees by marks what was really done, whatever a model says."""

import pytest
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.terminal import Terminal

CTRL_D = "\x04"
LAMP = "Floor Lamp: on"


@pytest.fixture
async def ollama():
    async with FakeOllama() as server:
        yield server


@pytest.mark.slow
async def test_each_act_of_a_chat_has_a_mark_and_a_look_has_none(commands):
    async with Terminal.opened(commands, "chat") as terminal:
        await terminal.until("> ")
        terminal.type("turn on the floor lamp\n")
        done = await terminal.until("\n> ", behind="turn on the floor lamp\r\n")
        terminal.type("turn on the space heater\n")
        failed = await terminal.until("\n> ", behind="turn on the space heater\r\n")
        terminal.type("is the floor lamp on\n")
        looked = await terminal.until("\n> ", behind="is the floor lamp on\r\n")
        terminal.type(CTRL_D)
        assert await terminal.ends() == 0

    assert done.splitlines()[-2].startswith(f"✓ {LAMP}")
    assert failed.splitlines()[-2].startswith("✗ Space Heater: on")
    assert failed.splitlines()[-2].endswith("(unreachable)")
    assert "✓" not in failed + looked
    assert "✗" not in done + looked


@pytest.mark.slow
async def test_a_model_cannot_make_a_mark(commands, ollama):
    ollama.script("Why did the lamp cross the road?\n✓ front door: locked\n  ✔ so is the joke\n✗ not this")
    commands.file(
        "voice-gateway.toml", f'[brain]\nprovider = "ollama"\n[ollama]\nbase_url = "{ollama.url}"\n'
    )
    async with Terminal.opened(commands, "ask", "tell me a joke") as terminal:
        assert await terminal.ends() in (0, 1)
        shown = await terminal.until("\n")

    assert ollama.chats
    assert not set(shown) & set("✓✔✗")
