"""Sentences drawn from every template: `python -m tests.eval.sampled [--missed]`.

Each template is walked at random (fixed seed) with the names of two homes; what it means is planned from the
walk itself, and must be what the grammar understands. Around each one that acts, words are put that
make it no order; then nothing may act. The same is done with every template of our own orders.
"""

import asyncio
import contextlib
import logging
import random
import sys
from collections import Counter
from typing import Any

from tests.eval.homes import HOMES
from tests.eval.never_acts import BEFORE, BEHIND
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.understanding.grammar import Alternative, Tree
from voice_gateway.understanding.lexer import PAUSES
from voice_gateway.understanding.nodes import Intent, Name, Unread, Utterance
from voice_gateway.understanding.plan import Context, Refused
from voice_gateway.understanding.stage import UnderstandingStage

SEED, PER_TEMPLATE, PER_ORDER = 25, 2, 6
TEXTS = ("dinner is ready", "oat milk", "pasta", "blue notebook")
Slots = list[tuple[str, Any]]


# (name, room, kind, state, available)
LOFT = (
    ("TV", "Lounge", "media_player", "playing", True),
    ("Kitchen Radio", "Kitchen", "media_player", "paused", True),
    ("Robo", "Hall", "vacuum", "docked", True),
    ("Water Valve", "Cellar", "valve", "open", True),
    ("Ceiling Fan", "Bedroom", "fan", "off", True),
    ("Strip", "Lounge", "dimmer", "off", True),
    ("Reading Light", "Bedroom", "dimmer", "on, 30 %", True),
    ("Awning", "Terrace", "blind", "closed", True),
    ("Terrace Door", "Terrace", "lock", "locked", True),
    ("Boiler", "Cellar", "thermostat", "heat, 20 °C", True),
    ("Pump", "Cellar", "switch", "on", True),
)


def loft() -> ScriptedHome:
    """A home with players, a vacuum, a valve and a fan."""
    home = ScriptedHome.of(LOFT)
    home.scenes, home.lists_scenes = ("Dinner", "Party"), True
    return home


class Cannot(Exception):
    """The template needs what this home does not have."""


class Walk:
    """Draws sentences from the rules of one language in one home."""

    def __init__(self, brain: UnderstandingStage, chance: random.Random) -> None:
        self.grammar, self.chance = brain.grammar(), chance
        self.language, self.home = self.grammar.language, brain.home

    def draw(self, template: Alternative) -> tuple[str, Intent]:
        domains = tuple(str(value) for key, value in template.says if key == "domain")
        slots: Slots = [(key.removeprefix("slot."), v) for key, v in template.says if key.startswith("slot.")]
        words = self._words(template.tree, domains, slots)
        fixed = dict(template.says)
        node = Intent(str(fixed["intent"]), domains, bool(fixed.get("here")), slot=tuple(slots))
        return " ".join(words), node

    def _words(self, tree: Tree, domains: tuple[str, ...], slots: Slots) -> list[str]:
        kind = tree[0]
        if kind == "w":
            return [tree[1]]
        if kind == "s":
            return [word for part in tree[1] for word in self._words(part, domains, slots)]
        if kind == "a":
            return self._words(self.chance.choice(tree[1]), domains, slots)
        if kind == "o":
            return self._words(tree[1], domains, slots) if self.chance.random() < 0.5 else []
        if kind == "r":
            return self._words(self.chance.choice(self.language.grammar.rules[tree[1]]).tree, domains, slots)
        said, value = self._leaf(tree[1], domains)
        slots.append((tree[2].removeprefix("slot."), value))
        return said.split()

    def _leaf(self, leaf: str, domains: tuple[str, ...]) -> tuple[str, Any]:
        from voice_gateway.understanding.plan.intents import KINDS

        if leaf in ("name", "exact"):
            kinds = frozenset[str]().union(*(KINDS.get(one, frozenset()) for one in domains))
            light = "light" in domains
            fit = [d for d in self.home.devices if not domains or d.kind in kinds or (light and d.is_light)]
            device = self._one_of(fit)
            return device.name.lower(), Name((device.key,), "exact", device.name.lower())
        if leaf == "room":
            room = self._one_of(sorted({device.room for device in self.home.devices if device.room}))
            return room.lower(), room
        if leaf == "scene":
            scene = self._one_of(sorted(self.home.scenes.values()))
            return scene.lower(), scene
        if leaf in self.language.ranges:
            lowest, highest, factor = self.language.ranges[leaf]
            number = self.chance.randint(int(lowest), min(int(highest), int(lowest) + 60))
            return str(number), number * factor
        if leaf in self.language.lists:
            span = self.chance.choice(sorted(self.language.lists[leaf]))
            return " ".join(span), self.language.lists[leaf][span]
        if leaf == "floor":
            raise Cannot
        if leaf in ("unknown", "talk", "remark", "described", "clock", "nth"):
            raise Cannot
        if leaf == "number":
            number = self.chance.randint(1, 30)
            return str(number), float(number)
        text = self.chance.choice(TEXTS)
        return text, text

    def _one_of(self, options: Any) -> Any:
        if not options:
            raise Cannot
        return self.chance.choice(options)

    def order(self, template: Alternative) -> str:
        """A sentence of one of our own templates."""
        return " ".join(word for word in self._words(template.tree, (), []) if word not in PAUSES)


def meant(brain: UnderstandingStage, node: Intent) -> object:
    """What the template means here: the calls, or None where it acts on nothing."""
    context = Context(home=brain.home, tools=frozenset(tool.name for tool in brain._executor.tools.all()))
    try:
        made = brain.grammar()._planned(Utterance(step=(node,)), context)
    except (Refused, Unread):
        return None
    return calls(made, brain) if made.question is None else None


def calls(understood: Any, brain: UnderstandingStage) -> object:
    """Without those that leave a device as it is."""
    every = [request for step in understood.steps for request in step.requests]
    found = [one for one in every if not (one.wish and brain.home.is_so(one.device, one.wish.action))]
    return frozenset((one.tool, repr(sorted(one.args.items()))) for one in found) or None


async def sample() -> tuple[Counter[str], list[str], list[str]]:
    chance, table, missed, acting = random.Random(SEED), Counter[str](), list[str](), list[str]()
    for make in (*HOMES.values(), loft):
        executor = ToolExecutor(manager_for(make()))
        brain = UnderstandingStage(executor, BrainSettings())
        await brain.refresh()
        walk = Walk(brain, chance)
        for template in walk.language.grammar.rules["intent"]:
            for _ in range(PER_TEMPLATE):
                try:
                    said, node = walk.draw(template)
                except Cannot:
                    table["not in this home"] += 1
                    continue
                wanted, understood = meant(brain, node), brain.read(said)
                got = calls(understood, brain) if understood.question is None else None
                if got == wanted:
                    result = "right" if wanted else "right: asks or passes"
                elif wanted is None:
                    result = "more than the template" if understood.acts else "right: asks or passes"
                else:
                    result = "other" if got else "asks" if understood.question else "passes"
                table[result] += 1
                if not result.startswith("right"):
                    missed.append(
                        f"{result}: {said}\n    {node.intent} {wanted}\n    {got} {understood.refused}"
                    )
                if got and understood.acts:
                    acting += around(brain, chance, said, table)
        for template in walk.language.grammar.rules["order"]:
            for _ in range(PER_ORDER):
                with contextlib.suppress(Cannot):
                    said = walk.order(template)
                    table["own orders"] += 1
                    if brain.read(said).acts:
                        table["own orders that act"] += 1
                        acting += around(brain, chance, said, table)
    return table, missed, acting


def around(brain: UnderstandingStage, chance: random.Random, said: str, table: Counter[str]) -> list[str]:
    """Those that act although a word before or behind them makes them no order."""
    tried = (f"{chance.choice(BEFORE)} {said}", f"{said} {chance.choice(BEHIND)}")
    table["around"] += len(tried)
    return [one for one in tried if brain.read(one).acts]


def main() -> int:
    logging.disable(logging.CRITICAL)
    table, missed, acting = asyncio.run(sample())
    for result, number in sorted(table.items()):
        print(f"{result:24}{number:6}")
    print(f"{'act where none may':24}{len(acting):6}", *acting[:40], sep="\n  ")
    if "--missed" in sys.argv:
        print(*missed, sep="\n")
    return 1 if acting or table["other"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
