"""A command is confirmed by its device alone: statuses, polls, ramps, motors, locks, thermostats, scenes."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.fakes.scripted_home import QUICK, ScriptedHome, blind, dimmer, lock, sensor, switch, thermostat

from zwave_mcp.home import (
    GatewayError,
    Health,
    HomeDown,
    NoAnswer,
    Node,
    NotUnderstood,
    Scene,
    SceneValue,
    Value,
    ValueId,
    WriteResult,
)
from zwave_mcp.results import Result
from zwave_mcp.tools import Tools

NO_ACK = GatewayError("The node did not acknowledge the command (ZW0204)")
DOWN = HomeDown("The broker is away.")
LAMP, DIMMER, BLIND = switch(2, "Desk Lamp"), dimmer(3, "Floor Lamp"), blind(4, "Window Blind")


async def control(home: ScriptedHome, name: str, action: str, **more: Any) -> Result:
    return await Tools(home).call("control_zwave_device", {"deviceName": name, "action": action, **more})


async def setting(home: ScriptedHome, **wanted: Any) -> Result:
    return await Tools(home).call("set_zwave_thermostat", {"deviceName": "thermostat", **wanted})


def ramping(level: int, target: int, seconds: float | None) -> Node:
    """A dimmer as listed after it was polled in the middle of its ramp (recorded)."""
    node = dimmer(3, "Floor Lamp", level=level)
    target_value = Value(ValueId(3, 38, 0, "targetValue"), target, writeable=True)
    left = Value(ValueId(3, 38, 0, "duration"), seconds)
    return replace(node, values=(node.values[0], target_value, left, *node.values[2:]))


def garage_door(state: int) -> Node:
    values = (("currentState", state), ("targetState", None))
    every = tuple(Value(ValueId(6, 102, 0, name), now) for name, now in values)
    return Node(6, "Garage Door", "Garage", values=every)


def moving(seconds: float) -> Node:
    node = blind(4, "Window Blind", level=60)
    return replace(node, values=(*node.values, Value(ValueId(4, 38, 0, "duration"), seconds)))


@dataclass(frozen=True)
class Case:
    """What the gateway answers to a write, what the device answers to polls, and the verdict."""

    what: str
    node: Node
    action: str
    written: WriteResult | Exception
    polled: list[Any]
    outcome: str
    state: str
    level: int | None = None
    after: Node | None = None  # as the gateway lists it after the write
    alive: bool = False
    sent: list[Any] | None = None
    words: str = ""
    timing: dict[str, float] = field(default_factory=dict)


DEAD = replace(LAMP, status="Dead", available=False)
ASLEEP = replace(LAMP, status="Asleep")
OPEN = "not confirmed, it may still happen"
PATIENT = {"window_seconds": 2.0}  # where several polls are needed, also on a busy machine
CASES = [
    Case("255 is confirmed", LAMP, "on", WriteResult(255), [], "confirmed", "on",
         sent=[("2-37-0-targetValue", True)]),
    Case("254 and the device follows", LAMP, "on", WriteResult(254), [False, True], "confirmed", "on"),
    Case("an optimistic value never counts", LAMP, "on", WriteResult(254), [False], "failed", "off",
         after=switch(2, "Desk Lamp", on=True), words="was not turned on; it is still off"),
    Case("no answer to polls", LAMP, "on", WriteResult(254), [NO_ACK], "unconfirmed", "unknown", words=OPEN),
    Case("a switch that gives a number", LAMP, "on", WriteResult(254), [1], "unconfirmed", "unknown"),
    Case("the device died", LAMP, "on", WriteResult(254), [NO_ACK], "unreachable", "unknown", after=DEAD),
    Case("status 2 of a dead device", LAMP, "on", WriteResult(2), [], "unreachable", "unknown", after=DEAD),
    Case("status 2 of a living device", LAMP, "on", WriteResult(2), [], "failed", "unknown"),
    *(Case(f"status {status}", LAMP, "on", WriteResult(status, message="No endpoint 3"), [], outcome,
           "unknown", words="No endpoint 3")
      for status, outcome in ((0, "unsupported"), (3, "unsupported"), (4, "unsupported"), (5, "invalid"))),
    *(Case(f"an unknown answer of {node.status}", node, "on", written, [], "unconfirmed", "unknown",
           words="could not be understood")
      for node in (LAMP, ASLEEP) for written in (WriteResult(999), WriteResult(-1), NotUnderstood())),
    Case("no reply", LAMP, "on", NoAnswer("no answer"), [], "unconfirmed", "unknown", words=OPEN),
    Case("no reply of a sleeping device", ASLEEP, "on", NoAnswer("x"), [], "queued", "unknown"),
    Case("a dead device", DEAD, "on", WriteResult(255), [], "unreachable", "unknown", sent=[]),
    Case("a dead device answers a ping", DEAD, "on", WriteResult(255), [], "confirmed", "on", alive=True),
    Case("down after it", LAMP, "on", WriteResult(254), [DOWN], "unconfirmed", "unknown", words=OPEN),
    Case("down with the command", LAMP, "on", HomeDown("It is away.", sent=True), [], "system_down",
         "unknown", words="It is away; the command is not confirmed, it may still happen."),
    # dimmers
    Case("on, as bright as it was", DIMMER, "on", WriteResult(255), [39], "confirmed", "on, 39 %",
         sent=[("3-38-0-targetValue", 255)]),
    Case("a confirmed on without a level", DIMMER, "on", WriteResult(255), [NO_ACK], "confirmed", "on"),
    Case("a confirmed on, and off by itself", DIMMER, "on", WriteResult(255), [0], "unconfirmed", "off"),
    Case("a ramp of unknown length", DIMMER, "dim", WriteResult(1, None), [0], "working", "changing",
         level=40, timing={"short_ramp_seconds": 1.0}),
    Case("a short ramp", DIMMER, "dim", WriteResult(1, 0.01), [20, 40], "confirmed", "on, 40 %", level=40),
    Case("a long ramp", DIMMER, "dim", WriteResult(1, 60), [], "working", "changing", level=40),
    Case("a level near the wish is passed", DIMMER, "dim", WriteResult(254), [8, 9, 10], "confirmed",
         "on, 10 %", level=10, after=ramping(8, 10, 0.5), timing=PATIENT),
    Case("a lamp that rounds", DIMMER, "dim", WriteResult(254), [41, 41], "confirmed", "on, 41 %",
         level=40, timing=PATIENT),
    Case("near the wish when time is over", DIMMER, "dim", WriteResult(254), [8], "working", "changing",
         level=10, after=ramping(8, 10, 30.0)),
    Case("a ramp to where it was", DIMMER, "on", WriteResult(254), [8, 29, 75], "confirmed", "on, 76 %",
         after=ramping(8, 75, 0.02), timing=PATIENT),
    Case("a long ramp to where it was", DIMMER, "on", WriteResult(254), [8], "working", "turning on",
         after=ramping(8, 75, 30.0)),
    Case("heard once on its way", dimmer(3, "Floor Lamp", level=99), "off", WriteResult(254), [89, NO_ACK],
         "working", "turning off", after=ramping(89, 0, 2.0)),
    Case("asked until it stays", DIMMER, "on", WriteResult(254), [8, 40, 99, 99], "confirmed", "on, 100 %",
         after=ramping(8, 255, None), timing=PATIENT),
    *(Case(f"a dimmer that says {answer!r:.9}", DIMMER, "dim", WriteResult(254), [answer], "unconfirmed",
           "unknown", level=40, words=OPEN)
      for answer in (float("nan"), float("inf"), 10**400, "on", True, None, [], {"value": 1})),
    # motors
    Case("a blind on its way", BLIND, "close", WriteResult(1, 25), [], "working", "closing",
         sent=[("4-38-0-targetValue", 0)]),
    Case("no percent is called closing", BLIND, "dim", WriteResult(1, 25), [], "working", "closing", level=0),
    Case("a motor that confirms its start", blind(4, "Window Blind", level=0), "open", WriteResult(255), [12],
         "working", "opening"),
    Case("two polls differ", BLIND, "close", WriteResult(254), [99, 95, 90], "working", "closing"),
    Case("a blind that stands still", BLIND, "close", WriteResult(254), [99], "failed", "open"),
    Case("a garage door opens", garage_door(0), "open", WriteResult(254), [254], "working", "opening"),
    Case("a garage door closes", garage_door(255), "close", WriteResult(254), [252], "working", "closing"),
    Case("a garage door met something", garage_door(255), "close", WriteResult(254), [253], "failed",
         "stopped"),
    Case("a garage door goes the other way", garage_door(255), "close", WriteResult(254), [254], "failed",
         "opening"),
    Case("stop, and it stands", BLIND, "stop", WriteResult(254), [60], "confirmed", "61 % open",
         sent=[("4-38-0-Up", False)]),
    Case("stop, and it still moves", BLIND, "stop", WriteResult(254), [60, 50], "failed", "unknown"),
    Case("stop, and time is left", moving(8.0), "stop", WriteResult(254), [60], "unconfirmed", "unknown"),
    Case("stop without an answer", BLIND, "stop", WriteResult(254), [NO_ACK], "unconfirmed", "unknown"),
    Case("stop, and the home is away", BLIND, "stop", WriteResult(254), [DOWN], "unconfirmed", "unknown"),
    Case("stop is not understood", BLIND, "stop", NotUnderstood(), [], "unconfirmed", "unknown"),
    Case("stop is refused", BLIND, "stop", GatewayError("No."), [], "failed", "unknown"),
]  # fmt: skip


async def test_every_answer_of_gateway_and_device_has_its_outcome() -> None:
    wrong = []
    for case in CASES:
        home = ScriptedHome(case.node)
        home.timing = replace(QUICK, **case.timing)
        home.written, home.polled, home.alive = case.written, list(case.polled), case.alive
        home.after_write = (case.after,) if case.after else None
        level = {} if case.level is None else {"level": case.level}
        answer = await control(home, case.node.name, case.action, **level)
        facts = answer.structured
        good = case.outcome in ("confirmed", "working", "queued")
        if (
            (facts["outcome"], facts["state"]) != (case.outcome, case.state)
            or answer.is_error == good
            or case.words not in answer.sentence
            or (case.sent is not None and home.sent != case.sent)
        ):
            wrong.append((case.what, facts["outcome"], facts["state"], answer.sentence, home.sent))
    assert not wrong, "\n".join(map(str, wrong))


async def test_a_dead_device_is_pinged_once() -> None:
    home = ScriptedHome(DEAD)
    await control(home, "desk lamp", "on")
    assert home.pings == 1


async def test_a_whole_command_has_a_limit() -> None:
    class Hanging(ScriptedHome):
        async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
            await asyncio.Event().wait()

    home = Hanging(LAMP)
    home.written, home.timing = WriteResult(254), replace(QUICK, tool_seconds=0.05)
    assert (await control(home, "desk lamp", "on")).structured["outcome"] == "unconfirmed"


@pytest.mark.parametrize("remembered", [True, False, None])
async def test_toggle_reverses_what_the_device_says(remembered: bool | None) -> None:
    home = ScriptedHome(switch(2, "Desk Lamp", on=remembered))
    home.polled = [True]
    answer = await control(home, "desk lamp", "toggle")
    assert home.sent == [("2-37-0-targetValue", False)]
    assert answer.structured["requested"] == {"action": "toggle", "resolved": "off"}
    assert answer.structured["before"][0]["args"]["action"] == "on"


@pytest.mark.parametrize(
    ("answer", "outcome"), [(NO_ACK, "unreachable"), (NoAnswer("silence"), "unreachable"), (None, "failed")]
)
async def test_toggle_without_an_answer_of_the_device_sends_nothing(answer: object, outcome: str) -> None:
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [answer]
    assert (await control(home, "desk lamp", "toggle")).structured["outcome"] == outcome
    assert home.sent == []


@pytest.mark.parametrize("answer", [float("nan"), 10**400, "on", None, []], ids=str)
async def test_a_device_that_gives_no_state_has_none(answer: object) -> None:
    home = ScriptedHome(LAMP, DIMMER)
    home.polled = [answer]
    for name in ("desk lamp", "floor lamp"):
        facts = (await Tools(home).call("get_zwave_device", {"deviceName": name})).structured
        assert (facts["outcome"], facts["state"]) == ("unconfirmed", "unknown")


async def test_the_state_of_a_device_is_polled() -> None:
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [False]
    answer = await Tools(home).call("get_zwave_device", {"deviceName": "desk lamp"})
    assert (answer.sentence, answer.structured["state"]) == ("The Desk Lamp is off.", "off")
    home.polled = [NO_ACK]
    answer = await Tools(home).call("get_zwave_device", {"deviceName": "desk lamp"})
    assert answer.sentence == "The Desk Lamp was on when last heard, but does not answer now."


# --- thermostats


async def test_a_rejected_temperature_is_not_set() -> None:
    home = ScriptedHome(thermostat(7, "Thermostat"))
    home.written, home.polled = WriteResult(254), [20]
    facts = (await setting(home, temperature=25)).structured
    assert (facts["outcome"], facts["state"]) == ("failed", "heat, set to 20 °C, now 20.5 °C")
    home.polled = [{"value": [1]}]
    assert (await setting(home, mode="off")).structured["outcome"] == "unconfirmed"


async def test_a_thermostat_that_is_off_takes_the_setting_and_says_so() -> None:
    answer = await setting(ScriptedHome(thermostat(7, "Thermostat", mode=0)), temperature=21)
    assert answer.sentence == "The Thermostat is now set to 21 degrees Celsius, but it is off."


# --- scenes and health


@pytest.mark.parametrize(
    ("value", "polled", "outcome", "behind"),
    [
        (True, [False, True], "confirmed", []),
        (True, [False], "unconfirmed", ["Desk Lamp"]),
        (True, [DOWN], "unconfirmed", ["Desk Lamp"]),
        (None, [None], "unconfirmed", ["Desk Lamp"]),
    ],
)
async def test_a_scene_is_on_when_its_devices_are(
    value: object, polled: list[Any], outcome: str, behind: list[str]
) -> None:
    home = ScriptedHome(LAMP, lock(6, "Front Door"))
    scene = Scene(4, "Movie Night", (SceneValue(ValueId(2, 37, 0, "targetValue"), value),))
    home.known_scenes, home.polled = (scene,), list(polled)
    facts = (await Tools(home).call("activate_zwave_scene", {"sceneName": "movie night"})).structured
    assert (facts["outcome"], facts["notConfirmed"], home.sent) == (outcome, behind, [("scene", 4)])


async def test_an_unknown_scene_is_answered_with_the_known_ones() -> None:
    home = ScriptedHome()
    home.known_scenes = (Scene(4, "Movie Night"),)
    answer = await Tools(home).call("activate_zwave_scene", {"sceneName": "party"})
    assert (answer.structured["outcome"], answer.structured["scenes"]) == ("not_found", ["Movie Night"])


async def test_health_says_what_is_wrong() -> None:
    home = ScriptedHome(DEAD, sensor(5, "Climate Sensor"))
    good = (await Tools(home).call("check_zwave_health", {})).structured
    assert (good["offline"], good["batteryLow"]) == (["Desk Lamp"], ["Climate Sensor"])
    home.state = Health(ok=False, problem="It is not connected.", broker=True)
    bad = await Tools(home).call("check_zwave_health", {})
    assert (bad.sentence, bad.is_error, bad.structured["broker"]) == ("It is not connected.", True, True)


async def test_a_lamp_that_is_ramping_is_told_with_its_target() -> None:
    home = ScriptedHome(ramping(8, 10, 0.5))
    home.polled = [8]
    reported = await Tools(home).call("get_zwave_device", {"deviceName": "floor lamp"})
    listed = await Tools(home).call("list_zwave_devices", {})
    assert (reported.structured["state"], listed.structured["devices"][0]["state"]) == (
        "on, 10 %",
        "on, 10 %",
    )
