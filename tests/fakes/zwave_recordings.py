"""The recorded traffic of Z-Wave JS UI: what was asked, what was answered, how long it took."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "zwave_data"
MODES = sorted(
    path.name.removesuffix("_retained.jsonl") for path in (FOLDER / "modes").glob("*_retained.jsonl")
)
GATEWAY = "ZWAVE_GATEWAY-Home_Gateway"


@dataclass(frozen=True)
class Exchange:
    api: str
    args: Any
    answer: dict[str, Any]
    seconds: float


def lines(name: str) -> Iterator[dict[str, Any]]:
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        if "topic" in record:
            yield record


@cache
def exchanges() -> tuple[Exchange, ...]:
    """Every question with its answer. Answers repeat their question, so they are matched by it."""
    matches = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        asked: list[tuple[str, Any, int]] = []
        for record in lines(path.name):
            _, _, api = record["topic"].partition(f"_CLIENTS/{GATEWAY}/api/")
            if api.endswith("/set"):
                asked.append((api.removesuffix("/set"), json.loads(record["payload"]), record["t"]))
            elif api:
                answer = json.loads(record["payload"])
                same = [q for q in asked if q[0] == api]  # the gateway adds to the arguments of some calls
                question = next((q for q in same if q[1] == answer["origin"]), same[0])
                asked.remove(question)
                matches.append(Exchange(api, question[1]["args"], answer, (record["t"] - question[2]) / 1000))
    return tuple(matches)


@cache
def _nodes_text() -> str:
    return (FOLDER / "getNodes.json").read_text(encoding="utf-8")


def nodes() -> list[dict[str, Any]]:
    """A fresh copy of the recorded `getNodes` result."""
    result: list[dict[str, Any]] = json.loads(_nodes_text())["result"]
    return result


def recorded(api: str, args: Any) -> Exchange | None:
    """What was answered to this very question, the first time."""
    return next((exchange for exchange in exchanges() if (exchange.api, exchange.args) == (api, args)), None)
