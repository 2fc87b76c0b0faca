"""A stand-in for Open-Meteo on the loopback: its paths, parameters, shapes of answers, and faults."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

TOWNS = {"Lisbon": (38.71667, -9.13333), "Nowhere": (0.0, -160.0)}


@dataclass
class FakeOpenMeteo(LoopbackHttp):
    today: date = date(2026, 11, 16)
    code: int = 61
    now: float = 8.4
    rain_percent: tuple[int | None, ...] = (80, 30, 5)
    body: bytes | None = None  # instead of everything else
    status: int = 200
    silent: bool = False  # takes the request and says nothing
    asked: list[dict[str, str]] = field(default_factory=list)

    async def respond(self, request: Request, answer: Answer) -> None:
        address = urlsplit(request.path)
        values = dict(parse_qsl(address.query))
        self.asked.append(values)
        if self.silent:
            return
        if self.body is not None or self.status != 200:
            await answer.whole(self.status, self.body or b"no", "text/html")
        elif address.path == "/v1/search":
            await answer.json(200, self._towns(values["name"]))
        elif address.path == "/v1/forecast":
            await answer.json(200, self._forecast(values))
        else:
            await answer.json(404, {"error": True, "reason": "Not Found"})

    def _towns(self, name: str) -> dict[str, Any]:
        """Where nothing is found, there is no `results` at all."""
        found = TOWNS.get(name.title())
        if found is None:
            return {"generationtime_ms": 0.3}
        place = {"id": 1, "name": name.title(), "latitude": found[0], "longitude": found[1]}
        return {"results": [place], "generationtime_ms": 0.6}

    def _forecast(self, values: dict[str, str]) -> dict[str, Any]:
        days = int(values["forecast_days"])
        dates = [(self.today + timedelta(days=ahead)).isoformat() for ahead in range(days)]
        rain = [*self.rain_percent, *[0] * days][:days]
        known = values["longitude"] != "-160.0000"  # of the middle of an ocean nothing is known
        daily = {
            "time": dates,
            "weather_code": [self.code if known else None] * days,
            "temperature_2m_max": [11.6 if known else None] * days,
            "temperature_2m_min": [4.2 if known else None] * days,
            "precipitation_probability_max": rain,
            "precipitation_sum": [2.0] * days,
            "wind_speed_10m_max": [33.4] * days,
        }
        current = {"temperature_2m": self.now if known else None, "weather_code": self.code}
        return {"timezone": "GMT", "current": {**current, "wind_speed_10m": 21.0}, "daily": daily}
