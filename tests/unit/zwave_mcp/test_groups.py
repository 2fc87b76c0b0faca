"""Groups of the gateway: each member gets the command, and says what it did."""

from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, bulb, parse_nodes, switch

from zwave_mcp.home import NoAnswer, Node, WriteResult
from zwave_mcp.tools import Tools

OFFICE = Node(4096, "Office Lights", members=(16, 17))


def a_home(*more: Node) -> ScriptedHome:
    home = ScriptedHome(switch(16, "Desk Lamp", "Office"), switch(17, "Wall Lamp", "Office"), OFFICE, *more)
    home.written, home.polled = WriteResult(254), [True]
    return home


async def control(home: ScriptedHome, name: str, action: str, **more: Any):
    return await Tools(home).call("control_zwave_device", {"deviceName": name, "action": action, **more})


async def test_a_group_is_done_when_each_member_says_so():
    home = a_home()
    reply = await control(home, "office lights", "on")
    assert sorted(home.sent) == [("16-37-0-targetValue", True), ("17-37-0-targetValue", True)]
    assert (reply.sentence, reply.structured["outcome"]) == ("The Office Lights are now on.", "confirmed")
    assert [call["args"] for call in reply.structured["before"]] == [
        {"deviceName": "Desk Lamp", "action": "off"},
        {"deviceName": "Wall Lamp", "action": "off"},
    ]


async def test_members_that_did_not_do_it_are_named():
    home = a_home()
    home.polled = [False]
    reply = await control(home, "office lights", "on")
    assert reply.sentence == (
        "The command was sent to the Office Lights, but this is not confirmed: Desk Lamp and Wall Lamp."
    )
    assert (reply.structured["outcome"], reply.is_error) == ("failed", True)


async def test_a_group_is_listed_with_what_it_can_do_and_what_its_members_do():
    home = ScriptedHome(switch(16, "Desk Lamp", "Office", on=True), switch(17, "Wall Lamp", "Office"), OFFICE)
    listed = await Tools(home).call("list_zwave_devices", {"filter": "office lights"})
    group = next(entry for entry in listed.structured["devices"] if entry["kind"] == "group")
    assert (group["name"], group["room"], group["state"]) == ("Office Lights", "Office", "partly on")
    assert group["abilities"] == ["on", "off"]


RGB = {2: 255, 3: 0, 4: 0}


async def test_a_colour_goes_to_one_light_and_a_group_names_its_members():
    home = ScriptedHome(bulb(16, "Desk Lamp", RGB, "Office"), bulb(17, "Wall Lamp", RGB, "Office"), OFFICE)
    reply = await Tools(home).call("set_zwave_color", {"deviceName": "office lights", "color": "blue"})
    assert (reply.structured["outcome"], home.sent) == ("unsupported", [])
    assert [item["name"] for item in reply.structured["candidates"]] == ["Desk Lamp", "Wall Lamp"]


def test_groups_are_read_as_the_gateway_lists_them():
    nodes = [
        {"id": 16, "name": "Desk Lamp"}, {"id": 17, "name": "Wall Lamp"},
        {"id": 255, "name": "Broadcast", "virtual": True}, {"id": 4096, "virtual": True, "kind": "multicast"},
    ]  # fmt: skip
    groups = [
        {"id": 4096, "name": "Office Lights", "nodeIds": [16, 17]},
        {"id": 4097, "name": "Ghosts", "nodeIds": [16, 99]},
        {"id": "x"}, None, {"id": 4098, "name": "", "nodeIds": [16]},
    ]  # fmt: skip
    assert [(node.id, node.members) for node in parse_nodes(nodes, groups)] == [
        (16, ()), (17, ()), (4096, (16, 17)),
    ]  # fmt: skip
    assert [node.id for node in parse_nodes(nodes, {"not": "a list"})] == [16, 17]


@pytest.mark.parametrize(
    ("second", "status", "expected"),
    [
        (False, "Alive", ("confirmed", "partly on", [])),  # remembered: both are off
        (NoAnswer("silence"), "Alive", ("unconfirmed", "unknown", ["Wall Lamp"])),
        (False, "Dead", ("unreachable", "unknown", ["Desk Lamp", "Wall Lamp"])),
    ],
)
async def test_how_a_group_is_its_members_say_and_not_the_driver(second, status, expected):
    lamps = (switch(node, name, status=status) for node, name in ((16, "Desk Lamp"), (17, "Wall Lamp")))
    home = ScriptedHome(*lamps, OFFICE)
    home.told = {"16-37-0-currentValue": True, "17-37-0-currentValue": second}
    facts = (await Tools(home).call("get_zwave_device", {"deviceName": "office lights"})).structured
    assert (facts["outcome"], facts["state"], facts["notConfirmed"]) == expected
