"""The local brain in a conversation: calls, answers, follow-ups, and what it leaves in the history."""

import asyncio

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from tests.fakes.home_tools import DEFAULT_HOME, ScriptedHome, builtin_tools, home_tools, manager_for
from tests.fakes.limits import with_limits
from tests.fakes.local_talk import Talk
from tests.fakes.waiting import until

from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.gate import TurnGate
from voice_gateway.turn import Passed, Reply, ToolCall, ToolTraits, Utterance, Words
from voice_gateway.turns.history import History
from voice_gateway.turns.stage import Turn
from voice_gateway.verdict import ALLOWED, Decision, Verdict


async def test_the_turn_stands_in_the_history_like_a_models() -> None:
    talk = Talk()

    reply = await talk.reply("turn on the floor lamp")

    user, asking, result, answer = talk.history.messages
    assert isinstance(user, HumanMessage)
    assert user.content == "turn on the floor lamp"
    assert isinstance(asking, AIMessage)
    assert asking.tool_calls[0]["args"] == {"deviceName": "Floor Lamp", "action": "on"}
    assert isinstance(result, ToolMessage)
    assert result.tool_call_id == asking.tool_calls[0]["id"]
    assert answer.content == reply.text
    assert reply.stage == "local"
    assert reply.ok


async def test_what_is_passed_on_leaves_no_trace() -> None:
    talk = Talk()

    await talk.passed("tell me a joke")

    assert talk.history.messages == []


async def test_a_room_becomes_one_call_per_device_and_failures_are_told() -> None:
    talk = Talk()

    reply = await talk.reply("turn off everything in the garage")
    assert talk.acts == [("Space Heater", "off")]
    assert reply.text == "The Space Heater in the Garage does not answer."
    assert not reply.ok

    reply = await talk.reply("turn off everything")
    assert len(reply.outcomes) == 7
    assert reply.text.endswith("The Space Heater in the Garage does not answer.")
    assert "Floor Lamp" in reply.text
    assert not reply.ok


async def test_several_commands_run_as_several_calls() -> None:
    talk = Talk()

    await talk.reply("turn off the floor lamp and set the volume to thirty")

    assert ("control_zwave_device", {"deviceName": "Floor Lamp", "action": "off"}) in talk.home.calls
    assert ("control_speaker_volume", {"action": "set", "level": 30}) in talk.home.calls


async def test_half_a_wish_is_not_carried_out() -> None:
    talk = Talk()

    assert isinstance(await talk.say("turn on the floor lamp and order a pizza"), Passed)
    assert talk.acts == []


async def test_the_answer_names_the_room_that_settled_it() -> None:
    talk = Talk()

    reply = await talk.reply("turn on the light", room="Bedroom")

    assert talk.acts == [("Bedside Lamp", "on")]
    assert "Bedroom" in reply.text


async def test_the_gateways_own_room_counts_when_the_door_has_none() -> None:
    talk = Talk(room="Kitchen")

    await talk.reply("turn off the light")

    assert talk.acts == [("Kitchen Light", "off")]


async def test_it_asks_which_one_and_takes_the_answer() -> None:
    talk = Talk()

    asked = await talk.reply("turn on the light")
    assert asked.expects_answer
    assert talk.acts == []
    await talk.reply("the one in the kitchen")
    assert talk.acts == [("Kitchen Light", "on")]


async def test_an_answer_that_comes_too_late_answers_nothing() -> None:
    talk = Talk()
    await talk.reply("turn off the kitchen light?")
    talk.now += 61

    assert isinstance(await talk.say("yes"), Passed)
    assert talk.acts == []


async def test_a_question_is_void_once_something_else_was_said() -> None:
    talk = Talk()
    await talk.reply("turn off the kitchen light?")
    await talk.reply("what time is it")

    assert isinstance(await talk.say("yes"), Passed)
    assert talk.acts == []


async def test_an_unknown_device_is_asked_back_with_the_nearest() -> None:
    talk = Talk()

    asked = await talk.reply("turn on the kitchen floor lamp")
    assert "Floor Lamp" in asked.text
    assert asked.expects_answer
    assert talk.acts == []


async def test_an_unknown_device_with_nothing_near_is_handed_on_forbidden() -> None:
    passed = await Talk().passed("turn on the aquarium")

    assert passed.words is not Words.WISH
    assert passed.spoken == "I don't know a device called aquarium."


async def test_a_misheard_way_into_the_house_is_asked_first() -> None:
    talk = Talk()

    await talk.reply("unlock the frond door")
    assert talk.acts == []
    await talk.reply("yes")
    assert talk.acts == [("Front Door", "unlock")]


@pytest.mark.parametrize(
    ("turns", "acts"),
    [
        (("turn on the floor lamp", "dim it to half"), [("Floor Lamp", "dim")]),
        (("turn on the floor lamp", "turn it off again"), [("Floor Lamp", "off")]),
        (("turn off the lights in the kitchen", "and the bedroom"), [("Bedside Lamp", "off")]),
        (("is the floor lamp on", "turn it off"), [("Floor Lamp", "off")]),
        (("turn on the light", "no"), []),
        (("turn on the light", "the bedroom one"), [("Bedside Lamp", "on")]),
        (("the bedroom one",), []),
        (("turn on the light", "the kitchen and the office one"),
         [("Kitchen Light", "on"), ("Desk Lamp", "on")]),
        (("turn on the light", "the desk lamp and the kitchen"),
         [("Desk Lamp", "on"), ("Kitchen Light", "on")]),
        (("turn on the light", "the kitchen and the living room"), []),
        (("turn on the light", "the kitchen and the attic"), []),
        (("turn on the light", "the kitchen or the bedroom"), []),
        (("turn on the floor lamp", "what about the desk lamp"), []),
        (("turn on the floor lamp", "what about the desk lamp", "yes"), [("Desk Lamp", "on")]),
        (("turn on the floor lamp", "and the desk lamp?"), []),
        (("turn on the floor lamp", "no i meant the desk lamp"), []),
        (("turn on the floor lamp", "no the desk lamp", "yes"), [("Desk Lamp", "on")]),
        (("turn on the floor lamp", "no not the desk lamp"), []),
        (("turn on the floor lamp", "no the desk lamp is on"), []),
        (("turn on the floor lamp", "fifty percent"), [("Floor Lamp", "dim")]),
        (("turn on the desk lamp", "fifty percent"), []),
        (("set the thermostat to 21", "make it 22"), [("Thermostat", "22")]),
        (("set the thermostat to 21", "set it to 50 percent"), []),
        (("which lights are on", "turn them off"),
         [("Floor Lamp", "off"), ("Kitchen Light", "off"), ("Desk Lamp", "off")]),
        (("is anything open", "close it"), [("Window Blind", "close")]),
        (("turn on the floor lamp", "is anything unlocked", "turn it off"), []),
        (("turn off the kitchen light?", "yeah go ahead"), [("Kitchen Light", "off")]),
        (("turn on the floor lamp", "and the chandelier"), []),
        (("close the blind", "both"), [("Window Blind", "close"), ("Study Blinds", "close")]),
        (("close the blind and the garage door", "the one in the study"),
         [("Garage Door", "close"), ("Study Blinds", "close")]),
    ],
)  # fmt: skip
async def test_follow_ups(turns: tuple[str, ...], acts: list[tuple[str, str]]) -> None:
    talk = Talk()
    for text in turns:
        await talk.say(text)

    assert talk.acts == acts


async def test_brighter_counts_from_what_was_confirmed() -> None:
    talk = Talk()
    await talk.reply("dim the floor lamp to 40 percent")

    await talk.reply("brighter")
    assert talk.home.calls == [
        ("control_zwave_device", {"deviceName": "Floor Lamp", "action": "dim", "level": 60})
    ]
    await talk.reply("a bit darker")
    assert talk.home.calls[0][1]["level"] == 50


async def test_follow_ups_survive_a_stored_conversation() -> None:
    talk = Talk()
    await talk.reply("turn on the light")
    talk.history = History.from_json(talk.history.to_json())

    await talk.reply("the floor lamp")

    assert talk.acts == [("Floor Lamp", "on")]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("is the front door locked", "Yes, the Front Door is locked."),
        ("is the coffee maker on", "No, the Coffee Maker is off."),
        ("which lights are on", "The Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("are all the blinds closed", "Not all: the Study Blinds are closed."),
        ("is anything on in the living room", "Yes, the Floor Lamp is on in the Living Room."),
        ("what's the temperature in the office", "The temperature in the Office is 21.5 degrees Celsius."),
        ("what's the temperature in the kitchen", "Nothing in the Kitchen measures the temperature."),
        ("how many lights are on", "3: the Floor Lamp, the Kitchen Light and the Desk Lamp are on."),
        ("which devices are offline", "The Space Heater is offline."),
        ("what is in the bedroom", "There are 2 devices in the Bedroom: Bedside Lamp and Window Blind."),
    ],
)  # fmt: skip
async def test_questions_are_answered_from_a_look_of_this_turn(said: str, answer: str) -> None:
    talk = Talk()

    reply = await talk.reply(said)

    assert reply.text == answer
    assert reply.outcomes
    assert talk.acts == []


async def test_a_long_list_is_read_to_its_end() -> None:
    home = ScriptedHome.of([(f"Lamp {n}", "Hall", "switch", "on", True) for n in range(7)])
    home.page_size = 3
    talk = Talk(home)

    reply = await talk.reply("how many lights are there")

    assert reply.text == "There are 7 lights: Lamp 0, Lamp 1, Lamp 2, Lamp 3, Lamp 4, Lamp 5 and Lamp 6."
    assert len(reply.outcomes) == 3


async def test_what_it_can_do_is_told_from_the_tools_that_are_there() -> None:
    everything = await Talk().reply("what can you do")
    nothing = await Talk(tools=ToolManager()).reply("what can you do")

    assert "control your lights, blinds, locks and heating" in everything.text
    assert everything.text.endswith(" and more.")
    assert nothing.text == "I can't do anything at the moment: no tools are connected."


async def test_a_missing_tool_is_said() -> None:
    home = ScriptedHome.default()
    tools = ToolManager()
    tools.add_mcp_tools("zwave", home_tools(home))

    passed = await Talk(home, tools=tools).passed("set a timer for ten minutes")

    assert passed.spoken == "I have no timers here."


async def test_a_missing_time_is_asked_for() -> None:
    talk = Talk()

    asked = await talk.reply("set a timer")
    assert asked.text == "For how long?"
    await talk.reply("ten minutes")
    assert talk.home.calls == [("set_timer", {"duration": "10 minutes"})]


async def test_free_text_goes_out_as_it_was_said() -> None:
    talk = Talk()

    await talk.reply("Look up the height of Mount Everest.")

    assert talk.home.calls == [("search_web", {"query": "the height of Mount Everest"})]


async def test_a_refused_call_is_told_and_changes_nothing() -> None:
    def refuse(call: ToolCall, traits: ToolTraits) -> Verdict:
        return ALLOWED if traits.read_only else Verdict(Decision.REFUSED, "this is not allowed from here")

    talk = Talk()

    reply = await talk.reply("unlock the front door", gate=refuse)

    assert reply.text == "This is not allowed from here."
    assert not reply.ok
    assert talk.acts == []


# --- the home


def brain_with(tools: ToolManager, **given: object) -> LocalBrain:
    return LocalBrain(ToolExecutor(tools), with_limits(BrainSettings, refresh_seconds=3600), **given)  # type: ignore[arg-type]


async def test_only_what_needs_the_home_waits_for_it() -> None:
    home, waited = ScriptedHome.default(), asyncio.Event()

    async def ready() -> None:
        waited.set()

    tools = ToolManager()
    for tool in builtin_tools(home):
        tools.add(tool)
    brain = brain_with(tools, home_ready=ready)

    assert isinstance(await brain.answer(Turn(Utterance("what time is it"))), Reply)
    assert not waited.is_set()
    tools.add_mcp_tools("zwave", home_tools(home))
    assert isinstance(await brain.answer(Turn(Utterance("turn on the floor lamp"))), Reply)
    assert waited.is_set()


async def test_new_tools_and_announced_changes_are_read() -> None:
    home = ScriptedHome.of(DEFAULT_HOME[:2])
    tools = manager_for(home)
    brain = brain_with(tools)
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(30):
        fresh = tasks.create_task(brain.keep_fresh())
        await until(lambda: len(brain.home.devices) == 2)
        home.devices.append({**home.devices[0], "name": "Disco Ball", "nodeId": 99})
        brain.home_changed()
        await until(lambda: len(brain.home.devices) == 3)
        fresh.cancel()

    call = ToolCall("1", "control_zwave_device", {"deviceName": "disco ball", "action": "on"})
    reach = brain.reach(call, ToolTraits(source="zwave", original_name="control_zwave_device"))
    assert reach is not None
    assert [device.kind for device in reach.devices] == ["dimmer"]


async def test_a_home_that_is_gone_is_forgotten_and_said() -> None:
    talk = Talk()
    await talk.reply("turn on the floor lamp")
    talk.tools.add_mcp_tools("zwave", [])

    passed = await talk.passed("turn on the floor lamp")

    assert passed.spoken == "I can't reach the home at the moment."


async def test_a_home_that_was_never_read_says_why() -> None:
    async def broken(**_args: object) -> tuple[str, dict[str, object]]:
        raise ToolError("The MQTT broker does not answer.")

    talk = Talk()
    talk.home.list_zwave_devices = broken  # type: ignore[method-assign, assignment]
    talk.tools.add_mcp_tools("zwave", home_tools(talk.home))

    for said in ("turn on the floor lamp", "is the floor lamp on"):
        passed = await talk.passed(said)
        assert passed.spoken == "The MQTT broker does not answer."


async def test_a_home_that_cannot_be_read_once_stays_known() -> None:
    talk = Talk()
    await talk.brain.refresh()
    good, talk.home.devices = talk.home.devices, None  # type: ignore[assignment]

    await talk.brain.refresh()

    talk.home.devices = good
    assert len(talk.brain.home.devices) == 16


async def test_turning_it_down_means_the_sound_unless_a_lamp_is_talked_of() -> None:
    talk = Talk()
    await talk.reply("turn it down a notch")
    assert talk.home.calls == [("control_speaker_volume", {"action": "down"})]
    await talk.reply("dim the floor lamp to 60 percent")
    await talk.reply("turn it down")
    assert talk.home.calls == [
        ("control_zwave_device", {"deviceName": "Floor Lamp", "action": "dim", "level": 40})
    ]
    await talk.reply("louder")
    await talk.reply("turn it down")
    assert talk.home.calls == [("control_speaker_volume", {"action": "down"})]


async def test_a_siren_or_gate_is_reached_by_its_name_alone_and_asked_about() -> None:
    rows = [("Siren", "Hall", "switch", "off", True), ("Relay", "Gate", "switch", "off", True)]
    talk = Talk(ScriptedHome.of([*DEFAULT_HOME[:4], *rows]))
    await talk.say("turn on everything")
    assert talk.acts
    assert not {"Siren", "Relay"} & {device for device, _ in talk.acts}

    gate = TurnGate("cli", PermissionSettings(), talk.brain.reach)
    for wish in (
        "turn on the siren",
        "turn on all the switches",
        "turn on the relay",
        "switch on the hall siren",
    ):
        await talk.say(wish, gate=gate)
        assert not {"Siren", "Relay"} & {device for device, _ in talk.acts}, wish
    assert {call.args["deviceName"] for call in gate.asked} == {"Siren", "Relay"}
