"""What was recorded of a second home: ramps, groups, and a gateway that starts again from its cache.

The lines are the gateway's own; of long lists of nodes only those are kept that a test speaks of.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, parse_nodes

from zwave_mcp.home import Node, WriteResult
from zwave_mcp.mqtt.home import KnownNodes
from zwave_mcp.mqtt.nodes import duration_seconds
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


def told(node_id: int, **values: Any) -> tuple[Node, ...]:
    """The same nodes after reports of one of them, as the gateway lists them."""
    raw = json.loads(json.dumps(NODES))
    for node in raw:
        listed = node["values"].values() if isinstance(node["values"], dict) else node["values"]
        for value in listed:
            if (node["id"], value["commandClass"]) == (node_id, 38) and value["property"] in values:
                value["value"] = values[value["property"]]
    return parse_nodes(raw)


def seconds(left: float) -> dict[str, Any]:
    return {"value": left, "unit": "seconds"}


async def call(home: ScriptedHome, tool: str, name: str, **args: Any) -> Result:
    return await Tools(home).call(tool, {"deviceName": name, **args})


async def on(home: ScriptedHome, name: str) -> Result:
    return await call(home, "control_zwave_device", name, action="on")


# --- ramps


async def test_a_lamp_on_its_way_up_is_not_told_with_the_level_it_passes():
    lamp = home()
    lamp.written = written("ramps", "r1")
    lamp.polled = [result_of("ramps", one) for one in ("r2", "r3", "r4")]
    lamp.after_write = told(16, targetValue=75, duration=seconds(3))
    said = await on(lamp, "node 16")
    assert said.structured["outcome"] == "working"
    assert said.sentence == "The Desk Lamp (node 16) is turning on."


# --- groups


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
