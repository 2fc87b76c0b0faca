"""LangChain's standard tests, for every built-in tool and for tools of MCP servers."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from tests.fakes.gateway_in_thread import GatewayInThread, gateway_in_thread
from tests.fakes.others import stdio_servers

from voice_gateway.config import ServerSettings
from voice_gateway.tools.traits import traits

pytestmark = pytest.mark.others

# Arguments for each, and where needed what has to be there before.
BUILT_IN: dict[str, dict[str, Any]] = {
    "get_current_datetime": {"timezone": "Asia/Tokyo"},
    "control_speaker_volume": {"action": "get"},
    "set_timer": {"duration": "10 minutes", "name": "pasta"},
    "list_timers": {},
    "cancel_timer": {"name": "all"},
    "extend_timer": {"duration": "1 minute", "name": "pasta"},
    "pause_timer": {"name": "pasta"},
    "calculate": {"expression": "2 + 3"},
    "manage_list": {"action": "add", "items": "milk"},
    "read_list": {"list": "shopping"},
    "broadcast": {"message": "Dinner is ready."},
    "get_weather": {"place": "Lisbon"},
    "search_web": {"query": "coffee 2026"},
    "make_routine": {"when": "every day at 7 am", "say": "good morning"},
    "list_routines": {},
    "cancel_routine": {"name": "all"},
}
OF_SERVERS: dict[str, dict[str, Any]] = {
    "control_zwave_device": {"deviceName": "Floor Lamp", "action": "on"},
    "list_zwave_devices": {},
    "everything__echo": {"message": "hello"},
    "fastmcp__add": {"a": 2, "b": 3},
}
BEFORE = {
    "cancel_timer": ("set_timer",),
    "extend_timer": ("set_timer",),
    "pause_timer": ("cancel_timer", "set_timer"),
    "cancel_routine": ("make_routine",),
    "read_list": ("manage_list",),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayInThread]:
    folder: Path = tmp_path_factory.mktemp("house")
    public = stdio_servers(folder)
    servers = {
        "zwave": ServerSettings(command=sys.executable, args=("-m", "zwave_mcp", "--simulate")),
        **{name: public[name] for name in ("everything", "fastmcp")},
    }
    with gateway_in_thread(folder, servers) as house:
        yield house


def test_every_built_in_tool_is_tested(house: GatewayInThread) -> None:
    tools = house.gateway.tools.all()

    assert {tool.name for tool in tools if traits(tool).source == "builtin"} == set(BUILT_IN)


class Each:
    """The tool and its arguments differ from test to test; everything else is LangChain's."""

    @pytest.fixture(autouse=True, params=[*BUILT_IN, *OF_SERVERS])
    def _each(self, request: pytest.FixtureRequest, house: GatewayInThread) -> None:
        self._house, self._name = house, request.param
        for before in BEFORE.get(request.param, ()):
            house.tool(before).invoke(BUILT_IN[before])

    @property
    def tool_constructor(self) -> BaseTool:
        return self._house.tool(self._name)

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {**BUILT_IN, **OF_SERVERS}[self._name]


class TestUnit(Each, ToolsUnitTests):  # type: ignore[misc]
    pass


class TestIntegration(Each, ToolsIntegrationTests):  # type: ignore[misc]
    pass
