"""Speech to text by a Wyoming server: a real one on a loopback port, and every way it can fail."""

import asyncio
import contextlib

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.error import Error
from wyoming.event import async_read_event, async_write_event

from voice_gateway.errors import HearingError
from voice_gateway.hearing.transcriber import WyomingTranscriber

SOUND = np.arange(20_000).astype(np.int16)


class Server:
    """Answers each request with the event it was given; keeps what it heard."""

    def __init__(self, answer):
        self.answer = answer
        self.heard = b""
        self.language = None
        self.format = None
        self.serving = None

    async def serve(self, reader, writer):
        self.serving = asyncio.current_task()
        try:
            while (event := await async_read_event(reader)) is not None:
                if Transcribe.is_type(event.type):
                    self.language = Transcribe.from_event(event).language
                elif event.type == "audio-start":
                    self.format = (event.data["rate"], event.data["width"], event.data["channels"])
                elif event.type == "audio-chunk":
                    self.heard += event.payload
                elif event.type == "audio-stop":
                    await self.reply(writer)
                    break
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def reply(self, writer):
        if isinstance(self.answer, bytes):
            writer.write(self.answer)
            await writer.drain()
        elif self.answer is not None:
            await async_write_event(self.answer.event(), writer)


async def ask(server, **settings):
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        try:
            return await WyomingTranscriber(f"tcp://127.0.0.1:{port}", **settings).transcribe(SOUND)
        finally:
            server.serving.cancel()
            await asyncio.gather(server.serving, return_exceptions=True)


async def test_the_server_hears_all_and_its_text_comes_back():
    server = Server(Transcript(" turn on the light "))

    assert await ask(server) == "turn on the light"
    assert server.heard == SOUND.tobytes()
    assert (server.format, server.language) == ((16000, 2, 1), "en")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Error("no model"), "no model"),
        (None, "closed the connection without an answer"),
        (b"this is not json\n", "failed"),
        (b'{"type": "transcript"}\n', "failed"),
    ],
)
async def test_a_server_that_fails_is_a_hearing_error_that_names_it(answer, words):
    with pytest.raises(HearingError) as raised:
        await ask(Server(answer))

    assert words in str(raised.value)
    assert "tcp://127.0.0.1:" in str(raised.value)


async def test_nobody_listens_there():
    with pytest.raises(HearingError, match=r"check it, and voice\.stt") as raised:
        await WyomingTranscriber("tcp://127.0.0.1:1").warm_up()
    assert raised.value.spoken == "the speech to text server is not answering"


async def test_a_server_that_never_answers_is_given_up():
    class Silent(Server):
        async def reply(self, writer):
            await asyncio.Event().wait()

    with pytest.raises(HearingError, match=r"did not answer in 0\.1 s"):
        await ask(Silent(None), timeout_seconds=0.1)
