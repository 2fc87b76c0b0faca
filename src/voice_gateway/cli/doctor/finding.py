"""What a check of the doctor says: how it went, in the words of `problems/`, and what to do."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum

from voice_gateway.errors import GatewayError
from voice_gateway.problems.catalogue import problem_of
from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import without_promise


class Grade(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor, as `--json` has it."""

    check: str
    verdict: Grade
    text: str
    advice: str = ""


CheckResults = AsyncIterator[CheckResult]


def ok(check: str, text: str) -> CheckResult:
    return CheckResult(check, Grade.OK, text)


def bad(
    check: str, problem: Problem, sentence: str, reason: object = "", grade: Grade = Grade.FAILED
) -> CheckResult:
    """As the part says it, and as the page explains it. Only the doctor does not keep trying."""
    text = without_promise(sentence)
    if reason:
        text = f"{text.removesuffix('.')}: {reason}"
    return CheckResult(check, grade, text, problem.advice)


def by_error(check: str, error: GatewayError) -> CheckResult:
    """An error's own sentence leads to its row; one without a row says itself what to do."""
    problem = problem_of(error.spoken)
    if problem is None:
        return CheckResult(check, Grade.FAILED, error.spoken, str(error))
    return bad(check, problem, error.spoken, error)
