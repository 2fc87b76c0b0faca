"""The console as a person uses it: typing, switching, agreeing, taking back, planning, looking why."""

import pytest
from tests.fakes.browser import Console
from tests.fakes.gateway_process import Commands
from tests.fakes.running_gateway import ask

pytestmark = pytest.mark.web


async def test_a_typed_command_is_done_and_traced(console: Console) -> None:
    await console.page.get_by_text("What should happen?").wait_for()
    await console.picture("talk-empty")

    await console.say("turn on the kitchen light")

    answer = await console.answer()
    assert "Kitchen light on." in await answer.inner_text()
    assert await answer.locator(".acts [data-mark=ok]").inner_text() == "✓\nKitchen Light: on"
    trace = console.page.locator("#trace")
    await trace.get_by_text("Answer", exact=True).wait_for()
    steps = await trace.locator(".label").all_inner_texts()
    assert steps[0] == "Heard"
    assert "Without a model" in steps
    assert steps[-1] == "Answer"
    call = trace.locator("[data-kind=call]")
    await call.locator("summary").click()
    details = await call.inner_text()
    assert '"deviceName": "Kitchen Light"' in details
    assert "allowed" in details
    assert "confirmed" in details
    await console.picture("talk")


async def test_a_suggestion_of_this_home_is_a_first_command(console: Console) -> None:
    await console.page.get_by_role("button", name="Turn on the").click()

    answer = await console.answer()
    assert await answer.get_attribute("data-ok") == "true"
    assert await answer.locator(".acts .mark").inner_text() == "✓"


async def test_the_trace_grows_while_a_turn_is_under_way(console: Console) -> None:
    await console.say("turn off everything")  # one device does not answer, which takes its second

    trace = console.page.locator("#trace")
    await trace.locator("[data-state=running]").first.wait_for()
    await trace.get_by_text("under way …").wait_for()

    answer = await console.answer()
    assert await answer.locator("[data-mark=bad]").count() == 1
    assert await trace.locator("[data-state=bad] .mark").first.inner_text() == "✗"
    assert await trace.locator("[data-state=running]").count() == 0
    await console.picture("trace")


async def test_a_switch_shows_what_the_device_said(console: Console, commands: Commands) -> None:
    await console.open("home")
    lamp = console.page.get_by_role("switch", name="Desk Lamp")
    was = await lamp.get_attribute("aria-checked")

    await lamp.click()

    await console.page.locator("#toasts").get_by_text("lamp o").wait_for()
    await console.until(
        "was => document.querySelector('[role=switch][aria-label=\"Desk Lamp\"]').ariaChecked !== was",
        was,
    )
    told = await ask(commands, "is the desk lamp on")
    assert told["text"].startswith("Yes" if was == "false" else "No")


async def test_what_others_switch_changes_here_and_a_dimmed_lamp_is_on(
    console: Console, commands: Commands
) -> None:
    await ask(commands, "turn off all the lights")
    await console.open("home")
    lamp = '[role=switch][aria-label="Floor Lamp"][aria-checked={}]'
    await console.page.locator(lamp.format("false")).wait_for()

    await ask(commands, "dim the floor lamp to 40 percent")

    await console.page.locator(lamp.format("true")).wait_for()
    await console.page.get_by_text(" · 1 on").wait_for()


async def test_a_button_undoes_an_act(console: Console) -> None:
    await console.say("turn off the desk lamp")
    await console.answer()
    await console.say("turn on the desk lamp")
    await console.page.locator(".acts").get_by_text("Desk Lamp: on").wait_for()

    await console.page.get_by_role("button", name="Undo").click()

    answer = await console.answer()
    assert await answer.locator(".acts").inner_text() == "✓\nDesk Lamp: off"
    assert await console.page.get_by_role("button", name="Undo").count() <= 1


async def test_a_routine_is_made_switched_off_and_deleted(console: Console) -> None:
    await console.say("every evening at ten turn off the desk lamp")
    answer = await console.answer()
    assert await answer.get_attribute("data-ok") == "true"

    await console.page.get_by_role("link", name="Routines").click()
    routine = console.page.locator(".routine", has_text="desk lamp")
    await routine.get_by_text("Next:").wait_for()
    await console.picture("routines")
    await routine.get_by_role("switch").click()
    await routine.get_by_text("Switched off").wait_for()
    await routine.get_by_role("button", name="Delete").click()
    await console.page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    await console.page.get_by_text("Nothing is planned.").wait_for()


async def test_turns_are_found_shown_and_deleted(console: Console, commands: Commands) -> None:
    await ask(commands, "turn on the coffee maker")
    await ask(commands, "what is seven times eight")

    await console.open("turns")
    await console.page.get_by_role("searchbox").fill("coffee")
    row = console.page.locator(".turn-row")
    await console.until("document.querySelectorAll('.turn-row').length === 1")
    await row.get_by_role("button", name="coffee").first.click()
    await console.page.locator("#trace").get_by_text("Coffee Maker: on", exact=True).wait_for()
    await console.page.get_by_role("searchbox").fill("")
    await console.until("document.querySelectorAll('.turn-row').length === 2")
    await console.picture("turns")
    await row.filter(has_text="coffee").get_by_role("button", name="Delete this turn").click()
    await console.page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    await console.until("document.querySelectorAll('.turn-row').length === 1")
    assert "coffee" not in await console.page.locator(".turns").inner_text()


async def test_a_new_turn_keeps_the_earlier_pages_open(console: Console, commands: Commands) -> None:
    said = "n => fetch('/api/ask', {method: 'POST', body: JSON.stringify({text: `what is 1 plus ${n}`})})"
    for number in range(60):
        await console.page.evaluate(said, number)
    await console.open("turns")
    await console.until("document.querySelectorAll('.turn-row').length === 50")
    await console.page.get_by_role("button", name="Show earlier ones").click()
    await console.until("document.querySelectorAll('.turn-row').length === 60")

    await ask(commands, "what is seven times eight")

    await console.page.locator(".turn-row", has_text="seven times eight").get_by_text("56").wait_for()
    assert await console.page.locator(".turn-row").count() == 61


async def test_a_page_that_stays_open_keeps_the_last_two_hundred(console: Console) -> None:
    await console.say("what time is it")
    await console.answer()
    told = "text => import('/live.js').then((live) => live.take({type: 'notice', text}))"
    for number in range(210):
        await console.page.evaluate(told, f"notice {number}")

    assert await console.page.locator(".turns-talk > li").count() == 200
    assert "notice 209" in await console.page.locator(".turns-talk > li").last.inner_text()
    await console.say("what is seven times eight")
    assert "56" in await (await console.answer()).inner_text()


async def test_a_new_conversation_knows_nothing_of_the_one_before(console: Console) -> None:
    page = console.page
    anew = page.get_by_role("button", name="New conversation")
    assert await anew.count() == 0  # there is nothing yet to leave
    await console.say("turn on the kitchen light")
    await console.answer()
    await console.picture("talk-anew")

    await anew.click()

    await page.get_by_text("What should happen?").wait_for()
    assert await page.locator(".turns-talk > li").count() == 0
    assert await page.locator("#trace .step").count() == 0
    assert await page.evaluate("document.activeElement.id") == "say"
    await console.say("turn it off")
    answer = await console.answer()
    assert await answer.locator(".acts").count() == 0  # what "it" was is forgotten


async def test_a_conversation_is_there_again_after_a_reload(console: Console, commands: Commands) -> None:
    await console.say("turn on the kitchen light")
    await console.answer()
    await ask(commands, "what is seven times eight")  # in another conversation

    await console.page.reload()

    answer = await console.answer()
    assert "Kitchen light on." in await answer.inner_text()
    assert await answer.locator(".acts").inner_text() == "✓\nKitchen Light: on"
    assert await console.page.locator(".you").count() == 1


async def test_a_refusal_names_the_setting_that_would_allow_it(console: Console) -> None:
    await console.say("unlock the front door")
    await console.answer()

    step = console.page.locator("#trace .step", has_text="Control zwave lock")
    await step.locator(".note", has_text="sensitive_channels does not name this channel").wait_for()
    assert await step.locator(".badge").inner_text() == "refused"
