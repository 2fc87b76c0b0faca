"""The best reading of one clause: of all sentences that fit it, the first that can be carried out."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from voice_gateway.brain.local.command.what import read_command
from voice_gateway.brain.local.grammar import Frame, has_own_sentences, match, match_ha
from voice_gateway.brain.local.meaning import HOME_AWAY, Clarification, Context, Meaning, NotHandled, Step
from voice_gateway.brain.local.plan.builtin import ASKED, BUILTIN
from voice_gateway.brain.local.plan.everyday import read_everyday
from voice_gateway.brain.local.plan.home_alarms import may_be_of_the_home
from voice_gateway.brain.local.plan.house import KEEPING, read_house
from voice_gateway.brain.local.plan.look import LOOKS, read_looks
from voice_gateway.brain.local.plan.play import HOME_ACTS
from voice_gateway.brain.local.plan.scene import read_scene
from voice_gateway.brain.local.resolve import LONGEST_NAME
from voice_gateway.integrations.device import Device

_PLANNERS = {**BUILTIN, **HOME_ACTS, **LOOKS, **KEEPING}
_BARE = 3  # "{thing} on": so few words of its own that anything fits


@dataclass(frozen=True)
class ClauseReader:
    """Reads clauses one by one, in what is known of the home and the conversation."""

    context: Context
    language: str = "en"
    core_only: bool = False  # only what needs no home
    _read_before: dict[tuple[str, tuple[Device, ...]], Meaning] = field(default_factory=dict)

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
            meaning = self.plan(frame)
            if isinstance(meaning, Step) and (meaning.requests or frame.intent not in HOME_ACTS):
                return meaning
            if isinstance(meaning, Step):
                told = told or meaning  # "that cannot be dimmed": another reading may know what can be done
            elif isinstance(meaning, Clarification):
                ask = ask or meaning
            elif frame.literal > _BARE or frame.intent in LOOKS:
                no = no or meaning
        return told or ask or no or NotHandled("no sentence fits")

    def _frames(self, text: str) -> Iterable[Frame]:
        """What is composed, and what is said as it stands; in other languages Home Assistant's sentences."""
        if not has_own_sentences(self.language):
            yield from match_ha(text, self.context.home, self.context.room, self.language)
            return
        if self.core_only:
            yield from (*read_everyday(text), *match(text, self.language))
            return
        composed = read_command(self.as_one_word(text))
        # Only what is called exactly so can be started: a timer comes first.
        yield from (one.frame for one in composed if one.what.action != "Start")
        yield from read_house(text)
        yield from read_everyday(text)
        needs_none = match(text, self.language)
        yield from (one for one in needs_none if not one.slots)
        yield from (*read_looks(text), *read_scene(text))
        yield from (one for one in needs_none if one.slots)
        yield from (one.frame for one in composed if one.what.action == "Start")

    def as_one_word(self, text: str, *, mark: str = "") -> str:
        """Names are joined, so that none of their words is taken for a command's ("Down Light") or for how a
        sentence is meant ("Left Lamp"); with a mark single words, too."""
        home, shortest = self.context.home, 1 if mark else 2
        names = names_in(text, home.by_name, shortest) | names_in(text, home.scenes, shortest)
        for name in sorted(names, key=len, reverse=True):
            text = re.sub(rf"\b{re.escape(name)}\b", name.replace(" ", "_") + mark, text)
        return text

    def plan(self, frame: Frame) -> Meaning:
        planner = _PLANNERS.get(frame.intent)
        if planner is None:
            return NotHandled("nobody plans that")
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
        """ "Turn it down" is about the sound, unless a device was talked of; what is asked of a search may be
        about a thing of this home, and an alarm may be one for smoke."""
        if may_be_of_the_home(frame):
            return False
        if frame.intent == "Search" and ASKED.match(frame.text("query")):
            return False
        return frame.intent in BUILTIN or (frame.intent == "UpDownIt" and self.context.topic != "device")


def names_in(text: str, names: Container[str], shortest: int = 2) -> set[str]:
    words = text.split()
    spans = ((at, size) for at in range(len(words)) for size in range(shortest, LONGEST_NAME + 1))
    return {name for at, size in spans if (name := " ".join(words[at : at + size])) in names}


def _missing(tool: str) -> str:
    if tool.endswith(("timer", "timers")):
        return "I have no timers here."
    if tool == "get_weather":
        return "The weather is switched off here (tools.weather)."
    home = "zwave" in tool or "device" in tool
    return HOME_AWAY if home else "I can't do that here."
