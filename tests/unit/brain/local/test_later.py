"""Wishes for later that cannot be kept, and what only looks like one."""

import pytest
from tests.eval.later_eval import NOWS, _brain


@pytest.mark.parametrize(
    "said",
    [
        "every weekday at 7 turn on the gramophone",
        "turn on the gramophone every day at 7",
        "tomorrow at 8 am switch off the gramophone",
    ],
)
async def test_a_device_that_nobody_knows_is_named(said: str) -> None:
    brain = await _brain([NOWS["A"]])

    understood = brain.understand(said)

    assert understood.not_handled is not None
    assert understood.not_handled.spoken == "I don't know a device called gramophone."


@pytest.mark.parametrize("second", ["50", "fifty", "15"])
async def test_a_unit_is_said_once_for_two_levels(second: str) -> None:
    brain = await _brain([NOWS["A"]])

    understood = brain.understand(f"turn on the bedside lamp at 20 percent and the ceiling light at {second}")

    level = 15 if second == "15" else 50
    assert [one.args.get("level") for one in understood.requests] == [20, level]


@pytest.mark.parametrize("second", ["9 pm", "half past 9"])
async def test_a_time_behind_a_level_stays_a_time(second: str) -> None:
    brain = await _brain([NOWS["A"]])

    understood = brain.understand(f"turn on the bedside lamp at 20 percent and the ceiling light at {second}")

    assert [one.tool for one in understood.requests] in ([], ["make_routine"])
