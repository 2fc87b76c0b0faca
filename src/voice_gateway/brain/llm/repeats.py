"""The same call again in one turn: a tool with side effects runs once, and its outcome is told again."""

import json
import re
from collections.abc import Callable
from typing import Any

from voice_gateway.turn import ToolCall, ToolOutcome

NOTE = "(Not run again: the same call was already made in this turn.) "


class Repeats:
    """Remembers the calls of one turn that change something, by what they ask for."""

    def __init__(self, key_of_tool: Callable[[str], str | None]) -> None:
        """`key_of_tool` gives one name for a tool with side effects, and None for all others."""
        self._key_of_tool = key_of_tool
        self._first: dict[str, str] = {}
        self._outcomes: dict[str, ToolOutcome] = {}

    def first_call(self, call: ToolCall) -> str | None:
        """The id of the earlier call that this one repeats; None (and remembered) when it is the first."""
        tool = self._key_of_tool(call.name)
        if tool is None:
            return None
        key = json.dumps([tool, _alike(call.args)], sort_keys=True, default=str)
        earlier = self._first.setdefault(key, call.id)
        return earlier if earlier != call.id else None

    def remember(self, outcomes: list[ToolOutcome]) -> None:
        self._outcomes |= {outcome.call_id: outcome for outcome in outcomes}

    def outcome(self, call_id: str) -> ToolOutcome | None:
        return self._outcomes.get(call_id)


def _alike(value: Any) -> Any:
    """Small models spell one argument in many ways: `device_name` and "50", `deviceName` and 50."""
    if isinstance(value, dict):
        return {re.sub(r"[_\W]", "", str(key)).casefold(): _alike(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_alike(item) for item in value]
    if isinstance(value, str):
        return _number(value.strip()) or " ".join(value.casefold().split())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(str(value))
    return value


def _number(text: str) -> str | None:
    try:
        return repr(float(text))
    except (ValueError, OverflowError):
        return None
