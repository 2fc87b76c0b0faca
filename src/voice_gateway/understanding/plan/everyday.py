"""What needs no home: calls of the gateway's own tools."""

from typing import Any, Final

from voice_gateway.integrations.home import Request
from voice_gateway.understanding.nodes import Everyday, Length, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plans

LOOKS: Final = frozenset(
    {"get_current_datetime", "search_web", "list_timers", "read_list", "get_weather", "calculate"}
)
HALF_OF_DAY: Final = frozenset({"1", "2", "3", "4", "5", "12"})  # could be either
UNITS: Final = {1.0: "seconds", 60.0: "minutes", 3600.0: "hours"}


@plans(Everyday)
def everyday(node: Everyday, context: Context) -> Plan:
    """The call of a tool, with what was said as its arguments."""
    if node.action == "dismiss" and not context.alone:
        raise Refused("it was taken back")
    if node.tool == "none":
        return Step(bare(node), say=Say("okay"), topic="")
    if context.tools and node.tool not in context.tools:
        raise Refused(f"there is no tool {node.tool}")
    if node.missing:
        return Question(Say(f"ask.{node.missing}"), bare(node), expects=node.missing)
    return _CALLS.get(node.tool, _plain)(node, context)


def _step(node: Everyday, args: dict[str, Any], *more: Request, topic: str = "") -> Step:
    given = {key: value for key, value in args.items() if value not in ("", None)}
    acts = node.tool not in LOOKS
    return Step(bare(node), (Request(node.tool, given), *more), acts=acts, topic=topic)


def _plain(node: Everyday, context: Context) -> Plan:
    return _step(node, {"message": node.message})


def _time(node: Everyday, context: Context) -> Plan:
    _ = node.part, node.weekday  # which part of it is said, the reply looks up in the node
    return _step(node, {"timezone": node.place.title(), "offset": node.offset})


def _volume(node: Everyday, context: Context) -> Plan:
    if node.it and context.topic == "device" and context.last:
        raise Refused("it is a device, not the volume")
    level = None if node.level is None else (int(node.level) if node.level == int(node.level) else node.level)
    return _step(node, {"action": node.action, "level": level}, topic="volume")


def _search(node: Everyday, context: Context) -> Plan:
    query = f"latest news about {node.query}" if node.latest else node.query
    if query in ("it", "that"):
        raise Refused("nothing to search for")
    return _step(node, {"query": query})


def _list(node: Everyday, context: Context) -> Plan:
    items = node.items
    if items in ("it", "that", "this"):
        return Question(Say("ask.items"), bare(node), expects="items")
    name = node.list or "shopping"
    if node.confirm:
        return Question(Say("ask.clear", {"list": name}), bare(node), expects="yes")
    return _step(node, {"action": node.action, "list": name, "items": items})


def _read_list(node: Everyday, context: Context) -> Plan:
    _ = node.asked
    return _step(node, {"list": node.list or "shopping"})


def _weather(node: Everyday, context: Context) -> Plan:
    ahead, day = node.ahead, node.day
    day = day or ("today" if ahead else "")
    return _step(node, {"day": day, "about": node.about, "place": node.place.title()})


def said_length(parts: tuple[Length, ...]) -> str:
    """ "90 seconds", "10 minutes": the sum of the parts, in the unit of a single one."""
    seconds = sum(part.number * part.unit for part in parts)
    if len(parts) == 1 and parts[0].unit in UNITS and parts[0].number == int(parts[0].number):
        return f"{parts[0].number:g} {UNITS[parts[0].unit]}"
    return f"{seconds:g} seconds"


def _with_colon(at: str) -> str:
    """ "6 15" as a clock writes it."""
    hour, _, rest = at.partition(" ")
    minutes, _, behind = rest.partition(" ")
    if hour.isdecimal() and len(minutes) == 2 and minutes.isdecimal():
        return f"{hour}:{minutes} {behind}".strip()
    return at


def _timer(node: Everyday, context: Context) -> Plan:
    args: dict[str, Any] = {"name": node.name, "message": node.message, "kind": node.kind}
    if node.span:
        args["duration"] = said_length(node.span)
    at = f"{node.at} {node.at2}".strip() or args.get("at", "")
    if at:
        args["at"] = _with_colon(at)
    if node.kind == "alarm" and at in HALF_OF_DAY:
        return Question(Say("ask.half_day", {"at": at}), bare(node), expects="half_day")
    if node.tool == "set_timer" and not args.keys() & {"duration", "at"}:
        return Question(Say("ask.at" if node.kind else "ask.duration"), bare(node), expects="at")
    return _step(node, args)


def _cancel(node: Everyday, context: Context) -> Plan:
    name = node.name
    if node.it:
        if context.topic != "timer" or not context.timer:
            raise Refused("no timer was spoken of")
        name = context.timer
    if node.clock and node.number is not None:
        name = f"{node.number:g} am"
    more = (Request(node.tool, {"name": name, "kind": node.also}),) if node.also else ()
    return _step(node, {"name": name, "kind": node.kind}, *more)


def _extend(node: Everyday, context: Context) -> Plan:
    name = "ringing" if node.snooze and node.span else node.name
    return _step(node, {"duration": said_length(node.span) if node.span else "", "name": name})


def _sum(node: Everyday, context: Context) -> Plan:
    return _step(node, {"expression": node.query})


_CALLS: Final = {
    "calculate": _sum,
    "get_current_datetime": _time,
    "control_speaker_volume": _volume,
    "search_web": _search,
    "manage_list": _list,
    "read_list": _read_list,
    "get_weather": _weather,
    "set_timer": _timer,
    "list_timers": _cancel,
    "cancel_timer": _cancel,
    "extend_timer": _extend,
}
