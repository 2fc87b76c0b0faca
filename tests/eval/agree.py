"""The old front end and the grammar on the same sentences: `python -m tests.eval.agree [--other] [--passed]`.

Sentences of the seen evaluation files and of the unit tests, in two homes, without context. Deleted with the
old front end.
"""

import ast
import asyncio
import logging
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.eval.homes import HOMES
from tests.eval.judge import plain_or_raw
from tests.fakes.home_tools import manager_for

from voice_gateway.brain.local.meaning import Request
from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.understanding.stage import GrammarBrain

HERE = Path(__file__).parent
FOLDERS = ("unit", "gateway", "spec")
SENTENCE = re.compile(r"[A-Za-z0-9 ,.'?!%°:-]+")


def sentences() -> dict[str, str]:
    """Each sentence with the file that it is from; nothing that is held out."""
    found: dict[str, str] = {}
    for file in sorted(HERE.glob("*.txt")):
        if "held_out" in file.name or file.name in ("grounding.txt", "first_minutes.txt"):
            continue
        for line in file.read_text("utf-8").splitlines():
            parts = line.split(" | ")
            if len(parts) < 2 or line.startswith(("#", "*", "=")):
                continue
            said = parts[2] if file.name == "later.txt" else parts[1]
            for turn in re.sub(r"^\s*(?:\{[^}]*\})?\s*(?:@(?:[A-Z]\w+ ?)+)?", "", said).split(">>"):
                found.setdefault(turn.strip(), file.name)
    for folder in FOLDERS:
        for file in sorted((HERE.parent / folder).rglob("*.py")):
            for said in _in_code(file):
                found.setdefault(said, folder)
    found.pop("", None)
    return found


def _in_code(file: Path) -> list[str]:
    tree = ast.parse(file.read_text("utf-8"))
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [
        said
        for one in words
        if isinstance(one, str) and 2 <= len((said := one.strip()).split()) <= 20
        if SENTENCE.fullmatch(said) and (said[0].islower() or said.endswith("?")) and not said.endswith(".")
    ]


def _calls(requests: tuple[Request, ...]) -> Any:
    return tuple(sorted(repr(plain_or_raw(one.tool, dict(one.args))) for one in requests))


def _was(brain: LocalBrain, said: str) -> tuple[str, Any]:
    understood = brain.understand(said)
    if understood.clarification is not None or understood.asks:
        return "asks", None
    if understood.not_handled is not None:
        return "passes", None
    acts = any(step.acts for step in understood.steps)
    return "acts" if acts else "looks", _calls(understood.requests)


def _now(brain: GrammarBrain, said: str) -> tuple[str, Any]:
    understood = brain.read(said)
    if understood.question is not None:
        return "asks", None
    if understood.refused is not None:
        return "passes", str(understood.refused)
    requests = tuple(request for step in understood.steps for request in step.requests)
    return "acts" if understood.acts else "looks", _calls(requests)


async def compare() -> list[tuple[str, str, tuple[str, Any], tuple[str, Any], float]]:
    rows = []
    for make in HOMES.values():
        executor = ToolExecutor(manager_for(make()))
        old, new = LocalBrain(executor, BrainSettings()), GrammarBrain(executor, BrainSettings())
        await old.refresh()
        await new.refresh()
        for said, file in sentences().items():
            was = _was(old, said)
            began = time.perf_counter()
            rows.append((said, file, was, _now(new, said), time.perf_counter() - began))
    return rows


def verdict(was: tuple[str, Any], now: tuple[str, Any]) -> str:
    if was[0] == now[0] and (was[0] in ("asks", "passes") or was[1] == now[1]):
        return "same"
    return "other" if now[0] in ("acts", "looks") else now[0]


def main() -> None:
    logging.disable(logging.CRITICAL)
    rows = asyncio.run(compare())
    table = Counter((was[0], verdict(was, now)) for _, _, was, now, _ in rows)
    print(f"{len(rows)} sentences in {len(HOMES)} homes; the old front end: the grammar")
    for kind in ("acts", "looks", "asks", "passes"):
        total = sum(number for (was, _), number in table.items() if was == kind)
        cells = ", ".join(f"{what} {number}" for (was, what), number in sorted(table.items()) if was == kind)
        print(f"  {kind:8} {total:6}: {cells}")
    times = sorted(seconds * 1000 for *_, seconds in rows)
    print(f"milliseconds: median {times[len(times) // 2]:.2f}, p95 {times[int(len(times) * 0.95)]:.2f}")
    for said, file, was, now, _ in rows:
        other = now[0] == "acts" and verdict(was, now) == "other"
        if (other and "--other" in sys.argv) or (was[0] == "acts" != now[0] and "--passed" in sys.argv):
            print(f"{file}: {said}\n    was {was}\n    now {now}")


if __name__ == "__main__":
    main()
