"""One call of a tool: what is answered and what is sent, row by row in calls.yaml."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from tests.fakes import scripted_home

from zwave_mcp.home import GatewayError, HomeDown, NoAnswer, Node, NotUnderstood, WriteResult
from zwave_mcp.tools import Tools

GROUPS = yaml.safe_load(Path(__file__).with_name("calls.yaml").read_text(encoding="utf-8"))
ANSWERS: Mapping[str, Any] = {
    "refused": GatewayError("The node did not acknowledge the command (ZW0204)"),
    "no answer": NoAnswer("silence"),
    "not understood": NotUnderstood(),
    "down": HomeDown("It is away."),
    "lost": HomeDown("It is away.", sent=True),
    "huge": 10**400,
}


FACTS = ("state", "before", "undo", "requested", "notConfirmed")


def node_of(number: int, device: Mapping[str, Any]) -> Node:
    """A node from `{dimmer: Lamp, level: 40}`, made by the function of that name."""
    (kind, name), *more = device.items()
    node: Node = getattr(scripted_home, kind)(number, name, **dict(more))
    return node


def written(answer: Any) -> WriteResult | Exception:
    if isinstance(answer, Mapping):
        return WriteResult(**answer)
    return ANSWERS[answer] if answer in ANSWERS else WriteResult(answer)


def answered(value: Any) -> Any:
    return ANSWERS.get(value, value) if isinstance(value, str) else value


def home_of(case: Mapping[str, Any]) -> scripted_home.ScriptedHome:
    nodes, after = (
        tuple(node_of(at, device) for at, device in enumerate(case.get(key, ()), start=2))
        for key in ("home", "after")
    )
    home = scripted_home.ScriptedHome(*nodes)
    home.timing = replace(scripted_home.QUICK, **case.get("timing", {}))
    home.written, home.after_write, home.alive = written(case.get("written", 255)), after, "alive" in case
    home.polled = list(map(answered, case.get("polled", [None])))
    home.told = {value_id: answered(value) for value_id, value in case.get("told", {}).items()}
    return home


def differs(row: Mapping[str, Any], home: scripted_home.ScriptedHome, sentence: str, facts: Any) -> list[Any]:
    """What is not as the row says. Without `sent`, nothing may be sent."""
    sent = row.get("sent", [])
    values = dict(home.sent) if isinstance(sent, dict) else [value for _, value in home.sent]
    checks = [
        ("sent", values, sent if sent != "any" else values),
        ("outcome", facts["outcome"], row["outcome"]),
    ]
    checks += [(key, facts.get(key), row[key]) for key in FACTS if key in row]
    checks += [("reply", sentence, row["reply"])] if "reply" in row else []
    checks += [("options", home.options, [row["options"]])] if "options" in row else []
    if "candidates" in row:
        checks.append(("candidates", [hit["name"] for hit in facts.get("candidates", ())], row["candidates"]))
    wrong: list[Any] = [check for check in checks if check[1] != check[2]]
    return wrong if row.get("words", "") in sentence else [*wrong, ("words", sentence, row["words"])]


async def test_every_call_is_answered_as_its_row_says() -> None:
    wrong = []
    for group in GROUPS:
        for number, row in enumerate(group["rows"], start=1):
            case = {**group, **row}
            home = home_of(case)
            answer = await Tools(home, allow_unlock=True).call(case["tool"], case["with"])
            good = case["outcome"] in ("confirmed", "working", "queued")
            odd = differs(case, home, answer.sentence, answer.structured)
            if odd or answer.is_error is good:
                wrong.append((group["what"], case.get("why", number), *odd))
    assert not wrong, "\n".join(map(str, wrong))
