"""Start the contestants, let them measure in turns, and compare the medians of all passes."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
OURS = sys.executable
THEIRS = str(ROOT / ".venv-bench" / "bin" / "python")  # made by scripts/bench-env


class Contestant:
    """A script of `bench/contestants` in one of the two interpreters."""

    def __init__(
        self, python: str, script: str, *arguments: str, env: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [python, "-m", f"bench.contestants.{script}", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.passes: list[dict[str, float]] = []

    def measure(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print("pass", file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended with {self._process.wait()}")
        self.passes.append(json.loads(line))

    def figures(self) -> dict[str, float]:
        """The median over all passes; the first is left out, it warms up."""
        kept = self.passes[1:]
        return {key: median(one[key] for one in kept) for key in kept[0]}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def alternate(contestants: Mapping[str, Contestant], passes: int) -> dict[str, dict[str, float]]:
    """Every contestant measures once per pass, in random order, so that a busy machine is fair to all."""
    order = list(contestants.values())
    for _ in range(passes + 1):
        random.shuffle(order)
        for contestant in order:
            contestant.measure()
    return {name: contestant.figures() for name, contestant in contestants.items()}
