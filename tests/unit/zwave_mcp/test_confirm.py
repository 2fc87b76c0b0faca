import asyncio
from dataclasses import replace

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
from zwave_mcp.tools import Tools

NO_ACK = GatewayError("The node did not acknowledge the command (ZW0204)")


async def control(home: ScriptedHome, name: str, action: str, **more):
    answer = await Tools(home).call("control_zwave_device", {"deviceName": name, "action": action, **more})
    return answer.sentence, answer.structured["outcome"], answer.structured["state"], answer.is_error


async def test_status_255_is_confirmed_without_asking_again():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    assert await control(home, "desk lamp", "on") == ("The Desk Lamp is now on.", "confirmed", "on", False)
    assert home.sent == [("2-37-0-targetValue", True)]


async def test_an_acknowledged_command_counts_when_the_device_says_so():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written, home.polled = WriteResult(254), [False, True]
    assert await control(home, "desk lamp", "on") == ("The Desk Lamp is now on.", "confirmed", "on", False)


async def test_the_optimistic_value_never_counts():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.after_write = (switch(2, "Desk Lamp", on=True),)  # what the gateway shows at once
    home.written, home.polled = WriteResult(254), [False]
    sentence, outcome, state, is_error = await control(home, "desk lamp", "on")
    assert (outcome, state, is_error) == ("failed", "off", True)
    assert sentence == "The Desk Lamp did not turn on; it is still off."


async def test_no_answer_to_the_question_is_not_confirmed():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written, home.polled = WriteResult(254), [NO_ACK]
    sentence, outcome, state, is_error = await control(home, "desk lamp", "on")
    assert sentence == "The command for the Desk Lamp is not confirmed, it may still happen."
    assert (outcome, state, is_error) == ("unconfirmed", "unknown", True)


async def test_a_device_that_died_meanwhile_is_unreachable():
    home = ScriptedHome(switch(2, "Desk Lamp", "Office"))
    home.after_write = (switch(2, "Desk Lamp", "Office", status="Dead", available=False),)
    for home.written in (WriteResult(254), WriteResult(2)):
        home.polled = [NO_ACK]
        sentence, outcome, _, is_error = await control(home, "desk lamp", "on")
        assert (outcome, is_error) == ("unreachable", True)
        assert sentence == "The Desk Lamp in the Office does not answer, maybe without power or out of range."


async def test_status_2_of_a_living_device_is_a_failure():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written = WriteResult(2)
    assert (await control(home, "desk lamp", "on"))[:2] == ("The Desk Lamp did not turn on.", "failed")


@pytest.mark.parametrize(
    ("status", "outcome"), [(0, "unsupported"), (3, "unsupported"), (4, "unsupported"), (5, "invalid")]
)
async def test_a_refused_value_is_the_callers_error(status: int, outcome: str):
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written = WriteResult(status, message="Endpoint 3 does not exist")
    sentence, said, _, is_error = await control(home, "desk lamp", "on")
    assert (said, is_error) == (outcome, True)
    assert "Endpoint 3 does not exist" in sentence


@pytest.mark.parametrize(
    "written", [WriteResult(999), WriteResult(-1), WriteResult(255_000), NotUnderstood()], ids=str
)
async def test_an_answer_that_nobody_understands_is_neither_done_nor_failed(written: WriteResult | Exception):
    for status in ("Alive", "Asleep"):  # an answer came, so nothing waits for the waking up
        home = ScriptedHome(switch(2, "Desk Lamp", status=status))
        home.written = written
        assert await control(home, "desk lamp", "on") == (
            "The command for the Desk Lamp is not confirmed, it may still happen: "
            "Z-Wave JS UI gave an answer that could not be understood.",
            "unconfirmed",
            "unknown",
            True,
        )


@pytest.mark.parametrize("written", [WriteResult(999), NotUnderstood()], ids=str)
async def test_a_setting_or_a_stop_that_nobody_understands_is_not_confirmed(written: WriteResult | Exception):
    home = ScriptedHome(thermostat(7, "Thermostat"), blind(4, "Window Blind"))
    home.written, home.polled = written, [60]
    sentence, outcome, state = await setting(home, temperature=22)
    assert (outcome, state, "could not be understood" in sentence) == ("unconfirmed", "unknown", True)
    sentence, outcome, _, _ = await control(home, "window blind", "stop")
    assert (outcome, "could not be understood" in sentence) == ("unconfirmed", True)


@pytest.mark.parametrize(
    "answer",
    [float("nan"), float("inf"), -float("inf"), 10**400, "on", True, None, [], {"value": 1}],
    ids=repr,
)
async def test_a_device_that_gives_no_level_leaves_the_command_open(answer: object):
    home = ScriptedHome(dimmer(3, "Floor Lamp"), blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [answer]
    for name, action, more in (
        ("floor lamp", "on", {}),
        ("floor lamp", "dim", {"level": 40}),
        ("window blind", "close", {}),
        ("window blind", "stop", {}),
    ):
        sentence, outcome, state, is_error = await control(home, name, action, **more)
        assert (outcome, state, is_error) == ("unconfirmed", "unknown", True)
        assert "not confirmed, it may still happen" in sentence


async def test_a_switch_that_gives_no_yes_or_no_leaves_the_command_open():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    for answer in (float("nan"), 1, "on", None):
        home.written, home.polled = WriteResult(254), [answer]
        assert (await control(home, "desk lamp", "on"))[1] == "unconfirmed"


@pytest.mark.parametrize("answer", [float("nan"), 10**400, "on", None, []], ids=str)
async def test_a_device_that_gives_no_state_has_none(answer: object):
    home = ScriptedHome(switch(2, "Desk Lamp"), dimmer(3, "Floor Lamp"))
    home.polled = [answer]
    for name in ("desk lamp", "floor lamp"):
        told = await Tools(home).call("get_zwave_device", {"deviceName": name})
        assert (told.structured["outcome"], told.structured["state"]) == ("unconfirmed", "unknown")


async def test_a_lost_look_at_a_lock_does_not_hide_the_command():
    class Forgetful(ScriptedHome):
        async def snapshot(self, max_age_seconds: float = 2.0):
            if self.sent:
                raise GatewayError("Z-Wave JS UI gave an answer that could not be understood.")
            return await super().snapshot(max_age_seconds)

    home = Forgetful(lock(6, "Front Door", mode=0))
    home.written, home.polled = WriteResult(254), [0, 255]
    assert (await locking(home, "lock"))[1] == "confirmed"


async def test_no_reply_at_all_may_still_happen():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written = NoAnswer("no answer")
    sentence, outcome, _, is_error = await control(home, "desk lamp", "on")
    assert (outcome, is_error) == ("unconfirmed", True)
    assert "not confirmed, it may still happen" in sentence


async def test_a_sleeping_device_gets_it_later():
    home = ScriptedHome(switch(2, "Desk Lamp", status="Asleep"))
    home.written = NoAnswer("no answer")
    assert await control(home, "desk lamp", "on") == (
        "The Desk Lamp is asleep: the command takes effect after waking up.",
        "queued",
        "unknown",
        False,
    )


async def test_a_dead_device_is_pinged_once_and_nothing_is_sent():
    home = ScriptedHome(switch(2, "Desk Lamp", status="Dead", available=False))
    assert (await control(home, "desk lamp", "on"))[1] == "unreachable"
    assert (home.pings, home.sent) == (1, [])


async def test_a_dead_device_that_answers_again_is_switched():
    home = ScriptedHome(switch(2, "Desk Lamp", status="Dead", available=False))
    home.alive = True
    assert (await control(home, "desk lamp", "on"))[1] == "confirmed"


async def test_a_connection_that_drops_after_the_command_leaves_it_open():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written, home.polled = WriteResult(254), [HomeDown("The broker is away.")]
    sentence, outcome, _, is_error = await control(home, "desk lamp", "on")
    assert (outcome, is_error) == ("unconfirmed", True)
    assert "may still happen" in sentence


async def test_a_connection_that_drops_with_the_command_names_both():
    home = ScriptedHome(switch(2, "Desk Lamp"))
    home.written = HomeDown("The MQTT broker is not reachable.", sent=True)
    answer = await Tools(home).call("control_zwave_device", {"deviceName": "desk lamp", "action": "on"})
    assert (answer.structured["outcome"], answer.structured["device"]) == ("system_down", "Desk Lamp")
    assert answer.is_error
    assert answer.sentence == (
        "The MQTT broker is not reachable; the command is not confirmed, it may still happen."
    )


@pytest.mark.parametrize("tool", ["list_zwave_devices", "control_zwave_device", "activate_zwave_scene"])
async def test_without_a_home_every_tool_says_what_is_wrong(tool: str):
    home = ScriptedHome()
    home.down = HomeDown("The MQTT broker is not reachable.")
    arguments = {
        "control_zwave_device": {"deviceName": "lamp", "action": "on"},
        "activate_zwave_scene": {"sceneName": "x"},
    }.get(tool, {})
    home.known_scenes = (Scene(1, "x"),)
    answer = await Tools(home).call(tool, arguments)
    assert answer.sentence == "The MQTT broker is not reachable."
    assert answer.is_error
    assert answer.structured["outcome"] == "system_down"


async def test_a_dimmer_that_was_told_on_says_how_bright_it_is():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(255), [39]
    sentence, outcome, state, _ = await control(home, "floor lamp", "on")
    assert (sentence, outcome, state) == ("The Floor Lamp is now on at 39 percent.", "confirmed", "on, 39 %")
    assert home.sent == [("3-38-0-targetValue", 255)]


async def test_a_confirmed_on_without_a_level_is_still_on():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.polled = [NO_ACK]
    assert (await control(home, "floor lamp", "on"))[:3] == ("The Floor Lamp is now on.", "confirmed", "on")


async def test_a_lamp_that_confirms_on_and_then_says_that_it_is_off_is_not_on():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.polled = [0]
    sentence, outcome, state, is_error = await control(home, "floor lamp", "on")
    assert (outcome, state, is_error) == ("unconfirmed", "off", True)
    assert "not confirmed" in sentence


async def test_a_ramp_of_which_nobody_says_how_long_it_takes_has_not_failed():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.timing = replace(QUICK, short_ramp_seconds=1.0)
    home.written, home.polled = WriteResult(1, None), [0]
    assert (await control(home, "floor lamp", "dim", level=40))[1] == "working"


async def test_a_short_ramp_is_waited_for():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(1, 0.01), [20, 40]
    assert (await control(home, "floor lamp", "dim", level=40))[:2] == (
        "The Floor Lamp is now on at 40 percent.",
        "confirmed",
    )


async def test_a_long_ramp_is_on_its_way():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written = WriteResult(1, 60)
    assert await control(home, "floor lamp", "dim", level=40) == (
        "The Floor Lamp is changing to 40 percent.",
        "working",
        "changing",
        False,
    )


async def test_an_unsupervised_ramp_that_still_moves_is_working():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(254), [*range(1, 39)]
    assert (await control(home, "floor lamp", "dim", level=90))[1] == "working"


async def test_a_blind_answers_at_once():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written = WriteResult(1, 25)
    assert await control(home, "window blind", "close") == (
        "The Window Blind is closing.",
        "working",
        "closing",
        False,
    )
    assert home.sent == [("4-38-0-targetValue", 0)]


async def test_no_percent_at_all_is_called_closing():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written = WriteResult(1, 25)
    assert (await control(home, "window blind", "dim", level=0))[0] == "The Window Blind is closing."
    assert (await control(home, "window blind", "dim", level=30))[
        0
    ] == "The Window Blind is moving to 30 percent."


async def test_a_motor_that_confirms_only_its_start_is_moving():
    home = ScriptedHome(blind(4, "Window Blind", level=0))
    home.polled = [12]
    assert (await control(home, "window blind", "open"))[:2] == ("The Window Blind is opening.", "working")


async def test_an_unsupervised_blind_is_moving_when_two_looks_differ():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [99, 95, 90]
    assert (await control(home, "window blind", "close"))[1] == "working"


def garage_door(state: int) -> Node:
    values = [("currentState", state), ("targetState", None)]
    return Node(
        6, "Garage Door", "Garage", values=tuple(Value(ValueId(6, 102, 0, name), now) for name, now in values)
    )


@pytest.mark.parametrize(
    ("action", "polled", "said"),
    [
        ("open", [0, 254], ("The Garage Door is opening.", "working", "opening", False)),
        ("close", [255, 252], ("The Garage Door is closing.", "working", "closing", False)),
        # It has met something on its way: that it has changed is no sign that it moves.
        (
            "close",
            [255, 253],
            ("The Garage Door did not close; it is still stopped.", "failed", "stopped", True),
        ),
        # Still on its way from before, and in the other direction.
        (
            "close",
            [255, 254],
            ("The Garage Door did not close; it is still opening.", "failed", "opening", True),
        ),
    ],
)
async def test_a_garage_door_says_itself_whether_it_moves(action: str, polled: list[int], said: object):
    home = ScriptedHome(garage_door(polled[0]))
    home.written, home.polled = WriteResult(254), polled
    assert await control(home, "garage door", action) == said


async def test_a_blind_that_stands_still_did_not_close():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [99]
    sentence, outcome, state, _ = await control(home, "window blind", "close")
    assert (sentence, outcome, state) == (
        "The Window Blind did not close; it is still open.",
        "failed",
        "open",
    )


async def test_stop_is_confirmed_by_standing_still():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [60]
    sentence, outcome, _, _ = await control(home, "window blind", "stop")
    assert (sentence, outcome) == ("The Window Blind has stopped and is 61 percent open.", "confirmed")
    assert home.sent == [("4-38-0-Up", False)]


async def test_stop_is_not_claimed_of_a_motor_that_says_how_long_it_still_moves():
    node = blind(4, "Window Blind", level=60)
    home = ScriptedHome(replace(node, values=(*node.values, Value(ValueId(4, 38, 0, "duration"), 8.0))))
    home.written, home.polled = WriteResult(254), [60]
    assert (await control(home, "window blind", "stop"))[1] == "unconfirmed"


async def test_stop_is_not_claimed_while_it_moves():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [60, 50]
    assert (await control(home, "window blind", "stop"))[1] == "failed"


async def test_stop_on_a_connection_that_drops_leaves_it_open():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [HomeDown("The broker is away.")]
    sentence, outcome, _, _ = await control(home, "window blind", "stop")
    assert (outcome, "may still happen" in sentence) == ("unconfirmed", True)


async def test_a_refused_stop_is_a_failure():
    home = ScriptedHome(blind(4, "Window Blind"))
    for home.written in (WriteResult(2), GatewayError("It cannot be stopped.")):
        assert (await control(home, "window blind", "stop"))[1] == "failed"


async def test_stop_without_an_answer_is_not_confirmed():
    home = ScriptedHome(blind(4, "Window Blind"))
    home.written, home.polled = WriteResult(254), [NO_ACK]
    assert (await control(home, "window blind", "stop"))[1] == "unconfirmed"


async def test_an_answer_that_makes_no_sense_is_no_answer():
    home = ScriptedHome(thermostat(7, "Thermostat"))
    home.written, home.polled = WriteResult(254), [{"value": [1]}]
    assert (await setting(home, mode="off"))[1] == "unconfirmed"


async def test_the_whole_command_has_a_limit():
    class Hanging(ScriptedHome):
        async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0):
            await asyncio.Event().wait()

    home = Hanging(switch(2, "Desk Lamp"))
    home.written = WriteResult(254)
    home.timing = replace(QUICK, tool_seconds=0.05)
    sentence, outcome, _, _ = await control(home, "desk lamp", "on")
    assert outcome == "unconfirmed"
    assert "may still happen" in sentence


async def test_toggle_is_decided_before_it_is_sent():
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [True]
    answer = await Tools(home).call("control_zwave_device", {"deviceName": "desk lamp", "action": "toggle"})
    assert home.sent == [("2-37-0-targetValue", False)]
    assert answer.structured["requested"] == {"action": "toggle", "resolved": "off"}


@pytest.mark.parametrize("remembered", [True, False, None])
async def test_toggle_turns_over_what_the_device_says_and_not_what_is_remembered(remembered: bool | None):
    home = ScriptedHome(switch(2, "Desk Lamp", on=remembered))
    home.polled = [True]
    answer = await Tools(home).call("control_zwave_device", {"deviceName": "desk lamp", "action": "toggle"})
    assert home.sent == [("2-37-0-targetValue", False)]
    assert answer.structured["before"][0]["args"]["action"] == "on"


@pytest.mark.parametrize(
    ("answer", "outcome"), [(NO_ACK, "unreachable"), (NoAnswer("silence"), "unreachable"), (None, "failed")]
)
async def test_toggle_without_an_answer_of_the_device_sends_nothing(answer: object, outcome: str):
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [answer]
    assert (await control(home, "desk lamp", "toggle"))[1] == outcome
    assert home.sent == []


def ramping(level: int, target: int, seconds: float | None) -> Node:
    """As a dimmer is listed after it was polled in the middle of its ramp (recorded)."""
    node = dimmer(3, "Floor Lamp", level=level)
    told = (Value(ValueId(3, 38, 0, "targetValue"), target, writeable=True),)
    left = (Value(ValueId(3, 38, 0, "duration"), seconds),)
    return replace(node, values=(node.values[0], *told, *left, *node.values[2:]))


async def test_on_is_told_when_the_ramp_is_over():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(254), [8, 29, 75]
    home.after_write = (ramping(8, 75, 0.02),)
    assert await control(home, "floor lamp", "on") == (
        "The Floor Lamp is now on at 76 percent.", "confirmed", "on, 76 %", False,
    )  # fmt: skip


async def test_a_long_ramp_to_where_it_was_is_on_its_way():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(254), [8]
    home.after_write = (ramping(8, 75, 30.0),)
    assert (await control(home, "floor lamp", "on"))[:2] == ("The Floor Lamp is turning on.", "working")


async def test_a_dimmer_that_was_heard_once_on_its_way_has_not_failed():
    home = ScriptedHome(dimmer(3, "Floor Lamp", level=99))
    home.written, home.polled = WriteResult(254), [89, NO_ACK]
    home.after_write = (ramping(89, 0, 2.0),)
    assert (await control(home, "floor lamp", "off"))[:2] == ("The Floor Lamp is turning off.", "working")


async def test_a_dimmer_that_does_not_say_where_to_is_asked_until_it_stays():
    home = ScriptedHome(dimmer(3, "Floor Lamp"))
    home.written, home.polled = WriteResult(254), [8, 40, 99, 99]
    home.after_write = (ramping(8, 255, None),)
    assert (await control(home, "floor lamp", "on"))[1:3] == ("confirmed", "on, 100 %")


async def locking(home: ScriptedHome, action: str, **settings):
    answer = await Tools(home, **settings).call(
        "control_zwave_lock", {"deviceName": "front door", "action": action}
    )
    return answer.sentence, answer.structured["outcome"], answer.structured["state"], answer.is_error


async def test_a_lock_is_locked_when_its_bolt_says_so():
    home = ScriptedHome(lock(6, "Front Door", mode=0))
    home.written, home.polled = WriteResult(254), [0, 255]
    assert await locking(home, "lock") == ("The Front Door is now locked.", "confirmed", "locked", False)


async def test_a_jammed_lock_is_never_locked():
    home = ScriptedHome(lock(6, "Front Door", mode=0))
    home.after_write = (lock(6, "Front Door", mode=255, jammed=True),)  # optimistic, and jammed
    home.written, home.polled = WriteResult(254), [0]
    sentence, outcome, _, is_error = await locking(home, "lock")
    assert (sentence, outcome, is_error) == ("The Front Door is jammed and did not lock.", "failed", True)


async def test_an_old_jam_does_not_spoil_a_good_try():
    home = ScriptedHome(lock(6, "Front Door", mode=0, jammed=True))
    home.written, home.polled = WriteResult(254), [0, 255]
    assert (await locking(home, "lock"))[1] == "confirmed"


async def test_unlocking_needs_the_owners_word():
    home = ScriptedHome(lock(6, "Front Door"))
    sentence, outcome, _, is_error = await locking(home, "unlock")
    assert (outcome, is_error, home.sent) == ("unsupported", True, [])
    assert sentence == "Unlocking is switched off in the settings of the Z-Wave server."
    home.polled = [0]
    assert (await locking(home, "unlock", allow_unlock=True))[1] == "confirmed"


async def setting(home: ScriptedHome, **wanted):
    answer = await Tools(home).call("set_zwave_thermostat", {"deviceName": "thermostat", **wanted})
    return answer.sentence, answer.structured["outcome"], answer.structured["state"]


async def test_a_rejected_temperature_is_not_set():
    home = ScriptedHome(thermostat(7, "Thermostat"))
    home.written, home.polled = WriteResult(254), [20]
    sentence, outcome, state = await setting(home, temperature=25)
    assert outcome == "failed"
    assert state == "heat, set to 20 °C, now 20.5 °C"
    assert sentence.startswith("The Thermostat did not take the setting; it is still")


async def test_a_temperature_goes_to_the_setpoint_of_its_mode():
    home = ScriptedHome(thermostat(7, "Thermostat"))
    sentence, outcome, _ = await setting(home, temperature=22, mode="cool")
    assert home.sent == [("7-64-0-mode", 2), ("7-67-0-setpoint-2", 22.0)]
    assert (sentence, outcome) == (
        "The Thermostat is now in cool mode and set to 22 degrees Celsius.",
        "confirmed",
    )


async def test_degrees_are_converted_to_the_thermostats_own():
    home = ScriptedHome(thermostat(7, "Thermostat", unit="°F"))
    await setting(home, temperature=21, unit="C")
    assert home.sent == [("7-67-0-setpoint-1", 69.8)]


async def test_a_thermostat_that_is_off_takes_the_setting_and_says_so():
    home = ScriptedHome(thermostat(7, "Thermostat", mode=0))
    sentence, _, _ = await setting(home, temperature=21)
    assert sentence == "The Thermostat is now set to 21 degrees Celsius, but it is off."


@pytest.mark.parametrize(
    ("wanted", "outcome", "words"),
    [
        ({}, "invalid", "A temperature or a mode is needed"),
        ({"temperature": 50}, "invalid", "between 5 and 30 degrees Celsius"),
        ({"temperature": float("nan")}, "invalid", "temperature must be a number"),
        ({"mode": "dance"}, "unsupported", 'has no mode "dance"; it has off, heat and cool'),
        ({"mode": "dance", "temperature": 21}, "unsupported", "has no mode"),
    ],
)
async def test_a_setting_that_cannot_be_is_not_sent(wanted: dict, outcome: str, words: str):
    home = ScriptedHome(thermostat(7, "Thermostat"))
    sentence, said, _ = await setting(home, **wanted)
    assert said == outcome
    assert words in sentence
    assert home.sent == []


async def scene(home: ScriptedHome, name: str = "movie night", **settings):
    answer = await Tools(home, **settings).call("activate_zwave_scene", {"sceneName": name})
    return answer.sentence, answer.structured["outcome"]


def with_scene(*values: SceneValue) -> ScriptedHome:
    home = ScriptedHome(switch(2, "Desk Lamp"), lock(6, "Front Door"))
    home.known_scenes = (Scene(4, "Movie Night", values),)
    return home


async def test_a_scene_is_on_when_all_its_devices_are():
    home = with_scene(SceneValue(ValueId(2, 37, 0, "targetValue"), True))
    home.polled = [False, True]
    assert await scene(home) == ("The scene Movie Night is on.", "confirmed")
    assert home.sent == [("scene", 4)]


async def test_a_scene_whose_home_goes_away_is_not_confirmed():
    home = with_scene(SceneValue(ValueId(2, 37, 0, "targetValue"), True))
    home.polled = [HomeDown("The MQTT broker is not reachable.")]
    assert (await scene(home))[1] == "unconfirmed"


async def test_a_scene_value_that_is_not_known_is_not_confirmed():
    home = with_scene(SceneValue(ValueId(2, 37, 0, "targetValue"), None))
    home.polled = [None]
    assert (await scene(home))[1] == "unconfirmed"


async def test_a_scene_names_the_devices_that_did_not_follow():
    home = with_scene(SceneValue(ValueId(2, 37, 0, "targetValue"), True))
    home.polled = [False]
    sentence, outcome = await scene(home)
    assert outcome == "unconfirmed"
    assert sentence == "The scene Movie Night was started, but this is not confirmed: Desk Lamp."


async def test_a_scene_cannot_unlock_by_the_back_door():
    for value in (
        SceneValue(ValueId(6, 98, 0, "targetMode"), 0),
        SceneValue(ValueId(6, 102, 0, "targetState"), 255),
    ):
        home = with_scene(value)
        for allowed in (False, True):
            assert (await scene(home, allow_unlock=allowed))[1] == "unsupported"
        assert home.sent == []


async def test_an_unknown_scene_is_answered_with_the_known_ones():
    home = with_scene()
    assert await scene(home, "party") == (
        'There is no scene called "party"; there is Movie Night.',
        "not_found",
    )


async def test_health_tells_what_is_wrong():
    home = ScriptedHome(switch(2, "Desk Lamp", status="Dead", available=False), sensor(5, "Climate Sensor"))
    good = await Tools(home).call("check_zwave_health", {})
    assert good.sentence == (
        "The Z-Wave system is up with 2 devices; offline: Desk Lamp; battery low: Climate Sensor."
    )
    home.state = Health(ok=False, problem="Z-Wave JS UI is not connected to the MQTT broker.", broker=True)
    bad = await Tools(home).call("check_zwave_health", {})
    assert (bad.sentence, bad.is_error) == ("Z-Wave JS UI is not connected to the MQTT broker.", True)
    assert bad.structured["broker"] is True


async def test_a_device_is_asked_itself_when_its_state_is_wanted():
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [False]
    answer = await Tools(home).call("get_zwave_device", {"deviceName": "desk lamp"})
    assert (answer.sentence, answer.structured["state"]) == ("The Desk Lamp is off.", "off")


async def test_a_remembered_state_is_said_to_be_remembered():
    home = ScriptedHome(switch(2, "Desk Lamp", on=True))
    home.polled = [NO_ACK]
    answer = await Tools(home).call("get_zwave_device", {"deviceName": "desk lamp"})
    assert answer.sentence == "The Desk Lamp was on when last heard, but does not answer now."
    assert answer.structured["outcome"] == "unconfirmed"
