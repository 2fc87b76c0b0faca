"""What other assistants can call by `/mcp`: names, descriptions and parameters, as MCP writes them."""

from collections.abc import Mapping
from typing import Any

INSTRUCTIONS = (
    "A home with a voice gateway. Use ask for what a person would say to it, in plain words: it acts, and "
    "tells what was really done. call_tool runs one of its tools, which list_tools lists. Where an answer "
    'has "expects_answer": true, nothing was done yet: show its question to the user, and pass the '
    "user's own answer on with ask, in this session. Never answer it yourself."
)


def _tool(
    name: str, title: str, text: str, parameters: Mapping[str, Any], *required: str, **hints: bool
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "description": text,
        "inputSchema": {
            "type": "object",
            "properties": dict(parameters),
            "required": list(required),
            "additionalProperties": False,
        },
        "annotations": {"openWorldHint": False, **hints},
    }


_READS = {"readOnlyHint": True, "idempotentHint": True}
_CHANGES = {"readOnlyHint": False, "destructiveHint": False}
_NUMBER = {"type": "integer", "description": "Its id, as list_routines gives it"}

TOOLS: tuple[Mapping[str, Any], ...] = (
    _tool(
        "ask",
        "Ask the home",
        "Says something to the home, as a person in it would: a wish, a question, a plan, or the user's own "
        'answer to its last question. For example "turn on the floor lamp", "is a window open", "every day '
        'at 7 turn on the heating". The answer tells what was really done.',
        {
            "text": {"type": "string", "description": "What the user wants, in plain words"},
            "room": {"type": "string", "description": "Where the user is, if that is known"},
        },
        "text",
        **_CHANGES,
    ),
    _tool(
        "list_tools",
        "List the home's tools",
        "Lists the tools that call_tool can run, each with its description and parameters.",
        {},
        **_READS,
    ),
    _tool(
        "call_tool",
        "Run one of the home's tools",
        "Runs one of the tools of list_tools. What is sensitive becomes a question to the user, or is "
        "refused.",
        {
            "name": {"type": "string", "description": "As list_tools gives it"},
            "arguments": {"type": "object", "description": "By the names of its parameters"},
        },
        "name",
        **_CHANGES,
    ),
    _tool(
        "list_routines",
        "List routines",
        "Lists what the home will do by itself, with the next time of each. Make a new one with ask.",
        {},
        **_READS,
    ),
    _tool(
        "set_routine",
        "Switch a routine on or off",
        "Switches a routine on or off.",
        {
            "id": _NUMBER,
            "enabled": {"type": "boolean", "description": "false pauses it"},
        },
        "id",
        "enabled",
        **_CHANGES,
    ),
    _tool(
        "delete_routine",
        "Delete a routine",
        "Deletes a routine for good.",
        {"id": _NUMBER},
        "id",
        readOnlyHint=False,
        destructiveHint=True,
    ),
)
