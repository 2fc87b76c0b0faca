"""The stand-in answers as the real one did: every recorded call again, in the same order and home."""

import json
import re
from pathlib import Path

import yaml
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_tools import DATA, HomeAssistantTools

RECORDED = [json.loads(line) for line in (DATA / "calls.jsonl").read_text("utf-8").splitlines()]
# A field that is missing is an error of the script's own; the stand-in's scripts have none.
NOT_ANSWERED_ALIKE = {"script tool, required field missing", "script tool with a field and an answer"}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def in_short(result: dict) -> object:
    """What a client can go by: the ids that were asked, or why it failed."""
    text = result["content"][0]["text"]
    if reason := re.search(r"MatchFailedReason\.(\w+)", text):
        return reason[1], re.search(r"no_match_name=(\S+),", text)[1]
    try:
        answer = json.loads(text)
    except ValueError:
        return text
    if "data" not in answer:
        return sorted(answer), type(answer["result"])
    return {key: sorted(one["id"] for one in answer["data"][key]) for key in ("success", "failed")}


async def test_every_recorded_call_is_answered_alike():
    clock = Clock()
    tools = HomeAssistantTools(recorded_home(clock=clock))
    different = []
    for one in RECORDED:
        answer = await tools.call(one["tool"], one["arguments"])
        clock.now += 0.3 + one["ms"] / 1000
        alike = one["result"]["isError"] == answer["isError"] and in_short(one["result"]) == in_short(answer)
        if not alike and one["what"] not in NOT_ANSWERED_ALIKE:
            different.append((one["what"], in_short(one["result"]), in_short(answer)))

    assert len(RECORDED) > 100
    assert different == []


async def test_the_live_context_is_written_alike():
    told = HomeAssistantTools(recorded_home()).live_context()
    recorded = (DATA / "live_context.txt").read_text("utf-8")

    assert told == recorded
    assert yaml.safe_load(told.partition("\n")[2])[0]["names"] == "AC"


async def test_a_lock_and_a_cover_take_their_time():
    clock = Clock()
    tools = HomeAssistantTools(recorded_home(clock=clock))
    await tools.call("HassTurnOn", {"name": "Kitchen Door"})
    await tools.call("HassTurnOn", {"name": "Poorly Installed Door"})
    await tools.call("HassSetPosition", {"name": "Living Room Window", "position": 40})
    home = tools.home
    assert home["lock.kitchen_door"].state == "locking"
    assert home["cover.living_room_window"].state == "closing"
    clock.now = 2.0
    assert home["lock.kitchen_door"].state == "locked"
    assert home["lock.poorly_installed_door"].state == "jammed"
    assert home["cover.living_room_window"].attributes["current_position"] == 50
    clock.now = 3.0
    assert (home["cover.living_room_window"].state, home["cover.living_room_window"].coming) == ("open", [])


def test_no_recording_holds_a_token():
    assert [file.name for file in Path(DATA).iterdir() if "eyJ" in file.read_text("utf-8")] == []
