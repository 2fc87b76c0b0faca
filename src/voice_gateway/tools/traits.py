"""What a tool says of itself: its traits, its names and the JSON Schema of its parameters."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ToolError
from voice_gateway.turn import ToolTraits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

UNKNOWN_TRAITS = ToolTraits()


class InvalidTool(ToolError, ValueError):
    """A tool that cannot be registered (DEF-1)."""


def traits(tool: "BaseTool") -> ToolTraits:
    kept = (getattr(tool, "metadata", None) or {}).get("traits")
    return kept if isinstance(kept, ToolTraits) else UNKNOWN_TRAITS


def with_traits(tool: "BaseTool", traits: ToolTraits) -> "BaseTool":
    """Write the traits on the tool itself, and return it."""
    tool.metadata = {**(tool.metadata or {}), "traits": traits}
    return tool


def of_server(tool: "BaseTool", server: str) -> "BaseTool":
    """Make sure that a tool handed over by a server says so."""
    known = traits(tool)
    if known.source == server and known.original_name:
        return tool
    return with_traits(
        tool,
        replace(known, source=server, original_name=known.original_name or lc_name(tool), trusted=False),
    )


def lc_name(tool: "BaseTool") -> str:
    """The second name an adapter may have put on a tool; without one, its name."""
    second = getattr(tool, "lc_name", None)
    if not isinstance(second, str):  # on LangChain's own classes `lc_name` is a method that names the class
        second = (getattr(tool, "metadata", None) or {}).get("lc_name")
    return second if isinstance(second, str) and second else tool.name


def qualified_name(tool: "BaseTool") -> str:
    known = traits(tool)
    if known.source == "builtin":
        return tool.name
    return f"{known.source}__{known.original_name or lc_name(tool)}"


def sendable_name(name: str) -> str:
    """A name that every provider accepts; one tool with another name would spoil the whole request."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "_"


def schema_of(tool: "BaseTool") -> dict[str, Any]:
    """The JSON Schema of the parameters: a server's own as it is, a typed tool's without injected ones."""
    own = getattr(tool, "args_schema", None)
    if isinstance(own, dict):
        return own
    from langchain_core.tools import Tool
    from langchain_core.utils.pydantic import model_json_schema

    if own is None and isinstance(tool, Tool):  # it takes one text, under the name that LangChain gives it
        return {"type": "object", "properties": {"__arg1": {"type": "string"}}, "required": ["__arg1"]}
    made = tool.tool_call_schema
    full = made if isinstance(made, dict) else model_json_schema(made)
    # LangChain repeats the tool's own name and description there.
    return {key: value for key, value in full.items() if key not in ("title", "description")}


def estimate_tokens(text: str) -> int:
    """A cautious guess without a tokenizer: English runs at four or more bytes a token, this counts three."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


def check_definition(tool: Any) -> None:
    """Raise InvalidTool unless it has a name, a description and a schema for its parameters (DEF-1)."""
    name = getattr(tool, "name", None)
    if not isinstance(name, str) or not name.strip():
        raise InvalidTool(f"A tool needs a name: {type(tool).__name__} has none.")
    if not callable(getattr(tool, "ainvoke", None)):
        raise InvalidTool(f'"{name}" is not a LangChain tool: it has no ainvoke.')
    description = getattr(tool, "description", None)
    if not isinstance(description, str) or not description.strip():
        raise InvalidTool(f'The tool "{name}" needs a description.')
    try:
        schema = schema_of(tool)
    except Exception as error:  # a schema is made by foreign code
        raise InvalidTool(f'The tool "{name}" has no JSON Schema for its parameters: {error}') from error
    kind = schema.get("type", "object") if isinstance(schema, Mapping) else None
    if kind != "object":
        raise InvalidTool(f'The parameters of the tool "{name}" need a JSON Schema of type "object".')
