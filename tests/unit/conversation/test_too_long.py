"""One limit for every text that a door takes in, before anything looks at it."""

from dataclasses import dataclass
from typing import Any

import pytest

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import NAME_TOO_LONG, TOO_LONG, Conversation
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.events import Answered, Event, EventBus, Heard
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.turn import LONGEST_NAME, LONGEST_TEXT, Reply, Utterance
from voice_gateway.turns.stage import Turn


@dataclass
class Echo:
    name: str = "local"

    async def answer(self, turn: Turn) -> Reply:
        return Reply(f"{len(turn.utterance.text)} characters")


@pytest.mark.parametrize("channel", ["cli", "mqtt", "voice", "wyoming"])
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ({"text": "a" * LONGEST_TEXT}, f"{LONGEST_TEXT} characters"),
        ({"text": "a" * (LONGEST_TEXT + 1)}, TOO_LONG),
        ({"text": "* a" * 1_000_000}, TOO_LONG),
        ({"text": "hello", "conversation_id": "c" * (LONGEST_NAME + 1)}, NAME_TOO_LONG),
        ({"text": "hello", "room": "r" * 1_000_000}, NAME_TOO_LONG),
        ({"text": "hello", "satellite": "s" * (LONGEST_NAME + 1)}, NAME_TOO_LONG),
    ],
)
async def test_what_is_too_long_is_refused_in_words_and_not_passed_on(
    channel: str, said: dict[str, Any], answered: str
) -> None:
    watch, events, store = EventBus(), list[Event](), MemoryStore()
    watch.subscribe(events.append)
    conversation = Conversation(
        [Echo()],
        ToolExecutor(ToolManager()),
        BrainSettings(),
        PermissionSettings(),
        store=store,
        events=watch,
    )

    reply = await conversation.answer(Utterance(**{"channel": channel, "conversation_id": "c", **said}))

    assert reply.text == answered
    assert reply.ok is (answered not in (TOO_LONG, NAME_TOO_LONG))
    assert reply.conversation_id == said.get("conversation_id", "c"), "who asked knows it again"
    told = [event.utterance for event in events if isinstance(event, Heard | Answered)]
    assert len(told) == 2
    for one in told:
        assert len(one.text) <= LONGEST_TEXT
        assert len(one.conversation_id + (one.room or "") + (one.satellite or "")) <= 2 * LONGEST_NAME
    if not reply.ok:
        assert store.size == 0
