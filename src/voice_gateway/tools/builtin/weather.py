"""The tool `get_weather`: now or on a day of the next week, at home or in a town, from Open-Meteo."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool

from home_names.phrases import capital
from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.tools.builtin.times import Times, local_zone, say_day
from voice_gateway.tools.builtin.web_json import get_json, unreadable
from voice_gateway.tools.gateway_tool import declared_tool, parameters, short_text
from voice_gateway.turn import OutcomeStatus, ToolTraits

if TYPE_CHECKING:
    from voice_gateway.config import ToolsSettings

SERVICE = "Open-Meteo"
DAYS = 8  # today and a week
MAX_ANSWER = 500_000  # bytes; an answer has some thousand
LIKELY, POSSIBLE = 50, 20  # percent: from here on rain is worth an umbrella, or a word
NO_PLACE = "For weather and sun I need your home's location in my settings."
NO_WEATHER = f"{SERVICE} has no weather for that place."
ABOUT = ("weather", "rain", "temperature", "wind")
# Our names for what Open-Meteo is asked for.
_CURRENT = {"code": "weather_code", "high": "temperature_2m", "wind": "wind_speed_10m"}
_DAILY = {
    "code": "weather_code", "high": "temperature_2m_max", "low": "temperature_2m_min",
    "wind": "wind_speed_10m_max", "rain_percent": "precipitation_probability_max",
}  # fmt: skip
_IMPERIAL = {"temperature_unit": "fahrenheit", "wind_speed_unit": "mph"}

DESCRIPTION = (
    "REQUIRED for the weather: you MUST call this whenever the user asks about weather, rain or how warm it "
    'is outside. DO NOT use for rooms.\nGood: "will it rain tomorrow". Bad: "how warm is the kitchen".'
)
PARAMETERS = parameters(
    day='For example "tomorrow" or "friday"; now if left out',
    place=short_text('A town, for example "Paris"; home if left out', 80),
    about={"type": "string", "enum": list(ABOUT), "description": "What is asked"},
)

# The codes of the World Meteorological Organization, as Open-Meteo uses them.
_SKY = {
    0: "clear", 1: "mostly clear", 2: "partly cloudy", 3: "cloudy", 45: "foggy", 48: "foggy",
    **dict.fromkeys((51, 53, 55, 56, 57), "drizzly"),
    **dict.fromkeys((61, 63, 65, 66, 67, 80, 81, 82), "rainy"),
    **dict.fromkeys((71, 73, 75, 77, 85, 86), "snowy"), **dict.fromkeys((95, 96, 99), "stormy"),
}  # fmt: skip
_FALLING = {"drizzly": "drizzling", "rainy": "raining", "snowy": "snowing"}


@dataclass(frozen=True, slots=True)
class Weather:
    """Now, when `day` is None, or of a day; `high` is then the highest temperature."""

    day: date | None
    code: float
    high: float
    low: float = 0.0
    wind: float | None = None
    rain_percent: float | None = None

    @property
    def chance(self) -> int | None:
        """Of rain, in percent."""
        return None if self.rain_percent is None else round(self.rain_percent)

    @property
    def sky(self) -> str:
        return _SKY.get(int(self.code), "")


def weather_tool(
    settings: "ToolsSettings",
    home: tuple[float, float] | None,
    now: Callable[[], datetime],
    times: Times,
) -> BaseTool:
    imperial, limit = settings.weather_units == "imperial", settings.weather_timeout_seconds

    async def get_weather(
        day: str | None = None, place: str | None = None, about: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        name = " ".join((place or "").split())
        if name:
            name, latitude, longitude = await _town(settings, name)
        elif home is not None:
            latitude, longitude = home
        else:
            raise ToolError(NO_PLACE)
        now_there, *days = await _forecast(settings, latitude, longitude)
        ahead = _days_ahead(day, now().astimezone(local_zone()[0]).date(), times)
        if ahead is not None and not 0 <= ahead < len(days):
            raise BadArguments(f"The forecast of {SERVICE} reaches {len(days) - 1} days ahead.")
        wanted = now_there if ahead is None else days[ahead]
        there = f" in {name}" if name else ""
        if wanted.day is None:
            sentence = _say_now(wanted, about, there, imperial)
        else:
            when = say_day(wanted.day, days[0].day or wanted.day)
            sentence = _say_day(wanted, when, about, there, imperial)
        return f"{sentence}.", {"structured": _facts(wanted, name)}

    traits = ToolTraits(
        title="Weather",
        summary="The weather now and for a week, from Open-Meteo.",
        read_only=True,
        idempotent=True,
        timeout_seconds=2 * limit + 5,  # a town is looked up first
    )
    return declared_tool("get_weather", DESCRIPTION, PARAMETERS, get_weather, traits)


# --- Open-Meteo


async def _town(settings: "ToolsSettings", name: str) -> tuple[str, float, float]:
    url = f"{settings.weather_towns_url.rstrip('/')}/v1/search"
    answer = await _get(settings, url, {"name": name, "count": "1", "format": "json"})
    results = answer.get("results")
    if not isinstance(results, list) or not results:
        no_such = f"I can't find a place called {name}."
        raise ToolError(no_such, structured={"outcome": OutcomeStatus.NOT_FOUND.value})
    try:
        town = results[0]
        return str(town.get("name") or name)[:60], float(town["latitude"]), float(town["longitude"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ToolUnavailable(unreadable(SERVICE)) from error


async def _forecast(settings: "ToolsSettings", latitude: float, longitude: float) -> list[Weather]:
    """Now, and each day from today, there."""
    wanted = {"latitude": f"{latitude:.4f}", "longitude": f"{longitude:.4f}", "timezone": "auto"}
    wanted |= {"current": ",".join(_CURRENT.values()), "daily": ",".join(_DAILY.values())}
    wanted |= {"forecast_days": str(DAYS), **(_IMPERIAL if settings.weather_units == "imperial" else {})}
    answer = await _get(settings, f"{settings.weather_url.rstrip('/')}/v1/forecast", wanted)
    try:
        daily = answer["daily"]
        rows = [dict(zip(daily, row, strict=True)) for row in zip(*daily.values(), strict=False)]
        days = [_weather(row, _DAILY, date.fromisoformat(row["time"])) for row in rows[:DAYS]]
        now = _weather(answer["current"], _CURRENT, None)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        # A place of which nothing is measured has nothing in its lists.
        raise ToolUnavailable(NO_WEATHER) from error
    if not days:
        raise ToolUnavailable(NO_WEATHER)
    return [now, *days]


def _weather(given: Mapping[str, Any], names: Mapping[str, str], day: date | None) -> Weather:
    """TypeError: code or temperature are missing; anything else may be."""
    known = {ours: given.get(theirs) for ours, theirs in names.items()}
    return Weather(day, **{name: float(value) for name, value in known.items() if value is not None})


async def _get(settings: "ToolsSettings", url: str, parameters: Mapping[str, str]) -> Mapping[str, Any]:
    seconds = settings.weather_timeout_seconds
    status, answer = await get_json(SERVICE, url, parameters, seconds=seconds, most_bytes=MAX_ANSWER)
    if status != 200 or not isinstance(answer, Mapping):
        raise ToolUnavailable(f"{SERVICE} has no weather for that right now.")
    return answer


# --- in words


def _days_ahead(spoken_day: str | None, today: date, times: Times) -> int | None:
    """Counted from today here, because elsewhere it may be another day already; None is now."""
    words = " ".join((spoken_day or "").lower().split())
    if words in ("", "now", "right now", "currently"):
        return None
    day = times.day(words, today)
    if day is None:
        raise BadArguments(f'I cannot read the day "{words[:40]}". Use "tomorrow" or "friday".')
    return (day - today).days


def _say_now(now: Weather, about: str | None, there: str, imperial: bool) -> str:
    degrees = _degrees(now.high)
    if about == "temperature":
        return f"It's {degrees} outside{there}"
    if about == "wind" and now.wind is not None:
        return f"The wind blows at {_speed(now.wind, imperial)}{there}"
    if about == "rain":
        falling = _FALLING.get(now.sky)
        return f"Yes, it's {falling}{there}" if falling else f"No, it's {now.sky or 'dry'}{there}"
    return f"It's {degrees}{f' and {now.sky}' if now.sky else ''}{there}"


def _say_day(day: Weather, when: str, about: str | None, there: str, imperial: bool) -> str:
    span = f"{round(day.low)} to {_degrees(day.high)}"
    if about == "temperature":
        return f"{span} {when}{there}"
    if about == "wind" and day.wind is not None:
        return f"Wind up to {_speed(day.wind, imperial)} {when}{there}"
    known = "" if day.chance is None else f": {day.chance} percent"
    likely = LIKELY if day.sky in (*_FALLING, "stormy") else 0
    chance = likely if day.chance is None else day.chance
    risk = f"{'an' if chance in (8, 11, 18) or 80 <= chance < 90 else 'a'} {chance} percent chance of"
    if about == "rain":
        what = "snow" if day.sky == "snowy" else "rain"
        if chance >= LIKELY:
            return f"Yes, {what} is likely {when}{there}{known}"
        if chance >= POSSIBLE:
            return f"Maybe: there is {risk} {what} {when}{there}"
        return f"No, {what} is unlikely {when}{there}{known}"
    rain = f", with {risk} rain" if known and chance >= POSSIBLE else ""
    return f"{capital(when)}{there} it will be {f'{day.sky}, ' if day.sky else ''}{span}{rain}"


def _degrees(value: float) -> str:
    return f"{round(value)} degree{'' if abs(round(value)) == 1 else 's'}"


def _speed(value: float, imperial: bool) -> str:
    return f"{round(value)} {'miles' if imperial else 'kilometers'} per hour"


def _facts(weather: Weather, place: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"source": SERVICE, "place": place or "home"}
    if weather.day is None:
        return {**facts, "temperature": weather.high, "sky": weather.sky, "wind": weather.wind}
    facts |= {"date": weather.day.isoformat(), "low": weather.low, "high": weather.high}
    return {**facts, "sky": weather.sky, "rain_percent": weather.chance}
