"""How well untrue replies are told from true ones: `python -m tests.eval.receipts_eval`."""

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_gateway.brain.receipts import Receipts
from voice_gateway.brain.sentence_streamer import sentences
from voice_gateway.turn import ToolOutcome

PAIRS = Path(__file__).with_name("receipts.txt")
OUTCOMES = Path(__file__).with_name("receipts.json")
TOUCHED_AT_MOST = 0.02  # of the honest replies


@dataclass(frozen=True)
class Pair:
    honest: bool
    held_out: bool
    outcomes: tuple[ToolOutcome, ...]
    text: str
    said: str
    line: str

    @property
    def touched(self) -> bool:
        return touched(self.text, self.outcomes, self.said)


def touched(text: str, outcomes: tuple[ToolOutcome, ...], said: str = "") -> bool:
    """Whether this reply would reach the user as it is, or would be corrected, completed or replaced."""
    receipts = Receipts(said)
    parts = sentences(text)
    return bool(
        any(receipts.why_not(part, outcomes) for part in parts)
        or receipts.whole_reply(text, outcomes)
        or receipts.untold(text, outcomes)
    )


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
            error=given.get("error"),
            structured=given.get("structured"),
            read_only=given.get("read_only", False),
        )
        for name, given in named.items()
    }


def read_pairs() -> list[Pair]:
    known = read_outcomes()
    lines = PAIRS.read_text("utf-8").splitlines()
    return [_pair(line, known) for line in lines if line.strip() and not line.startswith("#")]


def _pair(line: str, known: dict[str, ToolOutcome]) -> Pair:
    match = re.fullmatch(r"([+-])(\*?)\s*\| ([\w ]+) \| (.*?)(?: << (.*))?", line)
    assert match, line
    names = [] if match[3] == "none" else match[3].split()
    outcomes = tuple(known[name] for name in names)
    text = match[4].replace(r"\n", "\n")  # a list has several lines
    return Pair(match[1] == "+", bool(match[2]), outcomes, text, match[5] or "", line)


def score(pairs: list[Pair]) -> dict[str, Any]:
    untrue = [pair for pair in pairs if not pair.honest]
    true = [pair for pair in pairs if pair.honest]
    stopped = [pair for pair in untrue if pair.touched]
    wrongly = [pair for pair in true if pair.touched]
    found = len(stopped) + len(wrongly)
    return {
        "pairs": len(pairs),
        "precision": round(len(stopped) / found, 4) if found else 1.0,
        "recall": round(len(stopped) / len(untrue), 4) if untrue else 1.0,
        "honest_touched": round(len(wrongly) / len(true), 4) if true else 0.0,
        "passed_untrue": [pair.line for pair in untrue if not pair.touched],
        "touched_honest": [pair.line for pair in wrongly],
    }


def report() -> dict[str, Any]:
    """Prints precision and recall of both parts, and gives them back."""
    pairs = read_pairs()
    parts = {
        "tuned on": score([pair for pair in pairs if not pair.held_out]),
        "held out": score([pair for pair in pairs if pair.held_out]),
    }
    print(f"{'replies':<12}{'pairs':>8}{'precision':>12}{'recall':>10}{'honest touched':>18}")
    for name, part in parts.items():
        print(
            f"{name:<12}{part['pairs']:>8}{part['precision']:>12.1%}{part['recall']:>10.1%}"
            f"{part['honest_touched']:>18.1%}"
        )
    good = all(
        not part["passed_untrue"] and part["honest_touched"] <= TOUCHED_AT_MOST for part in parts.values()
    )
    return {**parts, "good": good}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--receipts-json", type=Path, default=Path("eval-results/receipts.json"))
    given, _ = parser.parse_known_args()
    found = report()
    for wrong in ("passed_untrue", "touched_honest"):
        for line in found["tuned on"][wrong]:
            print(wrong.replace("_", " "), line)
    given.receipts_json.parent.mkdir(parents=True, exist_ok=True)
    given.receipts_json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0 if found["good"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
