"""Which tools come with the gateway."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from tests.fakes.limits import with_limits
from tests.fakes.some_tools import executor_with

from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.lists import ListStore
from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.tools.traits import traits
from voice_gateway.turn import ToolCall


def test_settings_switch_tools_off_and_the_searchs_limit_lies_below_the_executors() -> None:
    tools = builtin_tools(with_limits(ToolsSettings, search_timeout_seconds=40, weather=False))

    assert "get_weather" not in {tool.name for tool in tools}
    assert traits(tools[-1]).timeout_seconds == 41


async def test_values_outside_a_tools_schema_do_not_reach_it(store: TimerStore, tmp_path: Path) -> None:
    lists = ListStore(tmp_path / "lists.sqlite3")
    tools = builtin_tools(ToolsSettings(), timers=store, lists=lists, announce=AsyncMock())
    wrong: dict[str, list[dict[str, Any]]] = {
        "broadcast": [{"message": " "}, {"message": "x" * 301}],
        "search_web": [{"query": " "}, {"query": "x" * 5_000_000}],
        "calculate": [{"expression": "1" * 201}],
        "get_weather": [{"place": "x" * 81}],
        "set_timer": [{"duration": "5 minutes", "name": "x" * 61}],
        "manage_list": [{"action": "add", "items": "milk", "list": "x" * 41}],
        "control_speaker_volume": [
            {"action": "set", "level": level} for level in (None, -0.3, 100.1, 1e308, math.nan, math.inf)
        ],
    }
    executor = executor_with(*tools)
    for name, every in wrong.items():
        for arguments in every:
            outcome = await executor.execute(ToolCall("1", name, arguments))
            assert outcome.error == "bad_arguments", outcome.text


@pytest.mark.slow
def test_making_them_loads_no_heavy_library() -> None:
    script = """
import sys, langchain_core.tools
before = set(sys.modules)
from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
builtin_tools(ToolsSettings())
heavy = {"ddgs", "httpx", "pulsectl", "pulsectl_asyncio", "primp", "lxml", "mcp", "jsonschema"}
print(sorted(heavy & (set(sys.modules) - before)))
"""

    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60
    )

    assert done.stdout == "[]\n"
