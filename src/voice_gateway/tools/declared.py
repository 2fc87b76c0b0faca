"""A tool declared with a schema of its own, whose function gives a sentence and facts."""

from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from voice_gateway.turn import ToolTraits


def declared_tool(
    name: str, description: str, schema: dict[str, Any], coroutine: Callable[..., Any], traits: ToolTraits
) -> BaseTool:
    return StructuredTool(
        name=name,
        description=description,
        args_schema=schema,
        coroutine=coroutine,
        response_format="content_and_artifact",
        metadata={"traits": traits},
    )
