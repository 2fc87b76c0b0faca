"""Requests that nobody sane would send: each gets its answer, and none takes the door down."""

import json

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tests.mqtt.conftest import Listener

from voice_gateway.channels.mqtt.topics import BadRequest, Request, read_request
from voice_gateway.config import MqttSettings, load
from voice_gateway.errors import ConfigError
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
    assert not [message for message in told if b"It's " in message.payload]


@pytest.mark.parametrize(
    "where", ["a\x00b", "a\x01b", "a\nb", "a\ufffe", "a/+", "$SYS/a", "a" * 2000, 5, ["a"]]
)
def test_a_topic_that_a_broker_would_not_take_is_refused(where):
    read = read_request(MqttSettings(), json.dumps({"text": "hi", "reply_to": where}).encode())

    assert isinstance(read, BadRequest)
    assert read.reply_to == "voice/res"


OUR_ANSWERS = ["voice/res", "voice/res/kitchen", "voice/res/"]
ELSEWHERE = [
    "voices/req",
    "req",
    "voice",
    "voice/response",
    "homeassistant/light/x/config",
    "zigbee2mqtt/lock/set",
]


@pytest.mark.parametrize("where", OUR_ANSWERS)
@pytest.mark.parametrize("by", ["reply_to", "response topic"])
def test_answers_may_be_asked_for_at_the_place_for_them_and_below_it(where, by):
    read = asked(MqttSettings(), where, by)

    assert isinstance(read, Request)
    assert read.reply_to == where


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("by", ["reply_to", "response topic"])
def test_the_gateway_writes_nowhere_else_for_an_asker(where, by):
    read = asked(MqttSettings(), where, by)

    assert isinstance(read, BadRequest)
    assert read.reply_to == "voice/res"


@pytest.mark.parametrize(
    ("where", "allowed"),
    [
        ("my/answers", True),
        ("my/answers/kitchen", True),
        ("my/answers2", False),
        ("my", False),
        ("voice/res/kitchen", True),
        ("voice/req", False),
    ],
)
def test_a_setting_allows_one_more_place(where, allowed):
    read = asked(MqttSettings(reply_prefix="my/answers"), where)

    assert isinstance(read, Request) is allowed


def test_a_place_for_answers_above_the_gateway_does_not_open_its_own_topics():
    settings = MqttSettings(prefix="home/voice", reply_prefix="home")

    assert isinstance(asked(settings, "home/panel"), Request)
    for own in ("home/voice", "home/voice/req", "home/voice/status"):
        assert isinstance(asked(settings, own), BadRequest)


@pytest.mark.parametrize("wrong", ["voice", "voice/req", "voice/res", "a/#", "$SYS", "/a"])
def test_a_place_for_answers_among_the_gateways_own_topics_is_refused(wrong):
    with pytest.raises(ConfigError, match=r"mqtt\.reply_prefix"):
        load(overrides={"mqtt.reply_prefix": wrong}, environ={})


async def test_what_is_refused_is_answered_where_answers_are_and_nowhere_else(broker, here):
    elsewhere = Properties(PacketTypes.PUBLISH)
    elsewhere.ResponseTopic = "zigbee2mqtt/lock/set"
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "what time is it", "id": "a"}, properties=elsewhere)
        assert '"reply_to" must be voice/res' in (await listener.gets("voice/res", id="a"))["error"]
        await still_answers(listener)

    assert "zigbee2mqtt/lock/set" not in {str(message.topic) for message in listener.seen}


def asked(settings: MqttSettings, where: str, by: str = "reply_to") -> Request | BadRequest:
    if by == "reply_to":
        return read_request(settings, json.dumps({"text": "hi", "reply_to": where}).encode())
    return read_request(settings, b"hi", where)
