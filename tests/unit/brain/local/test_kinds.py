"""What people say to colours, fans, chimes and sirens: from the words to the device, and back."""

from dataclasses import replace

import pytest
from tests.fakes.home_talk import HomeTalk

from voice_gateway.config import PermissionSettings
from voice_gateway.conversation.undo_log import MemoryActs
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.zwave import reach_of
from voice_gateway.tools.permission.risk import Tier, tier
from voice_gateway.turn import ToolCall, ToolTraits
from zwave_mcp.devices import devices_of
from zwave_mcp.states import state_text

NOT_UNIT = "a simulated home at its own pace"
HOME = """
[home]
radio_seconds = 0
[[device]]
name = "Mood Light"
room = "Lounge"
kind = "light"
color = "#ff7800"
state = 60
[[device]]
name = "Reading Lamp"
room = "Lounge"
kind = "light"
shows = ["warm", "cold"]
state = 40
[[device]]
name = "Floor Lamp"
room = "Lounge"
kind = "dimmer"
state = 50
[[device]]
name = "Ceiling Fan"
room = "Lounge"
kind = "fan"
state = 33
[[device]]
name = "Door Chime"
room = "Hall"
kind = "chime"
tones = ["Ding Dong (3 sec)", "Westminster (8 sec)", "Evacuate Siren (30 sec)"]
[[device]]
name = "Panic Siren"
room = "Hall"
kind = "siren"
tones = ["Alarm (30 sec)"]
"""


@pytest.fixture
def talk() -> HomeTalk:
    return HomeTalk(HOME)


async def how(talk: HomeTalk) -> dict[str, str]:
    return {one.name: state_text(one) for one in devices_of(await talk.home.snapshot(0))}


@pytest.mark.parametrize(
    ("said", "device", "state"),
    [
        ("make the mood light blue", "Mood Light", "on, 60 %, blue"),
        ("turn the mood light light blue", "Mood Light", "on, 60 %, light blue"),
        ("change the colour of the mood light to green", "Mood Light", "on, 60 %, green"),
        ("set the mood light to warm white", "Mood Light", "on, 60 %, warm white"),
        ("mood light to 3000 kelvin", "Mood Light", "on, 60 %, 3000 K"),
        ("set the mood light to red at 30 percent", "Mood Light", "on, 30 %, red"),
        ("make the reading lamp cool white", "Reading Lamp", "on, 40 %, cool white"),
        ("set the ceiling fan to low", "Ceiling Fan", "on, 33 %"),
        ("ceiling fan to medium", "Ceiling Fan", "on, 67 %"),
        ("set the fan to speed three", "Ceiling Fan", "on, 100 %"),
        ("fan speed high", "Ceiling Fan", "on, 100 %"),
        ("set the fan to 50 percent", "Ceiling Fan", "on, 50 %"),
        ("turn the fan off", "Ceiling Fan", "off"),
        ("stop the fan", "Ceiling Fan", "off"),
        ("ring the door chime", "Door Chime", "playing Ding Dong"),
        ("ring the doorbell", "Door Chime", "playing Ding Dong"),
        ("turn on the door chime", "Door Chime", "playing Ding Dong"),
        ("play westminster on the door chime", "Door Chime", "playing Westminster"),
        ("ring the door chime with westminster", "Door Chime", "playing Westminster"),
        ("ring the bell at 20 percent", "Door Chime", "playing Ding Dong"),
    ],
)
async def test_it_is_done_as_it_was_said(talk: HomeTalk, said: str, device: str, state: str):
    before = await how(talk)
    reply = await talk.hears(said)

    assert reply.ok, reply.text
    assert await how(talk) == {**before, device: state}


async def test_all_lights_are_the_coloured_ones_too_and_not_the_fan(talk: HomeTalk):
    await talk.hears("turn off all lights")
    now = await how(talk)
    assert [now[name] for name in ("Mood Light", "Reading Lamp", "Floor Lamp")] == ["off"] * 3
    assert now["Ceiling Fan"] == "on, 33 %"


async def test_a_colour_for_a_room_is_for_those_that_have_one(talk: HomeTalk):
    await talk.hears("make the lights in the lounge warm white")
    now = await how(talk)
    assert now["Mood Light"] == "on, 60 %, warm white"
    assert now["Reading Lamp"] == "on, 40 %, warm white"
    assert now["Floor Lamp"] == "on, 50 %"


@pytest.mark.parametrize("said", ["turn on the panic siren", "sound the siren", "ring the siren"])
async def test_a_siren_sounds_only_after_a_yes(talk: HomeTalk, said: str):
    asked = await talk.hears(said)
    assert asked.text == "Sound the panic siren? Say yes to confirm."
    assert (await how(talk))["Panic Siren"] == "silent"
    assert (await talk.hears("yes")).text == "The Panic Siren is playing Alarm."


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("play bach on the panic siren", 'The Panic Siren has no tone "bach"; it has Alarm.'),
        ("make the reading lamp red", "The Reading Lamp can be warm or cold white, but has no colours."),
    ],
)
async def test_what_it_does_not_have_is_told_and_not_asked_about(talk: HomeTalk, said: str, told: str):
    before = await how(talk)
    reply = await talk.hears(said)
    assert (reply.text, reply.expects_answer) == (told, False)
    assert await how(talk) == before


@pytest.mark.parametrize("tone", ["siren", "Siren", "3", "evacuate"])
async def test_a_chime_asks_before_it_plays_a_siren(talk: HomeTalk, tone: str):
    await talk.hears("is the fan on")  # the home is known
    call = ToolCall("1", "play_zwave_sound", {"deviceName": "Door Chime", "action": "play", "tone": tone})
    known = ToolTraits("zwave", "play_zwave_sound")
    assert tier(call, known, PermissionSettings(), talk.reach(call, known)) is Tier.SENSITIVE


@pytest.mark.parametrize("said", ["ring the door chime", "play default on the door chime"])
async def test_a_chime_whose_own_tone_is_a_siren_is_asked_about_as_well(said: str):
    talk = HomeTalk(HOME.replace('"Ding Dong (3 sec)", ', "").replace('"Westminster (8 sec)", ', ""))
    assert "Siren" in (await talk.hears(said)).text
    assert (await how(talk))["Door Chime"] == "silent"
    assert (await talk.hears("yes")).text == "The Door Chime is playing Evacuate Siren."


async def test_a_chime_that_has_not_told_its_own_tone_may_play_any():
    chime = Device("Door Chime", "Entrance", "chime", tones=("Ding Dong", "Siren"))
    args: dict[str, object] = {"deviceName": "Door Chime", "action": "play"}
    assert is_asked(args, chime)
    assert not is_asked(args, replace(chime, own_tone="Ding Dong"))
    assert is_asked(args, replace(chime, own_tone="Siren"))
    assert is_asked({**args, "tone": "Default"}, replace(chime, own_tone="Siren"))
    assert not is_asked({**args, "action": "stop"}, replace(chime, own_tone="Siren"))


@pytest.mark.parametrize("level", [{}, {"level": 40}])
async def test_a_chime_that_is_switched_on_rings_as_well(level: dict[str, int]):
    chime = Device("Door Chime", "Entrance", "chime", tones=("Ding Dong", "Siren"), own_tone="Siren")
    args = {"deviceName": "Door Chime", "action": "on", **level}
    assert is_asked(args, chime, "control_zwave_device")
    assert not is_asked(args, replace(chime, own_tone="Ding Dong"), "control_zwave_device")
    assert not is_asked(args, Device("Hall Lamp", "Entrance", "switch"), "control_zwave_device")


def is_asked(args: dict[str, object], device: Device, tool: str = "play_zwave_sound") -> bool:
    reach = reach_of(tool, args, lambda _said: (device,))
    call = ToolCall("1", tool, args)
    return tier(call, ToolTraits("zwave", call.name), PermissionSettings(), reach) is Tier.SENSITIVE


@pytest.mark.parametrize("said", ["stop the siren", "turn off the siren", "silence the siren"])
async def test_silence_needs_no_yes(talk: HomeTalk, said: str):
    await talk.hears("sound the siren", "yes")
    assert (await talk.hears(said)).text == "The Panic Siren is now silent."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("what colour is the mood light", "The Mood Light is on at 60 percent, orange."),
        ("which colour does the mood light have", "The Mood Light is on at 60 percent, orange."),
        (
            "what tones does the door chime have",
            "The Door Chime has Ding Dong, Westminster and Evacuate Siren.",
        ),
        ("what can the door chime play", "The Door Chime has Ding Dong, Westminster and Evacuate Siren."),
        (
            "make the floor lamp blue",
            "I can't change the colour of that: the Floor Lamp can be turned on and off and dimmed.",
        ),
        ("make the mood light mauvish", "I know no colour called mauvish."),
        ("set the colour of the mood light to seventeen", "I know no colour called 17."),
        (
            "ring the door chime with banana",
            'The Door Chime has no tone "banana"; it has Ding Dong, Westminster and Evacuate Siren.',
        ),
        ("set the fan to 130 percent", "I can set that from 0 to 100 percent. To how many shall I?"),
    ],
)
async def test_a_question_or_a_wrong_value_changes_nothing(talk: HomeTalk, said: str, text: str):
    before = await how(talk)
    assert (await talk.hears(said)).text == text
    assert await how(talk) == before


@pytest.mark.parametrize(
    ("said", "device"),
    [
        ("make the mood light blue", "Mood Light"),
        ("set the mood light to red at 20 percent", "Mood Light"),
        ("make the reading lamp cool white", "Reading Lamp"),
        ("set the fan to high", "Ceiling Fan"),
        ("ring the door chime", "Door Chime"),
    ],
)
async def test_it_can_be_taken_back(said: str, device: str):
    talk = HomeTalk(HOME, acts=MemoryActs(lambda: 1_000_000.0))
    before = await how(talk)
    await talk.hears(said)
    assert (await how(talk))[device] != before[device]
    await talk.hears("undo")
    assert await how(talk) == before


@pytest.mark.parametrize(
    "said",
    [
        "play some music",
        "pause",
        "stop",
        "ring me when you are home",
        "that rings a bell",
        "it sounds like rain",
        "play jazz",
        "did the doorbell ring",
        "who rang the bell",
        "don't ring the doorbell",
        "when the doorbell rings",
        "my ears are ringing",
    ],
)
async def test_nothing_rings_that_was_not_told_to(talk: HomeTalk, said: str):
    before = await how(talk)
    await talk.hears(said)
    assert await how(talk) == before
