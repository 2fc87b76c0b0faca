"""Every kind of device, by words: what was asked for happens, is said to have happened, and nothing else."""

from pathlib import Path

import pytest
import yaml
from tests.home_assistant.conftest import House, outcomes
from tests.home_assistant.real import States

pytestmark = pytest.mark.asyncio(loop_scope="package")

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
WISHES: dict[str, States] = CASES["wishes"]


@pytest.mark.parametrize("words", WISHES)
async def test_what_was_asked_for_happens_and_nothing_else(house: House, words: str):
    reply = await house.becomes(words, WISHES[words])

    assert reply["ok"], reply
    assert reply["stage"] == "local", reply
    assert outcomes(reply), reply
    assert set(outcomes(reply)) <= {"confirmed", "working"}, reply


async def test_colour_and_warmth(house: House):
    await house.hears("make the ceiling light red")
    red = (await house.ha.states())["light.ceiling_light"]
    assert (red["state"], red["hs_color"][0], red["hs_color"][1]) == ("on", 0.0, 100.0)

    await house.hears("set the ceiling light to 2700 kelvin")
    warm = (await house.ha.states())["light.ceiling_light"]
    assert abs(warm["color_temp_kelvin"] - 2700) < 20


async def test_a_cover_is_stopped_on_its_way(house: House):
    await house.hears("close the blind")
    reply = await house.hears("stop the blind")

    assert reply["ok"], reply
    now = (await house.ha.states())["cover.blind"]
    assert now["state"] == "open"
    assert 0 < now["current_position"] <= 70


async def test_the_next_song_and_on_again(house: House):
    reply = await house.hears("next song on the television")
    track = (await house.ha._get("/api/states/input_select.television_track"))["state"]
    assert track == "Second Song", reply
    await house.becomes("pause the television", {"media_player.television": {"state": "paused"}})
    await house.becomes("resume the television", {"media_player.television": {"state": "playing"}})


async def test_a_vacuum_goes_home(house: House):
    await house.becomes("start robby", {"vacuum.robby": {"state": "cleaning"}})
    await house.becomes("send robby home", {"vacuum.robby": {"state": "returning"}})


async def test_a_scene_is_asked_about_until_it_is_permitted(house: House):
    wanted: States = {
        "light.floor_lamp": {"brightness": 26},
        "light.kitchen_light": {"state": "off", "brightness": None},
    }
    asked = await house.becomes("activate movie night", {})
    assert asked["expects_answer"], asked
    offer = await house.becomes("yes", wanted)
    assert offer["expects_answer"], offer
    await house.becomes("yes", {})
    await house.ha.put_in_order()
    reply = await house.becomes("activate movie night", wanted)
    assert not reply["expects_answer"]


async def test_muting_happens_and_nobody_claims_to_have_seen_it(house: House):
    reply = await house.becomes("mute the television", {"media_player.television": {"is_volume_muted": True}})

    assert "confirmed" not in outcomes(reply), reply


async def test_a_list_by_its_tool(house: House):
    words = ("tools", "call", "HassListAddItem", "item=milk", "name=Shopping List")
    done = await house.commands.run(*words)

    assert done.code == 0, done.err
    assert [one["summary"] for one in await house.ha.items("todo.shopping_list")] == ["milk"]


@pytest.mark.parametrize(("words", "told"), CASES["questions"].items())
async def test_what_is_asked_is_looked_up_and_nothing_changes(house: House, words: str, told: str):
    reply = await house.becomes(words, {})

    assert told in reply["text"], reply
    assert reply["stage"] == "local"


async def test_undo_puts_it_back(house: House):
    await house.becomes("dim the floor lamp to 20 percent", {"light.floor_lamp": {"brightness": 51}})
    await house.becomes("undo", {"light.floor_lamp": {"brightness": 255}})


async def test_more_and_less_count_from_what_is(house: House):
    await house.becomes("dim the floor lamp to 40 percent", {"light.floor_lamp": {"brightness": 102}})
    reply = await house.hears("brighter")
    assert (await house.ha.states())["light.floor_lamp"]["brightness"] > 102, reply
