"""What people ask for, and what only sounds like it, without a model and with three stand-ins.

`python -m tests.eval.wish_eval`. Held-out sentences are counted, and printed only for who makes no rules.
"""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.eval import wish_bars
from tests.eval.ha_home import HomeAssistantHouse, is_possible
from tests.eval.homes import HOMES
from tests.eval.wish_cases import Wish, read_natural, read_wishes
from tests.eval.wish_judge import Became, Before, Goal, became, became_after_yes, home_for
from tests.fakes.home_tools import ScriptedHome, manager_for
from tests.fakes.stand_in_models import ORDERS, ObedientModel, RightModel, StandIn, WrongModel

from voice_gateway.config import BrainSettings, OllamaSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.llm.ollama.client import OllamaClient
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Reply, Utterance
from voice_gateway.turns.stage import Stage
from voice_gateway.understanding.stage import UnderstandingStage

MODELS: dict[str, type[StandIn]] = {"right": RightModel, "wrong": WrongModel, "obedient": ObedientModel}
ZWAVE_SETUPS = ("no model", *(f"{model}, {autonomy}" for model in MODELS for autonomy in ("ask", "act")))
# In a Home Assistant home: without a model, and with those that may do nothing wrong.
HA = "HA: "
SETUPS = (*ZWAVE_SETUPS, *(f"{HA}{setup}" for setup in ("no model", "right, ask", "obedient, ask")))


@dataclass(frozen=True)
class Result:
    wish: Wish
    became: Became
    proposed: bool  # the reply to the last turn asked something
    did: str
    handed_on: bool = (
        False  # the understanding did not answer every turn: then it matters which model is there
    )

    @property
    def may_be_handed_on(self) -> bool:
        """What the understanding only asks about goes to a model that is trusted."""
        return self.handed_on or self.proposed


class House:
    """A home with a brain, and perhaps a model; it is put in order before each conversation."""

    def __init__(self, name: str, model: StandIn | None, autonomy: str, *, ha: bool = False) -> None:
        self.ha = HomeAssistantHouse(name) if ha else None
        self.home = self.ha.mirror if self.ha else HOMES[name]()
        news = " ".join(f"IMPORTANT: {order} now." for order in ORDERS)
        if self.ha:
            self.ha.tell(news)
        self.home.news = news
        self.executor = self.ha.executor if self.ha else ToolExecutor(manager_for(self.home))
        provider = "ollama" if model else "local"
        self.brain = BrainSettings.model_validate({"provider": provider, "autonomy": autonomy})
        self.local = self.ha.brain(self.brain) if self.ha else UnderstandingStage(self.executor, self.brain)
        self.model = model
        self.client: OllamaClient | None = None
        if model is not None:
            settings = OllamaSettings(base_url=model.url, warm_up=False)
            self.client = OllamaClient(
                settings,
                self.brain,
                self.executor,
                devices=lambda: self.local.home.devices,
            )

    async def hears(self, wish: Wish) -> Result:
        self.put(wish)
        await self.local.cache.refresh()
        goals = [Goal(way, wish) for way in wish.rights]
        if self.model is not None:
            _instruct(self.model, wish, goals, self.home)
            if self.ha:
                self.model.look, self.model.translate = self.ha.seen, self.ha.translated
        stages: list[Stage] = [self.local, *([self.client] if self.client else [])]
        conversation = Conversation(
            stages, self.executor, self.brain, PermissionSettings(), context=self.local
        )
        replies = [await conversation.answer(Utterance(text, room=wish.room)) for text in wish.turns[:-1]]
        before = Before.of(self._seen(), wish.kind)
        reply = await conversation.answer(Utterance(wish.turns[-1], room=wish.room))
        handed_on = any(one.stage != "local" for one in [*replies, reply])
        result, did = became(wish, goals, before, self._seen(), reply), self._told(reply)
        if result is Became.ASKED and wish.wanted:
            after = await conversation.answer(Utterance("yes", room=wish.room))
            result = became_after_yes(wish, goals, self._seen(), after)
            did = f"{did}; yes: {self._told(after)}"
        return Result(wish, result, reply.expects_answer, did, handed_on)

    def put(self, wish: Wish) -> None:
        home = home_for(wish)
        if self.ha:
            self.ha.put(home)
        else:
            self.home.devices = home.devices
            self.home.calls.clear()

    def _seen(self) -> ScriptedHome:
        return self.ha.seen() if self.ha else self.home

    def _told(self, reply: Reply) -> str:
        made = self.ha.tools.acted() if self.ha else self.home.calls
        calls = "; ".join(f"{name} {args}" for name, args in made if not name.startswith("list_"))
        return f"{reply.stage} said {reply.text!r}" + (f" after {calls}" if calls else "")


def _instruct(model: StandIn, wish: Wish, goals: Sequence[Goal], home: ScriptedHome) -> None:
    """What a model has to know of this conversation; only its own part may use it."""
    model.home = home
    if isinstance(model, RightModel):
        goal = goals[0]
        model.turn, model.goal = wish.turns[-1], goal.home
        model.others = goal.other_calls()
        model.answer = {"ask": "Which one do you mean?", "say": goal.way.words}.get(
            goal.way.kind, "All right."
        )
    if isinstance(model, WrongModel):
        model.right = tuple(goal.home for goal in goals)


async def run(setup: str, wishes: Sequence[Wish]) -> list[Result]:
    kind, _, autonomy = setup.removeprefix(HA).partition(", ")
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(MODELS[kind]()) if kind in MODELS else None
        ha = setup.startswith(HA)
        houses = {name: House(name, model, autonomy or "auto", ha=ha) for name in HOMES}
        for house in houses.values():
            if house.client is not None:
                stack.push_async_callback(house.client.aclose)
        return [await houses[wish.home].hears(wish) for wish in wishes]


def run_setup(setup: str, wishes: Sequence[Wish]) -> list[Result]:
    """In a process of its own."""
    logging.disable(logging.CRITICAL)
    return asyncio.run(run(setup, wishes))


def run_all(setups: Sequence[str]) -> dict[str, list[Result]]:
    """What the understanding settles is not put to every model again: none of them would be asked."""
    by_setup: dict[str, list[Result]] = {}
    with ProcessPoolExecutor(max_workers=2) as pool:
        for first in ("no model", f"{HA}no model"):
            mine = [setup for setup in setups if setup.startswith(HA) == first.startswith(HA)]
            if mine:
                by_setup |= _run_home(pool, first, [setup for setup in mine if setup != first])
    return {setup: by_setup[setup] for setup in setups}


def _run_home(pool: Executor, first: str, models: Sequence[str]) -> dict[str, list[Result]]:
    wishes = [wish for wish in read_wishes() if not first.startswith(HA) or is_possible(wish)]
    halves = list(pool.map(run_setup, [first] * 2, [wishes[::2], wishes[1::2]]))
    alone = [halves[at % 2][at // 2] for at in range(len(wishes))]
    further = [one.wish for one in alone if one.may_be_handed_on]
    by_setup = {first: alone}
    for setup, results in zip(models, pool.map(run_setup, models, [further] * len(models)), strict=True):
        others = iter(results)
        by_setup[setup] = [next(others) if one.may_be_handed_on else one for one in alone]
    return by_setup


# --- what is printed


def count(results: Sequence[Result], what: Became) -> int:
    return sum(result.became is what for result in results)


def part(results: Sequence[Result], *, wanted: bool, held_out: bool | None = None) -> list[Result]:
    return [
        one
        for one in results
        if one.wish.wanted is wanted and (held_out is None or one.wish.held_out is held_out)
    ]


def table(by_setup: dict[str, list[Result]]) -> str:
    """One row for each setup and half."""
    rows = [f"{'wishes':<30}{'n':>5}" + "".join(f"{what.value:>15}" for what in Became)]
    for setup, results in by_setup.items():
        for held_out, name in ((False, "seen"), (True, "held out")):
            rows.append(_row(f"{setup}, {name}", part(results, wanted=True, held_out=held_out)))
    rows.append(f"\n{'no wishes':<30}{'n':>5}{'left alone':>15}{'asked':>15}{'acted':>15}{'talk: asked':>15}")
    for setup, results in by_setup.items():
        for held_out, name in ((False, "seen"), (True, "held out")):
            mine = part(results, wanted=False, held_out=held_out)
            talk = [one for one in mine if one.wish.is_talk]
            cells = [count(mine, what) for what in (Became.REFUSED, Became.ASKED, Became.WRONG)]
            asked = f"{sum(one.proposed for one in talk)} of {len(talk)}"
            head = f"{f'{setup}, {name}':<30}{len(mine):>5}"
            rows.append(head + "".join(f"{cell:>15}" for cell in cells) + f"{asked:>15}")
    return "\n".join(rows)


def kinds_table(setup: str, results: Sequence[Result], *, wanted: bool) -> str:
    rows = [f"{setup}, by kind (seen + held out)"]
    kinds = dict.fromkeys(one.wish.kind for one in results if one.wish.wanted is wanted)
    for kind in kinds:
        mine = [one for one in results if one.wish.kind == kind and one.wish.wanted is wanted]
        halves = [[one for one in mine if one.wish.held_out is half] for half in (False, True)]
        cells = (f"{count(halves[0], what)} + {count(halves[1], what)}" for what in Became)
        rows.append(f"{kind:<30}{len(mine):>5}" + "".join(f"{cell:>15}" for cell in cells))
    return "\n".join(rows)


def _row(name: str, results: Sequence[Result]) -> str:
    cells = (f"{n} {n / max(1, len(results)):.0%}" for n in (count(results, what) for what in Became))
    return f"{name:<30}{len(results):>5}" + "".join(f"{cell:>15}" for cell in cells)


def to_json(by_setup: dict[str, list[Result]]) -> dict[str, object]:
    """The sentences of the seen half; of the other only numbers."""
    return {
        setup: [
            {"line": one.wish.line, "became": one.became, "proposed": one.proposed, "did": one.did}
            if not one.wish.held_out
            else {"kind": one.wish.kind, "wish": one.wish.wanted, "held_out": True, "became": one.became}
            for one in results
        ]
        for setup, results in by_setup.items()
    }


def is_miss(one: Result) -> bool:
    good = (Became.AT_ONCE, Became.AFTER_YES) if one.wish.wanted else (Became.REFUSED,)
    return one.became not in good


def natural(*, show: bool) -> int:
    """The same for `natural.txt` and its held-out half: nothing may be wrong."""
    results = run_setup("no model", read_natural())
    print(
        table({"natural": results}).partition("\n\n")[0],
        kinds_table("natural", results, wanted=True),
        sep="\n\n",
    )
    for one in results:
        if show and is_miss(one) and not one.wish.held_out:
            print(f"{one.became}: {one.wish.line}\n    {one.did}")
    return 1 if count(results, Became.WRONG) else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SETUPS, help="one of the setups")
    parser.add_argument("--missed", action="store_true", help="show what was not right, seen half only")
    parser.add_argument("--missed-held-out", action="store_true", help="the same for the other half")
    parser.add_argument("--natural", action="store_true", help="natural wishes, without a model, alone")
    given, _ = parser.parse_known_args()
    if given.natural:
        return natural(show=given.missed)
    setups = [given.only] if given.only else list(SETUPS)
    by_setup = run_all(setups)
    print(table(by_setup))
    for setup in [setup for setup in setups if setup.endswith("no model")]:
        print("", kinds_table(setup, by_setup[setup], wanted=True), sep="\n")
        print("", kinds_table(setup, by_setup[setup], wanted=False), sep="\n")
    for setup, results in by_setup.items():
        for one in filter(is_miss, results):
            if given.missed_held_out if one.wish.held_out else given.missed:
                print(f"{setup}: {one.became}: {one.wish.line}\n    {one.did}")
    missed = [line for setup, results in by_setup.items() for line in wish_bars.missed(setup, results)]
    print(*missed, sep="\n", end="\n" if missed else "")
    folder = Path("eval-results")
    folder.mkdir(exist_ok=True)
    (folder / "wishes.json").write_text(json.dumps(to_json(by_setup), indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
