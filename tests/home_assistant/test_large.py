"""Two hundred devices: the right one, at once."""

from time import perf_counter

import pytest
import pytest_asyncio
from tests.home_assistant.conftest import House, gateway_for, need_home_assistant
from tests.home_assistant.real import RealHomeAssistant

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest_asyncio.fixture(loop_scope="package")
async def large(tmp_path):
    need_home_assistant()
    ha = RealHomeAssistant(tmp_path / "home", "large")
    ha.launch()
    await ha.up()
    yield ha
    ha.kill()


async def test_in_a_large_home_the_right_one_is_found_and_a_room_is_a_room(
    large: RealHomeAssistant, tmp_path
):
    async with gateway_for(tmp_path / "gateway", large.settings()) as commands:
        house = House(large, commands)
        assert len(await large.states()) > 190
        await house.becomes("turn on light 17", {"light.light_17": {"state": "on"}})
        await house.becomes(
            "dim light 140 to 50 percent", {"light.light_140": {"state": "on", "brightness": 128}}
        )

        started = perf_counter()
        reply = await house.hears("is light 17 on")
        assert perf_counter() - started < 10
        assert "on" in reply["text"]

        wanted = {
            f"light.light_{n}": {"state": "on", **({"brightness": 255} if n % 2 == 0 else {})}
            for n in range(30, 40)
        }
        await house.becomes("turn on all the lights in room 3", wanted)
