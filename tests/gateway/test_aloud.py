"""What is said aloud about the gateway itself, by whom it is heard, and that it does not nag."""

import asyncio
import contextlib

from voice_gateway.channels.voice.channel import AGAIN_SECONDS, Aloud
from voice_gateway.events import EventBus, Notice, State


class House:
    """Speaks into a queue."""

    def __init__(self, *missing: str) -> None:
        self.said: asyncio.Queue[str] = asyncio.Queue()
        self.events = EventBus()
        self.now = 0.0
        self.aloud = Aloud(
            self.events,
            self.said.put,
            ready=lambda: asyncio.sleep(0),
            missing=lambda: [f"The {part} is gone." for part in missing],
            monotonic=lambda: self.now,
        )

    async def hears(self, count: int = 1) -> list[str]:
        return [await asyncio.wait_for(self.said.get(), 30) for _ in range(count)]

    def fails(self, *parts: str) -> None:
        for part in parts:
            self.events.report(part, State.DEGRADED, f"The {part} is gone.", "look at it")

    def returns(self, *parts: str) -> None:
        for part in parts:
            self.events.report(part, State.OK, f"The {part} is back.")


@contextlib.asynccontextmanager
async def ready(*gone: str):
    house = House(*gone)
    house.fails(*gone)
    talking = asyncio.create_task(house.aloud.run())
    assert await house.hears() == [" ".join(["I am ready.", *(f"The {part} is gone." for part in gone)])]
    yield house
    talking.cancel()


async def test_the_return_of_a_part_that_was_missing_at_the_start_is_said():
    async with ready("broker") as house:
        house.returns("broker")
        assert await house.hears() == ["The broker is back."]


async def test_only_notices_that_are_meant_for_it_are_said():
    async with ready() as house:
        house.events.publish(Notice("The tea timer is done."))
        house.events.publish(Notice("While I was off, this ran out: eggs timer.", aloud=True))
        assert await house.hears() == ["While I was off, this ran out: eggs timer."]


async def test_a_failure_and_a_return_are_said_without_the_advice():
    async with ready() as house:
        house.fails("broker")
        house.returns("broker", "search")  # search never failed: no news
        house.fails("model")
        assert await house.hears(3) == ["The broker is gone.", "The broker is back.", "The model is gone."]


async def test_a_part_that_comes_and_goes_does_not_nag():
    async with ready() as house:
        house.fails("broker")
        assert await house.hears() == ["The broker is gone."]
        house.now = AGAIN_SECONDS - 1
        house.returns("broker")
        assert await house.hears() == ["The broker is back."]
        for _ in range(3):
            house.fails("broker")
            house.returns("broker")
        house.now = AGAIN_SECONDS + 1
        house.fails("broker", "model")
        assert await house.hears(2) == ["The broker is gone.", "The model is gone."]


async def test_a_voice_that_is_gone_is_not_told_by_voice():
    async with ready("speaker") as house:
        house.returns("speaker")
        house.fails("speech", "model")
        assert await house.hears() == ["The model is gone."]
