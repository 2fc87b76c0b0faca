"""What everybody asks of a voice assistant, and needs no home: each subject reads and plans its own."""

from collections.abc import Callable, Iterator

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning
from voice_gateway.brain.local.plan.sums import SUMS, read_sums
from voice_gateway.brain.local.plan.timers import TIMERS, read_timers

_READERS: tuple[Callable[[str], Iterator[Frame]], ...] = (read_timers, read_sums)

EVERYDAY: dict[str, Callable[[Frame, Context], Meaning]] = {**TIMERS, **SUMS}


def read_everyday(text: str) -> Iterator[Frame]:
    """Readings of the whole text; it is in small letters, without punctuation, with numbers as digits."""
    for read in _READERS:
        yield from read(text)
