"""Keeping house in a simulated home: what is read, what is changed, and what is never sent."""

from typing import Any

import pytest
from tests.unit.zwave_mcp.maintenance.conftest import House

from zwave_mcp.devices import devices_of
from zwave_mcp.home import Node, Snapshot, Value, ValueId
from zwave_mcp.maintenance.network import CannotDo, Door
from zwave_mcp.maintenance.schemas import HOUSE_TOOLS


async def test_a_scene_is_told_with_its_devices(house: House) -> None:
    outcome, sentence, facts = await house("list_zwave_scenes", sceneName="the movie night scene")

    assert (outcome, sentence) == (
        "confirmed",
        "The scene Movie Night: Desk Lamp off and Front Door locked.",
    )
    (scene,) = facts["scenes"]
    assert [one["nodeId"] for one in scene["members"]] == [2, 5]
    assert (await house("list_zwave_scenes"))[1] == "There is one scene: Movie Night."


async def test_an_unknown_scene_is_told_with_those_there_are(house: House) -> None:
    outcome, sentence, _ = await house("list_zwave_scenes", sceneName="party")
    assert (outcome, sentence) == ("not_found", 'There is no scene called "party"; there is Movie Night.')


async def test_low_batteries_come_first(house: House) -> None:
    _, sentence, facts = await house("get_zwave_batteries")

    assert sentence.startswith("This battery is low: Back Door (9 percent);")
    assert [(one["device"], one["low"]) for one in facts["batteries"]] == [
        ("Back Door", True),
        ("Front Door", False),
    ]


def test_a_battery_that_says_itself_that_it_is_low_is_low() -> None:
    level, low = (Value(ValueId(3, 128, 0, prop), value) for prop, value in (("level", 40), ("isLow", True)))
    node = Node(3, "Sensor", values=(level, low))
    (device,) = devices_of(Snapshot((node,)))
    assert device.battery_low


async def test_users_of_a_lock_are_told_by_name_or_number(house: House) -> None:
    outcome, sentence, facts = await house("get_zwave_user_codes", deviceName="front door")

    assert outcome == "confirmed"
    assert sentence == "The Front Door has 3 codes in use, by Anna, user 2 and Ben; there is room for 5."
    assert facts["users"] == [
        {"id": 1, "name": "Anna", "active": True},
        {"id": 2, "name": None, "active": True},
        {"id": 3, "name": "Ben", "active": True},
    ]
    assert (await house("get_zwave_user_codes", deviceName="desk lamp"))[0] == "unsupported"


@pytest.mark.parametrize(
    ("value", "then"),
    [("3000", "3000 watts"), ("3000 watts", "3000 watts"), ("0", "0 watts"), ("3600 W", "3600 watts")],
)
async def test_a_parameter_is_changed_and_read_again(house: House, value: str, then: str) -> None:
    outcome, sentence, facts = await house(
        "set_zwave_parameter", deviceName="desk lamp", parameter="power limit", value=value
    )

    assert (outcome, sentence) == ("confirmed", f"Power Limit of the Desk Lamp is now {then}.")
    back = {"deviceName": "Desk Lamp", "parameter": "20", "value": "2500"}
    assert facts["before"] == [{"name": "set_zwave_parameter", "args": back}]
    assert then in (await house("get_zwave_parameters", deviceName="desk lamp", parameter="20"))[1]


async def test_a_choice_is_named_by_its_words(house: House) -> None:
    given = {"deviceName": "desk lamp", "parameter": "led indicator"}
    outcome, sentence, _ = await house("set_zwave_parameter", **given, value="always off")
    assert (outcome, sentence) == ("confirmed", "LED Indicator of the Desk Lamp is now Always off.")


@pytest.mark.parametrize(
    ("parameter", "value", "outcome", "words"),
    [
        (
            "power limit",
            "5000",
            "invalid",
            "5000 is out of range for Power Limit; it can be from 0 to 3600 watts.",
        ),
        ("power limit", "-1", "invalid", "out of range"),
        ("power limit", "5 minutes", "invalid", '"5 minutes" is no value of Power Limit'),
        ("power limit", "2.5", "invalid", "is no value"),
        ("power limit", "warm", "invalid", "is no value"),
        ("led indicator", "7", "invalid", "it can be On when off, On when on or Always off."),
        ("led indicator", "on", "invalid", "is no value"),
        ("power", "1", "ambiguous", "Which parameter do you mean"),
        ("99", "1", "not_found", 'has no parameter called "99"'),
        ("ramp rate", "1", "not_found", "there is LED Indicator, Power Limit and Power Report."),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_is_sent(
    house: House, monkeypatch: pytest.MonkeyPatch, parameter: str, value: str, outcome: str, words: str
) -> None:
    async def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was sent")

    monkeypatch.setattr(house.home, "write", never)
    found, sentence, _ = await house(
        "set_zwave_parameter", deviceName="desk lamp", parameter=parameter, value=value
    )
    assert found == outcome
    assert words in sentence


@pytest.mark.slow
async def test_a_device_that_does_not_take_it_is_not_said_to_have_it(tmp_path: Any) -> None:
    house = House(tmp_path, {"desk lamp": frozenset({"optimistic"})})
    outcome, sentence, _ = await house(
        "set_zwave_parameter", deviceName="desk lamp", parameter="power limit", value="3000"
    )
    assert outcome == "failed"
    assert sentence == "The Desk Lamp did not take it: Power Limit is still 2500 watts."


@pytest.mark.parametrize(
    ("parameter", "value", "outcome", "words"),
    [
        ("power limit", "3000", "confirmed", "Power Limit of the Desk Lamp can be 3000 watts."),
        ("power limit", "9999", "invalid", "9999 is out of range for Power Limit"),
        ("colour", "1", "not_found", 'The Desk Lamp has no parameter called "colour"'),
        ("power", "1", "ambiguous", "Which parameter do you mean"),
    ],
)
async def test_whether_a_value_could_be_set_is_told_without_setting_it(
    house: House, parameter: str, value: str, outcome: str, words: str
) -> None:
    told = await house("get_zwave_parameters", deviceName="desk lamp", parameter=parameter, value=value)
    assert told[0] == outcome
    assert told[1].startswith(words)
    (_, sentence, _) = await house("get_zwave_parameters", deviceName="desk lamp", parameter="20")
    assert "Power Limit is 2500 watts" in sentence


async def test_a_group_is_told_as_one_where_only_a_device_will_do(house: House) -> None:
    group = {"deviceName": "Office Things"}
    outcome, sentence, _ = await house("rename_zwave_device", **group, newName="Work")
    assert (outcome, sentence) == (
        "unsupported",
        "The Office Things is a group, which gets its name in Z-Wave JS UI.",
    )
    for tool, more in (("ping_zwave_device", {}), ("repair_zwave_device", {"action": "interview"})):
        outcome, sentence, _ = await house(tool, **group, **more)
        assert outcome == "unsupported"
        members = "this can only be done with its members: Desk Lamp and Coffee Maker."
        assert sentence == f"The Office Things is a group; {members}"


async def test_a_sleeping_device_gets_it_when_it_wakes_up(house: House) -> None:
    given = {"deviceName": "back door", "parameter": "wake up", "value": "120"}
    assert (await house("set_zwave_parameter", **given))[0] == "queued"


async def test_a_new_name_works_at_once_and_is_kept(house: House, tmp_path: Any) -> None:
    given = {"deviceName": "desk lamp", "newName": "Reading Lamp", "room": "Library"}
    outcome, sentence, facts = await house("rename_zwave_device", **given)

    assert (outcome, sentence) == (
        "confirmed",
        "Desk Lamp is now called Reading Lamp, in the Library.",
    )
    back = {"deviceName": "node 2", "newName": "Desk Lamp", "room": "Office"}
    assert facts["before"] == [{"name": "rename_zwave_device", "args": back}]
    assert (await house("get_zwave_device", deviceName="reading lamp"))[0] == "confirmed"
    assert (await house("control_zwave_device", deviceName="desk lamp", action="on"))[0] == "not_found"
    again = House(tmp_path)
    assert (await again("get_zwave_device", deviceName="library reading lamp"))[0] == "confirmed"
    await again("rename_zwave_device", **back)
    assert (await again("get_zwave_device", deviceName="desk lamp"))[0] == "confirmed"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Say a new name, a room, or both."),
        ({"newName": "Dryer", "room": "laundry"}, "There is already something called Dryer"),
        ({"newName": "Node 3"}, "called by its number"),
        ({"newName": "node-3"}, "called by its number"),
        ({"newName": "a/b"}, "may have no slash"),
        ({"newName": "!!"}, "needs a letter"),
        ({"newName": "two\nlines"}, "no line end"),
        ({"newName": "x" * 80}, "may have 60 characters"),
    ],
)
async def test_a_name_that_nobody_can_use_is_refused(house: House, given: dict[str, str], words: str) -> None:
    outcome, sentence, _ = await house("rename_zwave_device", deviceName="desk lamp", **given)
    assert outcome == "invalid"
    assert words in sentence


async def test_what_answers_and_what_does_not(house: House) -> None:
    assert (await house("ping_zwave_device", deviceName="desk lamp"))[0] == "confirmed"
    assert (await house("ping_zwave_device", deviceName="space heater"))[0] == "unreachable"
    assert (await house("ping_zwave_device", deviceName="back door"))[0] == "queued"


async def test_interviews_and_routes_are_told_as_far_as_they_are(house: House) -> None:
    async def repaired(action: str, name: str) -> str:
        return (await house("repair_zwave_device", action=action, deviceName=name))[0]

    assert await repaired("interview", "desk lamp") == "working"
    assert await repaired("interview", "back door") == "queued"
    assert await repaired("interview", "space heater") == "unreachable"
    assert await repaired("routes", "desk lamp") == "confirmed"
    assert (await house("repair_zwave_device", action="routes"))[0] == "working"
    assert (await house("repair_zwave_device", action="interview"))[0] == "invalid"


@pytest.mark.parametrize(
    ("tool", "given", "method"),
    [
        ("rename_zwave_device", {"deviceName": "desk lamp", "newName": "x"}, "rename"),
        ("repair_zwave_device", {"deviceName": "desk lamp", "action": "interview"}, "interview"),
        ("repair_zwave_device", {"action": "routes"}, "rebuild_routes"),
        ("change_zwave_network", {"action": "add"}, "open"),
    ],
)
async def test_a_gateway_without_such_a_call_is_told_apart(
    house: House, monkeypatch: pytest.MonkeyPatch, tool: str, given: dict[str, str], method: str
) -> None:
    async def unknown(*_: Any) -> None:
        raise CannotDo("This version of Z-Wave JS UI cannot do that, so nothing was done.")

    monkeypatch.setattr(house.home.network, method, unknown)
    outcome, sentence, _ = await house(tool, **given)
    assert (outcome, sentence) == (
        "unsupported",
        "This version of Z-Wave JS UI cannot do that, so nothing was done.",
    )


async def test_the_network_is_open_for_a_while_and_who_joined_is_told(house: House) -> None:
    assert (await house("change_zwave_network", action="status"))[1].startswith("The network is closed")
    outcome, sentence, _ = await house("change_zwave_network", action="add")
    assert outcome == "working"
    assert "press its button" in sentence
    assert (await house("change_zwave_network", action="remove"))[0] == "failed"
    house.now += 10
    await house.watched()
    _, sentence, facts = await house("change_zwave_network", action="status")
    assert sentence.startswith("Node 8, Simulated has joined.")
    assert facts["nodes"] == [{"nodeId": 8, "name": "node 8, Simulated"}]
    assert await house.home.network.door() is Door.CLOSED
    assert (await house("rename_zwave_device", deviceName="node 8", newName="New One"))[0] == "confirmed"


async def test_nobody_came_and_it_is_closed_by_itself(house: House) -> None:
    await house("change_zwave_network", action="remove")
    house.now += 60  # the gateway's own limit
    await house.watched()
    assert (await house("change_zwave_network", action="status"))[1] == (
        "Nothing has left; the network is closed again."
    )


async def test_the_end_of_the_server_closes_what_it_has_opened(house: House) -> None:
    await house("change_zwave_network", action="add")
    await house.tools.house.aclose()
    assert await house.home.network.door() is Door.CLOSED


async def test_a_word_closes_it_at_once(house: House) -> None:
    await house("change_zwave_network", action="add")
    assert (await house("change_zwave_network", action="stop"))[:2] == ("confirmed", "The network is closed.")
    assert await house.home.network.door() is Door.CLOSED


def test_every_tool_has_words_that_call_for_it() -> None:
    assert all(spec.words and spec.summary for spec in HOUSE_TOOLS)
    changing = {spec.name for spec in HOUSE_TOOLS if not spec.read_only}
    assert changing == {
        "set_zwave_parameter", "rename_zwave_device", "repair_zwave_device", "change_zwave_network",
    }  # fmt: skip
