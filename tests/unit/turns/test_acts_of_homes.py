"""What a call is about, in every home's way of naming it."""

from voice_gateway.turn import ToolCall
from voice_gateway.turns.acts import target, waves

ON = {"name": "HassTurnOn", "args": {"name": "Heat Pump", "area": "Den", "domain": ["climate"]}}
SET = {"name": "HassClimateSetTemperature", "args": {"name": "Heat Pump", "area": "Den", "temperature": 20}}


def test_two_calls_on_one_device_have_one_target():
    assert target(ON) == target(SET)
    assert target({"name": "cancel_timer", "args": {"name": "Heat Pump"}}) == "cancel_timer"


def test_nothing_runs_beside_a_scene_however_it_is_called():
    calls = [ToolCall("1", "good_night", {}), ToolCall("2", "HassTurnOn", ON["args"])]

    assert [[call.id for call in wave] for wave in waves(calls, {"1"})] == [["1"], ["2"]]
    assert [[call.id for call in wave] for wave in waves(calls)] == [["1", "2"]]
