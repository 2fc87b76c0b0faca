"""From words to a meaning: frames of the whole, then of its clauses, and what is no command never acts."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from home_words.command_words import PLAIN_VERB, VERB
from home_words.phrases import capital, listed
from voice_gateway.brain.local.command.clauses import wishes
from voice_gateway.brain.local.command.condition import condition_met
from voice_gateway.brain.local.command.what import read_command, read_later
from voice_gateway.brain.local.command.which import plain_order
from voice_gateway.brain.local.grammar import Frame, has_own_sentences, match, match_ha
from voice_gateway.brain.local.home import Device
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    Meaning,
    NotHandled,
    Request,
    Step,
    Understanding,
)
from voice_gateway.brain.local.normalise import Said, strip_politeness
from voice_gateway.brain.local.plan.act import HOME_ACTS
from voice_gateway.brain.local.plan.builtin import BUILTIN
from voice_gateway.brain.local.plan.look import LOOKS, read_looks
from voice_gateway.brain.local.plan.scene import ask_for_scene, read_scene, scene_alone
from voice_gateway.brain.local.resolve import LONGEST_NAME
from voice_gateway.brain.local.speech_act import NotACommand, not_a_command, worded_as_question
from voice_gateway.brain.local.wording import DOING, the

MOST_CLAUSES = 6
MOST_WAYS = 12  # to take an utterance apart: nobody needs more, and each takes a millisecond
_JOINT = re.compile(r"\b(?:and then|and also|and|then|also|after that)\b")
# Speech has no full stops: a new command begins where its verb stands.
_VERB = re.compile(
    r"\b(?:and then|and|then)\b|(?=\b(?:turn|switch|set|dim|open|close|lock|unlock|mute|start) \w)"
)
_UNFINISHED = re.compile(r"\b(?:and|then|or|the|a|an|to|of|with|my|by|for|except|but|apart from)$")
_CUT_OFF = re.compile(
    r"\b(?:and|or|the|an?|of|my|our|also|to|by|at|with|from|for|than|and (?:could|can|would|will) you)$"
)
# "On and off", "to 19 and 23", "open and close": one thing cannot be both.
_BOTH = re.compile(
    r"\b(?:(on|off|open|closed|close|up|down|lock|unlock|lower|raise) (?:and|or) (?!\1)"
    r"(?:on|off|open|closed|close|up|down|lock|unlock|lower|raise)\b|"
    r"to \d+(?: percent| degrees)? (?:and|or) (?:to )?\d+"
    r"(?: percent| degrees)?$)"
)
# What these begin belongs to the time that was named before.
_BY_THEN = re.compile(
    r"\b(?:then|afterwards?|by then|after that|thereafter|when (?:it|that) (?:rings|is done|is over))\b"
)
_WHAT_THEN = re.compile(rf"\b(?:and then|afterwards|by then|after that) (?:please )?(?:{PLAIN_VERB})\b")
_CONTRADICTION = Step("Contradiction", say="That can't be both, so I did nothing. Which one do you mean?")
# What to say when no later stage has an answer either.
_TOLD = {
    NotACommand.NEGATION: "Okay, I did nothing.",
    NotACommand.CONDITION: "I can only do that right away, so I did nothing.",
    NotACommand.REPORTED: "That was no request to me, so I did nothing.",
    NotACommand.STATEMENT: "That was no request, so I did nothing.",
}
UNFINISHED = "I think there was more to come. What shall I do?"
_EITHER = Step("Contradiction", say="I did nothing yet. Which of them do you mean?")
_CUT_SHORT = Step("Unfinished", say=UNFINISHED)
_FREE = ("query", "message", "label", "duration", "clock", "offset")  # words in these are not ours to judge
_WORDY = ("thing", "scene", "place")  # a template with none of these is said as it stands, or not at all
_PLANNERS = {**BUILTIN, **HOME_ACTS, **LOOKS}
_VALUE_ENDS = r"\b(on|off|open|closed|shut|up|down|\d+|percent|degrees|half|full|quarter|quarters)"
_VERB_OR_NAME = re.compile(
    rf"{VERB.pattern}|(?:the|all|every)\b|\w+ (?:\w+ )?(?:on|off|open|closed|up|down)\b"
)
_SHALL_BE = re.compile(r" (?:closed|opened|locked|unlocked)$")  # and not how it is
_BARE = 3  # "{thing} on": so few words of its own that anything fits


@dataclass(frozen=True)
class Reader:
    """Reads one utterance; `context` moves on from clause to clause, so that "it" means what was named."""

    context: Context
    language: str = "en"
    core_only: bool = False  # only what needs no home
    _read_before: dict[tuple[str, tuple[Device, ...]], Meaning] = field(default_factory=dict)

    def read(self, said: Said) -> Understanding:
        if not said.text:
            return Understanding.of(NotHandled("there are no words in it"))
        plain = self._read_plain(said)
        if _CUT_OFF.search(said.whole) and any(step.acts for step in plain.steps):
            return Understanding.of(_CUT_SHORT)
        if plain.steps or self.core_only or not has_own_sentences(self.language):
            return plain
        return self._read_around(said, plain) or plain

    def _read_around(self, said: Said, plain: Understanding) -> Understanding | None:
        """A wish with talk, an exception or a condition around it, or one that is no order."""
        question: Clarification | None = None
        for wish in islice(wishes(said.text, said.asides), MOST_WAYS):
            reader, step = self, None
            if wish.condition is not None:
                met = condition_met(wish.condition, wish.orders[0], self.context)
                if met is None:
                    continue
                reader, step = replace(self, context=replace(self.context, last=met.devices)), met.step
            read = [reader._order(order) for order in wish.orders]
            steps = [one for found in read if isinstance(found, list) for one in found]
            if all(isinstance(found, list) for found in read) and any(one.acts for one in steps):
                if step is not None:
                    return Understanding.of(step)
                steps = _without_needless(steps)
                if _at_odds(steps) and not _BY_THEN.search(said.whole):
                    return Understanding.of(_CONTRADICTION)
                wide = len(steps) > 1 or any(one.wide for one in steps)
                return Understanding(tuple(steps), asks=not wish.sure or (not wish.plain and wide))
            first = read[0]
            if len(read) == 1 and (wish.sure or not wish.plain) and isinstance(first, Clarification):
                question = question or first
        return Understanding.of(question) if question and plain.clarification is None else None

    def _order(self, text: str) -> list[Step] | Clarification | None:
        """The steps of one clause, all of it understood and nothing in it that keeps it from acting."""
        bare = strip_politeness(text)[0]
        meaning = self.clause(bare)
        if isinstance(meaning, Step) and meaning.acts and not self._could_split(meaning):
            return None if self._stopped(meaning, bare) else [meaning]
        steps = self._read_pieces(_pieces(bare, _JOINT))
        if steps:
            return steps
        if not isinstance(meaning, Clarification) or meaning.frame.intent not in HOME_ACTS:
            return None
        stopped = not_a_command(self._unnamed(_SHALL_BE.sub("", plain_order(bare))))
        return None if stopped else meaning

    def _read_plain(self, said: Said) -> Understanding:
        whole = self.clause(said.text)
        if isinstance(whole, Step) and not self._could_split(whole):
            greeted = whole.intent in ("Hello", "GoodNight") and scene_alone(said, self.context.home)
            return Understanding.of(greeted) if greeted else self._checked([whole], said)
        steps = self._clauses(said) or ([whole] if isinstance(whole, Step) else [])
        return self._checked(steps, said) if steps else self._not_done(whole, said)

    def _not_done(self, whole: Meaning, said: Said) -> Understanding:
        """A question back, or why it is not for us."""
        alone = None if self.core_only else scene_alone(said, self.context.home)
        if alone is not None:
            return Understanding.of(alone)
        left_out = isinstance(whole, Clarification) and whole.slot == "without"
        text = re.sub(r" (?:except|but|apart from)$", "", said.text)
        stopped = not_a_command(self._unnamed(plain_order(text) if left_out else text))
        if not stopped and (half := self._half_said(whole, said)):
            return Understanding.of(half)
        # Looking does no harm, and a command with a question mark is asked about in any case.
        may_ask = isinstance(whole, Clarification) and (whole.frame.intent in LOOKS or stopped is None)
        if may_ask or (isinstance(whole, NotHandled) and whole.understood):
            return Understanding.of(whole)
        return Understanding.of(_passing(whole, stopped, said))

    def _half_said(self, whole: Meaning, said: Said) -> Meaning | None:
        """It contradicts itself, ends too early, or only a part of it is understood: asked for the rest."""
        if _BOTH.search(said.text) and _VERB_OR_NAME.match(said.text):
            return _CONTRADICTION
        if " or the " in said.text and VERB.match(said.text) and not said.question:
            return _EITHER
        if " " in said.text and _UNFINISHED.search(said.text):
            return _CUT_SHORT
        told = isinstance(whole, NotHandled) and (whole.spoken or whole.understood)
        if self.core_only or isinstance(whole, Clarification):
            return None
        half = self._half(said, told=bool(told))
        return NotHandled("only half of it is understood", forbid=True, spoken=half) if half else None

    def _half(self, said: Said, *, told: bool) -> str:
        """What to ask when a part of it is a wish, or a thing of this home is named behind a verb."""
        pieces = _pieces(said.text, _JOINT)
        steps = {piece: self.clause(piece) for piece in pieces[:MOST_CLAUSES]}
        missing = [piece for piece, step in steps.items() if not isinstance(step, Step)]
        if missing and len(missing) < len(pieces):
            return f'I did nothing yet: I don\'t know what you mean by "{missing[0]}". What shall I do?'
        names = _names_in(said.text, self.context.home.by_name, shortest=1)
        if told or not names or not VERB.match(said.text):
            return ""
        device = self.context.home.by_name[max(names, key=len)][0]
        return f"What shall I do with {the(device)}?"

    def _could_split(self, step: Step) -> bool:
        """A free slot may have swallowed a second command."""
        slots = ("query", "label", "place", "offset")
        words = " ".join(step.frame.text(slot) for slot in slots) if step.frame else ""
        return bool(_JOINT.search(words)) and step.intent != "Search"

    def clause(self, text: str) -> Meaning:
        """The best reading of one clause: the first that holds, else the first question, else why not."""
        key = (text, self.context.last)
        if key not in self._read_before:
            self._read_before[key] = self._best_reading(text)
        return self._read_before[key]

    def _best_reading(self, text: str) -> Meaning:
        told: Step | None = None
        ask: Clarification | None = None
        no: NotHandled | None = None
        for frame in self._frames(text):
            meaning = self._plan(frame)
            if isinstance(meaning, Step) and (meaning.requests or frame.intent not in HOME_ACTS):
                return meaning
            if isinstance(meaning, Step):
                told = told or meaning  # "that cannot be dimmed": another reading may know what can be done
            elif isinstance(meaning, Clarification):
                ask = ask or meaning
            elif frame.literal > _BARE or frame.intent in LOOKS:
                no = no or meaning
        return told or ask or no or NotHandled("no sentence fits")

    def planned(self, frame: Frame, *, ask: bool = False) -> Understanding:
        """A frame that is clear already: the answer to a question, or the last wish for something else."""
        meaning = self._plan(frame)
        if isinstance(meaning, Step) and meaning.acts and ask:
            return Understanding.of(_shall_i(meaning))
        return Understanding.of(meaning)

    def _frames(self, text: str) -> Iterable[Frame]:
        """What is composed, and what is said as it stands; in other languages Home Assistant's sentences."""
        if not has_own_sentences(self.language):
            yield from match_ha(text, self.context.home, self.context.room, self.language)
            return
        needs_none = match(text, self.language)
        if self.core_only:
            yield from needs_none
            return
        composed = read_command(self._as_one_word(text))
        # Only what is called exactly so can be started: a timer comes first.
        yield from (one.frame for one in composed if one.what.action != "Start")
        yield from (one for one in needs_none if not one.slots)
        yield from (*read_looks(text), *read_scene(text))
        yield from (one for one in needs_none if one.slots)
        yield from (one.frame for one in composed if one.what.action == "Start")

    def _as_one_word(self, text: str) -> str:
        """Names whose words could be a command's ("Down Light") are joined, and not taken apart."""
        home = self.context.home
        for name in sorted(_names_in(text, home.by_name), key=len, reverse=True):
            text = re.sub(rf"\b{re.escape(name)}\b", name.replace(" ", "_"), text)
        return text

    def _plan(self, frame: Frame) -> Meaning:
        planner = _PLANNERS.get(frame.intent)
        if planner is None:
            return (
                Step(frame.intent, frame=frame)
                if frame.intent == "Abilities"
                else NotHandled("nobody plans that")
            )
        if self.core_only and not self._without_home(frame):
            return NotHandled("the home is needed")
        meaning = planner(frame, self.context)
        if isinstance(meaning, Step):
            missing = [r.tool for r in meaning.requests if r.tool not in self.context.tools]
            if missing:
                reason = f"the tool {missing[0]} is not there"
                return NotHandled(reason, spoken=_missing(missing[0]), understood=True)
        return meaning

    def _without_home(self, frame: Frame) -> bool:
        """ "Turn it down" is about the sound, unless a device was talked of."""
        return frame.intent in BUILTIN or (frame.intent == "UpDownIt" and self.context.topic != "device")

    def _clauses(self, said: Said) -> list[Step]:
        for parts, joint in (
            (said.sentences, _JOINT),
            ((said.text,), _JOINT),
            (said.parts, _JOINT),
            ((said.text,), _VERB),
            ((self._named_apart(said.text),), _JOINT),
        ):
            pieces = [piece for part in parts for piece in _pieces(part, joint)]
            if 1 < len(pieces) <= MOST_CLAUSES:
                steps = self._read_pieces(pieces)
                if steps:
                    return steps
        return []

    def _named_apart(self, text: str) -> str:
        """Where a name follows a value, something new is said: "shutters closed radiator to 22"."""
        names = "|".join(map(re.escape, _names_in(text, self.context.home.by_name, shortest=1)))
        return re.sub(rf"{_VALUE_ENDS} (?=(?:the )?(?:{names})\b)", r"\1 and ", text) if names else text

    def _read_pieces(self, pieces: Sequence[str]) -> list[Step]:
        """Every piece must belong to a clause that is understood: half a wish is not carried out."""
        if not pieces:
            return []
        for size in range(len(pieces), 0, -1):
            text = " and ".join(pieces[:size])
            first = self.clause(text)
            if not isinstance(first, Step) or not first.requests or self._stopped(first, text):
                continue
            if size > 1 and self._could_split(first):
                continue  # a free slot must not swallow the next command
            if size == len(pieces):
                return [first]
            moved = replace(self.context, last=first.devices or self.context.last)
            rest = replace(self, context=moved)._read_pieces(pieces[size:])
            if rest:
                return [first, *rest]
        return []

    def _checked(self, steps: list[Step], said: Said) -> Understanding:
        tried = [step.otherwise for step in steps if step.otherwise]
        if tried and len(steps) > 1:  # half a wish is not carried out
            return Understanding.of(replace(tried[0], spoken=None))
        steps = _without_needless(steps)
        if _at_odds(steps) and not _BY_THEN.search(said.whole):
            return Understanding.of(_CONTRADICTION)
        stopped = self._stopped(steps[0], said.text) if len(steps) == 1 else None
        stopped = NotACommand.CONDITION if _for_later(steps, said) else stopped
        if stopped:
            return Understanding.of(NotHandled(_why(stopped, said), forbid=True, spoken=_TOLD.get(stopped)))
        acting = [step for step in steps if step.acts]
        if said.question and acting and any(_wordy(step) for step in acting):
            several = NotHandled("a question", forbid=True)
            return Understanding.of(_shall_i(acting[0]) if len(acting) == 1 else several)
        return Understanding(tuple(steps))

    def _stopped(self, step: Step, text: str) -> NotACommand | None:
        if not step.acts or not _wordy(step) or not has_own_sentences(self.language):
            return None  # in another language only a whole sentence that fits word for word gets here
        for slot in _FREE:
            words = step.frame.text(slot) if step.frame else ""
            text = text.replace(words, " ") if words else text
        if step.intent == "SetTemperature" and not VERB.match(text):
            text = re.sub(r" at (?=\d+$)", " to ", text)  # "the heating at 20" is no time
        if step.intent in ("Open", "Close", "Lock", "Unlock", "SetLevel"):
            text = _SHALL_BE.sub("", text)
        if step.frame is not None and (step.frame.text("without") or step.frame.text("having")):
            text = plain_order(text)
        return not_a_command(" ".join(self._unnamed(text).split()))

    def _unnamed(self, text: str) -> str:
        """Names of devices are only names: a "Left Lamp" is not a lamp that somebody left."""
        home = self.context.home
        named = {name for name in (*home.scenes, *home.by_name) if name in text and not_a_command(name)}
        for name in sorted(named, key=len, reverse=True):
            text = re.sub(rf"\b{re.escape(name)}\b", "x", text)
        return text


def _pieces(text: str, joint: re.Pattern[str]) -> list[str]:
    found = (strip_politeness(piece.strip())[0] for piece in joint.split(text))
    return [piece for piece in found if piece]


def _for_later(steps: Sequence[Step], said: Said) -> bool:
    """ "… and then …" belongs to the time of a timer or a reminder before it."""
    if any(_WHAT_THEN.search(step.frame.text("message")) for step in steps if step.frame):
        return True
    timed = [at for at, step in enumerate(steps[:-1]) if step.intent in ("SetTimer", "Remind")]
    return bool(timed and _BY_THEN.search(said.whole) and any(step.devices for step in steps[timed[0] :]))


def _without_needless(steps: Sequence[Step]) -> list[Step]:
    """ "Turn on the lamp and dim it to 35": the level says on, too."""
    lit = {
        request.device.key
        for step in steps
        for request in step.requests
        if request.device and request.args.get("level", 0)
    }

    def needed(request: Request) -> bool:
        on = request.device and request.args.get("action") == "on"
        return not (on and request.device and request.device.key in lit)

    kept = [replace(step, requests=tuple(filter(needed, step.requests))) for step in steps]
    return [left for left, step in zip(kept, steps, strict=True) if left.requests or not step.requests]


def _at_odds(steps: Sequence[Step]) -> bool:
    """Two of them want one device to be different things."""
    wanted: dict[object, Request] = {}
    for request in (request for step in steps if step.acts for request in step.requests if request.device):
        key = request.device.key if request.device else None
        if key in wanted and _differ(wanted[key].args, request.args):
            return True
        wanted[key] = request
    return False


def _differ(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """The heating can be on and at 21 degrees, but not off."""
    together = {**one, **other}
    both = one != other and together.get("mode") == "off"
    return both or any(one.get(key, value) != value for key, value in other.items())


def _wordy(step: Step) -> bool:
    return step.frame is None or not step.frame.own or any(slot in step.frame.slots for slot in _WORDY)


def _names_in(text: str, names: Container[str], shortest: int = 2) -> set[str]:
    words = text.split()
    spans = ((at, size) for at in range(len(words)) for size in range(shortest, LONGEST_NAME + 1))
    return {name for at, size in spans if (name := " ".join(words[at : at + size])) in names}


def _shall_i(step: Step) -> Clarification:
    if step.intent == "Scene":
        return ask_for_scene(str(step.requests[0].args["sceneName"]))
    action = str(step.requests[0].args.get("action", "set"))
    names = listed([the(device) for device in step.devices]) or "that"
    text = f"Shall I {DOING.get(action, 'change')} {names}?"
    return Clarification(capital(text), step.frame or Frame(step.intent), step.devices, confirm=True)


def _missing(tool: str) -> str:
    if tool.endswith(("timer", "timers")):
        return "I have no timers here."
    return (
        "I can't reach the home at the moment."
        if "zwave" in tool or "device" in tool
        else "I can't do that here."
    )


def _passing(whole: Meaning, stopped: NotACommand | None, said: Said) -> NotHandled:
    if isinstance(whole, NotHandled) and stopped is None:
        return replace(whole, forbid=whole.forbid or said.question)
    if stopped is None:
        return NotHandled("a question: it never acts", forbid=True)
    asked = stopped is NotACommand.QUESTION or worded_as_question(said.text)
    spoken = (whole.spoken if isinstance(whole, NotHandled) else None) if asked else _TOLD.get(stopped)
    return NotHandled(_why(stopped, said), forbid=True, spoken=spoken)


def _why(stopped: NotACommand, said: Said) -> str:
    """With the command that was understood, where only its time keeps it from being carried out."""
    later = read_later(said.text) if stopped is NotACommand.CONDITION else None
    return f"{stopped.value}: it never acts" + (f" now: {later}" if later else "")
