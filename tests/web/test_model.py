"""A turn that a language model takes: its rounds in the trace, and words of strangers that stay words."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fakes.browser import Console
from tests.fakes.ollama_server import FakeOllama, Scripted
from tests.fakes.running_gateway import server

pytestmark = pytest.mark.web

NASTY = "<img src=x onerror=\"document.title='taken'\"><b>bold</b> \x1b[31mred\x1b[0m \u202egnihton"
SHOWN = "<img src=x onerror=\"document.title='taken'\"><b>bold</b> ␛[31mred␛[0m gnihton"
NOTES = {
    "name": "read_notes",
    "description": "Reads the notes of a day.",
    "inputSchema": {"type": "object", "properties": {"day": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
QUESTION = "please summarise what my notes say about penguins"


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as ollama:
        yield ollama


@pytest.fixture
def notes() -> str:
    """What the tool answers."""
    return "Penguins walk."


@pytest.fixture
def settings(ollama: FakeOllama, tmp_path: Path, notes: str) -> str:
    (tmp_path / "notes.json").write_text(json.dumps({"tools": [NOTES], "answer": notes}))
    return (
        '[brain]\nprovider = "ollama"\n'
        f'[ollama]\nbase_url = "{ollama.url}"\nmodel = "qwen2.5:0.5b"\nwarm_up = false\n'
        f"[mcp]\nsimulated_home = false\n{server('notes', 'strange_server.py', tmp_path / 'notes.json')}"
        "trusted = true\n"
    )


async def test_the_trace_has_the_rounds_of_the_model_with_their_tokens(
    console: Console, ollama: FakeOllama
) -> None:
    ollama.script(
        Scripted(calls=[("read_notes", {"day": "today"})], prompt_eval_count=321),
        Scripted("Penguins walk.", prompt_eval_count=456),
    )

    await console.say(QUESTION)

    answer = await console.answer()
    assert "Penguins walk." in await answer.inner_text()
    rounds = console.page.locator("#trace [data-kind=model]")
    await rounds.nth(1).wait_for()
    first, second = await rounds.all_inner_texts()
    assert "Model, round 1" in first
    assert "qwen2.5:0.5b · 321 → 1 tokens" in first
    assert "456 → 3 tokens" in second
    assert "2 model rounds" in await console.page.locator(".trace-total").inner_text()
    await rounds.first.locator("summary").click()
    assert "read_notes(today)" in await rounds.first.inner_text()
    await rounds.last.locator("summary").click()
    assert "First token" in await rounds.last.inner_text()
    await console.picture("trace-model")
    assert await console.findings() == []


@pytest.mark.parametrize("notes", [NASTY], ids=["nasty"])
async def test_html_and_colours_of_tools_and_models_are_text(
    console: Console, ollama: FakeOllama, notes: str
) -> None:
    ollama.script(Scripted(calls=[("read_notes", {"day": notes})]), Scripted(f"They say {notes}"))
    page = console.page

    await console.say(QUESTION)

    await console.answer()
    call = page.locator("#trace [data-kind=call]")
    await call.locator("summary").click()
    await call.get_by_text(SHOWN).first.wait_for()  # as its result
    await page.reload()  # the same from what was kept
    await console.answer()
    await console.open("turns")
    await page.locator(".turn-open").first.click()
    await page.locator("#trace [data-kind=call] summary").click()
    await page.locator("#trace [data-kind=call]").get_by_text(SHOWN).first.wait_for()
    await console.picture("trace-strange")
    assert await page.locator("main b, aside b, main img[src=x], aside img").count() == 0
    assert "taken" not in await page.title()
    assert not set("\x1b\u202e") & set(await page.locator("body").inner_text())
