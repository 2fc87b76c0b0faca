"""What a text asks to be worked out, for the tool and for the local brain alike."""

from home_words.lazy_pattern import LazyPattern
from voice_gateway.tools.builtin.calculate.chance import Chance, read_chance, read_spelling
from voice_gateway.tools.builtin.calculate.days import Countdown, read_countdown
from voice_gateway.tools.builtin.calculate.sums import Sum, read_sum
from voice_gateway.tools.builtin.calculate.units import Conversion, read_conversion

Asked = Sum | Conversion | Countdown | Chance | str

_OPENING = LazyPattern(
    r"^(?:(?:what (?:is|are|do|does|would|will)|whats|how much (?:is|are|do|does|would|will)|calculate|compute|work out|"
    r"figure out|solve|tell me|do you know|convert(?= what)|the result of|result of|so|and) )+"
)
_ENDING = LazyPattern(
    r" (?:equals?|equal to|make|makes|is|be|come to|worth|altogether|in total|add up to|each|per person)$"
)


def read_asked(text: str) -> Asked | None:
    """The whole text; None when it asks for none of these. A word is one to be spelled."""
    bare = _ENDING.sub("", _OPENING.sub("", text))
    for one in dict.fromkeys((text, bare)):
        found = (
            read_countdown(one)
            or read_conversion(one)
            or read_chance(one)
            or read_sum(one)
            or read_spelling(one)
        )
        if found is not None:
            return found
    return None
