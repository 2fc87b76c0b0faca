"""A turn as a line for `make eval`: what was said, and what was right about what was done."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway.recorder.again import why_not_said
from voice_gateway.turn import NOT_MADE, Words
from voice_gateway.verdict import Permission

CATEGORY = "own"
_ROOM = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*")
_NO_WORD = "the lines of `make eval` have no word for {tool} with these arguments"
# Looks that the homes of `make eval` know, besides those of Z-Wave.
_READS = re.compile(
    r"get_device_sensor_data|search_web|calculate|read_list|get_current_datetime|list_timers"
    r"|get_weather|control_speaker_volume|Hass\w+|Get\w+|todo_get_items"
)
_DOES = ("on", "off", "toggle", "open", "close", "stop")
_LOOKS = {
    "search_web": ("search", "query"),
    "calculate": ("calc", "expression"),
    "read_list": ("listed", "list"),
}
_PLAIN = ("light", "switch", "fan", "input_boolean", "media_player", "siren", "humidifier")
_SWITCHES: dict[str, dict[str, str]] = {
    "HassTurnOn": {**dict.fromkeys(_PLAIN, "on"), "cover": "open", "lock": "lock", "scene": "scene"},
    "HassTurnOff": {**dict.fromkeys(_PLAIN, "off"), "cover": "close", "lock": "unlock"},
    "HassStopMoving": {"cover": "stop"},
}
_LEVELS = {"HassLightSet": ("dim", "brightness"), "HassClimateSetTemperature": ("heat", "temperature")}
_TIMERS = {"set_timer": "timer", "list_timers": "timers", "cancel_timer": "cancel", "extend_timer": "more"}


def as_test(turn: Mapping[str, Any], before: Sequence[Mapping[str, Any]] = ()) -> str:
    """`before` are the turns that it may speak of. ValueError: there is no such line for it, and why."""
    if reason := why_not_said(turn, before):
        raise ValueError(reason)
    said = [*(one for one in before if not why_not_said(one)), turn]
    texts = [" ".join(str(one["text"]).split()) for one in said]
    if not all(texts) or any("|" in text or ">>" in text or text.startswith("@") for text in texts):
        raise ValueError("its words cannot stand in such a line")
    room = turn["room"] or ""
    place = f"@{room} " if _ROOM.fullmatch(room) else ""
    return f"{CATEGORY} | {place}{' >> '.join(texts)} | {_right(turn)}"


def _right(turn: Mapping[str, Any]) -> str:
    events = turn["events"]
    made = [event for event in events if event["type"] == "acted" and _reached(event)]
    waits = [event for event in events if event["type"] == "judged" and event["decision"] == "ask"]
    if any(event["reason"] != Permission.SENSITIVE for event in waits):
        return "ask"
    looks = {event["call_id"] for event in events if event["type"] == "started" and event["read_only"]}
    if calls := [one for one in (*made, *waits) if one["call_id"] not in looks]:
        return " + ".join(_call(one) for one in calls)
    if made:
        if others := [one["tool"] for one in made if not _is_known(one["tool"].rpartition("__")[2])]:
            raise ValueError(_NO_WORD.format(tool=others[0]))
        told = [_look(one["tool"], one["args"]) for one in made]
        return told[0] if len(told) == 1 and told[0] else "read"
    if _answer(events).get("expects_answer"):
        return "ask"
    passed = next((one for one in events if one["type"] == "staged" and not one["taken"]), None)
    if passed is None:
        return "say"
    return "pass" if passed["words"] == Words.WISH else "forbid"


def _is_known(tool: str) -> bool:
    return "zwave" in tool or _READS.fullmatch(tool) is not None


def _reached(event: Mapping[str, Any]) -> bool:
    return event["outcome"] not in NOT_MADE and event["error"] != "unknown_tool"


def _answer(events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return next((one for one in reversed(events) if one["type"] == "answered"), {})


def _call(one: Mapping[str, Any]) -> str:
    """Of a call that was made, or waits for a yes."""
    tool, args = one["tool"].rpartition("__")[2], one["args"]
    told = _device(args) if tool.startswith(("control_zwave", "set_zwave", "activate_zwave")) else ""
    if told or (told := _look(tool, args)) or (told := _home_assistant(tool, args, one.get("structured"))):
        return told
    if tool == "control_speaker_volume":
        return _joined("vol", args.get("action"), args.get("level"))
    if tool in _TIMERS:
        return _timer(_TIMERS[tool], args)
    if tool == "manage_list":
        return _joined("list", args.get("action"), args.get("list"), args.get("items"))
    if tool == "broadcast":
        return _joined("tell", args.get("message"))
    raise ValueError(_NO_WORD.format(tool=tool))


def _home_assistant(tool: str, args: Mapping[str, Any], facts: Any) -> str:
    """The lines are of what a home does, whoever does it: `on Floor Lamp`."""
    given = args.get("domain") or (facts.get("domain") if isinstance(facts, Mapping) else None)
    domain = given[0] if isinstance(given, list) and len(given) == 1 else given
    name, more = args.get("name"), args.keys() - {"name", "area", "floor", "domain"}
    if not name or not isinstance(domain, str):
        return ""
    if (verb := _SWITCHES.get(tool, {}).get(domain)) and not more:
        return _joined(verb, name)
    if tool in _LEVELS and more == {key := _LEVELS[tool][1]}:
        return _joined(_LEVELS[tool][0], name, args[key])
    return ""


def _device(args: Mapping[str, Any]) -> str:
    name, action = args.get("deviceName"), args.get("action")
    if scene := args.get("sceneName"):
        return f"scene {scene}"
    if args.get("temperature") is not None:
        return _joined("heat", name, args["temperature"])
    if args.get("mode"):
        return _joined("mode", name, args["mode"])
    if action == "dim" or (action in (*_DOES, "lock", "unlock") and args.get("level") is None):
        return _joined(action, name, args.get("level"))
    return ""


def _look(tool: str, args: Mapping[str, Any]) -> str:
    if tool in _LOOKS:
        verb, key = _LOOKS[tool]
        return _joined(verb, args.get(key))
    if tool == "get_current_datetime":
        return _joined("time", "offset" if args.get("offset") else args.get("timezone"))
    if tool == "list_timers":
        return _timer("timers", args)
    if tool == "get_weather":
        named = [f"{key}={args[key]}" for key in ("day", "place", "about") if args.get(key)]
        return _joined("weather", *named)
    return ""


def _timer(verb: str, args: Mapping[str, Any]) -> str:
    named = verb in ("cancel", "timers")
    first = args.get("name") if named else f"at {args['at']}" if args.get("at") else args.get("duration")
    keys = ("kind",) if named else ("name", "kind", "message")
    return _joined(verb, first, *(f"{key}={args[key]}" for key in keys if args.get(key)))


def _joined(*words: Any) -> str:
    shown = (
        f"{word:g}" if isinstance(word, float) else str(word) for word in words if word not in (None, "")
    )
    return " ".join(shown)
