"""Sums, units, days until, chance and spelling: read by the tool's own rules, and given to it."""

from collections.abc import Iterator

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning, Request, Step
from voice_gateway.tools.builtin.calculate.asked import read_asked

CALCULATE = "calculate"


def read_sums(text: str) -> Iterator[Frame]:
    asked = read_asked(text)
    if asked is not None:  # words to be spelled are no order, and neither is what stands beside them
        alone = {"alone": True} if isinstance(asked, str) else {}
        yield Frame("Calculate", {"expression": text, **alone}, literal=10)


def _calculate(frame: Frame, _context: Context) -> Meaning:
    return Step(frame.intent, (Request(CALCULATE, {"expression": frame.text("expression")}),), frame=frame)


SUMS = {"Calculate": _calculate}
