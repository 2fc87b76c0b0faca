"""What people say in three homes, in one turn or several: `python -m tests.eval.people [--missed]`.

`people.txt` is seen, `people_held_out.txt` is counted and never looked at one by one.
"""

import argparse
import asyncio
import logging
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.eval.cases import Call, parse_calls
from tests.eval.homes import HOMES
from tests.eval.judge import is_act, plain_or_raw
from tests.eval.lodge import lodge
from tests.eval.wish_judge import put, states
from tests.fakes.home_assistant_home import HomeAssistantHome
from tests.fakes.home_assistant_tools import HomeAssistantTools
from tests.fakes.home_tools import DEVICE_TOOLS, ScriptedHome, builtin_tools, manager_for

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.integrations.sources import Sources
from voice_gateway.mcp_client.convert import to_langchain_tools
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import Reply, Utterance
from voice_gateway.understanding.stage import UnderstandingStage

HERE = Path(__file__).parent
# What a right end says of an entity of the lodge: the call that leads to it.
_CALLS: dict[str, tuple[str, str]] = {
    "on": ("HassTurnOn", ""), "off": ("HassTurnOff", ""), "open": ("HassTurnOn", ""),
    "close": ("HassTurnOff", ""), "lock": ("HassTurnOn", ""), "unlock": ("HassTurnOff", ""),
    "dim": ("HassLightSet", "brightness"), "colour": ("HassLightSet", "color"),
    "kelvin": ("HassLightSet", "temperature"), "at": ("HassSetPosition", "position"),
    "heat": ("HassClimateSetTemperature", "temperature"), "speed": ("HassFanSetSpeed", "percentage"),
    "loud": ("HassSetVolume", "volume_level"), "pause": ("HassMediaPause", ""),
    "play": ("HassMediaUnpause", ""), "next": ("HassMediaNext", ""), "previous": ("HassMediaPrevious", ""),
    "mute": ("HassMediaPlayerMute", ""), "unmute": ("HassMediaPlayerUnmute", ""),
    "start": ("HassVacuumStart", ""), "dock": ("HassVacuumReturnToBase", ""),
}  # fmt: skip
_SAID = re.compile(r"(?:\{(?P<start>[^}]*)\} )?(?:@(?P<room>(?:[A-Z]\w+ ?)+?) (?=[a-z]))?(?P<said>.+)")


@dataclass(frozen=True)
class Talk:
    """One conversation; `ways` are the ends that are right."""

    kind: str
    home: str
    room: str | None
    start: str
    turns: tuple[str, ...]
    ways: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class Result:
    talk: Talk
    became: str
    turns: tuple[str, ...]


def read(name: str) -> list[Talk]:
    talks, home = [], "default"
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith("= "):
            home = line[2:].strip()
        elif line.strip() and not line.startswith("#"):
            kind, words, right = (part.strip() for part in line.split(" | "))
            match = _SAID.fullmatch(words)
            assert match, line
            turns = tuple(part.strip() for part in match["said"].split(">>"))
            ways = tuple(right.split(" or "))
            talks.append(Talk(kind, home, match["room"], match["start"] or "", turns, ways, line))
    return talks


class Place:
    """A home that is talked to: what its devices are, and which other calls were made."""

    def __init__(self, talk: Talk) -> None:
        self.scripted = HOMES[talk.home]() if talk.home in HOMES else None
        self.tools = HomeAssistantTools(lodge())
        home: ScriptedHome = self.scripted or ScriptedHome([])
        self.mirror = home
        if self.scripted is not None:
            self.executor = ToolExecutor(manager_for(self.scripted))
            self.brain = UnderstandingStage(self.executor, BrainSettings())
        else:
            manager = ToolManager()
            for tool in builtin_tools(home):
                manager.add(tool)
            self.executor = ToolExecutor(manager)
            sources = Sources(self.executor)
            made = to_langchain_tools(self.tools.definitions(), server="ha", call=self.tools.call)
            manager.add_mcp_tools("ha", sources.taken("ha", made))
            self.brain = UnderstandingStage(self.executor, BrainSettings(), sources=sources)

    async def do(self, orders: str) -> None:
        """Into the state that these orders lead to."""
        if self.scripted is not None:
            put(self.scripted, [call for call in parse_calls(orders) if call[0] in DEVICE_TOOLS])
            return
        for order in orders.split(" + "):
            if (call := lodge_call(order, self.tools.home)) is not None:
                assert not (done := await self.tools.call(*call))["isError"], (order, done)
        self.tools.calls.clear()

    def devices(self) -> dict[str, Any]:
        if self.scripted is not None:
            return dict(states(self.scripted))
        self.tools.home.settle()
        return {one.name: state_of(one) for one in self.tools.home.entities.values()}

    def others(self) -> list[Call]:
        calls = [plain_or_raw(name, args) for name, args in self.mirror.calls]
        return [one for one in calls if is_act(one) and one[0] not in DEVICE_TOOLS]


def state_of(entity: Any) -> tuple[Any, ...]:
    """What counts of its state; that a scene ran, not when."""
    keys = ("brightness", "rgb_color", "color_temp_kelvin", "current_position", "temperature", "percentage",
            "volume_level", "is_volume_muted", "media_title")  # fmt: skip
    if entity.domain == "scene":
        return (entity.state != "unknown",)
    # of a light that is off, or a fan, its last level is no state
    level = tuple((key, entity.attributes.get(key)) for key in keys if entity.attributes.get(key) is not None)
    items = tuple((item["summary"], item["status"]) for item in entity.items)
    if entity.domain in ("light", "fan") and entity.state == "off":
        return "off", items
    return ("open" if entity.state in ("opening", "open") else entity.state, level, items)


def lodge_call(order: str, home: HomeAssistantHome) -> tuple[str, dict[str, Any]] | None:
    """The call of Home Assistant's tools for one order; None for a call of our own tools."""
    verb, _, rest = order.strip().partition(" ")
    if verb in ("add", "tick"):
        name = "Chores" if rest.startswith("Chores ") else "Shopping List"
        tool = "HassListAddItem" if verb == "add" else "HassListCompleteItem"
        return tool, {"name": name, "item": rest.removeprefix("Chores ")}
    if verb == "scene":
        return "HassTurnOn", {"name": rest, "domain": ["scene"]}
    if verb not in _CALLS or not any(rest.startswith(one.name) for one in home.entities.values()):
        return None
    tool, field = _CALLS[verb]
    name, _, value = rest.rpartition(" ") if field else (rest, "", "")
    args: dict[str, Any] = {"name": name}
    if verb in ("on", "off", "open", "close", "lock", "unlock"):
        args["domain"] = [one.domain for one in home.entities.values() if one.name == name]
    if field:
        args[field] = value if verb == "colour" else float(value) if verb == "heat" else int(value)
    return tool, args


class Goal:
    """How the home should be in the end, and what should be said, in one way that is right."""

    def __init__(self, talk: Talk, way: str) -> None:
        self.talk, self.way = talk, way.strip()
        self.orders, _, self.words = self.way.partition("say ")
        self.orders = self.orders.strip().removesuffix("+").strip()

    async def prepare(self) -> "Goal":
        place = Place(self.talk)
        if self.talk.start:
            await place.do(self.talk.start)
        self.other: list[Call] = []
        if self.orders not in ("", "none", "ask", "back"):
            await place.do(self.orders)
            mine = [one for one in self.orders.split(" + ") if self._is_ours(one, place)]
            calls = [call for one in mine for call in parse_calls(one)]
            self.other = [plain_or_raw(*_with_dict(one)) for one in calls if one[0] not in DEVICE_TOOLS]
        self.states = place.devices()
        return self

    def _is_ours(self, order: str, place: Place) -> bool:
        return place.scripted is not None or lodge_call(order, place.tools.home) is None

    def reached(self, place: Place, reply: Reply) -> bool:
        if self.orders == "ask" and not reply.expects_answer:
            return False
        if place.devices() != self.states or sorted(map(repr, place.others())) != sorted(
            map(repr, self.other)
        ):
            return False
        return not self.words or bool(re.search(self.words, reply.text, re.IGNORECASE))


def _with_dict(call: Call) -> tuple[str, dict[str, Any]]:
    name, args = call
    given = {key: f"{value:g} seconds" if key == "duration" else value for key, value in args}
    return name, given


async def hear(talk: Talk) -> Result:
    place = Place(talk)
    if talk.start:
        await place.do(talk.start)
    goals = [await Goal(talk, way).prepare() for way in talk.ways]
    await place.brain.cache.refresh()
    conversation = Conversation(
        (place.brain,), place.executor, BrainSettings(), PermissionSettings(), context=place.brain
    )
    before, told = place.devices(), []
    for text in talk.turns:
        reply = await conversation.answer(Utterance(text, room=talk.room))
        told.append(f"{text}  ->  {reply.text}")
    after = place.devices()
    left = {name: state for name, state in after.items() if state != before[name]}
    told.append(f"left as: {left or 'before'} {place.others() or ''}")
    if any(goal.reached(place, reply) for goal in goals):
        return Result(talk, "right", tuple(told))
    meant = {repr((name, state)) for goal in goals for name, state in goal.states.items()}
    strange = any(repr((name, state)) not in meant for name, state in left.items())
    strange = strange or any(call not in goal.other for call in place.others() for goal in goals)
    if strange:
        return Result(talk, "wrong", tuple(told))
    if not left and not place.others() and reply.expects_answer:
        after_yes = await conversation.answer(Utterance("yes", room=talk.room))
        if any(goal.reached(place, after_yes) for goal in goals):
            return Result(talk, "after a yes", tuple(told))
        return Result(talk, "asked", tuple(told))
    return Result(talk, "missed", tuple(told))


RESULTS = ("right", "after a yes", "asked", "missed", "wrong")


async def run(talks: list[Talk]) -> list[Result]:
    return [await hear(talk) for talk in talks]


def table(name: str, results: list[Result]) -> str:
    rows = []
    for what, some in (
        ("one turn", [one for one in results if len(one.talk.turns) < 3]),
        ("conversations", [one for one in results if len(one.talk.turns) >= 3]),
    ):
        counts = Counter(one.became for one in some)
        rows.append(f"{f'{name}, {what}':28}{len(some):6}" + "".join(f"{counts[one]:13}" for one in RESULTS))
    return "\n".join(rows)


BARS = {"people.txt": 0.9, "people_held_out.txt": 0.65}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="show what was not right, of the seen half")
    parser.add_argument("--replies", action="store_true", help="show every reply to the seen half")
    parser.add_argument("--file", type=Path, help="measure another file")
    given, _ = parser.parse_known_args()
    logging.disable(logging.CRITICAL)
    print(f"{'people':28}{'n':>6}" + "".join(f"{one:>13}" for one in RESULTS))
    failed = False
    for name, bar in ({str(given.file): 0.0} if given.file else BARS).items():
        results = asyncio.run(run(read(name)))
        print(table(Path(name).stem.replace("_", " "), results))
        kinds = dict.fromkeys(one.talk.kind for one in results)
        parts = {kind: [one.became == "right" for one in results if one.talk.kind == kind] for kind in kinds}
        print("   ", ", ".join(f"{kind} {sum(part)}/{len(part)}" for kind, part in parts.items()))
        right = sum(one.became == "right" for one in results)
        failed = failed or right < bar * len(results)
        if name == "people.txt":
            failed = failed or any(one.became == "wrong" for one in results)
        for one in results:
            shown = given.replies or (given.missed and one.became != "right")
            if shown and "held_out" not in name:
                print(f"{one.became}: {one.talk.line}", *one.turns, sep="\n    ")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
