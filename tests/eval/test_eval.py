"""The bars of the evaluation: no wrong action at all, and enough that is right."""

from tests.eval.cases import read_cases
from tests.eval.run import missed_bars, run, table


async def test_the_local_brain_clears_its_bars_on_both_parts() -> None:
    cases = read_cases()
    assert len(cases) >= 1_000, "they are found at all"
    assert sum(case.held_out for case in cases) * 3 >= len(cases)

    verdicts = await run(cases)

    assert [verdict.case.line for verdict in verdicts if verdict.wrong_action] == []
    assert missed_bars(verdicts) == [], table(verdicts)
