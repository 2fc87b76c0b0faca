"""What comes in as JSON, checked; what is wrong with it is told in one line."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels.json_text import json_text
from voice_gateway.turn import LONGEST_NAME

M = TypeVar("M", bound="Body")


class Body(BaseModel):
    """Unknown fields are refused: whoever misspells one should know."""

    model_config = ConfigDict(extra="forbid", strict=True)


async def read(request: Request, model: type[M]) -> M:
    """HTTPException: it is not what is expected there."""
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body must be JSON") from None
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        reason = first["msg"].removeprefix("Value error, ")
        raise HTTPException(422, f"{where}: {reason}") from None


def checked_name(text: str) -> str:
    """Of a conversation or a room."""
    if not text or len(text) > LONGEST_NAME:
        raise ValueError(f"must have 1 to {LONGEST_NAME} characters")
    return text


def json_response(value: Any, status: int = 200) -> Response:
    return Response(json_text(value).encode(), status, media_type="application/json")
