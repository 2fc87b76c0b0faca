"""A user's own read-only tools answer without a model; tools with side effects do not."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.fakes.local_talk import Talk

from voice_gateway.turn import Passed, ToolTraits, Words


def tool(
    name: str, description: str, *, title: str = "", read_only: bool = True, **properties: Any
) -> BaseTool:
    required = [key for key, facts in properties.items() if facts.pop("required", False)]
    schema = {"type": "object", "properties": properties, "required": required}

    async def run(**args: Any) -> tuple[str, dict[str, Any]]:
        return f"{name} {sorted(args.items())}", {"structured": None}

    traits = ToolTraits(source="mine", original_name=name, title=title, read_only=read_only)
    return StructuredTool(
        name=name, description=description, args_schema=schema, coroutine=run,
        response_format="content_and_artifact", metadata={"traits": traits},
    )  # fmt: skip


MINE = (
    lambda: tool("get_moon_phase", "Returns the current moon phase."),
    lambda: tool(
        "bus_times", "Lists departures.", title="Bus departures", stop={"type": "string", "required": True}
    ),
    lambda: tool("air", "Air quality in a city.", city={"type": "string"}),
    lambda: tool("garbage", "Next garbage pickup.", kind={"enum": ["paper", "bio_waste"], "required": True}),
    lambda: tool("reboot_router", "Reboots the router.", read_only=False),
    lambda: tool(
        "two_needs", "Train connection.", a={"type": "string", "required": True}, b={"required": True}
    ),
)


def talk_with_mine() -> Talk:
    home = ScriptedHome.default()
    tools = manager_for(home)
    tools.add_mcp_tools("mine", [make() for make in MINE])
    return Talk(home, tools=tools)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("what is the moon phase", "Get_moon_phase []."),
        ("show me the current moon phase please", "Get_moon_phase []."),
        ("moon phase", "Get_moon_phase []."),
        ("what are the bus departures for Main Street", "Bus_times [('stop', 'Main Street')]."),
        ("bus times at Old Town", "Bus_times [('stop', 'Old Town')]."),
        ("what's the air quality", "Air []."),
        ("what is the air quality in Berlin?", "Air [('city', 'Berlin')]."),
        ("tell me the garbage pickup for bio waste", "Garbage [('kind', 'bio_waste')]."),
    ],
)
async def test_read_only_tools_can_be_spoken_to(said: str, answer: str) -> None:
    reply = await talk_with_mine().reply(said)

    assert reply.text == answer
    assert reply.stage == "local"


@pytest.mark.parametrize(
    "said",
    ["reboot router", "reboot the router", "run reboot router", "bus departures", "garbage pickup for glass",
     "train connection", "don't show me the moon phase"],
)  # fmt: skip
async def test_side_effects_and_missing_or_unknown_values_are_passed_on(said: str) -> None:
    assert isinstance(await talk_with_mine().say(said), Passed)


async def test_a_model_may_act_when_one_of_its_own_tools_is_asked_for() -> None:
    talk = talk_with_mine()

    assert (await talk.passed("reboot the router")).words is Words.WISH
    assert (await talk.passed("recite a poem")).words is not Words.WISH
