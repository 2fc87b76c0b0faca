"""What was recorded of a second home: a gateway that starts again from its cache.

The lines are the gateway's own; of long lists of nodes only those are kept that a test speaks of.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, parse_nodes

from zwave_mcp.mqtt.home import KnownNodes
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

FOLDER = Path(__file__).parents[2] / "zwave_data" / "second"


def answers(file: str, api: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (FOLDER / f"{file}.jsonl").read_text("utf-8").splitlines())
    return [json.loads(line["payload"]) for line in lines if line.get("topic", "").endswith(f"/api/{api}")]


GROUPS = answers("groups", "_getGroups")[-1]["result"]


async def on(home: ScriptedHome, name: str) -> Result:
    return await Tools(home).call("control_zwave_device", {"deviceName": name, "action": "on"})


# --- ramps


# --- groups


# --- a restart


@pytest.mark.parametrize(
    ("expected", "known", "unknown"),
    [(1, [], ["ceiling fan", "node 16", "mood light"]), (2, ["ceiling fan", "node 16"], ["mood light"])],
)
async def test_of_what_the_gateway_does_not_know_yet_nothing_is_claimed(
    expected: int, known: list[str], unknown: list[str]
):
    raw = answers("restart", "getNodes")[expected]["result"]
    starting = ScriptedHome(*KnownNodes().complete(parse_nodes(raw, GROUPS)))
    starting.polled = [99]
    for name in unknown:
        sentence = await on(starting, name)
        assert (sentence.structured["outcome"], sentence.structured["state"]) == ("unreachable", "unknown")
    assert starting.sent == []
    for name in known:
        assert (await on(starting, name)).structured["outcome"] == "confirmed"
