"""Mishearings are forgiven, other words of the home are not."""

import pytest

from home_names.phonetics import likeness, phrase_likeness

GOOD = 0.82  # what the resolver asks of a name


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("flour", "floor"), ("flaw", "floor"), ("dusk", "desk"), ("sealing", "ceiling"), ("lite", "light"),
        ("bedsight", "bedside"), ("garaj", "garage"), ("frond", "front"), ("kitchin", "kitchen"),
        ("studie", "study"), ("censors", "sensors"), ("thermostad", "thermostat"), ("lump", "lamp"),
    ],
)  # fmt: skip
def test_what_sounds_alike_is_alike(said: str, meant: str) -> None:
    assert likeness(said, meant) >= GOOD


@pytest.mark.parametrize(
    ("said", "meant"),
    [("bathroom", "bedroom"), ("front", "floor"), ("left", "light"), ("door", "floor"), ("1", "2")],
)
def test_a_word_with_its_own_meaning_is_nothing_else(said: str, meant: str) -> None:
    assert likeness(said, meant) == 0.0


@pytest.mark.parametrize(("said", "meant"), [("force", "freezer"), ("gourd", "garden"), ("mar", "mirror")])
def test_the_same_consonants_around_other_vowels_are_another_word(said: str, meant: str) -> None:
    assert likeness(said, meant) < GOOD


def test_a_phrase_with_more_words_is_another_phrase() -> None:
    assert phrase_likeness(("floor", "lamp", "on"), ("floor", "lamp")) == 0.0
