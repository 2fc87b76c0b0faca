"""Says of one turn whether it was right, wrong but harmless, or a wrong action."""

import re
from dataclasses import dataclass
from typing import Any

from tests.eval.cases import Call, Case, Right, moment, seconds

from home_names.phrases import is_question
from voice_gateway.turn import Passed, Reply, Words

_LOOKING = frozenset(
    "list_zwave_devices list_zwave_scenes get_zwave_device get_device_sensor_data check_zwave_health "
    "get_current_datetime search_web list_timers calculate get_weather read_list".split()
)


@dataclass(frozen=True)
class Verdict:
    case: Case
    right: bool
    wrong_action: bool
    did: str
    seconds: float = 0.0


def judge(
    case: Case, answer: Reply | Passed, calls: list[tuple[str, dict[str, Any]]], seconds: float
) -> Verdict:
    """`calls` are those that reached a tool in the last turn."""
    made = tuple(_plain(name, args) for name, args in calls)
    acting = [call for call in made if is_act(call)]
    right = any(_is(way, answer, made) for way in case.rights)
    allowed = {call for way in case.rights for call in way.calls}
    wrong_action = any(call not in allowed for call in acting) and not right
    return Verdict(case, right, wrong_action, _told(answer, made), seconds)


def is_act(call: Call) -> bool:
    return call[0] not in _LOOKING and call != ("control_speaker_volume", (("action", "get"),))


def _plain(name: str, args: dict[str, Any]) -> Call:
    """Arguments that mean the same become the same."""
    given = {
        key: float(v) if isinstance(v, int | float) and not isinstance(v, bool) else v
        for key, v in args.items()
    }
    for key in ("query", "message", "items"):
        if key in given:
            given[key] = str(given[key]).casefold()
    if name == "list_zwave_devices":
        given = {}
    if "expression" in given:  # feasts become dates, which change from year to year
        given["expression"] = re.sub(r"\d{4}-\d\d-\d\d", "DATE", str(given["expression"]))
    if "at" in given:
        given["at"] = moment(str(given["at"]), str(given.get("kind") or kind_meant(name, given)))
    if given.get("kind") == kind_meant(name, given):
        del given["kind"]
    if name == "list_timers":  # of one or of all: the answer has it
        given.pop("name", None)
    if "duration" in given:
        given["duration"] = seconds(str(given["duration"]))
    if given.get("offset") and name == "get_current_datetime":
        given["offset"] = "…"
    return name, tuple(sorted(given.items()))


def kind_meant(tool: str, given: dict[str, Any]) -> str:
    """What a timer is when nobody says it."""
    if tool == "set_timer" and ("message" in given or "at" in given):
        return "reminder" if "message" in given else "alarm"
    return "timer"


def _is(way: Right, answer: Reply | Passed, made: tuple[Call, ...]) -> bool:
    if way.kind == "forbid":
        return not any(map(is_act, made)) and (isinstance(answer, Reply) or answer.words is not Words.WISH)
    if way.kind == "pass":
        return isinstance(answer, Passed) and not made
    if not isinstance(answer, Reply):
        return False
    if way.kind == "ask":
        return answer.expects_answer and not made
    if way.kind == "say":
        return not made and way.words.casefold() in answer.text.casefold()
    if way.kind == "read":
        looked = bool(made) and not any(is_act(call) for call in made)
        return looked and way.words.casefold() in answer.text.casefold()
    wanted = [call for call in way.calls if call[0] != "read"]
    words = [dict(call[1])["words"] for call in way.calls if call[0] == "read"]
    others = [call for call in made if call not in wanted]
    told = all(word.casefold() in answer.text.casefold() for word in words)
    return (
        sorted(map(repr, wanted)) == sorted(repr(c) for c in made if c in wanted)
        and told
        and (not others if not words else not any(is_act(call) for call in others))
    )


def _told(answer: Reply | Passed, made: tuple[Call, ...]) -> str:
    if isinstance(answer, Passed):
        return f"passed{' (forbidden)' if answer.words is not Words.WISH else ''}: {answer.reason}"
    calls = "; ".join(f"{name} {dict(args)}" for name, args in made)
    return f"{'asked' if answer.expects_answer else 'said'} {answer.text!r}" + (
        f" after {calls}" if calls else ""
    )


def judge_whole(case: Case, reply: Reply, calls: list[tuple[str, dict[str, Any]]]) -> tuple[bool, bool]:
    """(right, wrong action) of a whole conversation: it matters what was done and said, not by whom.

    Where the understanding should pass, any stage may look, and no state may be told that nobody looked up.
    A wrong action is one on something else, of another sort, or where none was wanted; a wrong amount is
    only not right.
    """
    made = tuple(plain_or_raw(name, args) for name, args in calls)
    acting = [call for call in made if is_act(call)]
    right = any(_is_whole(way, reply, made, bool(acting)) for way in case.rights)
    allowed = {_sort(call) for way in case.rights for call in way.calls}
    return right, any(_sort(call) not in allowed for call in acting) and not right


def _is_whole(way: Right, reply: Reply, made: tuple[Call, ...], acted: bool) -> bool:
    if way.kind == "say":  # a model may look before it says so
        return not acted and way.words.casefold() in reply.text.casefold()
    if way.kind in ("pass", "forbid"):
        return not acted and (bool(made) or not tells_a_state(reply.text))
    return _is(way, reply, made)


_THING = (
    r"(?:lights?|lamps?|doors?|locks?|blinds?|heating|heater|thermostat|coffee maker|sensors?|volume|garage|"
    r"everything|temperature|humidity|timers?)"
)
_STATE = (
    r"(?:on|off|open|closed|locked|unlocked|muted|dimmed|running|\d+(?:\.\d+)? ?(?:%|percent|°|degrees)|"
    r"set (?:to|for) \d+)"
)
_TOLD_STATE = re.compile(
    rf"\b{_THING}\b[^.!?]*\b(?:is|are|was|were|now|has been|have been)\b[^.!?]*\b{_STATE}", re.I
)


def tells_a_state(text: str) -> bool:
    """Whether a sentence says how a thing of the home is. A question, or what is unknown, does not."""
    sentences = re.findall(r"[^.!?]+(?:\.(?=\d)[^.!?]+)*[.!?]*", text)
    told = [one for one in sentences if _TOLD_STATE.search(one) and not is_question(one)]
    return any(
        not re.search(r"\b(?:don't|do not|can't|cannot|if|whether|would|could)\b", one, re.I) for one in told
    )


def _sort(call: Call) -> tuple[Any, ...]:
    name, args = call[0], dict(call[1])
    return name, args.get("deviceName"), args.get("action"), args.get("sceneName")


def plain_or_raw(name: str, args: dict[str, Any]) -> Call:
    try:
        return _plain(name, args)
    except (AssertionError, TypeError, ValueError):  # a model may write anything
        return name, tuple(sorted((key, repr(value)) for key, value in args.items()))
