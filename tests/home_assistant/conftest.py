"""A real Home Assistant and a real gateway in front of it, started once; tests find them in order."""

import contextlib
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from tests.fakes.counterparts import missing
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.ollama_server import FakeOllama, Scripted
from tests.fakes.running_gateway import ask, parts
from tests.fakes.waiting import until
from tests.home_assistant.real import SCRIPT, RealHomeAssistant, States, changed

__all__ = ["House", "changed", "gateway_for", "need_home_assistant", "outcomes"]

NOT_UNIT = "a real Home Assistant"
SETUP_SECONDS = 1200  # the first time: 100 packages
TEST_SECONDS = 300  # the first of them waits until Home Assistant has started
SHOWN_SECONDS = 6.0  # for what is still moving
ALIVE = "[tools]\nsearch = false\n"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.home_assistant)
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


@cache
def need_home_assistant() -> None:
    done = subprocess.run(
        [SCRIPT, "setup"], capture_output=True, text=True, timeout=SETUP_SECONDS, check=False
    )
    if done.returncode:
        missing(f"no real Home Assistant: {done.stderr.strip().removeprefix('home-assistant: ')}")


@dataclass
class House:
    """What is said to the gateway, and what became of it in Home Assistant."""

    ha: RealHomeAssistant
    commands: Commands
    model: FakeOllama | None = None
    conversation: str = field(default_factory=lambda: uuid4().hex)

    async def hears(self, text: str) -> dict[str, Any]:
        return await ask(self.commands, text, self.conversation)

    async def becomes(self, text: str, wanted: States) -> dict[str, Any]:
        """What was wanted has changed, when all is still, and nothing else in the whole home."""
        before = await self.ha.states()
        reply = await self.hears(text)

        async def is_so() -> bool:
            return changed(before, await self.ha.states()) == wanted

        with contextlib.suppress(TimeoutError):
            await until(is_so, SHOWN_SECONDS)
        assert changed(before, await self.ha.states()) == wanted, reply
        return reply

    async def part(self, name: str = "server ha") -> dict[str, Any]:
        return (await parts(self.commands))[name]


def outcomes(reply: dict[str, Any]) -> list[str]:
    """How each act of a reply ended, by what was seen."""
    told = [one["structured"] for one in reply["outcomes"] if isinstance(one.get("structured"), dict)]
    return [one["outcome"] for one in told if "outcome" in one]


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def home_assistant(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealHomeAssistant]:
    need_home_assistant()
    ha = RealHomeAssistant(tmp_path_factory.mktemp("ha") / "home")
    ha.launch()
    try:
        await ha.up()
        yield ha
    finally:
        ha.kill()


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def gateway(
    home_assistant: RealHomeAssistant, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Commands, FakeOllama]]:
    """With a model that does what the test says."""
    commands = Commands(tmp_path_factory.mktemp("gateway"))
    async with FakeOllama() as model:
        model.parameter_size = "7.6B"
        brain = f'[brain]\nprovider = "ollama"\n[ollama]\nbase_url = "{model.url}"\nwarm_up = false\n'
        commands.file("voice-gateway.toml", f"{ALIVE}{brain}{home_assistant.settings()}").chmod(0o600)
        async with Running.opened(commands):
            yield commands, model
        await commands.end()


@pytest_asyncio.fixture(loop_scope="package")
async def house(
    home_assistant: RealHomeAssistant, gateway: tuple[Commands, FakeOllama]
) -> AsyncIterator[House]:
    await home_assistant.put_in_order()
    commands, model = gateway
    model.replies.clear()
    yield House(home_assistant, commands, model)
    model.replies.clear()


@pytest.fixture
def calling(house: House) -> Callable[..., None]:
    """Has the model make these calls with the next words that the rules leave to it."""

    def script(*calls: tuple[str, dict[str, Any]]) -> None:
        assert house.model is not None
        house.model.script(Scripted("", calls=list(calls)), "All right.")

    return script


@contextlib.asynccontextmanager
async def gateway_for(folder: Path, *settings: str) -> AsyncIterator[Commands]:
    """One of its own, for tests that break things."""
    folder.mkdir(exist_ok=True)
    commands = Commands(folder)
    commands.file("voice-gateway.toml", ALIVE + "".join(settings)).chmod(0o600)
    try:
        async with Running.opened(commands):
            yield commands
    finally:
        await commands.end()
