"""MCP tools as LangChain tools, and MCP results as text; pure functions of what the server sent."""

import logging
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.turn import ToolTraits

log = logging.getLogger(__name__)

NAME_LIMIT = 64  # what model providers accept: letters, digits, _ and -, up to 64

Call = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]  # original name, arguments -> result


# LangChain's own way of calling fills these; a server's parameter of that name would vanish or break a call.
TAKEN_BY_LANGCHAIN = frozenset({"config", "run_manager", "self"})


class FreelyNamedTool(StructuredTool):
    """For a tool with such parameters: as one mapping, its arguments never meet LangChain's signatures."""

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self._parse_input(tool_input, tool_call_id),), {}

    async def _arun(self, arguments: Mapping[str, Any]) -> Any:  # type: ignore[override]
        assert self.coroutine is not None
        return await self.coroutine(**arguments)


def to_langchain_tools(
    definitions: Sequence[Any],
    *,
    server: str,
    call: Call,
    timeout_seconds: float | None = None,
) -> list[BaseTool]:
    """One tool for each usable definition; an unusable one costs only itself."""
    tools: list[BaseTool] = []
    taken: set[str] = set()
    for definition in _usable(definitions, server):
        name = model_name(definition["name"], taken)
        taken.add(name)
        known = replace(_traits(definition, server), timeout_seconds=timeout_seconds)
        tools.append(_tool(definition, name, server, call, known))
    return tools


def _usable(definitions: Sequence[Any], server: str) -> list[Mapping[str, Any]]:
    """Those with a name; of two with the same name the later one, with a warning (MGR-8)."""
    found: dict[str, Mapping[str, Any]] = {}
    for definition in definitions:
        if (
            not isinstance(definition, Mapping)
            or not isinstance(definition.get("name"), str)
            or not definition["name"]
        ):
            log.warning("MCP server offers a tool without a name", extra={"server": server})
            continue
        name = definition["name"]
        if name in found:
            log.warning(
                "MCP server offers two tools of the same name, the later one is used",
                extra={"server": server, "tool": name},
            )
        found[name] = definition
    return list(found.values())


def model_name(original: str, taken: Sequence[str] | set[str] = ()) -> str:
    """A name that model providers accept: the original where it is one, else always the same other one."""
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", original)
    if name != original:
        name = name.strip("_") or "tool"
    if len(name) > NAME_LIMIT or name in taken or name == "tool" != original:
        mark = f"_{zlib.crc32(original.encode('utf-8', 'replace')):08x}"
        name = name[: NAME_LIMIT - len(mark)] + mark
    return name


def _tool(definition: Mapping[str, Any], name: str, server: str, call: Call, traits: ToolTraits) -> BaseTool:
    original = definition["name"]

    async def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return to_text_and_artifact(await call(original, arguments))

    schema = _schema(definition, server)
    names = schema["properties"] if isinstance(schema["properties"], Mapping) else ()
    kind = StructuredTool if TAKEN_BY_LANGCHAIN.isdisjoint(names) else FreelyNamedTool
    return kind(
        name=name,
        description=_description(definition, server),
        args_schema=schema,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"traits": traits, "lc_name": original},
    )


def _traits(definition: Mapping[str, Any], server: str) -> ToolTraits:
    hints = definition.get("annotations")
    hints = hints if isinstance(hints, Mapping) else {}
    output = definition.get("outputSchema")
    read_only = hints.get("readOnlyHint") is True
    return ToolTraits(
        source=server,
        original_name=definition["name"],
        title=_text(definition.get("title")) or _text(hints.get("title")),
        read_only=read_only,
        destructive=hints.get("destructiveHint") is True and not read_only,
        idempotent=hints.get("idempotentHint") is True,
        output_schema=output if isinstance(output, Mapping) else None,
    )


def _description(definition: Mapping[str, Any], server: str) -> str:
    if described := _text(definition.get("description")):
        return described
    log.warning("MCP tool has no description", extra={"server": server, "tool": definition["name"]})
    return _text(definition.get("title")) or f"{definition['name']} of the server {server}."


def _schema(definition: Mapping[str, Any], server: str) -> dict[str, Any]:
    schema = definition.get("inputSchema")
    if not isinstance(schema, dict):
        log.warning(
            "MCP tool has no schema for its parameters", extra={"server": server, "tool": definition["name"]}
        )
        schema = {}
    # LangChain looks these two up without asking whether they are there.
    return {"type": "object", "properties": {}} | schema


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


# results


# Words of a server's own `outcome` for what EXE-7 calls unavailable: the device, or the way to it, is down.
UNAVAILABLE = ("system_down", "unreachable")


def to_text_and_artifact(result: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """What the server said and what it sent besides; a result marked as an error is raised."""
    content = result.get("content")
    if type(content) is list and len(content) == 1 and _is_text(content[0]):  # by far the usual case
        text, blobs, understood = content[0]["text"], list[str](), True
    else:
        text, blobs, understood = _read_blocks(content)
    text = _speakable(text)
    structured = result.get("structuredContent")
    if result.get("isError") not in (None, False):  # whatever else it says there, it does not say success
        raise _failure(text or "The tool reported an error without a message.", structured)
    if not understood and structured is None:
        raise ToolError("The server's reply was not understood.")  # nobody knows what became of the call
    return text, {"structured": structured, "blobs": blobs}


def _is_text(block: Any) -> bool:
    return type(block) is dict and block.get("type") == "text" and type(block.get("text")) is str


def _read_blocks(content: Any) -> tuple[str, list[str], bool]:
    """The texts, the names of what is no text, and whether all of it was understood."""
    blocks = content if isinstance(content, list) else []
    known = [block for block in blocks if isinstance(block, Mapping)]
    texts: list[str] = []
    blobs: list[str] = []
    for block in known:
        text, blob = _block(block)
        if text:
            texts.append(text)
        if blob:
            blobs.append(blob)
    return "\n".join(texts), blobs, isinstance(content, list) and len(known) == len(blocks)


def _failure(text: str, structured: Any) -> ToolError:
    outcome = structured.get("outcome") if isinstance(structured, Mapping) else None
    kind = ToolUnavailable if outcome in UNAVAILABLE else ToolError
    return kind(text, structured=structured)


def _block(block: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text of one content block, or the name of what is no text."""
    kind = block.get("type")
    if kind == "text":
        return _raw(block.get("text")), None
    if kind in ("image", "audio"):
        return "", f"{_text(block.get('mimeType')) or kind}, {_size(block.get('data'))}"
    if kind == "resource" and isinstance(resource := block.get("resource"), Mapping):
        if "text" in resource:
            return _raw(resource["text"]), None
        return "", f"{_text(resource.get('mimeType')) or 'file'}, {_size(resource.get('blob'))}"
    if kind == "resource_link":
        return "", f"link to {_text(block.get('uri')) or _text(block.get('name'))}"
    return "", f"content of the unknown type {kind!s:.40}"


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _size(data: Any) -> str:
    if not isinstance(data, str):
        return "0 kB"
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"{size} bytes" if size < 1000 else f"{round(size / 1000)} kB"


def _speakable(text: str) -> str:
    """JSON can carry half a character (`\\ud83d` alone), which no terminal, log or model accepts."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
