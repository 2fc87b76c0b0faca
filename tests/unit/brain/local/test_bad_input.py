"""Whatever comes in: a sensible answer, never a crash, never a wrong action."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.home_tools import DEFAULT_HOME, ScriptedHome
from tests.fakes.local_talk import Talk

from voice_gateway.brain.local.meaning import Context
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.turn import Passed, Reply, Words


@pytest.mark.parametrize(
    "said",
    [
        "", " ", "\x00\x07\x1b[31m", "🎉🎉🎉", "打开客厅的灯", "включи свет", "أشعل الضوء", "...",
        "?!", "'", "%",
        "turn", "turn on", "on on on", "{thing}", "[the] (lamp|light)", "<turn> on", "and", "0" * 500,
    ],
)  # fmt: skip
async def test_odd_words_are_passed_on_without_an_action(said: str) -> None:
    talk = Talk()

    assert isinstance(await talk.say(said), Passed)
    assert talk.acts == []


@pytest.mark.slow
async def test_ten_thousand_words_are_too_many_and_take_no_time() -> None:
    talk = Talk()

    passed = await talk.passed("turn on the floor lamp and " * 2500)

    assert passed.reason == "too long for a command"
    assert passed.words is not Words.WISH


async def test_a_device_named_on() -> None:
    talk = Talk(
        ScriptedHome.of([("On", "Kitchen", "switch", "off", True), ("Off", "Kitchen", "switch", "on", True)])
    )

    await talk.say("turn on")
    assert talk.acts == []
    await talk.say("turn off on")
    assert talk.acts in ([("On", "off")], [])
    await talk.say("turn on the off")
    assert talk.acts in ([("Off", "on")], [])


async def test_names_that_would_wake_the_guard_are_only_names() -> None:
    rows = [("Left Lamp", "Bar", "switch", "off", True), ("If Only", "Bar", "switch", "off", True)]
    talk = Talk(ScriptedHome.of(rows))

    await talk.say("turn on the left lamp")
    assert talk.acts == [("Left Lamp", "on")]
    await talk.say("turn on if only")
    assert talk.acts == [("If Only", "on")]
    await talk.say("if only you could turn on the left lamp")
    assert talk.acts == []


async def test_a_plug_called_speaker_is_the_plug() -> None:
    rows = [("Speaker", "Kitchen", "plug", "on", True), ("Alarm", "Hall", "switch", "on", True)]
    talk = Talk(ScriptedHome.of(rows))

    await talk.say("turn off the speaker")
    assert talk.acts == [("Speaker", "off")]
    await talk.say("turn off the alarm")
    assert talk.acts == [("Alarm", "off")]


async def test_two_devices_with_one_name_are_asked_for_and_named_with_their_room() -> None:
    rows = [("Lamp", "Kitchen", "switch", "off", True), ("Lamp", "Office", "switch", "off", True)]
    talk = Talk(ScriptedHome.of(rows))

    asked = await talk.reply("turn on the lamp")
    assert asked.expects_answer
    await talk.reply("office")
    assert talk.acts == [("Office Lamp", "on")]


@pytest.mark.parametrize(
    "answer", ["node {}", "the one with node {}", "number {}", "the second one", "the one that is on"]
)
async def test_two_devices_with_one_name_in_one_room_are_told_apart_by_their_nodes(answer: str) -> None:
    rows = [("Spot", "Kitchen", "switch", "off", True), ("Spot", "Kitchen", "switch", "on", True)]
    talk = Talk(ScriptedHome.of(rows))
    first, second = (one["nodeId"] for one in talk.home.devices)

    asked = (await talk.reply("turn off the spot")).text
    assert asked == (
        f"Which one do you mean: the Spot with node {first} (off) or the Spot with node {second} (on)?"
    )
    await talk.say(answer.format(second))
    assert talk.acts == [(f"node {second}", "off")]


async def test_all_lights_are_all_of_them_also_where_two_have_one_name() -> None:
    rows = [("Spot", "Kitchen", "dimmer", "on, 50 %", True)] * 2
    talk = Talk(ScriptedHome.of(rows))

    await talk.say("turn all lights off")
    assert sorted(talk.acts) == [(f"node {one['nodeId']}", "off") for one in talk.home.devices]


async def test_a_room_and_a_device_with_one_name() -> None:
    rows = [("Garage", "Garage", "switch", "off", True), ("Heater", "Garage", "plug", "off", True)]
    talk = Talk(ScriptedHome.of(rows))

    await talk.say("turn on the garage")
    assert talk.acts in ([("Garage", "on")], [])
    await talk.say("turn off everything in the garage")
    assert sorted(talk.acts) == [("Garage", "off"), ("Heater", "off")]


async def test_a_list_that_changes_in_the_middle_of_a_turn() -> None:
    talk = Talk()
    await talk.brain.refresh()
    talk.home.devices = [device for device in talk.home.devices if device["name"] != "Floor Lamp"]

    reply = await talk.reply("turn on the floor lamp")

    assert not reply.ok
    assert reply.text == 'There is no device called "Floor Lamp".'


async def test_a_device_that_has_just_got_its_name_is_found_by_it() -> None:
    talk = Talk()
    await talk.brain.refresh()
    lamp = next(device for device in talk.home.devices if device["name"] == "Floor Lamp")
    lamp["name"] = "Zebra"
    talk.now += 1

    await talk.say("turn on the zebra")

    assert talk.acts == [("Zebra", "on")]


async def test_a_malformed_list_is_no_home() -> None:
    talk = Talk()
    talk.home.devices = [{"room": 3}, {"name": "", "kind": None}, {"name": "Lamp", "kind": 7}, "x"]  # type: ignore[list-item]
    talk.home.list_zwave_devices = None  # type: ignore[method-assign, assignment]

    assert isinstance(await talk.say("turn on the floor lamp"), Reply | Passed)
    assert talk.acts == []


_WORDS = st.sampled_from(
    "turn switch on off the a floor lamp kitchen light lights all everything in and then to set dim 50 "
    "percent not if is when she said open close lock unlock front door garage it that again please what "
    "which why volume up down living room bedroom blind don't never".split()
)


@given(st.lists(_WORDS, min_size=1, max_size=9))
@settings(deadline=None)
def test_word_salad_never_acts_against_a_guard_word(words: list[str]) -> None:
    home = build_home(Device(*row) for row in DEFAULT_HOME)
    tools = frozenset(
        {"control_zwave_device", "control_zwave_lock", "control_speaker_volume", "get_zwave_device"}
    )
    understood = Talk().brain.understand(" ".join(words), Context(home, tools=tools))

    if {"not", "if", "when", "said", "don't", "never", "why"} & set(words):
        assert not any(step.acts for step in understood.steps), understood
    assert understood.steps or understood.clarification or understood.not_handled
