"""When: its words (phrases, splits), what they say together (said), what that starts (triggers, events)."""

from dataclasses import replace
from datetime import datetime

from home_words import when_words as words
from voice_gateway.brain.local.command.when.events import (
    EventBus,
    Watched,
    moment_first,
    read_event,
    with_beside,
)
from voice_gateway.brain.local.command.when.phrases import Repeated, instead_of, phrases, repeated
from voice_gateway.brain.local.command.when.said import gathered
from voice_gateway.brain.local.command.when.sentences import AT_WHAT_TIME, NEVER, NO_PLACE, WHEN_EXACTLY
from voice_gateway.brain.local.command.when.splits import Split, splits
from voice_gateway.brain.local.command.when.triggers import meant
from voice_gateway.routines.model import Later, Missing
from voice_gateway.routines.schedule import NoPlace, Place

__all__ = [
    "AT_WHAT_TIME",
    "NEVER",
    "WHEN_EXACTLY",
    "Repeated",
    "Split",
    "Watched",
    "instead_of",
    "read_when",
    "repeated",
    "splits",
]


def read_when(text: str, now: datetime, place: Place, watch: EventBus) -> Later | Missing | None:
    """What starts a routine: a time, a rule, the sun or an event. None where the words are no "when"."""
    try:
        bare, condition = with_beside(moment_first(text, now, place), watch)
        if isinstance(condition, Missing):
            return condition
        if words.HAPPENING.match(bare) and not phrases(bare):
            return read_event(bare, condition, now, place, watch)
        found = phrases(bare)
        later = meant(gathered(found, now, place), now, place) if found else None
        return replace(later, condition=condition) if isinstance(later, Later) else later
    except NoPlace:
        return Missing(NO_PLACE)
    except ValueError as error:
        return Missing(str(error))
