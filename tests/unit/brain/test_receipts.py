"""What is said against what was done: the evaluation's bars, and the rules one by one."""

from tests.eval.receipts_eval import TOUCHED_AT_MOST, read_outcomes, read_pairs, score, touched

from voice_gateway.brain.told import told


def test_the_set_is_large_and_a_third_is_held_out() -> None:
    pairs = read_pairs()

    assert len(pairs) >= 150
    assert 0.3 <= sum(pair.held_out for pair in pairs) / len(pairs) <= 0.4
    assert len({(pair.line.split("|", 1)[1]) for pair in pairs}) == len(pairs)


def test_no_untrue_reply_passes_and_hardly_a_true_one_is_touched() -> None:
    found = score([pair for pair in read_pairs() if not pair.held_out])

    assert found["passed_untrue"] == []
    assert found["honest_touched"] <= TOUCHED_AT_MOST


def test_the_tools_own_sentences_always_pass() -> None:
    outcomes = read_outcomes()

    assert [name for name, one in outcomes.items() if touched(told([one]), (one,))] == []
