"""Sums, units, days until, chance and spelling; what has no answer gets a sentence."""

import math
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.some_tools import said_by
from tests.fakes.spoken_times import spoken_times

from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate import calculate_tool, plain, read_sum

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
TOOL = calculate_tool(lambda: NOW, spoken_times())


async def result(expression: str) -> tuple[str, dict[str, Any]]:
    return await said_by(TOOL, expression=expression)


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


@given(st.text(alphabet="0123456789+-*/^()% ofsqrt.", max_size=40))
def test_nothing_but_a_sum_or_a_sentence_comes_out(text: str) -> None:
    answer = read_sum(plain(text))
    if answer is not None:
        with suppress(BadArguments):
            assert math.isfinite(answer()[1]["result"])
