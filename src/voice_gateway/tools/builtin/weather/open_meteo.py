"""The weather of a place, and the place of a town, from Open-Meteo. It needs no key."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.tools.builtin.web_json import get_json
from voice_gateway.turn import OutcomeStatus

log = logging.getLogger(__name__)

SERVICE = "Open-Meteo"
DAYS = 8  # today and a week
MAX_ANSWER = 500_000  # bytes; an answer has some thousand
_CURRENT = "temperature_2m,weather_code,wind_speed_10m"
_DAILY = (
    "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max,precipitation_sum,"
    "wind_speed_10m_max"
)
_OK = 200
_NOT_FROM_IT = f"{SERVICE} gave an answer that I cannot read."


@dataclass(frozen=True, slots=True)
class Now:
    temperature: float
    code: int
    wind: float | None = None


@dataclass(frozen=True, slots=True)
class ForecastDay:
    day: date
    code: int
    low: float
    high: float
    rain_percent: int | None = None
    rain_amount: float | None = None
    wind: float | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    now: Now
    days: tuple[ForecastDay, ...]  # the first is today, there


@dataclass(frozen=True, slots=True)
class Location:
    name: str
    latitude: float
    longitude: float


class OpenMeteo:
    def __init__(self, url: str, towns_url: str, *, imperial: bool, timeout_seconds: float) -> None:
        self._url = f"{url.rstrip('/')}/v1/forecast"
        self._towns_url = f"{towns_url.rstrip('/')}/v1/search"
        units = {"temperature_unit": "fahrenheit", "wind_speed_unit": "mph", "precipitation_unit": "inch"}
        self._units: dict[str, str] = units if imperial else {}
        self._timeout_seconds = timeout_seconds

    async def forecast(self, latitude: float, longitude: float) -> Forecast:
        wanted = {"latitude": f"{latitude:.4f}", "longitude": f"{longitude:.4f}", "timezone": "auto"}
        more = {"current": _CURRENT, "daily": _DAILY, "forecast_days": str(DAYS), **self._units}
        return _forecast(await self._get(self._url, {**wanted, **more}))

    async def find(self, name: str) -> Location:
        answer = await self._get(self._towns_url, {"name": name, "count": "1", "format": "json"})
        results = answer.get("results")
        first = results[0] if isinstance(results, list) and results else None
        if not isinstance(first, Mapping):
            no_such = f"I can't find a place called {name}."
            raise ToolError(no_such, structured={"outcome": OutcomeStatus.NOT_FOUND.value})
        try:
            called = str(first.get("name") or name)[:60]
            return Location(called, float(first["latitude"]), float(first["longitude"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ToolUnavailable(_NOT_FROM_IT) from error

    async def _get(self, url: str, parameters: Mapping[str, str]) -> Mapping[str, Any]:
        status, answer = await get_json(
            SERVICE,
            url,
            parameters,
            seconds=self._timeout_seconds,
            most_bytes=MAX_ANSWER,
            unreachable=f"I can't reach {SERVICE}, so I don't know the weather.",
            unreadable=_NOT_FROM_IT,
        )
        if status != _OK or not isinstance(answer, Mapping):
            log.info("weather refused", extra={"status": status})
            raise ToolUnavailable(f"{SERVICE} has no weather for that right now.")
        return answer


def _forecast(answer: Mapping[str, Any]) -> Forecast:
    try:
        now, daily = answer["current"], answer["daily"]
        days = tuple(_day(daily, at) for at in range(len(daily["time"][:DAYS])))
        current = Now(
            float(now["temperature_2m"]), int(now["weather_code"]), _number(now.get("wind_speed_10m"))
        )
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        # A place of which nothing is measured has nothing in its lists.
        raise ToolUnavailable(f"{SERVICE} has no weather for that place.") from error
    if not days:
        raise ToolUnavailable(f"{SERVICE} has no weather for that place.")
    return Forecast(current, days)


def _day(daily: Mapping[str, Sequence[Any]], at: int) -> ForecastDay:
    share = _number(_at(daily, "precipitation_probability_max", at))
    return ForecastDay(
        date.fromisoformat(str(daily["time"][at])),
        int(daily["weather_code"][at]),
        float(daily["temperature_2m_min"][at]),
        float(daily["temperature_2m_max"][at]),
        None if share is None else round(share),
        _number(_at(daily, "precipitation_sum", at)),
        _number(_at(daily, "wind_speed_10m_max", at)),
    )


def _at(daily: Mapping[str, Sequence[Any]], name: str, at: int) -> Any:
    values = daily.get(name) or ()
    return values[at] if at < len(values) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
