"""One row per promise: what was measured, against whom, and whether the promise holds."""

import json
import platform
import time
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """`limit` bounds ours/theirs where there is a contestant, else our own figure.

    Where our figure is a difference, `total` is the whole from which something was taken off.
    """

    what: str
    ours: float
    unit: str
    limit: float
    theirs: float | None = None
    against: str = ""
    total: float | None = None

    @property
    def reached(self) -> float:
        return self.ours / self.theirs if self.theirs else self.ours

    @property
    def ok(self) -> bool:
        return self.reached <= self.limit

    def cells(self) -> tuple[str, ...]:
        ours = f"{self.ours:.4g} {self.unit}"
        if self.total is not None:
            ours = f"{ours} (of {self.total:.4g})"
        if self.theirs is None:
            return self.what, ours, "", "", f"≤ {self.limit:g} {self.unit}", _mark(self.ok)
        times = f"1/{self.theirs / self.ours:.1f}" if self.ours < self.theirs else f"{self.reached:.2f}"
        limit = f"≤ {self.limit:.2f}" if self.limit > 0.5 else f"≤ 1/{1 / self.limit:.0f}"
        theirs = f"{self.theirs:.4g} {self.unit} ({self.against})"
        return self.what, ours, theirs, times, limit, _mark(self.ok)


def _mark(ok: bool) -> str:
    return "ok" if ok else "MISSED"


def show(rows: list[Row]) -> None:
    lines = [("what", "ours", "theirs", "ratio", "must reach", ""), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for number, line in enumerate(lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths).rstrip())


def save(part: str, rows: list[Row]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{part}.json"
    facts = {
        "part": part,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "rows": [{**asdict(row), "reached": row.reached, "ok": row.ok} for row in rows],
    }
    path.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    return path
