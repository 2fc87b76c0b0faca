"""What happens in a simulated home, in a real gateway: told, kept through a kill, quiet once it was heard."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS, Commands, Running
from tests.fakes.running_gateway import ask, state_of
from tests.fakes.waiting import until

HOME = Path(__file__).parents[1] / "fakes" / "events_home.toml"


class House:
    def __init__(self, commands: Commands) -> None:
        self.commands = commands
        self._simulated = [
            "-m",
            "zwave_mcp",
            "--simulate",
            str(HOME),
            "--state-file",
            str(commands.folder / "s.json"),
        ]
        command, arguments = json.dumps(sys.executable), json.dumps(self._simulated)
        server = f"[mcpServers.zwave]\ncommand = {command}\nargs = {arguments}\n"
        commands.file("voice-gateway.toml", f"{server}[tools]\nsearch = false\n")

    async def fire(self, what: str) -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, *self._simulated, "--fire", what)
        assert await process.wait() == 0


@pytest.fixture
def house(commands: Commands) -> House:
    return House(commands)


async def shows(gateway: Running, words: str) -> None:
    """Sooner or later, as a line."""
    async with asyncio.timeout(LIMIT_SECONDS):
        assert gateway.process.stdout is not None
        while (await gateway.process.stdout.readline()).decode().strip() != words:
            pass


async def ready(house: House) -> None:
    """It knows the home, and follows it."""

    async def is_linked() -> bool:
        return await state_of(house.commands, "server zwave") == "ok"

    await until(is_linked, LIMIT_SECONDS)
    assert (await ask(house.commands, "is the ceiling light on"))["ok"]


@pytest.mark.slow
async def test_an_alarm_outlives_the_gateway_until_it_was_heard(house: House) -> None:
    async with Running.opened(house.commands) as first:
        await ready(house)
        await house.fire("Doorbell=1 pressed")
        await shows(first, "The Doorbell in the Entrance rang: somebody is at the door.")
        await house.fire("Smoke Alarm=smoke")
        await shows(first, "Alarm! Smoke is detected in the Kitchen.")
        first.process.kill()
        await first.process.wait()

    async with Running.opened(house.commands) as second:
        await shows(second, "Alarm! Smoke is detected in the Kitchen.")
        heard = await ask(house.commands, "okay, I heard it")
        assert heard["text"] == "Okay, I stop. Smoke is still detected in the Kitchen."

    async with Running.opened(house.commands) as third:
        await ready(house)
        await house.fire("Smoke Alarm=smoke off")
        await house.fire("Leak Sensor=water")
        assert third.process.stdout is not None
        async with asyncio.timeout(LIMIT_SECONDS):
            line = (await third.process.stdout.readline()).decode().strip()
        assert line == "Alarm! Water is detected in the Bathroom."  # and no smoke any more
