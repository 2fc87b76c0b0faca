"""A clock that jumps under a running gateway: no remaining time is wrong, and nothing is done early."""

import asyncio
import sys

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask
from tests.fakes.waiting import until
from tests.soak.house import FAKETIME, jumping

pytestmark = [
    pytest.mark.attack,
    pytest.mark.skipif(not FAKETIME.exists(), reason="libfaketime is not installed"),
]


@pytest.mark.parametrize("jump", ["+3600", "-3600", "+90000"])
async def test_a_jump_changes_no_remaining_time(commands, jump):
    clock = commands.file("jump", "+0")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice_gateway", "run"),
        env=commands.env | jumping(clock) | {"VOICE_GATEWAY_WEB_ENABLED": "false"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    gateway = Running(process)

    async def jumped() -> bool:
        return (await ask(commands, "what time is it"))["text"] != before

    try:
        await gateway.says("ready")
        before = (await ask(commands, "what time is it"))["text"]
        assert (await ask(commands, "set a tea timer for 10 minutes"))["ok"]
        assert (await ask(commands, "turn on the desk lamp for 10 minutes"))["ok"]
        clock.write_text(jump)
        await until(jumped)
        reply = await ask(commands, "how long is left on the tea timer")
        assert 540 < reply["outcomes"][0]["structured"]["timers"][0]["remaining_seconds"] <= 600
        lamp = await ask(commands, "is the desk lamp on")
        assert "on" in lamp["text"].lower().split()[-1], (
            "its end is ten minutes away, whatever the clock says"
        )
    finally:
        await gateway.stop()
