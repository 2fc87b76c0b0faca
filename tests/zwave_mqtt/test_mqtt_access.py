"""Accounts, rights and encryption of the broker: what is refused is said, and what is documented works."""

import re
from pathlib import Path

import pytest
from tests.fakes.certificates import Certificates
from tests.fakes.mosquitto import Broker
from tests.fakes.waiting import until
from tests.fakes.zwave_gateway import FakeGateway

from zwave_mcp.home import HomeDown, Status, ValueId
from zwave_mcp.options import MqttOptions

FLOOR_LAMP = ValueId(3, 38, 0, "targetValue")
USERS = {"gateway": "secret", "assistant": "open sesame"}
GUIDE = Path(__file__).parents[2] / "docs" / "zwave.md"


def documented_acl() -> str:
    """The very rules that the guide tells people to use."""
    blocks = re.findall(r"```text\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if block.startswith("user assistant"))


@pytest.fixture
def guarded(tmp_path):
    broker = Broker(tmp_path, users=USERS, acl=documented_acl() + "\nuser gateway\ntopic readwrite #\n")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
async def guarded_gateway(guarded):
    async with FakeGateway(guarded.port, login=("gateway", "secret")) as gateway:
        yield gateway


async def test_the_documented_rights_are_enough(guarded, guarded_gateway, start_home):
    options = MqttOptions(guarded.url, username="assistant", password="open sesame")
    async with start_home(options) as home:
        assert len((await home.snapshot()).nodes) == 12
        assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED
        assert await home.poll(ValueId(10, 37, 0, "currentValue")) is True
        assert await home.ping(2)
        assert len(await home.scenes()) == 1
        await home.activate_scene(1)
        assert (await home.health()).ok


async def test_with_the_documented_rights_a_button_is_heard(guarded, guarded_gateway, start_home):
    options = MqttOptions(guarded.url, username="assistant", password="open sesame")
    heard = []
    async with start_home(options) as home:
        await home.snapshot()
        home.on_report(heard.append)
        home.follow()

        async def pressed():
            await guarded_gateway.publish("Hallway/Front_Door_Lock/91/0/scene/001", '{"time":1,"value":0}')
            return bool(heard)

        await until(pressed, 10)
    assert (heard[0].nodes, heard[0].command_class, heard[0].key) == ((6,), 91, "001")


@pytest.mark.parametrize(("username", "password"), [("assistant", "wrong"), ("nobody", "x"), (None, None)])
async def test_a_wrong_login_is_said(guarded, guarded_gateway, start_home, username, password):
    async with start_home(MqttOptions(guarded.url, username=username, password=password)) as home:
        with pytest.raises(HomeDown, match="refused the user name or password"):
            await home.snapshot()
        assert (await home.health()).broker is False


async def test_a_missing_right_is_said_by_its_topic(tmp_path, start_home):
    reading = "user assistant\ntopic read zwave/#\ntopic write zwave/_CLIENTS/+/api/getNodes/set\n"
    reading += "topic write zwave/_CLIENTS/+/api/getInfo/set\n"
    broker = Broker(tmp_path, users=USERS, acl=reading + "user gateway\ntopic readwrite #\n")
    broker.start()
    options = MqttOptions(broker.url, username="assistant", password="open sesame")
    try:
        async with (
            FakeGateway(broker.port, login=("gateway", "secret")) as gateway,
            start_home(options) as home,
        ):
            assert len((await home.snapshot()).nodes) == 12
            with pytest.raises(HomeDown, match=r"does not let this account write .*writeValue/set") as caught:
                await home.write(FLOOR_LAMP, 42)
            assert not caught.value.sent
            assert gateway.house.writes == []
    finally:
        broker.kill()


@pytest.fixture
def encrypted(tmp_path):
    broker = Broker(tmp_path, tls=Certificates(tmp_path))
    broker.start()
    yield broker
    broker.kill()


async def test_an_own_authority_is_trusted_when_it_is_named(encrypted, start_home):
    options = MqttOptions(encrypted.url, ca_file=encrypted.tls.ca)
    async with FakeGateway(encrypted.port, ca_file=encrypted.tls.ca), start_home(options) as home:
        assert len((await home.snapshot()).nodes) == 12
        assert (await home.write(FLOOR_LAMP, 42)).status == Status.CONFIRMED


async def test_an_unknown_authority_is_not_trusted(encrypted, start_home):
    async with start_home(MqttOptions(encrypted.url)) as home:
        with pytest.raises(HomeDown, match="is not trusted; check the CA file"):
            await home.snapshot()


async def test_a_certificate_for_another_name_is_not_trusted(tmp_path, start_home):
    broker = Broker(tmp_path, tls=Certificates(tmp_path, host="elsewhere.example"))
    broker.start()
    try:
        async with start_home(MqttOptions(broker.url, ca_file=broker.tls.ca)) as home:
            with pytest.raises(HomeDown, match="is not trusted"):
                await home.snapshot()
    finally:
        broker.kill()


async def test_encryption_with_a_broker_that_has_none_is_said(broker, start_home):
    url = broker.url.replace("mqtt://", "mqtts://")
    async with start_home(MqttOptions(url)) as home:
        with pytest.raises(HomeDown, match="does not speak TLS"):
            await home.snapshot()


async def test_a_missing_ca_file_is_said_and_does_not_end_the_server(encrypted, tmp_path, start_home):
    async with start_home(MqttOptions(encrypted.url, ca_file=tmp_path / "nothing.pem")) as home:
        with pytest.raises(HomeDown, match=r"CA file .*nothing.pem cannot be read"):
            await home.snapshot()
