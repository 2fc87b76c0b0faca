"""MGR: the tool collection, and DEF-1, checked where tools are added. (MGR-1 is proven at start-up.)"""

import logging
import time

import pytest
from langchain_core.tools import StructuredTool, tool
from tests.fakes.some_tools import ZWAVE_SCHEMA, executor_with, mcp_tool

from voice_gateway.config import AnthropicSettings, BrainSettings, OllamaSettings, ToolsSettings
from voice_gateway.errors import ToolError
from voice_gateway.llm.anthropic.client import AnthropicClient
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager, contenders
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.turn import ToolCall


@tool
async def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


def named(name: str, answer: str = "") -> StructuredTool:
    async def say() -> str:
        return answer or name

    return StructuredTool.from_function(coroutine=say, name=name, description=f"Say {name}.")


@pytest.mark.scenario("MGR-2")
def test_mcp_tools_are_taken_as_the_link_hands_them_over():
    manager, offered = ToolManager(), mcp_tool()

    manager.add_mcp_tools("zwave", [offered])

    assert manager.find("control_zwave_device") is offered
    assert schema_of(offered) is offered.args_schema is ZWAVE_SCHEMA


@pytest.mark.scenario("MGR-3")
async def test_a_custom_tool_is_taken_as_it_is_and_keeps_langchains_interface():
    manager = ToolManager()
    manager.add(add)

    kept = manager.find("add")
    assert kept is add
    assert (kept.name, kept.description) == ("add", "Add two numbers.")
    assert set(schema_of(kept)["properties"]) == {"a", "b"}
    assert await kept.ainvoke({"a": 1}) == "3"


def tools_of_all_sources() -> ToolManager:
    manager = ToolManager()
    for builtin in builtin_tools(ToolsSettings()):
        manager.add(builtin)
    manager.add(add)
    manager.add_mcp_tools("zwave", [mcp_tool(), mcp_tool("list_zwave_devices", {"type": "object"})])
    return manager


@pytest.mark.scenario("MGR-4")
async def test_an_ai_client_gets_the_very_tools_of_the_list():
    manager = tools_of_all_sources()
    executor = ToolExecutor(manager)
    clients: list[OllamaClient | AnthropicClient] = [
        OllamaClient(OllamaSettings(), BrainSettings(), executor),
        AnthropicClient(AnthropicSettings(), BrainSettings(), executor),
    ]

    for client in clients:
        assert all(one is other for one, other in zip(client.offer().tools, manager.all(), strict=True))


@pytest.mark.scenario("MGR-5")
def test_lookup_is_by_name_or_lc_name_and_none_when_not_found():
    manager = ToolManager()
    prefixed = named("zwave_switch_on")
    prefixed.metadata = {"lc_name": "switch_on"}
    manager.add(prefixed)

    assert manager.find("zwave_switch_on") is prefixed
    assert manager.find("switch_on") is prefixed
    assert manager.find("switch_off") is None


@pytest.mark.scenario("MGR-6")
def test_all_sources_stand_in_one_plain_list():
    manager = ToolManager()
    manager.add_mcp_tools("zwave", [mcp_tool("b"), mcp_tool("a")])
    manager.add(add)
    manager.add_mcp_tools("radio", [mcp_tool("play", source="radio")])

    tools = manager.all()
    assert type(tools) is list
    assert [one.name for one in tools] == ["add", "play", "b", "a"], "whoever connected first"
    tools.clear()
    assert len(manager.all()) == 4, "the caller's list is its own"
    manager.add_mcp_tools("zwave", [])
    assert (manager.find("a"), manager.find("zwave__a")) == (None, None), "the index follows the list"
    # No second table of definitions or executors: all that is kept are tools of the list, and their names.
    kept = {id(one) for one in manager.all()}
    for table in (value for value in vars(manager).values() if isinstance(value, dict | list)):
        for value in table.values() if isinstance(table, dict) else table:
            assert isinstance(value, str) or id(value) in kept


@pytest.mark.scenario("MGR-6")
def test_the_interface_is_add_all_and_find_and_what_servers_need():
    public = {name for name in vars(ToolManager) if not name.startswith("_")}

    assert public == {"add", "all", "find", "add_mcp_tools", "offered_name"}


@pytest.mark.scenario("MGR-7")
def test_lookup_takes_under_a_millisecond():
    manager = ToolManager()
    for number in range(20):
        manager.add(named(f"tool_{number}"))

    started = time.thread_time()
    for _ in range(100):
        assert manager.find("tool_19") is not None
        assert manager.find("nothing") is None
    assert (time.thread_time() - started) / 200 < 0.001


@pytest.mark.scenario("MGR-8")
def test_a_tool_of_a_known_name_replaces_the_earlier_one_with_a_warning(caplog):
    manager = ToolManager()
    first, second = named("say", "one"), named("say", "two")
    manager.add(first)
    manager.add(add)
    version = manager.version
    manager.add(second)

    assert manager.all() == [second, add], "in its place"
    assert manager.find("say") is second
    assert manager.version > version
    (warning,) = caplog.records
    assert (warning.levelname, warning.tool) == ("WARNING", "say")


def test_no_server_takes_the_place_of_the_built_in_tools():
    manager = ToolManager()
    manager.add(add)

    for offered in ([named("say", "one")], []):
        with pytest.raises(ValueError, match='"builtin"'):
            manager.add_mcp_tools("builtin", offered)

    assert manager.all() == [add]


async def test_two_servers_of_one_tool_name_stay_both_callable_and_the_log_says_who_won(caplog):
    executor = executor_with()
    manager = executor.tools

    async def from_attic(**_):
        return "attic", None

    async def from_cellar(**_):
        return "cellar", None

    manager.add_mcp_tools(
        "cellar", [mcp_tool("temperature", {"type": "object"}, answer=from_cellar, source="cellar")]
    )
    manager.add_mcp_tools(
        "attic", [mcp_tool("temperature", {"type": "object"}, answer=from_attic, source="attic")]
    )

    texts = [
        (await executor.execute(ToolCall("1", name, {}))).text
        for name in ("attic__temperature", "cellar__temperature", "temperature")
    ]
    assert texts == ["attic", "cellar", "cellar"]
    assert [manager.offered_name(one) for one in manager.all()] == [
        "attic__temperature",
        "cellar__temperature",
    ]
    (warning,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert (warning.winner, warning.other) == ("cellar__temperature", "attic__temperature")


def test_a_server_cannot_take_the_name_of_a_built_in_tool(caplog):
    manager = ToolManager()
    manager.add(add)
    imposter = mcp_tool("add", source="evil")
    manager.add_mcp_tools("evil", [imposter])

    assert manager.find("add") is add
    assert manager.find("evil__add") is imposter
    assert [manager.offered_name(one) for one in manager.all()] == ["add", "evil__add"]
    assert caplog.records[-1].winner == "add"


@pytest.mark.scenario("DEF-1")
@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"name": " "}, "needs a name"),
        ({"description": ""}, "needs a description"),
        ({"args_schema": {"type": "array"}}, 'JSON Schema of type "object"'),
    ],
)
def test_a_tool_without_name_description_or_schema_is_refused_with_a_clear_error(broken, complaint, caplog):
    whole = {"name": "say", "description": "Say.", "args_schema": {"type": "object"}}
    bad = StructuredTool(**{**whole, **broken}, coroutine=named("x").coroutine)
    manager = ToolManager()

    with pytest.raises(ToolError, match=complaint):
        manager.add(bad)
    manager.add_mcp_tools("zwave", [bad, mcp_tool("good")])

    assert [one.name for one in manager.all()] == ["good"], "a server's bad tool costs only itself"
    assert complaint.split(" ")[-1] in caplog.records[-1].reason


def owner(manager: ToolManager, name: str) -> str:
    found = manager.find(name)
    assert found is not None
    return traits(found).source


@pytest.mark.scenario("MGR-8")
@pytest.mark.parametrize("connected", [("zebra", "ant"), ("ant", "zebra")])
def test_of_two_servers_the_later_in_the_settings_has_the_bare_name(connected):
    manager = ToolManager(servers=["zebra", "ant"])
    for server in connected:
        manager.add_mcp_tools(server, [named("say", f"of {server}")])

    assert owner(manager, "say") == "ant"
    assert owner(manager, "zebra__say") == "zebra"
    assert [traits(tool).source for tool in manager.all()] == ["zebra", "ant"]


def test_a_name_with_its_server_reaches_that_server_whatever_another_calls_its_tools():
    manager = ToolManager(servers=["good", "bad"])
    manager.add_mcp_tools("good", [named("say", "of good")])
    manager.add_mcp_tools("bad", [named("good__say", "of bad")])

    assert owner(manager, "good__say") == "good"
    assert owner(manager, "bad__good__say") == "bad"
    assert len({manager.offered_name(tool) for tool in manager.all()}) == 2


def test_who_could_still_win_a_name():
    servers = ["one", "two", "three", "four"]
    manager = ToolManager(servers=servers)
    manager.add(named("own", "of the gateway"))
    manager.add_mcp_tools("two", [named("say", "of two")])
    coming = {"one": False, "three": False, "four": True}

    assert contenders(manager, "own", coming, servers) == []
    assert contenders(manager, "say", coming, servers) == ["three", "four"]
    assert contenders(manager, "say", {"one": True}, servers) == ["one"], "trusted"
    assert contenders(manager, "two__say", coming, servers) == []
    assert contenders(manager, "three__say", coming, servers) == ["three"]
    assert contenders(manager, "unknown", coming, servers) == list(coming)
