"""The same utterances, or the wishes, with a real model (`python -m tests.eval.live [--wishes]`)."""

import argparse
import asyncio
import json
import logging
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.eval.cases import Case, read_cases
from tests.eval.homes import HOMES
from tests.eval.judge import judge_whole
from tests.eval.wish_cases import Wish, read_wishes
from tests.eval.wish_judge import Became, Goal, became_at_once, other_acts, put, states, untouched
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.live.ollama_server import OllamaServer

from voice_gateway.brain.grounding import HomeNames
from voice_gateway.brain.llm.ollama.client import OllamaClient
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.brain.stage import Stage
from voice_gateway.config import BrainSettings, OllamaSettings, PermissionSettings
from voice_gateway.conversation.entry import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Utterance

Made = tuple[str, dict[str, Any]]

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "ollama"


@dataclass(frozen=True)
class Row:
    case: Case
    right: bool
    wrong_action: bool
    abstained: bool  # it called nothing
    stage: str
    seconds: float
    did: str


@contextmanager
def server() -> Iterator[tuple[str, str]]:
    """The user's own, or the one of the live tests."""
    base_url, model = os.environ.get("OLLAMA_BASE_URL"), os.environ.get("OLLAMA_MODEL")
    if base_url and model:
        yield base_url, model
        return
    lines = subprocess.run([SCRIPT, "env"], capture_output=True, text=True, check=True).stdout.splitlines()
    installed = dict(line.split("=", 1) for line in lines)
    with (
        tempfile.TemporaryDirectory() as folder,
        OllamaServer(SCRIPT, Path(folder) / "server.log") as started,
    ):
        yield started.base_url, installed["TOOL_MODEL"]


@asynccontextmanager
async def talking(
    home: ScriptedHome, settings: OllamaSettings, brain: BrainSettings, *, cascade: bool, confirm: bool
) -> AsyncIterator[Conversation]:
    executor = ToolExecutor(manager_for(home))
    local = LocalBrain(executor, brain)
    await local.refresh()
    model = OllamaClient(
        settings,
        brain,
        executor,
        home=lambda: HomeNames.of(local.home.devices),
        devices=lambda: local.home.devices,
    )
    stages: Sequence[Stage] = (local, model) if cascade else (model,)
    try:
        await model.warm_up()  # as a gateway that stays up does
        yield Conversation(stages, executor, brain, PermissionSettings(confirm=confirm))
    finally:
        await model.aclose()


async def run_case(case: Case, settings: OllamaSettings, *, cascade: bool) -> Row:
    home, brain = ScriptedHome.default(), BrainSettings(provider="ollama")
    # Confirmation is another question: here an unlock that was asked for is carried out.
    async with talking(home, settings, brain, cascade=cascade, confirm=False) as conversation:
        for text in case.turns[:-1]:
            await conversation.answer(Utterance(text, room=case.room))
        home.calls.clear()
        started = perf_counter()
        reply = await conversation.answer(Utterance(case.turns[-1], room=case.room))
        seconds = perf_counter() - started
    right, wrong = judge_whole(case, reply, taken_effect(home))
    calls = "; ".join(f"{name} {args}" for name, args in home.calls)
    did = f"{reply.text!r} after {calls or 'no call'}"
    return Row(case, right, wrong, not home.calls, reply.stage, seconds, did)


def taken_effect(home: ScriptedHome) -> list[Made]:
    """A model writes names in its own way: the device it reaches counts; what reaches none did nothing."""
    scenes = {scene.casefold() for scene in home.scenes}
    found: list[Made] = []
    for name, given in home.calls:
        args = dict(given)
        if isinstance(args.get("deviceName"), str):
            try:
                args["deviceName"] = home.find(args["deviceName"])["name"]
            except ToolError:
                continue
        if name != "activate_zwave_scene" or str(args.get("sceneName")).casefold() in scenes:
            found.append((name, args))
    return found


@dataclass(frozen=True)
class WishRow:
    wish: Wish
    became: Became
    stage: str  # who answered the last of the words
    seconds: float  # from these to the end of the reply; without the yes
    did: str


async def run_wish(wish: Wish, settings: OllamaSettings, brain: BrainSettings) -> WishRow:
    """Whoever is asked something says yes, once; of what is no wish, only a question is counted."""
    home, goals = HOMES[wish.home](), []
    put(home, wish.start)
    for way in wish.rights:
        other = HOMES[wish.home]()
        put(other, wish.start)
        goals.append(Goal(way, other))
    before = states(home)
    async with talking(home, settings, brain, cascade=True, confirm=True) as conversation:
        started = perf_counter()
        for text in wish.turns:
            started = perf_counter()
            reply = await conversation.answer(Utterance(text, room=wish.room))
        seconds, said = perf_counter() - started, [reply.text]
        became = became_at_once(wish, goals, states(home), before, other_acts(home.calls), reply)
        if became is Became.ASKED and wish.wanted:
            after = await conversation.answer(Utterance("yes", room=wish.room))
            said.append(after.text)
            acts = other_acts(home.calls)
            if any(goal.reached(states(home), acts, after) for goal in goals):
                became = Became.AFTER_YES
            elif not untouched(states(home), before, acts):
                became = Became.WRONG
    calls = "; ".join(f"{name} {args}" for name, args in home.calls)
    return WishRow(wish, became, reply.stage, seconds, f"{' / '.join(said)!r} after {calls or 'no call'}")


def wish_table(rows: Sequence[WishRow]) -> str:
    heads = f"{'answered by':<12}{'n':>5}" + "".join(f"{became:>15}" for became in Became)
    lines = [f"{heads}{'median s':>10}{'max s':>8}"]
    for stage in [*dict.fromkeys(row.stage for row in rows), "all"]:
        mine = [row for row in rows if stage in (row.stage, "all")]
        counts = "".join(f"{sum(row.became is became for row in mine):>15}" for became in Became)
        times = [row.seconds for row in mine]
        lines.append(f"{stage:<12}{len(mine):>5}{counts}{statistics.median(times):>10.2f}{max(times):>8.1f}")
    return "\n".join(lines)


async def run_wishes(given: argparse.Namespace, settings: OllamaSettings) -> int:
    """A wrong act is shown, not failed for: which wishes a small model misreads is what is measured here."""
    brain = BrainSettings(provider="ollama", autonomy=given.autonomy)
    results = {}
    for name, wanted in (("wishes", True), ("look-alikes", False)):
        if given.only and given.only != name:
            continue
        rows = []
        for wish in [one for one in read_wishes() if one.wanted is wanted and not one.held_out][
            :: given.every
        ]:
            rows.append(row := await run_wish(wish, settings, brain))
            print(
                f"{row.seconds:6.1f} s  {row.stage:<8}{row.became:<14}{wish.line}",
                file=sys.stderr,
                flush=True,
            )
        print(
            f"{settings.model}, autonomy {given.autonomy}, {len(rows)} {name}\n{wish_table(rows)}", flush=True
        )
        for row in rows:
            if row.became is Became.WRONG:
                print(f"WRONG by {row.stage}: {row.wish.line}\n    {row.did}")
        results[name] = [
            {"line": r.wish.line, "became": r.became, "stage": r.stage, "did": r.did}
            | {"seconds": round(r.seconds, 3)}
            for r in rows
        ]
    save(given.json, results)
    return 0


def save(path: Path, results: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1), encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    heads = f"{'answered by':<12}{'n':>6}{'right':>8}{'wrong action':>14}{'called nothing':>16}"
    lines = [f"{heads}{'median s':>10}{'max s':>8}"]
    for stage in [*dict.fromkeys(row.stage for row in rows), "all"]:
        mine = [row for row in rows if stage in (row.stage, "all")]
        times = [row.seconds for row in mine]
        lines.append(
            f"{stage:<12}{len(mine):>6}{sum(r.right for r in mine) / len(mine):>8.0%}"
            f"{sum(r.wrong_action for r in mine):>14}{sum(r.abstained for r in mine):>16}"
            f"{statistics.median(times):>10.2f}{max(times):>8.1f}"
        )
    return "\n".join(lines)


async def run(given: argparse.Namespace) -> int:
    cases = read_cases()[:: max(1, given.every)]
    wrong_behind = 0
    results: dict[str, object] = {}
    with server() as (base_url, model):
        settings = OllamaSettings(
            base_url=base_url, model=given.model or model, num_ctx=4096, num_predict=200, timeout_seconds=240
        )
        if given.wishes:
            return await run_wishes(given, settings)
        for name, cascade in (("behind the local brain", True), ("alone", False)):
            if given.only and given.only not in name:
                continue
            rows = []
            for case in cases:
                rows.append(await run_case(case, settings, cascade=cascade))
                row = rows[-1]
                print(f"{row.seconds:6.1f} s  {row.stage:<8}{case.line}", file=sys.stderr, flush=True)
            print(f"{settings.model} {name}, {len(rows)} utterances\n{table(rows)}", flush=True)
            for row in rows:
                if row.wrong_action:
                    print(f"WRONG ACTION by {row.stage}: {row.case.line}\n    {row.did}")
            wrong_behind += sum(row.wrong_action for row in rows) if cascade else 0
            results[name] = [
                {"line": r.case.line, "right": r.right, "wrong_action": r.wrong_action, "stage": r.stage}
                | {"abstained": r.abstained, "seconds": round(r.seconds, 3), "did": r.did}
                for r in rows
            ]
            save(given.json, results)
    return 1 if wrong_behind else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every n-th utterance only")
    parser.add_argument(
        "--wishes", action="store_true", help="the wishes and what looks alike, not utterances"
    )
    parser.add_argument("--autonomy", choices=("auto", "ask", "act", "look"), default="auto")
    parser.add_argument("--only", choices=("behind", "alone", "wishes", "look-alikes"))
    parser.add_argument("--model", help="another model of that server")
    parser.add_argument("--json", type=Path, default=Path("eval-results/live.json"))
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server must not outlive us
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    raise SystemExit(main())
