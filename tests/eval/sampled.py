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
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.eval.homes import COTTAGE
from tests.eval.never_acts import BEFORE, BEHIND
from tests.fakes.home_assistant_home import Entity, HomeAssistantHome
from tests.fakes.home_assistant_homes import recorded_home
from tests.fakes.home_assistant_tools import HomeAssistantTools
from tests.fakes.home_tools import ScriptedHome, builtin_tools, manager_for

from voice_gateway import languages
from voice_gateway.config import BrainSettings
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.understanding.grammar import Alternative, Tree
from voice_gateway.understanding.home_assistant import FREE
from voice_gateway.understanding.lexer import PAUSES
from voice_gateway.understanding.nodes import Intent, Name, Place, Unread, Utterance
from voice_gateway.understanding.plan import Context, Refused
from voice_gateway.understanding.plan.intents import of_domain
from voice_gateway.understanding.resolver import Resolver
from voice_gateway.understanding.stage import UnderstandingStage

SEED, PER_TEMPLATE, PER_ORDER, TRIES = 25, 2, 6, 9
TEXTS = ("oat milk", "pasta", "blue notebook")
# What a wildcard of a slot is drawn as, where any text would make no sense.
SAID = {"message": "dinner is ready", "conversation_command": "turn on the pendant", "state": "home"}
Slots = list[tuple[str, Any]]


FLOORS = {
    "First Floor": ("Bedroom", "Nursery", "Bathroom", "Snug", "Loft"),
    "Ground Floor": ("Lounge", "Kitchen", "Hall", "Dining Room", "Porch", "Terrace", "Garden"),
    "Basement": ("Cellar",),
}
COLOURED = ["on", "off", "toggle", "dim", "colour", "kelvin"]
CLASS = "watches"
# (name, room, kind, state, what its list says besides)
MORE: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("TV", "Lounge", "media_player", "playing, volume 30 %", {}),
    ("Kitchen Radio", "Kitchen", "media_player", "paused, volume 40 %", {}),
    ("Robo", "Hall", "vacuum", "docked", {}),
    ("Lawn Robot", "Garden", "mower", "docked", {}),
    ("Water Valve", "Cellar", "valve", "open", {}),
    ("Ceiling Fan", "Bedroom", "fan", "on, 50 %", {"abilities": ["on", "off", "toggle", "speed"]}),
    ("Strip", "Lounge", "dimmer", "off", {"abilities": COLOURED}),
    ("Reading Light", "Bedroom", "dimmer", "on, 30 %", {"abilities": COLOURED}),
    ("Awning", "Terrace", "blind", "closed", {}),
    ("Curtains", "Lounge", "blind", "open", {}),
    ("Terrace Door", "Terrace", "lock", "locked", {}),
    ("Boiler", "Cellar", "thermostat", "heat, 20 °C", {}),
    ("Pump", "Cellar", "switch", "on", {}),
    ("Kitchen Window", "Kitchen", "sensor", "closed", {CLASS: ["window"]}),
    ("Bathroom Presence", "Bathroom", "sensor", "no motion", {CLASS: ["occupancy"]}),
    ("Outdoor Thermometer", "Garden", "sensor", "7.5 °C", {}),
    ("Anna", "", "sensor", "home", {"domain": "person"}),
    ("Ben", "", "sensor", "not home", {"domain": "person"}),
    ("Forecast", "", "sensor", "sunny", {"domain": "weather"}),
)


def scripted(rows: Sequence[tuple[Any, ...]], *scenes: str) -> ScriptedHome:
    """A home with floors and every kind of device."""
    home = ScriptedHome.of([row[:4] for row in rows])
    floors = {room: floor for floor, rooms in FLOORS.items() for room in rooms}
    for device, row in zip(home.devices, rows, strict=True):
        extra = row[4] if isinstance(row[4], dict) else {"available": row[4]}
        device.update({"floor": floors.get(device["room"], ""), **extra})
    home.scenes = scenes
    return home


def villa() -> HomeAssistantHome:
    """A Home Assistant, which tells of no floors: some of its areas are named after one."""
    home = recorded_home()
    more = [
        Entity("light.landing", "Landing Lamp", "Upstairs Landing", "on", {"brightness": 120}),
        Entity("lock.attic", "Attic Lock", "Upstairs Landing", "locked"),
        Entity("cover.shutter", "Shutter", "Upstairs Landing", "open", {"current_position": 100}),
        Entity("fan.landing", "Landing Fan", "Upstairs Landing", "off", {"percentage": None}),
        Entity("switch.landing", "Landing Switch", "Upstairs Landing", "on"),
        Entity("climate.landing", "Landing Radiator", "Upstairs Landing", "heat", {"temperature": 19}),
        Entity(
            "media_player.landing", "Landing Speaker", "Upstairs Landing", "playing", {"volume_level": 0.4}
        ),
        Entity("valve.garden", "Garden Valve", "Garden", "closed"),
        Entity("lawn_mower.mower", "Mowbot", "Garden", "docked"),
        Entity("person.anna", "Anna", "", "home"),
        Entity("button.bell", "Bell", "Hall", "unknown"),
        Entity("weather.home", "Forecast Home", "", "sunny", {"temperature": 15}),
    ]
    return HomeAssistantHome([*home.entities.values(), *more], list(home.areas.values()))


def homes() -> Iterator[tuple[ToolExecutor, Sources]]:
    cottage = scripted([*COTTAGE, *MORE], "Bedtime", "Dinner", "Kitchen Party")
    loft = scripted(MORE, "Dinner", "Party", "Lounge Cinema")
    for home in (cottage, loft):
        executor = ToolExecutor(manager_for(home))
        yield executor, Sources(executor)
    manager = ToolManager()
    for tool in builtin_tools(loft):
        manager.add(tool)
    executor = ToolExecutor(manager)
    sources = Sources(executor)
    tools = HomeAssistantTools(villa())
    made = to_langchain_tools(tools.definitions(), server="ha", call=tools.call)
    manager.add_mcp_tools("ha", sources.taken("ha", made))
    yield executor, sources


class Cannot(Exception):
    """The template needs what this home does not have."""


class Walk:
    """Draws sentences from the rules of one language in one home."""

    def __init__(self, brain: UnderstandingStage, chance: random.Random) -> None:
        self.grammar, self.chance = brain.grammar(), chance
        self.language, self.home = self.grammar.language, brain.home

    def draw(self, template: Alternative) -> tuple[str, Intent]:
        """A thing in another room than the one that is named makes little sense, and is drawn rarely."""
        drawn = [self._draw(template)]
        while len(drawn) < TRIES and not self._fits(dict(drawn[-1][1].slot)):
            drawn.append(self._draw(template))
        return drawn[-1]

    def _fits(self, slots: dict[str, Any]) -> bool:
        name, area = slots.get("name"), slots.get("area")
        found = [self.home.find(key) for key in name.keys] if isinstance(name, Name) else []
        return not (area and found) or any(one and one.room == area for one in found)

    def _draw(self, template: Alternative) -> tuple[str, Intent]:
        domains = tuple(str(value) for key, value in template.says if key == "domain")
        slots: Slots = [(key.removeprefix("slot."), v) for key, v in template.says if key.startswith("slot.")]
        words = self._words(template.tree, domains, slots)
        fixed = dict(template.says)
        node = Intent(
            str(fixed["intent"]),
            domains,
            bool(fixed.get("here")),
            str(fixed.get("response", "")),
            slot=tuple(slots),
        )
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
        slot = tree[2].removeprefix("slot.")
        wild = slot in SAID and tree[1] in FREE.values()
        said, value = (SAID[slot], SAID[slot]) if wild else self._leaf(tree[1], domains)
        slots.append((slot, value))
        return said.split()

    def _leaf(self, leaf: str, domains: tuple[str, ...]) -> tuple[str, Any]:
        if leaf in ("name", "exact"):
            device = self._one_of([d for d in self.home.devices if not domains or of_domain(d, domains)])
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
            floor = self._one_of(
                self.home.floors or [one for one in ("upstairs",) if self.home.on_floor(one)]
            )
            return floor.lower(), floor
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


HERE = "Kitchen"  # the speaker's room


def context_of(brain: UnderstandingStage) -> Context:
    tools = frozenset(tool.name for tool in brain._executor.tools.all())
    return Context(home=brain.home, here=HERE, tools=tools)


def meant(brain: UnderstandingStage, node: Intent) -> object:
    """What the template means here: calls, "asks", "says" why not, or None: nothing plans it."""
    try:
        made = brain.grammar()._planned(Utterance(step=(node,)), context_of(brain))
    except Refused as refused:
        return "says" if refused.say is not None else None
    except Unread:
        return None
    return told(made, brain)


def told(understood: Any, brain: UnderstandingStage) -> object:
    """The calls without those that leave a device as it is; else whether it asks, says, or passes."""
    if understood.question is not None:
        return "asks"
    if understood.refused is not None:
        return "says" if understood.refused.say is not None else None
    every = [request for step in understood.steps for request in step.requests]
    found = [one for one in every if not (one.wish and brain.home.is_so(one.device, one.wish.action))]
    return frozenset((one.tool, *map(repr, sorted(_plain(one.args).items()))) for one in found) or "says"


def _plain(args: Any) -> dict[str, Any]:
    """A timer is found by its name in any case."""
    return {key: value.lower() if key == "name" else value for key, value in args.items()}


def is_as_good(brain: UnderstandingStage, said: str, node: Intent, wanted: object, understood: Any) -> bool:
    """Where our grammar means something else than the template, by a rule of ours."""
    slots, got = dict(node.slot), told(understood, brain)
    if node.intent == "HassCancelAllTimers" and not slots:  # alarms and reminders stay
        return got == {("cancel_timer", "('kind', 'timer')", "('name', 'all')")}
    if "conversation_command" in slots:  # read by our own templates, or not at all
        return not isinstance(got, frozenset) or all(tool == "make_routine" for tool, *_ in got)
    if not isinstance(got, frozenset):
        return False
    if slots.get("volume_step") == 0:  # up by nothing is down by nothing
        return True
    if node.here and meant(brain, replace(node, here=False)) == got:  # nothing of the kind is in this room
        return True
    if "complete" in node.intent.lower():  # what is removed from a list is done with
        return [tool for tool, *_ in got] == ["manage_list"] and "('action', 'remove')" in next(iter(got))
    place = Place(room=(slots["area"],) if "area" in slots else (), floor=slots.get("floor", ""))
    rooms = Resolver(brain.home).places((place,))
    devices = [one.device for step in understood.steps for one in step.requests if one.device]
    names = [brain.home.find(key) for key in getattr(slots.get("name"), "keys", ())]
    if "mute" in node.intent.lower() and not slots and "player" in said:  # the home's, not the gateway's own
        return bool(devices) and all(one.kind == "media_player" for one in devices)
    if rooms and names and not any(one and one.room in rooms for one in names):  # what is there may be meant
        return bool(devices) and all(one.room in rooms and of_domain(one, node.domain) for one in devices)
    if names and rooms:  # where it is need not be said
        return devices == names
    if wanted in ("says", "asks") and devices and all(one.is_light and one.room == HERE for one in devices):
        return True  # "the lamp", "the light up": of this room
    full = slots.get("brightness") == 100 and (wanted == "says" or (wanted and wanted < got))
    if full and all(one.is_light for one in devices):  # those that cannot be dimmed are lit
        return True
    if names and (room := brain.home.rooms.get(slots["name"].text)):  # a room's name means its lights
        return all(one.is_light and one.room == room for one in devices)
    if rooms and not names and node.intent == "HassSetVolume" and "volume" not in said:  # so does a room
        return bool(devices) and all(one.is_light and one.room in rooms for one in devices)
    changes = node.intent == "HassLightSet" and " to " not in said  # "decrease it 20 percent" is by so much
    lamp = " lamp" in said and isinstance(wanted, frozenset) and got < wanted  # what is called a lamp
    return lamp or (changes and said.startswith(("increase", "decrease", "raise", "lower", "reduce")))


def result_of(wanted: object, got: object, understood: Any) -> str:
    """One of RESULTS. To say why not is as good as to ask."""
    if wanted == got and wanted is not None:
        return "right"
    if isinstance(got, frozenset):
        return "wrong" if understood.acts else "other look"
    if got is None:
        return "passed"
    return "asked" if isinstance(wanted, frozenset) else "right"


RESULTS = ("right", "asked", "passed", "other look", "wrong")
LEAST_RIGHT = 0.97


async def sample(
    every: int = 1, code: str = "en"
) -> tuple[dict[str, Counter[str]], Counter[str], list[str], list[str]]:
    chance, table, missed, acting = random.Random(SEED), Counter[str](), list[str](), list[str]()
    by_intent = defaultdict[str, Counter[str]](Counter)
    drawn_at = set[int]()
    for executor, sources in homes():
        brain = UnderstandingStage(executor, BrainSettings(languages=(code,)), sources=sources)
        languages.speak(code)
        await brain.cache.refresh()
        walk = Walk(brain, chance)
        for number, template in enumerate(walk.language.grammar.rules["intent"][::every]):
            for _ in range(PER_TEMPLATE):
                try:
                    said, node = walk.draw(template)
                except Cannot:
                    continue
                drawn_at.add(number)
                wanted = meant(brain, node)
                understood = brain.read(said, HERE)
                got = told(understood, brain)
                good = is_as_good(brain, said, node, wanted, understood)
                result = "right" if good else result_of(wanted, got, understood)
                by_intent[node.intent][result] += 1
                if result != "right":
                    why = understood.refused
                    missed.append(
                        f"{result}: {said}\n    {node.intent} {node.slot} {wanted}\n    {got} {why}"
                    )
                if understood.acts and code == "en":
                    acting += around(brain, chance, said, table)
        for template in walk.language.grammar.rules["order"][::every] if code == "en" else ():
            for _ in range(PER_ORDER):
                with contextlib.suppress(Cannot):
                    said = walk.order(template)
                    table["own orders"] += 1
                    if brain.read(said).acts:
                        table["own orders that act"] += 1
                        acting += around(brain, chance, said, table)
    total = len(walk.language.grammar.rules["intent"][::every])
    table["templates that no home can be asked"] = total - len(drawn_at)
    return by_intent, table, missed, acting


def around(brain: UnderstandingStage, chance: random.Random, said: str, table: Counter[str]) -> list[str]:
    """Those that act although a word before or behind them makes them no order."""
    before, behind = chance.choice(BEFORE), chance.choice(BEHIND)
    table["around"] += 2
    found = [f"{before} {said}"] if brain.read(f"{before} {said}").acts else []
    after = brain.read(f"{said} {behind}")
    return [*found, f"{said} {behind}"] if after.acts and not is_part(behind, after) else found


def is_part(behind: str, understood: Any) -> bool:
    """A timer may be called by its length, and an announcement goes on to the end."""
    calls = [(one.tool, one.args) for step in understood.steps for one in step.requests]
    timed = behind == "for an hour" and all("1 hours" in args.values() for _, args in calls)
    return timed or all(str(args.get("message", "")).endswith(behind) for _, args in calls)


def report(*, show: bool) -> tuple[str, int]:
    """The table, and 1 below the bars."""
    logging.disable(logging.CRITICAL)
    by_intent, table, missed, acting = asyncio.run(sample())
    total = sum(by_intent.values(), Counter[str]())
    right = total["right"] / total.total()
    rows = [
        f"{'sentences of home-assistant-intents':36}{'all':>6}" + "".join(f"{one:>12}" for one in RESULTS)
    ]
    for intent, results in [*sorted(by_intent.items()), ("all", total)]:
        rows.append(f"{intent:36}{results.total():6}" + "".join(f"{results[one]:12}" for one in RESULTS))
    rows.append(f"right: {right:.1%} (at least {LEAST_RIGHT:.0%})")
    rows += [f"{result:42}{number:6}" for result, number in sorted(table.items())]
    rows += [f"{'act where none may':42}{len(acting):6}", *(f"  {one}" for one in acting)]
    failed = acting or total["wrong"] or right < LEAST_RIGHT
    return "\n".join([*rows, *(missed if show else ())]), int(bool(failed))


def main() -> int:
    text, code = report(show="--missed" in sys.argv)
    print(text)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
