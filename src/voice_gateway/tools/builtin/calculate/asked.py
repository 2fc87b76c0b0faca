"""What a text asks to be worked out; the tool and the local brain both read it here."""

from voice_gateway.tools.builtin.calculate.chance import Chance, read_chance, read_spelling
from voice_gateway.tools.builtin.calculate.days import Countdown, read_countdown
from voice_gateway.tools.builtin.calculate.lazy_pattern import LazyPattern
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
    """What the whole text asks for, or None. A `str` is a word to be spelled."""
    bare = _ENDING.sub("", _OPENING.sub("", text))
    readers = (read_countdown, read_conversion, read_chance, read_sum, read_spelling)
    found = (reader(words) for words in dict.fromkeys((text, bare)) for reader in readers)
    return next((asked for asked in found if asked), None)
