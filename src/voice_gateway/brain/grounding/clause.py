"""What the words of a clause tell, whoever asked: a deed of ours, how something is, a thing in general."""

from collections.abc import Sequence, Set
from enum import IntEnum
from functools import cache
from itertools import dropwhile, pairwise, takewhile

from voice_gateway.brain.languages import (
    Language,
    data,
    english,
    is_kind,
    listed,
    matches,
    tool_verbs,
    without_opening,
)

SHORT = 3  # words that need no common one among them: a name
BEGINNING = 2  # words of a clause among which is its subject


class Claim(IntEnum):
    """The more, the worse."""

    NONE = 0
    UNSURE = 1  # it may stand beside a true sentence of ours, never alone
    MADE = 2


def deeds_in(words: Set[str], *known: Language) -> frozenset[str]:
    """Those that tell of a deed, in languages other than English: "erledigt"."""
    return frozenset(
        word
        for one in known
        for word in words - one.words("me") - one.states
        if matches(word, stems_of("did", one))
    )


@cache
def stems_of(key: str, language: Language) -> str:
    """Its words and stems. Endings are those of other words, too, and "mein*" those of no deed."""
    if language is english():
        return ""
    common = language.function | language.words("plain")
    kept = (one for one in data()[key][language.code].split() if one[0] != "*")
    return " ".join(one for one in kept if one[-1] != "*" or one[:-1] not in common)


def tells_of_the_rest(sentence: str) -> bool:
    """ "Everything you asked for happened", "the rest went dark": of what was done beside."""
    words = without_opening(sentence)[:BEGINNING]
    return bool(set(words[:1]) & english().words("pointing") or set(words) & english().words("rest"))


def has_names(text: str, *, german: bool) -> bool:
    """Whether it has a number or a name; in German nouns are written like names."""
    articles = listed("de", "articles") if german else frozenset()
    return any(
        word[0].isdigit() or (word[0].isupper() and before.casefold() not in articles)
        for before, word in pairwise(text.split())
    )


def states_in(words: Sequence[str]) -> frozenset[str]:
    """How something of a home is. "On" tells it at the end, and behind "is" unless a place follows."""
    found = listed("subjects", "states") & set(words)
    places = english().words("definite") | english().words("theirs") | english().words("ours") | {"a", "an"}
    behind = zip(words, words[1:], words[2:], strict=False)
    told = {state for before, state, after in behind if before in english().states and after not in places}
    return found - english().words("particles") | found & {*words[-1:], *told}


def sensed(words: Sequence[str]) -> bool:
    """ "I see no open window": who says so has looked. Not "I can't find a way to open it"."""
    senses = english().words("senses")
    behind = list(dropwhile(lambda word: word not in senses, words))
    return any(word in states_in(behind) and before != "to" for before, word in pairwise(behind))


def points(words: Sequence[str]) -> Claim:
    """How something is that nobody spoke of: "it is off", "everything is safe", "your coffee is ready"."""
    yours = {"your", "our"} & set(words[:BEGINNING])
    relative = english().words("relative")
    main = list(takewhile(lambda word: word not in relative, words))
    measured = {"degrees", "percent"} & set(main) and any(word[0].isdigit() for word in main)
    if not yours and words[0] not in english().words("pointing"):
        return Claim.NONE
    if states_in(main) or measured or (yours and english().states & set(words)):
        return Claim.MADE
    whatever = words[0] not in {"it", "they"} and english().states & set(words)  # "nobody is home"
    came = words[0] in {"someone", "somebody"}  # "somebody knocked"
    return Claim.UNSURE if whatever or came or english().words("settled") & set(main) else Claim.NONE


def deed_in(words: Sequence[str]) -> Claim:
    """ "I" or "we" with a verb that a tool carries out, also left out: "dimming now", "it got dimmed"."""
    first = next((word for word in words if not word.endswith("ly")), "")
    gerund = first.endswith("ing") and not any(map(is_kind, words))  # not "dimming lamps saves power"
    passive = (two for one, two in pairwise(words) if one in english().words("passive"))
    if (first in tool_verbs() and (gerund or first.endswith("ed"))) or tool_verbs() & set(passive):
        return Claim.MADE
    pairs = enumerate(pairwise(["", *words]), start=1)
    starts = (at for at, (one, two) in pairs if two in {"i", "we"} or (one, two) == ("let", "me"))
    going_on = {two for one, two in pairwise(words) if one in english().states and two.endswith("ing")}
    report = len(words) <= SHORT and words[-1] in tool_verbs() - listed("verbs", "base")  # "message sent"
    progress = Claim.UNSURE if report or tool_verbs() & going_on else Claim.NONE  # "the tub is filling"
    return max([progress, *(_done_by_us(words[start:]) for start in starts)])


def _done_by_us(words: Sequence[str]) -> Claim:
    """What else we say we did is unsure, but for verbs of the mind. "I can" and "I would" are no deeds."""
    between = list(takewhile(lambda word: word in english().words("auxiliary") or word.endswith("ly"), words))
    verb = "".join(words[len(between) : len(between) + 1])
    is_so = english().words("being") & set(between[-1:]) and not verb.endswith("ing")
    if not verb or is_so or verb in english().words("mind") | english().words("no_deed"):
        return Claim.NONE
    if verb in tool_verbs():
        return Claim.MADE
    return Claim.NONE if verb in english().function else Claim.UNSURE


def in_general(words: Sequence[str], place: int) -> bool:
    """ "A dimmer lets you …", "lamps need …": no lamp of this home."""
    before = set(words[max(0, place - 2) : place])
    if before & english().words("theirs"):
        return True
    if states_in(words) or english().words("ours") & set(words):
        return False
    many = words[place].endswith("s") and len(words) > SHORT
    sun = words[place] == "light"
    return bool(before & {"a", "an"}) or ((many or sun) and not english().words("definite") & before)
