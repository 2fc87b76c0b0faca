"""`/openapi.json` describes every address of the API, and what it refers to is in it."""

import json
import re
from pathlib import Path

import jsonschema

from voice_gateway.channels.web.openapi import document

PAGES = Path(__file__).parents[4] / "docs"
METHODS = ("get", "post", "put", "delete")


def test_every_address_of_the_pages_is_described():
    text = "".join((PAGES / page).read_text(encoding="utf-8") for page in ("console.md", "programs.md"))
    named = set(re.findall(r"`(?:GET |POST |DELETE )?(/(?:api|v1|mcp|metrics)[\w/]*)", text))
    known = {re.sub(r"\{\w+\}", "ID", path) for path in document()["paths"]}
    assert {"/v1/chat/completions", "/v1/models", "/mcp", "/metrics"} <= known
    assert named - known - {"/api/voice", "/v1"} == set()  # a WebSocket, and a beginning


def test_every_operation_says_what_it_does_and_answers():
    operations = [one[method] for one in document()["paths"].values() for method in METHODS if method in one]
    assert all(one["summary"] and "200" in one["responses"] for one in operations)


def test_its_schemas_are_schemas_and_stand_in_it():
    whole = document()
    found = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(whole))
    assert found
    assert set(found) <= set(whole["components"]["schemas"])
    for schema in schemas(whole):
        jsonschema.Draft202012Validator.check_schema(schema)


def schemas(value):
    if isinstance(value, dict):
        if isinstance(value.get("schema"), dict):
            yield value["schema"]
        for inner in value.values():
            yield from schemas(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from schemas(inner)


def test_a_chat_that_openais_clients_send_is_as_described():
    whole = document()
    body = whole["paths"]["/v1/chat/completions"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    chat = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], "n": 1}
    validator = jsonschema.Draft202012Validator({**body, "components": whole["components"]})
    assert list(validator.iter_errors(chat)) == []
    for wrong in ({"model": "m"}, {"messages": []}, {"messages": [{"role": "user", "content": " "}]}):
        assert list(validator.iter_errors(wrong)) != []
