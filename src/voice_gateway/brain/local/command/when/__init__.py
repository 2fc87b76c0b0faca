"""When: its words (phrases, splits), what they say together (said), what that starts (triggers, events)."""

from voice_gateway.brain.local.command.when.events import Watched
from voice_gateway.brain.local.command.when.phrases import Repeated, instead_of, repeated
from voice_gateway.brain.local.command.when.read import read_when
from voice_gateway.brain.local.command.when.sentences import AT_WHAT_TIME, NEVER, WHEN_EXACTLY
from voice_gateway.brain.local.command.when.splits import Split, splits

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
