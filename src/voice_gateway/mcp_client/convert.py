"""MCP tools as LangChain tools, and MCP results as text: pure functions of what the server sent."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.artifacts import read_blocks
from voice_gateway.errors import ToolError, ToolUnavailable
from voice_gateway.mcp_client.connection import NOT_UNDERSTOOD, Requester, mapping
from voice_gateway.tools.gateway_tool import GatewayTool, running_loop
from voice_gateway.turn import Artifact, OutcomeStatus, ToolTraits

log = logging.getLogger(__name__)


def to_langchain_tools(
    definitions: Sequence[Any],
    *,
    server: str,
    call: Requester,
    call_as_task: Requester | None = None,
    timeout_seconds: float | None = None,
    trusted: bool = True,
    cancellation_safe: bool = False,
) -> list[BaseTool]:
    """One tool for each usable definition; an unusable one costs only itself.

    `cancellation_safe`: a call ends at once when what it awaits is cancelled.
    """
    known = ToolTraits(source=server, timeout_seconds=timeout_seconds, trusted=trusted)
    return [
        _tool(definition, known, call_as_task)
        if call_as_task is not None and mapping(definition.get("execution")).get("taskSupport") == "required"
        else _tool(definition, known, call, cancellation_safe=cancellation_safe)
        for definition in _usable(definitions, server)
    ]


def _usable(definitions: Sequence[Any], server: str) -> list[Mapping[str, Any]]:
    """Those with a name; of two with the same name the later, with a warning (MGR-8)."""
    usable: dict[str, Mapping[str, Any]] = {}
    for definition in definitions:
        name = definition.get("name") if isinstance(definition, Mapping) else None
        if not isinstance(name, str) or not name:
            log.warning("MCP server offers a tool without a name", extra={"server": server})
            continue
        if name in usable:
            facts = {"server": server, "tool": name}
            log.warning("MCP server offers two tools of the same name, the later one is used", extra=facts)
        usable[name] = definition
    return list(usable.values())


def _tool(
    definition: Mapping[str, Any], known: ToolTraits, call: Requester, *, cancellation_safe: bool = False
) -> BaseTool:
    """Under the name that its server gave it; the manager makes a name that models accept."""
    name, server = definition["name"], known.source

    async def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return to_text_and_artifact(await call(name, arguments))

    return GatewayTool(
        name=name,
        description=_description(definition, server),
        args_schema=_schema(definition, server),
        coroutine=run,
        loop=running_loop(),
        cancellation_safe=cancellation_safe,
        metadata={"traits": _traits(definition, known)},
    )


def _traits(definition: Mapping[str, Any], known: ToolTraits) -> ToolTraits:
    hints, meta = mapping(definition.get("annotations")), mapping(definition.get("_meta"))
    output = definition.get("outputSchema")
    read_only, hint = hints.get("readOnlyHint") is True, hints.get("destructiveHint")
    return replace(
        known,
        original_name=definition["name"],
        title=_text(definition.get("title")) or _text(hints.get("title")),
        summary=_text(meta.get("summary")),
        called_for=_words(meta.get("words")),
        read_only=read_only,
        destructive=hint and not read_only if isinstance(hint, bool) else None,
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


def _words(value: Any) -> tuple[str, ...]:
    return tuple(word.casefold() for word in map(_text, value) if word) if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


# A server's own `outcome` for what EXE-7 calls unavailable: the device, or the way to it, is down.
UNAVAILABLE = (OutcomeStatus.SYSTEM_DOWN, OutcomeStatus.UNREACHABLE)


def to_text_and_artifact(result: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text, and what was sent besides it; a result marked as an error is raised."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    known = [block for block in blocks if isinstance(block, Mapping)]
    plain = [block.get("text") for block in known if block.get("type") == "text"]
    texts = [text for text in plain if isinstance(text, str)]
    blobs: list[str] = []
    artifacts: list[Artifact] = []
    if len(texts) < len(known):  # it is more than text
        texts, blobs, artifacts = read_blocks(known)
    text = "\n".join(filter(None, texts))
    structured = result.get("structuredContent")
    if result.get("isError") not in (None, False):  # whatever else it says there, it does not say success
        raise _failure(text or "The tool reported an error without a message.", structured)
    understood = isinstance(content, list) and len(known) == len(blocks)
    if not understood and structured is None:
        raise ToolError(NOT_UNDERSTOOD)  # what became of the call is unknown
    besides = {"artifacts": artifacts} if artifacts else {}
    return text, {"structured": structured, "blobs": blobs, **besides}


def _failure(text: str, structured: Any) -> ToolError:
    kind = ToolUnavailable if mapping(structured).get("outcome") in UNAVAILABLE else ToolError
    return kind(text, structured=structured)
