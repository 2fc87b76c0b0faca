"""Whether a call is what the words mean, by what the parser reads from them."""

import pytest
from tests.fakes.zwave_reach import zwave_reaches

from voice_gateway.brain.local.fitting import Fitting, devices_in
from voice_gateway.brain.local.meaning import Context, Request
from voice_gateway.brain.local.understand import Reader
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.tools.permission.gate import Fit
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import ToolCall, ToolTraits

HOME = build_home(
    [
        Device("Floor Lamp", "Living Room", "dimmer", "on, 40 %"),
        Device("Desk Lamp", "Office", "switch", "on"),
        Device("Kitchen Light", "Kitchen", "switch", "off"),
        Device("Ceiling Fan", "Bedroom", "dimmer", "off"),
        Device("Window Blind", "Bedroom", "blind", "open"),
        Device("Thermostat", "Hallway", "thermostat", "heat, 20 °C"),
    ],
    scenes=["Movie Night"],
)
TOOLS = frozenset(
    "control_zwave_device set_zwave_thermostat activate_zwave_scene set_timer control_speaker_volume".split()
)


REACHES = zwave_reaches(HOME.names.could_mean)


def reach_of(request: Request) -> Reach | None:
    return REACHES(ToolCall("", request.tool, request.args), ToolTraits())


def fit(said: str, call: ToolCall, before: str = "") -> Fit:
    reader = Reader(Context(HOME, last=devices_in(before, HOME), tools=TOOLS))
    traits = ToolTraits(source="zwave" if "zwave" in call.name else "builtin")
    return Fitting(said, reader, reach_of)(call, traits, REACHES(call, traits))


def control(device: str, action: str, **more: object) -> ToolCall:
    return ToolCall("1", "control_zwave_device", {"deviceName": device, "action": action, **more})


def heat(temperature: float) -> ToolCall:
    return ToolCall("1", "set_zwave_thermostat", {"deviceName": "Thermostat", "temperature": temperature})


TIMER = ToolCall("1", "set_timer", {"duration": "10 minutes"})
VOLUME = ToolCall("1", "control_speaker_volume", {"action": "set", "level": 30})

FITTING = [
    ("turn off the floor lamp", control("Floor Lamp", "off"), True),
    ("turn off the floor lamp", control("Floor Lamp", "on"), False),
    ("turn off the floor lamp", control("Desk Lamp", "off"), False),
    ("could you switch floor lamp off", control("Floor Lamp", "off"), True),
    ("could you switch floor lamp off", control("Desk Lamp", "off"), False),
    ("please switch floor lamp off", control("Desk Lamp", "off"), False),
    ("can you please switch kettle on", control("Kitchen Light", "on"), False),
    ("turn the switch in the office off", control("Desk Lamp", "off"), True),
    ("turn off the light on the desk", control("Kitchen Light", "on"), False),
    ("all lights off", control("Desk Lamp", "off"), True),
    ("everything off in the kitchen", control("Kitchen Light", "off"), True),
    ("floor lamp on and desk lamp off", control("Desk Lamp", "off"), True),
    ("floor lamp on and desk lamp off", control("Floor Lamp", "off"), False),
    ("the floor lamp and the desk lamp off", control("Floor Lamp", "off"), True),
    ("all lights off but the desk lamp", control("Desk Lamp", "off"), False),
    ("all lights off but not in the kitchen", control("Kitchen Light", "off"), False),
    ("all lights off but not in the kitchen", control("Floor Lamp", "off"), True),
    ("dim the floor lamp to forty percent", control("Floor Lamp", "dim", level=40), True),
    ("dim the floor lamp to forty percent", control("Floor Lamp", "dim", level=90), False),
    ("dim the floor lamp", control("Floor Lamp", "dim", level=90), False),
    ("floor lamp to half", control("Floor Lamp", "dim", level=50), True),
    ("cut the floor lamp in half", control("Floor Lamp", "off"), False),
    ("make the floor lamp banana", control("Floor Lamp", "dim", level=80), False),
    ("turn off the floor lamp at ten pm", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp in ten minutes", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp when I leave", control("Floor Lamp", "off"), False),
    ("turn off the floor lamp tomorrow", control("Floor Lamp", "off"), False),
    ("set the heating to 21.5 degrees", heat(21.5), True),
    ("set the heating to 21.5 degrees", heat(25), False),
    ("make it warmer", heat(25), False),
    ("set a timer for ten minutes", TIMER, True),
    ("set a timer for ten minutes", ToolCall("1", "set_timer", {"duration": "600"}), True),
    ("set a timer for ten minutes", ToolCall("1", "set_timer", {"duration": "3 hours"}), False),
    ("volume to thirty", VOLUME, True),
    ("volume to fifty", VOLUME, False),
    ("movie night please", ToolCall("1", "activate_zwave_scene", {"sceneName": "Movie Night"}), True),
    ("party time", ToolCall("1", "activate_zwave_scene", {"sceneName": "Movie Night"}), False),
]


@pytest.mark.parametrize(("said", "call", "expected"), FITTING)
def test_a_call_is_meant_by_its_thing_its_direction_its_value_and_its_time(said, call, expected):
    assert (fit(said, call) is Fit.MEANT) is expected


def test_what_follows_from_the_conversation_is_meant():
    off = control("Floor Lamp", "off")

    assert fit("turn it off again", off, "turn on the floor lamp . The Floor Lamp is on.") is Fit.MEANT
    assert fit("turn it off again", off, "The Desk Lamp is on.") is Fit.FAR


@pytest.mark.parametrize(
    ("said", "call", "expected"),
    [
        ("my brother plays the organ", control("Floor Lamp", "off"), Fit.FAR),
        ("the floor is slippery", control("Floor Lamp", "off"), Fit.FAR),
        ("our bedroom is upstairs", control("Window Blind", "close"), Fit.FAR),
        ("all is well that ends well", control("Desk Lamp", "off"), Fit.FAR),
        ("I have had enough of the floor lamp", control("Floor Lamp", "off"), Fit.NEAR),
        (
            "there is too much sun in the bedroom for me and the blind is up",
            control("Window Blind", "close"),
            Fit.NEAR,
        ),
        ("no need for the lamps any more", control("Floor Lamp", "off"), Fit.MEANT),
        ("whichever lamps are on switch them off", control("Floor Lamp", "off"), Fit.MEANT),
        ("another two degrees would not hurt", heat(22), Fit.NEAR),
        ("could the bedroom be darker", control("Window Blind", "close"), Fit.NEAR),
        ("no need for it now", control("Desk Lamp", "off"), Fit.FAR),
    ],
)
def test_what_doubtful_words_speak_of(said, call, expected):
    assert fit(said, call) is expected


def test_a_long_text_is_not_searched_for_commands():
    assert fit("turn off the floor lamp " * 100, control("Floor Lamp", "off")) is Fit.FAR
