"""What shall be done, and the words that are left for the thing."""

import pytest

from voice_gateway.brain.local.command.what import read_command


@pytest.mark.parametrize(
    ("said", "action", "slots"),
    [
        ("turn on the floor lamp", "TurnOn", {"thing": "the floor lamp"}),
        ("turn the lights off in the kitchen", "TurnOff", {"thing": "the lights in the kitchen"}),
        ("off with the lamp", "TurnOff", {"thing": "the lamp"}),
        ("shut the lamp down", "TurnOff", {"thing": "the lamp"}),
        ("make the kitchen dark", "TurnOff", {"thing": "lights in the kitchen"}),
        ("some light here", "TurnOn", {"thing": "lights here"}),
        ("the lamp to 30", "SetLevel", {"thing": "the lamp", "level": 30.0, "bare": True}),
        ("lamp at a quarter", "SetLevel", {"thing": "lamp", "level": 25.0}),
        ("full brightness on the lamp", "SetLevel", {"thing": "the lamp", "level": 100.0}),
        ("close the blinds a third", "SetLevel", {"thing": "the blinds", "level": 67.0}),
        ("set the brightness of the lamp to 40 percent", "SetLevel", {"thing": "the lamp", "level": 40.0}),
        ("the lamp 10 percent brighter", "Brighter", {"thing": "the lamp", "amount": 10.0, "moves": True}),
        ("dim the lamp by half", "Dimmer", {"thing": "the lamp", "share": 50.0, "moves": True}),
        ("make the lamp twice as bright", "Scale", {"thing": "the lamp", "factor": 2.0}),
        ("cut the brightness of the lamp in half", "Scale", {"thing": "the lamp", "factor": 0.5}),
        ("a degree warmer in the study", "Warmer", {"thing": "the study", "amount": 1.0}),
        ("turn the heating down 2 degrees", "Cooler", {"amount": 2.0}),
        ("the study at 21 degrees", "SetTemperature", {"thing": "the study", "degrees": 21.0}),
        ("a bit more heat", "Warmer", {}),
        ("open the blinds a bit", "Brighter", {"thing": "the blinds", "small": True, "moves": True}),
        ("blinds all the way down", "Close", {"thing": "blinds"}),
        ("lock up the house", "Lock", {"thing": "everything", "sweep": True}),
    ],
)
def test_verb_and_value_are_taken_out_of_a_clause(said: str, action: str, slots: dict[str, object]) -> None:
    first = read_command(said)[0]

    assert first.what.action == action
    assert dict(first.frame.slots) == slots


@pytest.mark.parametrize(
    "said", ["lights 25 percent kitchen off", "turn it up", "raise the heating by 10 percent"]
)
def test_what_means_more_than_one_thing_or_nothing_is_no_reading(said: str) -> None:
    assert read_command(said) == []
