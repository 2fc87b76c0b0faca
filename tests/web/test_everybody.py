"""For everybody: on a phone, in the dark, by the keyboard alone, by voice, and for who does not see it."""

import re
import wave
from pathlib import Path

import pytest
from tests.fakes.browser import DESK, PHONE, Console
from tests.fakes.gateway_process import Commands
from tests.fakes.running_gateway import ask
from tests.fakes.speech import need_speech
from tests.web.conftest import Open

pytestmark = pytest.mark.web

PAGES = ("talk", "home", "routines", "turns", "health")
RECORDINGS = Path(__file__).parents[1] / "audio_data"
KITCHEN_LIGHT = RECORDINGS / "cmd_32_am_michael.wav"


@pytest.fixture
def settings() -> str:
    """Locks may be opened from here."""
    return '[permission]\nsensitive_channels = ["web"]\n'


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_every_page_fits_and_is_accessible(
    open_console: Open, commands: Commands, scheme: str, size: tuple[int, int]
) -> None:
    console = await open_console(size=size, color_scheme=scheme)
    await ask(commands, "every evening at ten turn off the desk lamp")
    await ask(commands, "turn on the coffee maker")
    for text in ("turn on the kitchen light", "turn off everything", "unlock the front door"):
        await console.say(text)
        await console.answer()
    await console.page.locator(".question").wait_for()
    for page in PAGES:
        await console.open(page)
        await console.page.locator("#main > .page:visible").wait_for()
        if page == "turns":
            await console.page.locator(".turn-row").first.wait_for()
        if page == "health":
            await console.page.locator(".part").first.wait_for()
        wide = await console.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{page} is {wide} pixels too wide"
        await console.picture(f"{page}-{'phone' if size == PHONE else 'desk'}-{scheme}")
        assert await console.findings() == [], page


async def test_on_a_phone_the_trace_opens_and_closes(open_console: Open) -> None:
    console = await open_console(size=PHONE, has_touch=True, is_mobile=True)
    await console.say("turn on the kitchen light")
    await (await console.answer()).get_by_role("button", name="Trace").tap()

    await console.page.locator("#trace").get_by_text("Without a model").wait_for()
    await console.picture("trace-phone")
    assert await console.findings() == []
    await console.page.get_by_role("button", name="Close the trace").tap()

    assert not await console.page.locator("#trace").is_visible()


async def test_everything_is_reached_by_the_keyboard_alone(console: Console) -> None:
    page = console.page
    for text in ("turn off the kitchen light", "turn on the kitchen light"):
        await page.keyboard.type(text)  # the field is ready
        await page.keyboard.press("Enter")
        await console.answer()

    async def tab_to(name: str) -> None:
        for _ in range(80):
            await page.keyboard.press("Tab")
            focused = await page.evaluate(
                "document.activeElement.ariaLabel ?? document.activeElement.innerText"
            )
            if focused and re.fullmatch(name, focused.strip()):
                outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"one does not see that {name} has the keyboard"
                return
        raise AssertionError(f"{name} is not reached")

    await tab_to("Undo")
    await page.keyboard.press("Enter")
    await page.locator(".acts").get_by_text("Kitchen Light: off").last.wait_for()
    await tab_to("Home")
    await page.keyboard.press("Enter")
    await page.get_by_role("switch", name="Desk Lamp").wait_for()
    await tab_to("Desk Lamp")
    was = await page.evaluate("document.activeElement.ariaChecked")
    await page.keyboard.press("Space")
    await console.until(
        "was => document.activeElement.matches(`[aria-label='Desk Lamp']:not([aria-checked='${was}'])`)",
        was,
    )
    await tab_to("Unlock Front Door")
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").wait_for()
    await page.keyboard.press("Escape")
    await console.until("document.activeElement.ariaLabel === 'Unlock Front Door'")


async def test_an_answer_is_announced_to_screen_readers(console: Console) -> None:
    await console.say("turn on the kitchen light")

    await console.page.locator("#announce").get_by_text("Kitchen light on.").wait_for(state="attached")


async def test_speaking_typed_answers_is_remembered(
    console: Console,
) -> None:
    need_speech()
    page = console.page
    await page.get_by_role("button", name="Speak answers aloud").click()

    await console.say("turn on the kitchen light")

    await page.locator(".sound[data-playing]").wait_for()
    await page.reload()
    wished = page.get_by_role("button", name="Speak answers aloud")
    assert await wished.get_attribute("aria-pressed") == "true"
    await wished.click()
    await console.say("turn off the kitchen light")
    await console.answer()
    assert await page.locator(".sound[data-playing]").count() == 0


def with_silence(recording: Path, to: Path) -> Path:
    """A second before, so that nothing is lost while the microphone opens, and one behind."""
    with wave.open(str(recording)) as source, wave.open(str(to), "wb") as target:
        target.setparams(source.getparams())
        second = b"\0" * source.getframerate() * source.getsampwidth()
        target.writeframes(second + source.readframes(source.getnframes()) + second)
    return to


@pytest.mark.parametrize("speak", [False, True], ids=["text", "sound"])
async def test_the_first_command_is_spoken(open_console: Open, tmp_path: Path, speak: bool) -> None:
    need_speech()
    voice = with_silence(KITCHEN_LIGHT, tmp_path / "voice.wav")
    console = await open_console(
        flags=(f"--use-file-for-fake-audio-capture={voice}%noloop",), permissions=["microphone"]
    )
    page = console.page
    if speak:
        await page.get_by_role("button", name="Speak answers aloud").click()
    microphone = page.get_by_role("button", name="Hold to talk")
    await microphone.hover()

    await page.mouse.down()
    level = "+document.querySelector('.mic').style.getPropertyValue('--level')"
    await console.until(f"{level} > 0.1")
    await console.picture("listening")
    await console.until(f"{level} < 0.01")
    await page.mouse.up()

    answer = await console.answer()
    assert "Kitchen light on." in await answer.inner_text()
    assert "kitchen light" in (await page.locator(".you").last.inner_text()).lower()
    trace = page.locator("#trace")
    await trace.get_by_text("Transcript").wait_for()
    await console.picture("spoken")
    if speak:
        await page.locator(".sound[data-playing]").wait_for()
