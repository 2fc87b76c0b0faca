"""The tool `broadcast`: says something to everybody in the house."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.errors import BadArguments, ToolUnavailable
from voice_gateway.tools.gateway_tool import declared_tool, running_loop
from voice_gateway.turn import ToolTraits

MAX_MESSAGE = 300  # characters
NOBODY_HEARS = "Nobody else can hear me here: start a gateway with voice-gateway run."

DESCRIPTION = (
    "REQUIRED to tell everybody in the house something: you MUST call this whenever the user asks about an "
    'announcement. DO NOT use for reminders.\nGood: "tell everyone dinner is ready". Bad: "tell me a joke".'
)
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": 'For example "Dinner is ready"'}},
    "required": ["message"],
}


def broadcast_tool(announce: Callable[[str], Awaitable[bool]]) -> BaseTool:
    """`announce` says it at every door; False when there is none but the one that asked."""

    async def broadcast(message: str) -> tuple[str, dict[str, Any]]:
        words = " ".join(message.split())
        if not words or len(words) > MAX_MESSAGE:
            raise BadArguments(f"message must have 1 to {MAX_MESSAGE} characters.")
        sentence = f"{words[:1].upper()}{words[1:]}"
        sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
        if not await announce(sentence):
            raise ToolUnavailable(NOBODY_HEARS)
        facts = {"message": sentence, "before": [], "undo": "What was said aloud cannot be taken back."}
        return "I told everyone.", {"structured": facts}

    return declared_tool(
        "broadcast",
        DESCRIPTION,
        PARAMETERS,
        broadcast,
        ToolTraits(title="Announcement", summary="Says something to everybody in the house."),
        loop=running_loop(),  # the doors belong to it
    )
