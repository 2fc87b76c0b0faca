"""Errors are told apart by type, and named so that a person can act."""

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from voice_gateway.errors import BadArguments, LinkError, ToolError, ToolUnavailable
from voice_gateway.tools.failures import cause_of, describe

REQUEST = httpx.Request("GET", "https://ann:pw@search.example/x?token=abc123")


def status(code: int) -> httpx.HTTPStatusError:
    response = httpx.Response(code, request=REQUEST)
    try:
        response.raise_for_status()
    except httpx.HTTPStatusError as error:
        return error
    raise AssertionError


def invalid() -> ValidationError:
    class Two(BaseModel):
        a: int

    try:
        Two(a="x")
    except ValidationError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            httpx.ConnectError("refused", request=REQUEST),
            "unavailable",
            "The service search.example that find needs",
        ),
        (httpx.ReadTimeout("slow", request=REQUEST), "unavailable", "search.example"),
        (
            httpx.ConnectError("no request at hand"),
            "unavailable",
            "The service that find needs is unavailable",
        ),
        (status(503), "unavailable", "search.example"),
        (status(404), "failed", "404"),
        (MCPError(-32602, "level is wrong"), "bad_arguments", "level is wrong"),
        (MCPError(-32000, "Connection closed"), "unavailable", "Connection closed"),
        (LinkError("down"), "unavailable", "down"),
        (invalid(), "bad_arguments", "valid integer"),
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


def test_a_long_message_is_cut():
    _, text = describe(ValueError("x" * 1_000_000), "find", "builtin")
    assert len(text) < 600


def test_a_tool_error_keeps_its_words():
    said = 'First line.\n  second: "quoted" – 50 %\n'
    assert describe(BadArguments(said), "find", "zwave") == ("bad_arguments", said)


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
