"""The tool `broadcast`: says something to everybody in the house."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.gateway_tool import declared_tool, parameters, running_loop, short_text
from voice_gateway.turn import ToolTraits

NONE_HEARS = "There's no speaker or open console to tell."

DESCRIPTION = (
    "REQUIRED to tell everybody in the house something: you MUST call this whenever the user asks about an "
    'announcement. DO NOT use for reminders.\nGood: "tell everyone dinner is ready". Bad: "tell me a joke".'
)
PARAMETERS = parameters("message", message=short_text('For example "Dinner is ready"', 300, pattern=r"\S"))


@dataclass(frozen=True, slots=True)
class Heard:
    """Where it was spoken or shown."""

    speakers: int = 0
    consoles: int = 0


def broadcast_tool(announce: Callable[[str], Awaitable[Heard]]) -> BaseTool:
    """`announce` says it in every channel."""

    async def broadcast(message: str) -> tuple[str, dict[str, Any]]:
        words = " ".join(message.split())
        sentence = f"{words[:1].upper()}{words[1:]}"
        sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
        heard = await announce(sentence)
        if heard == Heard():
            raise ToolUnavailable(NONE_HEARS)
        facts: dict[str, Any] = {
            "message": sentence,
            "before": [],
            "undo": "What was said aloud cannot be taken back.",
        }
        facts |= {"speakers": heard.speakers, "consoles": heard.consoles}
        spoken = f"said it on {_counted(heard.speakers, 'speaker')}" if heard.speakers else ""
        shown = f"showed it on {_counted(heard.consoles, 'console')}" if heard.consoles else ""
        return f"I {' and '.join(filter(None, (spoken, shown)))}.", {"structured": facts}

    return declared_tool(
        "broadcast",
        DESCRIPTION,
        PARAMETERS,
        broadcast,
        ToolTraits(title="Announcement", summary="Says something to everybody in the house."),
        loop=running_loop(),  # the channels belong to it
    )


def _counted(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count} {noun}s"
