"""What happens in a simulated home, on a real broker: events, and alarms that stay until they were heard."""

import asyncio
import json
import sys
from pathlib import Path

import aiomqtt
import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.mqtt.conftest import Listener
from tests.mqtt.test_citizen import kept, settles

HOME = Path(__file__).parents[1] / "fakes" / "events_home.toml"
ALARMS, ACKNOWLEDGE = "voice/alarms", "voice/alarms/acknowledge"
SMOKE = "Smoke is detected in the Kitchen."

pytestmark = pytest.mark.slow


class House:
    def __init__(self, commands: Commands) -> None:
        state = str(commands.folder / "state.json")
        self._server = ["-m", "zwave_mcp", "--simulate", str(HOME), "--state-file", state]
        self.commands = commands
        commands.file(
            "voice-gateway.toml",
            f"[mcpServers.zwave]\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps(self._server)}\n"
            "[tools]\nsearch = false\n",
        )

    async def fire(self, what: str) -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, *self._server, "--fire", what)
        assert await process.wait() == 0

    async def is_followed(self, listener: Listener) -> None:
        """A press is told from the moment on when the gateway follows the home."""
        heard = asyncio.ensure_future(listener.gets("voice/events/button", button=4))
        while not heard.done():
            await self.fire("Wall Remote=4 pressed")
        await heard


@pytest.fixture
def house(commands: Commands) -> House:
    return House(commands)


async def alarms_on(broker) -> dict:
    return json.loads((await kept(broker))[ALARMS])


def topics_of(messages: list[aiomqtt.Message], topic: str) -> list[str]:
    return [json.loads(one.payload)["text"] for one in messages if str(one.topic) == topic]


async def test_events_are_published_once_and_alarms_stay_until_acknowledged(house, broker) -> None:
    async with (
        Running.opened(house.commands, MQTT_BROKER_URL=broker.url),
        Listener.on(broker) as listener,
    ):
        await listener.gets(ALARMS, count=0)
        await house.is_followed(listener)

        await house.fire("Wall Remote=2 pressed twice")
        await house.fire("Front Door=unlocked by 3")
        lock = await listener.gets("voice/events/lock")
        assert lock["text"] == "The Front Door in the Entrance was unlocked at the keypad by user 3."
        assert (lock["device"], lock["room"], lock["server"]) == ("Front Door", "Entrance", "zwave")
        assert (lock["state"], lock["user"], lock["urgent"]) == ("unlocked", 3, False)
        await house.fire("Smoke Alarm=smoke")
        smoke = await listener.gets("voice/events/smoke")
        assert (smoke["text"], smoke["state"], smoke["urgent"]) == (SMOKE, "on", True)

        [alarm] = (await listener.gets(ALARMS, count=1))["alarms"]
        assert (alarm["kind"], alarm["device"], alarm["room"]) == ("smoke", "Smoke Alarm", "Kitchen")
        assert (alarm["acknowledged"], alarm["over"], alarm["text"]) == (False, False, SMOKE)
        assert (await alarms_on(broker))["unacknowledged"] == 1, "who comes later knows it"

        await listener.send(ACKNOWLEDGE, "")
        heard = await listener.gets(ALARMS, unacknowledged=0)
        assert [(one["acknowledged"], one["over"]) for one in heard["alarms"]] == [(True, False)]

        await house.fire("Smoke Alarm=smoke off")
        assert (await listener.gets("voice/events/smoke"))[
            "text"
        ] == "Smoke is no longer detected in the Kitchen."
        assert (await listener.gets(ALARMS, count=0))["alarms"] == []
        assert (await alarms_on(broker))["count"] == 0

        buttons = topics_of(listener.seen, "voice/events/button")
        assert buttons.count("Button 2 of the Wall Remote in the Stairs was pressed twice.") == 1
        assert topics_of(listener.seen, "voice/events/lock") == [lock["text"]]
        events = [one for one in await kept(broker) if one.startswith("voice/events/")]
        assert events == [], "what is over is no news for whoever comes later"


async def test_an_alarm_survives_a_kill_of_broker_and_gateway(house, broker) -> None:
    async with Running.opened(house.commands, MQTT_BROKER_URL=broker.url) as first:
        async with Listener.on(broker) as listener:
            await house.is_followed(listener)
            await house.fire("Smoke Alarm=smoke")
            await listener.gets(ALARMS, count=1)
        broker.kill()
        broker.start()  # it has forgotten everything
        found = await settles(broker, lambda found: ALARMS in found)
        assert json.loads(found[ALARMS])["unacknowledged"] == 1
        first.process.kill()
        await first.process.wait()

    async with Running.opened(house.commands, MQTT_BROKER_URL=broker.url), Listener.on(broker) as listener:
        await listener.gets(ALARMS, unacknowledged=1)
        await listener.send(ACKNOWLEDGE, "ok")
        await listener.gets(ALARMS, count=1, unacknowledged=0)
