"""`/api/turns`: searched, bounded, and of one conversation where that is wished."""

import contextlib

from tests.fakes.recording import recording
from tests.fakes.web import client, served

from voice_gateway.channels.web.system_api import turns_router
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
    async with served(tmp_path, lambda _start: [turns_router(recorder)]) as door, client(door) as http:
        yield http
    await recorder.close()


async def texts(http, **asked: str) -> list[str]:
    answer = await http.get("/api/turns", params=asked)
    assert answer.status_code == 200, answer.text
    return [turn["text"] for turn in answer.json()["turns"]]


async def test_turns_are_listed_by_conversation_and_search(tmp_path):
    others = [("hall", f"number {number}") for number in range(60)]
    async with kept(tmp_path, ("mine", "first"), *others, ("mine", "last")) as http:
        assert await texts(http, conversation="mine") == ["last", "first"]
        assert await texts(http, conversation="mine", search="first") == ["first"]
        assert await texts(http, conversation="nobody's") == []
        assert len(await texts(http)) == 50


async def test_a_wrong_query_is_refused_by_the_name_of_its_field(tmp_path):
    wrong = [("limit", value) for value in ("0", "201", "-1", "1.5", "x", "", "1" * 5000, "1e2")]
    wrong += [(field, "x" * 201) for field in ("search", "before", "conversation")]
    async with kept(tmp_path) as http:
        for field, value in wrong:
            answer = await http.get("/api/turns", params={field: value})
            assert answer.status_code == 422, (field, value)
            assert answer.json()["error"].startswith(f"{field}: ")


async def test_a_405_names_the_allowed_methods(tmp_path):
    async with kept(tmp_path) as http:
        for path, methods in (("/api/turns/7", "DELETE, GET"), ("/index.html", "GET, HEAD")):
            answer = await http.post(path)
            assert (answer.status_code, answer.headers["allow"]) == (405, methods)
