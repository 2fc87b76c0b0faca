"""`/openapi.json`: what the API promises, for programs that write their clients by themselves."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway import __version__
from voice_gateway.channels.web import openapi_others
from voice_gateway.channels.web.ask_api import Ask, Undo
from voice_gateway.channels.web.devices import Wish
from voice_gateway.channels.web.login import Login
from voice_gateway.channels.web.models import Body, json_response
from voice_gateway.channels.web.routines import Switch
from voice_gateway.channels.web.turns import LISTED, LONGEST_SEARCH, MOST_LISTED
from voice_gateway.turn import LONGEST_NAME

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
YES_OR_NO: Schema = {"type": "boolean"}
ERROR: Schema = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}


def _object(**properties: Schema) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(of: Schema) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _or_null(schema: Schema) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


OUTCOME = _object(call_id=TEXT, name=TEXT, args={"type": "object"}, text=TEXT, ok=YES_OR_NO, seconds=NUMBER)
REPLY = _object(
    text=TEXT,
    ok=YES_OR_NO,
    stage=TEXT,
    expects_answer=YES_OR_NO,
    conversation_id=TEXT,
    outcomes=_list(OUTCOME),
    seconds=NUMBER,
)
DEVICE = _object(
    id=TEXT,
    name=TEXT,
    room=TEXT,
    kind=TEXT,
    server=TEXT,
    state=TEXT,
    available=YES_OR_NO,
    readings=_list(TEXT),
    actions=_list(TEXT),
)
ACT = _object(tool=TEXT, ok=YES_OR_NO, outcome=TEXT)
TURN = _object(
    id=TEXT,
    at=NUMBER,
    channel=TEXT,
    room=_or_null(TEXT),
    conversation_id=TEXT,
    text=TEXT,
    reply=TEXT,
    ok=YES_OR_NO,
    stage=TEXT,
    seconds=NUMBER,
    acts=_list(ACT),
)
ROUTINE = _object(
    id=WHOLE,
    sentence=TEXT,
    enabled=YES_OR_NO,
    next=_or_null(TEXT),
    last=_or_null(_object(at=TEXT, ok=YES_OR_NO, text=TEXT)),
)
PART = _object(part=TEXT, state=TEXT, sentence=TEXT, advice=TEXT, since=NUMBER)
TOOL = _object(
    name=TEXT, calls=WHOLE, failed=WHOLE, p50=_or_null(NUMBER), p95=_or_null(NUMBER), recent=_list(NUMBER)
)
EVENT = {"type": "object", "properties": {"type": TEXT, "turn": _or_null(TEXT)}, "required": ["type"]}
WITH_EVENTS = {"allOf": [TURN, _object(events=_list(EVENT))]}


def _answers(schema: Schema, *refusals: int, stream: bool = False) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": schema}}
    if stream:
        content["text/event-stream"] = {"schema": {}}
    refused = {"description": "why not", "content": {"application/json": {"schema": ERROR}}}
    found: dict[str, Any] = {"200": {"description": "done", "content": content}}
    return found | {str(status): refused for status in (*refusals, 401, 403, 421, 429)}


def _body(model: type[Body]) -> dict[str, Any]:
    return {
        "required": True,
        "content": {"application/json": {"schema": _inlined(model.model_json_schema())}},
    }


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    schema.pop("title", None)
    return schema


def _query(name: str, schema: Schema, text: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": text}


_ID = {"name": "id", "in": "path", "required": True, "schema": TEXT}
_WRONG_BODY = (400, 408, 413, 422)
_SEARCH = {"type": "string", "maxLength": LONGEST_SEARCH}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": LISTED}


def _ours() -> dict[str, Any]:
    ask = {"requestBody": _body(Ask), "responses": _answers(REPLY, *_WRONG_BODY, stream=True)}
    undo = {"requestBody": _body(Undo), "responses": _answers(REPLY, *_WRONG_BODY, stream=True)}
    switch = {
        "parameters": [_ID],
        "requestBody": _body(Wish),
        "responses": _answers(REPLY, 404, 409, *_WRONG_BODY, stream=True),
    }
    events = {
        "parameters": [_query("turn", TEXT, "only the events of this turn")],
        "responses": {"200": {"description": "events", "content": {"text/event-stream": {"schema": {}}}}},
    }
    turns = {
        "parameters": [
            _query("search", _SEARCH, "words in it"),
            _query("limit", _LIMIT, "how many"),
            _query("before", _SEARCH, "the id of a turn: only older ones"),
            _query("conversation", _SEARCH, "only those of this conversation"),
        ],
        "responses": _answers(_object(turns=_list(TURN)), 422, 503),
    }
    deleted = _answers(_object(deleted=NUMBER), 404, 503)
    login = {"requestBody": _body(Login), "responses": _answers(_object(ok=YES_OR_NO), *_WRONG_BODY)}
    return {
        "/api/ask": {
            "post": {
                "summary": "Say something; step by step with `stream` or Accept: text/event-stream",
                **ask,
            }
        },
        "/api/undo": {"post": {"summary": "Take back what this conversation did last", **undo}},
        "/api/events": {"get": {"summary": "All that happens, as it happens", **events}},
        "/api/devices": {
            "get": {"summary": "The home", "responses": _answers(_object(devices=_list(DEVICE)))}
        },
        "/api/devices/{id}": {"post": {"summary": "Switch a device", **switch}},
        "/api/turns": {"get": {"summary": "What was said and done, newest first", **turns}},
        "/api/turns/{id}": {
            "get": {
                "summary": "One turn with its events",
                "parameters": [_ID],
                "responses": _answers(WITH_EVENTS, 404, 503),
            },
            "delete": {"summary": "Forget a turn", "parameters": [_ID], "responses": deleted},
        },
        "/api/login": {"post": {"summary": "A token becomes a cookie", "security": [], **login}},
    }


def _of_programs() -> dict[str, Any]:
    talk = _query("conversation_id", {**TEXT, "minLength": 1, "maxLength": LONGEST_NAME}, "where to undo it")
    one = "/api/routines/{id}"
    told = {"200": {"description": "events", "content": {"text/event-stream": {"schema": {}}}}}
    refused = {"description": "why not", "content": {"application/json": {"schema": ERROR}}}
    return {
        "/api/routines": {
            "get": {
                "summary": "What is planned",
                "responses": _answers(_object(routines=_list(ROUTINE)), 503),
            }
        },
        one: {
            "get": {"summary": "One routine", "parameters": [_ID], "responses": _answers(ROUTINE, 404, 503)},
            "post": {
                "summary": "Switch a routine on or off",
                "parameters": [_ID],
                "requestBody": _body(Switch),
                "responses": _answers(REPLY, 404, 503, *_WRONG_BODY),
            },
            "delete": {
                "summary": "Delete a routine",
                "parameters": [_ID, talk],
                "responses": _answers(REPLY, 404, 422, 503),
            },
        },
        "/api/health": {
            "get": {
                "summary": "How each part is, and how long tools take",
                "responses": _answers(_object(state=TEXT, parts=_list(PART), tools=_list(TOOL))),
            }
        },
        "/api/doctor": {
            "post": {
                "summary": "Try every part once; each check as it is found, then done",
                "responses": {**told, **{str(status): refused for status in (401, 403, 409, 421, 429)}},
            }
        },
        "/metrics": {
            "get": {
                "summary": "For Prometheus",
                "responses": {
                    "200": {"description": "samples", "content": {"text/plain": {"schema": TEXT}}},
                    **{str(status): refused for status in (401, 403, 421, 429)},
                },
            }
        },
    }


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Voice Gateway",
            "version": __version__,
            "description": "On loopback no token is needed; elsewhere `voice-gateway web token` makes one.",
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": openapi_others.schemas(),
        },
        "security": [{}, {"token": []}],
        "paths": {**_ours(), **_of_programs(), **openapi_others.paths()},
    }


def openapi_routes() -> list[BaseRoute]:
    made = document()

    async def openapi(_request: Request) -> Response:
        return json_response(made)

    return [Route("/openapi.json", openapi, methods=["GET"])]
