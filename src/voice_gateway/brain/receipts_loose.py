"""Claims by their build alone, whatever the verb: who did or will do something to a thing in the home."""

import re

from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind, thing_in
from voice_gateway.brain.receipts_verbs import FORMS, STATES
from voice_gateway.brain.receipts_words import ROOMS, Word, is_thing, kind_of, singular

_ADVERBS = frozenset(
    "just now also already then finally gladly quickly both all successfully even still simply therefore "
    "since however gently personally happily duly once again only".split()
)
_IRREGULAR = frozenset(
    "went gone gave given made got gotten took taken brought put told left kept sent let had did done set "
    "shut cut hit lit held ran began begun drew drawn drove driven rose risen fell fallen threw thrown spun "
    "swung hung built woke woken wound wrote written laid led lent slid stuck struck swept tore torn won "
    "shown spoken shaken blown frozen hidden dealt burnt bent sunk shrunk".split()
)
# What one does with one's head and mouth changes nothing in a room.
_MENTAL = frozenset(
    "say said think thought know knew known hear heard see saw seen feel felt find found learn learned "
    "learnt understand understood mean meant read want wanted need needed like liked love loved hope hoped "
    "wonder wondered wondering mention mentioned explain explained answer answered listed tried try look "
    "looked looking search searched check checked asked ask seem seemed receive received help helped helping "
    "talk talked talking discuss discussed describe described notice noticed remember remembered forget "
    "forgot forgotten believe believed guess guessed suppose supposed assume assumed misheard misunderstood "
    "become became been be miss missed failed struggled recommend recommended recommending suggest suggested "
    "suggesting agree agreed speak spoke listening thinking learning refer referred referring imagine "
    "imagined invented existed evolved designed trained programmed limited supposed allowed used happened "
    "lived afraid sorry experienced compared counted calculated worked start stay stayed wait waiting waited "
    "tell depend require cost last".split()
)
_DEFINITE = frozenset("the your that this those these all both every each our".split())
_WHEN = frozenset(
    "tonight tomorrow soon shortly later morning evening midnight noon minute hour second".split()
)
_HEDGED = frozenset(
    "may might could would can should probably perhaps maybe if not never no cannot nothing".split()
)


def loose_claim(main: list[Word]) -> Claim | None:
    texts = [word.text for word in main if word.text not in _ADVERBS and not word.text.endswith("ly")]
    if len(texts) < 3 or _HEDGED & set(texts):
        return None
    if texts[0] in {"i", "we"}:
        return _by_us(texts, main)
    return _of_thing(texts, main)


def _by_us(texts: list[str], main: list[Word]) -> Claim | None:
    aspect, at = _tense(texts, 1)
    if aspect is None or texts[at] in _MENTAL or _kept(texts[at:]) or not _object(texts[at + 1 :]):
        return None
    return _claim(aspect, main)


def _kept(texts: list[str]) -> bool:
    """ "I will leave the light on" changes nothing, "I will keep an eye on the oven" promises something."""
    states = [at for at, text in enumerate(texts) if text in STATES or text in {"as", "alone", "way"}]
    return texts[0] in {"leave", "keep", "leaving", "keeping", "left", "kept"} and any(
        not _DEFINITE & set(texts[at + 1 : at + 2]) for at in states
    )


def _of_thing(texts: list[str], main: list[Word]) -> Claim | None:
    """ "The music has faded", "your alarm will go off at six", "your kitchen is bathed in light"."""
    helped = (n for n, text in enumerate(texts) if text in {"has", "have", "will", "is", "are"})
    past = (n for n in range(2, min(len(texts), 6)) if _participle(texts, n) and texts[0] == "your")
    at = next(helped, 0) or next(past, 0)
    thing = texts[at - 1]
    if not 2 <= at <= 6 or texts[0] not in _DEFINITE or not (is_thing(thing) or thing in {"home", "house"}):
        return None
    aspect, verb = _tense(texts, at)
    if aspect is None or texts[verb] in _MENTAL:
        return None
    yours = texts[0] == "your"
    present = texts[at] in {"is", "are"}
    soon = any(singular(text) in _WHEN or text[:1].isdigit() for text in texts)
    if (present and not yours) or (aspect is Aspect.FUTURE and not (yours and soon)):
        return None
    claim = _claim(aspect, main)
    claim.kind = Kind.STATE if present and aspect is Aspect.DONE else claim.kind
    return claim


def _tense(texts: list[str], at: int) -> tuple[Aspect | None, int]:
    """How the verb group that begins at `at` is meant, and where its verb is."""
    rest = texts[at:]
    helper = rest[0] if rest else ""
    if helper in {"have", "has"}:
        return _perfect(texts, at)
    if helper == "will":
        verb = at + 1 + (rest[1:2] == ["be"])
        return (Aspect.FUTURE, verb) if verb < len(texts) else (None, at)
    if rest[:3] in (["am", "going", "to"], ["are", "going", "to"]) and len(rest) > 3:
        return Aspect.FUTURE, at + 3
    if helper in {"am", "is", "are"}:
        return _present(texts, at), at + 1
    return (Aspect.DONE, at) if _participle(texts, at) else (None, at)


def _perfect(texts: list[str], at: int) -> tuple[Aspect | None, int]:
    if {"the", "your"} & set(texts[at + 1 : at + 2]) and _resulting(texts[at + 2 :]):
        return Aspect.ONGOING, at  # "I have the oven preheating"
    verb = at + 1 + (texts[at + 1 : at + 2] == ["been"])
    return (Aspect.DONE, verb) if _participle(texts, verb) else (None, at)


def _present(texts: list[str], at: int) -> Aspect | None:
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if following.endswith("ing") and len(following) > 4:
        return Aspect.ONGOING
    so = _participle(texts, at + 1) or following in {"under", "in", "ready"}
    return Aspect.DONE if so and texts[0] not in {"i", "we"} else None


def _resulting(rest: list[str]) -> bool:
    """ "oven preheating", "lights off": a thing, and what was made of it."""
    for at, text in enumerate(rest[:-1]):
        if is_thing(text):
            following = rest[at + 1]
            return following.endswith("ing") or following in STATES or _participle(rest, at + 1)
    return False


def _participle(texts: list[str], at: int) -> bool:
    word = texts[at] if at < len(texts) else ""
    regular = word.endswith("ed") and len(word) > 3 and not word.endswith("eed")
    return regular or word in _IRREGULAR or any(form.tense == "past" for form in FORMS.get(word, ()))


def _object(rest: list[str]) -> bool:
    """Whether something of this home is named: "the lamp", "your coffee", "the kitchen"."""
    in_room = any(singular(text) in ROOMS for text in rest) and any(text in STATES for text in rest)
    return is_definite(rest) or in_room


def is_definite(texts: list[str]) -> bool:
    """Whether a certain thing is spoken of, and not any of its kind."""
    return any(
        is_thing(text) and kind_of(text) != "list" and _DEFINITE & set(texts[max(0, at - 3) : at])
        for at, text in enumerate(texts)
    )


def _claim(aspect: Aspect, main: list[Word]) -> Claim:
    thing = thing_in(main)
    return Claim(Kind.ACT, aspect, "", [thing], every=not thing)


_SINGLE = re.compile(r"(?:and |now |all )*(\w+)(?: now| too| already)*")


def single_state(text: str) -> Claim | None:
    """ "Off.", "All locked.": a state and nothing else."""
    match = _SINGLE.fullmatch(text)
    effect = {**STATES, "gone": "off"}.get(match[1], "") if match else ""
    return Claim(Kind.STATE, effect=effect, every=True) if effect and effect != "fine" else None
