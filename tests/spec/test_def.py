"""DEF: what tools say of themselves. (DEF-1 is proven where tools are added.)"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools, refresh
from voice_gateway.tools.builtin.timers.store import TimerStore
from voice_gateway.tools.builtin.volume.playback import PlaybackVolume
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.lint import MAX_EXAMPLES, MAX_TOKENS, estimate_tokens, lint
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import schema_of
from voice_gateway.turn import ToolCall, ToolTraits

LOCAL_ZONE = "Europe/Berlin"


@pytest.fixture(autouse=True)
def _in_berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", LOCAL_ZONE)


def tools(year: int = 2026, **settings: Any) -> dict[str, BaseTool]:
    unused = TimerStore(Path("never-opened"))
    made = builtin_tools(
        ToolsSettings(**settings), timers=unused, now=lambda: datetime(year, 6, 1, tzinfo=UTC)
    )
    return {tool.name: tool for tool in made}


def descriptions(tool: BaseTool) -> dict[str, str]:
    return {name: facts["description"] for name, facts in schema_of(tool)["properties"].items()}


EVERY_TOOL = sorted(tools())


def foreign(description: str, properties: dict[str, Any] | None = None) -> BaseTool:
    """A tool as an MCP server might define it."""

    async def run(**arguments: Any) -> str:
        return "ok"

    schema = {"type": "object", "properties": properties or {}}
    return StructuredTool(
        name="t",
        description=description,
        args_schema=schema,
        coroutine=run,
        metadata={"traits": ToolTraits(source="server", original_name="t")},
    )


# One description that follows every rule; each test below breaks it in one place.
RIGHT = (
    "REQUIRED for the cellar: you MUST call this. Call it whenever the user asks about the cellar. "
    'DO NOT use for the attic. Good: "is the cellar dry". Bad: "is the attic dry".'
)


def rows(tool: BaseTool) -> list[str]:
    return [finding.row for finding in lint(tool)]


@pytest.mark.scenario("DEF-2")
@pytest.mark.parametrize("name", EVERY_TOOL)
def test_descriptions_are_mandatory_short_and_have_examples(name: str) -> None:
    tool = tools()[name]

    assert re.search(r"\b(REQUIRED|MUST)\b", tool.description)
    assert estimate_tokens(tool.description) < MAX_TOKENS
    for text in descriptions(tool).values():
        assert re.search(r"example|such as|Good:", text)


@pytest.mark.scenario("DEF-2")
def test_the_linter_finds_what_breaks_the_row() -> None:
    assert rows(foreign(RIGHT)) == []
    assert rows(foreign(RIGHT.replace("REQUIRED", "Made").replace("MUST", "may"))) == ["DEF-2"]
    assert rows(foreign(RIGHT + " And so on." * 60)) == ["DEF-2"]
    assert rows(foreign(RIGHT, {"room": {"type": "string"}})) == ["DEF-2"]
    assert rows(foreign(RIGHT, {"room": {"type": "string", "description": "the room"}})) == ["DEF-2"]
    assert (
        rows(foreign(RIGHT, {"room": {"type": "string", "description": 'the room, such as "cellar"'}})) == []
    )
    assert rows(foreign(RIGHT, {"room": {"enum": ["cellar"], "description": "the room"}})) == []


@pytest.mark.scenario("DEF-3")
def test_search_says_when_it_must_be_used_and_when_not() -> None:
    text = tools()["search_web"].description

    first, _, rest = text.partition(". ")
    assert "REQUIRED for current events" in first
    assert "MUST" in first
    for trigger in ("current leaders", "recent news", "prices", "weather"):
        assert trigger in rest
    assert re.search(r"DO NOT use for mathematics, definitions, timeless facts", rest)


@pytest.mark.scenario("DEF-4")
@pytest.mark.parametrize(
    ("settings", "backend", "other"),
    [({}, "DuckDuckGo", "SearXNG"), ({"searxng_url": "http://me:hush@searx.local"}, "SearXNG", "DuckDuckGo")],
)
def test_search_names_the_backend_that_really_answers(settings: Any, backend: str, other: str) -> None:
    tool = tools(**settings)["search_web"]

    everything = json.dumps(convert_to_openai_tool(tool))
    assert f"Searches with {backend}" in tool.description
    assert other not in everything
    assert "Google" not in everything
    assert "hush" not in everything
    assert "snippets and may be incomplete" in tool.description


@pytest.mark.scenario("DEF-5")
@pytest.mark.parametrize("year", [2026, 2031])
def test_the_query_parameter_asks_for_the_real_year(year: int) -> None:
    text = descriptions(tools(year)["search_web"])["query"]

    good, _, bad = text.partition("Bad:")
    assert f"MUST put in the year {year}" in good
    assert re.findall(r'"([^"]+)"', good) == [f"US president {year}", f"weather Paris {year}"]
    assert '"who is president" (no year)' in bad
    assert set(re.findall(r"\b2\d{3}\b", text)) == {str(year)}


@pytest.mark.scenario("DEF-5")
def test_after_new_year_a_running_gateway_offers_the_new_year() -> None:
    # In Berlin it is 2027 half an hour before it is in UTC: the user's year counts.
    clock = [datetime(2026, 12, 31, 22, 30, tzinfo=UTC)]
    manager = ToolManager()
    for tool in builtin_tools(ToolsSettings(), now=lambda: clock[0]):
        manager.add(tool)
    version, before = manager.version, json.dumps([convert_to_openai_tool(tool) for tool in manager.all()])
    assert not refresh(manager, lambda: clock[0])
    assert manager.version == version  # the same prefix from turn to turn

    clock[0] = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)

    assert refresh(manager, lambda: clock[0])
    assert manager.version > version
    after = json.dumps([convert_to_openai_tool(tool) for tool in manager.all()])
    assert "US president 2027" in after
    assert "2026" not in after
    assert after == before.replace("2026", "2027")
    assert not refresh(manager, lambda: clock[0])


@pytest.mark.scenario("DEF-6")
def test_parameters_say_what_to_avoid_and_stay_short() -> None:
    text = descriptions(tools()["search_web"])["query"]

    assert re.search(r"Avoid mathematics.*definitions.*timeless facts", text)
    for tool in tools().values():
        for parameter in descriptions(tool).values():
            assert estimate_tokens(parameter) <= 100


@pytest.mark.scenario("DEF-7")
@pytest.mark.parametrize("name", EVERY_TOOL)
def test_every_tool_follows_one_pattern(name: str) -> None:
    text = tools()[name].description

    order = [
        text.index(part)
        for part in ("REQUIRED", "whenever the user asks about", "DO NOT use for", "Good:", "Bad:")
    ]
    assert order == sorted(order)
    assert lint(tools()[name]) == []


@pytest.mark.scenario("DEF-7")
@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("Call it whenever the user asks about the cellar. ", "names no trigger"),
        ("DO NOT use for the attic. ", "names no negative case"),
        ('Good: "is the cellar dry". ', "no example of good use"),
        ('Bad: "is the attic dry".', "no example of bad use"),
    ],
)
def test_the_linter_says_what_is_missing_from_the_pattern(part: str, problem: str) -> None:
    [finding] = lint(foreign(RIGHT.replace(part, "")))

    assert (finding.tool, finding.row) == ("server__t", "DEF-7")
    assert problem in finding.problem
    assert finding.advice


@pytest.mark.scenario("DEF-8")
@pytest.mark.parametrize("name", EVERY_TOOL)
def test_the_most_important_comes_first_and_examples_are_few(name: str) -> None:
    text = tools()[name].description

    assert text.startswith("REQUIRED")
    assert len(re.findall(r'"[^"]+"', text)) <= MAX_EXAMPLES
    assert estimate_tokens(text) < MAX_TOKENS


@pytest.mark.scenario("DEF-8")
def test_the_linter_wants_the_important_first_and_few_examples() -> None:
    late = (
        RIGHT.replace("REQUIRED for the cellar: you MUST call this. ", "About the cellar. ")
        + " You MUST call this."
    )
    many = RIGHT + " Good: " + ", ".join(f'"example {number}"' for number in range(8))

    assert rows(foreign(late)) == ["DEF-8"]
    assert rows(foreign(many)) == ["DEF-8"]


@pytest.mark.scenario("DEF-8")
@pytest.mark.parametrize("name", EVERY_TOOL)
def test_offered_schemas_are_flat_and_limits_are_in_words(name: str) -> None:
    # Ollama's client drops anyOf, limits and defaults, so a small model must not need them.
    schema = schema_of(tools()[name])

    assert schema["type"] == "object"
    for parameter in schema["properties"].values():
        assert parameter["type"] in {"string", "integer", "number", "boolean"}
        assert set(parameter) <= {"type", "description", "enum", "minimum", "maximum"}
        if "maximum" in parameter:
            assert str(parameter["maximum"]) in parameter["description"]


@pytest.mark.scenario("NORM-2")
async def test_built_in_tools_get_their_parameters_unchanged() -> None:
    manager = ToolManager()
    for tool in builtin_tools(ToolsSettings(), volume=PlaybackVolume(50)):
        manager.add(tool)
    executor = ToolExecutor(manager)

    volume = await executor.execute(ToolCall("1", "control_speaker_volume", {"action": "set", "level": 0.3}))
    clock = await executor.execute(ToolCall("2", "get_current_datetime", {"timezone": "Asia/Tokyo"}))
    search = await executor.execute(ToolCall("3", "search_web", {"query": "x", "max_results": 99}))

    assert volume.args == {"action": "set", "level": 0.3}
    assert volume.text == "The volume is now 30 percent."
    assert volume.structured == {"volume": 30, "muted": False, "backend": "the gateway's own playback"}
    assert clock.args == {"timezone": "Asia/Tokyo"}
    assert clock.structured["timezone"] == "Asia/Tokyo"
    assert (search.ok, search.error) == (
        False,
        "bad_arguments",
    )  # refused by its schema's limit, under its own name
    assert "max_results" in search.text
