"""What everybody asks of a voice assistant, and needs no home: each subject reads and plans its own."""

from collections.abc import Callable, Iterator

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning
from voice_gateway.brain.local.plan.broadcast import BROADCAST, read_broadcast
from voice_gateway.brain.local.plan.lists import LISTS, read_lists
from voice_gateway.brain.local.plan.sums import SUMS, read_sums
from voice_gateway.brain.local.plan.timers import TIMERS, read_timers
from voice_gateway.brain.local.plan.weather import WEATHER, read_weather

_READERS: tuple[Callable[[str], Iterator[Frame]], ...] = (
    read_timers,
    read_sums,
    read_lists,
    read_weather,
    read_broadcast,
)

EVERYDAY: dict[str, Callable[[Frame, Context], Meaning]] = {
    **TIMERS,
    **SUMS,
    **LISTS,
    **WEATHER,
    **BROADCAST,
}


def read_everyday(text: str) -> Iterator[Frame]:
    """Readings of the whole text; it is in small letters, without punctuation, with numbers as digits."""
    for read in _READERS:
        yield from read(text)
