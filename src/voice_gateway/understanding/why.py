"""Answers "why did you do that?" from the recorded turn: one sentence for each cause."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from home_names.resolver import Nothing
from voice_gateway.languages import say
from voice_gateway.recorder.recorder import Recorder
from voice_gateway.recorder.store import RecorderLost, TurnStore
from voice_gateway.tools.masking import shorten
from voice_gateway.turn import NOT_MADE, OutcomeStatus, Utterance
from voice_gateway.understanding.nodes import WhyQuestion
from voice_gateway.understanding.stage import UnderstandingStage

Turn = Mapping[str, Any]

DONE = ("routine", "hand", "yes", "model", "order")  # no reason why something was not done
RECENT_SECONDS = 90.0
ROUTINE_SECONDS = 600.0  # a routine that ran since then may be meant by "that"
MOST_READ = 100  # turns that are looked at for one question
LONGEST = 200  # characters of a quotation
OPPOSITE = {  # of a state: what an act that did something else says of itself
    "on": "off", "off": "on dim", "open": "close closed", "closed": "open", "locked": "unlock unlocked",
    "unlocked": "lock locked",
}  # fmt: skip
_NOT_DONE = {OutcomeStatus.WAITING: "waiting", OutcomeStatus.NOT_PERMITTED: "refused"}


class Why:
    def __init__(
        self, recorder: Recorder, local: UnderstandingStage, now: Callable[[], float] = time.time
    ) -> None:
        self._recorder, self._local, self._now = recorder, local, now

    async def answer(self, asked: Utterance) -> str | None:
        """None: the question is about something else."""
        question = await self._local.read_as(WhyQuestion, asked.text)
        if question is None:
            return None
        names: list[str] = []
        if question.thing:
            await self._local.cache.known()
            names = await asyncio.to_thread(self._named, question.thing)
            if not names and not question.ours:
                return None  # why something in the world is so
        if not self._recorder.settings.enabled:
            return say("why.off")

        def read(store: TurnStore) -> str | None:
            if names:
                return self._of_things(store, names, question.became)
            return self._of_last(store, asked, question)

        try:
            return await self._recorder.read(read)
        except RecorderLost:
            return say("why.lost")

    def _named(self, words: str) -> list[str]:
        """The devices that the words may mean."""
        names = self._local.home.names
        match = names.find(words)
        return [] if isinstance(match, Nothing) else [device.name for device in names.could_mean(words)]

    def _of_last(self, store: TurnStore, asked: Utterance, question: WhyQuestion) -> str | None:
        """Of the last turn of this conversation, or of a routine that ran since."""
        for turn in store.turns(limit=MOST_READ):
            here = (turn["door"], turn["conversation_id"]) == (asked.channel, asked.conversation_id)
            ran = _is_routine(turn) and turn["acts"] and self._now() - turn["at"] < ROUTINE_SECONDS
            if not (here or ran):
                continue
            [whole, *_] = store.find(turn["id"])
            if any(event.get("stage") == "recorder" for event in _of(whole, "staged")):
                continue  # a question like this one
            if not question.ours and turn["stage"] not in ("local", "none") and not turn["acts"]:
                return None  # "why" in a talk with a model
            return explain(whole, self._now(), question)
        return say("why.nothing") if question.ours else None

    def _of_things(self, store: TurnStore, names: Sequence[str], state: str) -> str:
        """The cause of the newest turn that changed a device of these names."""
        listed = (turn for name in names[:5] for turn in store.turns(search=name, limit=MOST_READ))
        turns = {turn["seq"]: turn["id"] for turn in listed if turn["acts"]}
        for _, turn_id in sorted(turns.items(), reverse=True):
            [whole, *_] = store.find(turn_id)
            for act in reversed(acts_of(whole)):
                if any(_is_about(act, name) for name in names):
                    other = _did_else(act, state)
                    return say("why.not_me", things=names) if other else explain(whole, self._now())
        return say("why.not_me", things=names)


def explain(turn: Turn, now: float, question: WhyQuestion | None = None) -> str:
    """The cause of the turn; or its words and reply: also for "why didn't you" after an act."""
    acted, staged, rounds = (_of(turn, kind) for kind in ("acted", "staged", "round"))
    first = acted[0] if acted else {}
    heard = next(iter(_of(turn, "heard")), {})
    settled = next((event for event in staged if event["taken"]), {"stage": "", "reason": ""})
    passed = next((event["reason"] for event in staged if not event["taken"]), "")
    reasons = {event["call_id"]: event["reason"] for event in _of(turn, "judged")}
    if not acted:
        cause = "unread" if passed and settled["stage"] in ("", "local") else "answer"
    elif first["outcome"] in _NOT_DONE:
        cause = _NOT_DONE[first["outcome"]]
    elif _is_routine(turn):
        cause = "routine"
    elif not first["ok"]:
        cause = "failed"
    elif settled["stage"] == "confirmation":
        cause = "hand" if settled["reason"] == "chosen by hand" else "yes"
    else:
        cause = "model" if rounds else "order"
    if question is not None and (question.ask == "what" or (question.negated and cause in DONE)):
        cause = "answer"
    return say(
        f"why.{cause}",
        text=_quoted(turn["text"]),
        reply=_quoted(turn["reply"]) if turn["reply"] else "nothing, because it was cut off",
        when=_when(turn["at"], now),
        question=_quoted(heard.get("in_answer_to", "")),
        model=rounds[0]["model"] if rounds else "",
        reason=reasons.get(first["call_id"], "") if acted else passed.rstrip("."),
        result=shorten(first.get("text", "").removeprefix("Error: "), LONGEST),
    )


def acts_of(turn: Turn) -> list[Mapping[str, Any]]:
    """The calls that were made and could change something."""
    looks = {event["call_id"] for event in _of(turn, "started") if event["read_only"]}
    acted = [event for event in _of(turn, "acted") if event["call_id"] not in looks]
    return [event for event in acted if event["outcome"] not in NOT_MADE]


def _of(turn: Turn, kind: str) -> list[Mapping[str, Any]]:
    return [event for event in turn["events"] if event["type"] == kind]


def _is_routine(turn: Turn) -> bool:
    return str(turn["conversation_id"]).startswith("routine-")


def _quoted(text: str) -> str:
    return f'"{shorten(" ".join(str(text).split()), LONGEST)}"'


def _when(at: float, now: float) -> str:
    """Empty for what was just now."""
    then, today = (datetime.fromtimestamp(moment).astimezone() for moment in (at, now))
    if abs(now - at) < RECENT_SECONDS:
        return ""
    return f" at {then:%H:%M}" if then.date() == today.date() else f" on {then:%A, %d %B} at {then:%H:%M}"


def _is_about(act: Mapping[str, Any], name: str) -> bool:
    facts = json.dumps([act["args"], act["structured"], act["text"]], ensure_ascii=False, default=str)
    return re.search(rf"\b{re.escape(name)}\b", facts, re.IGNORECASE) is not None


def _did_else(act: Mapping[str, Any], state: str) -> bool:
    """Whether the act is known to have brought about another state."""
    facts, args = (act[key] if isinstance(act[key], Mapping) else {} for key in ("structured", "args"))
    word = str(facts.get("state") or args.get("action") or "").lower().partition(",")[0]
    return bool(act["ok"]) and word in OPPOSITE.get(state, "").split()
