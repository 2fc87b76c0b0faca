"""Every turn is kept, without secrets, and no turn waits for it."""

import asyncio
import json
import sqlite3

import pytest
from tests.fakes.locked_house import UNLOCK, House
from tests.fakes.recording import recording
from tests.fakes.waiting import until
from tests.unit.recorder.test_store import kept

from voice_gateway.config import PermissionSettings
from voice_gateway.events import Answered, CallFinished, EventBus, Heard, Judged, State
from voice_gateway.recorder.recorder import MOST_HELD
from voice_gateway.recorder.store import TurnStore
from voice_gateway.turn import Decision, Reply, ToolCall, ToolOutcome, Utterance, Verdict


async def listed(recorder, **how):
    return await recorder.read(lambda store: store.turns(**how))


async def test_neither_a_pin_nor_a_code_reaches_the_disk(tmp_path):
    house = House([UNLOCK], permission=PermissionSettings(pin="24681357"))
    watch = house.conversation.events
    recorder = recording(tmp_path, watch)

    await house.hears("unlock the front door")
    await house.hears("yes, 24681357")
    said = Utterance("let anna in, that is 987654321")
    call = ToolCall("1", "set_user", {"userCode": "987654321", "name": "anna"})
    watch.publish(Heard(said))
    watch.publish(Judged(said, call, Verdict(Decision.ALLOWED)))
    outcome = ToolOutcome(
        "1", "set_user", "987654321 is anna", True, 0.1, call.args, None, {"list": ["987654321"]}
    )
    watch.publish(CallFinished(said, outcome))
    watch.publish(Answered(said, Reply("Anna has 987654321 now.", (outcome,))))
    turns = await listed(recorder)
    await recorder.close()

    assert house.lock.actions == ["unlock"]
    assert turns[0]["text"].endswith("that is ***")
    written = (tmp_path / "turns.sqlite").read_bytes()
    assert b"24681357" not in written
    assert b"987654321" not in written
    [found] = recorder.store.find(turns[0]["id"])
    assert "987654321" not in json.dumps(found)


async def test_switched_off_it_keeps_nothing(tmp_path):
    house = House("Hello.")
    recorder = recording(tmp_path, house.conversation.events, days=0)

    await house.hears("hello")
    await recorder.close()

    assert list(tmp_path.iterdir()) == []


async def test_a_turn_that_was_given_up_is_kept_as_far_as_it_came(tmp_path):
    watch, said = EventBus(), Utterance("turn on the lamp")
    recorder = recording(tmp_path, watch)

    watch.publish(Heard(said))
    await recorder.close()

    [turn] = recorder.store.turns()
    assert (turn["text"], turn["ok"], turn["reply"]) == ("turn on the lamp", False, "")


async def test_a_file_that_cannot_be_written_costs_the_record_and_nothing_else(tmp_path):
    house = House("One.", "Two.", "Three.")
    watch = house.conversation.events
    recorder = recording(tmp_path, watch)
    (tmp_path / "turns.sqlite").mkdir()  # no file at all can be made there

    assert (await house.hears("one")).text == "One."
    await until(lambda: watch.state("recorder") is State.DEGRADED)
    (tmp_path / "turns.sqlite").rmdir()
    assert (await house.hears("two")).text == "Two."
    await until(lambda: watch.state("recorder") is State.OK)
    await recorder.close()

    assert [one["text"] for one in recorder.store.turns()] == ["two", "one"]


async def test_while_the_file_takes_nothing_the_last_turns_wait(tmp_path):
    watch = EventBus()
    recorder = recording(tmp_path, watch)
    (tmp_path / "turns.sqlite").mkdir()
    for number in range(MOST_HELD + 50):
        said = Utterance(f"number {number}")
        watch.publish(Heard(said))
        watch.publish(Answered(said, Reply("Yes.")))
    await recorder.written()
    (tmp_path / "turns.sqlite").rmdir()
    await recorder.close()

    turns = recorder.store.turns(limit=2 * MOST_HELD)
    assert (len(turns), turns[-1]["text"]) == (MOST_HELD, "number 50")


async def test_what_is_too_old_leaves_the_file_though_nobody_says_anything(tmp_path):
    file = tmp_path / "turns.sqlite"
    long_ago = TurnStore(file, now=lambda: 0.0)
    house = House("Hello.")
    long_ago.add([kept("in the old days", at=0.0)])

    recorder = recording(tmp_path, house.conversation.events, trim_seconds=0.02)

    await until(lambda: long_ago.turns() == [])
    await recorder.close()


async def test_a_locked_file_holds_up_nobody(tmp_path):
    house = House("One.", "Two.")
    recorder = recording(tmp_path, house.conversation.events)
    await house.hears("one")
    await recorder.written()
    holder = sqlite3.connect(tmp_path / "turns.sqlite", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    async with asyncio.timeout(1):
        await house.hears("two")
    holder.close()
    await recorder.close()

    assert [one["text"] for one in recorder.store.turns()] == ["two", "one"]


@pytest.mark.parametrize("text", ["\x00\ud800 odd", "x" * 7000, "<script>", "\x1b[31mred"])
async def test_whatever_was_said_is_kept(tmp_path, text):
    house = House("Hello.")
    recorder = recording(tmp_path, house.conversation.events)

    await house.hears(text)
    [turn] = await listed(recorder)
    await recorder.close()

    assert turn["reply"] == "Hello."
