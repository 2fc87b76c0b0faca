"""Malformed requests: each gets an answer, and none stops the channel."""

import json

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tests.mqtt.conftest import Listener

from voice_gateway.channels.mqtt.topics import LONGEST_REQUEST, read_request
from voice_gateway.config import MqttSettings, load
from voice_gateway.errors import ConfigError

HALF = "\ud800"  # a lone surrogate: valid in JSON, and nothing can send it


WRONG = {
    "{": "not valid JSON",
    "{}": 'needs "text"',
    '{"text": 3}': 'needs "text"',
    '{"text": "hi", "reply_to": "a/#"}': "without wildcards",
    '{"text": "hi", "id": {"a": 1}}': '"id" must be',
    '{"text": "hi", "id": "\\ud800"}': '"id" must be',  # the client must recognise it
    '{"text": "hi", "reply_to": "\\ud800"}': '"reply_to" must be',
    '{"text": "hi", "room": 5}': '"room" must be',
    '{"text": "hi", "x": %s}' % ("[" * 30_000 + "]" * 30_000): "JSON too deep",
    '{"text": "hi", "x": %s}' % ("1" * 10_000): "JSON too deep or too big",
    "x" * (LONGEST_REQUEST + 1): "bytes",
}


def test_a_malformed_request_is_refused_with_a_reason():
    for payload, reason in WRONG.items():
        assert reason in read_request(MqttSettings(), payload.encode()).problem, payload[:40]
    refused = read_request(MqttSettings(), b'{"text": "", "id": "q6", "reply_to": "voice/res/mine"}')
    assert (refused.id, refused.reply_to, refused.problem) == ("q6", "voice/res/mine", 'needs "text"')
    assert read_request(MqttSettings(), b'{"text": "hi", "id": 0}').id == "0"


async def still_answers(listener: Listener) -> None:
    await listener.send("voice/req", {"text": "what time is it", "id": "after"})
    assert (await listener.gets("voice/res", id="after"))["ok"] is True


async def test_a_lone_surrogate_is_replaced_and_a_refusal_stops_nothing(broker, here):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", "{")
        assert "not valid JSON" in (await listener.gets("voice/res"))["error"]
        for field in ("text", "conversation_id"):
            request = {"text": "what time is it", "id": field, field: f"what time is it {HALF}"}
            await listener.send("voice/req", request)
            heard, answer = await listener.gets_all("voice/transcription", "voice/res", id=field)
            assert (heard[field], answer["ok"]) == ("what time is it ?", True)
        await still_answers(listener)


async def test_a_refused_request_is_answered_on_the_gateways_own_topic_only(broker, here):
    elsewhere = Properties(PacketTypes.PUBLISH)
    elsewhere.ResponseTopic = "zigbee2mqtt/lock/set"
    async with Listener.on(broker) as listener:
        for where in ("voice/req", "voice/status", "voice/resolve"):
            await listener.send("voice/req", {"text": "what time is it", "id": where, "reply_to": where})
            refused = await listener.gets("voice/res", id=where)
            assert '"reply_to" must not be a topic of the gateway' in refused["error"]
        await listener.send("voice/req", {"text": "what time is it", "id": "a"}, properties=elsewhere)
        assert '"reply_to" must be voice/res' in (await listener.gets("voice/res", id="a"))["error"]
        await still_answers(listener)

    assert "zigbee2mqtt/lock/set" not in {str(message.topic) for message in listener.seen}
    assert not [m for m in listener.seen if m.topic.matches("voice/status") and b"It's " in m.payload]


BAD_TOPICS = ["a\x00b", "a\x01b", "a\nb", "a\ufffe", "a/+", "$SYS/a", "a" * 2000, 5, ["a"]]
ELSEWHERE = ["voices/req", "req", "voice", "voice/response", "homeassistant/light/x/config", "my/answers2"]


def test_answers_go_below_the_answer_topic_and_the_configured_prefix_only():
    own, more = MqttSettings(), MqttSettings(reply_prefix="my/answers")
    above = MqttSettings(prefix="home/voice", reply_prefix="home")
    allowed = [(own, where) for where in ("voice/res", "voice/res/kitchen", "voice/res/")]
    allowed += [
        (more, "my/answers"),
        (more, "my/answers/kitchen"),
        (more, "voice/res/a"),
        (above, "home/panel"),
    ]
    refused = [(settings, where) for where in (*ELSEWHERE, *BAD_TOPICS) for settings in (own, more)]
    refused += [(above, where) for where in ("home/voice", "home/voice/req", "home/voice/status")]
    for is_allowed, cases in ((True, allowed), (False, refused)):
        for settings, where in cases:
            request = read_request(settings, json.dumps({"text": "hi", "reply_to": where}).encode())
            assert (not request.problem) is is_allowed, (settings.reply_prefix, where)
            assert request.reply_to == (where if is_allowed else f"{settings.prefix}/res")
            if isinstance(where, str) and where:
                assert read_request(settings, b"hi", where).reply_to == request.reply_to


@pytest.mark.parametrize("wrong", ["voice", "voice/req", "voice/res", "a/#", "$SYS", "/a"])
def test_a_reply_prefix_among_the_gateways_own_topics_is_a_config_error(wrong):
    with pytest.raises(ConfigError, match=r"mqtt\.reply_prefix"):
        load(overrides={"mqtt.reply_prefix": wrong}, environ={})
