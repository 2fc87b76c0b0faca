"""A PIN cannot be guessed: wrong ones are counted for the whole gateway, through every restart."""

import asyncio
import stat

import pytest
from tests.fakes.locked_house import UNLOCK, House

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.pin_lock import PinLock, PinVerdict
from voice_gateway.conversation.store import SqliteStore
from voice_gateway.events import EventBus, State
from voice_gateway.languages import say

SETTINGS = PermissionSettings(pin="2468", sensitive_channels=("cli", "voice"))


class Clock:
    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def a_house(file=None, **options) -> House:
    return House(*[[UNLOCK]] * 80, permission=SETTINGS, pin_file=file, **options)


async def answered(house: House, answer: str, **place) -> str:
    asked = await house.hears("unlock the front door", **place)
    return (await house.hears(answer, **place)).text if asked.expects_answer else asked.text


async def test_after_five_wrong_pins_the_right_one_does_not_unlock():
    house = a_house()
    for _ in range(4):
        assert "take none" not in await answered(house, "yes 1111")

    assert await answered(house, "yes 1111") == (
        "That's not the right PIN. There were too many wrong ones, so please wait 1 minute."
    )
    house.now += 20
    assert await answered(house, "yes 2468") == (
        "There were too many wrong PINs, so I haven't done anything. Please wait 40 seconds."
    )
    assert house.lock.actions == []

    house.now += 41
    await answered(house, "yes 2468")
    assert house.lock.actions == ["unlock"]


async def test_while_no_pin_counts_none_is_asked_for():
    house = a_house()
    await house.hears("unlock the front door", conversation_id="early")
    for _ in range(5):
        await answered(house, "yes 1111")

    told = await house.hears("unlock the front door")
    assert (told.ok, told.expects_answer, told.outcomes) == (False, False, ())
    assert told.text == "There were too many wrong PINs, so I haven't done anything. Please wait 1 minute."

    early = await house.hears("yes 2468", conversation_id="early")
    assert early.text == told.text, "who was asked before is told so as well"
    assert house.lock.actions == []


async def test_wrong_pins_count_through_a_restart(tmp_path):
    file = tmp_path / "data" / "wrong-pins.sqlite"
    for _ in range(5):
        await answered(a_house(file), "yes 1111")

    again = a_house(file)
    assert "too many wrong PINs" in await answered(again, "yes 2468")
    assert again.lock.actions == []
    assert {stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_many_guesses_at_once_are_no_more_than_five():
    house = a_house()
    places = [{"conversation_id": str(number)} for number in range(20)]
    for place in places:
        await house.hears("unlock the front door", **place)

    replies = await asyncio.gather(
        *(house.hears(f"yes {2449 + number}", **place) for number, place in enumerate(places))
    )

    assert house.lock.actions == []  # the right one was the last of them
    assert sum("not the right PIN" in reply.text for reply in replies) == 5


async def test_an_answer_without_a_pin_is_not_counted():
    """A yes without a number, a no, a question that is void, and a door that may not ask at all."""
    house = a_house()
    for _ in range(8):
        await answered(house, "yes")
        await answered(house, "no, 1111")
        await house.hears("yes 1111")
        await house.hears("yes 1111", channel="mqtt")
        await house.hears("unlock the front door")
        house.now += 31
        assert "too long ago" in (await house.hears("yes 1111")).text

    await answered(house, "yes 2468")
    assert house.lock.actions == ["unlock"]


@pytest.mark.parametrize(
    "answer", ["yes", "yes please", "yes, that one", "okay go for it", "yes twenty-four"]
)
async def test_a_yes_without_a_whole_pin_asks_for_the_pin_again_and_does_not_count(answer):
    house = a_house()
    for _ in range(6):
        await house.hears("unlock the front door")
        asked = await house.hears(answer)
        assert (asked.text, asked.expects_answer) == (say("confirm.pin_wanted"), True)
        await house.hears("no")

    await answered(house, "yes 2468")
    assert house.lock.actions == ["unlock"]


async def test_each_further_wrong_pin_doubles_the_time_up_to_an_hour():
    clock = Clock()
    lock = PinLock(None, EventBus(), clock)
    for _ in range(4):
        await lock.judge(right=False)
    locked = []
    for _ in range(8):
        _, attempts = await lock.judge(right=False)
        locked.append(attempts.seconds_left(clock()))
        clock.time += locked[-1]

    assert locked == [60, 120, 240, 480, 960, 1920, 3600, 3600]


async def test_a_clock_that_is_set_back_makes_no_lock_longer():
    clock = Clock()
    lock = PinLock(None, EventBus(), clock)
    for _ in range(5):
        await lock.judge(right=False)
    clock.time -= 86_400

    assert (await lock.judge(right=True))[0] is PinVerdict.LOCKED
    clock.time += 60
    assert (await lock.judge(right=True))[0] is PinVerdict.RIGHT


@pytest.mark.parametrize("damage", [None, "", "[]", '{"wrong": 1', '{"wrong": 0, "more": 1}'])
async def test_a_count_that_was_lost_locks_at_the_next_wrong_pin(tmp_path, damage):
    file = tmp_path / "wrong-pins.sqlite"
    if damage is None:
        file.write_bytes(b"no database " * 500)
    else:
        await SqliteStore(file, Clock()).put("wrong PINs", damage, expiry_seconds=60.0)

    _, attempts = await PinLock(file, EventBus(), Clock()).judge(right=False)

    assert attempts.is_locked


async def test_a_count_that_cannot_be_written_is_kept_in_memory(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    lock = PinLock(tmp_path / "file" / "wrong-pins.sqlite", EventBus(), Clock())
    for _ in range(5):
        await lock.judge(right=False)

    assert (await lock.judge(right=True))[0] is PinVerdict.LOCKED
    assert "cannot be kept" in caplog.text


async def test_a_lock_is_told_in_the_status_until_it_is_over(tmp_path):
    clock, told = Clock(), asyncio.Event()
    file = tmp_path / "wrong-pins.sqlite"
    before = PinLock(file, EventBus(), clock)
    for _ in range(5):
        await before.judge(right=False)
    watch = EventBus(clock)
    watch.subscribe(lambda _event: told.set())
    lock = PinLock(file, watch, clock)  # the gateway has been started again

    running = asyncio.ensure_future(lock.run())
    try:
        async with asyncio.timeout(30):
            await told.wait()
        assert watch.part("pin").sentence == "The PIN is locked for 1 minute after 5 wrong ones."
        assert watch.state("pin") is State.DEGRADED
        clock.time += 60
        told.clear()
        await lock.judge(right=True)
        assert watch.state("pin") is State.OK
    finally:
        running.cancel()
