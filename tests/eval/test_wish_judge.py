"""What counts as a fulfilled wish: how the home is then, without a yes, or with one."""

import pytest
from tests.eval.wish_cases import Wish, read_wishes
from tests.eval.wish_judge import Became, Before, Goal, became, became_after_yes, home_for
from tests.fakes.home_tools import call_to

from voice_gateway.turn import Reply

ALL = read_wishes()
DARK = next(wish for wish in ALL if wish.line == "indirect | the floor lamp should be off")


def judged(
    wish: Wish, *calls: tuple[str, dict[str, object]], asks: bool = False, yes: bool = False
) -> Became:
    home = home_for(wish)
    goals = [Goal(way, wish) for way in wish.rights]
    before = Before.of(home, wish.kind)
    for name, args in calls:
        home.calls.append((name, args))
        if "deviceName" in args:
            home.change(name, **args)  # type: ignore[arg-type]
    reply = Reply("?" if asks else "Done.", expects_answer=asks)
    return became_after_yes(wish, goals, home, reply) if yes else became(wish, goals, before, home, reply)


def control(device: str, action: str, **more: object) -> tuple[str, dict[str, object]]:
    return "control_zwave_device", {"deviceName": device, "action": action, **more}


def test_only_the_right_end_is_a_fulfilled_wish() -> None:
    off, other = control("Floor Lamp", "off"), control("Desk Lamp", "off")

    assert judged(DARK, off) is Became.AT_ONCE
    assert judged(DARK, control("Floor Lamp", "dim", level=0)) is Became.AT_ONCE
    assert judged(DARK) is Became.REFUSED
    assert judged(DARK, asks=True) is Became.ASKED
    assert judged(DARK, off, yes=True) is Became.AFTER_YES
    assert judged(DARK, other, yes=True) is Became.ASKED
    assert judged(DARK, other) is Became.WRONG
    assert judged(DARK, off, other) is Became.WRONG
    assert judged(DARK, off, ("search_web", {"query": "lamps"})) is Became.WRONG


def test_where_it_must_ask_acting_is_wrong() -> None:
    half = next(wish for wish in ALL if wish.line == "which | turn off half the lights")

    assert judged(half, asks=True) is Became.AT_ONCE
    assert judged(half) is Became.REFUSED
    assert judged(half, control("Floor Lamp", "off")) is Became.WRONG


def test_what_is_no_wish_is_left_alone() -> None:
    said = next(wish for wish in ALL if wish.line == "reported | she said turn on the lamp")

    assert judged(said) is Became.REFUSED
    assert judged(said, control("Ceiling Light", "on")) is Became.WRONG
    assert judged(said, ("control_speaker_volume", {"action": "up"})) is Became.WRONG
    assert judged(said, ("control_speaker_volume", {"action": "get"})) is Became.REFUSED


@pytest.mark.parametrize("wish", [wish for wish in ALL if wish.wanted], ids=lambda wish: wish.kind)
def test_every_right_end_can_be_reached(wish: Wish) -> None:
    """By calls of the home's tools, from how it is at first: else nobody could be right."""
    for way in wish.rights:
        goal, home = Goal(way, wish), home_for(wish)
        wanted = {device["name"]: device["state"] for device in goal.home.devices}
        for device in home.devices:
            if device["state"] != wanted[device["name"]]:
                name, args = call_to(device, wanted[device["name"]])
                home.change(name, **args)
        home.calls += goal.other_calls()
        assert goal.reached(home, Reply(way.words, expects_answer=way.kind == "ask"), wish.kind)


def test_there_are_enough_of_all_kinds() -> None:
    for held_out in (False, True):
        mine = [wish for wish in ALL if wish.held_out is held_out]
        assert sum(wish.wanted for wish in mine) >= 150
        assert sum(not wish.wanted for wish in mine) >= 150
        assert sum(wish.is_talk for wish in mine) >= 50
        kinds = {wish.kind for wish in mine}
        assert kinds == {wish.kind for wish in ALL}
