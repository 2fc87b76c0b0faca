"""A user's own tools answer without a model; what acts is asked about, unless its server is trusted."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.fakes.local_talk import Talk

from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Passed, Reply, ToolTraits, Utterance, Words


def tool(
    name: str,
    description: str,
    *,
    title: str = "",
    read_only: bool = True,
    stranger: bool = False,
    source: str = "mine",
    **properties: Any,
) -> BaseTool:
    required = [key for key, facts in properties.items() if facts.pop("required", False)]
    schema = {"type": "object", "properties": properties, "required": required}

    async def run(**args: Any) -> tuple[str, dict[str, Any]]:
        return f"{name} {sorted(args.items())}", {"structured": None}

    traits = ToolTraits(
        source=source, original_name=name, title=title, read_only=read_only, trusted=not stranger
    )
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
    ["bus departures", "garbage pickup for glass",
     "train connection", "don't show me the moon phase"],
)  # fmt: skip
async def test_missing_or_unknown_values_are_passed_on(said: str) -> None:
    assert isinstance(await talk_with_mine().say(said), Passed)


async def test_a_model_may_act_when_one_of_its_own_tools_is_asked_for() -> None:
    talk = talk_with_mine()

    assert (await talk.passed("reboot the router and the modem")).words is Words.WISH
    assert (await talk.passed("recite a poem")).words is not Words.WISH


# --- tools with side effects


class Sonos:
    """A conversation beside a server whose tools play music."""

    def __init__(self, *, trusted: bool) -> None:
        tools = manager_for(ScriptedHome.default())
        given: dict[str, Any] = {"read_only": False, "stranger": not trusted, "source": "sonos"}
        tools.add_mcp_tools(
            "sonos",
            [
                tool("play_music", "Plays music.", artist={"type": "string"}, **given),
                tool("set_bass", "Sets the bass.", level={"type": "integer", "required": True}, **given),
                tool("stop_music", "Stops it.", **given),
            ],
        )
        executor, settings = ToolExecutor(tools), BrainSettings()
        brain = LocalBrain(executor, settings)
        self.conversation = Conversation((brain,), executor, settings, PermissionSettings())

    async def hears(self, *texts: str) -> Reply:
        for text in texts:
            reply = await self.conversation.answer(Utterance(text))
        return reply


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("play music", "Shall I use play music of sonos?"),
        ("please play some music", "Shall I use play music of sonos?"),
        ("play music by Miles Davis", "Shall I use play music of sonos with artist Miles Davis?"),
        ("could you play Miles Davis", "Shall I use play music of sonos with artist Miles Davis?"),
        ("set the bass to 7", "Shall I use set bass of sonos with level 7?"),
    ],
)
async def test_a_stranger_s_tool_is_asked_about(said: str, asked: str) -> None:
    sonos = Sonos(trusted=False)
    question = await sonos.hears(said)
    assert (question.text, question.outcomes, question.expects_answer) == (asked, (), True)

    done = await sonos.hears("yes")
    assert [outcome.ok for outcome in done.outcomes] == [True]


async def test_a_trusted_server_s_tool_is_used_at_once_by_its_whole_name() -> None:
    done = await Sonos(trusted=True).hears("play music by Miles Davis")
    near = await Sonos(trusted=True).hears("play Miles Davis")

    assert done.text == "Play_music [('artist', 'Miles Davis')]."
    assert near.expects_answer


@pytest.mark.parametrize(
    "said",
    ["don't play music", "she said play music", "should I play music", "play music tomorrow",
     "I play music", "stop music? never"],
)  # fmt: skip
async def test_what_is_no_wish_does_not_play(said: str) -> None:
    assert (await Sonos(trusted=True).hears(said)).outcomes == ()


async def test_the_list_of_abilities_names_what_can_be_spoken_to() -> None:
    told = await Sonos(trusted=False).hears("what can you do")
    assert "use play music, set bass and stop music" in told.text
