"""Announcements to everybody in the house."""

from typing import Any

import pytest
from tests.fakes.some_tools import said_by

from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.builtin.broadcast import Heard, broadcast_tool


async def broadcast(message: str, heard: Heard = Heard(1)) -> tuple[str, Any]:  # noqa: B008
    async def announce(_text: str) -> Heard:
        return heard

    return await said_by(broadcast_tool(announce), message=message)


@pytest.mark.parametrize(
    ("heard", "text"),
    [
        (Heard(1), "I said it on one speaker."),
        (Heard(2, 1), "I said it on 2 speakers and showed it on one console."),
        (Heard(0, 3), "I showed it on 3 consoles."),
    ],
)
async def test_it_says_how_many_heard_the_sentence(heard: Heard, text: str) -> None:
    said, facts = await broadcast(" dinner is  ready ", heard)

    assert (said, facts["message"]) == (text, "Dinner is ready.")
    assert (facts["speakers"], facts["consoles"]) == (heard.speakers, heard.consoles)


async def test_it_fails_where_none_heard_it() -> None:
    with pytest.raises(ToolUnavailable, match="no speaker or open console"):
        await broadcast("dinner is ready", Heard())
