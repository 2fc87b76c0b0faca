"""True replies under the outcome of something else: untrue ones that nobody wrote to be caught."""

from tests.eval.receipts_eval import Pair, read_outcomes, read_pairs, touched

from voice_gateway.brain.receipts_facts import Status, facts_of, status_of
from voice_gateway.brain.receipts_words import KINDS, is_thing, plain, singular, words_of
from voice_gateway.turn import ToolOutcome

KNOWN = read_outcomes()
STOPPED_AT_LEAST = 0.98  # the rest may be meant: a switch of which nobody knows what it switches


def told_of_another(pair: Pair, other: ToolOutcome) -> bool:
    """Whether the reply names a thing, of a kind that the other outcome has nothing to do with."""
    own, seen = facts_of(pair.outcomes[0]), facts_of(other)
    if not (own and seen):
        return False
    said = {singular(word.text) for word in words_of(plain(pair.text))}
    named = {word for word in said if is_thing(word) and any(word in fact.words for fact in own)}
    strange = {word for word in named if not any(word in fact.words for fact in seen)}
    kinds = {KINDS.get(word) for word in strange}
    return bool(strange) and not any(kinds & fact.kinds for fact in seen)


def test_what_is_true_of_one_thing_is_not_said_of_another() -> None:
    swapped = [
        (pair, other)
        for pair in read_pairs()[::6]
        if pair.honest and len(pair.outcomes) == 1
        for other in KNOWN.values()
        if status_of(other) is status_of(pair.outcomes[0]) and status_of(other) in {Status.DONE, Status.READ}
        if told_of_another(pair, other)
    ]
    passed = [
        (pair.line, other.call_id) for pair, other in swapped if not touched(pair.text, (other,), pair.said)
    ]

    assert len(swapped) > 700
    assert len(passed) <= len(swapped) * (1 - STOPPED_AT_LEAST), passed


def test_what_was_done_on_an_order_is_not_said_when_nothing_was() -> None:
    ordered = [
        pair
        for pair in read_pairs()
        if pair.honest and pair.said and {status_of(one) for one in pair.outcomes} == {Status.DONE}
    ]
    passed = [pair.line for pair in ordered if not touched(pair.text, (), pair.said)]

    assert len(ordered) > 100
    assert len(passed) <= len(ordered) * (1 - STOPPED_AT_LEAST), passed
