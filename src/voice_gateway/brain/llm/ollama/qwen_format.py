"""Tools as Ollama and Qwen expect them. Only the Ollama client converts (FMT-5)."""

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.brain.llm.ollama.flat_schema import flat_object
from voice_gateway.tools.traits import lc_name, qualified_name, schema_of

log = logging.getLogger(__name__)


def to_qwen_tools(tools: Sequence[BaseTool] | None) -> list[dict[str, Any]]:
    """Definitions for the request; the tools stay as they are, and they are what runs (FMT-2, FMT-8)."""
    tools = list(tools or ())
    uses = Counter(lc_name(tool) for tool in tools)
    converted = [
        to_qwen_tool(tool, qualified_name(tool) if uses[lc_name(tool)] > 1 else lc_name(tool))
        for tool in tools
    ]
    log.debug("🔧 Converted %d tools from LangChain to Qwen format", len(converted))
    return converted


def to_qwen_tool(tool: BaseTool, name: str | None = None) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name or lc_name(tool),
            "description": tool.description,
            # Flat, because Ollama's client lets nothing else through: `Optional[int]` would arrive as `{}`.
            "parameters": flat_object(schema_of(tool)),
        },
    }
