"""What Home Assistant calls done, and is not: nobody hears "done" of it, and no other device is touched."""

import re

import pytest
from tests.fakes.waiting import until
from tests.home_assistant.conftest import House, changed, outcomes

pytestmark = pytest.mark.asyncio(loop_scope="package")

# Words that claim a state of something.
CLAIM = re.compile(
    r"(?<!not )\b(?:is|are)(?: now)? (?:on|off|locked|unlocked|open|closed)\b|\bturned (?:on|off)\b",
    re.IGNORECASE,
)


def claims(reply: dict, name: str) -> bool:
    sentences = re.split(r"(?<=[.!?])\s", reply["text"])
    return any(name in one.casefold() and CLAIM.search(one) for one in sentences)


async def test_a_light_whose_command_fails(house: House):
    reply = await house.becomes("turn on the failing light", {})

    assert not claims(reply, "failing light"), reply
    assert outcomes(reply) in (["unconfirmed"], ["failed"]), reply


async def test_a_light_that_is_not_there_is_not_even_called(house: House):
    reply = await house.becomes("turn on the unplugged light", {})

    assert not claims(reply, "unplugged light"), reply
    assert not reply["ok"]
    assert set(outcomes(reply)) <= {"unreachable"}, reply


async def test_a_slow_light_is_said_to_be_under_way(house: House):
    before = await house.ha.states()
    reply = await house.hears("turn on the slow light")
    assert not claims(reply, "slow light"), reply
    assert outcomes(reply) in (["unconfirmed"], ["working"]), reply

    async def is_on() -> bool:
        return changed(before, await house.ha.states()) == {"light.slow_light": {"state": "on"}}

    await until(is_on, 30)


async def test_a_lock_that_jams(house: House):
    reply = await house.becomes("lock the shed door", {"lock.shed_door": {"state": "jammed"}})

    assert not claims(reply, "shed door"), reply
    assert outcomes(reply) == ["failed"], reply
    assert "jam" in reply["text"].lower()


async def test_a_lock_with_a_motor_is_waited_for(house: House):
    await house.ha.act("lock.unlock", "lock.back_door")

    async def is_unlocked() -> bool:
        return (await house.ha.states())["lock.back_door"]["state"] == "unlocked"

    await until(is_unlocked, 30)
    reply = await house.becomes("lock the back door", {"lock.back_door": {"state": "locked"}})

    assert outcomes(reply) == ["confirmed"], reply


async def test_a_lock_that_wants_a_code(house: House):
    asked = await house.becomes("unlock the cellar door", {})
    assert asked["expects_answer"], asked
    reply = await house.becomes("yes", {})

    assert not claims(reply, "cellar door"), reply
    assert outcomes(reply) in (["unconfirmed"], ["failed"]), reply


async def test_dimming_what_only_switches_is_told(house: House):
    reply = await house.becomes("dim the desk lamp to 30 percent", {})

    assert "can't" in reply["text"], reply
    assert not reply["outcomes"]


async def test_twins_are_asked_about_and_told_apart(house: House):
    asked = await house.becomes("turn on the lamp", {})
    assert asked["expects_answer"], asked
    await house.becomes("the one in the living room", {"light.lamp_living": {"state": "on"}})


async def test_in_a_group_each_is_told_by_what_was_seen_of_it(house: House):
    before = await house.ha.states()
    reply = await house.hears("turn on the lights in the hall")
    assert not claims(reply, "failing light"), reply
    assert not claims(reply, "unplugged light"), reply

    async def only_the_slow_one() -> bool:
        return changed(before, await house.ha.states()) == {"light.slow_light": {"state": "on"}}

    await until(only_the_slow_one, 30)


async def test_a_script_that_stops_with_an_error_is_not_called_done(house: House):
    reply = await house.becomes("run the broken script", {})
    if reply["expects_answer"]:
        reply = await house.becomes("yes", {})

    assert "confirmed" not in outcomes(reply), reply


async def test_a_room_that_is_switched_off_leaves_its_locks_alone(house: House):
    reply = await house.becomes("turn off everything in the kitchen", {
        "light.kitchen_light": {"state": "off", "brightness": None},
        "media_player.kitchen_radio": {"state": "off"},
    })  # fmt: skip

    assert reply["ok"] or reply["expects_answer"], reply
