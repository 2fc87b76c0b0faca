"""`/api/turns`: searched, bounded, and of one conversation where that is wished."""

import contextlib

import pytest
from tests.fakes.recording import recording
from tests.fakes.web import client, served

from voice_gateway.channels.web.turns import Turns
from voice_gateway.events import Answered, EventBus, Heard
from voice_gateway.turn import Reply, Utterance


@contextlib.asynccontextmanager
async def kept(tmp_path, *said: tuple[str, str]):
    """A client, behind turns of these conversations with these words."""
    watch = EventBus()
    recorder = recording(tmp_path, watch)
    for conversation, text in said:
        utterance = Utterance(text, "web", conversation)
        watch.publish(Heard(utterance))
        watch.publish(Answered(utterance, Reply("Done.", conversation_id=conversation)))
    await recorder.written()
    async with served(tmp_path, lambda _start: Turns(recorder).routes()) as door, client(door) as http:
        yield http
    await recorder.close()


async def texts(http, **asked: str) -> list[str]:
    answer = await http.get("/api/turns", params=asked)
    assert answer.status_code == 200, answer.text
    return [turn["text"] for turn in answer.json()["turns"]]


async def test_one_conversation_is_listed_however_much_the_others_say(tmp_path):
    others = [("hall", f"number {number}") for number in range(60)]
    async with kept(tmp_path, ("mine", "first"), *others, ("mine", "last")) as http:
        assert await texts(http, conversation="mine") == ["last", "first"]
        assert await texts(http, conversation="mine", search="first") == ["first"]
        assert await texts(http, conversation="nobody's") == []
        assert len(await texts(http)) == 50


@pytest.mark.parametrize(
    "limit", ["0", "201", "-1", "1.5", "x", "", "٣", "000001999999", "1" * 5000, "1e2", " 5"]
)
async def test_more_than_may_be_listed_at_once_is_refused(tmp_path, limit):
    async with kept(tmp_path) as http:
        answer = await http.get("/api/turns", params={"limit": limit})
    assert answer.status_code == 422
    assert "from 1 to 200" in answer.json()["error"]


@pytest.mark.parametrize("field", ["search", "before", "conversation"])
async def test_what_is_too_long_is_refused_by_its_name(tmp_path, field):
    async with kept(tmp_path) as http:
        answer = await http.get("/api/turns", params={field: "x" * 201})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(f"{field}: ")
