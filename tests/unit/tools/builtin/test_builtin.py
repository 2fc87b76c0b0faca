"""Which tools come with the gateway."""

import subprocess
import sys

import pytest
from tests.fakes.limits import with_limits

from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.traits import traits


def test_settings_switch_tools_off_and_the_searchs_limit_lies_below_the_executors() -> None:
    tools = builtin_tools(with_limits(ToolsSettings, search_timeout_seconds=40, weather=False))

    assert "get_weather" not in {tool.name for tool in tools}
    assert traits(tools[-1]).timeout_seconds == 41


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
