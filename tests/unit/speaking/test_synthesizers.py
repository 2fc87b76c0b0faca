"""Every voice gives trimmed sound, or says what is wrong and what to do."""

import asyncio
import json
import os
import stat
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import counterparts
from tests.fakes.speech_packages import need_packages
from tests.fakes.waiting import until

from voice_gateway.config import VoiceSettings
from voice_gateway.errors import SpeakingError
from voice_gateway.speaking.earcons import Earcon, earcon
from voice_gateway.speaking.speaker import KeepingSpeaker, PlayedLevels
from voice_gateway.speaking.synthesizer import (
    EspeakSynthesizer,
    PiperSynthesizer,
    WyomingSynthesizer,
    new_synthesizer,
    trimmed,
)
from voice_gateway.turn import Speech

# A voice program as espeak-ng is: half a second of silence, then a tone for each letter it got.
PROGRAM = """\
import math, struct, sys, wave
def speak(text, out):
    tone = [int(9000 * math.sin(i / 5)) for i in range(800 * len(text))]
    with wave.open(out, "wb") as file:
        file.setnchannels(1); file.setsampwidth(2); file.setframerate(16000)
        file.writeframes(struct.pack(f"<{8000 + len(tone)}h", *[0] * 8000, *tone))
"""
ESPEAK = PROGRAM + "speak(sys.stdin.read().strip(), sys.stdout.buffer)"
# And one as Piper is: it stays, and tells on stderr which file it has written for each line.
PIPER = (
    PROGRAM
    + """\
folder = sys.argv[sys.argv.index("--output_dir") + 1]
def note(text):
    with open(f"{sys.argv[0]}.log", "a") as log:
        log.write(f"{text}\\n")
note("started")
print("INFO:loading", file=sys.stderr, flush=True)
for number, line in enumerate(sys.stdin):
    note("was asked")
    if "die" in line:
        sys.exit("no such phoneme")
    speak(line.strip(), f"{folder}/{number}.wav")
    print(f"INFO:piper:Wrote {folder}/{number}.wav", file=sys.stderr, flush=True)
"""
)


def program(folder: Path, code: str) -> str:
    path = folder / "speak"
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def piper_log(folder: Path) -> list[str]:
    return (folder / "speak.log").read_text().splitlines()


def voice_file(folder: Path) -> Path:
    voice = folder / "voice.onnx"
    voice.write_bytes(b"model")
    Path(f"{voice}.json").write_text(json.dumps({"audio": {"sample_rate": 16000}}))
    return voice


def test_silence_around_a_sentence_is_cut_and_the_sentence_is_not():
    sound = np.concatenate([np.zeros(7560), np.full(4800, 0.5), np.zeros(10000)])
    cut = trimmed(sound, 24000)
    assert 4800 <= len(cut) <= 4800 + 0.17 * 24000
    assert np.count_nonzero(cut) == 4800
    assert len(trimmed(np.zeros(100), 24000)) == 0
    assert len(trimmed(np.zeros(0), 24000)) == 0


async def test_piper_stays_for_all_sentences_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    piper = PiperSynthesizer(voice_file(tmp_path), program=program(tmp_path, PIPER))
    first = await piper.speak("hello")
    assert first.seconds == pytest.approx(5 * 800 / 16000, abs=0.2)
    gone = asyncio.ensure_future(piper.speak("somebody who does not wait for it"))
    await until(lambda: piper_log(tmp_path).count("was asked") == 2)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    second = await piper.speak("two\nlines")
    assert second.seconds == pytest.approx(9 * 800 / 16000, abs=0.2)
    assert piper_log(tmp_path).count("started") == 1
    with pytest.raises(SpeakingError, match=r"piper failed \(no such phoneme\): install it"):
        await piper.speak("die")
    assert (await piper.speak("again")).seconds > 0.2
    await piper.close()
    assert list(tmp_path.glob("voice-gateway-piper-*")) == []


async def test_the_real_espeak_speaks():
    counterparts.program("espeak-ng")
    speech = await new_synthesizer(VoiceSettings(tts="espeak")).speak("The kitchen light is on.")
    assert 0.8 < speech.seconds < 3
    assert np.max(np.abs(speech.samples)) > 0.1


async def test_a_program_that_fails_or_is_missing_says_what_to_do(tmp_path):
    missing = EspeakSynthesizer(program=str(tmp_path / "nowhere"))
    with pytest.raises(SpeakingError, match=r"cannot be started.*apt-get install espeak-ng"):
        await missing.speak("hello")
    failing = EspeakSynthesizer(program=program(tmp_path, "import sys; sys.exit('no voice')"))
    with pytest.raises(SpeakingError, match="failed \\(no voice\\)"):
        await failing.speak("hello")
    silent = EspeakSynthesizer(program=program(tmp_path, "pass"))
    with pytest.raises(SpeakingError, match="gave no sound"):
        await silent.speak("hello")


async def test_a_program_whose_caller_has_gone_is_ended(tmp_path):
    started = tmp_path / "pid"
    code = f"import os, time; open({str(started)!r} + '.new', 'w').write(str(os.getpid())); "
    code += f"os.rename({str(started)!r} + '.new', {str(started)!r}); time.sleep(60)"
    task = asyncio.ensure_future(EspeakSynthesizer(program=program(tmp_path, code)).speak("hello"))
    await until(started.exists, 15)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


@pytest.mark.filterwarnings("ignore:'audioop' is deprecated")  # of the wyoming package
async def test_a_wyoming_server_that_is_away_or_sends_nothing_says_so():
    need_packages("wyoming")

    async def close_at_once(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(close_at_once, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    url = f"tcp://127.0.0.1:{port}"
    with pytest.raises(SpeakingError, match=r"failed.*voice.tts"):
        await WyomingSynthesizer(url).speak("hello")
    server.close()
    await server.wait_closed()
    with pytest.raises(SpeakingError, match=f"{url} failed"):
        await WyomingSynthesizer(url).speak("hello")


def test_earcons_are_short_soft_and_begin_without_a_click():
    for kind in Earcon:
        sound = earcon(kind)
        alarm = kind is Earcon.ALARM  # it wakes who sleeps
        assert 0.05 <= sound.seconds <= (2 if alarm else 1)
        assert 0.05 < np.max(np.abs(sound.samples)) <= (0.61 if alarm else 0.2)
        assert abs(sound.samples[0]) < 0.01
        assert abs(sound.samples[-1]) < 0.01


async def test_the_keeping_speaker_writes_what_it_got(tmp_path):
    speaker = KeepingSpeaker()
    await speaker.play(earcon(Earcon.WAKE))
    await speaker.play(Speech(np.zeros(16000, np.float32), 16000))
    assert speaker.seconds == pytest.approx(1.14)
    speaker.save(tmp_path / "out.wav")
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert (file.getframerate(), file.getnchannels()) == (24000, 1)
        assert file.getnframes() == round(1.14 * 24000)
    with pytest.raises(SpeakingError, match="cannot be written"):
        speaker.save(tmp_path / "no folder" / "out.wav")


def test_what_was_played_is_known_for_some_seconds_only():
    levels = PlayedLevels()
    levels.add(np.full(10, 0.5, np.float32), 100.0, 0.02)
    assert levels.between(99.995, 100.035, 0.01) == pytest.approx([0, 0.5, 0.5, 0])
    levels.add(np.full(10, 0.1, np.float32), 110.0, 0.02)
    assert levels.between(100.005, 100.025, 0.01) == [0, 0]
