"""Which question about our own doings was asked: what it is about, and how that is said to be now."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from voice_gateway.recorder.why_german import (
    GERMAN_ARTICLE,
    GERMAN_BARE,
    GERMAN_DID,
    GERMAN_IS,
    GERMAN_LAST,
    GERMAN_NOT_DONE,
    GERMAN_PRONOUNS,
    GERMAN_STATES,
    GERMAN_WHO,
)


class About(Enum):
    LAST = auto()  # "why did you do that"
    NOT_DONE = auto()  # "why didn't you turn it off"
    THING = auto()  # "why is the lamp on", "who opened the blinds", "why did you unlock the door"


@dataclass(frozen=True, slots=True)
class WhyQuestion:
    about: About
    thing: str = ""  # what was named, in the words of the question
    state: str = ""  # on, off, open, closed, locked, unlocked, where the question says it
    ours: bool = False  # it speaks of what we did, not of how something is, or of whatever was talked of


_BEFORE = r"(?:(?:and|but|so|hey|wait|ok|okay|well|um|please|now) ){0,4}"
_WHY = r"(?:why|how come|what for|for what reason|can you (?:tell me|explain) why|tell me why|explain why)"
_IT = r"(?:that|this|it|so|anything|something|what you (?:just )?did)"
_NOW = r"(?: (?:just|right)? ?now| again| just| then| to me)?"
# "Why don't you turn it on" is a wish.
_NOT = r"(?:didn'?t you|did you not|haven'?t you|have you not|did not you)"
_LAST = re.compile(
    rf"{_BEFORE}(?:"
    rf"{_WHY} (?:did|do|have|had) you (?:just )?(?:do|done|say|said|ask|asked|answer|answered|call|called)"
    rf"(?: me)?(?: {_IT})?"
    rf"|{_WHY} you (?:did|said|asked|answered) {_IT}"
    rf"|{_WHY} (?:did|does|has) (?:that|this|it) (?:just )?happen(?:ed)?"
    rf"|{_WHY} (?:is|was) (?:that|this)"
    rf"|what made you (?:just )?(?:do|say|ask) {_IT}|who (?:told|asked) you to(?: do {_IT})?"
    rf"|what (?:did|have) you just (?:do|done)|what was (?:that|this) (?:for|about)"
    rf"|explain (?:yourself|what you (?:just )?did)|on whose (?:permission|behalf|order|orders)"
    rf"|who (?:allowed|permitted) (?:you )?(?:that|this|it)"
    rf"){_NOW}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_BEFORE}(?:{_WHY}(?: not)?|explain (?:that|this|it))", re.IGNORECASE)
_NOT_DONE = re.compile(
    rf"{_BEFORE}{_WHY} (?:not|{_NOT}(?: (?:just )?(?P<what>.{{1,200}}))?){_NOW}", re.IGNORECASE
)
_SAME = re.compile(
    rf"(?:do|done|(?:answer|react|listen|obey)(?:ed)?)(?: {_IT}| me| what i said)?", re.IGNORECASE
)
_HOW = r"(?P<state>on|off|open|opened|closed|shut|locked|unlocked|lit|dark|up|down|running)"
_VERBS = (
    r"(?:turn|switch|put|set|dim|open|close|shut|lock|unlock|start|stop|ring|raise|lower|toggle|activate|change|make|"
    r"brighten|light|play|pause|mute|add|cancel|run|send|search|call)"
)
_THING = (
    # "why did you turn on the lamp", "why have you dimmed the light"
    re.compile(
        rf"{_BEFORE}{_WHY} (?P<ours>did|have|do) you (?:just )?(?P<verb>{_VERBS}(?:ned|med|ed|d|t)?)"
        rf"(?: (?P<state>on|off|up|down))? (?P<thing>.{{1,200}})",
        re.IGNORECASE,
    ),
    # "why is the lamp on", "why are the blinds still closed"
    re.compile(
        rf"{_BEFORE}{_WHY} (?:is|are|was|were) (?P<thing>.{{1,200}}?)"
        rf"(?: (?:still|suddenly|already|now|so))? {_HOW}{_NOW}",
        re.IGNORECASE,
    ),
    # "why did the light go on", "why did the door unlock"
    re.compile(
        rf"{_BEFORE}{_WHY} (?:did|has|have) (?P<thing>(?!you\b).{{1,200}}?)(?: (?:just|suddenly))? "
        r"(?P<verb>go|gone|went|turn|turned|switch|switched|come|came|get|got|open|opened|close|closed|lock|locked|unlock|"
        r"unlocked|start|started|stop|stopped|change|changed|move|moved|ring|rung)"
        rf"(?: (?P<state>on|off|up|down|open|closed|dark|bright|dim))?{_NOW}",
        re.IGNORECASE,
    ),
    # "who turned on the lamp", "what switched the heating off"
    re.compile(
        rf"{_BEFORE}(?:who|what) (?:has |just )?(?P<verb>{_VERBS}(?:ned|med|ed|d)?)"
        rf"(?: (?P<state>on|off|up|down))? (?P<thing>.{{1,200}}?)(?: (?P<behind>on|off|up|down))?{_NOW}",
        re.IGNORECASE,
    ),
)
_STATES = {
    "opened": "open",
    "up": "open",
    "down": "closed",
    "shut": "closed",
    "lit": "on",
    "bright": "on",
    "dark": "off",
    "running": "on",
    "unlock": "unlocked",
    "unlocked": "unlocked",
    "lock": "locked",
    "open": "open",
    "close": "closed",
    "closed": "closed",
    "locked": "locked",
    "on": "on",
    "off": "off",
}
LONGEST = 300  # characters of such a question
_ARTICLE = re.compile(r"^(?:the|my|our|a|an|all|all the|this|that) ", re.IGNORECASE)


def read_question(text: str) -> WhyQuestion | None:
    """None: it is about something else."""
    if len(text) > LONGEST:
        return None
    plain = " ".join(re.sub(r"[?!.,;:]+", " ", text.replace("’", "'")).split())
    if _LAST.fullmatch(plain) or GERMAN_LAST.fullmatch(plain):
        return WhyQuestion(About.LAST, ours=True)
    if _BARE.fullmatch(plain) or GERMAN_BARE.fullmatch(plain):
        return WhyQuestion(About.LAST)
    if found := _NOT_DONE.fullmatch(plain) or GERMAN_NOT_DONE.fullmatch(plain):
        what = GERMAN_ARTICLE.sub("", found["what"] or "")
        same = _SAME.fullmatch(what) or what.lower() in GERMAN_PRONOUNS
        return WhyQuestion(About.NOT_DONE, "" if same else what, ours=True)
    return _about_a_thing(plain)


def _about_a_thing(plain: str) -> WhyQuestion | None:
    for pattern in _THING:
        if found := pattern.fullmatch(plain):
            return _thing(found.groupdict())
    found = GERMAN_DID.fullmatch(plain) or GERMAN_IS.fullmatch(plain) or GERMAN_WHO.fullmatch(plain)
    return _german_thing(found.groupdict()) if found else None


def _german_thing(found: dict[str, str | None]) -> WhyQuestion:
    thing = found["thing"] or ""
    if thing.lower() in GERMAN_PRONOUNS:
        return WhyQuestion(About.LAST, ours=True)
    said = (found.get("state") or found.get("verb") or "").lower()
    return WhyQuestion(
        About.THING, GERMAN_ARTICLE.sub("", thing), GERMAN_STATES.get(said, ""), bool(found.get("ours"))
    )


def _thing(found: dict[str, str | None]) -> WhyQuestion:
    thing, behind = found["thing"] or "", found.get("behind") or ""
    if not behind and (last := thing.rsplit(" ", 1))[-1] in ("on", "off", "up", "down") and len(last) == 2:
        thing, behind = last
    said = found.get("state") or behind or (found.get("verb") or "")
    ours = bool(found.get("ours"))
    if _ARTICLE.sub("", thing) in ("it", "that", "this"):
        return WhyQuestion(About.LAST, ours=True)
    return WhyQuestion(About.THING, thing, _STATES.get(said.lower(), ""), ours)
