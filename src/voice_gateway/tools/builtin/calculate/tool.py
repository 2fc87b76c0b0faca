"""The tool `calculate`: one for sums, units, days until, chance and spelling."""

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from langchain_core.tools import BaseTool

from home_names.numbers import to_digits
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.calculate.asked import Asked, read_asked
from voice_gateway.tools.builtin.calculate.chance import Chance, answer_chance, answer_spelling
from voice_gateway.tools.builtin.calculate.days import Countdown, answer_countdown
from voice_gateway.tools.builtin.calculate.sums import Sum, answer_sum
from voice_gateway.tools.builtin.calculate.units import Conversion, answer_conversion, registry
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.turn import ToolTraits

MAX_EXPRESSION = 200  # characters

DESCRIPTION = (
    "REQUIRED to calculate: you MUST call this whenever the user asks about sums, units, days until a date, "
    "dice or spelling. DO NOT use for the time.\n"
    'Good: "15% of 80", "5 miles in km", "days until christmas", "roll a die". Bad: "what time is it".'
)
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "expression": {
            "type": "string",
            "description": 'In plain words, for example "3 * (4 + 5)" or "spell rhythm"',
        }
    },
    "required": ["expression"],
}
_UNREADABLE = "I can't work that out. Ask for a sum, a unit in another one, or the days until a date."


def calculate_tool(now: Callable[[], datetime]) -> BaseTool:
    async def calculate(expression: str) -> tuple[str, dict[str, Any]]:
        if len(expression) > MAX_EXPRESSION:
            raise BadArguments(f"expression must have at most {MAX_EXPRESSION} characters.")
        asked = read_asked(plain(expression))
        if asked is None:
            raise BadArguments(_UNREADABLE)
        text, facts = await _answered(asked, now)
        return text, {"structured": facts}

    return declared_tool(
        "calculate",
        DESCRIPTION,
        PARAMETERS,
        calculate,
        ToolTraits(
            title="Calculator",
            summary="Sums, units, days until a date, dice, coins and spelling.",
            read_only=True,
        ),
    )


async def warm_up() -> None:
    """Build the table of units, so that the first conversion does not wait a second for it."""
    await asyncio.to_thread(registry)


async def _answered(asked: Asked, now: Callable[[], datetime]) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, Sum):
        return answer_sum(asked)
    if isinstance(asked, Conversion):
        return await asyncio.to_thread(answer_conversion, asked)
    if isinstance(asked, Countdown):
        return answer_countdown(asked, now().astimezone(local_zone()[0]).date())
    return answer_chance(asked) if isinstance(asked, Chance) else answer_spelling(asked)


def plain(expression: str) -> str:
    """Signs as words, small letters, numbers as digits, as the local brain's words are."""
    text = (
        expression.lower().replace("²", " squared ").replace("³", " cubed ").replace("√", " square root of ")
    )
    text = re.sub(r"[$]\s*(\d[\d.,]*)", r"\1 dollars", text)
    text = re.sub(r"€\s*(\d[\d.,]*)", r"\1 euros", re.sub(r"£\s*(\d[\d.,]*)", r"\1 pounds", text))
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    for sign, word in (
        ("%", " percent "),
        ("×", " times "),
        ("÷", " divided by "),
        ("°", " degrees "),
        ("·", " times "),
    ):
        text = text.replace(sign, word)
    text = re.sub(r"[?!=,;:]|\.(?!\d)", " ", text).replace("'", "")
    return " ".join(to_digits(re.sub(r"([-+*/^()])", r" \1 ", text).split()))
