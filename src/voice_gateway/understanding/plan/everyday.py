"""What needs no home: calls of the gateway's own tools."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from voice_gateway.integrations.home import Request
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.builtin.lists import split_items
from voice_gateway.tools.builtin.times import local_zone
from voice_gateway.understanding.nodes import (
    Amount,
    Command,
    Everyday,
    Item,
    Look,
    Name,
    Value,
    Which,
    altered,
    bare,
    closed,
)
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.plan.when import Moment, offset

LOOKS: Final = frozenset(
    {"get_current_datetime", "search_web", "list_timers", "read_list", "get_weather", "calculate"}
)
LISTS: Final = ("read_list", "manage_list")
PLAYERS_VOLUME: Final = {"up": 1.0, "down": -1.0, "set": 0.0}
POINTING: Final = ("it", "that", "this")
_WITHOUT: Final = {"search_web": Say("search.cannot")}


@plans(Everyday)
def everyday(node: Everyday, context: Context) -> Plan:
    """The call of a tool, with what was said as its arguments."""
    if node.action == "dismiss" and not context.alone:
        raise Refused("it was taken back")
    if node.action == "denied":
        if not context.alone:  # "don't open the blind and the door": neither
            raise Refused("a part is denied")
        _ = node.tool, node.message
        return Step(bare(node), say=Say("no"), topic="")
    if node.tool == "none":
        return Step(bare(node), say=Say("okay"), topic="")
    if context.tools and node.tool not in context.tools:
        raise Refused(f"there is no tool {node.tool}", _WITHOUT.get(node.tool))
    if node.missing == "list" and context.topic == "list":
        node = altered(node, missing="", it=True)
    if node.missing and not (node.missing == "at" and node.message):
        return Question(Say(f"ask.{node.missing}"), bare(node), expects=node.missing)
    return _CALLS.get(node.tool, _plain)(node, context)


def given(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are not empty."""
    return {key: value for key, value in args.items() if value not in ("", None)}


def _step(node: Everyday, *calls: dict[str, Any], topic: str = "") -> Step:
    """A call of the node's tool for each set of arguments."""
    requests = tuple(Request(node.tool, given(args)) for args in calls)
    return Step(bare(node), requests, acts=node.tool not in LOOKS, topic=topic)


def _plain(node: Everyday, context: Context) -> Plan:
    return _step(node, {"message": node.message})


def _time(node: Everyday, context: Context) -> Plan:
    _ = node.part, node.weekday, node.clock and closed(node.clock)  # the reply picks this part of the time
    at = _day(node, context) if node.when is not None else None
    return _step(node, {"timezone": node.place.title(), "offset": at and at.isoformat(timespec="seconds")})


def _day(node: Everyday, context: Context) -> datetime:
    assert node.when is not None
    moment = Moment(context.now or datetime.now(UTC), context.place or Place(local_zone()[0]))
    return offset(node.when, moment)


def _volume(node: Everyday, context: Context) -> Plan:
    level = node.level
    if node.it and context.topic == "device" and context.last:
        raise Refused("it is a device, not the volume")
    if context.topic == "device" and context.last and all(one.can("volume") for one in context.last):
        if node.action in ("mute", "unmute"):
            return plan(Command(do=node.action, which=Which(item=(Item(pronoun=True),))), context)
        if node.action in PLAYERS_VOLUME:  # "a bit quieter", of the player that was spoken of
            way, value = (
                PLAYERS_VOLUME[node.action],
                None if node.level is None else Value(percent=node.level),
            )
            amount = None if node.level is None else Amount(percent=node.level)
            change = Command(do="change", way=way, amount=amount, of="volume")
            order = change if way else Command(do="set", value=value, of="volume")
            return plan(replace(order, which=Which(item=(Item(pronoun=True),))), context)
    if level is not None and not 0 <= level <= 100:
        return Question(Say("ask.level"), bare(node), expects="none")
    level = int(level) if level is not None and level == int(level) else level
    return _step(node, {"action": node.action, "level": level}, topic="volume")


def _search(node: Everyday, context: Context) -> Plan:
    query = f"latest news about {node.query}" if node.latest else node.query
    if query in POINTING:
        raise Refused("nothing to search for")
    return _step(node, {"query": query})


def _list(node: Everyday, context: Context) -> Plan:
    """Reads or changes a list: a home's own list of that name, else the gateway's."""
    if node.it and context.topic != "list":
        raise Refused("no list was spoken of")
    spoken_of = [one for one in (context.inquiry, context.task) if isinstance(one, Everyday)]
    last = next((one.list for one in spoken_of if node.it and one.tool in LISTS), "")
    items, name, reads = node.items, node.list or last or "shopping", node.tool == "read_list"
    action, _ = "read" if reads else node.action, node.asked if reads else ""
    if items in POINTING:
        return Question(Say("ask.items"), bare(node), expects="items")
    if node.confirm:
        return Question(Say("ask.put", {"text": items, "list": name}), bare(node), expects="yes")
    for source in context.home.sources:
        calls = source.list_calls(action, name, split_items(items, name))
        if isinstance(calls, str):
            return Step(bare(node), say=Say("text", {"text": calls}))
        if calls:
            return Step(bare(node), tuple(map(Request.of, calls)), acts=not reads)
    return _step(node, {"list": name} if reads else {"action": action, "list": name, "items": items})


def _weather(node: Everyday, context: Context) -> Plan:
    """The forecast; the weather now of the home's own entity, where it has one."""
    own = next((one for one in context.home.devices if one.domain == "weather"), None)
    about, ahead = "" if node.about == "weather" else node.about, node.ahead
    if own is not None and not (node.day or ahead or node.place or node.also):
        item = Item(name=Name((own.key,), "exact", own.name))
        return replace(plan(Look(ask="about", which=Which(item=(item,))), context), node=bare(node))
    days = (node.day or ("today" if ahead else ""), *filter(None, [node.also]))
    return _step(node, *({"day": day, "about": about, "place": node.place.title()} for day in days))


def _sum(node: Everyday, context: Context) -> Plan:
    if node.when is None:
        return _step(node, {"expression": node.query})
    day = _day(node, context).date()
    until = f"{node.part or 'days'} until {day}"
    return _step(node, {"expression": until if node.action == "until" else f"when is {day}"})


Planner = Callable[[Everyday, Context], Plan]
_CALLS: Final[dict[str, Planner]] = {
    "calculate": _sum, "get_current_datetime": _time, "control_speaker_volume": _volume,
    "search_web": _search, "get_weather": _weather, **dict.fromkeys(LISTS, _list),
}  # fmt: skip


def plans_tool(*tools: str) -> Callable[[Planner], Planner]:
    """Registers the planner of tools that another file has."""

    def register(planner: Planner) -> Planner:
        _CALLS.update(dict.fromkeys(tools, planner))
        return planner

    return register
