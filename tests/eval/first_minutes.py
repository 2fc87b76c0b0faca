"""What newcomers say, put to a gateway as it comes, without a model: `python -m tests.eval.first_minutes`.

Held-out sentences are counted, and printed only for who makes no rules.
"""

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from tests.eval.first_cases import HELD_OUT, SEEN, Became, First, Heard, judge, read_first
from tests.fakes.home_tools import ScriptedHome, home_tools
from tests.fakes.search_engines import Engine

from voice_gateway.app.gateway import Gateway, opened
from voice_gateway.config import Settings
from voice_gateway.turn import Reply, Utterance

WELL = {False: 0.98, True: 0.88}  # of what was seen and of what is held out: just below what is measured
LONGEST_P95_SECONDS = 5.0
FOUND = ({"title": "Found", "content": "Something was found.", "url": "http://127.0.0.1/found"},)


@dataclass(frozen=True)
class Result:
    case: First
    became: Became
    text: str
    seconds: float


def states(home: ScriptedHome) -> dict[str, str]:
    return {device["name"]: device["state"] for device in home.devices}


async def hears(case: First, engine: Engine) -> Result:
    """A gateway and a home of their own for every newcomer, as both are on the first day."""
    settings = Settings.model_validate(
        {"tools": {"searxng_url": engine.url}, "mcp": {"simulated_home": False}}
    )
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a thread may still warm up
        os.environ["XDG_DATA_HOME"] = folder
        async with opened(settings) as gateway:
            return await _answered(case, gateway, engine)


async def _answered(case: First, gateway: Gateway, engine: Engine) -> Result:
    home = ScriptedHome.default()
    gateway.tools.add_mcp_tools("zwave", home_tools(home))
    gateway.consoles.append(lambda: 1)  # somebody hears an announcement
    gateway.start_long_tasks()
    await gateway.local.cache.refresh()
    engine.asked.clear()

    async def say(text: str) -> Reply:
        return await gateway.conversation.answer(Utterance(text, channel="voice"))

    for text in case.turns[:-1]:
        await say(text)
    before = states(home)
    reply = await say(case.turns[-1])
    sent = _queries(engine)
    after = states(home)
    if case.offered and reply.expects_answer:
        await say("yes")
    heard = Heard(reply, before, after, sent, _queries(engine)[len(sent) :])
    return Result(case, judge(case, heard), reply.text, heard.seconds)


def _queries(engine: Engine) -> list[str]:
    return [values.get("q", "") for values in engine.asked]


async def run(cases: Sequence[First]) -> list[Result]:
    async with Engine(rows=FOUND) as engine:
        return [await hears(case, engine) for case in cases]


def run_part(cases: Sequence[First]) -> list[Result]:
    """In a process of its own."""
    logging.disable(logging.CRITICAL)
    return asyncio.run(run(cases))


def run_all(cases: Sequence[First]) -> list[Result]:
    with ProcessPoolExecutor(max_workers=2) as pool:
        halves = list(pool.map(run_part, [cases[::2], cases[1::2]]))
    return [halves[at % 2][at // 2] for at in range(len(cases))]


# --- what is printed


def p95(results: Sequence[Result]) -> float:
    return quantiles([one.seconds for one in results], n=20)[-1]


def table(results: Sequence[Result]) -> str:
    rows = [f"{'first minutes':<20}{'seen':>12}{'held out':>12}{'wrong':>8}{'longest reply':>16}"]
    for kind in [*dict.fromkeys(one.case.kind for one in results), "all"]:
        mine = [one for one in results if kind in ("all", one.case.kind)]
        cells = [_cell([one for one in mine if one.case.held_out is half]) for half in (False, True)]
        wrong = sum(one.became.is_wrong for one in mine)
        longest = f"{max(one.seconds for one in mine):.1f} s"
        rows.append(f"{kind:<20}{cells[0]:>12}{cells[1]:>12}{wrong:>8}{longest:>16}")
    rows.append(f"a reply takes {p95(results):.1f} s at p95")
    return "\n".join(rows)


def _cell(results: Sequence[Result]) -> str:
    return f"{sum(one.became is Became.WELL for one in results)}/{len(results)}"


def share(results: Sequence[Result], *, held_out: bool) -> float:
    mine = [one.became is Became.WELL for one in results if one.case.held_out is held_out]
    return sum(mine) / len(mine)


def missed_bars(results: Sequence[Result]) -> list[str]:
    found = [
        f"first minutes, {name}: {share(results, held_out=half):.1%} < {WELL[half]:.0%}"
        for half, name in ((False, "seen"), (True, "held out"))
        if share(results, held_out=half) < WELL[half]
    ]
    wrong = sum(one.became.is_wrong for one in results)
    found += [f"first minutes: {wrong} wrong"] if wrong else []
    too_long = p95(results) > LONGEST_P95_SECONDS
    return found + ([f"first minutes: replies of {p95(results):.1f} s"] if too_long else [])


def to_json(results: Sequence[Result]) -> dict[str, object]:
    return {
        "well": share(results, held_out=False),
        "well_held_out": share(results, held_out=True),
        "p95_seconds": round(p95(results), 2),
        "replies": [
            {
                "said": one.case.turns,
                "became": one.became,
                "reply": one.text,
                "seconds": round(one.seconds, 1),
            }
            for one in results
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--missed", action="store_true", help="show what was not answered well, of the seen half"
    )
    parser.add_argument("--replies", action="store_true", help="show every reply to the seen half")
    parser.add_argument(
        "--missed-held-out", action="store_true", help="the same for the half nobody tunes on"
    )
    given, _ = parser.parse_known_args()
    results = run_all([*read_first(SEEN), *read_first(HELD_OUT)])
    print(table(results))
    for one in results:
        failed = one.became is not Became.WELL
        shown = (
            failed and given.missed_held_out
            if one.case.held_out
            else given.replies or (failed and given.missed)
        )
        if shown:
            print(f"{one.became}: {' > '.join(one.case.turns)}\n    {one.seconds:.1f} s: {one.text}")
    missed = missed_bars(results)
    print(*missed, sep="\n", end="\n" if missed else "")
    folder = Path("eval-results")
    folder.mkdir(exist_ok=True)
    (folder / "first_minutes.json").write_text(json.dumps(to_json(results), indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
