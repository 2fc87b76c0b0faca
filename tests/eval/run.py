"""Every utterance through the understanding; prints a table and writes JSON: `python -m tests.eval.run`."""

import argparse
import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

from tests.eval.cases import Case, read_cases
from tests.eval.judge import Verdict, judge
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Passed, Reply, Utterance
from voice_gateway.understanding.stage import UnderstandingStage

SIMPLE = frozenset({"plain", "polite", "group", "room", "stt"})
# Just below what is measured: no more than a case or two may be lost. {held out: {part: share}}
BARS = {False: {"simple": 1.0, "all": 0.99}, True: {"simple": 0.9, "all": 0.95}}


async def answer_in(
    home: ScriptedHome, case: Case, settings: BrainSettings
) -> tuple[Reply, Reply | Passed, float]:
    """The reply to the last turn, the same or why the understanding passed, and the seconds it took."""
    executor = ToolExecutor(manager_for(home))
    brain = UnderstandingStage(executor, settings)
    await brain.cache.refresh()
    # Confirmation of what is sensitive is another question: here an unlock that was asked for is carried out.
    unasked = PermissionSettings(confirm=False)
    conversation = Conversation((brain,), executor, settings, unasked, context=brain)
    for text in case.turns[:-1]:
        await conversation.answer(Utterance(text, room=case.room))
    home.calls.clear()
    started = perf_counter()
    reply = await conversation.answer(Utterance(case.turns[-1], room=case.room))
    answer = reply if reply.stage == "local" or not reply.passed else reply.passed[-1]
    return reply, answer, perf_counter() - started


async def run_case(case: Case) -> Verdict:
    """A home of its own for every case: no case can help or hurt another."""
    home = ScriptedHome.default()
    _, answer, seconds = await answer_in(home, case, BrainSettings())
    return judge(case, answer, list(home.calls), seconds)


async def run(cases: Iterable[Case]) -> list[Verdict]:
    return [await run_case(case) for case in cases]


def share(verdicts: list[Verdict]) -> float:
    return sum(verdict.right for verdict in verdicts) / len(verdicts) if verdicts else 1.0


def missed_bars(verdicts: list[Verdict]) -> list[str]:
    """Which shares are too low, of what was tuned on and of what is held out."""
    missed = []
    for held_out, bars in BARS.items():
        for name, bar in bars.items():
            reached = share([v for v in verdicts if v.case.held_out is held_out and _in(v, name)])
            if reached < bar:
                missed.append(f"{name}, {'held out' if held_out else 'tuned on'}: {reached:.1%} < {bar:.1%}")
    return missed


def table(verdicts: list[Verdict]) -> str:
    rows = [f"{'category':<12}{'tuned on':>16}{'held out':>16}{'wrong actions':>16}"]
    categories = list(dict.fromkeys(verdict.case.category for verdict in verdicts))
    for name in [*categories, "simple", "all"]:
        mine = [v for v in verdicts if _in(v, name)]
        tuned, held = ([v for v in mine if v.case.held_out is part] for part in (False, True))
        wrong = sum(v.wrong_action for v in mine)
        rows.append(f"{name:<12}{_cell(tuned):>16}{_cell(held):>16}{wrong:>16}")
    return "\n".join(rows)


def _in(verdict: Verdict, name: str) -> bool:
    return (
        name == "all"
        or verdict.case.category == name
        or (name == "simple" and verdict.case.category in SIMPLE)
    )


def _cell(verdicts: list[Verdict]) -> str:
    return f"{sum(v.right for v in verdicts)}/{len(verdicts)} {share(verdicts):.0%}" if verdicts else "-"


def to_json(verdicts: list[Verdict]) -> dict[str, object]:
    return {
        "right": share(verdicts),
        "right_held_out": share([v for v in verdicts if v.case.held_out]),
        "right_simple": share([v for v in verdicts if _in(v, "simple")]),
        "wrong_actions": [v.case.line for v in verdicts if v.wrong_action],
        "cases": [
            {"line": v.case.line, "right": v.right, "did": v.did, "milliseconds": round(v.seconds * 1000, 2)}
            for v in verdicts
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("eval-results/local.json"))
    parser.add_argument("--missed", action="store_true", help="show what was not right, tuned part only")
    parser.add_argument(
        "--missed-held-out", action="store_true", help="the same for the part that nobody tunes on"
    )
    given = parser.parse_args()
    verdicts = asyncio.run(run(read_cases()))
    print(table(verdicts))
    for verdict in verdicts:
        shown = given.missed_held_out if verdict.case.held_out else given.missed
        if verdict.wrong_action or (shown and not verdict.right):
            mark = "WRONG ACTION" if verdict.wrong_action else "missed"
            print(f"{mark}: {verdict.case.line}\n    {verdict.did}")
    print(*missed_bars(verdicts), sep="\n", end="")
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(to_json(verdicts), indent=1), encoding="utf-8")
    return 1 if missed_bars(verdicts) or any(v.wrong_action for v in verdicts) else 0


if __name__ == "__main__":
    raise SystemExit(main())
