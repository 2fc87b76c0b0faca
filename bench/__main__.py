"""`python -m bench [PART …] [--passes N]`: every part, one table each, and JSON in `bench/results/`.

How a part is written (see `bench/executor.py` for one):

- `bench/PART.py` has `run(passes: int) -> list[Row]` (`Row` of `bench/table.py`), and stands in PARTS below.
- What is timed runs in a process of its own: `bench/contestants/NAME.py` measures one thing and calls
  `serve(measure)` or `serve_async(measure)` of `bench/worker.py`, where `measure()` returns a flat dict of
  numbers for one pass (a second or less). Contestants of others run in `.venv-bench`, ours in `.venv`.
- The part starts them with `Contestant(OURS or THEIRS, "NAME", *arguments)` and hands them to
  `alternate({...}, passes)` of `bench/driver.py`: they measure in turns, in random order, in one run. What
  comes back is the median of each figure; the first pass only warms up.
- A row's limit bounds ours/theirs, or our own figure where there is no contestant.

It exits with 1 when a promise is missed.
"""

import argparse
import importlib
import sys

from bench.driver import ROOT
from bench.table import save, show

PARTS = (
    "executor",
    "mcp_stdio",
    "lookup",
    "imports",
    "memory",
    "zwave",
    "home_assistant",
    "gateway",
    "web",
    "routines",
    "recorder",
    "understanding",
    "voice_hearing",
    "voice_latency",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Timings, side by side with what others do."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--passes", type=int, default=9, help="turns of every contestant (default 9)")
    wanted = parser.parse_args()
    if unknown := set(wanted.parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}")
    missed = 0
    for part in wanted.parts or PARTS:
        print(f"\n{part}", flush=True)
        rows = importlib.import_module(f"bench.{part}").run(wanted.passes)
        show(rows)
        print(f"→ {save(part, rows).relative_to(ROOT)}", flush=True)
        missed += sum(not row.ok for row in rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
