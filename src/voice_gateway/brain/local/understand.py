"""From words to a meaning: frames of the whole, then of its clauses, and what is no command never acts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from home_words.phrases import capital, listed
from voice_gateway.brain.local.grammar import Frame, has_own_sentences, match, match_ha
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    Meaning,
    NotHandled,
    Step,
    Understanding,
)
from voice_gateway.brain.local.normalise import Said, strip_politeness
from voice_gateway.brain.local.places import plain
from voice_gateway.brain.local.plan.builtin import BUILTIN
from voice_gateway.brain.local.plan.home import HOME_ACTS, ask_for_scene, scene_alone
from voice_gateway.brain.local.plan.look import LOOKS
from voice_gateway.brain.local.speech_act import NotACommand, not_a_command, worded_as_question
from voice_gateway.brain.local.wording import DOING, the

MOST_CLAUSES = 6
_JOINT = re.compile(r"\b(?:and then|and also|and|then|also|after that)\b")
# Speech has no full stops: a new command begins where its verb stands.
_VERB = re.compile(
    r"\b(?:and then|and|then)\b|(?=\b(?:turn|switch|set|dim|open|close|lock|unlock|mute|start) \w)"
)
_UNFINISHED = re.compile(r"\b(?:and|then|or|the|a|an|to|of|with|my|by|for)$")
# What to say when no later stage has an answer either.
_TOLD = {
    NotACommand.NEGATION: "Okay, I did nothing.",
    NotACommand.CONDITION: "I can only do that right away, so I did nothing.",
    NotACommand.REPORTED: "That was no request to me, so I did nothing.",
    NotACommand.STATEMENT: "That was no request, so I did nothing.",
}
UNFINISHED = "I think there was more to come. Please say it again."
_FREE = ("query", "message", "label", "duration", "clock", "offset")  # words in these are not ours to judge
_WORDY = ("thing", "scene", "place")  # a template with none of these is said as it stands, or not at all
_PLANNERS = {**BUILTIN, **HOME_ACTS, **LOOKS}
_BARE = 3  # "{thing} on": so few words of its own that anything fits


@dataclass(frozen=True)
class Reader:
    """Reads one utterance; `context` moves on from clause to clause, so that "it" means what was named."""

    context: Context
    language: str = "en"
    core_only: bool = False  # only what needs no home

    def read(self, said: Said) -> Understanding:
        if not said.text:
            return Understanding.of(NotHandled("there are no words in it"))
        whole = self.clause(said.text)
        if isinstance(whole, Step) and not self._could_split(whole):
            return self._checked([whole], said)
        steps = self._clauses(said) or ([whole] if isinstance(whole, Step) else [])
        return self._checked(steps, said) if steps else self._not_done(whole, said)

    def _not_done(self, whole: Meaning, said: Said) -> Understanding:
        """A question back, or why it is not for us."""
        alone = None if self.core_only else scene_alone(said, self.context.home)
        if alone is not None:
            return Understanding.of(alone)
        stopped = not_a_command(self._unnamed(said.text))
        # Looking does no harm, and a command with a question mark is asked about in any case.
        may_ask = isinstance(whole, Clarification) and (whole.frame.intent in LOOKS or stopped is None)
        if _UNFINISHED.search(said.text) and not stopped:
            return Understanding.of(NotHandled("it is not finished", forbid=True, spoken=UNFINISHED))
        if isinstance(whole, NotHandled) and whole.understood:
            return Understanding.of(whole)
        if isinstance(whole, Clarification) and may_ask:
            return Understanding.of(whole)
        return Understanding.of(_passing(whole, stopped, said))

    def _could_split(self, step: Step) -> bool:
        """A free slot may have swallowed a second command."""
        slots = ("query", "label", "place", "offset")
        words = " ".join(step.frame.text(slot) for slot in slots) if step.frame else ""
        return bool(_JOINT.search(words)) and step.intent != "Search"

    def clause(self, text: str) -> Meaning:
        """The best reading of one clause: the first that holds, else the first question, else why not."""
        told: Step | None = None
        ask: Clarification | None = None
        no: NotHandled | None = None
        for frame in self._frames(text):
            if not frame.own and (told or ask or (no and no.forbid)):
                break  # our own sentences know the words, and found nobody: others must not find more
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
        if has_own_sentences(self.language):
            own = [_small(frame, text) for frame in match(text, self.language, home=not self.core_only)]
            # A plug that is called Speaker is meant by its name, not the loudspeaker that we are.
            yield from sorted(own, key=lambda frame: not self._names_a_device(frame))
        if not self.core_only:
            yield from match_ha(text, self.context.home, self.context.room, self.language)

    def _names_a_device(self, frame: Frame) -> bool:
        return frame.intent in HOME_ACTS and bool(self.context.home.names.exact(plain(frame.text("thing"))))

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
        ):
            pieces = [piece for part in parts for piece in _pieces(part, joint)]
            if 1 < len(pieces) <= MOST_CLAUSES:
                steps = self._read_pieces(pieces)
                if steps:
                    return steps
        return []

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
        for step in steps:
            if step.acts and len(steps) == 1 and (stopped := self._stopped(step, said.text)):
                reason = f"{stopped.value}: it never acts"
                return Understanding.of(NotHandled(reason, forbid=True, spoken=_TOLD.get(stopped)))
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


def _wordy(step: Step) -> bool:
    return step.frame is None or not step.frame.own or any(slot in step.frame.slots for slot in _WORDY)


def _small(frame: Frame, text: str) -> Frame:
    if frame.intent not in ("Brighter", "Dimmer") or not re.search(
        r"\b(?:bit|little|slightly|touch|tad|notch)\b", text
    ):
        return frame
    return replace(frame, slots={**frame.slots, "small": True})


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
    return NotHandled(f"{stopped.value}: it never acts", forbid=True, spoken=spoken)
