"""What an outcome's status is: worked out in one place, and never better than what was said."""

import pytest

from voice_gateway.errors import ErrorKind
from voice_gateway.turn import Decision, OutcomeStatus, ToolOutcome, Verdict
from voice_gateway.turn import OutcomeStatus as S


def outcome(*, ok=True, word=None, **facts):
    structured = {"outcome": word} if word is not None else None
    return ToolOutcome("1", "tool", "text", ok, 0.0, structured=structured, **facts)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (outcome(), S.CONFIRMED),
        (outcome(read_only=True), S.READ),
        (outcome(word="confirmed", read_only=True), S.READ),
        (outcome(word="confirmed"), S.CONFIRMED),
        (outcome(word="working"), S.WORKING),
        (outcome(word="queued"), S.QUEUED),
        (outcome(word="success"), S.UNCONFIRMED),  # a foreign word is no proof
        (outcome(word=["confirmed"]), S.CONFIRMED),  # no word at all: then the tool's own success counts
        (outcome(word="failed"), S.FAILED),  # a server that contradicts itself has not done it
        (outcome(word="waiting"), S.UNCONFIRMED),  # only our own gate can make a call wait
        (outcome(word="read"), S.UNCONFIRMED),
        (outcome(ok=False), S.FAILED),
        (outcome(ok=False, word="confirmed"), S.FAILED),
        (outcome(ok=False, word="gone fishing", error=ErrorKind.FAILED), S.FAILED),
        (outcome(ok=False, word="unreachable", error=ErrorKind.UNAVAILABLE), S.UNREACHABLE),
        (outcome(ok=False, word="ambiguous", error=ErrorKind.FAILED), S.AMBIGUOUS),
        (outcome(ok=False, word="waiting", error=ErrorKind.FAILED), S.FAILED),
        (outcome(ok=False, error=ErrorKind.UNAVAILABLE), S.SYSTEM_DOWN),
        (outcome(ok=False, error=ErrorKind.BAD_ARGUMENTS), S.INVALID),
        (outcome(ok=False, error=ErrorKind.UNKNOWN_TOOL), S.UNSUPPORTED),
        (outcome(ok=False, error=ErrorKind.TIMEOUT), S.UNCONFIRMED),  # it may still happen
        (outcome(ok=False, error=ErrorKind.TIMEOUT, read_only=True), S.FAILED),
        (outcome(ok=False, verdict=Verdict(Decision.ASK)), S.WAITING),
        (outcome(ok=False, verdict=Verdict(Decision.REFUSED)), S.NOT_PERMITTED),
    ],
)
def test_an_unknown_outcome_is_never_confirmed(given: ToolOutcome, status: OutcomeStatus) -> None:
    assert given.status is status


def test_every_word_of_the_zwave_server_is_known() -> None:
    from zwave_mcp.results import OUTCOMES

    assert {outcome(ok=False, word=word).status for word in OUTCOMES} <= set(S)
    assert set(OUTCOMES) <= {status.value for status in S}


@pytest.mark.parametrize("error", [ErrorKind.UNKNOWN_TOOL, ErrorKind.BAD_ARGUMENTS])
def test_a_call_that_was_never_made_did_not_run(error: ErrorKind) -> None:
    assert not outcome(ok=False, error=error).ran
    assert not outcome(ok=False, verdict=Verdict(Decision.ASK)).ran
    assert outcome(ok=False, error=ErrorKind.TIMEOUT).ran
