"""DEF: what tools say of themselves, as a model gets it. (DEF-1 is proven where tools are added.)"""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from jsonschema import Draft202012Validator
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.ollama_server import FakeOllama

from voice_gateway.app import opened
from voice_gateway.config import BrainSettings, McpSettings, OllamaSettings, ToolsSettings, load
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool
from voice_gateway.llm.rare_tools import USE_TOOL
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.volume import PlaybackVolume
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.lint import MAX_EXAMPLES, MAX_TOKENS, estimate_tokens, lint
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import ToolCall, ToolTraits, Utterance
from voice_gateway.turns.stage import Turn

Sent = dict[str, dict[str, Any]]  # name -> the definition's "function", as it went over the wire

BUILT_IN = {
    "get_current_datetime",
    "control_speaker_volume",
    "set_timer",
    "list_timers",
    "cancel_timer",
    "extend_timer",
    "calculate",
    "manage_list",
    "read_list",
    "get_weather",
    "broadcast",
    "make_routine",
    "list_routines",
    "cancel_routine",
    "search_web",
}
OF_THE_HOME = {
    "list_zwave_devices",
    "control_zwave_device",
    "get_device_sensor_data",
    "get_zwave_device",
    "control_zwave_lock",
    "set_zwave_thermostat",
    "activate_zwave_scene",
    "check_zwave_health",
}
EVERY_TOOL = sorted(BUILT_IN | OF_THE_HOME)
EVERYTHING_SENT = [*EVERY_TOOL, USE_TOOL]  # which stands for all that are rarely needed
RARE = {
    "set_zwave_color",
    "play_zwave_sound",
    "list_zwave_scenes",
    "get_zwave_batteries",
    "get_zwave_energy",
    "get_zwave_user_codes",
    "rename_zwave_device",
    "ping_zwave_device",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def default_request(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Any]]:
    """The request that a gateway with default settings sends to Ollama, Z-Wave server and all."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.chdir(folder)
        async with FakeOllama() as ollama:
            settings = load(None, environ={}).settings
            settings = settings.model_copy(
                update={
                    "brain": BrainSettings(provider="ollama"),
                    "ollama": OllamaSettings(base_url=ollama.url),
                    "mcp": McpSettings(connect_timeout_seconds=50),  # a busy machine starts the server late
                }
            )
            async with opened(settings) as gateway:
                await gateway.linked()
                await gateway.conversation.answer(Utterance("tell me a story about a dragon"))
                assert gateway.model is not None
                offer = gateway.model.offer()
            yield {**ollama.chats[-1], "offer": offer}


@pytest.fixture
def sent(default_request: dict[str, Any]) -> Sent:
    return {tool["function"]["name"]: tool["function"] for tool in default_request["tools"]}


async def sent_in(now: datetime, **settings: Any) -> Sent:
    """What goes to Ollama at this moment, of the built-in tools with these settings."""
    async with FakeOllama() as ollama:
        client = client_at(ollama, lambda: now, **settings)
        await client.answer(Turn(Utterance("hello")))
        await client.aclose()
        return {tool["function"]["name"]: tool["function"] for tool in ollama.chats[-1]["tools"]}


def client_at(ollama: FakeOllama, clock: Any, **settings: Any) -> OllamaClient:
    manager = ToolManager()
    for tool in builtin_tools(ToolsSettings(**settings), now=clock):
        manager.add(tool)
    own = OllamaSettings(base_url=ollama.url)
    return OllamaClient(own, BrainSettings(), ToolExecutor(manager), clock=clock)


def parameters(function: dict[str, Any]) -> dict[str, str]:
    return {name: facts["description"] for name, facts in function["parameters"]["properties"].items()}


def as_read(function: dict[str, Any]) -> BaseTool:
    """A definition from the wire, as a tool that the linter can read."""
    return foreign(function["description"], function["parameters"]["properties"])


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
def test_every_default_tool_is_sent_whole_and_routines_will_fit_in_too(
    default_request: dict[str, Any], sent: Sent
) -> None:
    offer = default_request["offer"]
    budget = OllamaSettings().tool_token_budget

    assert sorted(sent) == sorted(EVERYTHING_SENT)
    assert (offer.shortened, offer.left_out) == ("", {})
    assert offer.tokens <= budget


@pytest.mark.scenario("DEF-2")
@pytest.mark.parametrize("name", EVERYTHING_SENT)
def test_descriptions_are_mandatory_short_and_have_examples(name: str, sent: Sent) -> None:
    text = sent[name]["description"]

    assert re.search(r"\b(REQUIRED|MUST)\b", text)
    assert estimate_tokens(text) < MAX_TOKENS
    for parameter, facts in sent[name]["parameters"]["properties"].items():
        assert (
            facts["type"] == "boolean"
            or "enum" in facts
            or "for example" in facts["description"].lower()
            or ("Good:" in facts["description"])
        ), parameter
    assert lint(as_read(sent[name])) == []


@pytest.mark.scenario("DEF-2")
@pytest.mark.scenario("DEF-7")
def test_tools_that_are_rarely_needed_follow_the_same_rules(default_request: dict[str, Any]) -> None:
    """Anthropic gets them in its list, a small model by their names behind the words that call for one."""
    rare = {tool.name: to_qwen_tool(tool)["function"] for tool in default_request["offer"].rare}

    assert rare.keys() >= RARE
    assert {name: lint(as_read(function)) for name, function in rare.items()} == {name: [] for name in rare}


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
def test_search_says_when_it_must_be_used_and_when_not(sent: Sent) -> None:
    first, _, rest = sent["search_web"]["description"].partition(". ")

    assert first.startswith("REQUIRED for current events: you MUST call this whenever")
    for trigger in ("current leaders", "recent news", "prices", "weather"):
        assert trigger in first
    assert "DO NOT use for mathematics, definitions, timeless facts" in rest


@pytest.mark.scenario("DEF-4")
@pytest.mark.parametrize(
    ("settings", "backend", "other"),
    [({}, "DuckDuckGo", "SearXNG"), ({"searxng_url": "http://me:hush@searx.local"}, "SearXNG", "DuckDuckGo")],
)
async def test_search_names_the_backend_that_really_answers(settings: Any, backend: str, other: str) -> None:
    search = (await sent_in(datetime(2026, 6, 1, tzinfo=UTC), **settings))["search_web"]

    everything = json.dumps(search)
    assert f"Searches with {backend}" in search["description"]
    assert other not in everything
    assert "Google" not in everything
    assert "hush" not in everything
    assert "snippets and may be incomplete" in search["description"]


@pytest.mark.scenario("DEF-5")
@pytest.mark.parametrize("year", [2026, 2031])
async def test_the_query_parameter_asks_for_the_real_year(year: int) -> None:
    text = parameters((await sent_in(datetime(year, 6, 1, tzinfo=UTC)))["search_web"])["query"]

    good, _, bad = text.partition("Bad:")
    assert f"MUST put in the year {year}" in good
    assert re.findall(r'"([^"]+)"', good) == [f"US president {year}", f"weather Paris {year}"]
    assert '"who is president" (no year)' in bad
    assert set(re.findall(r"\b2\d{3}\b", text)) == {str(year)}


@pytest.mark.scenario("DEF-5")
def test_a_gateway_of_today_asks_for_the_year_of_today(sent: Sent) -> None:
    years = set(re.findall(r"\b2\d{3}\b", parameters(sent["search_web"])["query"]))

    assert years == {str(datetime.now().astimezone().year)}


@pytest.mark.scenario("DEF-5")
async def test_after_new_year_a_running_gateway_sends_the_new_year() -> None:
    now = [datetime(2026, 12, 31, 23, 59, tzinfo=UTC)]
    async with FakeOllama() as ollama:
        client = client_at(ollama, lambda: now[0])
        for moment in (now[0], now[0], datetime(2027, 1, 1, tzinfo=UTC)):
            now[0] = moment
            await client.answer(Turn(Utterance("hello")))
        await client.aclose()
        first, second, third = (json.dumps(chat["tools"]) for chat in ollama.chats)

    assert second == first, "the same prefix from turn to turn"
    assert "US president 2027" in third
    assert third == first.replace("2026", "2027")


@pytest.mark.scenario("DEF-6")
def test_parameters_say_what_to_avoid_and_stay_short(sent: Sent) -> None:
    text = parameters(sent["search_web"])["query"]

    assert re.search(r"Avoid mathematics.*definitions.*timeless facts", text)
    for function in sent.values():
        for parameter in parameters(function).values():
            assert estimate_tokens(parameter) <= 100


@pytest.mark.scenario("DEF-7")
@pytest.mark.parametrize("name", EVERYTHING_SENT)
def test_every_tool_follows_one_pattern(name: str, sent: Sent) -> None:
    text = sent[name]["description"]

    order = [
        text.index(part)
        for part in ("REQUIRED", "whenever the user asks about", "DO NOT use for", "Good:", "Bad:")
    ]
    assert order == sorted(order)
    assert lint(as_read(sent[name])) == []


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
@pytest.mark.parametrize("name", EVERYTHING_SENT)
def test_the_most_important_comes_first_and_examples_are_few(name: str, sent: Sent) -> None:
    text = sent[name]["description"]

    assert text.startswith("REQUIRED")
    examples = re.findall(r'"[^"]+"|\{[^}]*\}', text.partition("Good:")[2])
    assert 2 <= len(examples) <= MAX_EXAMPLES
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
def test_sent_schemas_are_flat_and_need_no_more_than_ollama_lets_through(name: str, sent: Sent) -> None:
    schema = sent[name]["parameters"]

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    for parameter in schema["properties"].values():
        assert parameter["type"] in {"string", "integer", "number", "boolean"}
        assert set(parameter) <= {"type", "description", "enum"}


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
    before = volume.structured.pop("before")
    assert volume.structured == {"volume": 30, "muted": False, "backend": "the gateway's own playback"}
    assert [call["name"] for call in before] == ["control_speaker_volume"]
    assert clock.args == {"timezone": "Asia/Tokyo"}
    assert clock.structured["timezone"] == "Asia/Tokyo"
    assert (search.ok, search.error) == (
        False,
        "bad_arguments",
    )  # refused by its schema's limit, under its own name
    assert "max_results" in search.text
