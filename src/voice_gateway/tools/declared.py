"""A tool declared with a schema of its own, whose function gives a sentence and facts."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.tools.gateway_tool import GatewayTool
from voice_gateway.turn import ToolTraits


def declared_tool(
    name: str,
    description: str,
    schema: dict[str, Any],
    coroutine: Callable[..., Any],
    traits: ToolTraits,
    *,
    loop: AbstractEventLoop | None = None,
) -> BaseTool:
    """`loop` is where the function has to run, if not anywhere."""
    return GatewayTool(
        name=name,
        description=description,
        args_schema=schema,
        coroutine=coroutine,
        metadata={"traits": traits},
        loop=loop,
    )
