"""Finds the verb by which a clause claims an action, and how: done, under way, promised, tried."""

from dataclasses import dataclass

from voice_gateway.brain.receipts_aspect import HELPERS, UNCHANGING, Place, aspect_of, place_of
from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind, thing_in
from voice_gateway.brain.receipts_verbs import FORMS, MODES, OPPOSITE, PARTICLES, SENDING, STATES, Form
from voice_gateway.brain.receipts_words import DETERMINERS, ROOMS, Word, is_thing, kind_of


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found at a verb; `governs` is what a following bare clause shares."""

    claim: Claim | None
    governs: str  # "act", "state", or "none" where the verb claims nothing


_NOTHING = Reading(None, "none")
_NEGATIVE = frozenset(
    "no none nothing not never unable failed cannot nor neither hardly without refused unsuccessful".split()
)
_OTHER_PEOPLE = frozenset(
    "you he she someone somebody people who everyone anyone nobody user users they engineers".split()
)
_OURSELVES = frozenset("i we it that this assistant gateway server tool system home command request".split())
_STRONG = frozenset("turn switch dim brighten unlock lock mute unmute activate deactivate arm disarm".split())
_STRONG_FORMS = frozenset(word for word, forms in FORMS.items() if forms[0].base in _STRONG)
_VAGUE = frozenset(
    "make put bring carry handle process move draw pull roll play light wake run kill change create complete "
    "record perform save warm heat cool apply begin clear implement control "
    "power flip execute".split()
)
_BEFORE_VERBS = HELPERS | {
    "i",
    "we",
    "you",
    "they",
    "please",
    "also",
    "then",
    "now",
    "again",
    "gladly",
    "help",
}
_OBJECTS = frozenset("it that them this".split())
_LONG_AGO = frozenset("during yesterday ago last century invented history by centuries decades".split())
_HARMLESS = frozenset(
    "understood heard learned learnt noticed needed wanted liked enjoyed loved hoped mentioned explained "
    "answered listed included tried looked searched checked asked seemed received helped talked discussed "
    "designed trained programmed interested pleased delighted limited excited based supposed allowed "
    "confused tired used ended missed failed struggled worked stayed lived existed travelled happened "
    "provided finished".split()
)


def act_in(main: list[Word], shared: str) -> Reading | None:
    """None when the clause has no verb of action. `shared` is what the clause before it was about."""
    texts = [word.text for word in main]
    verb = False
    for at, word in enumerate(main):
        known = word.text in FORMS and not (_is_noun(main, at) or _adjective(texts, at) or _idiom(main, at))
        if known or _unknown_perfect(texts, at):
            reading = _at_verb(main, place_of(texts, at), shared)
            if reading is not None:
                return reading
            verb = True
    return _NOTHING if verb else None


def _is_noun(main: list[Word], at: int) -> bool:
    """ "the light", "the power", "the order": a verb's form that stands where a thing is named."""
    before = main[at - 1].text if at else ""
    following = main[at + 1].text if at + 1 < len(main) else ""
    word = main[at]
    if before in DETERMINERS and before not in {"that", "this", "all", "both"}:
        return True
    if word.name and word.text not in {"turned", "set"}:
        return True
    if before in {"for", "of", "with", "from", "by", "as", "an"}:  # "for sent messages"
        return not word.text.endswith("ing") or before == "an"
    if all(form.tense == "base" for form in FORMS[word.text]) and at and before not in _BEFORE_VERBS:
        return True
    said_of_it = {"is", "are", "has", "have", "was", "were"}.intersection(one.text for one in main[at + 1 :])
    return is_thing(word.text) and (is_thing(before) or following == "in" or bool(said_of_it))


def _adjective(texts: list[str], at: int) -> bool:
    """ "is open": a state, not a verb."""
    copula = bool(set(texts[:at]) & {"is", "are", "was", "were", "be", "stays"})
    return texts[at] in {"open", "secure", "clean"} and copula


def _idiom(main: list[Word], at: int) -> bool:
    """ "started closing" is about closing; "it turned out" and "I set out" are about nothing of ours."""
    following = main[at + 1].text if at + 1 < len(main) else ""
    if [word.text for word in main[at + 1 : at + 3]] == ["in", "on"]:  # "closing in on"
        return True
    if main[at].text == "running" and following in {"low", "out", "late", "short"}:
        return True
    if following == "out":
        return not any(is_thing(word.text) for word in main)
    begins = main[at].text in {"start", "started", "starting", "begin", "began", "begun"}
    return begins and any(form.tense == "ing" for form in FORMS.get(following, ()))


def _unknown_perfect(texts: list[str], at: int) -> bool:
    """ "I have watered the plants": any other verb that says we did something."""
    word = texts[at]
    if not word.endswith("ed") or word in _HARMLESS or word in FORMS or len(word) < 5:
        return False
    return place_of(texts, at).subject == ["i"] and "have" in texts[:at] and at + 1 < len(texts)


def _at_verb(main: list[Word], place: Place, shared: str) -> Reading | None:
    forms = FORMS.get(place.verb, [Form(place.verb, "past", "")])
    if place.subjects & _OTHER_PEOPLE and not place.helping & {"been", "were", "was", "are"}:
        return _NOTHING
    aspect = next((found for form in forms if (found := aspect_of(form, place))), None)
    if aspect is None and place.bare and shared == "act" and forms[0].tense == "base":
        aspect = "future"
    if aspect is None or (place.bare and shared == "none"):
        return None
    alone = len(place.texts) == 1 and place.verb in STATES  # "Locked."
    if place.bare and (shared == "state" or alone) and aspect == "done":
        aspect = "state"
    if forms[0].base in SENDING and aspect == "done":
        aspect = "sent"
    return _reading(main, place, forms[0], aspect) if _ours(forms[0], main, place) else _NOTHING


def _reading(main: list[Word], place: Place, form: Form, aspect: str) -> Reading:
    effect = _effect(form, place)
    negated = bool((place.helping | place.subjects) & _NEGATIVE)
    if aspect == "ongoing" and "longer" in place.helping:  # "is no longer running"
        aspect = "state"
    if aspect == "state":
        if place.texts[0] in {"a", "an"}:
            return _NOTHING  # "a heater that is turned off": any
        taken_back = negated or "longer" in place.texts[: place.at]
        effect = OPPOSITE.get(effect, "") if taken_back else effect
        claim = _claim(Kind.STATE, Aspect.DONE, effect, main, place)
        claim.still |= taken_back
        return Reading(claim, "state")
    if negated:
        return Reading(_claim(Kind.FAILED, Aspect.DONE, effect, main, place), "none")
    if form.base in {"cool", "warm", "heat"} and place.subject[-1:] and place.subject[-1] in ROOMS | {"room"}:
        return _NOTHING  # "the bathroom will cool down": what comes of it
    claim = _claim(Kind.ACT, Aspect(aspect), effect, main, place)
    claim.verb, claim.bare = form.base, place.bare
    return Reading(claim, "act")


def _claim(kind: Kind, aspect: Aspect, effect: str, main: list[Word], place: Place) -> Claim:
    subject = next((at for at in range(place.at) if main[at].text in HELPERS), 0)
    thing = thing_in(main, subject, _behind(place))
    weak = _is_weak(kind, aspect, main, place) and not {"now", "already"} & set(place.texts)
    return Claim(kind, aspect, effect, [thing], every=not thing, still="still" in place.texts, weak=weak)


def _is_weak(kind: Kind, aspect: Aspect, main: list[Word], place: Place) -> bool:
    """What may as well be prose: "it is performed", "the meeting was moved", "set the oven to 180"."""
    of_home = any(is_thing(word.text) and kind_of(word.text) not in {"list", "media"} for word in main)
    following = place.texts[place.at + 1 : place.at + 2]
    pronoun = bool(set(place.subject[-1:]) & {"it", "that", "this", "they"})
    vague = kind is Kind.STATE or place.verb not in _STRONG_FORMS
    imperative = place.bare and bool(set(following) & {"the", "a", "your", "this"})
    past = bool(place.helping & {"was", "were"}) and "been" not in place.helping
    return (
        aspect is Aspect.HEDGED
        or (imperative and place.verb in UNCHANGING)
        or (not of_home and (past or (pronoun and vague)))
    )


def _behind(place: Place) -> int:
    """Where the verb ends, its particle included: "turned on"."""
    following = place.texts[place.at + 1 : place.at + 2]
    return place.at + 1 if following and following[0] in PARTICLES else place.at


def _of_others(place: Place, *, ourselves: bool) -> bool:
    """History, stories, and what was once done with ourselves."""
    years = any(text.isdigit() and 1000 <= int(text) <= 2200 for text in place.texts)
    past = bool(set(place.texts) & _LONG_AGO or years) and not {"will", "your"} & {
        *place.helping,
        *place.subject,
    }
    if not ourselves and (past or place.subject[0] == "my"):
        return True
    if place.subject[:1] in (["a"], ["an"]) and not place.helping:  # "a little robot turned on the lamp"
        return kind_of(place.subject[-1]) != "timer"
    # "I was created by", "I am limited"
    return "i" in place.subjects and bool(place.helping & {"am", "was", "been"}) and place.verb.endswith("ed")


def _ours(form: Form, main: list[Word], place: Place) -> bool:
    """Whether it is said of us or of the home, and not of history or of other people."""
    ourselves = not place.subject or bool(place.subjects & {"i", "we"})
    if _of_others(place, ourselves=ourselves):
        return False
    following = place.texts[place.at + 1 : place.at + 2]
    if form.base == "rise" and (ourselves or not set(following) & set(PARTICLES)):
        return False  # only "the volume went up", "the lights came on"
    if ourselves:
        rest = set(place.texts[place.at + 1 :])
        home = any(is_thing(word.text) or word.name for word in main)
        playing = form.base == "play" and place.bare
        return form.base not in _VAGUE or playing or home or bool(rest & (_OBJECTS | set(STATES)))
    passive = bool(place.helping & {"been", "was", "were", "is", "are", "being"})
    if "been" in place.helping and any(is_thing(word.text) for word in main):
        return True  # "milk has been added to the list"
    near = place.subject[-4:]  # what stands next to the verb: "this is a decision made" is not about this
    return (
        any(is_thing(text) for text in near) or near[-1] in _OURSELVES or (passive and form.base in _STRONG)
    )


def _effect(form: Form, place: Place) -> str:
    following = place.texts[place.at + 1 :]
    if following[-2:-1] == ["to"] and following[-1] in MODES:
        return following[-1]
    if form.base == "shut" and following[:1] in (["off"], ["down"]):
        return "off"
    if form.effect and form.base not in {"set", "adjust", "light", "run"}:
        return form.effect
    for at, text in enumerate(following):
        after = following[at + 1] if at + 1 < len(following) else ""
        if PARTICLES.get(text) and not (text == "on" and after in DETERMINERS and at > 0):
            return PARTICLES[text]
    if form.base in {"change", "make", "put", "set", "adjust", "roll", "bring", "draw", "move", "pull"}:
        found = next((STATES[text] for text in following if text in STATES), "")
        return found or form.effect
    return form.effect
