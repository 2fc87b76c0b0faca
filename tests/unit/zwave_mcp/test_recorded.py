"""What was recorded of a second home: ramps, groups, and a gateway that starts again from its cache.

The lines are the gateway's own; of long lists of nodes only those are kept that a test speaks of.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome

from zwave_mcp.home import Node, Value, WriteResult
from zwave_mcp.mqtt.known import KnownNodes
from zwave_mcp.mqtt.nodes import duration_seconds, has_groups, parse_nodes
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

FOLDER = Path(__file__).parents[2] / "zwave_data" / "second"


def answers(file: str, api: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (FOLDER / f"{file}.jsonl").read_text("utf-8").splitlines())
    return [json.loads(line["payload"]) for line in lines if line.get("topic", "").endswith(f"/api/{api}")]


def result_of(file: str, request: str) -> Any:
    """What was answered to the call with this id."""
    every = [one for api in ("writeValue", "pollValue") for one in answers(file, api)]
    return next(one["result"] for one in every if one["origin"]["id"] == request)


def written(file: str, request: str) -> WriteResult:
    raw = result_of(file, request)
    return WriteResult(raw["status"], duration_seconds(raw.get("remainingDuration")))


GROUPS = answers("groups", "_getGroups")[-1]["result"]
NODES = answers("groups", "getNodes")[0]["result"]


def home(*, groups: object = None) -> ScriptedHome:
    return ScriptedHome(*parse_nodes(NODES, groups))


def told(nodes: Iterable[Node], node_id: int, **values: Any) -> tuple[Node, ...]:
    """The same nodes after reports of one of them."""

    def now(value: Value) -> Value:
        here = value.id.command_class == 38 and value.id.property in values
        return replace(value, value=values[str(value.id.property)]) if here else value

    return tuple(
        replace(node, values=tuple(map(now, node.values))) if node.id == node_id else node for node in nodes
    )


async def call(home: ScriptedHome, tool: str, name: str, **args: Any) -> Result:
    return await Tools(home).call(tool, {"deviceName": name, **args})


async def on(home: ScriptedHome, name: str) -> Result:
    return await call(home, "control_zwave_device", name, action="on")


# --- ramps


async def test_a_lamp_on_its_way_up_is_not_told_with_the_level_it_passes():
    lamp = home()
    lamp.written = written("ramps", "r1")
    lamp.polled = [result_of("ramps", one) for one in ("r2", "r3", "r4")]
    lamp.after_write = told(lamp.nodes, 16, targetValue=75, duration=3)
    said = await on(lamp, "node 16")
    assert said.structured["outcome"] == "working"
    assert said.sentence == "The Desk Lamp (node 16) is turning on."


async def test_at_the_end_of_the_ramp_it_is():
    lamp = home()
    lamp.written, lamp.polled = written("ramps", "r1"), [75]
    lamp.after_write = told(lamp.nodes, 16, targetValue=75, duration=0)
    said = await on(lamp, "node 16")
    assert (said.structured["outcome"], said.structured["state"]) == ("confirmed", "on, 76 %")


async def test_a_supervised_lamp_tells_that_it_is_on_its_way():
    lamp = home()
    lamp.pace = replace(lamp.pace, short_ramp_seconds=2.0)
    lamp.written = written("ramps", "r11")
    said = await on(lamp, "node 17")
    assert (said.structured["outcome"], said.sentence) == (
        "working",
        "The Desk Lamp (node 17) is turning on.",
    )


# --- groups


def test_a_group_has_the_members_that_the_gateway_lists():
    assert has_groups(NODES)
    group = parse_nodes(NODES, GROUPS)[-1]
    assert (group.id, group.name, group.members) == (4096, "Office Lights", (16, 17, 3))


async def test_a_group_is_never_asked_itself_which_the_gateway_cannot_do():
    lamps = home(groups=GROUPS)
    lamps.told = {
        "16-38-0-currentValue": result_of("groups", "r34"),
        "17-38-0-currentValue": result_of("groups", "r35"),
        "3-38-0-currentValue": 50,
    }
    lamps.told |= {f"3-51-0-currentColor-{key}": level for key, level in ((0, 200), (1, 55))}
    said = await call(lamps, "get_zwave_device", "office lights")  # what else is polled has no answer
    assert (said.structured["outcome"], said.structured["state"]) == ("confirmed", "on")


async def test_each_member_is_written_to_and_asked():
    lamps = home(groups=GROUPS)
    lamps.written = written("groups", "r33")
    lamps.polled = [result_of("groups", "r34")]
    said = await call(lamps, "control_zwave_device", "office lights", action="dim", level=50)
    assert {sent for sent, _ in lamps.sent} == {f"{node}-38-0-targetValue" for node in (16, 17, 3)}
    assert said.structured["outcome"] == "confirmed"


# --- a restart


@pytest.mark.parametrize(
    ("reply", "known", "unknown"),
    [(1, [], ["ceiling fan", "node 16", "mood light"]), (2, ["ceiling fan", "node 16"], ["mood light"])],
)
async def test_of_what_the_gateway_does_not_know_yet_nothing_is_claimed(
    reply: int, known: list[str], unknown: list[str]
):
    raw = answers("restart", "getNodes")[reply]["result"]
    starting = ScriptedHome(*KnownNodes().complete(parse_nodes(raw, GROUPS)))
    starting.polled = [99]
    for name in unknown:
        said = await on(starting, name)
        assert (said.structured["outcome"], said.structured["state"]) == ("unreachable", "unknown")
    assert starting.sent == []
    for name in known:
        assert (await on(starting, name)).structured["outcome"] == "confirmed"


async def test_when_it_is_complete_again_all_is_as_before():
    raw = answers("restart", "getNodes")[-1]["result"]
    again = ScriptedHome(*KnownNodes().complete(parse_nodes(raw)))
    again.polled = [99]
    for name in ("ceiling fan", "node 16", "mood light"):
        assert (await on(again, name)).structured["outcome"] == "confirmed"


def test_before_the_driver_is_ready_the_gateway_has_no_list():
    assert answers("restart", "getNodes")[0]["success"] is False


async def test_nor_of_a_group_of_which_a_member_is_not_known_yet():
    raw = answers("restart", "getNodes")[1]["result"]
    groups = [{**GROUPS[0], "nodeIds": [16, 17]}]
    starting = ScriptedHome(*KnownNodes().complete(parse_nodes(raw, groups)))
    looked = await call(starting, "get_zwave_device", "office lights")
    asked = await on(starting, "office lights")
    assert (looked.structured["state"], asked.is_error, starting.sent) == ("unknown", True, [])
    assert looked.structured["outcome"] != "confirmed"
