"""Requests on a real broker: none is lost, none acts twice, whatever is stopped, killed or started again."""

import asyncio
import json
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.mosquitto import Broker
from tests.fakes.waiting import until
from tests.mqtt.conftest import Listener, open_channel

from voice_gateway.channels.mqtt.channel import (
    AT_ONCE,
    INTERRUPTED,
    KEPT_MESSAGES,
    MOST_TRIES,
    MqttChannel,
    Requests,
)
from voice_gateway.channels.mqtt.topics import Message, Request
from voice_gateway.config import MqttSettings
from voice_gateway.conversation.store import MemoryStore, SqliteStore
from voice_gateway.events import EventBus, Notice, State
from voice_gateway.turn import Reply

pytestmark = pytest.mark.attack

MANY = 300
OTHERS = 100_000
COUNTING_SERVER = str(Path(__file__).parents[1] / "fakes" / "counting_server.py")
SWITCHING_SECONDS = 1.0  # long enough to be killed in


@pytest.fixture
def broker(tmp_path):
    broker = Broker(tmp_path, persistence=True)
    broker.start()
    yield broker
    broker.kill()


class Acting:
    """Answers while `go` is set, and counts by id what it has begun."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.begun: Counter[str] = Counter()

    async def __call__(self, utterance, **_options) -> Reply:
        self.begun[utterance.id] += 1
        await self.go.wait()
        return Reply(f"answer {utterance.text}")


def opened(broker, answer, store=None, share_group: str | None = None, **options):
    settings = {"discovery_prefix": "", "share_group": share_group}
    return open_channel(broker, answer, store, settings, **{"identity": broker.folder / "id", **options})


async def ask(listener: Listener, ids) -> None:
    for name in ids:
        await listener.send("voice/req", {"text": name, "id": name, "conversation_id": f"c{int(name) % 50}"})


async def answers(listener: Listener, count: int) -> Counter[str]:
    """How often each of so many ids was answered."""
    answered: Counter[str] = Counter()
    while len(answered) < count:
        answered[(await listener.gets("voice/res"))["id"]] += 1
    return answered


async def test_requests_waiting_at_a_stop_are_answered_after_the_restart(broker, tmp_path):
    store, names = SqliteStore(tmp_path / "r.sqlite", durable=False), [str(n) for n in range(MANY)]
    stopped, started = Acting(), Acting()
    started.go.set()
    async with Listener.on(broker) as listener:
        async with opened(broker, stopped, store):
            await ask(listener, names)
            await until(lambda: stopped.begun.total() == AT_ONCE)
        await ask(listener, [str(MANY)])  # nobody is there
        async with opened(broker, started, store):
            answered = await answers(listener, MANY + 1)

    assert set(answered.values()) == {1}
    assert set((stopped.begun + started.begun).values()) <= {1, 2}
    twice = {name for name, count in (stopped.begun + started.begun).items() if count == 2}
    assert twice == set(stopped.begun), "those that were begun are asked again for reading only"


async def test_a_broker_restart_loses_no_request_and_no_answer(broker, tmp_path):
    acting = Acting()
    async with opened(broker, acting, SqliteStore(tmp_path / "r.sqlite")) as (channel, events):
        async with Listener.on(broker) as listener:
            await ask(listener, map(str, range(MANY)))
            await until(lambda: channel._waiting.total() == MANY)
        for _ in range(2):
            broker.restart()
            await until(lambda: events.state("mqtt") is State.DEGRADED)
            await until(lambda: events.state("mqtt") is State.OK)
        async with Listener.on(broker) as listener:
            acting.go.set()
            answered = await answers(listener, MANY)
            await until(lambda: not channel._open)

    assert set(answered.values()) == {1}
    assert set(acting.begun.values()) == {1}


@pytest.mark.parametrize("name", ["lamp", None], ids=["with an id", "without"])
async def test_a_request_of_a_killed_gateway_is_answered_and_acts_once(commands, broker, name):
    done, folder = commands.folder / "switched.txt", commands.folder
    words = json.dumps([COUNTING_SERVER, str(done), str(SWITCHING_SECONDS)])
    commands.file(
        "voice-gateway.toml",
        f"[mcpServers.zwave]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n",
    )
    red, blue = ({"text": f"turn on the {colour} lamp", "id": name} for colour in ("red", "blue"))
    if name is None:
        del red["id"], blue["id"]
    else:
        blue["id"] = "other"
    async with Listener.on(broker) as listener:
        async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
            await listener.send("voice/req", red)
            await until((folder / "begun").exists)
            await listener.send("voice/req", blue)  # waits in the same conversation
            gateway.process.send_signal(signal.SIGKILL)
            await gateway.process.wait()
        async with Running.opened(commands, MQTT_BROKER_URL=broker.url) as gateway:
            texts = [(await listener.gets("voice/res"))["text"] for _ in range(2)]
            if name is not None:
                again = []
                for _ in range(2):
                    await listener.send("voice/req", red)
                    again.append((await listener.gets("voice/res", id=name))["text"])
                assert again == [texts[0]] * 2
                gateway.process.send_signal(signal.SIGKILL)
                await gateway.process.wait()
        if name is not None:
            async with Running.opened(commands, MQTT_BROKER_URL=broker.url):
                await listener.send("voice/req", red)
                assert (await listener.gets("voice/res", id=name))["text"] == texts[0]

    assert texts[0].startswith(INTERRUPTED)
    assert "blue lamp" in texts[1].lower()
    switched = Counter(done.read_text().split("\n")[:-1])
    assert (switched["Red Lamp"], switched["Blue Lamp"]) in ((0, 1), (1, 1))


async def test_an_id_is_known_after_very_many_others(tmp_path):
    store, acted = SqliteStore(tmp_path / "r.sqlite", durable=False), []

    async def act(utterance, **_options):
        acted.append(utterance.text)
        return Reply(f"done {len(acted)}")

    request = Request("turn it on", "x", "c", "voice/res", repeatable=True)
    first = await Requests(act, store, None).answered(request)
    store._file.run(
        lambda connection: connection.executemany(
            "INSERT INTO entries VALUES (?, 9e12, '{}')", ((f"request:{n}",) for n in range(OTHERS))
        )
    )

    assert await Requests(act, store, None).answered(request) == first
    assert acted == ["turn it on"]


async def test_a_second_process_with_the_same_identity_gets_a_session_of_its_own(broker, caplog):
    acting = Acting()
    acting.go.set()
    async with (
        opened(broker, acting) as (first, _),
        opened(broker, acting) as (second, _),
        Listener.on(broker) as listener,
    ):
        await ask(listener, ["1"])
        texts = [(await listener.gets("voice/res"))["text"] for _ in range(2)]

    assert (first._session is None, second._session is None) == (False, True)
    assert texts == ["answer 1"] * 2


async def test_commands_sent_while_the_gateway_was_away_do_nothing(broker):
    acting, said = Acting(), []
    acting.go.set()
    async with Listener.on(broker) as listener:
        async with opened(broker, acting) as (_, events):
            events.subscribe(said.append, Notice)
        await listener.send("voice/say", "from yesterday")
        await listener.send("voice/say", "kept by the broker", retain=True)
        async with opened(broker, acting) as (_, events):
            events.subscribe(said.append, Notice)
            await ask(listener, ["1"])
            await listener.gets("voice/res", id="1")

    assert not said


async def test_events_keep_their_order_over_a_lost_connection(broker):
    reconnect = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await reconnect.wait()

    async with opened(broker, Acting(), sleep=sleep) as (_, events):
        broker.freeze()  # nothing is confirmed from now on
        for number in range(30):
            events.publish(Notice(str(number)))
        await asyncio.sleep(0)  # until the first is on its way
        broker.kill()
        broker.start()
        async with Listener.on(broker) as listener:
            reconnect.set()
            got = [(await listener.gets("voice/notice"))["text"] for _ in range(30)]

    assert got == [str(number) for number in range(30)]


async def test_above_the_limit_the_oldest_events_are_dropped():
    events = EventBus()
    channel = MqttChannel(MqttSettings(broker_url="mqtt://b"), Acting(), MemoryStore(), events)
    for number in range(KEPT_MESSAGES + 10):
        events.publish(Notice(str(number)))

    kept = [json.loads(outgoing.message.payload) for outgoing in channel._outgoing]
    assert [body["text"] for body in kept] == [str(number) for number in range(10, KEPT_MESSAGES + 10)]


async def test_an_unsendable_message_is_skipped(broker, caplog):
    async with Listener.on(broker) as listener, opened(broker, Acting()) as (channel, events):
        for name in ("no/#", "half/\ud800"):
            channel._put(Message(name, "x"))
        events.publish(Notice("the tea is ready"))
        assert (await listener.gets("voice/notice"))["text"] == "the tea is ready"

    assert [record.message for record in caplog.records].count("MQTT message cannot be sent") == 2


async def test_a_message_that_closes_the_connection_is_given_up(broker, caplog):
    async def sleep(_seconds: float) -> None:
        """Reconnects at once."""

    async with opened(broker, Acting(), sleep=sleep) as (channel, _):
        channel._put(Message("control/\x01", "x"))
        await until(lambda: not channel._outgoing)

    assert [record.tries for record in caplog.records if "given up" in record.message] == [MOST_TRIES]


async def test_a_stopping_group_member_answers_busy(broker):
    stopped, left = Acting(), Acting()
    left.go.set()
    async with Listener.on(broker) as listener:
        async with opened(broker, stopped, share_group="home"):
            await ask(listener, map(str, range(MANY)))
            await until(lambda: stopped.begun.total() == AT_ONCE)
        refused = await answers(listener, MANY - AT_ONCE)
        async with opened(broker, left, share_group="home"):
            await ask(listener, map(str, range(MANY)))
            answered = await answers(listener, MANY)

    assert not stopped.begun.keys() & refused.keys()
    assert set(answered.values()) == {1}
    assert left.begun.total() == MANY
