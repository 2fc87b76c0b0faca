"""The tools that come with the gateway: all of them are listed here, and nowhere else."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.config import ToolsSettings
    from voice_gateway.tools.builtin.broadcast import Heard
    from voice_gateway.tools.builtin.lists import ListStore
    from voice_gateway.tools.builtin.search import SearchBackend
    from voice_gateway.tools.builtin.timers import TimerStore
    from voice_gateway.tools.builtin.timers.tools import RepeatedTimers
    from voice_gateway.tools.builtin.times import Times
    from voice_gateway.tools.builtin.volume import PlaybackVolume, VolumeBackend

Now = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


def builtin_tools(
    settings: "ToolsSettings",
    *,
    playback: "PlaybackVolume | None" = None,
    volume: "VolumeBackend | None" = None,
    timers: "TimerStore | None" = None,
    rings: Callable[[], bool] = lambda: True,
    repeated: "RepeatedTimers | None" = None,
    lists: "ListStore | None" = None,
    announce: "Callable[[str], Awaitable[Heard]] | None" = None,
    home: tuple[float, float] | None = None,
    now: Now = system_clock,
    times: "Times | None" = None,
) -> "list[BaseTool]":
    """All built-in tools that these settings allow.

    `playback` is the gateway's own loudness, which speaking reads; `volume` replaces the system's.
    `timers` and `lists` are the stores of timers and lists; without one its tools are left out. `rings` says
    whether a gateway is running that rings timers, `repeated` has the repeated timers. `announce` speaks on
    every channel. `home` is the latitude and longitude. `times` reads times in
    words; without it tools take values. LangChain is imported here, not at the top.
    """
    from voice_gateway.tools.builtin.calculate import calculate_tool
    from voice_gateway.tools.builtin.search import search_tool
    from voice_gateway.tools.builtin.timers.tools import timer_tools
    from voice_gateway.tools.builtin.times import Times, datetime_tool
    from voice_gateway.tools.builtin.volume import PlaybackVolume, SystemVolume, volume_tool

    times = times or Times()
    tools = [datetime_tool(now, times), volume_tool(volume or SystemVolume(playback or PlaybackVolume()))]
    if timers is not None:
        tools += timer_tools(timers, now, rings, repeated, times)
    tools.append(calculate_tool(now, times))
    if lists is not None:
        from voice_gateway.tools.builtin.lists import list_tools

        tools += list_tools(lists)
    if announce is not None:
        from voice_gateway.tools.builtin.broadcast import broadcast_tool

        tools.append(broadcast_tool(announce))
    if settings.weather:
        from voice_gateway.tools.builtin.weather import weather_tool

        tools.append(weather_tool(settings, home, now, times))
    if settings.search:
        limit = settings.search_timeout_seconds
        tools.append(search_tool(_search_backend(settings), now=now, timeout_seconds=limit))
    return tools


def _search_backend(settings: "ToolsSettings") -> "SearchBackend":
    from voice_gateway.tools.builtin.search import DuckDuckGo, SearXNG

    region, safe, limit = settings.search_region, settings.search_safe, settings.search_timeout_seconds
    if settings.searxng_url:
        return SearXNG(settings.searxng_url, region=region, safe=safe, timeout_seconds=limit)
    return DuckDuckGo(region=region, safe=safe, timeout_seconds=limit)
