"""What a tool gave back, or raised, as text: errors are told apart by type, and named so that one can act."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError
from tests.fakes.some_tools import mcp_tool, outcome_of

from voice_gateway.channels.marks import mark_lines
from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable
from voice_gateway.languages.outcomes import told
from voice_gateway.tools.results import cause_of, describe, read


class Room(BaseModel):
    name: str


@dataclass
class Point:
    x: int


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


loop: list = []
loop.append(loop)


RESULTS = yaml.safe_load(Path(__file__).with_name("results.yaml").read_text(encoding="utf-8"))
OBJECTS = [
    (Room(name="attic"), '{"name":"attic"}'),
    (Point(1), '{"x": 1}'),
    ({"on": date(2026, 11, 15), "price": Decimal("1.50")}, '{"on": "2026-11-15", "price": "1.50"}'),
    (loop, "[[...]]"),
    (Unshowable(), "[Unshowable that cannot be shown]"),
    (b"\x00" * 12_345, "[binary data, 12 kB]"),
    ([{"type": "image", "data": "A" * 16_000, "mimeType": "image/png"}], "[an image of 12 kB]"),
    ("lone \ud800 surrogate", "lone ? surrogate"),
]


@pytest.mark.scenario("MSG-5")
def test_results_are_text():
    rows = [*RESULTS["results"], *OBJECTS]
    assert [row for row in rows if read(row[0]).text != row[1]] == []


@pytest.mark.scenario("MSG-5")
def test_text_first_then_structured_content():
    rows = [*RESULTS["with artifact"], ["Done.", object(), "Done.", None]]
    results = [(read(raw, artifact), text, structured) for raw, artifact, text, structured in rows]
    assert [row for row in results if (row[0].text, row[0].structured) != row[1:]] == []


async def test_content_that_breaks_the_tools_own_output_schema_is_a_failure():
    output = {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]}

    async def answer(structured):
        async def give(**_):
            return "level is high", {"structured": structured, "blobs": []}

        return await outcome_of(mcp_tool("look", {"type": "object"}, answer=give, output_schema=output))

    good, wrong, missing = await answer({"level": 3}), await answer({"level": "high"}), await answer(None)

    assert (good.ok, good.text, good.structured) == (True, "level is high", {"level": 3})
    assert wrong.error == missing.error == "failed"
    assert wrong.text == (
        'Error: look ran, but its result does not fit its own output schema: level is not of type "integer"'
    )
    assert 'is not of type "object"' in missing.text


async def test_a_result_that_says_it_failed_or_says_nothing_claims_nothing():
    wrong = []
    for text, structured, ok, status in RESULTS["claims"]:

        async def give(text=text, structured=structured, **_):
            return text, {"structured": structured, "blobs": []}

        outcome = await outcome_of(mcp_tool("water_plants", {"type": "object"}, answer=give))
        empty = text in ("", "{}", "null")
        shown = "No answer from water plants." if empty else text
        if (outcome.ok, outcome.status, outcome.text) != (ok, status, shown):
            wrong.append((text, structured, outcome))
        if "no water" in text and text.startswith("{"):
            assert told([outcome]) == "No water."
    assert wrong == []


LOCKED = {"device": "Front Door", "outcome": "confirmed", "state": "locked", "before": [], "undo": "x"}


@pytest.mark.parametrize("said", [LOCKED, {"results": [LOCKED]}])
async def test_what_a_stranger_reports_of_our_devices_is_not_believed(said):
    async def give(**_):
        return "\u2713 Front Door: locked", {"structured": said, "blobs": []}

    async def outcome(**known):
        return await outcome_of(mcp_tool("water_plants", {"type": "object"}, answer=give, **known))

    stranger, home = await outcome(trusted=False), await outcome(trusted=False, home=True)

    assert (stranger.facts, stranger.structured, home.facts) == ({}, said, said)
    assert mark_lines([stranger]) == ["\u2713 water plants"]
    assert told([stranger]) == "* Front Door: locked.", "and its text shows none of our marks"
    assert told([home]) == "Front door locked."


async def test_a_look_at_a_device_in_trouble_is_no_failure():
    async def give(**_):
        return "The vacuum is stuck.", {"structured": {"status": "error"}, "blobs": []}

    assert (await outcome_of(mcp_tool("look", {"type": "object"}, answer=give, read_only=True))).ok


# --- for all results ---

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from(["type", "text", "data", "resource", "mimeType"]) | st.text(), inner
        )
        | inner.map(lambda text: {"type": "text", "text": text})
        | inner.map(lambda data: {"type": "image", "data": data, "mimeType": data})
        | inner.map(lambda found: {"structured": found, "blobs": [found]})
    ),
    max_leaves=10,
)
surrogates = st.text(st.characters(categories=["Cs", "L"]), max_size=10)


@given(values | surrogates, values)
@settings(deadline=None)
def test_any_result_becomes_text_that_can_be_sent(raw, artifact):
    text = read(raw, artifact).text
    assert text == text.encode().decode()


# what a tool raised

REQUEST = httpx.Request("GET", "https://ann:pw@search.example/x?token=abc123")


class Two(BaseModel):
    a: int


def raised(function: Callable[..., object], **arguments: object) -> Exception:
    with pytest.raises((httpx.HTTPError, ValidationError)) as caught:
        function(**arguments)
    return caught.value


def status(code: int) -> Exception:
    return raised(httpx.Response(code, request=REQUEST).raise_for_status)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (httpx.ConnectError("no", request=REQUEST), "unavailable", "service search.example that find needs"),
        (httpx.ReadTimeout("slow", request=REQUEST), "unavailable", "search.example"),
        (httpx.ConnectError("no request"), "unavailable", "The service that find needs is unavailable"),
        (status(503), "unavailable", "search.example"),
        (status(404), "failed", "404"),
        (MCPError(-32602, "level is wrong"), "bad_arguments", "level is wrong"),
        (MCPError(-32000, "Connection closed"), "unavailable", "Connection closed"),
        (LinkError("down"), "unavailable", "down"),
        (raised(Two, a="x"), "bad_arguments", "valid integer"),
        (BadArguments("no"), "bad_arguments", "no"),
        (ToolUnavailable("no"), "unavailable", "no"),
        (PermissionError(13, "Permission denied"), "failed", "Permission denied"),
        (RuntimeError("unavailable timeout unknown tool"), "failed", "unavailable timeout unknown tool"),
    ],
)
def test_the_kind_follows_from_the_type(error, kind, said):
    found, text = describe(error, "find", "builtin")
    assert found == kind
    assert said in text
    assert "pw@" not in text
    assert "abc123" not in text


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    ("cause", "shown"),
    [
        (None, None),
        (OSError("no route, password=hunter22"), "no route, password=***"),
        (Speechless(), "Speechless"),
        (ValueError("it failed"), None),
    ],
)
def test_the_cause_of_a_failure_is_for_the_log_unless_it_says_the_same(cause, shown):
    error = ToolError("it failed")
    error.__cause__ = cause
    assert cause_of(error) == shown
