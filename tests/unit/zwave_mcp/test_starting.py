"""For seconds after its start the gateway lists nodes of which it knows nothing yet."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import ScriptedHome, lock, parse_nodes, switch

from zwave_mcp.home import Node, WriteResult
from zwave_mcp.mqtt.home import STARTING_SECONDS, KnownNodes
from zwave_mcp.tools import Tools

LAMP = switch(2, "Desk Lamp", "Office", on=True, product="Acme Lamp")
EMPTY = Node(2, "Desk Lamp", "Office", "Unknown", product="Acme Lamp", ready=False)


@pytest.fixture
def times() -> list[float]:
    """The last one is now."""
    return [100.0]


@pytest.fixture
def known(times: list[float]) -> KnownNodes:
    return KnownNodes(lambda: times[-1])


def test_what_was_known_is_kept_while_the_gateway_starts(known: KnownNodes):
    known.complete([LAMP])
    (kept,) = known.complete([EMPTY])
    assert (kept.values, kept.status, kept.starting) == (LAMP.values, "Alive", False)
    assert known.complete([LAMP]) == (LAMP,)


def test_a_device_that_was_dead_is_not_alive_because_the_gateway_starts(known: KnownNodes):
    known.complete([replace(LAMP, status="Dead", available=False)])
    assert known.complete([EMPTY])[0].dead


def test_half_an_interview_tells_nothing_for_a_while(known: KnownNodes, times: list[float]):
    half = replace(lock(6, "Front Door"), ready=False)
    assert known.complete([half])[0].values == ()
    times.append(times[-1] + STARTING_SECONDS)
    (later,) = known.complete([half])
    assert (later.values, later.starting) == (half.values, False)


def test_a_node_that_was_removed_is_forgotten(known: KnownNodes):
    known.complete([LAMP])
    assert known.complete([]) == ()
    assert known.complete([EMPTY])[0].starting


def on(name: str) -> tuple[str, dict[str, Any]]:
    return "control_zwave_device", {"deviceName": name, "action": "on"}


async def test_a_call_waits_a_moment_for_the_gateway_that_starts():
    home = ScriptedHome(replace(EMPTY, starting=True))
    asked = 0

    async def snapshot(max_age_seconds: float = 2.0):
        nonlocal asked
        asked += 1
        home.nodes = home.nodes if asked < 3 else (LAMP,)
        return await ScriptedHome.snapshot(home, max_age_seconds)

    home.snapshot = snapshot
    home.written = WriteResult(255)
    reply = await Tools(home).call(*on("desk lamp"))
    assert reply.sentence == "The Desk Lamp is now on."


RECORDED = Path(__file__).parents[2] / "zwave_data" / "second" / "restart.jsonl"


@pytest.mark.parametrize(
    ("number", "known", "unknown"),
    [(1, [], ["ceiling fan", "node 16", "mood light"]), (2, ["ceiling fan", "node 16"], ["mood light"])],
)
async def test_nothing_is_claimed_of_nodes_that_a_recorded_restart_left_unknown(
    number: int, known: list[str], unknown: list[str]
):
    lines = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    lists = [line["payload"] for line in lines if line.get("topic", "").endswith("/api/getNodes")]
    starting = ScriptedHome(*KnownNodes().complete(parse_nodes(json.loads(lists[number])["result"])))
    starting.polled = [99]
    for name in unknown:
        facts = (await Tools(starting).call(*on(name))).structured
        assert (facts["outcome"], facts["state"]) == ("unreachable", "unknown")
    assert starting.sent == []
    for name in known:
        assert (await Tools(starting).call(*on(name))).structured["outcome"] == "confirmed"
