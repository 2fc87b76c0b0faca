"""The Wyoming door, seen by the client library that Home Assistant uses."""

import asyncio
import contextlib
import json

import numpy as np
import pytest
from tests.fakes.speech import words
from tests.fakes.speech_packages import need_packages
from tests.fakes.voice import LevelTranscriber, ScriptedSynthesizer
from tests.fakes.waiting import until
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop
from wyoming.wake import Detect, Detection, NotDetected

from voice_gateway.channels.wyoming import MOST_CLIENTS, SERVICE, WyomingChannel, reachable_address
from voice_gateway.config import VoiceSettings
from voice_gateway.errors import HearingError
from voice_gateway.events import Answered, EventBus
from voice_gateway.speaking.synthesizer import HibariSynthesizer
from voice_gateway.turn import Part, PartSource, Reply, Utterance

LIMIT = 40.0


async def answer(utterance):
    assert utterance.channel == "wyoming"
    return Reply(f"{utterance.conversation_id}: {utterance.text}", ok="bad" not in utterance.text)


async def transcript(connected):
    return Transcript.from_event(await connected.read_event())


@contextlib.asynccontextmanager
async def door(transcriber, synthesizer=None, *, watch=None, name="Voice Gateway", **settings):
    chosen = VoiceSettings(**{"wyoming_url": "tcp://127.0.0.1:0", **settings})
    opened = WyomingChannel(
        chosen,
        answer,
        transcriber,
        synthesizer or ScriptedSynthesizer(),
        events=watch or EventBus(),
        name=name,
        retry_seconds=0.01,
    )
    running = asyncio.ensure_future(opened.run())
    try:
        yield opened
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@contextlib.asynccontextmanager
async def client(opened):
    async with asyncio.timeout(LIMIT):
        await opened.listening.wait()
    async with AsyncTcpClient("127.0.0.1", opened.port, read_timeout=LIMIT) as connected:
        yield connected


async def send(connected, *events):
    for event in events:
        await connected.write_event(event.event())


async def ask(connected, *events):
    """The next event after these."""
    await send(connected, *events)
    return await connected.read_event()


async def send_sound(connected, samples, rate=16000):
    pieces = [samples[start : start + 1600].tobytes() for start in range(0, len(samples), 1600)]
    await send(connected, AudioStart(rate, 2, 1), *(AudioChunk(rate, 2, 1, piece) for piece in pieces))
    await send(connected, AudioStop())


async def spoken_by(connected, last="audio-stop"):
    """The types of what comes until this one, each run of one type once, and the sound."""
    kinds, sound = [], b""
    while kinds[-1:] != [last]:
        event = await connected.read_event()
        if AudioChunk.is_type(event.type):
            sound += event.payload
        if [event.type] != kinds[-1:]:
            kinds.append(event.type)
    return kinds, sound


async def test_it_describes_what_it_offers(moonshine):
    async with door(moonshine) as opened, client(opened) as connected:
        info = Info.from_event(await ask(connected, Describe()))
    assert [program.name for program in info.asr] == ["moonshine"]
    assert info.tts[0].voices[0].languages == ["en"]
    assert info.wake[0].models[0].phrase == "hey jarvis"
    assert info.handle[0].supports_home_control
    assert info.tts[0].supports_synthesize_streaming


async def test_speech_goes_in_and_out_and_in_again(moonshine, sound):
    need_packages("hibari")

    async with door(moonshine, HibariSynthesizer()) as opened, client(opened) as connected:
        await send(connected, Transcribe(language="en"))
        await send_sound(connected, sound("cmd_00_am_michael.wav"))
        heard = await transcript(connected)
        assert words(heard.text) == ["what", "time", "is", "it"]

        started = AudioStart.from_event(
            await ask(connected, Synthesize("It is **ten** o'clock. Good morning!"))
        )
        _, spoken = await spoken_by(connected)
        await send(connected, Transcribe())
        await send_sound(connected, np.frombuffer(spoken, np.int16), rate=started.rate)
        again = await transcript(connected)
        assert started.rate == 24000
        assert words(again.text)[-2:] == ["good", "morning"]


async def test_the_wake_word_is_detected_and_other_speech_is_not(moonshine, sound):
    async with door(moonshine) as opened, client(opened) as connected:
        await send(connected, Detect())
        await send_sound(connected, sound("wake_00_af_heart.wav"))
        found = Detection.from_event(await connected.read_event())
        assert found.name == "hey_jarvis"
        await send_sound(connected, sound("cmd_00_am_michael.wav"))
        assert NotDetected.is_type((await connected.read_event()).type)


async def test_the_tone_comes_before_the_words_of_a_model(moonshine):
    events = EventBus()
    parts = (Part(PartSource.GATEWAY, "It is on."), Part(PartSource.MODEL, "Lamps glow."))
    lengths = {}
    async with door(moonshine, watch=events) as opened, client(opened) as connected:
        events.publish(Answered(Utterance("x"), Reply("It is on. Lamps glow.", parts=parts)))
        for text in ("It is on. Lamps glow.", "It is on. Lamps glim."):
            pieces = SynthesizeChunk(text[:6]), SynthesizeChunk(text[6:])
            await send(connected, Synthesize(text), SynthesizeStart(), *pieces, SynthesizeStop())
            ends = ("audio-stop", "synthesize-stopped")
            lengths[text] = [len((await spoken_by(connected, end))[1]) for end in ends]
    [model, plain] = lengths.values()
    assert model[0] == model[1] > plain[0] == plain[1] > 0


async def test_words_are_answered_in_the_conversation_of_their_satellite(moonshine):
    asked: list[Utterance] = []

    async def remember(utterance: Utterance) -> Reply:
        asked.append(utterance)
        return await answer(utterance)

    async with door(moonshine) as opened, client(opened) as connected:
        opened.answer = remember
        for satellite in ({}, {"satellite_id": "assist_satellite.hall"}, {"device_id": "a1"}):
            context = {"conversation_id": "kitchen", **satellite}
            handled = Handled.from_event(
                await ask(connected, Transcript("turn on the lamp", context=context))
            )
            assert handled.text == "wyoming-kitchen: turn on the lamp"
        assert NotHandled.is_type((await ask(connected, Transcript("something bad"))).type)

    satellites = [utterance.satellite.removeprefix("127.0.0.1") for utterance in asked]
    assert satellites == ["", "/assist_satellite.hall", "/a1", ""]


async def test_a_pin_that_is_spoken_comes_back_hidden_and_is_whole_in_the_conversation():
    """Home Assistant hears by one connection, keeps what it got, and asks by the next."""

    async def heard(connected, height: int) -> str:
        await send(connected, Transcribe())
        await send_sound(connected, np.full(1600, height, np.int16))
        return (await transcript(connected)).text

    asked: list[str] = []

    async def remember(utterance: Utterance) -> Reply:
        asked.append(utterance.text)
        return Reply("done")

    engine = LevelTranscriber({1000: "yes, two four six eight", 1001: "set the lamp to 50 percent"})
    async with door(engine) as opened:
        opened.answer = remember
        async with client(opened) as connected:
            assert await heard(connected, 1001) == "set the lamp to 50 percent"
            opened.wants_pin = lambda: True
            shown = await heard(connected, 1000)
        assert shown == "yes •"
        async with client(opened) as connected:
            for _ in range(2):
                await ask(connected, Transcript(shown))

    assert asked == ["yes, two four six eight", "yes •"]  # it is good for one question


async def test_an_engine_that_fails_is_reported_and_the_connection_stays():
    engine = LevelTranscriber({})
    engine.errors = [HearingError("the model is broken")]
    async with door(engine, wake="none") as opened, client(opened) as connected:
        await send_sound(connected, np.full(1600, 1000, np.int16))
        assert Error.from_event(await connected.read_event()).text == "the model is broken"
        assert Pong.from_event(await ask(connected, Ping("still there"))).text == "still there"


NONSENSE = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"[]\n",
    b'{"type": "audio-chunk", "payload_length": 99999999999}\n',
    b'{"type": "ping", "data_length": 99999999999}\n',
    b'{"type": "ping", "data_length": "x"}\n',
    b'{"type": "ping", "data": [1]}\n',
    b'{"type": "ping", "data_length": 3}\nabc',
    b'{"data": {}}\n',
    b'{"type": "audio-start", "data": {"rate": 16000, "width": 4}}\n',
    b'{"type": "audio-chunk", "data": {"channels": 0}}\n',
    b"x" * 200_000,
)


async def test_a_client_that_sends_nonsense_is_disconnected_and_others_are_served():
    async with door(LevelTranscriber({})) as opened, client(opened) as other, asyncio.timeout(LIMIT):
        for raw in NONSENSE:
            reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
            writer.write(raw)
            received = b""
            with contextlib.suppress(ConnectionResetError):  # what it sent was not even read
                received = await reader.read()
            writer.close()
            assert received == b"" or json.loads(received.split(b"\n")[0])["type"] == "error", raw[:80]
            assert Pong.is_type((await ask(other, Ping())).type)


async def test_a_port_that_is_taken_is_told_and_tried_again():
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    watch, told = EventBus(), asyncio.Queue()
    watch.subscribe(told.put_nowait)
    async with (
        asyncio.timeout(LIMIT),
        door(LevelTranscriber({}), watch=watch, wyoming_url=f"tcp://127.0.0.1:{port}") as opened,
    ):
        trouble = await told.get()
        assert trouble.state == "degraded"
        assert f"127.0.0.1:{port} cannot be used" in trouble.sentence
        taken.close()
        await taken.wait_closed()
        await opened.listening.wait()
        assert opened.port == port


async def test_silent_clients_make_room_for_one_that_asks():
    async def connected(opened):
        return await asyncio.open_connection("127.0.0.1", opened.port)

    async def answers(reader, writer):
        writer.write(b'{"type": "ping"}\n')
        return b"pong" in await reader.readline()

    async with asyncio.timeout(LIMIT), door(LevelTranscriber({})) as opened:
        await opened.listening.wait()
        all_of_them = [await connected(opened) for _ in range(MOST_CLIENTS)]
        for one in all_of_them:
            assert await answers(*one)
        refused, writer = await connected(opened)
        assert b"too many clients" in await refused.read()
        writer.close()
        opened.idle_seconds = 0.0
        new = await connected(opened)
        assert await answers(*new)
        assert b"pong" not in await all_of_them[0][0].read()  # it was disconnected
        assert await answers(*all_of_them[1])
        for _, writer in (*all_of_them, new):
            writer.close()


async def test_a_text_to_speak_has_a_limit():
    async with door(LevelTranscriber({})) as opened, client(opened) as connected:
        assert "8000 characters" in Error.from_event(await ask(connected, Synthesize("word " * 2_000))).text
        assert Pong.is_type((await ask(connected, Ping())).type)


async def test_text_that_comes_in_pieces_is_spoken_sentence_by_sentence():
    """As Home Assistant sends it: the whole text comes once more, for servers that need that."""
    voice = ScriptedSynthesizer()
    async with door(LevelTranscriber({}), voice) as opened, client(opened) as connected:
        pieces = map(SynthesizeChunk, ("The lamp ", "is on. The d", "oor is"))
        await send(connected, SynthesizeStart(), *pieces)
        await until(lambda: voice.texts == ["The lamp is on."])
        whole = Synthesize("The lamp is on. The door is locked")
        await send(connected, SynthesizeChunk(" locked"), whole, SynthesizeStop())
        kinds, sound = await spoken_by(connected, "synthesize-stopped")
        assert voice.texts == ["The lamp is on.", "The door is locked"]
        assert kinds == ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"]
        assert sound

        await send(connected, Synthesize("Good night."))
        assert (await spoken_by(connected))[0] == ["audio-start", "audio-chunk", "audio-stop"]


async def test_it_is_announced_where_others_can_reach_it_and_taken_back_at_the_end():
    need_packages("zeroconf")
    from zeroconf import Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    address = reachable_address("0.0.0.0")
    if address is None:
        pytest.skip("this machine has no network")
    looking = AsyncZeroconf(interfaces=[address])
    try:
        async with door(LevelTranscriber({}), wyoming_url="tcp://0.0.0.0:0", name="Hall [1]") as opened:

            async def found() -> AsyncServiceInfo | None:
                info = AsyncServiceInfo(SERVICE, f"Hall [1].{SERVICE}")
                return info if await info.async_request(looking.zeroconf, 300) else None

            info = await until(found)
            assert (info.parsed_addresses(), info.port) == ([address], opened.port)
        assert isinstance(looking.zeroconf, Zeroconf)
    finally:
        await looking.async_close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "no such host"])
def test_what_only_this_machine_can_reach_is_not_announced(host):
    assert reachable_address(host) is None
