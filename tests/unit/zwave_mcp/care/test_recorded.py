"""Keeping house as the real Z-Wave JS UI answered it, recorded; and no digit of a code ever comes out."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripted_home import parse_nodes

from zwave_mcp.events import EventLog
from zwave_mcp.home import (
    CannotDo,
    GatewayError,
    LockUser,
    Node,
    NotUnderstood,
    Scene,
    SceneValue,
    Snapshot,
    ValueId,
)
from zwave_mcp.mqtt.connection import Api
from zwave_mcp.mqtt.home import MqttHome
from zwave_mcp.options import MqttOptions
from zwave_mcp.server import Resources
from zwave_mcp.simulated.home import SimulatedHome
from zwave_mcp.tools import Tools

DATA = Path(__file__).parents[3] / "zwave_data" / "keeping"
CODES = ("471100", "081500", "246800", "135790", "975310")


def recorded() -> dict[tuple[str, str], list[dict[str, Any]]]:
    matches: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in (DATA / "calls.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        api = record["topic"].rpartition("/api/")[2]
        if not api.endswith("/set"):
            answer = json.loads(record["payload"])
            matches.setdefault((api, json.dumps(answer.get("args"))), []).append(answer)
    return matches


ANSWERS = recorded()


class Recorded(MqttHome):
    """Answers each call as the gateway did; the first time as it did first."""

    def __init__(self, answer: Callable[..., Any] | None = None) -> None:
        super().__init__(MqttOptions("mqtt://localhost"))
        self.answer = answer

    async def _call(self, api: Api, *args: Any, timeout_seconds: float, read: Any = None) -> Any:
        if self.answer is not None:
            return self.answer()
        known = ANSWERS[str(api), json.dumps(list(args))]
        answer = known[0] if len(known) == 1 else known.pop(0)
        if not answer["success"]:
            raise GatewayError(answer["message"])
        return answer["result"]


async def test_users_names_and_rooms_are_those_of_the_recordings() -> None:
    gateway = Recorded()
    assert await gateway.lock_users(11) == (LockUser(1, True), LockUser(2, True), LockUser(4, False))
    await gateway.rename(4, "Deckenventilator", "Wintergarten")
    with pytest.raises(GatewayError, match="Invalid Node ID"):
        await gateway.rename(99, "x", None)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("Unknown API", "This version of Z-Wave JS UI cannot do that, so nothing was done."),
        (
            "Your hardware does not support the GetRoutingInfo function (ZW0105)",
            "The Z-Wave stick cannot do that, so nothing was done.",
        ),
    ],
)
async def test_a_gateway_or_stick_that_cannot_is_told_apart(message: str, sentence: str) -> None:
    def refuse() -> None:
        raise GatewayError(message)

    home = Recorded(refuse)
    for asked in (home.rename(3, "x", None), home.lock_users(3)):
        with pytest.raises(CannotDo, match=sentence):
            await asked


@pytest.mark.parametrize("answer", [None, "yes", 1, {}, [1]])
async def test_answers_of_another_version_are_not_taken_for_a_yes(answer: Any) -> None:
    home = Recorded(lambda: answer)
    for asked in (home.rename(3, "x", None), home.rename(3, None, "x")):
        with pytest.raises(NotUnderstood):
            await asked


class WithCodes(SimulatedHome):
    """The recorded lock, whose codes stand in clear in what the gateway says."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = json.loads((DATA / "nodes.json").read_text(encoding="utf-8"))
        self.nodes: tuple[Node, ...] = parse_nodes(self.raw)

    async def snapshot(self, max_age_seconds: float = 2.0) -> Snapshot:
        return Snapshot(self.nodes)

    async def lock_users(self, node_id: int) -> tuple[LockUser, ...]:
        return await Recorded().lock_users(node_id)

    async def scenes(self) -> tuple[Scene, ...]:
        code = ValueId(11, 99, 0, "userCode", 3)
        return (Scene(1, "Guests", (SceneValue(code, CODES[0]),)),)

    async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
        return CODES[0]


async def test_no_digit_of_a_code_comes_out_of_any_tool_resource_or_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    home = WithCodes()
    assert sum(str(home.raw).count(code) for code in CODES) > 5, "they are there to be found"
    tools = Tools(home, allow_unlock=True)
    resources = Resources(home, tools.viewer, tools.rows, EventLog(lambda _event: None))
    reply: list[str] = [repr(home.nodes)]
    name = {"deviceName": "front door"}
    for tool, given in (
        ("list_zwave_devices", {}),
        ("get_zwave_device", name),
        ("get_device_sensor_data", name),
        ("get_zwave_user_codes", name),
        ("get_zwave_user_codes", {}),
        ("get_zwave_batteries", {}),
        ("list_zwave_scenes", {}),
        ("list_zwave_scenes", {"sceneName": "Guests"}),
        ("check_zwave_health", {}),
    ):
        answer = await tools.call(tool, given)
        reply.append(f"{answer.sentence} {json.dumps(dict(answer.structured), default=str)}")
    listed = [str(resource.uri) for resource in (await resources.listing()).resources]
    reply += [repr(await resources.read(uri)) for uri in listed]
    everything = " ".join([*reply, caplog.text])
    assert [code for code in CODES if code in everything] == []
    assert "codes of user 1 and user 2; switched off: user 4." in everything
