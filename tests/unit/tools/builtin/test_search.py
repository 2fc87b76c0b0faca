"""Searching the web: both ways against a server on the loopback, and without a network at all."""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from tests.fakes.search_engines import Engine
from tests.fakes.some_tools import said_by

from voice_gateway.errors import ToolTimeout, ToolUnavailable
from voice_gateway.tools.builtin.search import DuckDuckGo, SearchBackend, SearXNG, language, search_tool

ROWS = [
    {
        "title": "Gold <b>price</b> 2026",
        "content": "It rose &amp; fell.",
        "url": "https://gold.example/a?b&c",
    },
    {"title": "Second", "content": "Another\n  snippet.", "url": "https://second.example/"},
    {"title": "Third", "content": "", "url": "https://third.example/"},
]


def tool_for(backend: SearchBackend) -> BaseTool:
    return search_tool(backend, now=lambda: datetime(2026, 11, 15, tzinfo=UTC), timeout_seconds=5)


async def search(backend: SearchBackend, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return await said_by(tool_for(backend), **arguments)


def searxng(engine: Engine, url: str = "", timeout_seconds: float = 5.0) -> SearXNG:
    return SearXNG(url or engine.url, region="us-en", safe="moderate", timeout_seconds=timeout_seconds)


def duckduckgo(engine: Engine, timeout_seconds: float = 5.0) -> DuckDuckGo:
    address = f"{engine.url}/html/"
    return DuckDuckGo(region="de-de", safe="strict", timeout_seconds=timeout_seconds, address=address)


@pytest.mark.parametrize("way", [searxng, duckduckgo])
async def test_results_have_title_snippet_and_address(way: Any) -> None:
    async with Engine(rows=ROWS) as engine:
        text, facts = await search(way(engine), query="gold  price 2026", max_results=2)

    label = way(engine).label
    assert text == (
        f'Results of {label} for "gold price 2026":\n'
        "1. Gold price 2026\nIt rose & fell.\nhttps://gold.example/a?b&c\n\n"
        "2. Second\nAnother snippet.\nhttps://second.example/"
    )
    assert facts["source"] == label
    second = {"title": "Second", "snippet": "Another snippet.", "url": "https://second.example/"}
    assert facts["results"][1] == second


async def test_duckduckgo_gets_region_and_safe_search() -> None:
    async with Engine(rows=ROWS) as engine:
        await search(duckduckgo(engine), query="rain")

    [request], [values] = engine.requests, engine.asked
    assert request.method == "POST"
    assert (values["q"], values["l"], values["kp"]) == ("rain", "de-de", "1")


def test_regions_become_languages() -> None:
    known = {"wt-wt": "all", "us-en": "en-US", "uk-en": "en-GB", "de-de": "de-DE", "x": "all"}
    assert {region: language(region) for region in known} == known


async def test_no_results_because_its_engines_are_silent_is_a_failure() -> None:
    async with Engine(unresponsive=[["google", "timeout"], ["bing", "CAPTCHA"]]) as engine:
        with pytest.raises(ToolUnavailable, match=r"no answer from its search engines \(bing, google\)"):
            await search(searxng(engine), query="x")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ({"json_enabled": False}, "add json to search.formats"),
        ({"status": 429}, "too many searches"),
        ({"status": 500}, r"HTTP 500"),
        ({"body": b"<html>"}, "answer that I can't read"),
        ({"body": b'{"results": 3}'}, "answer that I can't read"),
        ({"body": b"[]"}, "answer that I can't read"),
        ({"body": b"[" * 6_000_000}, "answer that I can't read"),
        ({"body": b"[" * 200_000}, "answer that I can't read"),
    ],
)
async def test_a_searxng_that_refuses_is_told_in_one_sentence(script: dict[str, Any], said: str) -> None:
    async with Engine(**script) as engine:
        with pytest.raises(ToolUnavailable, match=said) as failure:
            await search(searxng(engine), query="x")

    assert str(failure.value).startswith(f"SearXNG at 127.0.0.1:{engine.port} ")
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    "script", [{"status": 202}, {"body": b'<div class="anomaly-modal__title">robot?</div>'}]
)
async def test_a_duckduckgo_that_refuses_is_not_called_empty(script: dict[str, Any]) -> None:
    async with Engine(**script) as engine:
        with pytest.raises(ToolUnavailable, match="DuckDuckGo refuses to search at the moment"):
            await search(duckduckgo(engine), query="x")


@pytest.mark.parametrize("way", [searxng, duckduckgo])
async def test_a_silent_service_costs_its_own_limit_and_no_more(way: Any) -> None:
    async with Engine(silent=True) as engine:
        with pytest.raises(ToolTimeout, match=r"did not answer within 0.3 seconds"):
            await asyncio.wait_for(search(way(engine, timeout_seconds=0.3), query="x"), 60)


async def test_an_unreachable_searxng_is_named_without_its_password() -> None:
    async with Engine() as engine:
        pass  # gone again: nobody listens there
    with pytest.raises(ToolUnavailable) as failure:
        await search(searxng(engine, url=f"http://me:hush@127.0.0.1:{engine.port}/"), query="x")

    assert str(failure.value) == f"I can't reach SearXNG at 127.0.0.1:{engine.port}."


async def test_without_the_search_extra_the_answer_says_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs.engines.duckduckgo", None)
    async with Engine() as engine:
        with pytest.raises(ToolUnavailable, match=r"pip install 'voice-gateway\[search\]'"):
            await search(duckduckgo(engine), query="x")
