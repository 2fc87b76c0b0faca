"""Readings that need no home: time, date, volume, timers, the web, and small talk with one answer."""

import re
from collections.abc import Callable
from dataclasses import replace

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning, NotHandled, Step
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.plan.everyday import EVERYDAY
from voice_gateway.brain.local.speech_act import asks_for_action
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.current_datetime import parse_offset

_BEGINS = frozenset("in on next last today tomorrow yesterday tonight".split())  # "new year" is no distance
# --- times, as their own tools read them


def _is_offset(text: str) -> bool:
    try:
        return parse_offset(text) is not None
    except BadArguments:
        return False


Planner = Callable[[Frame, Context], Meaning]


def _time(frame: Frame, _context: Context) -> Meaning:
    offset, place = _apart(frame.text("offset"), frame.text("place"))
    if offset and not _is_offset(offset):
        return NotHandled("the day is not one I can count to", forbid=True)
    if place and (_is_offset(place) or _is_offset(f"in {place}")):
        offset, place = f"in {place}", ""
    return Step.calling(frame, "get_current_datetime", timezone=place.title() or None, offset=offset or None)


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
        step = Step.calling(frame, "control_speaker_volume", acts=action != "get", action=action, level=given)
        return replace(step, intent=f"Volume{action.title()}")

    return plan


def volume_step(frame: Frame, context: Context) -> Meaning:
    return _volume(frame.text("direction"))(frame, context)


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
    return Step.calling(frame, "search_web", query=f"{frame.text('before')} {query}".strip())


def _asks_of_home(query: str, context: Context) -> bool:
    """ "Who turned off the desk lamp"; one word ("the best thermostat") may be anybody's."""
    named = (name for name in context.home.by_name if " " in name)
    return bool(ASKED.match(query)) and any(f" {name} " in f" {query} " for name in named)


def _words(answer: str) -> Planner:
    return lambda frame, _context: Step(frame.intent, frame=frame, say=answer)


BUILTIN: dict[str, Planner] = {
    "NeverMind": _words("Okay."),
    "Time": _time,
    "Date": _time,
    "Volume": volume_step,
    "VolumeSet": _volume("set"),
    "VolumeMax": _volume("max"),
    "VolumeMute": _volume("mute"),
    "VolumeUnmute": _volume("unmute"),
    "VolumeGet": _volume("get"),
    "Search": _search,
    **EVERYDAY,
}
