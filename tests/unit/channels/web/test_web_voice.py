"""The microphone of a browser: heard, doubted and answered like every other."""

import asyncio
import contextlib
import json
import wave

import numpy as np
import pytest
from tests.fakes.speech import FOLDER, need_speech
from tests.fakes.voice import ScriptedSynthesizer
from tests.fakes.waiting import until
from tests.fakes.web import served, unasked
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from voice_gateway.channels import ModelReplies
from voice_gateway.channels.web.guard import Limits
from voice_gateway.channels.web.responses import Feed
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.channels.web.voice import Engines, voice_router
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError, SpeakingError
from voice_gateway.events import Answered, EventBus, Heard, State
from voice_gateway.speaking.earcons import Earcon, earcon
from voice_gateway.turn import Part, PartSource, Reply, Speech, Utterance

SPOKEN = FOLDER / "cmd_03_am_michael.wav"


class Ears:
    name = "scripted"

    def __init__(self, text: str | Exception) -> None:
        self.text = text

    async def warm_up(self) -> None: ...

    async def close(self) -> None: ...

    async def transcribe(self, _samples) -> str:
        if isinstance(self.text, Exception):
            raise self.text
        return self.text


@contextlib.asynccontextmanager
async def microphone(
    tmp_path,
    ears: Ears,
    voice: ScriptedSynthesizer | None = None,
    query: str = "conversation_id=c",
    answer=None,
    watch: EventBus | None = None,
    started=lambda _task: None,
    headers=None,
    connection=None,
    **options,
):
    """A WebSocket of `/api/voice`, and the bus. `started` gets each task that outlives the connection."""
    need_speech()
    watch = watch or EventBus()

    async def answered(utterance, *, say, **_how):
        watch.publish(Heard(utterance))
        say(Part(PartSource.MODEL, "Done. "))
        parts = (Part(PartSource.MODEL, "Done."), Part(PartSource.GATEWAY, "Well."))
        reply = Reply("Done. Well.", conversation_id=utterance.conversation_id, parts=parts)
        watch.publish(Answered(utterance, reply))
        return reply

    def routes(start):
        def noted(work):
            started(task := start(work))
            return task

        engines = Engines(ears, voice or ScriptedSynthesizer(), VoiceSettings(), watch)
        return [voice_router(lambda: engines, answer or answered, Feed(watch), ModelReplies(watch), noted)]

    async with served(tmp_path, routes, **options) as channel:
        address = f"ws://127.0.0.1:{channel.port}/api/voice?{query}"
        async with connect(address, additional_headers=headers, **(connection or {})) as socket:
            yield socket, watch


async def said(socket, sound: bytes | None = None) -> None:
    if sound is None:
        with wave.open(str(SPOKEN)) as recording:
            sound = recording.readframes(recording.getnframes())
    await socket.send(json.dumps({"type": "start"}))
    for at in range(0, len(sound), 4096):
        await socket.send(sound[at : at + 4096])
    await socket.send(json.dumps({"type": "end"}))


async def until_kind(socket, kind: str):
    """All messages up to one of this kind."""
    found = []
    async for message in socket:
        found.append(message if isinstance(message, bytes) else json.loads(message))
        if isinstance(found[-1], dict) and found[-1]["type"] == kind:
            return found
    raise AssertionError(f"no {kind}: {found}")


async def test_words_are_heard_traced_and_answered(tmp_path):
    async with microphone(tmp_path, Ears("Which day is it?")) as (socket, _watch):
        await said(socket)
        messages = await until_kind(socket, "answer")

    assert [one["type"] for one in messages] == ["transcript", "heard", "answered", "answer"]
    assert messages[0]["text"] == "Which day is it?"
    heard = messages[1]
    assert (heard["door"], heard["conversation_id"], heard["heard_by"]) == ("web", "c", "scripted")
    assert heard["audio_seconds"] > 1
    assert messages[-1]["text"] == "Done. Well."


async def test_the_answer_is_spoken_by_sentence_on_request(tmp_path):
    voice = ScriptedSynthesizer()
    async with microphone(tmp_path, Ears("hello there"), voice, "speak=1") as (socket, _watch):
        await said(socket)
        messages = await until_kind(socket, "audio_end")

    kinds = [one["type"] for one in messages if isinstance(one, dict)]
    assert [kind for kind in kinds if kind.startswith("audio")] == ["audio", "audio_end"]
    assert next(one for one in messages if isinstance(one, dict) and one["type"] == "audio")["rate"] == 24_000
    assert voice.texts == ["Done.", "Well."]
    assert sound_bytes(messages) == 2 * 2400 * 2 + tone_bytes(24_000)


async def test_the_tone_precedes_spoken_text_of_a_model(tmp_path):
    async with microphone(tmp_path, Ears("")) as (socket, watch):
        for source in PartSource:
            words = f"From the {source}."
            watch.publish(Answered(Utterance("x"), Reply(words, parts=(Part(source, words),))))
            await socket.send(json.dumps({"type": "speak", "text": words}))
            tone = tone_bytes(24_000) if source is PartSource.MODEL else 0
            assert sound_bytes(await until_kind(socket, "audio_end")) == 2400 * 2 + tone


def sound_bytes(messages) -> int:
    return sum(len(one) for one in messages if isinstance(one, bytes))


def tone_bytes(rate: int) -> int:
    tone = earcon(Earcon.MODEL)
    return 2 * int(np.ceil(len(tone.samples) * rate / tone.rate))


class LongVoice(ScriptedSynthesizer):
    """Says more than any buffer takes."""

    async def speak(self, text: str) -> Speech:
        return Speech(np.zeros(MEGABYTES * 500_000, np.float32), 24_000, text)


MEGABYTES = 20


async def test_a_browser_that_does_not_read_is_disconnected(tmp_path):
    begun: list[asyncio.Task] = []
    slow = {"max_queue": 1, "close_timeout": 0.1}
    limits = Limits(send_seconds=0.2)
    async with microphone(
        tmp_path, Ears(""), LongVoice(), started=begun.append, connection=slow, limits=limits
    ) as (socket, _watch):
        await socket.send(json.dumps({"type": "speak", "text": "All of it."}))
        await until(lambda: len(begun) == 2)  # the engines are warmed up, too
        async with asyncio.timeout(20):
            await asyncio.gather(*begun)  # nothing waits for it


async def test_a_text_is_spoken_or_the_failure_reported(tmp_path):
    for errors, sentences in (([], 2), ([SpeakingError("no voice")], 0)):
        voice = ScriptedSynthesizer()
        voice.errors = errors
        async with microphone(tmp_path, Ears(""), voice) as (socket, _watch):
            await socket.send(json.dumps({"type": "speak", "text": "It is on. It is bright."}))
            messages = await until_kind(socket, "audio_end")
        assert messages[-1].get("error") == (None if sentences else "no voice")
        assert sound_bytes(messages) == sentences * 2400 * 2


async def test_noise_and_a_failing_engine_give_no_turn(tmp_path):
    for text, sound, reason in (
        ("turn on the lamp", bytes(64_000), "too short"),
        ("thanks for watching", None, "what the engine makes of noise"),
        (HearingError("it is broken"), None, "it is broken"),
    ):
        async with microphone(tmp_path, Ears(text)) as (socket, watch):
            await socket.send(bytes(4096))  # outside of a recording
            await said(socket, sound)
            heard = (await until_kind(socket, "transcript"))[-1]
            assert heard == {"type": "transcript", "text": "", "noise": reason}
            degraded = isinstance(text, Exception)
            assert watch.state("transcriber") is (State.DEGRADED if degraded else State.OK)


async def test_a_malformed_message_ends_the_connection(tmp_path):
    for message in ("", "[]", "5", '{"kind": "start"}', '{"type": "speak", "text": 5}'):
        async with microphone(tmp_path, Ears("hello")) as (socket, _watch):
            await socket.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd.code == 1009, message


async def test_sound_without_end_is_not_kept(tmp_path):
    async with microphone(tmp_path, Ears("hello")) as (socket, _watch):
        await socket.send(json.dumps({"type": "start"}))
        with contextlib.suppress(ConnectionClosed):
            for _ in range(100):
                await socket.send(bytes(64_000))
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert "60 seconds" in closed.value.rcvd.reason


async def test_a_revoked_token_ends_the_microphone(tmp_path, caplog):
    tokens, asked, revoked = TokenFile(tmp_path / "web-token.json"), asyncio.Event(), asyncio.Event()
    headers = {"Authorization": f"Bearer {tokens.make()}"}

    async def answer(utterance, **_how):
        asked.set()
        await revoked.wait()
        return Reply("The secret.", conversation_id=utterance.conversation_id)

    async with microphone(tmp_path, Ears("hello"), answer=answer, headers=headers, host="0.0.0.0") as (
        socket,
        _watch,
    ):
        await said(socket)
        async with asyncio.timeout(20):
            await asked.wait()
        tokens.revoke()
        revoked.set()
        received = []
        with contextlib.suppress(ConnectionClosed):
            for _ in range(1000):  # the user still speaks when it is closed
                await socket.send(bytes(640))
        with contextlib.suppress(ConnectionClosed):
            while True:
                received.append(await socket.recv())

    assert socket.close_reason == "the token was revoked"
    assert "Exception" not in caplog.text
    assert "secret" not in str(received)


async def test_missing_speech_packages_are_reported(tmp_path):
    def missing():
        raise HearingError("the voice is not installed: run `make setup`")

    def routes(start):
        return [voice_router(missing, unasked, Feed(EventBus()), ModelReplies(EventBus()), start)]

    async with served(tmp_path, routes) as door, connect(f"ws://127.0.0.1:{door.port}/api/voice") as socket:
        told = json.loads(await socket.recv())
    assert told == {"type": "error", "text": "the voice is not installed: run `make setup`"}
