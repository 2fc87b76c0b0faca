"""Numbers in an answer, and behind a temperature what it is for."""

import pytest
from tests.fakes.home_talk import HomeTalk

from zwave_mcp.devices import devices_of
from zwave_mcp.states import state_text

NOT_UNIT = "a simulated home at its own pace"

SWITCH = '[[device]]\nname = "{}"\nroom = "Office"\nkind = "switch"\nnode = {}\n'
WARM = '[[device]]\nname = "Thermostat"\nroom = "Office"\nkind = "thermostat"\nnode = 9\n'
HOME = "[home]\nradio_seconds = 0\n" + WARM


async def states(talk: HomeTalk) -> dict[int, str]:
    return {one.node_id: state_text(one) for one in devices_of(await talk.home.snapshot(0))}


@pytest.mark.parametrize("said", ["number 2", "2", "two", "outlet 2", "the power strip 2", "the second one"])
async def test_a_number_is_the_one_behind_a_name_that_was_offered(said: str) -> None:
    talk = HomeTalk(HOME + "".join(SWITCH.format(f"Power Strip {at}", at + 10) for at in (1, 2, 3)))
    assert (await talk.hears("turn on the power strip")).expects_answer
    await talk.hears(said)
    now = await states(talk)
    assert [now[node] for node in (11, 12, 13)] == ["off", "on", "off"]


@pytest.mark.parametrize(("said", "node"), [("node 2", 2), ("3", 3), ("number 3", 3)])
async def test_a_number_is_a_node_where_names_have_none(said: str, node: int) -> None:
    talk = HomeTalk(HOME + SWITCH.format("Lamp", 2) + SWITCH.format("Lamp", 3))
    await talk.hears("turn on the lamp")
    await talk.hears(said)
    now = await states(talk)
    assert [at for at in (2, 3) if now[at] == "on"] == [node]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("set the heating to 24 for cooling", "24 °C for cooling"),
        ("set the thermostat to 19 degrees for heating", "19 °C for heating"),
        ("set the office thermostat to 26 for cooling", "26 °C for cooling"),
    ],
)
async def test_what_a_temperature_is_for_may_be_said_behind_it(said: str, kept: str) -> None:
    talk = HomeTalk(HOME)
    await talk.hears("set the thermostat to auto")
    await talk.hears(said)
    assert kept in " ".join((await states(talk)).values())
