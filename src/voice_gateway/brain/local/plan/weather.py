"""The weather: what is asked, for which day and town, and the call for it."""

from collections.abc import Iterator

from home_words import weather_words as words
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning, NotHandled, Request, Step

WEATHER_TOOL = "get_weather"


def read_weather(text: str) -> Iterator[Frame]:
    if not any(word in text for word in words.SPEAKS_OF):
        return
    said, day = text, ""
    if found := words.DAY.search(text):
        day = found["day"].removeprefix("on ")
        day = "saturday" if "weekend" in day else day.removeprefix("this coming ").removeprefix("this ")
        said = words.DAY.sub("", text)
    elif words.LATER.search(text):
        day, said = "today", words.LATER.sub("", text)
    said, place = words.NOW.sub("", said.strip()), ""
    if found := words.PLACE.search(said):
        place, said = found["place"], said[: found.start()]
    for about, pattern in words.ABOUT:
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
        outdoors = (name for name in (*home.rooms, *home.by_name) if words.OUTDOORS.search(name))
        if next(outdoors, None):
            return NotHandled("a sensor of this home knows it better")
    args = {"day": day, "place": town.title(), "about": about if about != "weather" else ""}
    request = Request(WEATHER_TOOL, {name: value for name, value in args.items() if value})
    return Step(frame.intent, (request,), frame=frame)


WEATHER = {"Weather": _weather}
