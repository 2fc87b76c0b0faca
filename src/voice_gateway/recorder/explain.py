"""Why a turn went as it did, in sentences: which words, which stage, which call, whose permission."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from voice_gateway.tools.masking import shorten
from voice_gateway.turn import NOT_MADE, OutcomeStatus, Words
from voice_gateway.verdict import Permission

Event = Mapping[str, Any]

ROUTINE = "routine-"  # how the conversation of a routine's own turns begins
RECENT_SECONDS = 90.0
LONGEST = 200  # characters of one quotation
SPOKEN = ("voice", "wyoming")  # there a tool is called by its title
_DOORS = {
    "cli": "at the command line",
    "voice": "aloud",
    "mqtt": "over MQTT",
    "wyoming": "to a satellite",
    "web": "in the console",
    "mcp": "through another program",
}
_MAY = {
    Permission.ORDINARY: "It needs no yes.",
    Permission.TRUSTED_TOOL: "Your setting permission.trusted_tools allows it without a yes.",
    Permission.UNCONFIRMED: "It is sensitive, but your setting permission.confirm asks for no yes.",
    Permission.TRUSTED_MODEL: "Nobody plainly asked for it; the model may do what can be taken back.",
}
_LOOKS = Permission.LOOKS.value


def explain(turn: Mapping[str, Any], *, channel: str, now: float, led_to: str = "") -> str:
    """`door` is where it is asked; `led_to` are the words that a question of ours came from."""
    events: Sequence[Event] = turn["events"]
    parts = [_words(turn, channel, now, led_to), *_stages(events)]
    calls = _calls(events, spoken=channel in SPOKEN)
    parts += calls or [_nothing(turn)]
    return " ".join(part for part in parts if part)


def is_routine(turn: Mapping[str, Any]) -> bool:
    return str(turn["conversation_id"]).startswith(ROUTINE)


def acts_of(turn: Mapping[str, Any]) -> list[Event]:
    """The calls that were made and could change something."""
    looks = {one["call_id"] for one in turn["events"] if one["type"] == "started" and one["read_only"]}
    made = (one for one in turn["events"] if one["type"] == "acted" and one["call_id"] not in looks)
    return [one for one in made if one["outcome"] not in NOT_MADE]


def quoted(text: str) -> str:
    return f'"{shorten(" ".join(str(text).split()), LONGEST)}"'


def when(at: float, now: float) -> str:
    """ "" for what was just now."""
    then, today = datetime.fromtimestamp(at).astimezone(), datetime.fromtimestamp(now).astimezone()
    if abs(now - at) < RECENT_SECONDS:
        return ""
    clock = f"at {then:%H:%M}"
    if then.date() == today.date():
        return clock
    if then.date() == today.date() - timedelta(days=1):
        return f"yesterday {clock}"
    return f"on {then:%A, %d %B} {clock}"


def _words(turn: Mapping[str, Any], channel: str, now: float, led_to: str) -> str:
    at = when(turn["at"], now)
    if is_routine(turn):
        return f"Your routine {quoted(turn['text'])} ran{f' {at}' if at else ' just now'}."
    place = f" {_DOORS.get(turn['door'], '')}" if turn["door"] != channel else ""
    said = f"{at[:1].upper()}{at[1:]} you said {quoted(turn['text'])}{place}" if at else ""
    said = said or f"You said {quoted(turn['text'])}{place}"
    heard: Event = next((one for one in turn["events"] if one["type"] == "heard"), {})
    if heard.get("in_answer_to") and _stage(turn["events"], "confirmation"):
        said += f" to my question {quoted(heard['in_answer_to'])}"
        said += f", which came from {quoted(led_to)}" if led_to else ""
    return _closed(said)


def _stage(events: Sequence[Event], name: str) -> Event | None:
    found = (one for one in events if one["type"] == "staged" and one["stage"] == name)
    return next(found, None)


def _stages(events: Sequence[Event]) -> list[str]:
    staged = [one for one in events if one["type"] == "staged"]
    told = []
    for one in staged:
        if one["taken"]:
            told.append(_taken(one, events))
        elif one["stage"] == "local":
            words = f" (the words are {one['words']})" if one["words"] not in (None, Words.WISH) else ""
            told.append(f"My own rules did not settle it: {one['reason']}{words}.")
        else:
            told.append(f"The language model gave no answer: {one['reason'].rstrip('.')}.")
    return told


def _taken(staged: Event, events: Sequence[Event]) -> str:
    stage = staged["stage"]
    if stage == "local":
        return "My own rules understood that, without a language model."
    if stage == "confirmation":
        return "That came from the console, by hand." if staged["reason"] == "chosen by hand" else ""
    if stage in ("timers", "prompts"):
        return f"That was taken as meant for this: {staged['reason']}."
    rounds = [one for one in events if one["type"] == "round"]
    model = rounds[0]["model"] if rounds else stage
    return f"The language model {model} decided that."


def _calls(events: Sequence[Event], *, spoken: bool) -> list[str]:
    titles = {one["call_id"]: one["title"] for one in events if one["type"] == "started" and one["title"]}
    reasons = {one["call_id"]: one for one in events if one["type"] == "judged"}
    told: list[str] = []
    for one in (event for event in events if event["type"] == "acted"):
        name = titles.get(one["call_id"], "") if spoken else one["tool"]
        call = f"{name or one['tool'].replace('_', ' ')}{_arguments(one['args'])}"
        told += _call(one, call, reasons.get(one["call_id"], {}))
    return list(dict.fromkeys(told))


def _call(acted: Event, call: str, judged: Event) -> list[str]:
    reason = judged.get("reason", "")
    if acted["outcome"] == OutcomeStatus.WAITING:
        return [f"I did not call {call}: {reason}."]
    if acted["outcome"] == OutcomeStatus.NOT_PERMITTED:
        return [f"I was not allowed to call {call}: {reason}."]
    result = shorten(" ".join(acted["text"].removeprefix("Error: ").split()), LONGEST).rstrip(".")
    if reason == _LOOKS and acted["ok"]:
        return [f"I looked with {call}."]
    told = f"So I called {call}: {result}." if acted["ok"] else f"I called {call}, but it failed: {result}."
    return [told, _permission(reason)]


def _permission(reason: str) -> str:
    if reason == Permission.AGREED:
        return "You had agreed to it."
    return next(
        (text for why, text in _MAY.items() if why == reason), f"It was allowed: {reason}." if reason else ""
    )


def _nothing(turn: Mapping[str, Any]) -> str:
    answered = f"I answered {quoted(turn['reply'])}" if turn["reply"] else "It did not come to its end"
    return f"I called no tool. {_closed(answered)}"


def _closed(sentence: str) -> str:
    return sentence if re.search(r'[.?!]"?$', sentence) else f"{sentence}."


def _arguments(args: Any) -> str:
    values = [str(value) for value in args.values()] if isinstance(args, Mapping) else []
    return f" ({', '.join(shorten(value, 60) for value in values)})" if values else ""
