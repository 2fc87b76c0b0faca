"""Hold to talk, against a gateway whose every message the test decides about."""

import json
import re
from typing import Any

import pytest
from tests.fakes.browser import Console
from tests.fakes.waiting import until
from tests.web.conftest import Open

pytestmark = pytest.mark.web

SECOND = bytes(2 * 22050)
ANSWER = {
    "type": "answer",
    "ok": True,
    "stage": "local",
    "seconds": 0.1,
    "expects_answer": False,
    "outcomes": [],
}


class Voices:
    """The gateway's side of every WebSocket that the page opened."""

    def __init__(self) -> None:
        self.all: list[Voice] = []

    def opened(self, socket: Any) -> None:
        self.all.append(Voice(socket))

    async def number(self, count: int) -> "Voice":
        await until(lambda: len(self.all) >= count and "start" in self.all[count - 1].told)
        return self.all[count - 1]


class Voice:
    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.told: list[str] = []
        self.pieces = 0  # of sound
        self.closed = False
        socket.on_message(self._message)
        socket.on_close(self._close)

    def _message(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self.pieces += 1
        else:
            self.told.append(json.loads(message)["type"])

    def _close(self, *_why: Any) -> None:
        self.closed = True

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        for message in messages:
            self._socket.send(message if isinstance(message, bytes) else json.dumps(message))

    async def end(self) -> None:
        await until(lambda: "end" in self.told)


@pytest.fixture
async def talk(open_console: Open) -> tuple[Console, Voices]:
    console, voices = await open_console(permissions=["microphone"]), Voices()
    await console.page.route_web_socket(re.compile("/api/voice"), voices.opened)
    await console.open()
    await console.page.reload()
    await console.page.locator("#state[data-state=ok]").wait_for()
    return console, voices


async def press(console: Console, voices: Voices, count: int) -> Voice:
    await console.page.get_by_role("button", name="Hold to talk").hover()
    await console.page.mouse.down()
    voice = await voices.number(count)
    await until(lambda: voice.pieces > 8)  # of 64 ms each: longer than a tap, however soon the first one came
    return voice


async def state(console: Console) -> str:
    return str(await console.page.locator(".mic").get_attribute("data-state"))


async def settled(console: Console) -> None:
    """Whatever was sent to the page has arrived and was drawn."""
    for _ in range(5):
        await console.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))"
        )


async def test_barge_in_ends_the_answer_and_is_heard(talk: tuple[Console, Voices]) -> None:
    console, voices = talk
    page = console.page
    await page.get_by_role("button", name="Speak answers aloud").click()
    first = await press(console, voices, 1)
    await page.mouse.up()
    await first.end()
    first.send({"type": "transcript", "text": "tell me a story", "turn": "one"})
    first.send({"type": "audio", "rate": 22050}, SECOND)
    await page.locator(".sound[data-playing]").wait_for()

    second = await press(console, voices, 2)
    await until(lambda: first.closed)
    await settled(console)

    assert await state(console) == "listening"
    assert await page.locator(".sound[data-playing]").count() == 0
    assert await page.locator(".reply[data-busy]").count() == 0
    await console.picture("spoken-again")
    await page.mouse.up()
    await second.end()
    second.send(
        {"type": "transcript", "text": "turn it off", "turn": "two"}, {**ANSWER, "text": "It is off."}
    )
    assert "It is off." in await (await console.answer()).inner_text()
    assert await state(console) == "idle"


async def test_late_messages_of_an_old_answer_are_ignored(talk: tuple[Console, Voices]) -> None:
    console, voices = talk
    page = console.page
    await page.get_by_role("button", name="Speak answers aloud").click()
    # A browser may have read messages already when the socket is closed.
    await page.evaluate("() => { WebSocket.prototype.close = () => {}; }")
    first = await press(console, voices, 1)
    await page.mouse.up()
    await first.end()
    second = await press(console, voices, 2)

    first.send({"type": "transcript", "text": "too late", "turn": "one"}, {"type": "audio", "rate": 22050})
    first.send(SECOND, {**ANSWER, "text": "Too late."}, {"type": "audio_end"})
    await settled(console)

    assert await state(console) == "listening"
    assert await page.locator(".sound[data-playing]").count() == 0
    assert await page.get_by_text("too late").count() == 0
    before = second.pieces
    await until(lambda: second.pieces > before)  # it still records
    await page.mouse.up()
    await second.end()


async def test_switching_the_loudspeaker_off_ends_the_sound(talk: tuple[Console, Voices]) -> None:
    console, voices = talk
    page = console.page
    loudspeaker = page.get_by_role("button", name="Speak answers aloud")
    await loudspeaker.click()
    first = await press(console, voices, 1)
    await page.mouse.up()
    await first.end()
    first.send({"type": "transcript", "text": "tell me a story", "turn": "one"}, {**ANSWER, "text": "Once."})
    first.send({"type": "audio", "rate": 22050}, SECOND)
    await page.locator(".sound[data-playing]").wait_for()

    await loudspeaker.click()

    await until(lambda: first.closed)
    assert await page.locator(".sound[data-playing]").count() == 0


async def test_a_refused_microphone_is_reported(
    talk: tuple[Console, Voices],
) -> None:
    console, _voices = talk
    page = console.page
    await page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia ="
        " async () => { throw new DOMException('', 'NotAllowedError'); }; }"
    )
    await page.get_by_role("button", name="Hold to talk").hover()
    await page.mouse.down()
    await page.get_by_text("does not let this page use the microphone").first.wait_for()
    await page.evaluate("new Promise((done) => setTimeout(done, 400))")  # longer than a tap
    await page.mouse.up()

    assert await state(console) == "idle"
