"""Requests that nobody sane would send: each gets its answer, and none takes the door down."""

import json

import pytest
from tests.mqtt.conftest import Listener

from voice_gateway.config import MqttSettings
from voice_gateway.doors.mqtt.topics import BadRequest, Request, read_request
from voice_gateway.turn import Utterance

HALF = "\ud800"  # half a character: JSON may say it, and nothing can carry it


async def still_answers(listener: Listener) -> None:
    await listener.send("voice/req", {"text": "what time is it", "id": "after"})
    assert (await listener.gets("voice/res", id="after"))["ok"] is True


@pytest.mark.parametrize("odd", ["text", "conversation_id"])
async def test_half_a_character_is_answered(broker, here, odd):
    request = {"text": "what time is it", "id": "half", odd: f"what time is it {HALF}"}
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", request)
        told = await listener.gets("voice/transcription", id="half")
        assert told[odd] == "what time is it ?"
        assert (await listener.gets("voice/res", id="half"))["ok"] is True
        await still_answers(listener)


@pytest.mark.parametrize("odd", ["id", "reply_to"])
async def test_half_a_character_where_the_asker_must_know_it_again_is_refused(broker, here, odd):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "what time is it", odd: f"x{HALF}"})
        assert f'"{odd}"' in (await listener.gets("voice/res"))["error"]
        await still_answers(listener)


def test_half_a_character_comes_in_by_no_door():
    utterance = Utterance(f"hi {HALF}", conversation_id=f"c{HALF}", id=f"i{HALF}", room=f"r{HALF}")

    assert (utterance.text, utterance.conversation_id, utterance.id, utterance.room) == (
        "hi ?",
        "c?",
        "i?",
        "r?",
    )
    assert Utterance("é 💡").text == "é 💡"


@pytest.mark.parametrize(
    "value", ["[" * 30_000 + "]" * 30_000, "1" * 10_000], ids=["a deep nest", "a long number"]
)
async def test_json_that_cannot_be_read_is_refused(broker, here, value):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", f'{{"id": "odd", "text": "hi", "x": {value}}}')
        assert "JSON" in (await listener.gets("voice/res"))["error"]
        await still_answers(listener)


@pytest.mark.parametrize("where", ["voice/req", "voice/status", "voice/resolve"])
async def test_an_answer_goes_to_no_topic_of_ours_but_the_one_for_answers(broker, here, where):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "what time is it", "id": "loop", "reply_to": where})
        refused = await listener.gets("voice/res", id="loop")
        assert refused["ok"] is False
        assert '"reply_to" must not be a topic of the gateway' in refused["error"]
        await still_answers(listener)

    told = [message for message in listener.seen if str(message.topic) == where]
    assert not [message for message in told if b"It is " in message.payload]


@pytest.mark.parametrize(
    "where", ["a\x00b", "a\x01b", "a\nb", "a\ufffe", "a/+", "$SYS/a", "a" * 2000, 5, ["a"]]
)
def test_a_topic_that_a_broker_would_not_take_is_refused(where):
    read = read_request(MqttSettings(), json.dumps({"text": "hi", "reply_to": where}).encode())

    assert isinstance(read, BadRequest)
    assert read.reply_to == "voice/res"


@pytest.mark.parametrize("where", ["voice/res", "voice/res/kitchen", "voices/req", "req"])
def test_other_topics_and_those_below_the_answers_may_be_asked_for(where):
    payload = json.dumps({"text": "hi", "reply_to": where}).encode()

    read = read_request(MqttSettings(), payload)

    assert isinstance(read, Request)
    assert read.reply_to == where


def test_the_response_topic_of_mqtt_5_is_checked_like_any_other():
    read = read_request(MqttSettings(prefix="home/voice"), b"hi", "home/voice/req")

    assert isinstance(read, BadRequest)
    assert read.reply_to == "home/voice/res"
