"""JSON shapes that several routes share. Models of answers only describe them in `/openapi.json`."""

from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, create_model
from starlette.responses import Response

from voice_gateway.channels import json_text
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[str, StringConstraints(max_length=LONGEST_TEXT, pattern=r"\S")]


class Body(BaseModel):
    """A request body. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


def shape(name: str, /, **fields: Any) -> Any:
    """A model that describes an answer in `/openapi.json`. Every field is required; [X] is a list of X."""
    made: dict[str, Any] = {}
    for field, kind in fields.items():
        made[field] = (GenericAlias(list, (kind[0],)) if isinstance(kind, list) else kind, ...)
    return create_model(name, **made)


ERROR = shape("Error", error=str)
OUTCOME = shape("Outcome", call_id=str, name=str, args=dict[str, Any], text=str, ok=bool, seconds=float)
PART = shape("Part", source=Literal["gateway", "model"], text=str)
REPLY = shape(
    "Reply",
    text=str,
    parts=[PART],
    ok=bool,
    stage=str,
    expects_answer=bool,
    conversation_id=str,
    outcomes=[OUTCOME],
    seconds=float,
)


# What a route answers that also streams its steps.
STREAMS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {}}}}}


def json_response(value: Any, status: int = 200) -> Response:
    return Response(json_text(value).encode(), status, media_type="application/json")
