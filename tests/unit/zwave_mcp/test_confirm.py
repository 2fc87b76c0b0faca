"""A command is confirmed by its device alone: statuses, polls, ramps, motors, locks, thermostats, scenes."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.scripted_home import QUICK, ScriptedHome, dimmer, lock, sensor, switch

from zwave_mcp.home import (
    GatewayError,
    Health,
    HomeDown,
    Scene,
    SceneValue,
    ValueId,
    WriteResult,
)
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

NO_ACK = GatewayError("The node did not acknowledge the command (ZW0204)")
DOWN = HomeDown("The broker is away.")
LAMP, DIMMER = switch(2, "Desk Lamp"), dimmer(3, "Floor Lamp")
DEAD = replace(LAMP, status="Dead", available=False)


async def control(home: ScriptedHome, name: str, action: str, **more: Any) -> Result:
    return await Tools(home).call("control_zwave_device", {"deviceName": name, "action": action, **more})


async def test_a_dead_device_is_pinged_once() -> None:
    home = ScriptedHome(DEAD)
    await control(home, "desk lamp", "on")
    assert home.pings == 1


async def test_a_whole_command_has_a_limit() -> None:
    class Hanging(ScriptedHome):
        async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
            await asyncio.Event().wait()

    home = Hanging(LAMP)
    home.written, home.timing = WriteResult(254), replace(QUICK, tool_seconds=0.05)
    assert (await control(home, "desk lamp", "on")).structured["outcome"] == "unconfirmed"


# --- thermostats


# --- scenes and health


@pytest.mark.parametrize(
    ("value", "polled", "outcome", "behind"),
    [
        (True, [False, True], "confirmed", []),
        (True, [False], "unconfirmed", ["Desk Lamp"]),
        (True, [DOWN], "unconfirmed", ["Desk Lamp"]),
        (None, [None], "unconfirmed", ["Desk Lamp"]),
    ],
)
async def test_a_scene_is_on_when_its_devices_are(
    value: object, polled: list[Any], outcome: str, behind: list[str]
) -> None:
    home = ScriptedHome(LAMP, lock(6, "Front Door"))
    scene = Scene(4, "Movie Night", (SceneValue(ValueId(2, 37, 0, "targetValue"), value),))
    home.known_scenes, home.polled = (scene,), list(polled)
    facts = (await Tools(home).call("activate_zwave_scene", {"sceneName": "movie night"})).structured
    assert (facts["outcome"], facts["notConfirmed"], home.sent) == (outcome, behind, [("scene", 4)])


async def test_an_unknown_scene_is_answered_with_the_known_ones() -> None:
    home = ScriptedHome()
    home.known_scenes = (Scene(4, "Movie Night"),)
    answer = await Tools(home).call("activate_zwave_scene", {"sceneName": "party"})
    assert (answer.structured["outcome"], answer.structured["scenes"]) == ("not_found", ["Movie Night"])


async def test_health_says_what_is_wrong() -> None:
    home = ScriptedHome(DEAD, sensor(5, "Climate Sensor"))
    good = (await Tools(home).call("check_zwave_health", {})).structured
    assert (good["offline"], good["batteryLow"]) == (["Desk Lamp"], ["Climate Sensor"])
    home.state = Health(ok=False, problem="It is not connected.", broker=True)
    bad = await Tools(home).call("check_zwave_health", {})
    assert (bad.sentence, bad.is_error, bad.structured["broker"]) == ("It is not connected.", True, True)


async def test_a_lamp_that_is_ramping_is_told_with_its_target() -> None:
    home = ScriptedHome(dimmer(3, "Floor Lamp", level=8, ramp=(10, 0.5)))
    home.polled = [8]
    reported = await Tools(home).call("get_zwave_device", {"deviceName": "floor lamp"})
    listed = await Tools(home).call("list_zwave_devices", {})
    assert (reported.structured["state"], listed.structured["devices"][0]["state"]) == (
        "on, 10 %",
        "on, 10 %",
    )
