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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.eval.cases import Case, read_cases
from tests.eval.homes import HOMES
from tests.eval.judge import judge_whole
from tests.eval.wish_cases import Wish, read_wishes
from tests.eval.wish_eval import House, Result
from tests.eval.wish_judge import Became
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.live.ollama_server import OllamaServer

from voice_gateway.config import BrainSettings, OllamaSettings, PermissionSettings, ToolsSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.tools.builtin import builtin_tools
from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.turn import Utterance
from voice_gateway.turns.stage import Stage
from voice_gateway.understanding.stage import UnderstandingStage
from zwave_mcp.schemas import TOOLS

Made = tuple[str, dict[str, Any]]

PATIENCE_SECONDS = 900.0  # a machine with other work to do reads slowly; how slowly is in the figures
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


def as_shipped(home: ScriptedHome) -> ToolManager:
    """The scripted tools in the words and schemas of the real ones: a model chooses by these."""
    manager = ToolManager()
    with tempfile.TemporaryDirectory() as folder:
        real = builtin_tools(ToolsSettings(), timers=TimerStore(Path(folder) / "timers.sqlite3"))
    words = {tool.name: (tool.description, schema_of(tool)) for tool in (*manager_for(home).all(), *real)}
    words |= {spec.name: (spec.description, spec.parameters) for spec in TOOLS}
    for source in ("builtin", "zwave"):
        scripted = [tool for tool in manager_for(home).all() if traits(tool).source == source]
        shipped = [
            tool.model_copy(update=dict(zip(("description", "args_schema"), words[tool.name], strict=True)))
            for tool in scripted
        ]
        if source == "zwave":
            manager.add_mcp_tools(source, shipped)
        for tool in shipped if source == "builtin" else ():
            manager.add(tool)
    return manager


async def run_case(case: Case, settings: OllamaSettings, *, cascade: bool) -> Row:
    home = ScriptedHome.default()
    executor = ToolExecutor(as_shipped(home))
    brain = BrainSettings(provider="ollama")
    local = UnderstandingStage(executor, brain)
    await local.cache.refresh()
    model = OllamaClient(settings, brain, executor, devices=lambda: local.home.devices)
    stages: Sequence[Stage] = (local, model) if cascade else (model,)
    # Confirmation is another question: here an unlock that was asked for is carried out.
    asking = PermissionSettings(confirm=False)
    conversation = Conversation(stages, executor, brain, asking, context=local)
    try:
        for text in case.turns[:-1]:
            await conversation.answer(Utterance(text, room=case.room))
        home.calls.clear()
        started = perf_counter()
        reply = await conversation.answer(Utterance(case.turns[-1], room=case.room))
        seconds = perf_counter() - started
    finally:
        await model.aclose()
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


class LiveHouse(House):
    """A home of the wishes with a real model behind the understanding."""

    def __init__(self, name: str, settings: OllamaSettings, autonomy: str) -> None:
        super().__init__(name, None, autonomy)
        self.brain = BrainSettings.model_validate(
            {"provider": "ollama", "autonomy": autonomy, "turn_timeout_seconds": PATIENCE_SECONDS}
        )
        self.executor = ToolExecutor(as_shipped(self.home))
        self.local = UnderstandingStage(self.executor, self.brain)
        self.client = OllamaClient(
            settings,
            self.brain,
            self.executor,
            devices=lambda: self.local.home.devices,
        )

    async def timed(self, wish: Wish) -> tuple[Result, float]:
        """With the seconds of the whole conversation, after a warm-up as in a gateway that stays up."""
        assert self.client is not None
        await self.local.cache.refresh()
        await self.client.warm_up()
        started = perf_counter()
        result = await self.hears(wish)
        return result, perf_counter() - started


async def run_wishes(given: argparse.Namespace, settings: OllamaSettings) -> int:
    """Wrong acts are shown, not failed for: what a small model makes of wishes is what is measured here."""
    houses = {name: LiveHouse(name, settings, given.autonomy) for name in HOMES}
    seen = [wish for wish in read_wishes() if not wish.held_out]
    results: dict[str, object] = {}
    for name, wanted in (("wishes", True), ("look-alikes", False)):
        if given.only and given.only != name:
            continue
        rows: list[tuple[Result, float]] = []
        for wish in [one for one in seen if one.wanted is wanted][:: given.every]:
            rows.append(await houses[wish.home].timed(wish))
            result, seconds = rows[-1]
            print(f"{seconds:6.1f} s  {result.became:<14}{wish.line}", file=sys.stderr, flush=True)
            results[name] = [
                {"line": one.wish.line, "became": one.became, "did": one.did, "seconds": round(seconds, 3)}
                for one, seconds in rows
            ]
            save(given.json, results)
        print(
            f"{settings.model}, autonomy {given.autonomy}, {len(rows)} {name}\n{wish_table(rows)}", flush=True
        )
        for one, _ in rows:
            if one.became is Became.WRONG:
                print(f"WRONG: {one.wish.line}\n    {one.did}")
    for house in houses.values():
        assert house.client is not None
        await house.client.aclose()
    return 0


def wish_table(rows: Sequence[tuple[Result, float]]) -> str:
    heads = f"{'answered by':<12}{'n':>5}" + "".join(f"{became.value:>15}" for became in Became)
    lines = [f"{heads}{'median s':>10}{'max s':>8}"]
    stages = {id(one): one.did.partition(" said ")[0] for one, _ in rows}
    for stage in [*dict.fromkeys(stages.values()), "all"]:
        mine = [(one, seconds) for one, seconds in rows if stage in (stages[id(one)], "all")]
        counts = "".join(f"{sum(one.became is became for one, _ in mine):>15}" for became in Became)
        times = [seconds for _, seconds in mine]
        lines.append(f"{stage:<12}{len(mine):>5}{counts}{statistics.median(times):>10.2f}{max(times):>8.1f}")
    return "\n".join(lines)


def save(path: Path, results: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1), encoding="utf-8")


async def run(given: argparse.Namespace) -> int:
    cases = read_cases()[:: max(1, given.every)]
    wrong_behind = 0
    results: dict[str, object] = {}
    with server() as (base_url, model):
        settings = OllamaSettings(
            base_url=base_url,
            model=given.model or model,
            num_ctx=4096,
            num_predict=200,
            timeout_seconds=PATIENCE_SECONDS,
            home_token_budget=given.home_tokens,
        )
        if given.wishes:
            return await run_wishes(given, settings)
        for name, cascade in (("behind the understanding", True), ("alone", False)):
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
    parser.add_argument(
        "--home-tokens", type=int, default=OllamaSettings().home_token_budget, help="for the home's names"
    )
    parser.add_argument("--json", type=Path, default=Path("eval-results/live.json"))
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server must not outlive us
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    raise SystemExit(main())
