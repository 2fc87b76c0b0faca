"""Ten thousand turns in one conversation, as the default brain answers them (`make soak`)."""

import logging
from pathlib import Path
from statistics import median

import pytest
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.brain.local.stage import LocalBrain
from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.conversation.store import store_from
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Utterance

TURNS = 10_000
WORDS = ("turn on the floor lamp", "is it on", "turn it off", "what lights are on")


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_the_last_hundred_turns_take_at_most_twice_those_of_a_new_conversation(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)  # what is logged is kept by pytest, and would grow
    settings, executor = BrainSettings(), ToolExecutor(manager_for(ScriptedHome.default()))
    conversation = Conversation(
        [LocalBrain(executor, settings)],
        executor,
        settings,
        PermissionSettings(),
        store=store_from(kind, tmp_path / "conversations.sqlite"),
    )

    async def seconds(turn: int, id: str) -> float:
        reply = await conversation.answer(Utterance(WORDS[turn % len(WORDS)], conversation_id=id))
        assert reply.ok, reply.text
        return reply.seconds

    for turn in range(TURNS - 100):
        await seconds(turn, "kitchen")
    # In turns, so that whatever else the machine does then slows down both.
    pairs = [(await seconds(turn, "hall"), await seconds(turn, "kitchen")) for turn in range(100)]
    first, last = (median(times) for times in zip(*pairs, strict=True))
    print(f"first {first * 1000:.2f} ms, last {last * 1000:.2f} ms")
    assert last <= 2 * first
