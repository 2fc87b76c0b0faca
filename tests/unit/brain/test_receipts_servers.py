"""Tools of other servers: no outcome word, other names for arguments, answers that are no sentence."""

from typing import Any

import pytest

from voice_gateway.brain.receipts import Receipts
from voice_gateway.turn import ToolOutcome

DONE = '{"response_type": "action_done", "data": {"success": [{"name": "Kitchen Light"}], "failed": []}}'
TOOLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "assist": ("HassTurnOn", {"name": "Kitchen Light"}, DONE),
    "service": (
        "call_service",
        {"domain": "light", "service": "turn_off", "target": {"entity_id": "light.bedroom_lamp"}},
        "[]",
    ),
    "music": ("spotify_play", {"query": "jazz"}, "Playing"),
    "mail": ("send_email", {"to": "ann@example.com", "subject": "Hi"}, "sent"),
    "vacuum": ("vacuum_start", {}, "done"),
    "calendar": ("create_event", {"title": "Dentist", "start": "2026-11-16T09:00:00"}, "created"),
    "weather": ("get_forecast", {"city": "Rome"}, '{"temp": 18, "rain": 0.2}'),
}


def outcome(name: str) -> ToolOutcome:
    tool, args, text = TOOLS[name]
    return ToolOutcome("1", tool, text, True, 0.1, args=args, read_only=name == "weather")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assist", "I've turned on the kitchen light."),
        ("assist", "The kitchen light is now on."),
        ("service", "The bedroom lamp is off."),
        ("service", "Done."),
        ("music", "Playing some jazz for you."),
        ("music", "I'm now playing jazz music."),
        ("mail", "I've sent the email to Ann."),
        ("mail", "Your email has been sent."),
        ("vacuum", "The vacuum has started."),
        ("vacuum", "I've started the vacuum cleaner."),
        ("calendar", "I've added the dentist to your calendar for 9 am."),
        ("calendar", "Your appointment is scheduled for tomorrow at 9."),
        ("weather", "It will be 18 degrees in Rome."),
    ],
)
def test_what_was_done_may_be_told(name: str, text: str) -> None:
    assert Receipts().why_not(text, [outcome(name)]) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assist", "I've turned off the kitchen light."),
        ("assist", "The bedroom light is on."),
        ("service", "I've turned on the bedroom lamp."),
        ("music", "I've turned off the lights."),
        ("mail", "I've ordered a pizza."),
        ("vacuum", "I stopped the vacuum."),
        ("calendar", "I've scheduled it for 10 am."),
        ("weather", "It is 25 degrees in Rome."),
        ("weather", "I've turned on the heating."),
    ],
)
def test_something_else_may_not(name: str, text: str) -> None:
    assert Receipts().why_not(text, [outcome(name)]) is not None
