""" "Why did you do that?" is answered from the record: the words, the stage, the call, the permission."""

from typing import Any

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.recording import recording

from home_words.resolver import Nothing
from voice_gateway.conversation.stages import Stages
from voice_gateway.recorder.why import OFF, Why
from voice_gateway.recorder.why_words import About, read_question
from voice_gateway.turn import ToolCall, Utterance

HOME = """
[[device]]
name = "Floor Lamp"
kind = "dimmer"
room = "Living Room"
[[device]]
name = "Desk Lamp"
kind = "switch"
room = "Office"
[[device]]
name = "Front Door"
kind = "lock"
room = "Hall"
"""


class Talk(HomeTalk):
    def __init__(self, tmp_path, *, model=False, **settings):
        super().__init__(HOME)
        watch = self.conversation.watch
        self.recorder = recording(tmp_path, watch, **settings)
        why = Why(self.recorder, self.named, self.brain.known).answer
        stages: list[Any] = [self.brain, self.model] if model else [self.brain]
        self.conversation._stages = Stages(stages, watch, None, None, why)

    def named(self, said):
        names = self.brain.home.names
        return () if isinstance(names.find(said), Nothing) else names.could_mean(said)


@pytest.fixture
async def talk(tmp_path):
    talk = Talk(tmp_path)
    yield talk
    await talk.recorder.close()


async def test_the_words_the_stage_the_call_and_the_permission_are_told(talk):
    await talk.hears("turn on the floor lamp")

    told = await talk.hears("why did you do that?")

    assert told.text == (
        'You said "turn on the floor lamp". My own rules understood that, without a language model. '
        "So I called control_zwave_device (Floor Lamp, on): The Floor Lamp is now on. It needs no yes."
    )
    assert (told.ok, told.stage, told.outcomes) == (True, "local", ())
    again = await talk.hears("what made you do that")
    assert again.text == told.text  # not why it answered that


async def test_by_voice_a_tool_has_a_title(talk):
    await talk.hears("turn on the floor lamp", channel="voice")

    told = await talk.hears("why did you do that", channel="voice")

    assert "control_zwave_device" not in told.text
    assert "Floor Lamp" in told.text


async def test_a_yes_is_told_with_its_question_and_what_led_to_it(talk):
    await talk.hears("unlock the front door")
    asked = await talk.hears("why did you ask me that?")
    assert "it is sensitive, so a yes comes first" in asked.text
    await talk.hears("unlock the front door", "yes")

    told = await talk.hears("why did you unlock the front door")

    assert told.text.startswith('You said "yes" to my question "Unlock the front door?')
    assert 'which came from "unlock the front door"' in told.text
    assert told.text.endswith("You had agreed to it.")


async def test_what_was_not_done_is_told_with_the_reason(talk):
    await talk.hears("open the pod bay doors")

    for question in ("why didn't you?", "why not", "why didn't you open the pod bay doors"):
        told = await talk.hears(question)
        assert "unknown device or room: pod bay doors" in told.text
        assert "I called no tool." in told.text


async def test_a_routine_is_named_when_it_was_one(talk):
    call = ToolCall("1", "control_zwave_device", {"deviceName": "Floor Lamp", "action": "on"})
    await talk.brain.known()
    own = Utterance("turn on the floor lamp at sunset", "cli", "routine-3")
    await talk.conversation.carry_out(own, [call], sensitive=False, made_in=Utterance("x"))

    for question in ("why did the light go on", "who switched on the floor lamp", "why did you do that"):
        told = await talk.hears(question, conversation_id="another")
        assert told.text.startswith('Your routine "turn on the floor lamp at sunset" ran just now.')
        assert "You had agreed to it." in told.text


async def test_what_we_did_not_do_is_not_claimed(talk):
    await talk.hears("turn on the floor lamp")

    told = await talk.hears("why is the desk lamp on")
    assert told.text.startswith("I have no record that I touched the Desk Lamp since ")
    other = await talk.hears("why is the floor lamp off?")
    assert other.text.startswith("The last I did with the Floor Lamp was something else, so it was not me")


async def test_it_is_asked_of_the_own_conversation(talk):
    await talk.hears("turn on the floor lamp", conversation_id="kitchen")

    assert (await talk.hears("why did you do that")).text == "I have no record of anything I did here."


async def test_a_model_and_its_round_are_told(tmp_path):
    talk = Talk(tmp_path, model=True)
    call = ToolCall("1", "control_zwave_device", {"deviceName": "Desk Lamp", "action": "on"})
    talk.model.steps = [[call]]

    await talk.hears("it would be nice to see my papers at the desk, could the lamp there help")
    told = await talk.hears("why did you do that")
    await talk.recorder.close()

    assert "My own rules did not settle it" in told.text
    assert "The language model model decided that." in told.text


async def test_talk_with_a_model_stays_with_the_model(tmp_path):
    talk = Talk(tmp_path, model=True)
    talk.model.steps = ["Paris is the capital.", "Because of history."]

    await talk.hears("tell me a fact about France")
    told = await talk.hears("why?")
    await talk.recorder.close()

    assert told.text == "Because of history."


async def test_without_a_record_it_says_so(tmp_path):
    talk = Talk(tmp_path, days=0)

    assert (await talk.hears("why did you do that")).text == OFF


@pytest.mark.parametrize(
    ("text", "about", "thing"),
    [
        ("Why did you do that?", About.LAST, ""),
        ("but why did you just do this", About.LAST, ""),
        ("why was that", About.LAST, ""),
        ("Why didn’t you do it?", About.NOT_DONE, ""),
        ("why haven't you answered", About.NOT_DONE, ""),
        ("why did you turn it on", About.LAST, ""),
        ("who switched the heating off?", About.THING, "the heating"),
        ("why are the blinds still closed", About.THING, "the blinds"),
        ("why did the kitchen light turn off just now", About.THING, "the kitchen light"),
    ],
)
def test_questions_about_our_doings_are_known(text, about, thing):
    found = read_question(text)
    assert found is not None
    assert (found.about, found.thing) == (about, thing)


@pytest.mark.parametrize(
    "text",
    [
        "why don't you turn on the light",
        "turn on the lamp",
        "why do cats purr",
        "what time is it",
        "why would you do that to a friend of mine yesterday",
        "tell me a story about why",
    ],
)
def test_other_questions_are_left_alone(text):
    assert read_question(text) is None


async def test_a_question_about_the_world_goes_on_to_the_brain(talk):
    told = await talk.hears("why is the sky up")

    assert "record" not in told.text


@pytest.mark.parametrize(
    ("text", "about", "thing", "state"),
    [
        ("Warum hast du das gemacht?", About.LAST, "", ""),
        ("wieso hast du das gerade getan", About.LAST, "", ""),
        ("Und warum hast du mich das gefragt?", About.LAST, "", ""),
        ("weshalb", About.LAST, "", ""),
        ("was hast du gerade gemacht", About.LAST, "", ""),
        ("warum nicht", About.LAST, "", ""),
        ("warum hast du das nicht gemacht", About.NOT_DONE, "", ""),
        ("warum hast du die Stehlampe nicht angemacht", About.NOT_DONE, "Stehlampe", ""),
        ("warum hast du die Stehlampe angemacht", About.THING, "Stehlampe", "on"),
        ("Wieso hast du denn die Haustür aufgeschlossen?", About.THING, "Haustür", "unlocked"),
        ("warum ist das Licht in der Küche noch an", About.THING, "Licht in der Küche", "on"),
        ("warum sind die Rollläden zu?", About.THING, "Rollläden", "closed"),
        ("warum ging das Licht plötzlich aus", About.THING, "Licht", "off"),
        ("warum ist das Licht angegangen", About.THING, "Licht", "on"),
        ("wer hat die Heizung ausgeschaltet", About.THING, "Heizung", "off"),
        ("Was hat das Garagentor geöffnet?", About.THING, "Garagentor", "open"),
        ("warum hast du es ausgemacht", About.LAST, "", ""),
    ],
)
def test_german_questions_are_read(text, about, thing, state):
    question = read_question(text)

    assert question is not None
    assert (question.about, question.thing, question.state) == (about, thing, state)


@pytest.mark.parametrize(
    "text",
    [
        "was ist das Wetter morgen",
        "wer hat das Penicillin entdeckt",
        "warum ist der Himmel blau",
        "warum machst du nicht das Licht an",
        "mach das Licht an",
        "was hast du heute im Angebot",
        "was kostet ein Ei",
    ],
)
def test_other_german_words_are_no_such_question(text):
    assert read_question(text) is None


async def test_a_german_question_is_answered_from_the_record(talk):
    await talk.hears("turn on the floor lamp")

    for question in (
        "Warum hast du das gemacht?",
        "Wer hat die Floor Lamp angemacht?",
        "warum ist die Floor Lamp an",
    ):
        assert (await talk.hears(question)).text.startswith('You said "turn on the floor lamp".')
