"""Which tools come with the gateway."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.limits import with_limits

from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.broadcast import Heard
from voice_gateway.tools.builtin.lists import ListStore
from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.tools.traits import traits


def names(settings: ToolsSettings, folder: Path | None = None) -> list[str]:
    timers = TimerStore(folder / "timers.sqlite3") if folder else None
    lists = ListStore(folder / "lists.sqlite3") if folder else None

    async def announce(_text: str) -> Heard:
        return Heard(1)

    made = builtin_tools(settings, timers=timers, lists=lists, announce=announce if timers else None)
    return [tool.name for tool in made]


def test_all_of_them_are_found_in_one_place(tmp_path: Path) -> None:
    expected = (
        "get_current_datetime control_speaker_volume set_timer list_timers cancel_timer extend_timer "
        "calculate manage_list read_list broadcast get_weather search_web"
    )
    assert names(ToolsSettings(), tmp_path) == expected.split()
    assert not list(tmp_path.iterdir())  # making the tools touches nothing


def test_the_searchs_limit_lies_below_the_executors() -> None:
    search = builtin_tools(with_limits(ToolsSettings, search_timeout_seconds=40))[-1]

    assert traits(search).timeout_seconds == 41


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
