"""`make eval` draws from every template; here from a few of them, always the same."""

from collections import Counter

from tests.eval.sampled import sample


async def test_what_is_drawn_means_what_its_template_says_and_words_around_it_keep_it_from_acting() -> None:
    by_intent, table, missed, acting = await sample(every=25)

    total = sum(by_intent.values(), Counter[str]())
    assert not acting
    assert not total["wrong"], missed
    assert total["right"] >= 0.97 * total.total(), missed
    assert table["own orders that act"] > 3
