"""What reaches the user of replies known to be untrue or honest: `python -m tests.eval.grounding_eval`.

Each pair goes through the loop itself: a scripted model makes the calls, gets their outcomes, says its text.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from tests.fakes.model import Calls, FakeModel

from voice_gateway.brain.grounding import HomeNames, is_look
from voice_gateway.brain.languages import own_sentence
from voice_gateway.errors import ErrorKind
from voice_gateway.llm.loop import run_loop
from voice_gateway.turn import Reply, ToolCall, ToolOutcome, ToolTraits, Utterance
from voice_gateway.turns.render_outcomes import render_outcomes
from voice_gateway.turns.sentences import sentences
from voice_gateway.turns.stage import Turn

PAIRS = Path(__file__).with_name("grounding.txt")
OUTCOMES = Path(__file__).with_name("grounding.json")
TALK_TOUCHED_AT_MOST = 0.03  # of the honest replies to plain talk
# What was said before a reply whose pair does not tell it: plain talk, with and without a question.
UNTOLD = ("hello", "what do you know about owls")
# Of pairs without a call their data say what the user's words are, so that no rule under test judges itself.
KINDS = {
    "talk": "talk without a call",
    "general": "devices in general, without a call",
    "wish": "wish or question without a call",
}
TALK = KINDS["talk"]

HOME = HomeNames(
    frozenset(
        "floor lamp;ceiling light;bedside lamp;window blind;front door;garage door;heater;thermostat;"
        "bathroom fan;climate sensor;kitchen window;switch one;desk lamp".split(";")
    ),
    frozenset("living room;kitchen;bedroom;bathroom;hallway;office;garage".split(";")),
)


@dataclass(frozen=True)
class Pair:
    honest: bool
    held_out: bool
    group: str
    outcomes: tuple[ToolOutcome, ...]
    text: str
    said: str
    line: str
    left: tuple[str, ...] = ()  # parts of what the user said that no call served


@dataclass(frozen=True)
class Judged:
    pair: Pair
    spoken: str

    @property
    def told(self) -> bool:
        """Some of its words were spoken, and no true sentence of ours with them."""
        return bool(_spoken_of(self.pair.text, self.spoken)) and not self._true_sentence

    @property
    def touched(self) -> bool:
        return any(part not in _bare(self.spoken) for part in map(_bare, sentences(self.pair.text)))

    @property
    def beside(self) -> bool:
        """All of its words were spoken, with a true sentence of ours that was not needed."""
        return not self.touched and self._true_sentence

    @property
    def own_untrue(self) -> bool:
        """What the gateway said of its own was not so, or it kept quiet about a part that was not served."""
        ran = [outcome for outcome in self.pair.outcomes if outcome.ok]
        untrue = [own_sentence("not_checked", "en")] if ran else []
        untrue += [own_sentence("not_changed", "en")] if not all(map(is_look, ran)) else []
        named = re.findall(own_sentence("part_left", "en").format(part="(.*?)"), self.spoken)
        told = bool(named) or own_sentence("nothing_else", "en") in self.spoken
        silent = bool(self.pair.left) and not told
        return silent or not {*named} <= {*self.pair.left} or any(one in self.spoken for one in untrue)

    @property
    def _true_sentence(self) -> bool:
        ours = [own_sentence(key, "en") for key in ("not_checked", "not_changed")]
        told = [render_outcomes([outcome]) for outcome in self.pair.outcomes]
        return any(_bare(sentence) in _bare(self.spoken) for sentence in [*ours, *told])


def _spoken_of(text: str, spoken: str) -> list[str]:
    return [part for part in sentences(text) if _bare(part) and _bare(part) in _bare(spoken)]


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


@cache
def read_outcomes() -> dict[str, ToolOutcome]:
    named: dict[str, dict[str, Any]] = json.loads(OUTCOMES.read_text("utf-8"))
    return {
        name: ToolOutcome(
            call_id=name,
            name=given["tool"],
            text=given["text"],
            ok=given.get("ok", True),
            seconds=0.1,
            args=given["args"],
            error=ErrorKind(given["error"]) if "error" in given else None,
            structured=given.get("structured"),
            read_only=given.get("read_only", False),
        )
        for name, given in named.items()
    }


def _unused() -> str:
    return ""


@cache
def tools() -> tuple[BaseTool, ...]:
    """Every tool that one of the outcomes came from; only their names and hints are looked at."""
    found = {outcome.name: outcome.read_only for outcome in read_outcomes().values()}
    return tuple(
        StructuredTool.from_function(
            func=_unused, name=name, description=name, metadata={"traits": ToolTraits(read_only=read_only)}
        )
        for name, read_only in found.items()
    )


def read_pairs() -> list[Pair]:
    known = read_outcomes()
    lines = PAIRS.read_text("utf-8").splitlines()
    return [pair for line in lines if line.strip() and line[0] != "#" for pair in _pairs(line, known)]


def _pairs(line: str, known: dict[str, ToolOutcome]) -> Iterator[Pair]:
    match = re.fullmatch(r"([+-])(\*?)\s*\| ([\w ]+) \| (.*?)(?: << (.*?)(?: >> (.*))?)?", line)
    assert match, line
    names = [] if match[3] in KINDS else match[3].split()
    outcomes = tuple(known[name] for name in names)
    looked = "only looked" if all(map(is_look, outcomes)) else "acted"
    text = match[4].replace(r"\n", "\n")  # a list has several lines
    for said in [match[5]] if match[5] else UNTOLD[: 1 if outcomes else None]:
        group, left = KINDS.get(match[3], looked), tuple(match[6].split("; ")) if match[6] else ()
        yield Pair(match[1] == "+", bool(match[2]), group, outcomes, text, said, line, left)


class _Outcomes:
    """In the place of the executor: each call ends as the pair says."""

    def __init__(self, outcomes: Sequence[ToolOutcome]) -> None:
        self._outcomes = outcomes
        self.tools = self

    def find(self, _name: str) -> None:
        return None

    async def execute_all(
        self, calls: Sequence[ToolCall], *, gate: Any = None, on_outcome: Any = None
    ) -> list[ToolOutcome]:
        for outcome in self._outcomes:
            on_outcome(outcome)
        return list(self._outcomes)


async def reply_to(pair: Pair) -> Reply:
    """The reply as a user gets it, of a model that is trusted to go on after its calls and says the text."""
    calls = (
        [Calls(*((outcome.name, dict(outcome.args)) for outcome in pair.outcomes))] if pair.outcomes else []
    )
    model = FakeModel([*calls, pair.text, pair.text], tools=tools(), several_steps=True)
    executor: Any = _Outcomes(
        [_with_id(outcome, f"r1c{place}") for place, outcome in enumerate(pair.outcomes)]
    )
    turn = Turn(Utterance(pair.said))
    return await run_loop(model, turn, executor, user_text=pair.said, home=HOME)


def _with_id(outcome: ToolOutcome, call_id: str) -> ToolOutcome:
    return replace(outcome, call_id=call_id)


async def judge(pairs: Sequence[Pair]) -> list[Judged]:
    return [Judged(pair, (await reply_to(pair)).text) for pair in pairs]


def score(judged: Sequence[Judged]) -> dict[str, Any]:
    untrue = [one for one in judged if not one.pair.honest]
    honest = [one for one in judged if one.pair.honest]
    told = [one.pair.line for one in untrue if one.told]
    touched = [one.pair.line for one in honest if one.touched]
    beside = [one.pair.line for one in honest if one.beside]
    found = {"untrue": len(untrue), "told": told, "honest": len(honest), "touched": touched}
    return {**found, "beside": beside, "own": [one.pair.line for one in judged if one.own_untrue]}


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """Prints what was told and touched in each kind of turn, and gives it back."""
    groups: dict[str, Any] = {}
    print(f"{'replies':<44}{'untrue':>6}{'told':>6}{'honest':>8}{'touched':>9}{'beside':>8}{'own':>5}")
    for part, starred in (("tuned on", False), ("held out", True)):
        mine = [one for one in judged if one.pair.held_out is starred]
        for group in (*KINDS.values(), "only looked", "acted"):
            found = score([one for one in mine if one.pair.group == group])
            groups[f"{part}: {group}"] = found
            shares = [len(found[key]) / (found["honest"] or 1) for key in ("touched", "beside")]
            counts = f"{found['untrue']:>6}{len(found['told']):>6}{found['honest']:>8}"
            counts += f"{shares[0]:>9.1%}{shares[1]:>8.1%}{len(found['own']):>5}"
            print(f"{part + ', ' + group:<44}{counts}")
    return {**groups, "good": good(groups)}


def good(groups: dict[str, Any]) -> bool:
    talk = [found for name, found in groups.items() if TALK in name]
    touched = sum(len(found["touched"]) for found in talk) / sum(found["honest"] for found in talk)
    print(f"honest talk without a call touched: {touched:.1%}, at most {TALK_TOUCHED_AT_MOST:.0%}")
    untrue = any(found["told"] or found["own"] for found in groups.values())
    return touched <= TALK_TOUCHED_AT_MOST and not untrue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grounding-json", type=Path, default=Path("eval-results/grounding.json"))
    given, _ = parser.parse_known_args()
    found = report(asyncio.run(judge(read_pairs())))
    for name, group in found.items():
        for fault in ("told", "own") if isinstance(group, dict) else ():
            for line in group[fault]:
                print(fault, f"({name})", line)
    given.grounding_json.parent.mkdir(parents=True, exist_ok=True)
    given.grounding_json.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0 if found["good"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
