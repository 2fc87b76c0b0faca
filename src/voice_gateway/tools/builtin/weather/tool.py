"""The tool `get_weather`: now or on a day of the next week, at home or in a town."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Protocol

from langchain_core.tools import BaseTool

from home_names.phrases import capital
from voice_gateway.errors import BadArguments, ToolError
from voice_gateway.tools.builtin.times import Times, say_day
from voice_gateway.tools.builtin.weather.open_meteo import SERVICE, Forecast, ForecastDay, Location, Now
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.turn import ToolTraits

MAX_PLACE = 80  # characters
LIKELY, POSSIBLE = 50, 20  # percent: from here on rain is worth an umbrella, or a word
WET, WET_IMPERIAL = 1.0, 0.04  # millimetres, inches: as much in a day is rain
NO_PLACE = "For weather and sun I need your home's location in my settings."
ABOUT = ("weather", "rain", "temperature", "wind")

DESCRIPTION = (
    "REQUIRED for the weather: you MUST call this whenever the user asks about weather, rain or how warm it "
    'is outside. DO NOT use for rooms.\nGood: "will it rain tomorrow". Bad: "how warm is the kitchen".'
)
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "description": 'For example "tomorrow" or "friday"; now if left out'},
        "place": {"type": "string", "description": 'A town, for example "Paris"; home if left out'},
        "about": {"type": "string", "enum": list(ABOUT), "description": "What is asked"},
    },
}

# The codes of the World Meteorological Organization, as Open-Meteo uses them.
_SKY = {
    0: "clear", 1: "mostly clear", 2: "partly cloudy", 3: "cloudy", 45: "foggy", 48: "foggy",
    **dict.fromkeys((51, 53, 55, 56, 57), "drizzly"),
    **dict.fromkeys((61, 63, 65, 66, 67, 80, 81, 82), "rainy"),
    **dict.fromkeys((71, 73, 75, 77, 85, 86), "snowy"), **dict.fromkeys((95, 96, 99), "stormy"),
}  # fmt: skip
_FALLING = {"drizzly": "drizzling", "rainy": "raining", "snowy": "snowing"}


class WeatherSource(Protocol):
    async def forecast(self, latitude: float, longitude: float) -> Forecast: ...

    async def find(self, name: str) -> Location: ...


def weather_tool(
    source: WeatherSource,
    home: tuple[float, float] | None,
    now: Callable[[], datetime],
    times: Times,
    *,
    imperial: bool,
    limit: float,
) -> BaseTool:
    async def get_weather(
        day: str | None = None, place: str | None = None, about: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        name = " ".join((place or "").split())
        if len(name) > MAX_PLACE:
            raise BadArguments(f"place must have at most {MAX_PLACE} characters.")
        if not name and home is None:
            raise ToolError(NO_PLACE)
        where = await source.find(name) if name else Location("", *(home or (0.0, 0.0)))
        forecast = await source.forecast(where.latitude, where.longitude)
        wanted = _wanted(day, now().astimezone(local_zone()[0]).date(), forecast, times)
        there = f" in {where.name}" if where.name else ""
        wording = _Wording(there, imperial)
        text = (
            wording.now(forecast.now, about)
            if wanted is None
            else wording.day(wanted, forecast.days[0].day, about)
        )
        return f"{text}.", {"structured": _facts(forecast, wanted, where.name)}

    return declared_tool(
        "get_weather",
        DESCRIPTION,
        PARAMETERS,
        get_weather,
        ToolTraits(
            title="Weather",
            summary="The weather now and for a week, from Open-Meteo.",
            read_only=True,
            idempotent=True,
            timeout_seconds=2 * limit + 5,  # a town is looked up first
        ),
    )


def _wanted(spoken_day: str | None, today: date, forecast: Forecast, times: Times) -> ForecastDay | None:
    """None is now."""
    text = " ".join((spoken_day or "").lower().split())
    if text in ("", "now", "right now", "currently"):
        return None
    day = times.day(text, today)
    if day is None:
        raise BadArguments(f'I cannot read the day "{text[:40]}". Use "tomorrow" or "friday".')
    # Elsewhere it may be another day already: days are counted from today, there.
    ahead = (day - today).days
    if not 0 <= ahead < len(forecast.days):
        raise BadArguments(f"The forecast of {SERVICE} reaches {len(forecast.days) - 1} days ahead.")
    return forecast.days[ahead]


class _Wording:
    def __init__(self, where: str, imperial: bool) -> None:
        self._where, self._imperial = where, imperial

    def now(self, now: Now, about: str | None) -> str:
        sky, degrees = _SKY.get(now.code, ""), self._degrees(now.temperature)
        if about == "temperature":
            return f"It's {degrees} outside{self._where}"
        if about == "wind" and now.wind is not None:
            return f"The wind blows at {self._speed(now.wind)}{self._where}"
        if about == "rain":
            falling = _FALLING.get(sky)
            return f"Yes, it's {falling}{self._where}" if falling else f"No, it's {sky or 'dry'}{self._where}"
        return f"It's {degrees} and {sky}{self._where}" if sky else f"It's {degrees}{self._where}"

    def day(self, day: ForecastDay, today: date, about: str | None) -> str:
        when = say_day(day.day, today)
        span = f"{round(day.low)} to {self._degrees(day.high)}"
        if about == "temperature":
            return f"{span} {when}{self._where}"
        if about == "wind" and day.wind is not None:
            return f"Wind up to {self._speed(day.wind)} {when}{self._where}"
        if about == "rain":
            return self._rain(day, when)
        sky = _SKY.get(day.code, "")
        chance = day.rain_percent
        rain = (
            f", with {_a(chance)} {chance} percent chance of rain"
            if chance is not None and chance >= POSSIBLE
            else ""
        )
        return f"{capital(when)}{self._where} it will be {f'{sky}, ' if sky else ''}{span}{rain}"

    def _rain(self, day: ForecastDay, when: str) -> str:
        chance = day.rain_percent
        wet = (day.rain_amount or 0) >= (WET_IMPERIAL if self._imperial else WET)
        known = f": {chance} percent" if chance is not None else ""
        what = "snow" if _SKY.get(day.code) == "snowy" else "rain"
        if (chance or 0) >= LIKELY or (chance is None and wet):
            return f"Yes, {what} is likely {when}{self._where}{known}"
        if (chance or 0) >= POSSIBLE:
            return f"Maybe: there is {_a(chance or 0)} {chance} percent chance of {what} {when}{self._where}"
        return f"No, {what} is unlikely {when}{self._where}{known}"

    def _degrees(self, value: float) -> str:
        number = round(value)
        return f"{number} degree{'' if abs(number) == 1 else 's'}"

    def _speed(self, value: float) -> str:
        return f"{round(value)} {'miles' if self._imperial else 'kilometers'} per hour"


def _facts(forecast: Forecast, day: ForecastDay | None, place: str) -> dict[str, Any]:
    if day is None:
        now = forecast.now
        facts: dict[str, Any] = {
            "temperature": now.temperature,
            "sky": _SKY.get(now.code, ""),
            "wind": now.wind,
        }
    else:
        facts = {
            "date": day.day.isoformat(), "low": day.low, "high": day.high, "sky": _SKY.get(day.code, ""),
            "rain_percent": day.rain_percent,
        }  # fmt: skip
    return {"source": SERVICE, "place": place or "home", **facts}


def _a(percent: int) -> str:
    return "an" if percent in (8, 11, 18) or 80 <= percent < 90 else "a"
