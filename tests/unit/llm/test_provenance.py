"""The table of what is said in a turn with a model, row by row: the gateway's voice says nothing untrue."""

from dataclasses import dataclass
from typing import Any

import pytest
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
SWITCH, LOOK, SEARCH, BROKEN = ("switch", {"name": "Desk Lamp"}), ("look", {}), ("search", {}), ("broken", {})
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


ACTED = [
    Turned("turn on the desk lamp", text, SWITCHED, calls=(SWITCH,), meant=True)
    for text in (
        "I turned on the desk lamp and the heater.",
        "Done! The garage is open now, too.",
        "Ich habe alles ausgeschaltet.",
        "全部の電気を消しました。",
        "Zmieniłem temperaturę na 25 stopni.",
        "Shall I do more?",
        "",
    )
] + [
    Turned("dim it", "Both are dimmed.", f"{SWITCHED} {FAILED}", calls=(SWITCH, BROKEN), meant=True),
    Turned("and?", "I did it all.", SWITCHED, rounds=(Calls(SWITCH, text="I have opened the door."),)),
    Turned("on, and what is open?", "All is open.", f"{SWITCHED} {SEEN}", calls=(SWITCH, LOOK), meant=True),
    Turned("on", "It was off.", SWITCHED, rounds=(Calls(LOOK), Calls(SWITCH)), meant=True),
]

LOOKED = [
    Turned("is the lamp on", text, SEEN, calls=(LOOK,), meant=meant)
    for meant in (True, False)
    for text in (
        "Yes, it is on.",
        "The Desk Lamp is on and I opened the garage.",
        "Ja, die Lampe brennt.",
        "いいえ、ついています。",
        "Oui, tout est ouvert.",
        "Is there anything else?",
    )
]

READ = [
    Turned("weather in Oslo", "It is 7.5 degrees and rainy.", "", "It is 7.5 degrees and rainy.", (SEARCH,)),
    Turned("weather in Oslo", "Rain from 14:30 on.", "", "Rain from 14:30 on.", (SEARCH,)),
    Turned("weather in Oslo", "Es sind 7,5 Grad.", "", "Es sind 7,5 Grad.", (SEARCH,)),
    Turned("how many visitors", "About 1200.", "", "About 1200.", (SEARCH,)),
    Turned("how many visitors", "Some 1.200.", "", "Some 1.200.", (SEARCH,)),
    Turned("will it rain", "Yes, take an umbrella.", "", "Yes, take an umbrella.", (SEARCH,)),
    Turned("weather in 3 towns", "Of the 3, Oslo is rainy.", "", "Of the 3, Oslo is rainy.", (SEARCH,)),
    Turned("weather in Oslo", "It is 12 degrees.", FOUND, "", (SEARCH,)),
    Turned("weather in Oslo", "Es sind -8 Grad.", FOUND, "", (SEARCH,)),
    Turned("weather in Oslo", "気温は１２度です。", FOUND, "", (SEARCH,)),
    Turned("weather in Oslo", "درجة الحرارة ٢١.", FOUND, "", (SEARCH,)),
    Turned("weather in Oslo", "", FOUND, "", (SEARCH,)),
    Turned("rain, and the lamp?", "It rains, it's on.", SEEN, "It rains, it's on.", (SEARCH, LOOK)),
]

ABOUT_HOME = [
    Turned("turn on the lamp", text, NOT_CHECKED, question, meant=True)
    for text, question in (
        ("I turned it on.", ""),
        ("Okay.", ""),
        ("The lamp is already on.", ""),
        ("Ich habe die Lampe eingeschaltet.", ""),
        ("J'ai allumé la lampe. Bonne soirée !", ""),
        ("ランプをつけました。", ""),
        ("Nimewasha taa.", ""),
        ("Kveikt er á lampanum.", ""),
        ("Cuireadh an lampa air.", ""),
        ("Lampu sampun kula uripaken.", ""),
        ("I can't do that here.", ""),
        ("Which lamp do you mean?", "Which lamp do you mean?"),
        ("It is on. Which room? And how bright?", "Which room?"),
        ("どのランプですか？", "どのランプですか？"),
        ("أي مصباح؟ لقد أطفأته.", "أي مصباح؟"),
        (f"{'word ' * 100}?", ""),
    )
]

TALK = [
    Turned(user, text, "", text)
    for user, text in (
        ("hello", "Hello! Nice to hear you."),
        ("tell me a joke", "Why did the bulb blush? It saw the light switch."),
        ("who wrote Hamlet", "William Shakespeare wrote it around 1600."),
        ("a recipe for soup", "Boil 2 carrots.\nAdd salt."),
        ("übersetze Katze", "Cat."),
        ("Schalt alles ab", "Ich habe alles ausgeschaltet."),  # words we do not know: marked as the model's
        ("Slökktu ljósin", "Ég slökkti á öllum ljósum."),
        ("give me a poem", "The lamp of night, the moon, is on."),
    )
] + [
    Turned("hm", "The Desk Lamp is on.", NOT_CHECKED, "The Desk Lamp is on."),
    Turned("hm", "Fine. The desk lamps are on.", NOT_CHECKED, "Fine. The desk lamps are on."),
    Turned("na", "In der Küche brennt Licht.", NOT_CHECKED, "In der Küche brennt Licht."),
    Turned("嗯", "客厅灯已经关了。", NOT_CHECKED, "客厅灯已经关了。"),
    Turned("hm", "Your GARAGE is open!", NOT_CHECKED, "Your GARAGE is open!"),
]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(ACTED, id="a call ran: outcomes only"),
        pytest.param(LOOKED, id="devices looked at: the look's own sentence"),
        pytest.param(READ, id="other tools read: the model's text, or the tool's"),
        pytest.param(ABOUT_HOME, id="no call about the home: the fixed sentence and one question"),
        pytest.param(TALK, id="no call, anything else: the model's text"),
    ],
)
async def test_each_row_of_the_table_decides_what_is_said(rows: list[Turned]) -> None:
    wrong = []
    for turn in rows:
        reply = await answer(turn)
        got = (by(PartSource.GATEWAY, reply), by(PartSource.MODEL, reply))
        if got != (turn.gateway, turn.model_part) or reply.text != " ".join(p.text for p in reply.parts):
            wrong.append((turn.user, turn.model, got))
    assert wrong == []


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
