"""Any read-only MCP tool can be spoken to: sentences made from its title, name and description."""

from collections.abc import Sequence

from langchain_core.tools import BaseTool

from voice_gateway.brain.intents.understanding import Request


def speakable(text: str, tools: Sequence[BaseTool]) -> Request | None:
    return None
