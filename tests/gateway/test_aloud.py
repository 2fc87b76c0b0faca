"""What is said aloud about the gateway itself, by whom it is heard, and that it does not nag."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta

import pytest

from voice_gateway.app import opened
from voice_gateway.channels.voice.aloud import AGAIN_SECONDS, Aloud
from voice_gateway.config import Settings
from voice_gateway.events import Notice, State
from voice_gateway.tools.builtin.timers import TimerStore
from voice_gateway.turn import Speech


class Mouth:
    """Keeps what it says."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[str] = asyncio.Queue()

    async def synthesize(self, text: str) -> Speech | None:
        self.said.put_nowait(text)
        return None

    async def play(self, speech: Speech) -> None:
        raise AssertionError("there was nothing to play")

    async def next(self) -> str:
        return await asyncio.wait_for(self.said.get(), 30)


class House:
    def __init__(self, gateway) -> None:
        self.watch = gateway.events
        self.mouth = Mouth()
        self.now = 0.0
        self.aloud = Aloud(
            gateway.events,
            self.mouth,
            ready=gateway.linked,
            missing=gateway.what_is_missing,
            monotonic=lambda: self.now,
        )

    @classmethod
    @contextlib.asynccontextmanager
    async def at_start(cls, *gone: str, long_tasks: bool = False):
        async with opened(Settings()) as gateway:
            house = cls(gateway)
            if long_tasks:
                gateway.start_long_tasks()
            for part in gone:
                house.fails(part)
            talking = asyncio.create_task(house.aloud.run())
            yield house
            talking.cancel()

    def fails(self, part: str) -> None:
        self.watch.report(part, State.DEGRADED, f"The {part} is gone.", "look at it")

    def returns(self, part: str) -> None:
        self.watch.report(part, State.OK, f"The {part} is back.")


pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.mark.slow
async def test_what_is_still_starting_is_said_and_that_it_came_up():
    async with House.at_start() as house:
        house.watch.report("broker", State.STARTING, "The broker has not answered yet.")
        assert await house.mouth.next() == "I am ready. The broker has not answered yet."
        house.returns("broker")
        assert await house.mouth.next() == "The broker is back."


async def test_ready_is_said_with_what_is_missing_and_its_return_later():
    async with House.at_start("broker") as house:
        assert await house.mouth.next() == "I am ready. The broker is gone."
        house.returns("broker")
        assert await house.mouth.next() == "The broker is back."


async def test_a_timer_that_ran_out_meanwhile_is_told_aloud(tmp_path):
    store, now = TimerStore(tmp_path / "voice-gateway" / "timers.sqlite3"), datetime.now(UTC)
    store.add(due=now - timedelta(hours=1), now=now - timedelta(hours=2), name="tea")
    async with House.at_start(long_tasks=True) as house:
        assert await house.mouth.next() == "I am ready."
        assert await house.mouth.next() == "While I was off, this ran out: tea timer."


async def test_a_timer_that_rings_by_itself_is_not_told_a_second_time():
    async with House.at_start() as house:
        await house.mouth.next()
        house.watch.publish(Notice("The tea timer is done."))
        house.watch.publish(Notice("While I was off, this ran out: eggs timer.", aloud=True))
        assert await house.mouth.next() == "While I was off, this ran out: eggs timer."


async def test_a_failure_and_a_return_are_said_without_the_advice():
    async with House.at_start() as house:
        assert await house.mouth.next() == "I am ready."
        house.fails("broker")
        house.returns("broker")
        house.returns("search")  # it never failed: no news
        house.fails("model")
        assert [await house.mouth.next() for _ in range(3)] == [
            "The broker is gone.",
            "The broker is back.",
            "The model is gone.",
        ]


async def test_a_part_that_comes_and_goes_does_not_nag():
    async with House.at_start() as house:
        await house.mouth.next()
        house.fails("broker")
        assert await house.mouth.next() == "The broker is gone."
        house.now = AGAIN_SECONDS - 1
        house.returns("broker")
        assert await house.mouth.next() == "The broker is back."
        for _ in range(3):
            house.fails("broker")
            house.returns("broker")
        house.now = AGAIN_SECONDS + 1
        house.fails("broker")
        house.fails("model")
        said = [await house.mouth.next() for _ in range(2)]

    assert said == ["The broker is gone.", "The model is gone."]


async def test_a_voice_that_is_gone_is_not_told_by_voice():
    async with House.at_start("speaker") as house:
        await house.mouth.next()
        house.returns("speaker")
        house.fails("speech")
        house.fails("model")
        assert await house.mouth.next() == "The model is gone."
