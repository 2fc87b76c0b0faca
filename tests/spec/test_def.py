"""DEF: what tools say of themselves, as a model gets it. (DEF-1 is proven where tools are added.)"""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from tests.fakes.ollama_server import FakeOllama

from voice_gateway.app import opened
from voice_gateway.config import BrainSettings, McpSettings, OllamaSettings, ToolsSettings, load
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.llm.ollama.qwen_format import to_qwen_tool
from voice_gateway.llm.prompt import USE_TOOL
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import estimate_tokens
from voice_gateway.turn import Utterance
from voice_gateway.turns.stage import Turn

Sent = dict[str, dict[str, Any]]  # name -> the definition's "function", as it went over the wire

MOST_TOKENS, MOST_EXAMPLES = 200, 7
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
    "pause_timer",
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
    """The request that a gateway sends to a model that calls all tools, Z-Wave server and all."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.chdir(folder)
        async with FakeOllama() as ollama:
            settings = load(None, environ={}).settings
            settings = settings.model_copy(
                update={
                    "brain": BrainSettings(provider="ollama"),
                    "ollama": OllamaSettings(base_url=ollama.url, form=False),
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


QUOTED = r'"[^"\n]{1,200}"|`[^`\n]{1,200}`'
EXAMPLE = re.compile(rf"\bexamples?\b|\be\.g\.|\bsuch as\b|\bgood:|{QUOTED}", re.IGNORECASE)
PATTERN = ("required", "whenever the user asks about", "do not use ", "good:", "bad:")


def breaches(function: dict[str, Any]) -> list[str]:
    """What a definition gets wrong of DEF-2, DEF-7 and DEF-8."""
    text, wrong = function["description"], []
    places = [text.lower().find(part) for part in PATTERN]
    if -1 in places or places != sorted(places):
        wrong.append(f"DEF-7: the parts {PATTERN} are not there in this order")
    if not text.startswith("REQUIRED"):
        wrong.append("DEF-8: the most important instruction is not first")
    if estimate_tokens(text) >= MOST_TOKENS:
        wrong.append(f"DEF-2: {estimate_tokens(text)} tokens")
    if not 2 <= len(re.findall(rf"{QUOTED}|\{{[^}}]*\}}", text.partition("Good:")[2])) <= MOST_EXAMPLES:
        wrong.append("DEF-8: not two to seven examples")
    for name, facts in function["parameters"]["properties"].items():
        described = facts.get("description", "")
        shows_values = facts.get("type") == "boolean" or "enum" in facts
        if not described or not (shows_values or EXAMPLE.search(described)):
            wrong.append(f"DEF-2: {name} has no description with an example")
        if estimate_tokens(described) > 100:
            wrong.append(f"DEF-6: the description of {name} is too long")
    return wrong


@pytest.mark.scenario("DEF-2")
def test_every_default_tool_is_sent_whole_and_routines_will_fit_in_too(
    default_request: dict[str, Any], sent: Sent
) -> None:
    offer = default_request["offer"]
    budget = OllamaSettings().tool_token_budget

    assert sorted(sent) == sorted(EVERYTHING_SENT)
    assert (offer.shortened, offer.left_out) == (False, {})
    assert offer.tokens <= budget


@pytest.mark.scenario("DEF-2")
@pytest.mark.scenario("DEF-6")
@pytest.mark.scenario("DEF-7")
@pytest.mark.scenario("DEF-8")
def test_every_definition_follows_the_rules(default_request: dict[str, Any], sent: Sent) -> None:
    rare = {tool.name: to_qwen_tool(tool)["function"] for tool in default_request["offer"].rare}

    assert rare.keys() >= RARE
    assert {name: wrong for name, function in (sent | rare).items() if (wrong := breaches(function))} == {}


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
def test_the_query_parameter_says_what_to_avoid(sent: Sent) -> None:
    text = parameters(sent["search_web"])["query"]

    assert re.search(r"Avoid mathematics.*definitions.*timeless facts", text)
