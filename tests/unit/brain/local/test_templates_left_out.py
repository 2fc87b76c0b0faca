"""Templates of home-assistant-intents of which no frame can come are not even parsed."""

import pytest

from voice_gateway.brain.local.grammar import match_ha
from voice_gateway.integrations.home import build_home
from voice_gateway.integrations.listed import read_devices

HOME = build_home(
    read_devices(
        {
            "devices": [
                {"name": "Kitchen Lamp", "room": "Kitchen", "kind": "dimmer", "state": "off"},
                {"name": "Kitchen Fan", "room": "Kitchen", "kind": "fan", "state": "off"},
            ]
        }
    )
)


def intents(text: str) -> set[str]:
    return {frame.intent for frame in match_ha(text, HOME, None, "en")}


@pytest.mark.parametrize(
    "text",
    [
        "turn up the volume in the kitchen",  # another room's loudspeaker
        "turn on the fans in the kitchen",  # a kind that we have no plural for
    ],
)
def test_what_is_not_ours_makes_no_frame(text):
    assert not intents(text)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("turn on the kitchen fan", "TurnOn"),
        ("turn off the lights in the kitchen", "TurnOff"),
        ("are any lights on in the kitchen", "IsState"),
        ("set a timer for 5 minutes", "SetTimer"),
        ("cancel all timers", "CancelTimer"),
    ],
)
def test_what_is_ours_is_still_understood(text, intent):
    assert intent in intents(text)
