"""The line that says "ready": whatever is there or missing, it is made of whole sentences."""

import asyncio

import pytest

from voice_gateway.app import opened
from voice_gateway.commands.ready import ready_line
from voice_gateway.config import McpSettings, ServerSettings, Settings
from voice_gateway.watch import State

BROKER = "The MQTT broker is not reachable; I keep trying."
MICROPHONE = "I cannot hear: plug one in, or start the sound server"  # as a library's own words end


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def settings(*servers: str) -> Settings:
    quick = McpSettings(attempts=1, base_delay_seconds=0.0, simulated_home=False)
    return Settings(
        mcp=quick, mcpServers={name: ServerSettings(command="no-such-program") for name in servers}
    )


async def line(servers: tuple[str, ...], broken: tuple[str, ...]) -> str:
    async with opened(settings(*servers)) as gateway:
        async with asyncio.timeout(10):
            await gateway.linked()
        for number, sentence in enumerate(broken):
            gateway.watch.report(f"part {number}", State.DEGRADED, sentence)
        return ready_line(gateway)


@pytest.mark.parametrize(
    ("servers", "broken", "behind"),
    [
        ((), (), ""),
        ((), (BROKER,), f" {BROKER}"),
        ((), (MICROPHONE, BROKER), f" {MICROPHONE}. {BROKER}"),
        ((), (BROKER, MICROPHONE), f" {BROKER} {MICROPHONE}."),
        (("one",), (), " The one server is not answering; {left}."),
        (
            ("one", "two"),
            (MICROPHONE,),
            f" The servers one and two are not answering; {{left}}. {MICROPHONE}.",
        ),
        (("one", "two", "three"), (), " The servers one, two and three are not answering; {left}."),
    ],
)
async def test_every_sentence_of_the_ready_line_is_whole(servers, broken, behind):
    left = "I have the clock, timers, search and volume"

    assert await line(servers, broken) == "ready: 6 tools, local brain." + behind.format(left=left)
