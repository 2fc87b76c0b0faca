"""No question, negation, condition, reported speech or statement ever acts."""

import pytest
from tests.fakes.local_talk import Talk

from voice_gateway.brain.local.speech_act import NotACommand, SpeechAct, classify, not_a_command
from voice_gateway.turn import Passed, Words


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("do not turn on the lamp", NotACommand.NEGATION),
        ("turn on the lamp if it rains", NotACommand.CONDITION),
        ("turn on the lamp at 7 pm", NotACommand.CONDITION),
        ("she said turn on the lamp", NotACommand.REPORTED),
        ("is the lamp on", NotACommand.QUESTION),
        ("the lamp is on", NotACommand.STATEMENT),
        ("turn on the lamp", None),
        ("dim the lamp at 15 percent", None),
    ],
)
def test_what_keeps_a_sentence_from_acting_is_named(said: str, kind: NotACommand | None) -> None:
    assert not_a_command(said) == kind


WISHES = (
    "turn on the desk lamp", "could you lock the front door?", "hallway light", "floor lamp to fifty percent",
    "order a pizza", "water the plants", "tell Sam I'm on my way", "tell me when the washing is done",
    "no, turn it off", "tell me the news and dim the lamp", "that's too loud", "it's freezing in here",
    "yes please", "how about some light", "I could use some music", "do the dishes",
    "why don't we open a window",
    "two degrees warmer", "some music in the bathroom", "porch light on at sunset", "remind me to call mum",
)  # fmt: skip
ASKED_OF_THE_HOME = (
    "is the back door closed", "is the camera on?", "how warm is it in the bedroom",
    "which lights are burning", "what's happening at home",
    "did you lock up", "did you order the pizza", "check the lamps", "why does my heater keep turning off",
    "did it work", "is it done", "what time is it", "how much time is left",
    "is anyone in the hallway", "where is the robot vacuum",
)  # fmt: skip
TALK = (
    "hello", "good morning", "thanks", "tell me a story about dragons", "write a haiku about autumn",
    "who invented the telephone", "how do I cook pasta", "what's the capital of Spain",
    "my boss gave me the day off", "are you tired", "explain gravity", "I bought a new bicycle",
)  # fmt: skip
NOT_SURELY_TALK = (
    "mach das licht im wohnzimmer an", "enciende la luz de la cocina", "rappelle moi d'appeler maman",
    "zet de verwarming op 21", "bedtime", "", "defrost the chicken",
    "was ist an", "are becul aprins", "tell me a joke und mach das licht an", "is de lamp aan",
    "what is that", "what did you do", "there's no light in here", "thank you enciende la luz",
    "how does a timer work", "tell me a joke about a lamp", "what is a dimmer",
    "I cleaned the kitchen", "she said open the garage door", "are the kids asleep", "am I safe",
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "act"),
    [
        *((said, SpeechAct.HOME) for said in WISHES),
        *((said, SpeechAct.HOME) for said in ASKED_OF_THE_HOME),
        *((said, SpeechAct.TALK) for said in TALK),
        *((said, SpeechAct.UNCLEAR) for said in NOT_SURELY_TALK),
    ],
)
async def test_an_utterance_is_about_the_home_talk_or_unclear(said: str, act: SpeechAct) -> None:
    talk = Talk()
    await talk.brain.refresh()

    home = talk.brain.home
    names = [*(device.name for device in home.devices), *home.rooms]

    assert classify(said, names, talk.tools.all()) is act


@pytest.mark.parametrize(
    "said",
    ["don't turn on the floor lamp", "she said open the garage door", "the floor lamp is on", "i love you"],
)
async def test_it_is_handed_on_with_side_effects_forbidden(said: str) -> None:
    passed = await Talk().passed(said)

    assert passed.words is not Words.WISH


async def test_a_request_that_is_not_understood_may_act_in_the_next_stage() -> None:
    talk = Talk()

    assert (await talk.passed("make the living room cozy for movie night")).words is Words.WISH
    assert (await talk.passed("could you flash the floor lamp")).words is Words.WISH


@pytest.mark.parametrize(
    "said", ["light of my life", "tell me a joke", "set the table for dinner", "harvest starts soon", "yes"]
)
async def test_what_asks_for_nothing_that_a_tool_could_do_may_not_act_in_any_stage(said: str) -> None:
    assert (await Talk().passed(said)).words is not Words.WISH


@pytest.mark.parametrize(
    "said",
    [
        "mute the tv",
        "unmute the television",
        "make the tv louder",
        "start with the kitchen",
        "switch the floor lamp with the desk lamp",
        "put the floor lamp in the bedroom",
    ],
)
async def test_the_loudness_of_something_else_and_talk_to_others_may_not_act(said: str) -> None:
    assert (await Talk().passed(said)).words is not Words.WISH


@pytest.mark.parametrize(
    ("said", "may"),
    [
        ("could you flash the floor lamp", set()),
        ("could you make everything a little louder in here", {"control_speaker_volume"}),
        ("set the lights to something nice in ten minutes or so please", {"set_timer"}),
    ],
)
async def test_the_next_stage_may_not_use_a_tool_that_nothing_was_said_of(said: str, may: set[str]) -> None:
    passed = await Talk().passed(said)

    assert {"control_speaker_volume", "set_timer", "cancel_timer"} - passed.unspoken_of == may


async def test_a_complaint_about_loudness_acts_and_a_story_about_it_does_not() -> None:
    talk = Talk()

    await talk.reply("that is too loud")
    assert talk.home.calls == [("control_speaker_volume", {"action": "down"})]
    assert isinstance(await talk.say("it was too loud yesterday"), Passed)
    assert isinstance(await talk.say("the neighbours are too loud"), Passed)
    assert isinstance(await talk.say("is it too loud"), Passed)


async def test_a_command_with_a_question_mark_is_asked_first() -> None:
    talk = Talk()

    asked = await talk.reply("Turn off the kitchen light?")
    assert asked.text == "Shall I turn off the Kitchen Light?"
    assert asked.expects_answer
    assert talk.acts == []
    await talk.reply("yes")
    assert talk.acts == [("Kitchen Light", "off")]

    asked = await talk.reply("Turn off the lamp?")
    assert asked.text.startswith("Which one do you mean")
    assert talk.acts == []
    await talk.reply("the floor lamp")
    assert talk.acts == [("Floor Lamp", "off")]


@pytest.mark.parametrize(
    "said",
    [
        "is someone there",
        "are we alone",
        "who was here today",
        "where is my phone",
        "what happened last night",
    ],
)
def test_who_is_here_and_what_happened_is_not_talk(said: str) -> None:
    assert classify(said, (), ()) is SpeechAct.UNCLEAR


@pytest.mark.parametrize("said", ["can penguins fly", "give me a quote", "where is Paris", "who was Mozart"])
def test_what_the_world_is_like_is_talk(said: str) -> None:
    assert classify(said, (), ()) is SpeechAct.TALK
