"""From words to a meaning: frames of the whole, then of its clauses, and what is no command never acts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from home_names.phrases import capital, listed
from home_words.clause_words import BY_THEN, DENIAL, IT, JOINT, THING, UNFINISHED
from home_words.command_words import PLAIN_VERB, STATE, VERB
from voice_gateway.brain.local.clause_reader import ClauseReader, names_in
from voice_gateway.brain.local.command import clauses
from voice_gateway.brain.local.command.clauses import Piece
from voice_gateway.brain.local.command.condition import condition_met
from voice_gateway.brain.local.command.what import read_command, told_for_later
from voice_gateway.brain.local.command.which import plain_order
from voice_gateway.brain.local.compound import at_odds, for_later, needed
from voice_gateway.brain.local.grammar import Frame, has_own_sentences
from voice_gateway.brain.local.later import names_time, read_routine, unknown_thing
from voice_gateway.brain.local.meaning import (
    Clarification,
    Meaning,
    NotHandled,
    Request,
    Step,
    Understanding,
)
from voice_gateway.brain.local.normalise import NormalisedText
from voice_gateway.brain.local.plan.look import LOOKS
from voice_gateway.brain.local.plan.play import HOME_ACTS
from voice_gateway.brain.local.plan.scene import ask_for_scene, scene_alone
from voice_gateway.brain.local.speech_act import NotACommand, not_a_command, worded_as_question
from voice_gateway.brain.local.wording import DOING, the

MOST_PIECES = 8  # nobody says more in one breath, and each takes a millisecond
# "On and off", "to 19 and 23", "open and close": one thing cannot be both.
_EITHER_STATE = rf"(?:{STATE}|close|lock|unlock|lower|raise)"
_BOTH = re.compile(
    rf"\b(?:({_EITHER_STATE}) (?:and|or) (?!\1){_EITHER_STATE}\b|"
    r"to \d+(?: percent| degrees)? (?:and|or) (?:to )?\d+(?: percent| degrees)?$)"
)
_VERB_OR_NAME = re.compile(
    rf"{VERB.pattern}|(?:the|all|every)\b|\w+ (?:\w+ )?(?:on|off|open|closed|up|down)\b"
)
_CONTRADICTION = Step("Contradiction", say="That can't be both, so I did nothing. Which one do you mean?")
_EITHER = Step("Contradiction", say="I did nothing yet. Which of them do you mean?")
_CUT_SHORT = Step("Unfinished", say="I think there was more to come. What shall I do?")
# What to say when no later stage has an answer either.
_TOLD = {
    NotACommand.NEGATION: "Okay, I did nothing.",
    NotACommand.CONDITION: "I can only do that right away, so I did nothing.",
}
_DENIED = re.compile(r"(?:please )?(?:do not|never|no|not|stop|try not|you (?:must|should|may|can) not)\b")
_FREE = (
    "query",
    "message",
    "label",
    "duration",
    "clock",
    "offset",
    "parameter",
    "value",
)  # words in these are not ours to judge
_WORDY = ("thing", "scene", "place")  # a template with none of these is said as it stands, or not at all
_SHORT = 6  # words: a longer clause without a comma may be anything


@dataclass(frozen=True, slots=True)
class Reading:
    """What the clauses of an utterance are together."""

    steps: tuple[Step, ...] = ()
    question: Clarification | None = None  # of the only order among them
    plain: bool = True  # put as orders, not as remarks or questions
    sure: bool = True  # what stands around them is plainly talk
    denied: tuple[Request, ...] = ()  # "… and don't lock the door"

    @property
    def wanted(self) -> bool:
        """It is not only talk."""
        return bool(self.steps or self.question)

    def before(self, rest: "Reading") -> "Reading | None":
        """With what comes behind it; None where a question would wait for more than one order."""
        if (self.question and rest.wanted) or (self.steps and rest.question):
            return None
        return Reading(
            (*self.steps, *rest.steps),
            self.question or rest.question,
            self.plain and rest.plain,
            self.sure and rest.sure,
            (*self.denied, *rest.denied),
        )


@dataclass(frozen=True)
class Reader(ClauseReader):
    """Reads one utterance; `context` moves on from clause to clause, so that "it" means what was named."""

    hints: bool = False  # suggestions and complaints count, too

    def read(self, said: NormalisedText) -> Understanding:
        if not said.text:
            return Understanding.of(NotHandled("there are no words in it"))
        understood = self._understood(said)
        if self._cut_short(said.whole) and any(step.acts for step in understood.steps):
            return Understanding.of(_CUT_SHORT)
        return understood

    def _understood(self, said: NormalisedText) -> Understanding:  # noqa: PLR0911 (in this order)
        whole = self.clause(said.text)
        stopped = self._stopped(whole, said.text) if isinstance(whole, Step) else None
        plain = Reading((whole,)) if isinstance(whole, Step) and not stopped else None
        at_once = plain is not None and not (plain.steps[0].intent in HOME_ACTS and names_time(said.text))
        if plain is not None and at_once and not self._could_split(plain.steps[0]):
            return self._checked(plain, said)
        if self._ours and (other := self._repaired(said) or self._conditional(said)):
            return other
        if self._ours and (later := read_routine(self, said)) is not None:
            return later
        reading = self._in_clauses(said)
        if reading is not None and reading.steps:
            return self._checked(reading, said)
        if plain is not None:
            return self._checked(plain, said)
        if reading is not None and reading.question and not isinstance(whole, Clarification):
            return Understanding.of(reading.question)
        return self._not_done(whole, said, stopped)

    @property
    def _ours(self) -> bool:
        """The whole home is known, in a language whose clauses are."""
        return not self.core_only and has_own_sentences(self.language)

    def _cut_short(self, text: str) -> bool:
        """ "Turn on the": by the last word, which means something else in other languages ("mach es an")."""
        return has_own_sentences(self.language) and UNFINISHED.search(text) is not None

    # --- for later

    def order_in(self, text: str) -> Reading | None:
        """What is wished for beside a time; None: nothing, or words that are no order."""
        reading = self._composed(self._cut((text,)))
        return reading if reading is not None and reading.wanted else None

    def after(self, steps: Sequence[Step]) -> "Reader":
        """ "It" is what these were about."""
        last = steps[-1].devices or self.context.last
        return replace(self, context=replace(self.context, last=last))

    # --- clauses

    def _in_clauses(self, said: NormalisedText) -> Reading | None:
        pieces = self._cut(said.parts)
        reading = self._composed(pieces, front=True)
        hints = self._ours and any(map(clauses.hinted, (said.text, *(one.text for one in pieces))))
        if hints and not (reading and reading.wanted):
            return replace(self, hints=True)._composed(pieces, front=True)
        return reading

    def _cut(self, parts: Sequence[str]) -> list[Piece]:
        return clauses.cut([self.as_one_word(part, mark="_") for part in parts])

    def _composed(
        self, pieces: Sequence[Piece], *, front: bool = False, after_wish: bool = False
    ) -> Reading | None:
        """Every piece belongs to a clause that is understood, or is talk: half a wish is not carried out."""
        if not pieces or len(pieces) > MOST_PIECES:
            return None if pieces else Reading()
        asked: Reading | None = None
        for size in range(len(pieces), 0, -1):
            first = self._order(clauses.joined(pieces[:size]), after_wish=after_wish)
            if first is None:
                continue
            last = first.steps[0].devices if first.steps else ()
            moved = replace(self, context=replace(self.context, last=last or self.context.last))
            rest = moved._composed(pieces[size:], after_wish=not first.plain)
            both = first.before(rest) if rest is not None else None
            if both is not None and both.question is None:
                return both
            asked = asked or both
        beside = self._beside(pieces, front=front) if self._ours else None
        return asked if asked is not None and not (beside and beside.wanted) else beside

    def _order(self, text: str, *, after_wish: bool = False) -> Reading | None:
        """One clause, all of it understood and nothing in it that keeps it from acting."""
        question: Reading | None = None
        for inner in clauses.wished(text, after_wish=after_wish, hints=self.hints):
            meaning = self.clause(inner.order)
            if isinstance(meaning, Step) and meaning.requests and not self._could_split(meaning):
                if not self._stopped(meaning, inner.order):
                    return Reading((meaning,), None, inner.plain, inner.sure)
            elif isinstance(meaning, Clarification) and meaning.frame.intent in HOME_ACTS:
                stopped = not_a_command(self.as_one_word(plain_order(inner.order), mark="_"))
                question = question or (None if stopped else Reading((), meaning, inner.plain, inner.sure))
        return question

    def _beside(self, pieces: Sequence[Piece], *, front: bool) -> Reading | None:
        """The first piece is no order: it is denied, names what the next one is about, or is talk."""
        head, rest = pieces[0], pieces[1:]
        both = front and bool(rest) and rest[0].joint.startswith("and")  # "don't turn on … and …" denies both
        if (denied := DENIAL.match(head.text)) and not both:
            step, others = self.clause(denied["order"]), self._composed(rest)
            if not isinstance(step, Step) or others is None:
                return None
            return replace(others, denied=(*step.requests, *others.denied))
        if rest and IT.search(rest[-1].text) and all(THING.match(one.text) for one in pieces[:-1]):
            return self._order(IT.sub(pieces[-2].text, rest[-1].text, count=1))
        for size in range(1, len(pieces) + 1):
            text = clauses.joined(pieces[:size])
            parted = head.hard and all(one.hard for one in pieces[size:][:1])
            talk = clauses.is_talk(text, parted=parted, behind=not head.hard)
            if talk and (others := self._composed(pieces[size:], front=front)):
                return replace(others, sure=others.sure and (parted or len(text.split()) <= _SHORT))
        return None

    def _conditional(self, said: NormalisedText) -> Understanding | None:
        """ "If it is on": it looks first."""
        found = clauses.conditional(said.text)
        if found is None:
            return None
        met = condition_met(*found, self.context)
        reader = replace(self, context=replace(self.context, last=met.devices)) if met else self
        reading = reader._composed(reader._cut((found[1],)))
        if reading is None or not (reading.question or (reading.steps and met)):
            return None
        if told := reading.question or (met and met.step):
            return Understanding.of(told)
        return self._checked(reading, said)

    def _repaired(self, said: NormalisedText) -> Understanding | None:
        """ "Off, no wait, on": only what was said last is done."""
        first, instead = clauses.repair_in(said.text) or ("", "")
        if not first or self._order(first) is None:
            return None
        if not instead:
            told = _TOLD[NotACommand.NEGATION]
            return Understanding.of(NotHandled("taken back in the same breath", forbid=True, spoken=told))
        things = [one.which.said for one in read_command(first)]
        readings = map(self._order, clauses.mended(first, instead, things))
        reading = next(filter(None, readings), None)
        if reading is not None and reading.steps:
            return self._checked(reading, said)
        return Understanding.of(reading.question if reading and reading.question else _EITHER)

    def _not_done(self, whole: Meaning, said: NormalisedText, stopped: NotACommand | None) -> Understanding:
        """A question back, or why it is not for us."""
        alone = None if self.core_only or stopped else scene_alone(said, self.context.home)
        if alone is not None:
            return Understanding.of(alone)
        left_out = isinstance(whole, Clarification) and whole.slot == "without"
        text = re.sub(r" (?:except|but|apart from)$", "", said.text)
        text = plain_order(text) if left_out else text
        stopped = stopped or not_a_command(self.as_one_word(text, mark="_"))
        if not stopped and (half := self._half_said(whole, said)):
            return Understanding.of(half)
        # Looking does no harm, and a command with a question mark is asked about in any case.
        may_ask = isinstance(whole, Clarification) and (whole.frame.intent in LOOKS or stopped is None)
        if may_ask or (isinstance(whole, NotHandled) and whole.understood):
            return Understanding.of(whole)
        if stopped is None:
            no = (
                whole
                if isinstance(whole, NotHandled)
                else NotHandled("a question: it never acts", forbid=True)
            )
            return Understanding.of(replace(no, forbid=no.forbid or said.question))
        asked = stopped is NotACommand.QUESTION or worded_as_question(said.text)
        told = _TOLD.get(stopped) if _speaks_of_deeds(stopped, said.text) else None
        if told and stopped is NotACommand.CONDITION:
            told = unknown_thing(self, said.text) or told
        spoken = (whole.spoken if isinstance(whole, NotHandled) else None) if asked else told
        return Understanding.of(NotHandled(_why(stopped, said), forbid=True, spoken=spoken))

    def _half_said(self, whole: Meaning, said: NormalisedText) -> Meaning | None:
        """It contradicts itself, ends too early, or only a part of it is understood: asked for the rest."""
        if _BOTH.search(said.text) and _VERB_OR_NAME.match(said.text):
            return _CONTRADICTION
        if " or the " in said.text and VERB.match(said.text) and not said.question:
            return _EITHER
        if " " in said.text and self._cut_short(said.text):
            return _CUT_SHORT
        if self.core_only or isinstance(whole, Clarification):
            return None
        pieces = [piece.text for piece in self._cut(said.parts) if piece.hard][:MOST_PIECES]
        missing = [piece for piece in pieces if (found := self._order(piece)) is None or found.question]
        names = names_in(said.text, self.context.home.by_name, shortest=1)
        told = isinstance(whole, NotHandled) and (whole.spoken or whole.understood)
        if missing and len(missing) < len(pieces):
            ask = f'I did nothing yet: I don\'t know what you mean by "{missing[0]}". What shall I do?'
        elif names and not told and VERB.match(said.text):
            ask = f"What shall I do with {the(self.context.home.by_name[max(names, key=len)][0])}?"
        else:
            return None
        return NotHandled("only half of it is understood", forbid=True, spoken=ask)

    def _could_split(self, step: Step) -> bool:
        """A free slot may have swallowed a second command; what is no sentence is only meant alone."""
        if step.frame is not None and step.frame.slots.get("alone"):
            return True
        slots = ("query", "label", "place", "offset")
        words = " ".join(step.frame.text(slot) for slot in slots) if step.frame else ""
        return bool(JOINT.search(words)) and step.intent != "Search"

    def planned(self, frame: Frame, *, ask: bool = False) -> Understanding:
        """A frame that is clear already: the answer to a question, or the last wish for something else."""
        meaning = self.plan(frame)
        if isinstance(meaning, Step) and meaning.acts and ask:
            return Understanding.of(_shall_i(meaning))
        return Understanding.of(meaning)

    def _checked(self, reading: Reading, said: NormalisedText) -> Understanding:
        tried = [step.otherwise for step in reading.steps if step.otherwise]
        if tried and len(reading.steps) > 1:  # half a wish is not carried out
            return Understanding.of(replace(tried[0], spoken=None))
        steps = needed(reading.steps, reading.denied)
        if not steps or (at_odds(steps) and not BY_THEN.search(said.whole)):
            return Understanding.of(_CONTRADICTION)
        if for_later(steps, said):
            told, stopped = _TOLD[NotACommand.CONDITION], NotACommand.CONDITION
            return Understanding.of(NotHandled(_why(stopped, said), forbid=True, spoken=told))
        acting = [step for step in steps if step.acts]
        if said.question and reading.plain and any(_wordy(step) for step in acting):
            several = NotHandled("a question", forbid=True)
            return Understanding.of(_shall_i(acting[0]) if len(acting) == 1 else several)
        wide = len(steps) > 1 or any(step.wide for step in steps)
        asks = bool(acting) and (not reading.sure or (not reading.plain and wide))
        return Understanding(tuple(steps), asks=asks)

    def _stopped(self, step: Step, text: str) -> NotACommand | None:
        if not step.acts or not _wordy(step) or not has_own_sentences(self.language):
            return None  # in another language only a whole sentence that fits word for word gets here
        for slot in _FREE:
            words = step.frame.text(slot) if step.frame else ""
            text = text.replace(words, " ") if words else text
        if step.intent == "SetTemperature" and not VERB.match(text):
            text = re.sub(r" at (?=\d+$)", " to ", text)  # "the heating at 20" is no time
        if step.frame is not None and (step.frame.text("without") or step.frame.text("having")):
            text = plain_order(text)
        return not_a_command(" ".join(self.as_one_word(text, mark="_").split()))


def _wordy(step: Step) -> bool:
    return step.frame is None or not step.frame.own or any(slot in step.frame.slots for slot in _WORDY)


def _shall_i(step: Step) -> Clarification:
    if step.intent == "Scene":
        return ask_for_scene(step.requests[0].scene)
    wish = step.requests[0].wish
    action = wish.action if wish else str(step.requests[0].args.get("action", "set"))
    names = listed([the(device) for device in step.devices]) or "that"
    text = f"Shall I {DOING.get(action, 'change')} {names}?"
    return Clarification(capital(text), step.frame or Frame(step.intent), step.devices, confirm=True)


def _speaks_of_deeds(stopped: NotACommand, text: str) -> bool:
    """ "Don't …", or a deed for later; "that is not what I said" and "we have guests tonight" are remarks."""
    if stopped is NotACommand.NEGATION:
        return bool(_DENIED.match(text))
    return stopped is not NotACommand.CONDITION or bool(re.search(rf"\b(?:{PLAIN_VERB})\b", text))


def _why(stopped: NotACommand, said: NormalisedText) -> str:
    """With the command that was understood, where only its time keeps it from being carried out."""
    later = told_for_later(said.text) if stopped is NotACommand.CONDITION else ""
    return f"{stopped.value}: it never acts" + (f" now: {later}" if later else "")
