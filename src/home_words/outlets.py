"""What is several devices in one: "outlet 3 of the power strip" is the Power Strip 3."""

import re
from typing import Final

from home_names.calendar_words import ORDINALS

_NOUN: Final = r"(?:outlet|socket|plug|channel|relay|port)"
_ORDINALS: Final = {word: str(number) for word, number in ORDINALS.items() if number <= 8}
_OF: Final = r" (?:of|on|in|at|from) (?:(?:the|my|our) )?"
_WHICH: Final = r"(?P<which>\w{1,12})"
_STRIP: Final = r"(?P<strip>\S.{0,60})"
_PARTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?:the|my|our) )?{_NOUN} (?:number )?{_WHICH}{_OF}{_STRIP}",
        rf"(?:(?:the|my|our) )?(?P<which>{'|'.join(_ORDINALS)}) {_NOUN}{_OF}{_STRIP}",
        rf"(?:(?:the|my|our) )?(?P<strip>\S.{{0,60}}?) {_NOUN} (?:number )?{_WHICH}",
    )
)
_WHOLE: Final = re.compile(
    r"(?:(?:the|my|our) )?(?:(?:whole|entire|complete) |"
    rf"(?:all|every|each|both)(?: of)?(?: (?:the|my|our))? {_NOUN}s?{_OF}|"
    r"(?:everything|all) (?:of|on) (?:the )?)"
    rf"{_STRIP}",
    re.IGNORECASE,
)


def outlet_named(said: str) -> str:
    """The name that an outlet has beside the others; empty where none is spoken of."""
    found = next((found for pattern in _PARTS if (found := pattern.fullmatch(said.strip()))), None)
    if found is None:
        return ""
    return f"{found['strip']} {_ORDINALS.get(found['which'].casefold(), found['which'])}"


def whole_strip(said: str) -> str:
    """What is called whole, or of which all outlets are meant; empty where nothing is."""
    found = _WHOLE.fullmatch(said.strip())
    return found["strip"] if found else ""
