"""Says what became of a wish: by how the home is then, not by which calls were made."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.eval.cases import Call, Right
from tests.eval.homes import HOMES
from tests.eval.judge import is_act, kind_meant, plain_or_raw
from tests.eval.wish_cases import Wish
from tests.fakes.home_tools import DEVICE_TOOLS, ScriptedHome

from voice_gateway.turn import Reply

States = dict[str, str]


class Became(StrEnum):
    """Of what is no wish, REFUSED means that it was left alone: right."""

    AT_ONCE = "at once"
    AFTER_YES = "after a yes"
    ASKED = "asked in vain"
    REFUSED = "refused"
    WRONG = "wrong"


# Kinds of what is no wish in which this tool may be called all the same.
_MAY = {"search_web": {"world", "question", "quoted"}, "set_timer": {"later"}}


def home_for(wish: Wish) -> ScriptedHome:
    """As it is at first."""
    home = HOMES[wish.home]()
    put(home, wish.start)
    return home


def put(home: ScriptedHome, calls: Sequence[Call]) -> None:
    """Leave the home as these calls would."""
    for name, args in calls:
        if name in DEVICE_TOOLS:
            given: dict[str, Any] = {key: int(v) if key == "level" else v for key, v in args}
            home.change(name, **given)


def states(home: ScriptedHome) -> States:
    """Of every device; what means the same is the same."""
    return {device["name"]: _plain_state(device["kind"], device["state"]) for device in home.devices}


def _plain_state(kind: str, state: str) -> str:
    numbers = re.sub(r"\d+(?:\.\d+)?", lambda found: f"{float(found[0]):g}", state)
    if kind == "blind":
        return {"open": "100 % open", "closed": "0 % open"}.get(numbers, numbers)
    return "on, 100 %" if kind == "dimmer" and numbers == "on" else numbers


class Goal:
    """How the home should be in the end, in one of the ways that are right."""

    def __init__(self, way: Right, wish: Wish) -> None:
        self.way = way
        self.home = home_for(wish)
        put(self.home, way.calls)
        self.states = states(self.home)
        self.others = [_plainly(call) for call in way.calls if call[0] not in DEVICE_TOOLS]

    def other_calls(self) -> list[tuple[str, dict[str, Any]]]:
        """As a model would write them."""
        return [
            (name, {key: f"{value:g} seconds" if key == "duration" else value for key, value in args})
            for name, args in self.others
        ]

    def reached(self, home: ScriptedHome, reply: Reply, kind: str) -> bool:
        looks = {name for name, _ in self.others}
        made = sorted(map(repr, others(home, kind, looks)))
        if states(home) != self.states or made != sorted(map(repr, self.others)):
            return False
        if self.way.kind == "ask":
            return reply.expects_answer
        return self.way.kind != "say" or self.way.words.casefold() in reply.text.casefold()


def _plainly(call: Call) -> Call:
    """Without what is so anyway."""
    usual = ("kind", kind_meant(call[0], dict(call[1])))
    return call[0], tuple(pair for pair in call[1] if pair != usual)


def others(home: ScriptedHome, kind: str, looks: Collection[str] = ()) -> list[Call]:
    """Calls whose effect is no device's state: volume, timers, scenes; a search, as words leave the house."""
    made: list[tuple[str, dict[str, Any]]] = home.calls
    plain = [plain_or_raw(name, args) for name, args in made if kind not in _MAY.get(name, ())]
    return [
        call
        for call in plain
        if (is_act(call) or call[0] in ("search_web", *looks)) and call[0] not in DEVICE_TOOLS
    ]


@dataclass(frozen=True)
class Before:
    """How all was before the last turn."""

    states: States
    others: int

    @classmethod
    def of(cls, home: ScriptedHome, kind: str) -> "Before":
        return cls(states(home), len(others(home, kind)))


def became(wish: Wish, goals: Sequence[Goal], before: Before, home: ScriptedHome, reply: Reply) -> Became:
    """After the last turn, when nobody has said yes yet."""
    untouched = before == Before.of(home, wish.kind)
    if reply.expects_answer and untouched:
        return Became.AT_ONCE if [goal.way.kind for goal in goals] == ["ask"] else Became.ASKED
    if any(goal.reached(home, reply, wish.kind) for goal in goals):
        return Became.AT_ONCE if wish.wanted else Became.REFUSED
    return Became.REFUSED if untouched else Became.WRONG


def became_after_yes(wish: Wish, goals: Sequence[Goal], home: ScriptedHome, reply: Reply) -> Became:
    """Of a wish that was asked about. Who is asked whether to do another thing would have said no."""
    done = [goal for goal in goals if goal.way.kind not in ("ask", "none")]
    if any(goal.reached(home, reply, wish.kind) for goal in done):
        return Became.AFTER_YES
    return Became.AT_ONCE if any(goal.way.kind == "ask" for goal in goals) else Became.ASKED
