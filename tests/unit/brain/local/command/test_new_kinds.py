"""Colours, whites, fans, players, vacuums: what is said of them, as actions and values."""

import pytest

from voice_gateway.brain.local.command.what import read_command


@pytest.mark.parametrize(
    ("said", "action", "slots"),
    [
        ("make the desk lamp red", "SetColour", {"thing": "the desk lamp", "colour": "red"}),
        ("turn the lights dark blue", "SetColour", {"thing": "the lights", "colour": "darkblue"}),
        ("change the color of the lamp to sky blue", "SetColour", {"thing": "the lamp", "colour": "skyblue"}),
        (
            "set the lights in the den to green",
            "SetColour",
            {"thing": "the lights in the den", "colour": "green"},
        ),
        ("den lights pink", "SetColour", {"thing": "den lights", "colour": "pink"}),
        ("set the lamp to warm white", "SetKelvin", {"thing": "the lamp", "kelvin": 2700.0}),
        ("set the lamp to 4000 kelvin", "SetKelvin", {"thing": "the lamp", "kelvin": 4000.0}),
        ("set the fan to medium", "SetSpeed", {"thing": "the fan", "level": 67.0}),
        ("set the fan speed to 40 percent", "SetLevel", {"thing": "the fan", "level": 40.0}),
        ("set the volume of the radio to 30 percent", "PlayerVolume", {"thing": "the radio", "level": 30.0}),
        ("turn the tv volume up", "PlayerLouder", {"thing": "the tv"}),
        ("make the tv quieter", "PlayerQuieter", {"thing": "the tv"}),
        ("pause the radio", "Pause", {"thing": "the radio"}),
        ("resume the music", "Play", {"thing": "the music"}),
        ("pause", "Pause", {}),
        ("play the next song on the radio", "Next", {"thing": "the radio"}),
        ("skip this song", "Next", {}),
        ("go back to the previous track on the radio", "Previous", {"thing": "the radio"}),
        ("mute the tv", "Mute", {"thing": "the tv"}),
        ("send the vacuum back to its dock", "Dock", {"thing": "the vacuum"}),
        ("start vacuuming", "Start", {"thing": "the vacuum"}),
    ],
)
def test_it_is_read_as_an_action_with_its_value(said, action, slots):
    command = read_command(said)[0]

    read = {name: value for name, value in command.frame.slots.items() if name in ("thing", *slots)}
    assert (command.what.action, read) == (action, slots)


@pytest.mark.parametrize("said", ["turn on violet", "turn off orange", "open the green room blind"])
def test_a_colour_that_names_a_thing_is_none(said):
    assert all(command.what.action != "SetColour" for command in read_command(said))


@pytest.mark.parametrize("said", ["mute", "louder", "set the volume to 30", "volume up"])
def test_what_names_no_player_is_left_to_our_own_loudspeaker(said):
    assert not [one for one in read_command(said) if one.what.action.startswith(("Player", "Mute"))]
