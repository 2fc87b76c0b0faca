"""From a sentence to its claims. Questions, offers, refusals, conditions and quotations claim nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from voice_gateway.brain.receipts_acts import act_in
from voice_gateway.brain.receipts_amounts import amounts_in
from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind, Thing, thing_in, whole
from voice_gateway.brain.receipts_languages import foreign_claim
from voice_gateway.brain.receipts_loose import is_definite, loose_claim, single_state
from voice_gateway.brain.receipts_phrases import phrase, promise
from voice_gateway.brain.receipts_states import state_in, time_in, timers_in
from voice_gateway.brain.receipts_verbs import FORMS, STATES
from voice_gateway.brain.receipts_words import EMPTY, KINDS, ROOMS, Word, is_thing, plain, words_of

_BREAKS = frozenset(", ; : — – … . ! ? (".split())
_ENDS = frozenset("; . ! ? … but".split())
_AND = "and"
_END = ";"  # stands at the head of a clause that shares nothing with the one before it
_JOINS = frozenset("and but then while so because although though however plus or".split())
_CONDITIONS = frozenset("if unless whether".split())
_MOMENTS = frozenset("when whenever once until till before after where wherever".split())
_INTERROGATIVES = frozenset(
    "is are was were do does did have has can could would will shall should may am what who where when why "
    "how which whose want need".split()
)
_LONGEST = 1000  # characters of one sentence
_TITLE = 4  # words: "Floor lamp: …" names what the rest is about
_ACK_WORDS = frozenset(
    "okay ok sure certainly absolutely yes yeah yep alright great perfect well sorry unfortunately also "
    "finally additionally great good please hello hi oh ah right as".split()
)
# What comes behind is claimed all the same.
_OPINION = re.compile(
    r"(?:the (?:\w+ ){1,3}(?:reports?|says?|tells me|indicates?)(?= (?:that )?it\b)|i (?:would (?:say|guess|"
    r"think|estimate)|think|believe|see|suppose|guess|know|can see|can confirm|can tell you|am sure|am "
    r"certain|am pretty sure|am happy to say|am told)|it (?:looks|seems) like|it appears|my records show|"
    r"(?:my|the) (?:\w+ )?(?:sensors?|records?|system|logs?|data|app|hub|controller|tool)s? (?:says?|tells?|"
    r"shows?|reports?|indicates?)(?: me)?) (?:that )?(?=\w)"
)
_TO_USER = re.compile(r"(?:just |please |then )*(?:say|tell me|ask me|give me|let me know)\b")
_SWEEPING = re.compile(
    r"\beverything\b|\b(?:all|both|every|each|entire|whole)(?: (?:of|the|your|my|our|other|remaining|"
    r"single))*(?: \w+)? (?:\w+s|light|lamp|door|window|room|house|home|device)\b"
)
_SAID = frozenset(
    "said say says asked ask told tell want wanted mentioned requested need needed like liked meant can "
    "could may might should would have turned set".split()
)


_VERBAL = frozenset(
    "is are was were am do does did have has had not will would can could may might should must i we he she "
    "you who uses use seems looks sounds me us".split()
)


@dataclass(slots=True)
class _Sentence:
    question: bool
    hypothetical: bool = False
    claims: list[Claim] = field(default_factory=list)
    waiting: list[Thing] = field(default_factory=list)  # named before the verb that they share
    named: Thing | None = None  # the thing of this home that was named last: "the heater", not "a heater"
    shared: str = "start"  # what a clause without a subject shares: "start", "act", "state" or "none"


def claims_in(sentence: str) -> list[Claim]:
    """All claims of one sentence, in order."""
    state = _Sentence(question="?" in plain(sentence))
    for piece in pieces_in(sentence):
        _read(piece, state)
        texts = [word.text for word in piece]
        titled = len(piece) <= _TITLE and any(map(is_thing, texts)) and not {"a", "an"} & set(texts)
        if titled or is_definite(texts):
            last = max(place for place, text in enumerate(texts) if is_thing(text))
            state.named = thing_in(piece[: last + 1], opened=titled) or state.named
    if not state.claims and (foreign := foreign_claim(sentence)) is not None:
        return [foreign]
    return state.claims


def clauses_of(text: str) -> list[str]:
    """The clauses of a text, each as its words with spaces between them."""
    return [" ".join(word.text for word in piece if word.text.isalnum()) for piece in pieces_in(text)]


@lru_cache(maxsize=64)  # each check of a sentence begins with its clauses
def pieces_in(text: str) -> list[list[Word]]:
    return _pieces(words_of(plain(text)))


_QUESTION_BEHIND = re.compile(
    r"(.*[,;:—–.!])\s+(?:(?:and|so|but|or|now|then) )*(?:shall|should|would|do|does|did|can|could|is|are|was|"
    r"will|may|want|need|what|which|who|where|when|why|how|have|has|am|anything)\b[^?]*\?.*",
    re.IGNORECASE | re.DOTALL,
)


def before_question(sentence: str) -> str:
    """What is stated before something is asked: "The door is open, shall I close it?" """
    match = _QUESTION_BEHIND.fullmatch(sentence[:_LONGEST]) if "?" in sentence else None
    stated = match[1].rpartition("?")[2].rstrip(",;:—–") if match else ""
    asks = {"how", "what", "which", "who", "where", "when", "why"} & set(stated.lower().split()[:2])
    return "" if asks else stated  # "For how long: how many minutes?"


def _pieces(words: Sequence[Word]) -> list[list[Word]]:
    pieces: list[list[Word]] = [[]]
    for place, word in enumerate(words):
        following = words[place + 1].text if place + 1 < len(words) else ""
        state = following in STATES or any(form.tense in {"ing", "past"} for form in FORMS.get(following, ()))
        if word.text == _AND and [one.text for one in words[place + 1 : place + 3]] == ["a", "half"]:
            pieces[-1].append(word)  # "an hour and a half"
        elif word.text in {":", "("} and state:
            pieces[-1].append(Word("is"))
        elif word.text in _BREAKS or word.text in _JOINS:
            pieces.append([Word(_END)] if word.text in _ENDS else [word] if word.text == _AND else [])
        elif word.text not in {"-", "°"}:
            pieces[-1].append(word)
    return [piece for piece in pieces if piece and piece != [Word(_AND)]]


def _read(piece: list[Word], state: _Sentence) -> None:
    if piece[0].text == _END:
        state.shared, state.waiting, state.hypothetical = "start", [], False
    joined = piece[0].text == _AND
    if (promised := promise(" ".join(word.text for word in piece))) and amounts_in(piece):
        promised.amounts = amounts_in(piece)
        state.claims.append(promised)
        return
    piece = _without_ack(piece[piece[0].text in {_END, _AND} :])
    main, condition = _split_condition(piece)
    if condition and (condition[0].text in _CONDITIONS or any(word.text == "you" for word in condition)):
        state.hypothetical = True
    if _TO_USER.match(" ".join(word.text for word in main)):  # "Say the word and I will turn it off"
        state.hypothetical = True
        return
    if not main:  # also a clause that is nothing but a condition
        return
    if _asks(main, state) or _reports(main):
        state.shared = "none"
        return
    if state.claims and not state.question and main[0].text in {"is", "are", "does", "do"}:
        state.claims[-1].things.append(thing_in(main[1:], opened=True))  # "…, and so is the oven"
        return
    claim = _claim(main, state, conditional=bool(condition))
    if claim is None:
        _attach(main, state, joined=joined)
        return
    _refer(claim, main, state)
    _inherit(claim, main, state)
    claim.things = [*state.waiting, *(_completed(thing, state.waiting) for thing in claim.things)]
    claim.every |= len(state.waiting) > 0 and not all(claim.things)
    state.waiting = []
    state.claims.append(claim)


def _refer(claim: Claim, main: list[Word], state: _Sentence) -> None:
    """ "The lamp does not answer, so it may still be on": it is the thing that was named last."""
    if state.named is None or main[0].text not in {"it", "they"} or any(claim.things) or whole(main):
        return
    claim.things, claim.every = [state.named], False
    claim.weak &= claim.aspect is Aspect.HEDGED


def _completed(thing: Thing, before: list[Thing]) -> Thing:
    """ "The lamps in the kitchen and the bedroom": the lamp in the bedroom is meant, not the room."""
    if not before or not thing.words or thing.words - ROOMS:
        return thing
    return replace(thing, words=thing.words | {word for word in before[-1].words if word in KINDS})


def _inherit(claim: Claim, main: list[Word], state: _Sentence) -> None:
    """ "The lamp is on and set to 30": the second half is about the same thing."""
    before = state.claims[-1] if state.claims else None
    nameless = claim.things and not any(claim.things) and not whole(main) and not state.waiting
    if before is not None and nameless and any(before.things) and claim.kind in {Kind.ACT, Kind.STATE}:
        claim.things, claim.every = list(before.things), before.every
        claim.weak |= before.weak


def _claim(main: list[Word], state: _Sentence, *, conditional: bool) -> Claim | None:
    text = " ".join(word.text for word in main)
    found = phrase(text) or timers_in(main)
    if found is None:
        reading = act_in(main, state.shared)
        if reading is not None:
            state.shared = reading.governs
            found = reading.claim or (loose_claim(main) if main[0].text in {"i", "we"} else None)
            if found is None:
                return None
    if found is None:
        found = time_in(main) or state_in(main)
        state.shared = state.shared if found is None else "state"
    if found is None:
        found = loose_claim(main) or (single_state(text) if state.shared == "start" else None)
        state.shared = state.shared if found is None else "act"
    if found is None or _void(found, state, conditional=conditional):
        return None
    return _filled(found, main)


def _filled(claim: Claim, main: list[Word]) -> Claim:
    if claim.kind is not Kind.LOOKED and not (claim.amounts or claim.kind is Kind.TIME):
        claim.amounts = amounts_in(main)
    if claim.kind is Kind.TIME:
        claim.amounts = amounts_in(main)
    claim.every |= whole(main)
    claim.sweeping |= bool(claim.effect) and bool(_SWEEPING.search(" ".join(word.text for word in main)))
    return claim


def _void(claim: Claim, state: _Sentence, *, conditional: bool) -> bool:
    """Whether the sentence around it takes the claim back."""
    done = claim.kind is Kind.ACT and claim.aspect == "done"
    if state.question and not done:
        return True
    if claim.kind is Kind.STATE and conditional:
        return True
    return state.hypothetical and not done


def _without_ack(piece: list[Word]) -> list[Word]:
    start = 0
    while start < len(piece) - 1 and piece[start].text in _ACK_WORDS:
        start += 1
    opinion = _OPINION.match(" ".join(word.text for word in piece[start:]) + " ")
    return piece[start + len(opinion[0].split()) if opinion else start :]


def _split_condition(piece: list[Word]) -> tuple[list[Word], list[Word]]:
    for place, word in enumerate(piece):
        if word.text in _CONDITIONS or word.text in _MOMENTS:
            return piece[:place], piece[place:]
    return piece, []


def _asks(main: list[Word], state: _Sentence) -> bool:
    return state.question and main[0].text in _INTERROGATIVES


def _reports(main: list[Word]) -> bool:
    """What the user said, wants or may do is not our claim."""
    texts = [word.text for word in main[:6]]
    if "you" not in texts:
        return False
    following = texts[texts.index("you") + 1 :]
    adverbs = {"just", "have", "already", "also", "still", "to"}
    return next((word for word in following if word not in adverbs), "") in _SAID


def _attach(main: list[Word], state: _Sentence, *, joined: bool) -> None:
    """A clause without a verb of its own shares the one before it, or the one to come."""
    if any(word.text in _VERBAL for word in main):
        state.shared = "none"
        return
    thing = thing_in(main, opened=joined)  # "milk and eggs": what is joined is another thing
    known = any(is_thing(word.text) or word.name for word in main)
    if not known and not (joined and state.claims and state.claims[-1].kind is Kind.ACT):
        thing = Thing(frozenset())  # "armed and ready", "…, enjoy the film": no thing of ours
    amounts = amounts_in(main)
    if state.claims and state.shared in {"act", "state"}:
        if thing:
            state.claims[-1].things.append(thing)
        state.claims[-1].amounts.add(amounts)
    else:
        state.waiting += [thing] if thing and len(main) <= 6 else []
        if any(word.text.isalpha() and word.text not in EMPTY | _ACK_WORDS for word in main):
            state.shared = "none"
