"""Streams of events: batched, bounded, and never in the way of what they tell of."""

import asyncio
import json

import pytest
from tests.fakes.waiting import until
from tests.fakes.web import asking

from voice_gateway.channels.web.guard import Limits
from voice_gateway.channels.web.responses import Stream, sse
from voice_gateway.events import Answered, EventBus, Heard
from voice_gateway.turn import Reply

NASTY = 'x\r\nevent: answer\r\ndata: {"ok": true}\r\n\r\n\u2028<script>alert(1)</script>\x1b[31m'


def parsed(text: str) -> list[tuple[str, dict]]:
    events = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":") and line)
        if lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return events


def test_text_cannot_forge_an_event():
    event = sse("said", {"text": NASTY}).decode()

    assert event.count("\n") == 3
    assert "\r" not in event
    assert json.loads(event.splitlines()[1].removeprefix("data: ")) == {"text": NASTY}


async def test_waiting_events_are_batched_and_bounded():
    stream = Stream(Limits(unread_bytes=100))
    pieces = stream.pieces()
    assert await anext(pieces) == b": hello\n\n"
    stream.put(b"a")
    stream.put(b"b")
    assert await anext(pieces) == b"ab"

    stream.put(b"x" * 101)
    stream.put(b"more")
    with pytest.raises(StopAsyncIteration):
        await anext(pieces)


async def test_a_listener_that_does_not_read_is_dropped(tmp_path, caplog):
    limits = Limits(send_seconds=0.2, unread_bytes=10_000_000)
    async with asking(tmp_path, limits=limits) as (http, feed, door):
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port, limit=1024)
        writer.write(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b": hello")  # and never again
        async with http.stream("GET", "/api/events") as other:
            pieces = other.aiter_text()
            await anext(pieces)
            for number in range(200):
                feed.publish("notice", {"text": f"{number} " + "x" * 50_000})
                await anext(pieces)  # who reads gets them all the while
        await until(lambda: not feed.consoles)
        writer.close()
    assert not caplog.records


async def test_asking_is_answered_whole_or_step_by_step(tmp_path):
    watch = EventBus()

    async def answer(utterance, **_how):
        watch.publish(Heard(utterance))
        reply = Reply(NASTY, conversation_id=utterance.conversation_id)
        watch.publish(Answered(utterance, reply))
        return reply

    async with asking(tmp_path, answer, watch) as (http, _, _):
        whole = await http.post("/api/ask", json={"text": NASTY, "conversation_id": "c"})
        assert whole.headers["content-type"] == "application/json"
        assert (whole.json()["text"], whole.json()["conversation_id"]) == (NASTY, "c")

        accept = {"Accept": "text/event-stream"}
        stepwise = await http.post("/api/ask", json={"text": "hello"}, headers=accept)
        events = parsed(stepwise.text)
        assert [kind for kind, _ in events] == ["heard", "answered", "answer"]
        assert events[-1][1]["text"] == NASTY

        asked = await http.post("/api/ask", json={"text": "hello", "stream": True})
        assert asked.headers["content-type"].startswith("text/event-stream")
        assert [kind for kind, _ in parsed(asked.text)] == ["heard", "answered", "answer"]

        first, second = [(await http.post("/api/ask", json={"text": "hello"})).json() for _ in range(2)]
        assert (
            first["conversation_id"] != second["conversation_id"]
        )  # nobody's yes answers another's question


async def test_a_stream_ends_with_a_reason_when_the_answer_fails(tmp_path, caplog):
    async def answer(utterance, **_how):
        raise RuntimeError("the secret of the house")

    async with asking(tmp_path, answer) as (http, _, _), asyncio.timeout(30):
        asked = await http.post("/api/ask", json={"text": "hello"}, headers={"Accept": "text/event-stream"})

    assert parsed(asked.text) == [("failed", {"error": "something went wrong in the gateway"})]
    assert [record.message for record in caplog.records] == ["a web request failed"]


WRONG = {
    b"": (400, "JSON"),
    b"{": (400, "JSON"),
    b"\xff": (400, "JSON"),
    b"[" * 20_000: (400, "JSON"),
    b"[]": (422, "the body"),
    b"{}": (422, "text: Field required"),
    b'{"text": 5}': (422, "text"),
    b'{"text": " \\n\\t"}': (422, "text"),
    b'{"text": "hello", "stream": "yes"}': (422, "stream"),
    b'{"text": "hello", "conversation": "c"}': (422, "conversation: Extra inputs"),
    b'{"text": "hello", "conversation_id": ""}': (422, "conversation_id"),
    b'{"text": "' + b"x" * 8_001 + b'"}': (422, "text"),
}


async def test_a_wrong_body_is_refused_with_a_reason(tmp_path):
    async with asking(tmp_path) as (http, _, _):
        for body, (status, reason) in WRONG.items():
            refused = await http.post("/api/ask", content=body)
            assert refused.status_code == status, body
            assert reason in refused.json()["error"], body


async def test_a_disconnect_interrupts_and_the_turn_completes(tmp_path):
    begun, ended = asyncio.Event(), asyncio.Event()

    async def answer(utterance, *, interruption, **_how):
        begun.set()
        await until(lambda: interruption.wanted)
        ended.set()
        return Reply("done")

    for accept in ("application/json", "text/event-stream"):
        begun.clear()
        ended.clear()
        async with asking(tmp_path, answer) as (_, _, door):
            body = b'{"text": "tell me a story"}'
            head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nContent-Length: 27\r\n"
            _reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
            writer.write(head.encode() + b"\r\n" + body)
            await begun.wait()
            writer.close()
            async with asyncio.timeout(30):
                await ended.wait()
