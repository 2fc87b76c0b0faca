"""The weather from Open-Meteo: said to come from there, and a sentence for whatever goes wrong."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.limits import with_limits
from tests.fakes.open_meteo import FakeOpenMeteo
from tests.fakes.some_tools import said_by
from tests.fakes.spoken_times import spoken_times

from voice_gateway.config import ToolsSettings
from voice_gateway.errors import BadArguments, ToolError, ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin import builtin_tools

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BERLIN = (52.52, 13.41)


async def weather(
    server: FakeOpenMeteo, home: tuple[float, float] | None = BERLIN, **arguments: Any
) -> tuple[str, Any]:
    units = {"weather_units": arguments.pop("units", "metric")}
    settings = with_limits(
        ToolsSettings,
        search=False,
        weather_url=server.url,
        weather_timeout_seconds=arguments.pop("limit", 60.0),
        **units,
    )
    made = builtin_tools(settings, home=home, now=lambda: NOW, times=spoken_times())
    return await said_by(next(tool for tool in made if tool.name == "get_weather"), **arguments)


async def test_it_is_told_as_a_person_would_and_from_whom() -> None:
    table = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8"))["weather"]
    answers = []
    for arguments, _ in table:
        async with FakeOpenMeteo() as server:
            answers.append(await weather(server, **arguments))

    assert [text for text, _ in answers] == [sentence for _, sentence in table]
    assert {facts["source"] for _, facts in answers} == {"Open-Meteo"}


async def test_it_sends_the_home_that_is_set_and_nothing_else() -> None:
    async with FakeOpenMeteo() as server:
        with pytest.raises(ToolError, match="location in my settings"):
            await weather(server, home=None)
        assert server.asked == []
        await weather(server, units="imperial")

    [asked] = server.asked
    assert (asked["latitude"], asked["longitude"]) == ("52.5200", "13.4100")
    assert asked["temperature_unit"] == "fahrenheit"
    assert not {"apikey", "name"} & set(asked)


async def test_a_town_without_weather_is_an_error() -> None:
    async with FakeOpenMeteo() as server:
        assert (await weather(server, home=None, place="Lisbon"))[0].startswith("It's 8 degrees")
        with pytest.raises(ToolError, match="find a place called Xyzzy"):
            await weather(server, place="Xyzzy")
        with pytest.raises(ToolError, match="has no weather for that place"):
            await weather(server, place="Nowhere")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"current": {}, "daily": {}}', b"[" * 5000, b"x" * 600_000]
)
async def test_garbage_is_an_error(body: bytes) -> None:
    async with FakeOpenMeteo(body=body) as server:
        with pytest.raises(ToolUnavailable, match="Open-Meteo"):
            await weather(server)


async def test_an_error_a_silence_and_a_missing_server_have_their_sentences() -> None:
    async with FakeOpenMeteo(status=503, body=b'{"error": true}') as server:
        with pytest.raises(ToolUnavailable, match="right now"):
            await weather(server)
    with pytest.raises(ToolUnavailable, match="can't reach"):
        await weather(server)
    async with FakeOpenMeteo(silent=True) as server:
        with pytest.raises(ToolTimeout, match=r"did not answer within 0\.3 seconds"):
            await weather(server, limit=0.3)


async def test_a_day_that_is_too_far_or_unreadable_is_refused() -> None:
    async with FakeOpenMeteo() as server:
        with pytest.raises(BadArguments, match="7 days ahead"):
            await weather(server, day="december 24")
        with pytest.raises(BadArguments, match="cannot read the day"):
            await weather(server, day="someday")
