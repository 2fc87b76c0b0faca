"""Whether a device answers, and what helps when it does not: an interview, other routes."""

import asyncio
from typing import Final

from home_words.phrases import capital
from zwave_mcp import wording
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, NoAnswer, Refused
from zwave_mcp.maintenance.network import CannotDo
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.view import Viewer, resolve_single

INTERVIEW: Final = "interview"
ROUTES: Final = "routes"


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

    async def repair(self, action: str, asked: str = "") -> Result:
        requested: dict[str, object] = {"action": action}
        if not asked:
            if action == INTERVIEW:
                return result("Say which device is to be interviewed again.", "invalid", Facts(requested))
            return await self._all_routes(requested)
        device = resolve_single(await self._viewer.now(), asked, requested)
        if isinstance(device, Result):
            return device
        if device.node.dead:
            return result(wording.unreachable(device), "unreachable", Facts(requested, device))
        try:
            sentence, outcome = await (
                self._interview(device) if action == INTERVIEW else self._routes(device)
            )
        except CannotDo as no:
            sentence, outcome = str(no), "unsupported"
        except Refused as no:
            sentence, outcome = f"Nothing was done with {wording.the(device)}: {no}", "failed"
        return result(sentence, outcome, Facts(requested, device))

    async def _interview(self, device: Device) -> tuple[str, Outcome]:
        the = wording.the(device)
        try:
            await self._home.network.interview(device.node.id)
        except NoAnswer:
            if device.node.asleep:
                asleep = f"{capital(the)} {wording.verb(device, 'is')} asleep"
                return f"{asleep}; the interview begins after waking up.", "queued"
            return f"It is not confirmed that the interview of {the} has begun.", "unconfirmed"
        return f"The interview of {the} has begun; it may take some minutes.", "working"

    async def _routes(self, device: Device) -> tuple[str, Outcome]:
        the = wording.the(device)
        try:
            done = await self._home.network.rebuild_routes(device.node.id)
        except NoAnswer:
            return f"The routes of {the} are being rebuilt; that it is done was not told yet.", "unconfirmed"
        return (f"The routes of {the} are rebuilt.", "confirmed") if done else (
            f"The routes of {the} could not be rebuilt.", "failed",
        )  # fmt: skip

    async def _all_routes(self, requested: dict[str, object]) -> Result:
        try:
            begun = await self._home.network.rebuild_routes(None)
        except CannotDo as no:
            return result(str(no), "unsupported", Facts(requested))
        except NoAnswer as error:
            return result(f"It is not confirmed that it has begun: {error}", "unconfirmed", Facts(requested))
        except Refused as no:
            return result(f"The routes are not being rebuilt: {no}", "failed", Facts(requested))
        if not begun:
            return result("The routes are being rebuilt already, or cannot be.", "failed", Facts(requested))
        sentence = "The routes of the whole network are being rebuilt; commands may be slow for some minutes."
        return result(sentence, "working", Facts(requested))


def _spoken(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:g} seconds"
