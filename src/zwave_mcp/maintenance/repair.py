"""Whether a device answers."""

import asyncio

from home_words.phrases import capital
from zwave_mcp import wording
from zwave_mcp.home import Home, NoAnswer, Refused
from zwave_mcp.results import Facts, Result, result
from zwave_mcp.view import Viewer, resolve_single


class Repair:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def ping(self, asked: str) -> Result:
        device = resolve_single(await self._viewer.now(), asked, {})
        if isinstance(device, Result):
            return device
        if device.node.asleep:
            called, is_ = capital(wording.the(device)), wording.verb(device, "is")
            sentence = f"{called} {is_} asleep, and answers only after waking up."
            return result(sentence, "queued", Facts(device=device))
        started = asyncio.get_running_loop().time()
        try:
            answers = await self._home.ping(device.node.id)
        except (NoAnswer, Refused):
            answers = False
        if not answers:
            return result(wording.unreachable(device), "unreachable", Facts(device=device))
        seconds = round(asyncio.get_running_loop().time() - started, 2)
        sentence = f"{capital(wording.the(device))} answered after {_spoken(seconds)}."
        return result(sentence, "confirmed", Facts(device=device, more={"seconds": seconds}))


def _spoken(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:g} seconds"
