"""One call of a tool: what is answered and what is sent, row by row in calls.yaml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from tests.fakes import scripted_home

from zwave_mcp.home import Node, WriteResult
from zwave_mcp.tools import Tools

GROUPS = yaml.safe_load(Path(__file__).with_name("calls.yaml").read_text(encoding="utf-8"))


def node_of(number: int, device: Mapping[str, Any]) -> Node:
    """A node from `{dimmer: Lamp, level: 40}`, made by the function of that name."""
    (kind, name), *more = device.items()
    node: Node = getattr(scripted_home, kind)(number, name, **dict(more))
    return node


def differs(row: Mapping[str, Any], home: scripted_home.ScriptedHome, sentence: str, facts: Any) -> list[Any]:
    """What is not as the row says. Without `sent`, nothing may be sent."""
    sent = row.get("sent", [])
    values = dict(home.sent) if isinstance(sent, dict) else [value for _, value in home.sent]
    checks = [("sent", values, sent), ("outcome", facts["outcome"], row["outcome"])]
    checks += [(key, facts.get(key), row[key]) for key in ("state", "before", "undo") if key in row]
    checks += [("reply", sentence, row["reply"])] if "reply" in row else []
    if "candidates" in row:
        checks.append(("candidates", [hit["name"] for hit in facts.get("candidates", ())], row["candidates"]))
    wrong: list[Any] = [check for check in checks if check[1] != check[2]]
    return wrong if row.get("words", "") in sentence else [*wrong, ("words", sentence, row["words"])]


async def test_every_call_is_answered_as_its_row_says() -> None:
    wrong = []
    for group in GROUPS:
        for number, row in enumerate(group["rows"], start=1):
            case = {**group, **row}
            home = scripted_home.ScriptedHome(
                *(node_of(at, it) for at, it in enumerate(case["home"], start=2))
            )
            home.written, home.polled = (
                WriteResult(case.get("written", 255)),
                list(case.get("polled", [None])),
            )
            answer = await Tools(home, allow_unlock=True).call(case["tool"], case["with"])
            good = case["outcome"] in ("confirmed", "working", "queued")
            found = differs(case, home, answer.sentence, answer.structured)
            if found or answer.is_error is good:
                wrong.append((group["what"], number, *found))
    assert not wrong, "\n".join(map(str, wrong))
