"""What `/openapi.json` says of the shapes that are others': OpenAI's and MCP's."""

from collections.abc import Mapping
from typing import Any

from voice_gateway.channels.web.openai import ChatRequest
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT

_JSON, _EVENTS = "application/json", "text/event-stream"
_TEXT: Mapping[str, Any] = {"type": "string"}
_WHOLE: Mapping[str, Any] = {"type": "integer"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_MODEL = _object(id=_TEXT, object={"const": "model"}, created=_WHOLE, owned_by=_TEXT)
_MESSAGE = _object(role={"const": "assistant"}, content=_TEXT)
_CHOICE = _object(index=_WHOLE, message=_MESSAGE, finish_reason={"const": "stop"})
_USAGE = _object(prompt_tokens=_WHOLE, completion_tokens=_WHOLE, total_tokens=_WHOLE)
_COMPLETION = _object(
    id=_TEXT,
    object={"const": "chat.completion"},
    created=_WHOLE,
    model=_TEXT,
    choices=_list(_CHOICE),
    usage=_USAGE,
    voice_gateway={"type": "object"},  # what their shape has no place for
)
_NULLABLE = {"type": ["string", "null"]}
_THEIR_ERROR = _object(error=_object(message=_TEXT, type=_TEXT, param=_NULLABLE, code=_NULLABLE))
_RPC = {
    "type": "object",
    "properties": {"jsonrpc": {"const": "2.0"}, "method": _TEXT, "params": {"type": "object"}},
    "required": ["jsonrpc"],
}
_SESSION = {
    "name": "Mcp-Session-Id",
    "in": "header",
    "required": False,
    "schema": _TEXT,
    "description": "as the answer to initialize gave it",
}


def _content(schema: Mapping[str, Any], *, stream: bool = False) -> dict[str, Any]:
    return {_JSON: {"schema": schema}, **({_EVENTS: {"schema": {}}} if stream else {})}


def _answers(schema: Mapping[str, Any], *refusals: int, stream: bool = False) -> dict[str, Any]:
    refused = {"description": "why not", "content": _content(_THEIR_ERROR)}
    done = {"description": "done", "content": _content(schema, stream=stream)}
    return {"200": done, **{str(status): refused for status in (*refusals, 401, 403, 421, 429)}}


_WORDS = {"type": "string", "pattern": r"\S", "maxLength": LONGEST_TEXT}
_PART = _object(type={"const": "text"}, text=_WORDS)
_OF_USER = _object(role={"const": "user"}, content={"anyOf": [_WORDS, {**_list(_PART), "minItems": 1}]})
_OF_OTHERS = {
    "type": "object",
    "properties": {"role": {"enum": ["system", "developer", "assistant", "tool", "function"]}},
    "required": ["role"],
    "description": "not read",
}


def _chat() -> tuple[dict[str, Any], dict[str, Any]]:
    """The request, and what it is made of. More is taken than is described: pictures in earlier messages, any
    role. Whoever keeps to it is answered."""
    schema = ChatRequest.model_json_schema(ref_template="#/components/schemas/{model}")
    made_of = {"UserMessage": _OF_USER, "OtherMessage": _OF_OTHERS}
    kinds = {name: {"$ref": f"#/components/schemas/{name}"} for name in made_of}
    schema["properties"]["messages"] = {
        **_list({"anyOf": list(kinds.values())}),
        "minItems": 1,
        "contains": kinds["UserMessage"],
    }
    schema["properties"]["user"] = {"type": ["string", "null"], "maxLength": LONGEST_NAME}
    options = schema.pop("$defs")["StreamOptions"]
    return schema, {**made_of, "StreamOptions": options}


def schemas() -> dict[str, Any]:
    return _chat()[1]


def paths() -> dict[str, Any]:
    chat = {
        "summary": "OpenAI's chat completions: the last message of the user is what is said",
        "requestBody": {"required": True, "content": _content(_chat()[0])},
        "responses": _answers(_COMPLETION, 400, 408, 413, stream=True),
    }
    model = {"name": "model", "in": "path", "required": True, "schema": _TEXT}
    listed = _object(object={"const": "list"}, data=_list(_MODEL))
    why_not = {"description": "why not", "content": _content({"type": "object"})}
    wrong = {str(status): why_not for status in (400, 401, 403, 404, 406, 421, 429)}
    answer = {
        "description": "an answer of JSON-RPC, or a stream of them",
        "content": _content(_RPC, stream=True),
    }
    stream = {"description": "what the server tells unasked", "content": {_EVENTS: {"schema": {}}}}
    return {
        "/v1/chat/completions": {"post": chat},
        "/v1/models": {"get": {"summary": "The models: one, by any name", "responses": _answers(listed)}},
        "/v1/models/{model}": {
            "get": {"summary": "One model", "parameters": [model], "responses": _answers(_MODEL)}
        },
        "/mcp": {
            "post": {
                "summary": "MCP over streamable HTTP: one message of JSON-RPC",
                "parameters": [_SESSION],
                "requestBody": {"required": True, "content": _content(_RPC)},
                "responses": {
                    "200": answer,
                    "202": {"description": "taken"},
                    "408": why_not,
                    "413": why_not,
                    **wrong,
                },
            },
            "get": {
                "summary": "The stream of a session",
                "parameters": [_SESSION],
                "responses": {"200": stream, **wrong},
            },
            "delete": {
                "summary": "Ends a session",
                "parameters": [_SESSION],
                "responses": {"200": {"description": "ended"}, **wrong},
            },
        },
    }
