"""One GET request for JSON from a web service, with a limit of time and size; failures name the service."""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from voice_gateway.errors import ToolTimeout, ToolUnavailable

log = logging.getLogger(__name__)


async def get_json(
    service: str, url: str, parameters: Mapping[str, Any], *, seconds: float, most_bytes: int
) -> tuple[int, Any]:
    """(HTTP status, the JSON; None where the status is an error and the answer is no JSON).

    Raises ToolTimeout or ToolUnavailable.
    """
    import httpx

    body = b""
    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(timeout=seconds, follow_redirects=True) as client,
            client.stream("GET", url, params=dict(parameters)) as response,
        ):
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > most_bytes:
                    raise ToolUnavailable(unreadable(service))
    except (TimeoutError, httpx.TimeoutException) as error:
        raise ToolTimeout(f"{service} did not answer within {seconds:g} seconds.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        log.info("request failed", extra={"service": service, "reason": type(error).__name__})
        raise ToolUnavailable(f"I can't reach {service}.") from error
    try:
        return response.status_code, json.loads(body)
    except (ValueError, RecursionError) as error:
        if response.is_error:
            return response.status_code, None
        raise ToolUnavailable(unreadable(service)) from error


def unreadable(service: str) -> str:
    return f"{service} gave an answer that I can't read."
