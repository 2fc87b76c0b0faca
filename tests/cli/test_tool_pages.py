"""Tools as people see them: columns that fit the window, sentences for people, all about one of them."""

import re
import shlex

import pytest
from tests.fakes.terminal import Terminal

from voice_gateway.cli.parser import EXAMPLES, PROGRAM, parsed
from voice_gateway.cli.tools import CALL_EXAMPLES, arguments_of
from voice_gateway.config import ToolsSettings
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.tools.traits import schema_of, traits
from zwave_mcp.schemas import TOOLS

ORDERS_TO_MODELS = re.compile(r"REQUIRED|MUST|DO NOT")


@pytest.mark.slow
@pytest.mark.parametrize("width", [50, 80, 140])
async def test_the_list_fits_the_window_and_speaks_to_people(commands, width):
    async with Terminal.opened(commands, "tools", width=width, TERM="xterm") as terminal:
        assert await terminal.ends() == 0
        await terminal.until("detail.\r\n")

    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.shown)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= width
    assert not ORDERS_TO_MODELS.search(shown)
    assert "zwave, simulated home" in shown
    starts = {line.index("Looks") for line in lines if "search_web" in line}
    starts |= {line.index("Starts") for line in lines if "activate_zwave_scene" in line}
    assert len(starts) == 1, "columns stand below each other"


async def test_a_pipe_gets_one_line_for_each_tool(commands):
    done = await commands.run("tools")

    (line,) = [line for line in done.out.splitlines() if "control_zwave_device" in line]
    assert re.search(r"control_zwave_device +Switches, dims, opens or closes one light, .*door\.", line)


@pytest.mark.slow
async def test_one_tool_is_shown_whole(commands):
    done = await commands.run("tools", "control_zwave_device")
    as_json = await commands.run("tools", "control_zwave_device", "--json")

    assert done.code == 0
    assert "on|off|dim|toggle|open|close|stop" in done.out
    assert "Bad: {deviceName: 'all lights', action: 'on'}" in done.out
    assert as_json.json["name"] == "control_zwave_device"
    assert "title" not in as_json.json


def test_every_tool_of_ours_has_a_title_and_a_sentence_for_people(tmp_path):
    builtin = [
        traits(tool) for tool in builtin_tools(ToolsSettings(), timers=TimerStore(tmp_path / "timers"))
    ]

    told = [(tool.title, tool.summary) for tool in builtin] + [(tool.title, tool.summary) for tool in TOOLS]
    for title, summary in told:
        assert title
        assert re.fullmatch(r"[A-Z][^_]{10,90}\.", summary)
        assert not ORDERS_TO_MODELS.search(summary)


def examples() -> list[list[str]]:
    lines = f"{EXAMPLES}\n{CALL_EXAMPLES}".splitlines()
    shown = [re.split(r"  +(?=[a-z])| < ", line.strip())[0] for line in lines if f"  {PROGRAM}" in line]
    return [shlex.split(line) for line in shown]


@pytest.mark.parametrize("words", examples(), ids=" ".join)
def test_an_example_of_the_help_can_be_typed(words, tmp_path):
    options = parsed(words[1:])
    if options.command != "tools" or options.action not in ("call", "show"):
        return
    builtin = builtin_tools(ToolsSettings(), timers=TimerStore(tmp_path / "timers"))
    schemas = {tool.name: schema_of(tool) for tool in builtin} | {
        tool.name: tool.parameters for tool in TOOLS
    }

    assert options.name in schemas
    if options.action == "call":
        schema, given = schemas[options.name], arguments_of(options)
        assert set(schema.get("required", ())) <= set(given) <= set(schema["properties"])
        for name, value in given.items():
            assert value in schema["properties"][name].get("enum", [value])
