"""Who the users of a lock are: as its owner says, as the lock tells, else by number."""

from pathlib import Path

import pytest
from tests.fakes.zwave_events import Player
from tests.unit.zwave_mcp.care.conftest import House

from zwave_mcp.care import NoUserNames, UserNames
from zwave_mcp.home import LockUser
from zwave_mcp.tools import Tools

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
