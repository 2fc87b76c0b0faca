"""Finds what a clause says to be the case in the home, and what time or day it says it is."""

import re

from voice_gateway.brain.receipts_amounts import amounts_in
from voice_gateway.brain.receipts_claim import DAYS, Aspect, Claim, Kind, Thing, thing_in
from voice_gateway.brain.receipts_verbs import FORMS, OPPOSITE, STATES
from voice_gateway.brain.receipts_words import DETERMINERS, EMPTY, Word, is_thing, kind_of, singular

_COPULAS = frozenset(
    "is are was were remains remain stays stay stayed be been reads shows measures has".split()
)
_ADVERBS = frozenset(
    "now currently already still all both again back also just indeed actually definitely "
    "completely fully safely presently set turned switched in fact only about around approximately "
    "roughly at to exactly no longer not never been the way wide nice well quite pretty really very so tight "
    "nicely".split()
)
_PRONOUNS = frozenset("it they that this these those everything all both".split())
_PEOPLE = frozenset("i you we he she who people there".split())
_OF_EACH = frozenset("on off open closed locked unlocked".split())
_ALL_OF_IT = frozenset("home house place".split())
_IN_TROUBLE = dict.fromkeys(
    "asleep sleeping offline unreachable unavailable jammed stuck disconnected unresponsive unplugged "
    "busy".split()
)
_UNITS = frozenset("% percent degrees degree celsius fahrenheit c f watts watt lux kilowatt".split())
_SHORT = 3  # words of a subject that is one thing
_HERE = frozenset("now currently inside here outside indoors".split())
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)


def state_in(main: list[Word]) -> Claim | None:
    texts = [word.text for word in main]
    place = next((at for at, text in enumerate(texts) if text in _COPULAS), None)
    if place is None:
        return _without_verb(main, texts)
    if texts[0] == "there":
        return _there_is(main, texts)
    return _of_subject(main, texts, place)


def _of_subject(main: list[Word], texts: list[str], place: int) -> Claim | None:
    subject = texts[:place]
    if subject == ["we"] and {"percent", "degrees"} & set(texts):
        return _predicate(main, texts, place, weak=False)  # "We are at 40 percent"
    if set(subject) & _PEOPLE or not subject or subject[0] in {"a", "an", "my"}:
        return None
    if subject[-1] == "it" and {"degrees", "degree"} & set(texts):
        return _claim(main, place, "", weak=False, hedged=False)  # "It is a cosy 21 degrees in the office"
    about_home = any(is_thing(text) or text in _ALL_OF_IT for text in subject)
    named = any(word.name for word in main[:place])
    known = about_home or named or bool(set(subject) & _PRONOUNS)
    if not (known or (subject[0] in {"the", "your"} and len(subject) <= _SHORT)):
        return None
    claim = _predicate(main, texts, place, weak=not about_home)
    if claim is not None and _ALL_OF_IT & set(subject) and claim.effect in _OF_EACH and "secure" not in texts:
        claim.sweeping = True  # "the house is dark"
    if claim is not None and not known:  # "the bass is up": a claim where other things were done or seen
        claim.weak, claim.things, claim.every = True, [Thing(frozenset(subject[1:]) - EMPTY)], False
    return claim


def _predicate(main: list[Word], texts: list[str], place: int, *, weak: bool) -> Claim | None:
    at = place + 1
    while at < len(texts) and (texts[at] in _ADVERBS or texts[at].endswith("ly")):
        at += 1
    between = set(texts[place + 1 : at])
    hedged = bool(set(texts[:place]) & {"may", "might", "should", "must", "could", "probably"})
    now = bool(set(texts) & {"now", "already", "currently"})
    past = texts[place] in {"was", "were"} and "your" not in texts  # a story is told like this
    weak = (weak or hedged or past) and not now
    word = texts[at] if at < len(texts) else ""
    denied = bool(between & {"not", "never", "longer"})
    out = any(kind_of(text) == "light" for text in texts[:place])  # only lights are out
    if word in {"up", "down", *(["out"] if out else [])} and at + 1 == len(texts):
        return _claim(main, place, "off" if word == "out" else word, weak=weak, hedged=hedged)
    judged = STATES.get(word) in {"fine", "low"} and not any(map(is_thing, texts[:place]))  # "that is fine"
    if word in STATES and not judged and not _preposition(texts, at):
        effect = OPPOSITE.get(STATES[word], "") if denied else STATES[word]
        return _claim(main, place, effect, weak=weak, hedged=hedged)
    if "now" in texts and word.isalpha() and word not in FORMS | _IN_TROUBLE and not denied:
        return _claim(main, place, "", weak=weak, hedged=hedged)  # "is now brewing", "is now in away mode"
    if re.fullmatch(r"\d+(?:\.\d+)?|half|maximum|minimum|halfway", word) and _measure(texts, at):
        return _claim(main, place, "", weak=weak and not {"degrees", "degree"} & set(texts), hedged=hedged)
    return None


def _measure(texts: list[str], at: int) -> bool:
    """A number that measures something: with a unit, or of something that has a level."""
    has_level = {"volume", "brightness", "level", "temperature", "humidity", "thermostat", "it"}
    units = bool(set(texts[at + 1 : at + 3]) & _UNITS) or texts[at - 1] == "at"
    return units or (bool(set(texts[:at]) & has_level) and at + 1 >= len(texts))


def _preposition(texts: list[str], at: int) -> bool:
    """ "on the table", "off the coast", "open to ideas"."""
    word, following = texts[at], texts[at + 1] if at + 1 < len(texts) else ""
    if word in {"on", "off"}:
        others = {"sale", "fire", "time", "it", "its", "their", "his", "her", "top", "track", "to"}
        return following in DETERMINERS or following.rstrip("s") in DAYS or following in others
    if word == "running":
        return following in {"low", "out", "late", "short"}
    return word == "open" and following in {"to", "source", "ended"}


def _claim(main: list[Word], place: int, effect: str, *, weak: bool, hedged: bool) -> Claim:
    texts = {word.text for word in main}
    thing = thing_in(main, place)
    return Claim(
        Kind.STATE,
        Aspect.HEDGED if hedged else Aspect.DONE,
        effect,
        [thing],
        every=not thing,
        none=texts >= {"no"} or "none" in texts,
        still=bool(texts & {"still", "not", "never"}),
        past=main[place].text in {"was", "were"},
        weak=weak,
    )


def _there_is(main: list[Word], texts: list[str]) -> Claim | None:
    """ "There are two lights on." """
    if not any(is_thing(text) for text in texts) or texts[-1] not in {
        "on",
        "off",
        "open",
        "closed",
        "locked",
    }:
        return None
    return _claim(main, 0, STATES[texts[-1]], weak=False, hedged=False)


def _without_verb(main: list[Word], texts: list[str]) -> Claim | None:
    """ "Lights off.", "Kitchen light on.", "Volume up." """
    said = [text for text in texts if text != "now"]
    effect = {**STATES, "up": "up", "down": "down", "out": "off"}.get(said[-1], "") if said else ""
    if len(said) < 2 or len(said) > 7 or not effect or said[0] in {"a", "an"}:
        return None
    if said[0] in _PEOPLE and not ("left" in said and "not" not in said):  # "You left the light on"
        return None
    if said[-2] in {"coming", "going"}:  # "lights coming on"
        del said[-2]
    if not is_thing(said[-2]) and said[-2] not in _PRONOUNS and not main[len(main) - 2].name:
        return None
    return _claim(main, len(main) - 1, effect, weak=False, hedged=False)


def timers_in(main: list[Word]) -> Claim | None:
    """ "3 minutes left", "no timers are running"."""
    texts = [word.text for word in main]
    left = bool({"left", "remaining"} & set(texts)) or texts[-2:] == ["to", "go"]
    if left and amounts_in(main).spans:
        return Claim(Kind.STATE, things=[thing_in([Word("timer")])])
    things = {singular(text) for text in texts}
    runs = {"running", "runs", "rings", "ends", "expires", "ticking", "counting"} & set(texts)
    if {"timer", "alarm", "reminder"} & things and (texts[:2] == ["you", "have"] or runs):
        none = bool({"no", "not"} & set(texts))
        return Claim(Kind.STATE, effect="on", things=[thing_in([Word("timer")])], none=none)
    return None


_TIME_IS = re.compile(
    r"(?:right now |currently )?(?:it is|(?:the|your) (?:current |local )?(?:time|date)(?: \w+ \w+| now)? is|"
    r"today is|time is|tomorrow is|the time|today)\b.*"
)


def time_in(main: list[Word]) -> Claim | None:
    texts = [word.text for word in main]
    if not _TIME_IS.fullmatch(" ".join(texts)):
        return None
    days = frozenset(set(texts) & DAYS)
    amounts = amounts_in(main)
    months = _MONTHS if "of" in texts else _MONTHS - {"may", "march"}
    dated = bool(set(texts) & months) and texts[0] in {"today", "it", "the"}
    if not (amounts.clocks or days or dated):
        return None
    return Claim(Kind.TIME, amounts=amounts, days=days)
