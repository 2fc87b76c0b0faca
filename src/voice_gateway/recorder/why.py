"""Answers "why did you do that?" from what was kept: nothing is said that did not happen."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from voice_gateway.turn import Utterance

if TYPE_CHECKING:
    from voice_gateway.recorder.recorder import Recorder
    from voice_gateway.recorder.store import TurnStore
    from voice_gateway.recorder.why_words import WhyQuestion

OFF = "I keep no record of what I do, so I cannot say: the setting recorder.days is 0."
LOST = "I cannot say: the record of what I did cannot be read now."
NOTHING = "I have no record of anything I did here."
NOT_ME = (
    "I have no record that I touched {what}{since}: if it was changed, then by hand or by something else."
)
NOT_ASKED = "I have no record that you asked me for that."
TWICE = "The last I did with {what} was something else, so it was not me who made it {state}."
_MAY_ASK = re.compile(
    r"\b(?:why|how come|who|what|whose|explain|warum|wieso|weshalb|wozu|grund|wer|was|erkläre?)\b",
    re.IGNORECASE,
)
OWN_STAGES = ("local", "none")
ROUTINE_SECONDS = 600.0  # a routine that ran since then is what is meant by "that", if nothing was said since
MOST_READ = 100  # turns that are looked at for one question
_OPPOSITE = {
    "on": "off",
    "off": "on",
    "open": "closed",
    "closed": "open",
    "locked": "unlocked",
    "unlocked": "locked",
}
_EFFECT = {"lock": "locked", "unlock": "unlocked", "close": "closed", "dim": "on"}
_STOP_WORDS = frozenset(
    "the a an my our your on off in of to it that this and for with me you i up down all".split()
)


class Thing(Protocol):
    """A device of the home."""

    @property
    def name(self) -> str: ...


# Of words in a question: the devices that they may mean.
Named = Callable[[str], Sequence[Thing]]


class Why:
    """One for each gateway. `known` returns when the home is known."""

    def __init__(
        self,
        recorder: "Recorder",
        named: Named,
        known: Callable[[], Awaitable[None]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._recorder = recorder
        self._named = named
        self._known = known
        self._now = now

    async def answer(self, asked: Utterance) -> str | None:
        """None: the question is about something else."""
        if not _MAY_ASK.search(asked.text):  # nearly everything: the words of such questions need not be read
            return None
        from voice_gateway.recorder.why_words import About, read_question

        if (question := read_question(asked.text)) is None:
            return None
        things: Sequence[Thing] = ()
        if question.thing:
            await self._known()
            things = await asyncio.to_thread(self._named, question.thing)
        if question.about is About.THING and not things and not question.ours:
            return None  # why something in the world is so
        if not self._recorder.settings.enabled:
            return OFF
        from voice_gateway.recorder.store import RecorderLost

        try:
            told: str | None = await self._recorder.read(
                lambda store: self._found(store, asked, question, things)
            )
            return told
        except RecorderLost:
            return LOST

    def _found(
        self, store: "TurnStore", asked: Utterance, question: "WhyQuestion", things: Sequence[Thing]
    ) -> str | None:
        from voice_gateway.recorder.why_words import About

        if things and question.about is About.THING:
            return self._of_thing(store, asked, question, things)
        turn = self._meant(store, asked, question)
        if turn is None:  # of what was never asked of us a model may know something
            ours = question.ours and question.about is About.LAST
            return NOT_ASKED if things else NOTHING if ours else None
        if not question.ours and turn["stage"] not in OWN_STAGES and not turn["acts"]:
            return None  # "why" in a talk with a model
        return self._told(store, asked, turn)

    def _told(self, store: "TurnStore", asked: Utterance, turn: Mapping[str, Any]) -> str:
        from voice_gateway.recorder.explain import explain

        heard: Mapping[str, Any] = next((one for one in turn["events"] if one["type"] == "heard"), {})
        led_to = ""
        if heard.get("in_answer_to"):
            before = store.turns(
                before=turn["id"], limit=1, channel=turn["door"], conversation=turn["conversation_id"]
            )
            led_to = (
                before[0]["text"] if before and before[0]["reply"].endswith(heard["in_answer_to"]) else ""
            )
        return explain(turn, channel=asked.channel, now=self._now(), led_to=led_to)

    def _meant(
        self, store: "TurnStore", asked: Utterance, question: "WhyQuestion"
    ) -> Mapping[str, Any] | None:
        """The last turn of this conversation, or a routine that ran since; if a thing is named, about it."""
        from voice_gateway.recorder.explain import acts_of, is_routine

        words = _content(question.thing)
        for listed in store.turns(limit=MOST_READ):
            here = (listed["door"], listed["conversation_id"]) == (asked.channel, asked.conversation_id)
            ran = is_routine(listed) and self._now() - listed["at"] < ROUTINE_SECONDS
            if not here and not ran:
                continue
            turn = store.find(listed["id"])[0]
            if _was_why(turn) or (ran and not acts_of(turn)):
                continue
            if not words or words & _content(f"{turn['text']} {turn['reply']}"):
                return turn
        return None

    def _of_thing(
        self, store: "TurnStore", asked: Utterance, question: "WhyQuestion", things: Sequence[Thing]
    ) -> str:
        names = [thing.name for thing in things]
        found = self._last_act(store, names)
        if found is None:
            oldest = store.oldest()
            from voice_gateway.recorder.explain import when

            since = f" since {when(oldest, 0.0)}".replace(" since on", " since") if oldest else ""
            return NOT_ME.format(what=f"the {names[0]}" if len(names) == 1 else "them", since=since)
        turn, effect = found
        told = self._told(store, asked, turn)
        if question.state and effect == _OPPOSITE.get(question.state):
            return f"{TWICE.format(what=f'the {names[0]}', state=question.state)} {told}"
        return told

    def _last_act(self, store: "TurnStore", names: Sequence[str]) -> tuple[Mapping[str, Any], str] | None:
        """The newest turn that changed one of these, and what it made of it."""
        from voice_gateway.recorder.explain import acts_of

        listed = {one["seq"]: one for one in store.turns(limit=MOST_READ)}
        for name in names[:5]:
            listed |= {one["seq"]: one for one in store.turns(search=name, limit=MOST_READ)}
        for seq in sorted(listed, reverse=True):
            if not listed[seq]["acts"]:
                continue
            turn = store.find(listed[seq]["id"])[0]
            for act in reversed(acts_of(turn)):
                if any(_speaks_of(act, name) for name in names):
                    return turn, _effect(act)
        return None


def _was_why(turn: Mapping[str, Any]) -> bool:
    return any(one["type"] == "staged" and one["stage"] == "recorder" for one in turn["events"])


def _content(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - _STOP_WORDS


def _speaks_of(act: Mapping[str, Any], name: str) -> bool:
    told = json.dumps([act["args"], act["structured"], act["text"]], ensure_ascii=False, default=str)
    return re.search(rf"\b{re.escape(name)}\b", told, re.IGNORECASE) is not None


def _effect(act: Mapping[str, Any]) -> str:
    if not act["ok"]:
        return ""
    facts = act["structured"] if isinstance(act["structured"], Mapping) else {}
    args = act["args"] if isinstance(act["args"], Mapping) else {}
    told = re.match(r"\w+", str(facts.get("state") or args.get("action") or ""))
    state = told[0].lower() if told else ""
    return _EFFECT.get(state, state)
