""" "Why did you do that?" is answered from the record: one sentence for each cause."""

from typing import Any

import pytest
from tests.fakes.home_talk import HomeTalk
from tests.fakes.recording import HOME, recording

from voice_gateway.config import BrainSettings
from voice_gateway.conversation.stages import Aside, Stages
from voice_gateway.languages import say, speak
from voice_gateway.turn import ToolCall, Utterance
from voice_gateway.understanding.nodes import WhyQuestion
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.why import Why, explain


class Talk(HomeTalk):
    def __init__(self, tmp_path, *, model=False, **settings):
        super().__init__(HOME)
        events = self.conversation.events
        self.recorder = recording(tmp_path, events, **settings)
        why = Why(self.recorder, self.brain)
        asides = [Aside("recorder", "a question about what I did", why.answer)]
        stages: list[Any] = [self.brain, self.model] if model else [self.brain]
        self.conversation._stages = Stages(stages, events, self.brain, asides)


@pytest.fixture
async def talk(tmp_path):
    talk = Talk(tmp_path)
    yield talk
    await talk.recorder.close()


async def test_an_order_is_named_and_no_tool(talk):
    await talk.hears("turn on the floor lamp")
    for question in ("why did you do that?", "who switched on the floor lamp"):
        reply = await talk.hears(question)
        assert reply.text == 'Because you asked me to: "turn on the floor lamp".'
        assert (reply.ok, reply.stage, reply.outcomes) == (True, "local", ())


@pytest.mark.parametrize("question", ["why didn't you lock the door", "why haven’t you done that", "why not"])
async def test_an_act_is_no_reason_for_what_was_not_done(talk, question):
    await talk.hears("turn on the floor lamp")
    reply = await talk.hears(question)
    assert reply.text == 'You said "turn on the floor lamp", and I answered "Floor lamp on.".'


async def test_a_yes_is_named_with_its_question(talk):
    await talk.hears("unlock the front door")
    asked = await talk.hears("why did you ask me that?")
    assert "a yes comes first" in asked.text
    await talk.hears("unlock the front door", "yes")
    reply = await talk.hears("why did you unlock the front door")
    assert reply.text.startswith('Because you said yes to "Shall I unlock the front door?')


async def test_what_was_not_understood_is_told_with_the_reason(talk):
    await talk.hears("open the pod bay doors")
    for question in ("why didn't you?", "why not", "why didn't you open the pod bay doors"):
        reply = await talk.hears(question)
        assert "I did nothing" in reply.text
        assert "pod bay doors" in reply.text.split("I did nothing")[1]


async def test_a_routine_is_named_in_any_conversation(talk):
    call = ToolCall("1", "control_zwave_device", {"deviceName": "Floor Lamp", "action": "on"})
    await talk.brain.cache.known()
    own = Utterance("turn on the floor lamp at sunset", "cli", "routine-3")
    await talk.conversation.carry_out(own, [call], sensitive=False, made_in=Utterance("x"))
    for question in ("why did the floor lamp go on", "why did you do that"):
        reply = await talk.hears(question, conversation_id="another")
        assert reply.text == 'Because of your routine "turn on the floor lamp at sunset".'


async def test_what_the_gateway_did_not_do_is_not_claimed(talk):
    await talk.hears("turn on the floor lamp")
    reply = await talk.hears("why is the desk lamp on")
    assert reply.text == say("why.not_me", things=["Desk Lamp"])
    reply = await talk.hears("why is the floor lamp off?")
    assert reply.text == say("why.not_me", things=["Floor Lamp"])


async def test_another_conversation_and_the_world_are_not_meant(talk):
    await talk.hears("turn on the floor lamp", conversation_id="kitchen")
    assert (await talk.hears("why did you do that")).text == say("why.nothing")
    assert "record" not in (await talk.hears("why is the sky up")).text


async def test_a_model_that_acted_is_named_and_talk_with_it_stays_there(tmp_path):
    talk = Talk(tmp_path, model=True)
    call = ToolCall("1", "control_zwave_device", {"deviceName": "Desk Lamp", "action": "on"})
    talk.model.steps = [[call]]
    await talk.hears("it would be nice to see my papers at the desk, could the lamp there help")
    assert (await talk.hears("why did you do that")).text.startswith("I asked first because")
    talk.model.steps = ["Paris is the capital.", "Because of history."]
    await talk.hears("tell me a fact about France", conversation_id="b")
    assert (await talk.hears("why?", conversation_id="b")).text == "Because of history."
    await talk.recorder.close()


@pytest.mark.parametrize(
    ("acted", "staged", "rounds", "start"),
    [
        ({"outcome": "confirmed"}, {"stage": "ollama"}, 1, "Because you said"),
        ({"outcome": "failed", "ok": False}, {"stage": "local"}, 0, "I tried because you said"),
        ({"outcome": "not_permitted", "ok": False}, {"stage": "local"}, 0, "I didn't because it is so"),
        (
            {"outcome": "confirmed"},
            {"stage": "confirmation", "reason": "chosen by hand"},
            0,
            "Because you chose",
        ),
    ],
)
def test_each_cause_has_its_sentence(acted, staged, rounds, start):
    events = [
        *[{"type": "round", "model": "qwen"}] * rounds,
        {"type": "judged", "call_id": "1", "reason": "it is so"},
        {"type": "acted", "call_id": "1", "ok": True, "text": "Done.", **acted},
        {"type": "staged", "taken": True, "reason": "", **staged},
    ]
    turn = {"conversation_id": "cli", "text": "do it", "reply": "Done.", "at": 0.0, "events": events}
    assert explain(turn, 0.0).startswith(start)
    assert ("qwen" in explain(turn, 0.0)) is bool(rounds)


async def test_without_a_record_it_says_so(tmp_path):
    talk = Talk(tmp_path, days=0)
    assert (await talk.hears("why did you do that")).text == say("why.off")


async def test_questions_about_own_doings_are_read_and_others_left_alone(talk):
    things = {
        "but why did you just do this": "",
        "why was that": "",
        "Why didn’t you do it?": "",
        "why haven't you answered": "",
        "why did you turn it on": "",
        "who switched the heating off?": "the heating",
        "why are the blinds still closed": "the blinds",
        "why did the kitchen light turn off just now": "the kitchen light",
        "why don't you turn on the light": None,
        "turn on the lamp": None,
        "why do cats purr": None,
        "what time is it": None,
        "tell me a story about why": None,
        f"why is {'my old lamp ' * 200} on": None,
    }
    questions = {text: await talk.brain.read_as(WhyQuestion, text) for text in things}
    assert {text: question and question.thing for text, question in questions.items()} == things


async def test_the_question_is_read_behind_a_turn_in_a_language_that_has_none():
    home = HomeTalk(HOME)
    brain = UnderstandingStage(home.brain._executor, BrainSettings(languages=("de", "en")))
    speak("de")

    assert await brain.read_as(WhyQuestion, "why did you do that") is not None
