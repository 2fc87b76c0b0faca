"""Two gateways share one broker's requests, and one is killed: every id is answered, nothing done twice."""

import asyncio
import contextlib
import json
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.redis_server import RedisServer
from tests.fakes.waiting import until
from tests.mqtt.conftest import Listener

pytestmark = pytest.mark.attack

COUNTING_SERVER = str(Path(__file__).parents[1] / "fakes" / "counting_server.py")
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "silver")
REPEAT_SECONDS = 1.5
SWITCHING_SECONDS = 1.5  # long enough to be killed in


@pytest.fixture
def redis(tmp_path):
    server = RedisServer(tmp_path)
    yield server
    server.stop()


def gateway_in(folder: Path, broker, redis, done: Path) -> Commands:
    folder.mkdir()
    commands = Commands(folder)
    commands.file(
        "voice-gateway.toml",
        f"""
[brain]
store = "{redis.url}"
[mqtt]
broker_url = "{broker.url}"
share_group = "home"
[mcpServers.zwave]
command = {json.dumps(sys.executable)}
args = [{json.dumps(COUNTING_SERVER)}, {json.dumps(str(done))}, "{SWITCHING_SECONDS}"]
""",
    )
    return commands


class Asker:
    """A client that repeats what stays unanswered, and keeps every answer."""

    def __init__(
        self, listener: Listener, requests: dict[str, str], conversation_id: str | None = None
    ) -> None:
        self._listener = listener
        self._conversation_id = conversation_id  # of all, or of each its own
        self._requests = requests
        self.answers: dict[str, list[dict]] = {}
        self.heard: set[str] = set()
        self.state: str | None = None
        self._news = asyncio.Condition()

    async def listen(self) -> None:
        async for message in self._listener.client.messages:
            name = str(message.topic)
            if name not in ("voice/res", "voice/transcription", "voice/status"):
                continue
            body = json.loads(message.payload)
            async with self._news:
                if name == "voice/res":
                    body.pop("timestamp")
                    self.answers.setdefault(body["id"], []).append(body)
                elif name == "voice/transcription":
                    self.heard.add(body["id"])
                else:
                    self.state = body["state"]
                self._news.notify_all()

    async def repeat(self) -> None:
        while True:
            await self.ask(id for id in self._requests if id not in self.answers)
            await asyncio.sleep(REPEAT_SECONDS)

    async def ask(self, ids) -> None:
        for id in list(ids):
            body = {"id": id, "text": self._requests[id], "conversation_id": self._conversation_id or id}
            await self._listener.send("voice/req", body)

    async def until(self, so_far) -> None:
        async with self._news, asyncio.timeout(50):
            await self._news.wait_for(so_far)


@contextlib.asynccontextmanager
async def asking(broker, requests, **options):
    async with Listener.on(broker) as listener:
        asker = Asker(listener, requests, **options)
        async with asyncio.TaskGroup() as tasks:
            jobs = [tasks.create_task(asker.listen()), tasks.create_task(asker.repeat())]
            yield asker
            for job in jobs:
                job.cancel()


@contextlib.asynccontextmanager
async def two_gateways(tmp_path, broker, redis, done):
    first = gateway_in(tmp_path / "first", broker, redis, done)
    second = gateway_in(tmp_path / "second", broker, redis, done)
    async with contextlib.AsyncExitStack() as stack:
        opened = (stack.enter_async_context(Running.opened(one)) for one in (first, second))
        running = await asyncio.gather(*opened)
        async with Listener.on(broker) as listener:
            await listener.gets("voice/status", state="online")
        yield running


@pytest.mark.parametrize("conversation_id", [None, "all"], ids=["at once", "one after the other"])
async def test_after_a_kill_every_id_is_answered_and_acts_once(tmp_path, broker, redis, conversation_id):
    """In one conversation only one lamp is at work when the gateway is killed: the others just waited."""
    done = tmp_path / "switched.txt"
    requests = {f"lamp-{colour}": f"turn on the {colour} lamp" for colour in COLOURS}
    requests |= {f"clock-{number}": "what time is it" for number in range(6)}
    async with (
        two_gateways(tmp_path, broker, redis, done) as (killed, _left),
        asking(broker, requests, conversation_id=conversation_id) as asker,
    ):
        at_work = 1 if conversation_id else len(requests)
        await asker.until(lambda: len(asker.heard) >= at_work)
        await until((tmp_path / "begun").exists)
        killed.process.send_signal(signal.SIGKILL)  # while lamps are being switched
        await asker.until(lambda: asker.answers.keys() >= requests.keys())
        await asker.until(lambda: asker.state == "online")  # one is left, whatever the other's last will said

        first = {id: answers[0] for id, answers in asker.answers.items()}
        before = Counter({id: len(answers) for id, answers in asker.answers.items()})
        await asker.ask(requests)
        await asker.until(lambda: all(len(asker.answers[id]) > before[id] for id in requests))

    switched = Counter(done.read_text().split("\n")[:-1])
    assert max(switched.values()) == 1, switched
    interrupted = {id for id, answer in first.items() if "interrupted" in answer["text"]}
    if conversation_id:
        assert len(interrupted) <= 1, "one was at work"
    else:
        assert interrupted, "the killed gateway had nothing to do: this proves nothing"
    for colour in COLOURS:
        answer = first[f"lamp-{colour}"]
        assert answer["ok"] is (f"lamp-{colour}" not in interrupted), answer
        assert not answer["ok"] or switched[f"{colour.title()} Lamp"] == 1
    for id, answers in asker.answers.items():
        assert all(answer == first[id] for answer in answers)
    assert all(first[f"clock-{number}"]["ok"] for number in range(6))
