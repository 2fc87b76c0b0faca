"""Every example on the page "What can I say" is understood, and own sentences do what they stand for."""

import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from langchain_core.tools import StructuredTool
from tests.eval.later_eval import NOWS, PLACE, TIMERS
from tests.fakes.home_talk import HomeTalk

from voice_gateway.config import BrainSettings
from voice_gateway.recorder.changes import ChangeStore
from voice_gateway.routines.model import MAKE
from voice_gateway.understanding.dialogue import Memory
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.understanding.templates import language

PAGE = (Path(__file__).parents[3] / "docs" / "what-can-i-say.md").read_text("utf-8")
HOME = resources.files("zwave_mcp").joinpath("default_home.toml").read_text("utf-8")
MOOD_LIGHT = '\n[[device]]\nname = "Mood Light"\nroom = "Bedroom"\nkind = "light"\n'
TOOLS = (
    MAKE, *TIMERS, "get_current_datetime", "manage_list", "read_list", "calculate", "get_weather",
    "search_web", "broadcast",
)  # fmt: skip


async def nothing() -> str:
    return ""


@pytest.fixture
async def brain(tmp_path: Path) -> UnderstandingStage:
    more = [
        StructuredTool(name=name, description=name, args_schema={"type": "object"}, coroutine=nothing)
        for name in TOOLS
    ]
    talk = HomeTalk(HOME + MOOD_LIGHT, more=more)
    brain = UnderstandingStage(
        talk.executor,
        BrainSettings(),
        now=NOWS["A"].timestamp,
        place=PLACE,
        history=ChangeStore(tmp_path / "changes.sqlite3", 14),
    )
    await brain.cache.refresh()
    brain.cache._swap(replace(brain.home, scene_sources={"Movie Night": ""}))  # as after a look at its scenes
    return brain


async def test_every_example_of_the_page_is_understood(brain: UnderstandingStage) -> None:
    tables = PAGE.partition("## The home")[2].partition("## Teach it")[0]
    examples = re.findall(r'"([^"]+)"', tables)
    readings = {said: brain.read(said, "Bedroom", Memory()) for said in examples}

    assert len(examples) > 60
    assert [said for said, read in readings.items() if not (read.steps or read.question)] == []


async def test_own_sentences_stand_for_orders(
    brain: UnderstandingStage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    own = tmp_path / "voice-gateway" / "sentences.yaml"
    own.parent.mkdir()
    own.write_text(PAGE.partition("```yaml\n")[2].partition("```")[0], "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    language.cache_clear()

    [step] = brain.read("Popcorn time, please!").steps
    assert [request.args["deviceName"] for request in step.requests] == ["Kitchen Light"]
    assert not brain.read("don't popcorn time").steps[0].requests

    own.write_text('sentences: {"popcorn (time": "turn on the kitchen light"}', "utf-8")
    language.cache_clear()
    assert language("en").groups
    assert "own sentences" in caplog.text
    language.cache_clear()
