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
