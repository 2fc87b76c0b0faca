"""The real Ollama of these tests: set up once, started on a free loopback port, gone afterwards."""

import logging
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.counterparts import missing
from tests.live.asking import NOON, Counts, MakeClient
from tests.live.house import House
from tests.live.ollama_server import OllamaServer

from voice_gateway.config import BrainSettings, OllamaSettings
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.prompt import Devices
from voice_gateway.tools.executor import ToolExecutor

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "ollama"
SETUP_SECONDS = 3600  # the first time: a build and 1.2 GB of download


@dataclass(frozen=True)
class Ollama:
    """Where the tests find a server, and its models. An empty name: this machine could not get that one."""

    base_url: str
    tool_model: str
    small_model: str
    server: OllamaServer | None  # None: the user's own, which is not ours to kill


def _installed() -> dict[str, str]:
    done = subprocess.run([SCRIPT, "setup"], timeout=SETUP_SECONDS, check=False)
    if done.returncode:
        missing("no real Ollama: scripts/ollama setup failed and says why")
    lines = subprocess.run([SCRIPT, "env"], capture_output=True, text=True, timeout=60, check=True).stdout
    return dict(line.split("=", 1) for line in lines.splitlines())


@pytest.fixture(scope="session")
def ollama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ollama]:
    base_url, model = os.environ.get("OLLAMA_BASE_URL"), os.environ.get("OLLAMA_MODEL")
    if base_url and model:
        yield Ollama(base_url, model, model, None)
        return
    installed = _installed()
    with OllamaServer(SCRIPT, tmp_path_factory.mktemp("ollama") / "server.log") as server:
        yield Ollama(server.base_url, installed["TOOL_MODEL"], installed["SMALL_MODEL"], server)


@pytest.fixture
def tool_model(ollama: Ollama) -> str:
    if not ollama.tool_model:
        missing("the model that calls tools could not be had; scripts/ollama setup says why")
    return ollama.tool_model


@pytest.fixture
def small_model(ollama: Ollama) -> str:
    if not ollama.small_model:
        missing("the small model could not be had; scripts/ollama setup says why")
    return ollama.small_model


@pytest.fixture
def server(ollama: Ollama) -> Iterator[OllamaServer]:
    """The server as something to kill; whatever the test did to it, the next one finds it running."""
    if ollama.server is None:
        pytest.skip("OLLAMA_BASE_URL names a server of yours: this test needs one that it may kill")
    yield ollama.server
    ollama.server.start()


@pytest.fixture
def base_url(ollama: Ollama) -> str:
    return ollama.base_url


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
async def make_client(ollama: Ollama) -> AsyncIterator[MakeClient]:
    """Builds clients of the gateway, and closes them."""
    async with AsyncExitStack() as closing:

        def make(
            model: str, executor: ToolExecutor, *, devices: Devices = tuple, **settings: Any
        ) -> OllamaClient:
            chosen = {
                "base_url": ollama.base_url,
                "model": model,
                "num_ctx": 2048,
                "num_predict": 160,
                "timeout_seconds": 240,  # a machine with other work to do reads slowly, and is not silent
                **settings,
            }
            client = OllamaClient(
                OllamaSettings(**chosen), BrainSettings(), executor, clock=lambda: NOON, devices=devices
            )
            closing.push_async_callback(client.aclose)
            return client

        yield make


@pytest.fixture
def counts() -> Iterator[Counts]:
    logger = logging.getLogger("voice_gateway.llm.ollama.chat")
    handler, level = Counts(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.setLevel(level)
    logger.removeHandler(handler)


@pytest.fixture
def reading(ollama: Ollama, counts: Counts) -> Callable[[], list[float]]:
    """What was read of each prompt since the test began: tokens, or seconds where the server is not ours."""
    if ollama.server is None:
        return counts.prefill_seconds
    server, before = ollama.server, len(ollama.server.tokens_read())
    return lambda: [float(tokens) for tokens in server.tokens_read()[before:]]
