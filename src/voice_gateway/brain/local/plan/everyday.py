"""What everybody asks, and needs no home: timers, lists, sums, the weather, announcements."""

from collections.abc import Callable, Iterator

from home_words import weather_words
from home_words.broadcast_words import NOT_NOW, TELL
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, NotHandled, Request, Step
from voice_gateway.brain.local.plan.lists import LISTS, read_lists
from voice_gateway.brain.local.plan.timers import TIMERS, read_timers
from voice_gateway.tools.builtin.calculate.asked import read_asked

SATELLITES_TOOL = "HassBroadcast"  # Home Assistant's, for the satellites that it has
_ANNOUNCES = ("tell ", "let ", "say ", "shout ", "announce", "broadcast", "make a")

# --- sums, units, days until, chance and spelling: read by the tool's own rules, and given to it


def _read_sums(text: str) -> Iterator[Frame]:
    asked = read_asked(text)
    if asked is not None:  # words to be spelled are no order, and neither is what stands beside them
        alone = {"alone": True} if isinstance(asked, str) else {}
        yield Frame("Calculate", {"expression": text, **alone}, literal=10)


def _calculate(frame: Frame, _context: Context) -> Meaning:
    return Step.calling(frame, "calculate", expression=frame.text("expression"))


# --- the weather: what is asked, for which day and town


def _read_weather(text: str) -> Iterator[Frame]:
    if not any(word in text for word in weather_words.SPEAKS_OF):
        return
    said, day = text, ""
    if found := weather_words.DAY.search(text):
        day = found["day"].removeprefix("on ")
        day = "saturday" if "weekend" in day else day.removeprefix("this coming ").removeprefix("this ")
        said = weather_words.DAY.sub("", text)
    elif weather_words.LATER.search(text):
        day, said = "today", weather_words.LATER.sub("", text)
    said, place = weather_words.NOW.sub("", said.strip()), ""
    if found := weather_words.PLACE.search(said):
        place, said = found["place"], said[: found.start()]
    for about, pattern in weather_words.ABOUT:
        matched = pattern.match(said)
        if matched is not None and not ("later" in matched.groupdict() and not (day or place)):
            # What is asked of the future without a day is asked of today.
            ahead = "today" if any(word in text for word in ("will ", "going to", "need ")) else ""
            slots = {"about": about, "day": day or ahead, "town": place}
            yield Frame("Weather", {name: value for name, value in slots.items() if value}, literal=10)
            return


def _weather(frame: Frame, context: Context) -> Meaning:
    day, town, about = frame.text("day"), frame.text("town"), frame.text("about")
    home = context.home
    if about == "temperature" and not day and not town:
        outdoors = (name for name in (*home.rooms, *home.by_name) if weather_words.OUTDOORS.search(name))
        if next(outdoors, None):
            return NotHandled("a sensor of this home knows it better")
    subject = about if about != "weather" else ""
    return Step.calling(frame, "get_weather", day=day, place=town.title(), about=subject)


# --- announcements: what shall be said to everybody


def _read_broadcast(text: str) -> Iterator[Frame]:
    if not text.startswith(_ANNOUNCES):
        return
    for pattern in TELL:
        if found := pattern.match(text):
            message = found.groupdict().get("message") or ""
            if NOT_NOW.search(message):
                return
            yield Frame("Broadcast", {"message": message} if message else {}, literal=10)
            return


def _broadcast(frame: Frame, context: Context) -> Meaning:
    message = frame.text("message")
    if not message:
        return Clarification("What shall I tell everyone?", frame, slot="message")
    tools = ["broadcast", *([SATELLITES_TOOL] if SATELLITES_TOOL in context.tools else [])]
    return Step(
        frame.intent, tuple(Request(tool, {"message": message}) for tool in tools), acts=True, frame=frame
    )


# --- all of them

_READERS: tuple[Callable[[str], Iterator[Frame]], ...] = (
    read_timers,
    _read_sums,
    read_lists,
    _read_weather,
    _read_broadcast,
)

EVERYDAY: dict[str, Callable[[Frame, Context], Meaning]] = {
    **TIMERS,
    "Calculate": _calculate,
    **LISTS,
    "Weather": _weather,
    "Broadcast": _broadcast,
}


def read_everyday(text: str) -> Iterator[Frame]:
    """Readings of the whole text; it is in small letters, without punctuation, with numbers as digits."""
    for read in _READERS:
        yield from read(text)
