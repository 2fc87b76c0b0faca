"""English of announcements to everybody in the house."""

from typing import Final

from home_words.lazy_pattern import LazyPattern

_EVERYONE: Final = r"(?:everyone|everybody|every one|the (?:whole )?(?:family|house|household)|the (?:kids|children|others)|all of (?:them|us)|the people here)"
# What is told now, and not under a condition or again and again.
NOT_NOW: Final = LazyPattern(
    r"\b(?:if|when|whenever|unless|once|until|every|later|yesterday|not now|but not|(?:s?he|they) said|is what|was a mistake)\b"
)
TELL: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"tell {_EVERYONE}(?: in the (?:house|home))?(?: that| to)? (?P<message>.+)",
        rf"let {_EVERYONE} know(?: that)? (?P<message>.+)",
        rf"(?:say|shout|announce|broadcast)(?: to)? {_EVERYONE}(?: that)? (?P<message>.+)",
        r"(?:broadcast|announce)(?: everywhere| in all rooms| in every room| on all speakers)?(?: that| saying| the message)? (?P<message>.+)",
        r"make an announcement(?: that| saying)? (?P<message>.+)",
        rf"(?:say|announce) (?P<message>.+) (?:to {_EVERYONE}|in all rooms|in every room|everywhere|on all speakers)",
        r"(?:broadcast|make an announcement|make a broadcast|announce something)(?P<nothing>)",
    )
)
