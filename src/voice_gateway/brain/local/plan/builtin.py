"""Readings that need no home: time, date, volume, timers, the web, and small talk with one answer."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, NotHandled, Request, Step
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.speech_act import asks_for_action
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.clock_times import parse_moment
from voice_gateway.tools.builtin.current_datetime import parse_offset
from voice_gateway.tools.builtin.durations import parse_span

_BEGINS = frozenset("in on next last today tomorrow yesterday tonight".split())  # "new year" is no distance
_LATER = re.compile(r"\b(?:in|later|for|from|at|ago)\b")
_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)
# "6 30" and "1030" are what is written for "six thirty" and "ten thirty".
_TOGETHER = re.compile(r"\b(\d{1,2}) ?([0-5]\d)\b(?!:)")
# "10 minute pizza": a length of time, and what it is for.
_LABELLED = re.compile(r"^((?:\d+(?:\.\d+)?|an?|half an?) (?:second|minute|hour)) (?!and\b|or\b|to\b)(\D+)$")


# --- times, as their own tools read them


def is_duration(text: str) -> bool:
    """A length alone: what begins later is no length of time."""
    return not _LATER.search(text) and parse_span(text) is not None


def is_clock(text: str) -> bool:
    return parse_moment(text, _SOME_DAY, UTC) is not None


def _is_offset(text: str) -> bool:
    try:
        return parse_offset(text) is not None
    except BadArguments:
        return False


Planner = Callable[[Frame, Context], Meaning]


def _call(frame: Frame, tool: str, *, acts: bool = False, **args: object) -> Step:
    given = {name: value for name, value in args.items() if value not in (None, "")}
    return Step(frame.intent, (Request(tool, given),), acts=acts, frame=frame)


def _time(frame: Frame, _context: Context) -> Meaning:
    offset, place = _apart(frame.text("offset"), frame.text("place"))
    if offset and not _is_offset(offset):
        return NotHandled("the day is not one I can count to", forbid=True)
    if place and (_is_offset(place) or _is_offset(f"in {place}")):
        offset, place = f"in {place}", ""
    return _call(frame, "get_current_datetime", timezone=place.title() or None, offset=offset or None)


def _apart(offset: str, place: str) -> tuple[str, str]:
    """Distance and place, where one wildcard took both: "in new york in 3 hours", in either order."""
    words = (offset or f"in {place}").split()
    for cut in range(1, len(words)):
        head, tail = " ".join(words[:cut]), " ".join(words[cut:])
        for when, where in ((head, tail), (tail, head)):
            counts = when.split()[0] in _BEGINS and _is_offset(when)
            if counts and where.startswith("in ") and not _is_offset(where):
                return when, where.removeprefix("in ")
    return offset, place


def _volume(action: str) -> Planner:
    def plan(frame: Frame, _context: Context) -> Meaning:
        level = frame.number("level") if action == "set" else frame.number("amount")
        given = round(level) if level is not None else None
        if given is not None and given > 100:
            return Step(frame.intent, frame=frame, say="The volume goes from 0 to 100 percent.")
        step = _call(frame, "control_speaker_volume", acts=action != "get", action=action, level=given)
        return replace(step, intent=f"Volume{action.title()}")

    return plan


def volume_step(frame: Frame, context: Context) -> Meaning:
    return _volume(frame.text("direction"))(frame, context)


def _set_timer(frame: Frame, _context: Context) -> Meaning:
    clock = _TOGETHER.sub(r"\1:\2", frame.text("clock")).replace(" oclock", "")
    duration, label = frame.text("duration"), re.sub(r"^(?:the|my|a|an)\s+", "", frame.text("label"))
    if not label and (both := _LABELLED.match(duration)):
        duration, label = both[1], both[2]
    if unfit := _unfit(clock, duration, frame):
        return NotHandled(unfit)
    if not clock and not duration:
        missing = "When shall I remind you?" if frame.intent == "Remind" else "For how long?"
        return Clarification(missing, frame, slot="duration")
    if clock.isdecimal() and frame.slots.get("timer"):  # "a timer for five" is no time of day
        return Clarification("For how long: how many minutes or hours?", Frame("SetTimer"), slot="duration")
    return _call(
        frame, "set_timer", acts=True, duration=duration or None, at=clock or None, name=label or None,
        message=frame.text("message") or None,
    )  # fmt: skip


def _unfit(clock: str, duration: str, frame: Frame) -> str:
    """Why this reading is none: a wildcard took what belongs to another."""
    if clock and not is_clock(clock):
        return "no time of day"
    if re.search(r"\b(?:tomorrow|tonight|at \d+.*|in \d+ \w+)$", frame.text("message")):
        return "another reading takes the time out of the message"
    if is_duration(frame.text("label")):
        return "two lengths of time"
    return "no length of time" if duration and not clock and not is_duration(duration) else ""


def _list_timers(frame: Frame, _context: Context) -> Meaning:
    return _call(frame, "list_timers")


def _cancel_timer(frame: Frame, _context: Context) -> Meaning:
    if frame.slots.get("several"):  # the tool's "all" would take the timers too
        return NotHandled(
            "reminders are cancelled one by one", spoken="Please tell me which reminder to cancel."
        )
    return _call(frame, "cancel_timer", acts=True, name=frame.text("label") or None)


# "Google is evil", "look up when I talk to you": told of searching, or of looking.
_NO_QUERY = re.compile(
    r"(?:is|are|was|were|has|does|can|will|would|when (?:i|you|we)|at (?:me|us)|to (?:me|us|him|her))\b"
)


ASKED = re.compile(r"(?:who|what|when|where|why|how|which|if|whether|is|are)\b")


def _search(frame: Frame, context: Context) -> Meaning:
    query = frame.text("query")
    if frame.literal and query.startswith(("the web for ", "the internet for ")):
        return NotHandled("another reading is better")
    if _NO_QUERY.match(query):
        return NotHandled("nobody asks for a search", forbid=True)
    if asks_for_action(normalise(query), context.home, ()):
        return NotHandled("an order to the home is no search", forbid=True)
    if _asks_of_home(query, context):
        return NotHandled("what became of a thing of this home nobody out there knows", forbid=True)
    if query in ("it", "that", "this", "something", "them"):
        return NotHandled("nothing to search for is named", spoken="Please tell me what to search for.")
    return _call(frame, "search_web", query=f"{frame.text('before')} {query}".strip())


def _asks_of_home(query: str, context: Context) -> bool:
    """ "Who turned off the desk lamp"; one word ("the best thermostat") may be anybody's."""
    named = (name for name in context.home.by_name if " " in name)
    return bool(ASKED.match(query)) and any(f" {name} " in f" {query} " for name in named)


def _words(answer: str) -> Planner:
    return lambda frame, _context: Step(frame.intent, frame=frame, say=answer)


BUILTIN: dict[str, Planner] = {
    "NeverMind": _words("Okay."),
    "Thanks": _words("You're welcome."),
    "Hello": _words("Hello! What can I do for you?"),
    "GoodNight": _words("Goodbye!"),
    "Time": _time,
    "Date": _time,
    "Volume": volume_step,
    "VolumeSet": _volume("set"),
    "VolumeMax": _volume("max"),
    "VolumeMute": _volume("mute"),
    "VolumeUnmute": _volume("unmute"),
    "VolumeGet": _volume("get"),
    "SetTimer": _set_timer,
    "Remind": _set_timer,
    "ListTimers": _list_timers,
    "CancelTimer": _cancel_timer,
    "Search": _search,
}
