"""What an outcome's status is: worked out in one place, and never better than what was said."""

from pathlib import Path

import pytest
import yaml

from voice_gateway.errors import ErrorKind
from voice_gateway.turn import Decision, ToolOutcome, Verdict
from voice_gateway.turn import OutcomeStatus as S

STATUSES = yaml.safe_load(Path(__file__).with_name("statuses.yaml").read_text())


def outcome(*, ok=True, word=None, decision="allowed", error=None, **facts):
    structured = {"outcome": word} if word is not None else None
    facts |= {"error": ErrorKind(error) if error else None, "verdict": Verdict(Decision(decision))}
    return ToolOutcome("1", "tool", "text", ok, 0.0, structured=structured, **facts)


def test_an_unknown_outcome_is_never_confirmed() -> None:
    assert [row for row in STATUSES if outcome(**row[0]).status != row[1]] == []


def test_every_word_of_the_zwave_server_is_known() -> None:
    from zwave_mcp.results import OUTCOMES

    assert {outcome(ok=False, word=word).status for word in OUTCOMES} <= set(S)
    assert set(OUTCOMES) <= {status.value for status in S}


@pytest.mark.parametrize("error", [ErrorKind.UNKNOWN_TOOL, ErrorKind.BAD_ARGUMENTS])
def test_a_call_that_was_never_made_did_not_run(error: ErrorKind) -> None:
    assert not outcome(ok=False, error=error).ran
    assert not outcome(ok=False, decision="ask").ran
    assert outcome(ok=False, error=ErrorKind.TIMEOUT).ran
