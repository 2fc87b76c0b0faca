"""What is done for a while ends, however late a device is; without a place for the end nothing begins."""

import resource

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, server
from tests.fakes.waiting import until

pytestmark = pytest.mark.attack


@pytest.fixture
def lamps(commands):
    """Lamps that answer after the time limit of a call; what they did is in the file."""
    done = commands.folder / "switched"
    lamps = server("zwave", "counting_server.py", done, 1.5)
    commands.file("voice-gateway.toml", f"[tools]\ntimeout_seconds = 1.0\n{lamps}")
    return done


async def test_a_lamp_that_answers_late_is_switched_off_again(commands, lamps):
    async with Running.opened(commands):
        reply = await ask(commands, "turn on the red lamp for 3 seconds")
        assert not reply["ok"]
        await until(lambda: lamps.exists() and lamps.read_text().count("Red Lamp") == 2)


async def test_a_full_disk_refuses_what_it_cannot_end_or_keep(commands, lamps):
    async with Running.opened(commands) as gateway:
        await ask(commands, "turn on the blue lamp every day at 8")
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (0, 0))  # no file grows any more
        for text in (
            "turn on the red lamp for one minute",
            "turn on the red lamp until six",
            "set an alarm for 6:30",
            "wake me every day at 7",
            "turn on vacation mode",
        ):
            assert not (await ask(commands, text, text))["ok"], text
    assert not lamps.exists()
