"""The bars of the evaluation: no wrong action at all, and enough that is right."""

from tests.eval.cases import read_cases
from tests.eval.run import BARS, run, share, table
from tests.eval.run import SIMPLE as SIMPLE_CATEGORIES


async def test_the_local_brain_clears_its_bars_on_both_parts() -> None:
    cases = read_cases()
    assert len(cases) >= 300
    assert sum(case.held_out for case in cases) * 3 >= len(cases)

    verdicts = await run(cases)

    assert [verdict.case.line for verdict in verdicts if verdict.wrong_action] == []
    for part in (False, True):
        mine = [verdict for verdict in verdicts if verdict.case.held_out is part]
        simple = [verdict for verdict in mine if verdict.case.category in SIMPLE_CATEGORIES]
        assert share(simple) >= BARS["simple"], table(verdicts)
        assert share(mine) >= BARS["all"], table(verdicts)
