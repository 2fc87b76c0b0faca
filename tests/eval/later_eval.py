"""Sentences for later and for whenever: the right trigger, time and calls, and nothing done now."""

import argparse
import asyncio
import json
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from zoneinfo import ZoneInfo

from langchain_core.tools import StructuredTool
from tests.fakes.home_talk import HomeTalk

from voice_gateway.config import BrainSettings
from voice_gateway.integrations.home import Request
from voice_gateway.routines.model import MAKE, Condition, Event, Every, Later, Once
from voice_gateway.routines.schedule import Place
from voice_gateway.understanding.interpreter import Understood
from voice_gateway.understanding.stage import UnderstandingStage

FOLDER = Path(__file__).parent
ZONE = ZoneInfo("Europe/Berlin")
PLACE = Place(ZONE, 52.5, 13.4)
NOWS = {
    "A": datetime(2026, 11, 16, 12, 0, tzinfo=ZONE),  # a Monday
    "B": datetime(2026, 11, 16, 23, 50, tzinfo=ZONE),  # before midnight
    "C": datetime(2026, 3, 28, 20, 0, tzinfo=ZONE),  # the clocks go forward in the night
    "D": datetime(2026, 10, 24, 20, 0, tzinfo=ZONE),  # they go back
    "E": datetime(2026, 1, 31, 10, 0, tzinfo=ZONE),  # the end of a month
}
TIMERS = (
    "list_routines", "cancel_routine", "set_timer", "list_timers", "cancel_timer", "extend_timer",
    "pause_timer",
)  # fmt: skip
BARS = {"simple": 0.98, "all": 0.965}  # of both halves together, just below what is measured


@dataclass(frozen=True)
class Case:
    simple: bool
    now: datetime
    said: str
    when: str
    what: str
    held_out: bool


def read_later_cases() -> list[Case]:
    return [*read_cases("later.txt"), *read_cases("later_held_out.txt", held_out=True)]


def read_cases(name: str | Path, *, held_out: bool = False) -> Iterator[Case]:
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, now, said, when, what = (part.strip() for part in line.split(" | "))
            yield Case(kind == "s", NOWS[now].astimezone(UTC), said, when, what, held_out)


async def _brain(moment: list[datetime]) -> UnderstandingStage:
    async def nothing() -> str:
        return ""

    tools = [
        StructuredTool(name=name, description=name, args_schema={"type": "object"}, coroutine=nothing)
        for name in (
            MAKE,
            "list_routines",
            "cancel_routine",
            "set_timer",
            "list_timers",
            "cancel_timer",
            "extend_timer",
            "pause_timer",
        )
    ]

    def now() -> float:
        return moment[0].timestamp()

    talk = HomeTalk(resources.files("zwave_mcp").joinpath("default_home.toml").read_text("utf-8"), more=tools)
    brain = UnderstandingStage(talk.executor, BrainSettings(), now=now, place=PLACE)
    await brain.cache.refresh()
    return brain


def judged(case: Case, understood: Understood, brain: UnderstandingStage) -> str:
    """ "right", "other" or "now"."""
    keeps = [one for step in understood.steps for one in step.requests if one.tool == MAKE]
    acting = [one for step in understood.steps if step.acts for one in step.requests if one.tool != MAKE]
    back = next((step for step in understood.steps if step.back), None)
    if acting and back is None:
        return "now"
    if case.when == "-":
        return "other" if keeps or back else "right"
    if back is not None:
        when, calls = back.back, [_call(one) for one in acting]
    elif keeps:
        when = str(keeps[0].args["when"])
        calls = [_words(one) for one in json.loads(str(keeps[0].args.get("calls", "[]")))]
        calls = calls or ["say"]
    else:
        return "other"
    later = brain.when(when, None, PLACE)
    right = isinstance(later, Later) and _shown(later, case.now) == case.when
    return "right" if right and sorted(calls) == sorted(case.what.split(", ")) else "other"


def _call(request: Request) -> str:
    return _words({"args": dict(request.args)})


def _words(call: dict) -> str:
    args = call["args"]
    value = args.get("level", args.get("temperature"))
    parts = (args.get("deviceName"), args.get("action"), None if value is None else f"{float(value):g}")
    return " ".join(str(part) for part in parts if part)


def _shown(later: Later, now: datetime) -> str:
    """As the files have it."""
    trigger, back = later.trigger, "back" if later.back else ""
    if isinstance(trigger, Once):
        if trigger.seconds is not None:
            seconds = round((trigger.at - now).total_seconds())
            return f"{back}+{seconds}" if seconds == trigger.seconds else "wrong"
        return f"{back} {trigger.at.astimezone(ZONE):%Y-%m-%d %H:%M}".strip()
    if isinstance(trigger, Every):
        return trigger.rrule
    if isinstance(trigger, Event):
        held = f"/{trigger.seconds:g}" if trigger.seconds else ""
        return f"{trigger.device}={trigger.becomes}{held}{_condition(later.condition)}"
    return f"{trigger.event}{trigger.offset_seconds:+d}{' once' if trigger.once else ''}"


def _condition(condition: Condition | None) -> str:
    if condition is None:
        return ""
    days = "".join(map(str, condition.weekdays))
    hours = f"{condition.after}-{condition.before}" if condition.after or condition.before else ""
    return f" if {days}{hours}".rstrip()


async def results() -> list[tuple[Case, str]]:
    moment = [NOWS["A"]]
    brain = await _brain(moment)
    found = []
    for case in read_later_cases():
        moment[0] = case.now
        found.append((case, judged(case, brain.read(case.said), brain)))
    return found


def main(*, missed: bool = False) -> int:
    """1 when a bar is missed."""
    found = asyncio.run(results())
    failed = any(verdict == "now" for _, verdict in found)
    print(f"{'for later and whenever':<32}{'right':>8}{'other':>8}{'now':>8}")
    for name, halves in (("tuned on", (False,)), ("held out", (True,)), ("both", (False, True))):
        for sort in BARS:
            cases = [pair for pair in found if pair[0].held_out in halves]
            chosen = [verdict for case, verdict in cases if sort == "all" or case.simple]
            counts = Counter(chosen)
            print(f"{f'{name}, {sort}':<32}{counts['right']:>8}{counts['other']:>8}{counts['now']:>8}")
            failed |= len(halves) > 1 and counts["right"] < BARS[sort] * len(chosen)
    for case, verdict in found if missed else ():
        if verdict != "right" and not case.held_out:
            print(f"{verdict}: {case.said}")
    return int(failed)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    parser = argparse.ArgumentParser()
    parser.add_argument("--missed", action="store_true", help="show what is missed of the seen half")
    raise SystemExit(main(missed=parser.parse_args().missed))
