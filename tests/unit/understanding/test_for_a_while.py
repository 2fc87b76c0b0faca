"""What is done for a while: its end is kept first, and stands unless nothing can happen any more."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.home_talk import HomeTalk

from voice_gateway.config import RoutinesSettings
from voice_gateway.errors import ToolError
from voice_gateway.routines.book import JudgedCalls, RoutineBook
from voice_gateway.routines.model import Later, later_of
from voice_gateway.routines.schedule import Place
from voice_gateway.routines.store import kept_in
from voice_gateway.routines.tools import routine_tools

HOME = """
[[device]]
name = "Floor Lamp"
kind = "dimmer"
room = "Living Room"
[[device]]
name = "Desk Lamp"
kind = "switch"
room = "Office"
"""


class Reader:
    """Reads what the understanding wrote; this house has nothing that opens."""

    def when(self, text: str) -> Later:
        return later_of(text)

    def order(self, _text: str) -> str:
        return "no words here"

    def judged(self, calls: Any) -> JudgedCalls:
        return JudgedCalls(" and ".join(f"{call['args']}" for call in calls))


class Talk(HomeTalk):
    def __init__(self, folder: Path) -> None:
        self.store = kept_in(None, folder)[0]
        book = RoutineBook(
            self.store,
            Reader(),
            Place(UTC),
            RoutinesSettings(),
            now=lambda: datetime.fromtimestamp(self.time, UTC),
        )
        super().__init__(HOME, more=routine_tools(book, lambda: True))
        self.brain._place = book.place
        self.kept_at_act: list[int] = []
        control: Any = self.executor.tools.find("control_zwave_device")
        self.trouble = ""
        self._control, control.coroutine = control.coroutine, self._watched

    async def _watched(self, **args: Any) -> Any:
        self.kept_at_act.append(len(self.store.all()))
        if self.trouble:
            raise ToolError("It did not answer in time.", structured={"outcome": self.trouble})
        return await self._control(**args)

    def ends(self) -> list[dict[str, Any]]:
        return [dict(call["args"]) for routine in self.store.all() for call in routine.calls]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


OFF = {"deviceName": "Floor Lamp", "action": "off"}


async def test_the_end_is_kept_before_the_act(talk: Talk) -> None:
    reply = await talk.hears("turn on the floor lamp for one minute")

    assert reply.ok
    assert talk.kept_at_act == [1]
    assert talk.ends() == [OFF]


@pytest.mark.parametrize(
    ("outcome", "ends"), [("unconfirmed", [OFF]), ("unreachable", [OFF]), ("failed", []), ("not_found", [])]
)
async def test_a_device_that_may_still_do_it_is_put_back(
    talk: Talk, outcome: str, ends: list[dict[str, Any]]
) -> None:
    talk.trouble = outcome

    reply = await talk.hears("turn on the floor lamp for one minute")

    assert not reply.ok
    assert talk.ends() == ends


async def test_what_was_so_before_needs_no_end(talk: Talk) -> None:
    await talk.hears("turn on the desk lamp", "turn on the desk lamp for one minute")

    assert talk.ends() == []


async def test_the_end_is_what_the_device_says_it_was(talk: Talk) -> None:
    await talk.hears("dim the floor lamp to 40 percent", "dim the floor lamp to 80 percent for one minute")

    [end] = talk.ends()
    assert (end["action"], end["level"]) == ("dim", 40)
    assert all(not routine.say for routine in talk.store.all())


async def test_undo_leaves_no_end_behind(talk: Talk) -> None:
    await talk.hears("dim the floor lamp to 40 percent", "dim the floor lamp to 80 percent for one minute")
    reply = await talk.hears("undo")

    assert reply.ok
    assert talk.ends() == []
