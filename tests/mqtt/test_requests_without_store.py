"""The store of answered requests fails: every request is answered all the same, and acts once."""

import pytest
from tests.mqtt.conftest import Listener, open_channel, opened_on

from voice_gateway.channels.mqtt.channel import Requests
from voice_gateway.channels.mqtt.topics import Request
from voice_gateway.conversation.store import MemoryStore, SqliteStore
from voice_gateway.shared.store import RedisStore
from voice_gateway.turn import Reply


def dead_redis(_folder):
    return RedisStore("redis://127.0.0.1:1")


def unusable_file(folder):
    (folder / "a-folder.sqlite").mkdir()
    return SqliteStore(folder / "a-folder.sqlite")


@pytest.mark.parametrize(("broken", "why"), [(dead_redis, "connecting"), (unusable_file, "unable to open")])
async def test_a_request_with_an_id_is_answered_and_acts_once(
    broker, own_folder, tmp_path, caplog, broken, why
):
    store = broken(tmp_path)
    async with opened_on(broker, store), Listener.on(broker) as listener:
        for _ in range(2):
            await listener.send("voice/req", {"text": "set a timer for one hour", "id": "t"})
        answers = [await listener.gets("voice/res", id="t") for _ in range(2)]
        await listener.send("voice/req", {"text": "list my timers"})
        listed = await listener.gets("voice/res")
    await store.aclose()

    assert [answer["ok"] for answer in answers] == [True, True]
    assert len({answer["outcomes"][0]["call_id"] for answer in answers}) == 1
    assert len(listed["outcomes"][0]["structured"]["timers"]) == 1
    told = [record for record in caplog.records if record.message == "MQTT request is kept without the store"]
    assert told
    assert all(why in record.reason for record in told)


class Dying(MemoryStore):
    """Works for some operations, and then no more, until it is back."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left

    def _use(self) -> None:
        if self.left <= 0:
            raise ConnectionError("the store is gone")
        self.left -= 1

    async def get(self, key):
        self._use()
        return await super().get(key)

    async def put(self, key, text, *, expiry_seconds):
        self._use()
        await super().put(key, text, expiry_seconds=expiry_seconds)


@pytest.mark.parametrize("left", range(0, 14, 2))
async def test_a_store_that_fails_meanwhile_causes_no_second_act(left):
    acted = []

    async def act(utterance, **options):
        acted.append(options)
        return Reply(f"done {len(acted)}")

    store = Dying(left)
    requests = Requests(act, store, None)
    request = Request("turn it on", "x", "c", "voice/res", repeatable=True)

    first = await requests.answered(request)
    again = await requests.answered(request)
    store.left = 1000
    later = await requests.answered(request)

    assert first["text"] == "done 1"
    assert first == again == later
    assert acted == [{}]


async def boom(_utterance, **_options):
    raise RuntimeError("a bug")


async def test_a_bug_fails_one_request_only(broker, caplog):
    async with open_channel(broker, boom), Listener.on(broker) as listener:
        await listener.send("voice/req", {"text": "hi", "id": "b", "reply_to": "voice/res/mine"})
        answer = await listener.gets("voice/res/mine", id="b")

    assert answer["ok"] is False
    assert answer["error"] == "something went wrong in the gateway"
    reasons = [record.reason for record in caplog.records if record.message == "MQTT request failed"]
    assert len(reasons) == 1
    assert "RuntimeError('a bug')" in reasons[0]
