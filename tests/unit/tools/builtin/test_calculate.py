"""Sums, units, days until, chance and spelling; what has no answer gets a sentence."""

import contextlib
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.asked import read_asked
from voice_gateway.tools.builtin.calculate.sums import read_sum, work_out
from voice_gateway.tools.builtin.calculate.tool import calculate_tool, plain
from voice_gateway.tools.gateway_tool import typed

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
TOOL = calculate_tool(lambda: NOW)


async def result(expression: str) -> tuple[str, dict[str, Any]]:
    call = {"type": "tool_call", "id": "1", "name": "calculate", "args": {"expression": expression}}
    message = await typed(TOOL).ainvoke(call)
    return message.content, message.artifact["structured"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("3 * (4 + 5)", "That's 27."),
        ("2 + 3 * 4 ^ 2", "That's 50."),
        ("0.1 + 0.2", "That's 0.3."),
        ("10 / 4", "That's 2.5."),
        ("10 / 3", "That's about 3.33."),
        ("1 / 3000", "That's about 0.000333."),
        ("7-3", "That's 4."),
        ("-5 + 3", "That's -2."),
        ("15% of 80", "That's 12."),
        ("80 + 15%", "That's 92."),
        ("80 minus 25 percent", "That's 60."),
        ("20% off $79.90", "That's 63.92 dollars."),
        ("what percent of 80 is 20", "That's 25 percent."),
        ("twenty five times four", "That's 100."),
        ("half of 5", "That's 2.5."),
        ("two thirds of 90", "That's 60."),
        ("2 million times 3", "That's 6,000,000."),
        ("sqrt(2) ^ 2", "That's 2."),
        ("cube root of 27", "That's 3."),
        ("the average of 3, 4 and 5", "That's 4."),
        ("split 10 euros by 3", "That's about 3.33 euros."),
        ("subtract 3 from 10", "That's 7."),
    ],
)
async def test_sums(expression: str, said: str) -> None:
    assert (await result(expression))[0] == said


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("5 miles in km", "That's about 8.05 kilometers."),
        ("how many feet in a mile", "That's 5280 feet."),
        ("5 foot 9 in centimeters", "That's 175.26 centimeters."),
        ("70 °F in celsius", "That's about 21.11 degrees Celsius."),
        ("100 degrees in celsius", "That's about 37.78 degrees Celsius."),
        ("-40 celsius in fahrenheit", "That's -40 degrees Fahrenheit."),
        ("half a pound in grams", "That's about 226.8 grams."),
        ("convert 3 furlongs to fathoms", "That's 330 fathoms."),
        ("how many hours in a week", "That's 168 hours."),
        ("12 inches in feet", "That's 1 foot."),
    ],
)
async def test_units(expression: str, said: str) -> None:
    assert (await result(expression))[0] == said


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("how many days until christmas", "39 days, until Friday, 25 December."),
        ("how many weeks until january 1st", "6 weeks and 4 days, until Friday, 1 January 2027."),
        ("days until tomorrow", "1 day, until Tuesday, 17 November."),
        ("how long until november 16", "That's today."),
        ("when is easter", "It's on Sunday, 28 March 2027."),
        ("what day is the 5th of december", "It's on Saturday, 5 December."),
        ("when is thanksgiving", "It's on Thursday, 26 November."),
        ("how many days until february 29", "470 days, until Tuesday, 29 February 2028."),
    ],
)
async def test_days(expression: str, said: str) -> None:
    assert (await result(expression))[0] == said


async def test_chance_stays_within_its_bounds() -> None:
    for _ in range(30):
        assert (await result("flip a coin"))[0] in {"Heads.", "Tails."}
        assert 1 <= (await result("roll a die"))[1]["result"] <= 6
        assert 2 <= (await result("roll two dice"))[1]["result"] <= 12
        assert 1 <= (await result("roll a d20"))[1]["result"] <= 20
        assert 5 <= (await result("a number between 7 and 5"))[1]["result"] <= 7


async def test_a_word_is_spelled() -> None:
    assert (await result("spell rhythm"))[0] == "Rhythm: R, H, Y, T, H, M."
    assert (await result("how do you spell four"))[0] == "Four: F, O, U, R."


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("5 / 0", "Nobody can divide by zero."),
        ("5 / (3 - 3)", "Nobody can divide by zero."),
        ("0 ^ -1", "Nobody can divide by zero."),
        ("9 ^ 999 ^ 999", "too large"),
        ("9 ^ 900", "too large"),
        ("1" + "0" * 150, "can't work that out"),
        ("99999999999999999 * 99999999999999999", "too large"),
        ("square root of -4", "no square root"),
        ("(-8) ^ 0.5", "no result"),
        ("how many liters in a mile", "Miles and liters measure different things."),
        ("convert 3 blorps to meters", 'the unit "blorps"'),
        ("20 dollars in euros", "exchange rates"),
        ("roll 500 dice", "up to 20 dice"),
        ("roll a 99999 sided die", "2 to 1000 sides"),
        ("a number between 1 and 99999999999999", "too large"),
        ("spell " + "x" * 100, "too long"),
        ("__import__('os').system('ls')", "can't work that out"),
        ("what is the meaning of life", "can't work that out"),
        ("", "can't work that out"),
        ("((((", "can't work that out"),
        ("x" * 201, "at most 200"),
    ],
)
async def test_what_has_no_answer_gets_a_sentence(expression: str, said: str) -> None:
    with pytest.raises(BadArguments, match=re.escape(said)):
        await result(expression)


@pytest.mark.parametrize(
    "text",
    ["what is 5", "fifty percent", "20 degrees in the bedroom", "how many lights are there", "2 plus",
     "times 3", "how much is the fish", "when is my birthday", "the 5 of us", "play number 7",
     "turn it up 5 times"],
)  # fmt: skip
def test_what_is_no_sum_is_not_taken_for_one(text: str) -> None:
    assert read_asked(plain(text)) is None


@given(st.integers(-999, 999), st.sampled_from("+-*"), st.integers(0, 999))
def test_sums_are_right(one: int, sign: str, other: int) -> None:
    made = read_sum(plain(f"{one} {sign} {other}"))

    assert made is not None
    expected = {"+": one + other, "-": one - other, "*": one * other}[sign]
    assert work_out(made) == Decimal(expected)


@given(st.text(alphabet="0123456789+-*/^()% ofsqrt.", max_size=40))
def test_nothing_but_a_sum_or_a_sentence_comes_out(text: str) -> None:
    made = read_sum(plain(text))
    if made is not None:
        with contextlib.suppress(BadArguments):
            assert work_out(made).is_finite()
