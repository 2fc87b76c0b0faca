"""A number is found however it is put, hidden whole, and read as the digits that were meant."""

from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from home_names.numbers import NUMBER_WORDS
from voice_gateway.conversation.numerals import HIDDEN, parted, readings

WORDS = yaml.safe_load(Path(__file__).with_name("numerals.yaml").read_text())
ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TENS = {value: word for word, value in NUMBER_WORDS.items() if value >= 20 and word != "fourty"}
_WORDS = {value: word for word, value in NUMBER_WORDS.items() if word != "fourty"}


def below_hundred(value: int) -> str:
    if value in _WORDS:
        return _WORDS[value]
    return f"{_TENS[value // 10 * 10]}-{ONES[value % 10]}"


@st.composite
def put_in_some_way(draw: st.DrawFn) -> tuple[str, str]:
    """Four digits and one of the ways in which people and transcribers put them."""
    digits = draw(st.text("0123456789", min_size=4, max_size=4))
    between = draw(st.sampled_from([" ", "-", ", ", ". ", " - ", "/", " and ", " dash "]))
    script = draw(
        st.sampled_from(
            ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９", "〇一二三四五六七八九"]
        )
    )
    figures = [script[int(digit)] for digit in digits]
    pairs = [below_hundred(int(digits[at : at + 2])) for at in (0, 2) if digits[at] not in "01"]
    ways = [
        "".join(figures),
        between.join(figures),
        f"{''.join(figures[:2])}{between}{''.join(figures[2:])}",
        between.join(ONES[int(digit)] for digit in digits),
        between.join([figures[0], *(ONES[int(digit)] for digit in digits[1:])]),
    ]
    return digits, draw(st.sampled_from([*ways, *([between.join(pairs)] if len(pairs) == 2 else [])]))


@given(put_in_some_way())
def test_four_digits_are_hidden_and_read_in_every_grouping(given_as):
    digits, put = given_as
    sentence = f"yes please, {put}."

    assert parted(sentence).masked == f"yes please {HIDDEN}"
    assert digits in readings(parted(sentence))


def test_the_digits_that_were_meant_are_among_the_readings():
    for words, digits in WORDS["numbers"].items():
        shown = parted(words).masked
        assert digits in readings(parted(words)), words
        assert not any(character.isnumeric() for character in shown), words
        assert not set(shown.lower().split()) & {*NUMBER_WORDS, "oh", "ate", "double", "triple"}, words


def test_ordinary_words_are_no_numbers():
    assert [words for words in WORDS["ordinary"] if parted(words).numbers] == []


@given(st.text())
def test_masking_leaves_no_digit_of_any_text(text):
    shown = parted(text).masked

    assert not any(character.isnumeric() for character in shown)
    assert all(reading.isascii() and reading.isdecimal() for reading in readings(parted(text)))
    assert parted(text).size >= 0
