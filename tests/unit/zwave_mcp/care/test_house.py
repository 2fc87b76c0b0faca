"""Keeping house in a simulated home: what is read, what is changed, and what is never sent."""

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.zwave_events import Player
from tests.unit.zwave_mcp.care.conftest import House

from zwave_mcp.care import NoUserNames, UserNames
from zwave_mcp.home import CannotDo, LockUser
from zwave_mcp.tools import Tools


async def test_a_scene_is_told_with_its_devices(house: House) -> None:
    outcome, sentence, facts = await house("list_zwave_scenes", sceneName="the movie night scene")

    assert outcome == "confirmed"
    assert sentence == "The scene Movie Night: Desk Lamp off and Front Door locked."
    (scene,) = facts["scenes"]
    assert [item["nodeId"] for item in scene["members"]] == [2, 5]
    assert (await house("list_zwave_scenes"))[1] == "There is one scene: Movie Night."


async def test_low_batteries_come_first(house: House) -> None:
    _, sentence, facts = await house("get_zwave_batteries")

    assert sentence.startswith("Battery low: Back Door 9 percent;")
    low = [(entry["device"], entry["low"]) for entry in facts["batteries"]]
    assert low == [("Back Door", True), ("Front Door", False)]


async def test_users_of_a_lock_are_told_by_name_or_number(house: House) -> None:
    outcome, sentence, facts = await house("get_zwave_user_codes", deviceName="front door")

    assert outcome == "confirmed"
    assert sentence == "The Front Door: codes of Anna, user 2 and Ben."
    assert facts["users"] == [
        {"id": 1, "name": "Anna", "active": True},
        {"id": 2, "name": None, "active": True},
        {"id": 3, "name": "Ben", "active": True},
    ]
    assert (await house("get_zwave_user_codes", deviceName="desk lamp"))[0] == "unsupported"


async def test_a_group_is_told_as_one_where_only_a_device_will_do(house: House) -> None:
    group = {"deviceName": "Office Things"}
    outcome, _, _ = await house("rename_zwave_device", **group, newName="Work")
    assert outcome == "unsupported"
    outcome, sentence, _ = await house("ping_zwave_device", **group)
    assert outcome == "unsupported"
    members = "this can only be done with its members: Desk Lamp and Coffee Maker."
    assert sentence == f"The Office Things is a group; {members}"


async def test_a_new_name_works_at_once_and_is_kept(house: House, tmp_path: Any) -> None:
    given = {"deviceName": "desk lamp", "newName": "Reading Lamp", "room": "Library"}
    outcome, sentence, facts = await house("rename_zwave_device", **given)

    assert outcome == "confirmed"
    assert sentence == "Desk Lamp is now called Reading Lamp, in the Library."
    back = {"deviceName": "node 2", "newName": "Desk Lamp", "room": "Office"}
    assert facts["before"] == [{"name": "rename_zwave_device", "args": back}]
    assert (await house("get_zwave_device", deviceName="reading lamp"))[0] == "confirmed"
    assert (await house("control_zwave_device", deviceName="desk lamp", action="on"))[0] == "not_found"
    again = House(tmp_path)
    assert (await again("get_zwave_device", deviceName="library reading lamp"))[0] == "confirmed"
    await again("rename_zwave_device", **back)
    assert (await again("get_zwave_device", deviceName="desk lamp"))[0] == "confirmed"


async def test_what_answers_and_what_does_not(house: House) -> None:
    assert (await house("ping_zwave_device", deviceName="desk lamp"))[0] == "confirmed"
    assert (await house("ping_zwave_device", deviceName="space heater"))[0] == "unreachable"
    assert (await house("ping_zwave_device", deviceName="back door"))[0] == "queued"


async def test_a_gateway_without_such_a_call_is_told_apart(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unknown(*_: Any) -> None:
        raise CannotDo("It cannot do that, so nothing was done.")

    monkeypatch.setattr(house.home, "rename", unknown)
    outcome, sentence, _ = await house("rename_zwave_device", deviceName="desk lamp", newName="x")
    assert (outcome, sentence) == ("unsupported", "It cannot do that, so nothing was done.")


UNLOCKED = "The Front Door in the Entrance was unlocked at the keypad by"


@pytest.mark.parametrize(
    ("given", "user", "name"),
    [
        ("1=Anna, 2=Ben", 2, "Ben"),
        ("1=Anna", 2, ""),
        ("Haustür: 1=Anna; Keller: 1=Carl", 1, "Anna"),
        ("haustuer: 1 = Anna Maria ", 1, "Anna Maria"),
        ("1=Everybody; Haustür: 1=Anna", 1, "Anna"),
        ("Keller: 1=Carl", 1, ""),
        ("", 1, ""),
    ],
)
def test_the_setting_names_them(given: str, user: int, name: str) -> None:
    assert UserNames.read(given).of(14, "Haustür", user) == name


@pytest.mark.parametrize("given", ["Anna", "Front Door: Anna", "1=Anna=2", "1=", "=Anna", "1=Anna,"])
def test_what_cannot_be_read_is_refused(given: str) -> None:
    with pytest.raises(NoUserNames):
        UserNames.read(given)


def test_the_lock_itself_may_know_them() -> None:
    names = UserNames.read("1=Anna")
    names.learn(14, [LockUser(1, True, "Owner"), LockUser(2, True, "Ben"), LockUser(3, True)])
    assert [names.of(14, "Haustür", user) for user in (1, 2, 3)] == ["Anna", "Ben", ""]
    assert names.of(15, "Keller", 2) == ""


def test_who_unlocked_it_is_told_by_name() -> None:
    home = Player(names=UserNames.read("Front Door: 2=Ben"))
    home.look()
    home.play("named")
    [reported] = [item for item in home.told if item.text.startswith(UNLOCKED)]
    assert reported.text == f"{UNLOCKED} Ben."
    assert (reported.to_json()["user"], reported.to_json()["userName"]) == (2, "Ben")


async def test_whose_codes_there_are_is_told_by_name(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.tools = Tools(house.home, allow_unlock=True, names=UserNames.read("2=Carl"))
    _, sentence, facts = await house("get_zwave_user_codes", deviceName="front door")
    assert sentence == "The Front Door: codes of Anna, Carl and Ben."
    assert facts["users"][1] == {"id": 2, "name": "Carl", "active": True}
