"""A PIN at a real gateway: what its broker, its files, its log at debug and its status get to know."""

import json

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, parts
from tests.mqtt.conftest import Listener

# Long enough that no id or time of day has it by chance.
PIN, WRONG = "1357924680", "8642097531"
SETTINGS = f'[brain]\nstore = "sqlite"\n[permission]\npin = "{PIN}"\n'


@pytest.mark.slow
async def test_a_pin_is_not_published_and_its_lock_survives_a_restart(commands, broker):
    commands.file("settings.toml", SETTINGS)
    words = ("--config", "settings.toml", "--debug")
    async with Running.opened(commands, *words, MQTT_BROKER_URL=broker.url) as gateway:
        async with Listener.on(broker) as listener:
            await listener.gets("voice/status", state="online")
            assert (await ask(commands, "unlock the front door"))["expects_answer"]
            assert (await ask(commands, f"yes, open it, {PIN}"))["ok"]
            assert (await listener.gets("voice/transcription", text="(hidden: it may hold a PIN)"))[
                "door"
            ] == "cli"

            for number in range(5):
                await ask(commands, "unlock the front door", f"c{number}")
                reply = await ask(commands, f"yes the pin is {WRONG}", f"c{number}")
            assert "1 minute" in reply["text"]
            assert "pin" in json.dumps(await listener.gets("voice/status", state="degraded"))
        await gateway.stop()
        log = "".join(gateway.said)

    async with Running.opened(commands, *words):
        reply = await ask(commands, "unlock the front door")
        assert "too many wrong PINs" in reply["text"]
        assert not reply["expects_answer"]
        assert (await parts(commands))["pin"]["state"] == "degraded"

    published = "".join(str(message.payload) for message in listener.seen)
    kept = b"".join(file.read_bytes() for file in (commands.folder / "data").rglob("*") if file.is_file())
    for secret in (PIN, WRONG):
        assert secret not in log
        assert secret not in published
        assert secret.encode() not in kept
