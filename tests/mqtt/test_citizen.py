"""The gateway in Home Assistant: its entities, what they do, and that nothing is left behind."""

import asyncio
import json

from tests.fakes.gateway_process import LIMIT_SECONDS, Running
from tests.mqtt.conftest import NO_SERVER, Listener, open_channel

from voice_gateway.channels.mqtt.channel import Controls
from voice_gateway.channels.voice.channel import VoiceSwitches
from voice_gateway.events import Planned
from voice_gateway.turn import Reply


async def answer(utterance, **_options):
    return Reply(f"You said {utterance.text}.")


def opened(broker, controls=Controls(), **settings):  # noqa: B008 (frozen)
    return open_channel(broker, answer, settings=settings, controls=controls)


async def kept(broker) -> dict[str, bytes]:
    """All that the broker has retained, by topic."""
    found = {}
    async with asyncio.timeout(LIMIT_SECONDS), Listener.on(broker) as listener:
        await listener.send("end/of/what/is/kept", "now")
        async for message in listener.client.messages:
            if str(message.topic) == "end/of/what/is/kept":
                return found
            if message.retain:
                found[str(message.topic)] = message.payload
    raise AssertionError


async def settles(broker, check):
    async with asyncio.timeout(LIMIT_SECONDS):
        while not check(found := await kept(broker)):
            await asyncio.sleep(0)
    return found


async def test_commands_speak_record_and_switch(broker, tmp_path):
    said, pressed, switches = [], [], VoiceSwitches(tmp_path / "switches.json")
    done = asyncio.Event()

    def press():
        pressed.append("now")
        done.set()
        return ""

    async with opened(broker, Controls(said.append, press, switches)), Listener.on(broker) as listener:
        assert (await listener.gets_text("voice/mute")) == "OFF"
        await listener.send("voice/mute/set", "ON")
        assert (await listener.gets_text("voice/mute", "ON")) == "ON"
        await listener.send("voice/mute/set", "rubbish")
        await listener.send("voice/say", "  Dinner is ready.  ")
        await listener.send("voice/say", "   ")
        await listener.send("voice/push-to-talk", "PRESS")
        async with asyncio.timeout(LIMIT_SECONDS):
            await done.wait()
    assert (said, pressed) == (["Dinner is ready."], ["now"])
    assert (switches.mute, switches.listening) == (True, True)


async def test_timers_are_sensors_until_they_end(broker):
    due = "2026-11-16T12:00:00+00:00"
    async with opened(broker) as (_, events), Listener.on(broker) as listener:
        events.publish(Planned("routine", {}))
        events.publish(Planned("timer", {"7": {"text": "pasta timer", "due": due}}))
        config = await listener.gets("homeassistant/sensor/voice_gateway_voice/timer_7/config")
        assert (config["name"], config["device_class"]) == ("pasta timer", "timestamp")
        assert config["state_topic"] == "voice/timers/7"
        found = await settles(broker, lambda found: "voice/timers/7" in found)
        assert json.loads(found["voice/timers/7"])["due"] == due

        events.publish(Planned("timer", {}))
        ours = {"voice/timers/7", "homeassistant/sensor/voice_gateway_voice/timer_7/config"}
        await settles(broker, lambda found: not ours & set(found))


async def test_stale_retained_messages_are_deleted(broker):
    stale = ("homeassistant/sensor/voice_gateway_voice/timer_3/config", "voice/timers/3", "voice/routines/9")
    others = "homeassistant/sensor/somebody_else/timer_3/config"
    async with Listener.on(broker) as listener:
        for where in (*stale, others):
            await listener.send(where, "{}", retain=True)
    async with opened(broker) as (_, events):
        events.publish(Planned("timer", {"4": {"text": "tea timer"}}))
        assert set(stale) <= set(await kept(broker)), "not before it is known what there is"
        events.publish(Planned("routine", {}))
        there = {others, "voice/timers/4", "homeassistant/text/voice_gateway_voice/ask/config"}
        await settles(broker, lambda found: there <= set(found) and not set(stale) & set(found))


async def test_without_discovery_the_configs_are_deleted(broker):
    async with opened(broker) as (_, events):
        events.publish(Planned("timer", {"1": {"text": "tea timer"}}))
        await settles(broker, lambda found: sum("homeassistant/" in where for where in found) == 6)
    async with opened(broker, discovery_prefix="") as (_, events):
        events.publish(Planned("timer", {"1": {"text": "tea timer"}}))
        events.publish(Planned("routine", {}))
        found = await settles(broker, lambda found: not any("homeassistant/" in where for where in found))
        assert "voice/timers/1" in found


async def test_correlation_data_is_returned(broker):
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties

    asked = Properties(PacketTypes.PUBLISH)
    asked.ResponseTopic, asked.CorrelationData = "voice/res/me", b"\x00my answer\xff"
    async with opened(broker), Listener.on(broker) as listener:
        await listener.gets("voice/status")
        for body in ("hello", "{not json", '{"text": ""}'):
            await listener.send("voice/req", body, properties=asked)
            async with asyncio.timeout(LIMIT_SECONDS):
                async for message in listener.client.messages:
                    if str(message.topic).startswith("voice/res"):
                        break
            assert message.properties.CorrelationData == b"\x00my answer\xff", body


async def test_a_running_gateway_publishes_timers_and_routines(commands, broker):
    commands.file("voice-gateway.toml", NO_SERVER)

    def plans(found, kind):
        return [json.loads(text) for where, text in found.items() if where.startswith(f"voice/{kind}/")]

    async with Running.opened(commands, MQTT_BROKER_URL=broker.url), Listener.on(broker) as listener:
        await listener.gets("voice/status", state="online")
        await listener.send("voice/req", {"text": "set a pasta timer for 10 minutes", "id": "t"})
        [timer] = plans(await settles(broker, lambda found: plans(found, "timers")), "timers")
        assert (timer["kind"], timer["text"]) == ("timer", "pasta timer")
        await listener.send("voice/req", {"text": "remind me every Friday at 5 pm to call mum", "id": "r"})
        [routine] = plans(await settles(broker, lambda found: plans(found, "routines")), "routines")
        assert "T17:00:00" in routine["next"]
        await listener.send("voice/req", {"text": "cancel the pasta timer", "id": "c"})
        await settles(broker, lambda found: not plans(found, "timers"))
