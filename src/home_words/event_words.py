"""English for what happens in a home and is over: a press, the bell, smoke, a lock that somebody opens with a code."""

import re
from typing import Final

from home_names.calendar_words import ORDINALS

_WHO: Final = r"(?:someone|somebody|anyone|anybody|a person|people|a visitor|i|we|you)"
_PRESS: Final = r"(?:presse?[sd]?|pushe?[sd]?|push|press|taps?|clicks?|hits?)"
_TIMES: Final = r"(?: (?P<times>once|twice|1 time|[2-5] times|[2-5]x|thrice))?"
_BUTTON: Final = (
    r"(?:the )?(?:button (?P<button>[1-8]|one)|(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th) button)"
)
_BELL: Final = r"(?:(?:the|our|my) )?(?:(?:front )?door ?bell|bell)"
_IN: Final = r"(?: (?:in|at|on|by|under|near) (?P<thing>.{1,60}?))?"
_SEEN: Final = r"(?:is |gets |was )?(?:detected|found|noticed|reported|sensed)"
_DANGER: Final = r"(?P<danger>smoke|fire|carbon monoxide|gas|water|flooding|(?:a )?(?:water )?leak|(?:a )?leakage|(?:a )?flood)"
# By how it is said; where several fit, what comes first is tried first.
HAPPENINGS: Final = (
    ("doorbell", rf"{_BELL} (?:rings|is rung|is pressed|goes(?: off)?|sounds|is ringing|chimes)"),
    ("doorbell", rf"{_WHO} (?:rings?|presse?s?|is ringing|pushe?s?) {_BELL}"),
    ("doorbell", rf"{_WHO} (?:is at the (?:front )?door|rings at the (?:front )?door)"),
    ("press", rf"{_WHO} (?:(?P<double>double|triple)[ -]?)?{_PRESS}(?: on)? {_BUTTON}(?: (?:of|on|at) (?P<thing>.{{1,60}}?))?{_TIMES}"),
    ("press", rf"{_BUTTON}(?: (?:of|on|at) (?P<thing>.{{1,60}}?))? (?:is|gets|was) (?:(?P<double>double|triple)[ -]?)?(?:pressed|pushed|tapped|clicked){_TIMES}"),
    ("press", rf"{_WHO} (?:(?P<double>double|triple)[ -]?)?{_PRESS}(?: on)? (?P<thing>.{{1,60}}?){_TIMES}"),
    ("press", rf"(?P<thing>.{{1,60}}?) (?:is|gets|was) (?:(?P<double>double|triple)[ -]?)?(?:pressed|pushed|tapped|clicked){_TIMES}"),
    ("hold", rf"{_WHO} (?:hold|holds|keep|keeps)(?: down| pressing)? {_BUTTON}(?: (?:of|on|at) (?P<thing>.{{1,60}}?))?(?: down)?"),
    ("hold", rf"{_BUTTON}(?: (?:of|on|at) (?P<thing>.{{1,60}}?))? is held(?: down)?"),
    ("hold", r"(?P<thing>.{1,60}?) is held down"),
    ("danger", rf"(?:there is|there s|you (?:detect|notice|see)) (?:any |some )?{_DANGER}(?: {_SEEN})?(?: anywhere)?{_IN}"),
    ("danger", rf"{_DANGER} {_SEEN}(?: anywhere)?{_IN}"),
    ("danger", rf"(?P<thing>.{{1,60}}?) (?:detects|senses|reports|notices|finds) (?:any |some )?{_DANGER}"),
    ("danger", r"(?:the |a |any )?(?P<danger>smoke|fire|water|leak|gas|carbon monoxide) (?:alarm|detector|sensor)s? (?:goes off|is triggered|sounds|triggers|rings|alarms)" + _IN),
    ("danger", rf"(?:it|something|anything) (?P<danger>leaks|is leaking|burns|is burning)(?: anywhere)?{_IN}"),
    ("danger", r"(?P<thing>.{1,60}?) (?P<danger>leaks|is leaking)"),
    ("tamper", rf"{_WHO} tampers? with (?P<thing>.{{1,60}}?)"),
    ("tamper", r"(?P<thing>.{1,60}?) (?:is|gets|was|is being) tampered with"),
    ("code", rf"{_WHO} (?P<lock>unlocks?|locks?) (?P<thing>.{{1,60}}?) with (?:the )?(?:user )?code (?P<user>\d{{1,3}})"),
    ("code", r"user (?P<user>\d{1,3}) (?P<lock>unlocks?|locks?) (?P<thing>.{1,60}?)"),
    ("code", r"(?P<thing>.{1,60}?) (?:is|gets|was) (?P<lock>unlocked|locked)(?: at the keypad)? (?:by|with) (?:the )?(?:user|code|user code) (?P<user>\d{1,3})"),
    ("jam", r"(?P<thing>.{1,60}?) (?:jams|is jammed|gets jammed|gets stuck|is stuck)"),
)  # fmt: skip
EVENTS: Final = tuple((kind, re.compile(rf"^{pattern}$")) for kind, pattern in HAPPENINGS)

_COUNTS: Final = {
    "twice": " twice", "2": " twice", "double": " twice", "thrice": " three times", "3": " three times",
    "triple": " three times", "4": " four times", "5": " five times",
}  # fmt: skip
_WATERY: Final = ("water", "leak", "flood")


def happening(kind: str, given: dict[str, str]) -> str:
    """The words by which such an event is known: "button 2 pressed twice", "smoke on"."""
    if kind in ("press", "hold"):
        which = given.get("ordinal", "")  # "second", "2nd"
        number = given.get("button", "").replace("one", "1") or str(ORDINALS.get(which, which[:1]))
        said = given.get("times", given.get("double", ""))
        times = _COUNTS.get(said, _COUNTS.get(said[:1], ""))
        return f"button{f' {number}' if number else ''} {'held' if kind == 'hold' else f'pressed{times}'}"
    if kind == "danger":
        return f"{danger_kind(given['danger'])} on"
    if kind == "code":
        return f"{'unlocked' if given['lock'].startswith('un') else 'locked'} by user {given['user']}"
    return {"doorbell": "doorbell", "tamper": "tamper on", "jam": "lock jammed"}[kind]


def danger_kind(said: str) -> str:
    """Of "a water leak" water."""
    if any(word in said for word in _WATERY):
        return "water"
    if "monoxide" in said:
        return "carbon_monoxide"
    return "gas" if said == "gas" else "smoke"
