"""Speech to text by a Wyoming server: a real one on a loopback port, and every way it can fail."""

import asyncio

import numpy as np
import pytest
from wyoming.event import Event, async_read_event

from voice_gateway.errors import HearingError
from voice_gateway.hearing.transcriber import WyomingTranscriber

SOUND = np.arange(20_000).astype(np.int16)
TEXT = b'{"type": "transcript", "data": {"text": " turn on the light "}}\n'


async def ask(answer: bytes | None, **settings) -> tuple[str, list[Event]]:
    """The text and what the server received, if it answers so to the sound; with None it never answers."""
    received: list[Event] = []
    over = asyncio.Event()

    async def serve(reader, writer):
        while event := await async_read_event(reader):
            received.append(event)
            if event.type == "audio-stop":
                break
        if answer is None:
            await over.wait()
        writer.write(answer or b"")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"tcp://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            return await WyomingTranscriber(url, **settings).transcribe(SOUND), received
        finally:
            over.set()


async def test_the_server_hears_all_and_its_text_comes_back():
    text, (first, start, *chunks, _stop) = await ask(TEXT)

    assert text == "turn on the light"
    assert first.data["language"] == "en"
    assert [start.data[name] for name in ("rate", "width", "channels")] == [16000, 2, 1]
    assert b"".join(chunk.payload or b"" for chunk in chunks) == SOUND.tobytes()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b'{"type": "error", "data": {"text": "no model"}}\n', "no model"),
        (b"", "closed the connection without an answer"),
        (b"this is not json\n", "failed"),
        (b'{"type": "transcript"}\n', "failed"),
        (None, "did not answer in 0.3 s"),
    ],
)
async def test_a_server_that_fails_is_a_hearing_error_that_names_it(answer, words):
    limit = {"timeout_seconds": 0.3} if answer is None else {}
    with pytest.raises(HearingError, match=r"tcp://127\.0\.0\.1:") as raised:
        await ask(answer, **limit)

    assert words in str(raised.value)


async def test_a_server_that_is_away_is_said_in_plain_words():
    with pytest.raises(HearingError, match=r"check it, and voice\.stt") as raised:
        await WyomingTranscriber("tcp://127.0.0.1:1").warm_up()
    assert raised.value.spoken == "the speech to text server is not answering"
