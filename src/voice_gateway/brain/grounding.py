"""What a model may say of this home: an allow-list by the kind of turn, never by how a claim is worded.

The tools speak, the model only decides. Where we are unsure, our own true sentence is said instead of the
model's: an error costs a nicety and never the truth. `docs/honest-replies.md` has what a user may rely on.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from home_words.question import is_question
from voice_gateway.brain.languages import (
    LEAST_STEM,
    Language,
    data,
    is_kind,
    languages,
    languages_of,
    listed,
    own_sentence,
    singular,
    spelled_out,
    tool_verbs,
    words_in,
)
from voice_gateway.brain.local.speech_act import SpeechAct, classify
from voice_gateway.brain.render_outcomes import render_outcomes
from voice_gateway.turn import OutcomeStatus, ToolOutcome

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_BREAK = re.compile(r"[,:](?!\d)|[;()–—…]|\s-\s|[、，；：。]")
LONGEST = 2_000  # characters that are looked at; a model that goes round in circles writes more
_PARTICLES = frozenset("on off up down in out".split())
_DULL = frozenset(
    "get set list control check show current all the and for new data tool device state".split()
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm)\b|o'clock", re.IGNORECASE)
_IT_IS = re.compile(  # how something is that nobody spoke of
    r"\b(?:it|everything|all|they|both|things) (?:is|are) (?:all |now |still |already )*"
    r"(?:on|off|open|closed|shut|lit|secure|safe|done|(?:\w+ )?\d+ (?:degrees|percent)|.*\d+ degrees)\b"
)
_YOURS = re.compile(r"(?:\w+ ){0,1}your .*\b(?:is|are|has|have|will|was)\b")  # what the user owns, as it is


def _singulars(name: str) -> str:
    return " ".join(singular(word) for word in name.split())


def _spaced(name: str) -> str:
    return " ".join(words_in(name))


class TurnKind(StrEnum):
    """What the user's words are, as far as that decides what may be answered without a call."""

    TALK = "plainly talk"  # nothing of this home, no tool's subject, no wish
    HOME = "a wish, or a question about the home"
    UNCLEAR = "unclear, or in a language whose words we do not have"


@dataclass(frozen=True)
class HomeNames:
    """The names of devices and rooms of this home, in small letters."""

    devices: frozenset[str] = frozenset()
    rooms: frozenset[str] = frozenset()

    @classmethod
    def of(cls, devices: Iterable[Any]) -> "HomeNames":
        """Of anything that has a `name` and a `room`: the local brain's cached devices."""
        known = list(devices)
        return cls(
            frozenset(key for device in known if (key := _spaced(device.name or ""))),
            frozenset(key for device in known if (key := _spaced(device.room or ""))),
        )

    def named_in(self, text: str) -> frozenset[str]:
        padded = f" {' '.join(singular(word) for word in words_in(text))} "
        return frozenset(name for name in self.devices | self.rooms if f" {_singulars(name)} " in padded)


# ---------------------------------------------------------------- the user's words


def turn_kind(said: str, home: HomeNames, tools: Iterable["BaseTool"] = ()) -> TurnKind:
    """Whether these words are plainly talk. Only what shows it is: doubt is never talk."""
    act, words, known = classify(said, home.devices | home.rooms, tools), words_in(said), languages_of(said)
    if act is SpeechAct.TALK or languages()["en"].pattern("talk").fullmatch(" ".join(words)):
        return TurnKind.TALK
    if act is not SpeechAct.UNCLEAR or home.named_in(said) or any(map(is_kind, words)):
        return TurnKind.HOME
    if any(one.code != "en" and one.speaks_of_home(words) for one in known):
        return TurnKind.HOME
    foreign = (one for one in known or languages().values() if one.code != "en")
    talk = any(one.pattern("talk").match(f"{' '.join(words)} ") for one in foreign)
    return TurnKind.TALK if talk else TurnKind.UNCLEAR


def _asked_verb(said: str) -> str:
    """The first word behind all politeness: that of a request is a verb."""
    text = " ".join(words_in(said))
    return next(iter(re.sub(rf"^{languages()['en'].own['request']}", "", f"{text} ").split()), "")


def _tool_words(tools: Iterable["BaseTool"]) -> set[str]:
    """What the tools of other servers are about, by their names."""
    words = {word for tool in tools for word in re.split(r"[_\W]+", tool.name.casefold())}
    return {word for word in words if len(word) >= LEAST_STEM} - _DULL


# ---------------------------------------------------------------- one sentence


def _takes_for_granted(question: str) -> bool:
    """ "Shall I lock it again?": after a wish that no call served this tells that it was served."""
    known = languages_of(question)
    granted = {word for one in known for word in listed("granted", one.code)}
    back = "|".join(form for one in known for form in data()["asks_back"][one.code])
    asks_back = re.search(rf"\b(?:{back})\b", spelled_out(question))
    return bool(granted & set(words_in(question))) or (bool(known) and not asks_back)


def _more_than_done(sentence: str) -> bool:
    """ "I can't turn it up any further": somebody did already."""
    known = languages_of(sentence)
    english = any(one.code == "en" for one in known)
    told = _DONE_BEFORE if english else {word for one in known for word in listed("granted", one.code)}
    return bool(set(told) & set(words_in(sentence)))


_DONE_BEFORE = frozenset("again already further longer anymore than twice".split())


def claims_nothing(sentence: str) -> bool:
    """Nothing but a question, or first-person inability, refusal or offer: each clause of it."""
    return any(_asks_only(sentence, one) or _unable_only(sentence, one) for one in languages_of(sentence))


def _asks_only(sentence: str, language: Language) -> bool:
    """One question, and nothing told with it, as in "how do you like the lamp that I turned on?"."""
    clauses = _clauses(sentence, language)
    asked = [clause for clause in clauses if not _is_unable(clause, language, first=True)]
    if not is_question(sentence) or not asked or not language.asks.match(asked[0]):
        return False
    words, me = asked[0].split(), set(language.own["me"].split())
    before_me = [words[place - 1] if place else "" for place, word in enumerate(words) if word in me]
    asking = all(before in _MODALS or language.asks.match(f"{before} {min(me)}") for before in before_me)
    if language.code != "en":  # in one clause, and not how something is
        return asking and len(asked) == 1 and not language.states & set(words[2:])
    if not _WHICH.match(asked[0]) and (listed("subjects", "states") & set(words) or any(map(is_kind, words))):
        return False
    return asking and all(clause.split()[0] in _OR for clause in asked[1:])


def _unable_only(sentence: str, language: Language) -> bool:
    clauses = _clauses(sentence, language)
    found = [_is_unable(clause, language, first=not place) for place, clause in enumerate(clauses)]
    return bool(found) and all(found) and not is_question(sentence)


def _is_unable(clause: str, language: Language, *, first: bool) -> bool:
    words = clause.split()
    if language.code == "en" and not first and _goes_on(words):
        return True
    stated = re.split(r"\b(?:if|whether|which|ob|si|se|om|czy|ha)\b", clause)[0].split()
    that = set(data()["that"].get(language.code, "").split())  # first it is a pronoun: "dat kan ik niet"
    telling = language.states & set(stated[2:]) or that & set(words[1:]) or _sensed(" ".join(stated))
    telling = telling or (stated != words and language.code in _SAYS_ME and not _me(language) & set(words))
    return bool(language.unable.fullmatch(clause)) and not telling


# Where "I" is always said: "säg till om du vill ha den släckt" tells that it is lit.
_SAYS_ME = frozenset("de fr nl sv da nb".split())


def _me(language: Language) -> set[str]:
    return set(language.own["me"].split())


def _sensed(clause: str) -> bool:
    """ "I see no open window": who says so has looked. Not "I can't find a way to open it"."""
    found = re.match(r"i (?:\w+ ){0,4}?(?:see|find|hear|notice|have|know of) (.*)", clause)
    if re.search(r"\bonly (?:see|find|hear|read)\b", clause):
        return True
    words = re.sub(r"\bto \w+", "to", found[1]).split() if found else []
    states = listed("subjects", "states") & set(words)
    if not set(words[-1:]) & _PARTICLES:
        states -= _PARTICLES  # "nothing on that"
    return bool(states) and not (tool_verbs() - states) & set(words)


def _goes_on(words: Sequence[str]) -> bool:
    """Behind "I could dim it": "and lock the door", "if you like". Behind "I can't": "it has no motor"."""
    if words[0] in listed("verbs", "base") | _PARTICLES | _OR or words[0] == "if":
        return words[0] == "if" or not languages()["en"].states & set(words)
    factual = listed("subjects", "states") | tool_verbs() | {"i", "we"}
    return bool({"no", "not"} & set(words)) and not factual & set(words) and not any(map(is_kind, words))


def _clauses(sentence: str, language: Language) -> list[str]:
    pieces = [spelled_out(piece) for piece in _BREAK.split(sentence)]
    if joins := language.own.get("joins"):
        pattern = re.compile(rf"(?<=\w )(?:{'|'.join(joins.split())})\b(?<!that(?= for\b))")
        pieces = [_LEADING.sub("", part.strip()) for piece in pieces for part in pattern.split(piece)]
    return [piece for piece in pieces if piece and piece not in _NICETIES]


def _says_we_did(sentence: str) -> bool:
    """ "I" or "we" with a verb that a tool carries out; elsewhere the person may be in the verb itself."""
    for one in languages_of(sentence) or (languages()["en"],):
        if one.code != "en" and one.speaks_of_home(words_in(sentence)):
            return True
        if one.code != "en":
            continue
        openings = (spelled_out(piece).split() for piece in _BREAK.split(sentence))
        if any(map(_is_doing, openings)) or any(_did(clause.split()) for clause in _clauses(sentence, one)):
            return True
    return False


def _is_doing(words: Sequence[str]) -> bool:
    """ "Dimming now": the "I" is left out."""
    first = next((word for word in words if word not in _NICETIES), "")
    return first in tool_verbs() and first.endswith(("ed", "ing"))


def _did(words: Sequence[str]) -> bool:
    """Also "it has been dimmed"; not "I was made to help", "I love how you put that"."""
    passive = re.search(
        r"\b(?:(?:has|have) (?:now |just |already )?been|got|gets) (?:\w+ly )?(\w+)", " ".join(words)
    )
    if passive and passive[1] in tool_verbs():
        return True
    for place, word in enumerate(words):
        if word not in {"i", "we"}:
            continue
        for offset, later in enumerate(words[place + 1 :]):
            if later in _OTHERS:
                break
            is_so = words[place + offset] in {"am", "was", "were", "been", "be"} and not later.endswith("ing")
            if later in tool_verbs() and not is_so:
                return True
    return False


# Questions that speak of a thing of the home to ask about it; others would only mention how it is.
_WHICH = re.compile(
    r"(?:sure |okay |sorry )*(?:which|what|where|should|shall|would|do|did|could|can|may|for|how)\b"
)
_LEADING = re.compile(r"^(?:(?:but|and|so|then|because) )+")
_PRESENT = frozenset("is are has have am i we".split())  # it speaks of what is, or of us
_MODALS = frozenset("should shall can could may do would must".split())
_OR = frozenset("or oder ou o of eller lub nebo tai vagy veya или".split())
_NICETIES = frozenset("sure okay ok yes yep no well oh hm hmm please thanks right alright great now".split())
_OTHERS = frozenset("you he she they it who that".split())


@dataclass
class Grounding:
    """What is said in one turn. `review` takes the model's sentences as they come, `tell` what tools brought
    about; `finish` gives what else has to be said. Each returns the text to be said now."""

    said: str
    language: str = "en"
    home: HomeNames = field(default_factory=HomeNames)
    tools: Sequence["BaseTool"] = ()
    outcomes: list[ToolOutcome] = field(default_factory=list)
    silent: bool = True  # neither the model nor a tool gave anything that could be judged
    replaced: bool = False  # our own sentence stands for all that the model said
    _held: list[str] = field(default_factory=list)
    _untold: list[ToolOutcome] = field(default_factory=list)
    _riddle: bool = False  # the sentence before was a question
    _spoke: bool = False  # something was said that a listener can take for the answer
    _dropped: bool = False  # and something was not, so that our own sentence must be heard

    @property
    def kind(self) -> TurnKind:
        """Whoever tried to act did not take it for talk, unless it was refused for being just that."""
        tried = any(
            not is_look(one) and one.status is not OutcomeStatus.NOT_PERMITTED for one in self.outcomes
        )
        return TurnKind.HOME if tried else self._kind

    @cached_property
    def _kind(self) -> TurnKind:
        return turn_kind(self.said, self.home, self.tools)

    @property
    def acted(self) -> bool:
        """Whether something happened, or may have."""
        return any(not is_look(outcome) and not _nothing_happened(outcome) for outcome in self.outcomes)

    @property
    def looked(self) -> bool:
        return any(is_look(outcome) for outcome in self.outcomes)

    # --- what tools brought about

    def tell(self, outcome: ToolOutcome) -> str:
        """Told at once when it happened or may have; what never ran may yet be tried in another way."""
        self.silent = False
        self.outcomes.append(outcome)
        if is_look(outcome) or _nothing_happened(outcome):
            self._untold.append(outcome)
            return ""
        return render_outcomes([outcome])

    def next_round(self) -> str:
        """The calls of a round are done. What the model wrote beside them is judged by what they were."""
        held, self._held = self._held, []
        return " ".join(sentence for sentence in held if self.acted and self._passes_beside(sentence))

    # --- what the model says

    def review(self, sentence: str) -> str:
        self.silent = False
        if len(sentence) > LONGEST:  # nobody can judge it in time, so our own sentence is heard
            self._dropped = True
            return ""
        if self.acted:
            return sentence if self._passes_beside(sentence) else ""
        if self.looked:
            return self._seen(sentence)
        if self.kind is TurnKind.TALK and self._in_known_language(sentence):
            self._dropped |= not self._harmless(sentence) or self._unsure(sentence)
            self._spoke = True
            return sentence if self._harmless(sentence) else ""
        self._held.append(sentence)
        return ""

    def finish(self) -> str:
        """The end of the turn: what nobody told yet, or our own true sentence."""
        if self.silent:
            return ""
        if self.acted:
            return " ".join(filter(None, [self._late(), self._part_left()]))
        if self.looked:
            return " ".join(filter(None, [self._late(), self._looked()]))
        return self._nothing_done()

    def _nothing_done(self) -> str:
        held, refused = self._held, self._late()
        true = refused or own_sentence("not_checked", self.language)
        if held and self._may_stand(held):
            asks = any(is_question(sentence) for sentence in held)
            return " ".join(filter(None, ["" if asks else refused, *held]))
        if self._spoke and not held:
            return true if self._dropped else ""
        if self.kind is TurnKind.HOME or all(languages_of(sentence) for sentence in held):
            self.replaced = True
            return true
        return " ".join([true, *(sentence for sentence in held if self._harmless(sentence))])

    # --- rules

    def _may_stand(self, held: Sequence[str]) -> bool:
        if len(held) == 1 and is_question(held[0]) and not languages_of(held[0]):
            return self.kind is TurnKind.UNCLEAR and not _BREAK.search(held[0])
        questions = [sentence for sentence in held if is_question(sentence)]
        names = [sentence for sentence in held if self._offers_names(sentence)]
        if len(questions) > 1 or any(_takes_for_granted(one) for one in questions if one not in names):
            return False
        rest = [sentence for sentence in held if sentence not in names]
        if any(map(_more_than_done, rest)):
            return False
        return all(claims_nothing(sentence) and self._sensed_as_asked(sentence) for sentence in rest)

    def _sensed_as_asked(self, sentence: str) -> bool:
        """ "I see no sauna" answers who spoke of one; "I see no problem" tells that somebody looked."""
        found = re.match(
            r"(?:i am |sorry |but )*i (?:\w+ ){0,3}?(?:see|hear|notice) (.*)", spelled_out(sentence)
        )
        common = languages()["en"].function | {"device", "called", "named", "that", "it", "from"}
        known = common | {singular(word) for word in words_in(self.said)}
        words = map(singular, found[1].split()) if found else ()
        return all(word in known or is_kind(word) for word in words)

    def _offers_names(self, sentence: str) -> bool:
        """ "The floor lamp or the desk lamp?": nothing but names, and a question."""
        names = {word for name in self.home.devices | self.home.rooms for word in name.split()}
        words = set(words_in(sentence))
        return is_question(sentence) and bool(words & _OR) and words <= names | _OR | {"the", "in", "one"}

    def _harmless(self, sentence: str) -> bool:
        """Names nothing of this home as a fact, and no deed of ours."""
        if claims_nothing(sentence):
            return True
        if self._small_talk and any(map(_tells_of_here, _clauses(sentence, languages()["en"]))):
            return False
        return not _says_we_did(sentence) and not any(map(self._names_home, self._stated(sentence)))

    @cached_property
    def _small_talk(self) -> bool:
        """Nothing was asked for: what is told then is of here and now, unless it is a courtesy."""
        english, words = languages()["en"], set(spelled_out(self.said).split())
        return english in languages_of(self.said) and words <= english.function | listed("en", "greeting")

    def _in_known_language(self, sentence: str) -> bool:
        """A word or two beside names are in the user's language; more without a common word in none of ours.
        Behind a greeting there is no name to be told."""
        if languages_of(sentence):
            return True
        plain = [word for word in re.findall(r"[^\W\d_]+", sentence) if word.islower()]
        words = words_in(sentence)
        return " ".join(words).isascii() and (
            len(plain) < _SHORT
            if not self._small_talk
            else len(words) == 1 or bool(languages()["en"].pattern("courtesy").match(" ".join(words)))
        )

    def _unsure(self, sentence: str) -> bool:
        """Of other languages we know few words: behind a greeting whatever is told may be of the home."""
        known, said = languages_of(sentence), languages_of(self.said)
        if any(one.code == "en" for one in known) or claims_nothing(sentence):
            return False
        if (
            not known and classify(self.said, (), ()) is SpeechAct.TALK
        ):  # a name as the answer to an English question
            return False
        plain = " ".join(words_in(sentence))
        if any(one.pattern("talk").fullmatch(plain) for one in languages().values() if one.code != "en"):
            return False
        asked = any(one.asks.match(" ".join(words_in(self.said))) for one in said)
        return not asked and not set(words_in(sentence)) <= {word for one in known for word in one.function}

    def _stated(self, sentence: str) -> Iterator[str]:
        """The clauses that tell a fact. Questions, advice and tales that were asked for tell none."""
        advised = False
        for clause in _BREAK.split(sentence):
            plain = _LEADING.sub("", spelled_out(clause))
            goes_on = advised and re.match(r"(?:or )?(\w+)", plain)
            advised = self._is_advice(plain) or bool(goes_on and goes_on[1] in listed("verbs", "base"))
            if plain and not (advised or _is_asked(clause, sentence) or self._is_tale(plain)):
                yield clause

    def _is_advice(self, clause: str) -> bool:
        """What somebody may or should do; instructions only where they were asked for."""
        english = languages()["en"]
        asked = english.asks.match(spelled_out(self.said)) and english.pattern("instructions").match(clause)
        found = asked or english.pattern("advice").match(clause)
        return bool(found) and not _PRESENT & set(re.split(r"\bif\b", clause)[0].split())

    def _is_tale(self, clause: str) -> bool:
        asked = re.search(r"\b(?:tell (?:me|us)|story|tale|joke|poem|riddle|haiku)\b", self.said.casefold())
        named = any(" " in name for name in self.home.named_in(clause))
        return bool(asked) and not named and not (_PRESENT | {"you", "your", "now"}) & set(clause.split())

    def _names_home(self, clause: str) -> bool:
        words = spelled_out(clause).split()
        named = self.home.named_in(clause)
        if (
            _IT_IS.search(" ".join(words))
            or _YOURS.match(" ".join(words))
            or any(" " in name for name in named)
            or _CLOCK.search(clause)
        ):
            return True
        if listed("subjects", "facts") & {singular(word) for word in words}:
            return True
        return any(
            (is_kind(word) or singular(word) in named) and not _in_general(words, place)
            for place, word in enumerate(words)
        )

    def _passes_beside(self, sentence: str) -> bool:
        """What has no subject of its own passes only as the answer to a riddle."""
        told = _NO_SUBJECT.match(spelled_out(sentence)) and not self._riddle and not is_question(sentence)
        passes = not told and self._beside(sentence)
        self._riddle = passes and is_question(sentence)
        self._spoke |= passes
        return passes

    def _beside(self, sentence: str) -> bool:
        """After an act: the joke that was also asked for, or a question; nothing about what was done."""
        if claims_nothing(sentence):
            return True
        known = languages_of(sentence)
        words = words_in(sentence)
        me = {word for one in known for word in one.own["me"].split()}
        if not known or me & set(words) or any(is_kind(word) for word in words):
            return False
        if set(words) & listed("subjects", "states") or self._names_home(sentence):
            return False
        if any(one.speaks_of_home(words) for one in known if one.code != "en"):
            return False
        return all(outcome.ok for outcome in self.outcomes) and self._asked_for_talk()

    def _asked_for_talk(self) -> bool:
        parts = _parts(self.said)
        return len(parts) > 1 and any(
            turn_kind(part, self.home, self.tools) is TurnKind.TALK for part in parts
        )

    def _seen(self, sentence: str) -> str:
        """After looks: facts must be those of an outcome; what has no fact waits for one that has."""
        facts = grounded(sentence, self.outcomes, self.said)
        asks = is_question(sentence) and claims_nothing(sentence)
        if asks or (facts is None and _is_lead(sentence) and not _says_we_did(sentence)):
            self._held.append(sentence)
            return ""
        if not facts or not languages_of(sentence) or _says_we_did(sentence):
            self._dropped = True
            return ""
        told, self._held = " ".join([*self._held, sentence]), []
        self._spoke = True
        return told

    def _looked(self) -> str:
        leads = [sentence for sentence in self._held if not is_question(sentence)]
        asks = [sentence for sentence in self._held if is_question(sentence)]
        seen = [outcome for outcome in self.outcomes if is_look(outcome)]
        facts = [] if self._spoke and not self._dropped else [render_outcomes(seen)]
        wished = [own_sentence("not_changed", self.language)] if self._wished() else []
        return " ".join([*leads, *facts, *wished, *asks])

    def _wished(self) -> bool:
        """Somebody wanted something done, and the model only looked."""
        if self.kind is TurnKind.TALK or is_question(self.said):
            return False
        return _asked_verb(self.said) in listed("verbs", "base") - _LOOKS

    def _late(self) -> str:
        """What never ran and was not made good by a later call; and looks beside an act."""
        done = {outcome.name for outcome in self.outcomes if outcome.ok}
        left = [one for one in self._untold if not is_look(one) and one.name not in done]
        if self.acted and (is_question(self.said) or len(_parts(self.said)) > 1):
            left += [one for one in self._untold if is_look(one)]
        return render_outcomes(left) if left and self.kind is not TurnKind.TALK else ""

    def _part_left(self) -> str:
        """A part of the wish that no call served."""
        parts = _parts(self.said)
        calls = len({(one.name, str(sorted(one.args.items(), key=str))) for one in self.outcomes})
        if len(parts) < 2 or calls >= len(parts):
            return ""
        if len(self.said) > LONGEST:
            return own_sentence("nothing_else", self.language)
        served = {singular(word) for outcome in self.outcomes for word in words_in(_all_text(outcome))}
        left = [part for part in parts if self._unserved(part, served)]
        if len(left) > len(parts) - calls:  # in words that no outcome has: which of them, nobody knows
            return own_sentence("nothing_else", self.language)
        return " ".join(own_sentence("part_left", self.language).format(part=part) for part in left)

    def _unserved(self, part: str, served: set[str]) -> bool:
        """A device or room that is named must have been served itself, a kind or subject by anything."""
        if named := self.home.named_in(part):
            return not any({singular(word) for word in name.split()} <= served for name in named)
        words = words_in(part)
        if words[0] in _TELLER or ({"it", "them"} & set(words) and not any(map(is_kind, words))):
            return False  # why, or what else of the same device: "and make it bright"
        subjects = listed("subjects", "en") | _tool_words(self.tools)
        spoken = {singular(word) for word in words_in(part) if is_kind(word) or word in subjects}
        return not spoken & served if spoken else self._unheard(part, served)

    def _unheard(self, part: str, served: set[str]) -> bool:
        """A wish that has nothing to do with this home, and words that were asked for and not given."""
        if _asked_verb(part) in listed("verbs", "words"):
            return not self._spoke and all(outcome.ok for outcome in self.outcomes)
        words = [singular(word) for word in map(_number, spelled_out(part).split())]
        common = languages()["en"].function | tool_verbs() | listed("subjects", "states") | _NICETIES | _UNITS
        things = {word for word in words if word not in common and not word[0].isdigit()}
        wished = classify(part, self.home.devices | self.home.rooms, self.tools) is SpeechAct.WISH
        return wished and "that" not in words and bool(things) and not things & served


_NOTHING_HAPPENED = frozenset(
    {
        OutcomeStatus.AMBIGUOUS,
        OutcomeStatus.NOT_FOUND,
        OutcomeStatus.UNSUPPORTED,
        OutcomeStatus.INVALID,
        OutcomeStatus.NOT_PERMITTED,
        OutcomeStatus.WAITING,
    }
)
_TELLER = frozenset("i we it they this that there i'm it's we're".split())
_LOOKS = frozenset("check look search find read measure monitor".split())


def is_look(outcome: ToolOutcome) -> bool:
    """The loudness is asked with the tool that also sets it."""
    return outcome.read_only or outcome.args.get("action") == "get"


def _nothing_happened(outcome: ToolOutcome) -> bool:
    return outcome.status in _NOTHING_HAPPENED


_SHORT = 3  # words that need no common one among them


def _tells_of_here(clause: str) -> bool:
    """In small talk: of what nobody spoke of, or of what goes on just now; courtesies excepted."""
    told = _HERE.match(clause) or _GOES_ON.search(clause)
    return bool(told) and not languages()["en"].pattern("courtesy").match(clause)


_NO_SUBJECT = re.compile(
    r"(?:(?:and|so|now|also|oh|well|plus) )*(?:everything|all|both|it|they|someone|somebody|nobody|"
    r"everyone|everybody|something|your|the (?:rest|other|others|whole))\b"
)
_HERE = re.compile(
    r"(?:it|all|everything|things|they|both|nobody|no one|somebody|someone|everybody|everyone|something|"
    r"(?:(?:the|your|our) )?(?:\w+ )?(?:house|home|place|flat|room|air)) (?:\w+ly |all )*"
    r"(?:is|are|has|have|got|gets|looks|seems|feels|(?:should|will|must) be)\b|.*\bin here\b|all set\b"
)
_GOES_ON = re.compile(r"^(?!i |you |we |my |that |this ).*\b(?:is|are) (?:\w+ly |now |already )*\w{3,}ing\b")


def _is_asked(clause: str, sentence: str) -> bool:
    """ "Here is one: why did the lamp go to school?" """
    known = languages_of(clause) if is_question(sentence) else ()
    return any(one.asks.match(spelled_out(clause)) for one in known)


def _in_general(words: Sequence[str], place: int) -> bool:
    """ "A dimmer lets you …", "lamps need …": no lamp of this home."""
    before = set(words[max(0, place - 2) : place])
    if before & {"its", "his", "her", "their"}:
        return True
    able = " ".join(words).partition(" can be ")[0].split()  # what can be is no state
    if listed("subjects", "states") & set(able) or {"i", "we", "your", "my", "our"} & set(words):
        return False
    if before & {"a", "an"}:
        return True
    plural = words[place].endswith("s") or is_kind("".join(words[place + 1 : place + 2]))
    plural = plural or words[place] == "light"  # that of the sun
    return plural and len(words) > 3 and not _DEFINITE & before


_DEFINITE = frozenset("the this that these those all both every each two three no any".split())


def _parts(said: str) -> list[str]:
    """The parts of a wish."""
    known = languages_of(said) or (languages()["en"],)
    joins = "|".join(data()["and"][one.code] for one in known)
    return [part.strip(" .!?") for part in re.split(rf"[,;.!?]|\b(?:{joins})\b", said) if words_in(part)]


def _all_text(outcome: ToolOutcome) -> str:
    return f"{outcome.name.replace('_', ' ')} {outcome.text} {outcome.args} {outcome.structured}"


# ---------------------------------------------------------------- facts of a look


def grounded(sentence: str, outcomes: Sequence[ToolOutcome], said: str) -> bool | None:
    """Whether its facts are those of an outcome, name and state of the same; None: it has no fact."""
    records = [record for outcome in outcomes for record in _records(outcome)]
    name: frozenset[str] = frozenset()
    state = _facts(said)[1]
    clauses = [_facts(clause) for clause in re.split(r"[,;]|:\s|\b(?:and|but)\b", sentence)]
    if not any(things | states for things, states, _ in clauses):
        return None
    for things, states, rest in clauses:
        content = rest - _HARMLESS
        if things | states:
            name, state = things or name, states or state
            content |= name | state
        if not any(content <= record for record in records):
            return False
        if state and not name and len(records) > 1:
            return False
    return True


def _facts(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Numbers and names of things; states; and all other words that are not common ones."""
    words = _with_units([_number(word) for word in spelled_out(_units_said(text)).split()])
    states = frozenset(words) & listed("subjects", "states")
    things = frozenset(
        singular(word) for word in words if word[0].isdigit() or is_kind(word) or _is_room(word)
    )
    common = {word for one in languages_of(text) for word in one.function} - listed("en", "not")
    rest = frozenset(singular(word) for word in words if word not in common | states) - things
    return things, states, rest


def _is_lead(sentence: str) -> bool:
    """What may stand before a tool's sentence. States we have in English alone: elsewhere common words."""
    known = languages_of(sentence)
    common = {word for one in known for word in one.function}
    return any(one.code == "en" for one in known) or (bool(known) and set(words_in(sentence)) <= common)


def _is_room(word: str) -> bool:
    return singular(word) in listed("rooms", "en")


def _number(word: str) -> str:
    """ "forty-five" is 45."""
    values = [data()["en"]["numbers"].get(part) for part in word.split("-")]
    return word if None in values else f"{sum(values):g}"


_UNITS = frozenset({"degree", "percent"})


def _units_said(text: str) -> str:
    return text.replace("%", " percent ").replace("°", " degrees ")


def _with_units(words: Sequence[str]) -> list[str]:
    """A number goes with its unit: 45 % of humidity are no 45 degrees."""
    units = [singular(word) if singular(word) in _UNITS else "" for word in [*words, ""][1:]]
    return [
        f"{word} {unit}" if unit and word[0].isdigit() else word
        for word, unit in zip(words, units, strict=True)
    ]


_HARMLESS = frozenset(
    """yes no percent degree celsius it's currently still right now about per cent local minute hour second
    o'clock pm am morning afternoon evening left set level at is are moment one other both""".split()
)


def _records(outcome: ToolOutcome) -> Iterator[frozenset[str]]:
    """The things that an outcome tells of, each with all that it tells of it."""
    facts = outcome.facts
    items = [item for value in facts.values() if isinstance(value, list) for item in value]
    shared = " ".join(str(value) for value in facts.values() if isinstance(value, str))
    entries = [str(item) for item in items] or re.split(r";|\n|\),", outcome.text)
    if len(entries) == 1:
        entries = [f"{outcome.text} {entries[0]} {' '.join(map(str, outcome.args.values()))}"]
    aloud = set(words_in(outcome.text))  # ids and ages are numbers, too
    for entry in entries:
        words = words_in(_units_said(f"{entry} {shared}"))
        kept = [word for word in words if not word[0].isdigit() or word in aloud]
        numbers = _with_units([_number(word) for word in kept])
        bare = {
            f"{word} {unit}" for word in numbers if word[0].isdigit() and " " not in word for unit in _UNITS
        }
        yield frozenset(map(singular, numbers)) | frozenset(kept) | bare
