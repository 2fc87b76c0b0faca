"""The table of what is said in a turn with a model, row by row: the gateway's voice says nothing untrue."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from tests.fakes.model import Calls, FakeModel

from voice_gateway.llm.loop import run_loop
from voice_gateway.llm.provenance import NOT_CHECKED, Provenance
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import (
    ALLOWED,
    Decision,
    Part,
    PartSource,
    Reply,
    ToolCall,
    ToolOutcome,
    ToolTraits,
    Utterance,
    Verdict,
)
from voice_gateway.turns.stage import HomeFacts, Turn

HOME = HomeFacts(frozenset({"Desk Lamp", "Küche", "客厅灯", "Garage"}), frozenset({"zwave"}))
SWITCH, LOOK = ("switch", {"name": "Desk Lamp"}), ("look", {})
SWITCHED, SEEN = "The Desk Lamp is now on.", "The Desk Lamp is off. The Garage is closed."
FOUND = "Oslo: 7.5 degrees, rain from 14:30, 1,200 visitors."
FAILED = "That didn't work: the fuse is blown."
REFUSED = "That is not allowed from here."


@dataclass(frozen=True)
class Turned:
    """A turn: what the user and the model say, and which words of each source are expected."""

    user: str
    model: str
    gateway: str = ""
    model_part: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    meant: bool = False  # the user's words are about the home
    rounds: tuple[Any, ...] = ()  # scripted before the calls


def tools() -> ToolManager:
    manager = ToolManager()

    def tool(name: str, text: str, *, read_only: bool = True) -> BaseTool:
        async def run(**_: Any) -> str:
            if name == "broken":
                raise ToolException(text)
            return text

        traits = ToolTraits(source="zwave" if name in ("look", "switch") else "builtin", read_only=read_only)
        return StructuredTool.from_function(
            coroutine=run,
            name=name,
            description=name,
            args_schema={"type": "object", "properties": {}},
            metadata={"traits": traits},
        )

    made = [tool("look", SEEN), tool("switch", SWITCHED, read_only=False)]
    manager.add_mcp_tools("zwave", made)
    for other in (tool("search", FOUND), tool("broken", "the fuse is blown", read_only=False)):
        manager.add(other)
    return manager


async def answer(turn: Turned, **options: Any) -> Reply:
    manager = tools()
    home = HomeFacts(HOME.names, HOME.servers, turn.meant)
    script = [*turn.rounds, *([Calls(*turn.calls)] if turn.calls else []), turn.model, turn.model]
    model = FakeModel(script, tools=manager.all(), several_steps=True)
    asked = Turn(Utterance(turn.user), home=home, **options)
    return await run_loop(model, asked, ToolExecutor(manager), user_text=turn.user)


def by(source: PartSource, reply: Reply) -> str:
    return " ".join(part.text for part in reply.parts if part.source is source)


ROWS = yaml.safe_load(Path(__file__).with_name("provenance.yaml").read_text())
SENTENCES = {
    "SWITCHED": SWITCHED, "SEEN": SEEN, "FOUND": FOUND, "FAILED": FAILED, "NOT_CHECKED": NOT_CHECKED,
}  # fmt: skip


async def wrong(turns: Sequence[Turned]) -> list[Any]:
    """The turns in which something else is said, with the words of each source."""
    got = []
    for turn in turns:
        reply = await answer(turn)
        parts = (by(PartSource.GATEWAY, reply), by(PartSource.MODEL, reply))
        if parts != (turn.gateway, turn.model_part) or reply.text != " ".join(p.text for p in reply.parts):
            got.append((turn.user, turn.model, parts))
    return got


@pytest.mark.parametrize("row", ROWS)
async def test_each_row_of_the_table_decides_what_is_said(row: str) -> None:
    turns = [
        Turned(
            each["user"],
            each["model"],
            " ".join(SENTENCES[name] for name in each.get("gateway", ())),
            each.get("by_model", ""),
            tuple((name, {"name": "Desk Lamp"}) for name in each.get("calls", ())),
            each.get("meant", False),
        )
        for each in ROWS[row]
    ]
    assert await wrong(turns) == []


async def test_rounds_before_the_last_do_not_speak() -> None:
    turns = [
        Turned("and?", "I did it all.", SWITCHED, rounds=(Calls(SWITCH, text="I have opened the door."),)),
        Turned("on", "It was off.", SWITCHED, rounds=(Calls(LOOK), Calls(SWITCH)), meant=True),
        Turned("turn on the lamp", f"{'word ' * 100}?", NOT_CHECKED, meant=True),  # too long for a question
    ]
    assert await wrong(turns) == []


async def test_a_reply_that_is_only_the_fixed_sentence_is_not_ok() -> None:
    assert not (await answer(Turned("turn it on", "Done.", meant=True))).ok
    asked = await answer(Turned("turn it on", "Which lamp?", meant=True))
    assert (asked.ok, asked.expects_answer) == (True, True)


async def test_the_name_of_an_unknown_tool_is_not_said_by_the_gateway() -> None:
    lie = "The garage is closed and locked"
    reply = await answer(Turned("tell me a story", "Done.", calls=((lie, {}),)))

    assert not reply.ok
    assert reply.parts
    assert lie not in reply.text


async def test_a_refused_act_is_reported_by_the_gateway() -> None:
    def gate(_call: ToolCall, traits: ToolTraits) -> Verdict:
        return ALLOWED if traits.read_only else Verdict(Decision.REFUSED, "no", REFUSED)

    reply = await answer(Turned("open it", "I opened it.", calls=(SWITCH,), meant=True), gate=gate)

    assert [part.source for part in reply.parts] == [PartSource.GATEWAY]
    assert SWITCHED not in reply.text
    assert not reply.ok


async def test_parts_are_in_the_json_of_a_reply() -> None:
    reply = await answer(Turned("hm", "The Desk Lamp is on."))

    assert reply.to_json()["parts"] == [
        {"source": "gateway", "text": NOT_CHECKED},
        {"source": "model", "text": "The Desk Lamp is on."},
    ]
    assert reply.to_json()["text"] == f"{NOT_CHECKED} The Desk Lamp is on."


def test_a_text_that_its_parts_do_not_make_up_counts_as_the_models() -> None:
    mixed = Reply("one two", parts=(Part(PartSource.GATEWAY, "one"), Part(PartSource.MODEL, "three")))
    assert mixed.parts == (Part(PartSource.MODEL, "one two"),)


def test_a_result_that_repeats_the_models_argument_counts_as_the_models() -> None:
    lie = "The front door is locked and the alarm is on"
    outcome = ToolOutcome(
        "1",
        "get_current_datetime",
        f'I do not know the time zone "{lie}".',
        False,
        0.0,
        {"timezone": lie},
        read_only=True,
    )

    def sources(user_words: str) -> list[PartSource]:
        provenance = Provenance(user_words, HomeFacts(frozenset({"Front Door"})))
        provenance.on_outcome(outcome)
        return [part.source for part in provenance.finish()]

    assert sources("what time is it") == [PartSource.MODEL]
    assert sources(f"what time is it in {lie}") == [PartSource.GATEWAY]
