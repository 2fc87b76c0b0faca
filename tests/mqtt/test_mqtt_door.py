"""The gateway on a real broker: what it tells, what it answers, and how it comes back."""

import asyncio
import signal
from datetime import UTC, datetime

import pytest
from tests.fakes.certificates import Certificates
from tests.fakes.gateway_process import Running
from tests.fakes.mosquitto import Broker
from tests.mqtt.conftest import NO_SERVER, Listener


async def test_requests_are_answered_and_each_step_is_published(broker, running):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "what time is it", "id": "q1", "conversation_id": "c1"})

        topics = ("voice/transcription", "voice/tool", "voice/ai-response", "voice/res")
        heard, tool, told, answer = await listener.gets_all(*topics, id="q1")

    assert heard["text"] == "what time is it"
    assert (tool["name"], tool["ok"]) == ("get_current_datetime", True)
    assert answer["text"] == told["text"]
    assert answer["text"].startswith("It's ")
    assert answer["conversation_id"] == told["conversation_id"] == "c1"
    assert {"timestamp", "model", "seconds", "stage"} <= set(told)
    assert (heard["model"], heard["seconds"]) == (None, None)  # nobody had to listen
    assert tool["model"] is None  # the understanding
    assert tool["seconds"] > 0
    assert answer["outcomes"][0]["name"] == "get_current_datetime"

    async with Listener.on(broker) as listener:
        await listener.send("voice/req", "what day is it")  # plain text
        assert (await listener.gets("voice/res"))["ok"] is True
        await listener.send("voice/req", {"text": "what day is it", "reply_to": "voice/res/mine", "id": "r"})
        assert (await listener.gets("voice/res/mine"))["id"] == "r"


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
async def test_the_status_is_retained_and_becomes_offline(broker, running, killed):
    async with Listener.on(broker) as listener:
        online = await listener.gets("voice/status", state="online")
        assert listener.seen[-1].retain
        stopped_at = datetime.now(UTC)
        if killed:
            running.process.send_signal(signal.SIGKILL)
        else:
            await running.stop()
        offline = await listener.gets("voice/status")

    assert offline["state"] == "offline"
    if killed:  # the last will was written long before: nobody knows when it happened
        assert offline.pop("timestamp") is None
        connected_at = datetime.fromisoformat(offline.pop("connected_at"))
        assert connected_at < datetime.fromisoformat(online.pop("timestamp"))
    else:
        assert datetime.fromisoformat(offline["timestamp"]) > stopped_at
    assert set(offline) == set(online)


async def test_discovery_is_sent_again_after_home_assistant_starts(broker, running):
    async with Listener.on(broker) as listener:
        ask = await listener.gets("homeassistant/text/voice_gateway_voice/ask/config")
        assert ask["command_topic"] == "voice/req"
        assert ask["unique_id"] == "voice_gateway_voice_ask"

        await listener.send("homeassistant/status", "online")
        again = await listener.gets("homeassistant/sensor/voice_gateway_voice/status/config")
        assert again["state_topic"] == "voice/status"


async def test_an_old_retained_request_is_not_answered(commands, broker):
    async with Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "set a timer for one hour", "id": "old"}, retain=True)
        commands.file("voice-gateway.toml", NO_SERVER)
        async with Running.opened(commands, MQTT_BROKER_URL=broker.url):
            await listener.gets("voice/status", state="online")
            await listener.send("voice/req", {"text": "what time is it", "id": "new"})
            await listener.gets("voice/res", id="new")

    assert not [
        message for message in listener.seen if b'"old"' in message.payload and "res" in str(message.topic)
    ]


async def test_without_a_broker_the_gateway_answers_and_is_degraded(commands, broker):
    broker.stop()
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
        assert (await commands.run("ask", "what time is it")).code == 0
        status = await commands.run("status", "--json")
        parts = {part["part"]: part for part in status.json["parts"]}
        assert parts["mqtt"]["state"] == "degraded"

        broker.start()
        await gateway.says("is connected")
        async with Listener.on(broker) as listener:
            await listener.gets("voice/status", state="online")


async def test_a_frozen_broker_delays_neither_a_turn_nor_the_stop(commands, broker, running):
    broker.freeze()
    try:
        assert (await commands.run("ask", "--json", "what time is it")).json["ok"] is True
        assert await asyncio.wait_for(running.stop(), 25) == 0
    finally:
        broker.thaw()


@pytest.mark.slow
async def test_login_and_tls_with_an_authority_of_our_own(commands, tmp_path):
    (tmp_path / "b").mkdir()
    broker = Broker(tmp_path / "b", users={"me": "sesame-7"}, tls=Certificates(tmp_path / "b"))
    broker.start()
    try:
        login = {"MQTT_BROKER_URL": broker.url, "VOICE_GATEWAY_MQTT_CA_FILE": str(broker.tls.ca)}
        wrong = await commands.run("doctor", "--json", MQTT_USERNAME="me", MQTT_PASSWORD="wrong", **login)
        right = await commands.run("doctor", "--json", MQTT_USERNAME="me", MQTT_PASSWORD="sesame-7", **login)
    finally:
        broker.kill()

    verdicts = [
        next(c for c in done.json["checks"] if c["check"] == "mqtt")["verdict"] for done in (wrong, right)
    ]
    assert verdicts == ["failed", "ok"]
    assert (wrong.code, right.code) == (1, 0)
    assert "sesame-7" not in right.out + right.err
