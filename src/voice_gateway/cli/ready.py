"""When the gateway is ready, what is said then, and what is news afterwards."""

import asyncio
import contextlib

from voice_gateway.app import Gateway
from voice_gateway.mcp_link.integration import ServerStatus
from voice_gateway.parts import listed, what_is_left
from voice_gateway.watch import Event, PartState, State, Watch

DECIDED_SECONDS = 3.0  # how long "ready" waits for a broker or a model server that says nothing at all


async def decided(watch: Watch, limit_seconds: float = DECIDED_SECONDS) -> None:
    """Until no part is starting any more, so that what is missing can be said; but not for ever."""
    news = asyncio.Event()
    watch.subscribe(lambda _event: news.set())
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(limit_seconds):
            while any(part.state is State.STARTING for part in watch.parts()):
                news.clear()
                await news.wait()
    watch.tell_late()


def ready_line(gateway: Gateway) -> str:
    """For the terminal: what works, and in a sentence each what does not."""
    up = [_named(status) for status in gateway.link.status() if status.state == "connected"]
    line = f"ready: {len(gateway.tools.all())} tools, {gateway.settings.brain.provider} brain"
    if up:
        line += f", connected to {listed(up)}"
    return " ".join([f"{line}.", *what_is_missing(gateway)])


def what_is_missing(gateway: Gateway) -> list[str]:
    """A sentence for each part that is not there; the servers share one, with what is left without them."""
    down = [status.name for status in gateway.link.status() if status.state != "connected"]
    sentences = [
        part.sentence
        for part in gateway.watch.parts()
        if (part.state is State.DEGRADED or part.late) and not part.part.startswith("server ")
    ]
    if down:
        who = f"The {down[0]} server is" if len(down) == 1 else f"The servers {listed(down)} are"
        left = what_is_left([tool.name for tool in gateway.tools.all()])
        sentences.insert(0, f"{who} not answering; {left}.")
    return sentences


def _named(status: ServerStatus) -> str:
    return f"{status.name} (simulated home)" if status.simulated else status.name


class Changes:
    """Which events are news: that a part fails, and that one which failed or was late is there."""

    def __init__(self) -> None:
        self._failed: set[str] = set()

    def news(self, event: Event) -> PartState | None:
        if not isinstance(event, PartState):
            return None
        if event.late:  # the line that says ready names it
            self._failed.add(event.part)
        if event.state is State.DEGRADED:
            self._failed.add(event.part)
            return event
        if event.state is State.OK and event.part in self._failed:
            self._failed.remove(event.part)
            return event
        return None
