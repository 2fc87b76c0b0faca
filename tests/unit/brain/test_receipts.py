"""What is said against what was done: the evaluation's bars, and what must hold of any text."""

from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from tests.eval.receipts_eval import TOUCHED_AT_MOST, read_outcomes, read_pairs, score, touched

from voice_gateway.brain.receipts import Receipts, topics_of
from voice_gateway.brain.receipts_claims import claims_in
from voice_gateway.brain.receipts_facts import Status, status_of
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.brain.sentence_streamer import sentences
from voice_gateway.turn import ToolOutcome, ToolTraits

KNOWN = read_outcomes()


def test_the_set_is_large_and_a_third_or_more_is_held_out() -> None:
    pairs = read_pairs()

    assert len(pairs) >= 150
    assert sum(pair.held_out for pair in pairs) * 3 >= len(pairs)
    assert len({pair.line.split("|", 1)[1] for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("held_out", [False, True])
def test_no_untrue_reply_passes_and_hardly_a_true_one_is_touched(held_out: bool) -> None:
    found = score([pair for pair in read_pairs() if pair.held_out is held_out])

    assert found["passed_untrue"] == []
    assert found["honest_touched"] <= TOUCHED_AT_MOST


def test_the_tools_own_sentences_always_pass() -> None:
    assert [name for name, one in KNOWN.items() if touched(render_outcomes([one]), (one,))] == []


@pytest.mark.parametrize("name", [name for name, one in KNOWN.items() if status_of(one) is not Status.DONE])
def test_only_a_confirmed_action_is_a_receipt(name: str) -> None:
    assert Receipts().why_not("Done, I've turned it on.", [KNOWN[name]]) is not None
    looked = status_of(KNOWN[name]) is Status.READ
    assert looked or Receipts().why_not("Done.", [KNOWN["lamp_on"], KNOWN[name]]) is not None


def test_every_honest_claim_is_stopped_when_it_was_not_done() -> None:
    """The same words with another outcome: nothing, only a look at something else, or a failure."""
    told_truly = [
        pair
        for pair in read_pairs()
        if pair.honest
        and [status_of(one) for one in pair.outcomes] == [Status.DONE]
        and any(claims_in(part) for part in sentences(pair.text))
    ]
    others = [(), (KNOWN["clock"],), *((one,) for one in KNOWN.values() if status_of(one) is Status.FAILED)]

    assert len(told_truly) > 100
    for pair in told_truly:
        passed = [other for other in others if not touched(pair.text, other, pair.said)]
        assert passed == [], pair.line


def test_a_later_attempt_counts_and_a_later_look_proves() -> None:
    failed, done, unsure = KNOWN["lamp_failed"], KNOWN["lamp_on"], KNOWN["lamp_unconfirmed"]
    claim = "I've turned on the floor lamp."

    assert not touched(claim, (failed, done))
    assert touched(claim, (unsure,))
    assert not touched(claim + " It was not confirmed at first.", (unsure, KNOWN["sees_lamp_on"]))
    assert touched(claim, (unsure, KNOWN["sees_lamp_off"]))
    assert touched("The floor lamp is on.", (done, KNOWN["lamp_off"]))


def test_what_was_left_out_is_told() -> None:
    receipts = Receipts("turn off the heater and the floor lamp")
    outcomes = [KNOWN["heater_off"], KNOWN["lamp_dead"]]

    assert receipts.untold("The heater is off.", outcomes) == [KNOWN["lamp_dead"]]
    assert receipts.untold("I could not reach the floor lamp.", outcomes) == [KNOWN["heater_off"]]
    assert receipts.untold("The heater is off, but the floor lamp does not answer.", outcomes) == []


def test_a_joke_that_was_asked_for_stays_and_what_was_done_is_told_too() -> None:
    joke = "Why did the chicken cross the road? To get to the other side."
    asked = Receipts("turn on the floor lamp and tell me a joke")

    assert asked.whole_reply(joke, [KNOWN["lamp_on"]]) is None
    assert asked.untold(joke, [KNOWN["lamp_on"]]) == [KNOWN["lamp_on"]]
    assert Receipts("turn on the floor lamp").whole_reply(joke, [KNOWN["lamp_on"]]) == "subject"


def test_a_state_may_come_from_memory_only_where_nobody_could_look() -> None:
    claims = [
        "The lamp is on.",
        "It is 10:30.",
        "The volume is at 30 percent.",
        "You have no timers running.",
    ]

    assert [Receipts(topics=frozenset()).why_not(claim, []) for claim in claims] == [None] * 4
    assert [Receipts().why_not(claim, []) for claim in claims] == ["look"] * 4
    assert Receipts(topics=frozenset()).why_not("I've turned on the lamp.", []) == "claim"


def test_topics_come_from_tools_that_only_look_and_from_the_volume() -> None:
    def tool(name: str, description: str, *, read_only: bool) -> StructuredTool:
        return StructuredTool.from_function(
            lambda: "",
            name=name,
            description=description,
            metadata={"traits": ToolTraits(read_only=read_only)},
        )

    assert topics_of([tool("get_current_datetime", "Tells the time.", read_only=True)]) == {"time"}
    assert topics_of([tool("control_device", "Switches lights.", read_only=False)]) == set()
    assert topics_of([tool("get_device", "State of a light.", read_only=True)]) == {"home"}
    assert topics_of([tool("control_speaker_volume", "Loudness.", read_only=False)]) == {"sound"}
    assert topics_of([]) == set()


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)
_words = st.sampled_from(
    "I I've we you it the a lamp light door is are not turned on off locked set to 30 percent minutes half "
    "past done will if ? . , ; : and but ' \" ( ✅ 7:30 pm Floor Lamp all no turning was been Okay".split()
)
_texts = st.text(max_size=200) | st.lists(_words, max_size=25).map(" ".join)


@st.composite
def _outcomes(draw: st.DrawFn) -> ToolOutcome:
    known = draw(st.sampled_from(list(KNOWN.values())))
    if draw(st.booleans()):
        return known
    structured: Any = draw(_json)
    args = draw(st.dictionaries(st.text(max_size=12), _json, max_size=3))
    text, ok, read_only = draw(_texts), draw(st.booleans()), draw(st.booleans())
    return replace(known, structured=structured, args=args, text=text, ok=ok, read_only=read_only)


@settings(max_examples=300, deadline=None)
@given(_texts, st.lists(_outcomes(), max_size=4), _texts)
def test_no_text_and_no_outcome_is_too_odd(text: str, outcomes: list[ToolOutcome], said: str) -> None:
    receipts = Receipts(said)

    assert receipts.why_not(text, outcomes) in {None, "claim", "look"}
    assert receipts.whole_reply(text, outcomes) in {None, "claim", "subject"}
    assert set(map(id, receipts.untold(text, outcomes))) <= set(map(id, outcomes))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["I've turned on the floor lamp.", "The floor lamp is now on."]))
def test_nothing_said_before_it_makes_a_claim_true(before: str, claim: str) -> None:
    said = [part for part in sentences(f"{before}. {claim}") if part.endswith(claim)]

    assert said
    if not any(sign in before for sign in "\"'“”„«»‘’ʼ?"):  # a quotation or a question is another matter
        assert all(Receipts().why_not(part, []) for part in said[-1:] if part == claim)


@pytest.mark.parametrize(
    "part", ["a, is ", "lumiere est ", "j ai ", "the lamp is on, ", "no more ", "all the "]
)
def test_an_endless_sentence_takes_no_time(part: str) -> None:
    started = process_time()
    Receipts(part * 5000).why_not(part * 5000 + "?", [KNOWN["lamp_on"]])

    assert process_time() - started < 2


def test_a_sentence_takes_less_than_a_millisecond() -> None:
    """The processor's time, and the best of three, because others use this machine too."""
    checked = [(pair, sentences(pair.text), Receipts(pair.said)) for pair in read_pairs()]
    times = []
    for _ in range(3):
        started = process_time()
        for pair, parts, receipts in checked:
            for part in parts:
                receipts.why_not(part, pair.outcomes)
        times.append((process_time() - started) / sum(len(parts) for _, parts, _ in checked))

    assert min(times) < 0.001
