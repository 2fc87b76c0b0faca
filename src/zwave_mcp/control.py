"""The tools that act: each answers with what the device really did."""

import logging
from typing import Any

from zwave_mcp import sentences
from zwave_mcp.commands import NotPossible, Wish, command, lock_command, stop_command, supports, wish
from zwave_mcp.confirm import Command, Verdict, carry_out
from zwave_mcp.devices import Device
from zwave_mcp.home import Home, HomeError, NoAnswer, Refused
from zwave_mcp.jams import without_jam
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import JAMMED, UNKNOWN, state_of, state_text
from zwave_mcp.view import Viewer, resolve_device

log = logging.getLogger(__name__)


class Control:
    def __init__(self, home: Home, viewer: Viewer, *, allow_unlock: bool = False) -> None:
        self._home = home
        self._viewer = viewer
        self._allow_unlock = allow_unlock

    async def device(self, asked: str, action: str, level: int | None = None) -> Result:
        requested: dict[str, Any] = (
            {"action": action} if level is None else {"action": action, "level": level}
        )
        view = await self._viewer.now()
        device = resolve_device(view, asked, requested, lambda hit: supports(hit, action))
        if isinstance(device, Result):
            return device
        try:
            chosen = wish(device, action, level, await self._present(device, action))
            sent = stop_command(device) if chosen.action == "stop" else command(device, chosen)
            return await self._carry_out(sent, chosen)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, Facts(requested, device, state_text(device)))
        except HomeError as error:
            return down(error, requested, device)

    async def lock(self, asked: str, action: str) -> Result:
        requested = {"action": action}
        view = await self._viewer.now()
        device = resolve_device(view, asked, dict(requested), lambda hit: hit.kind == "lock")
        if isinstance(device, Result):
            return device
        facts = Facts(requested, device, state_text(device))
        if device.kind != "lock":
            return result(sentences.capital(f"{sentences.the(device)} is not a lock."), "unsupported", facts)
        if action == "unlock" and not self._allow_unlock:
            sentence = "Unlocking is switched off in the settings of the Z-Wave server."
            return result(sentence, "unsupported", facts)
        try:
            return await self._carry_out(lock_command(device, action), Wish(action, None, dict(requested)))
        except NotPossible as reason:
            return result(str(reason), reason.outcome, facts)
        except HomeError as error:
            return down(error, dict(requested), device)

    async def _present(self, device: Device, action: str) -> Any:
        """The state that toggle turns over: the remembered one, or what the device says."""
        state = device.state_value
        if action != "toggle" or state is None or state.value is not None:
            return state.value if state else None
        try:
            return await self._home.poll(state.id)
        except (NoAnswer, Refused):
            return None

    async def _carry_out(self, sent: Command, chosen: Wish) -> Result:
        verdict = await carry_out(self._home, sent)
        device = sent.device
        log.info(
            "command judged",
            extra={"device": device.name, "action": chosen.action, "outcome": verdict.outcome},
        )
        if device.kind == "lock" and verdict.outcome == "confirmed":
            self._viewer.bolt_moved(device)
            device = without_jam(device)
        state = _state(device, chosen, verdict)
        return result(
            _sentence(device, chosen, verdict, state), verdict.outcome, _facts(device, chosen, state)
        )


def _state(device: Device, chosen: Wish, verdict: Verdict) -> str:
    """Without a value a confirmed "on" is on, and what is on its way is that; all else is not known."""
    if verdict.jammed:
        return JAMMED
    if verdict.known:
        return state_of(device, verdict.value)
    if verdict.outcome == "confirmed" and chosen.action in ("on", "off"):
        return chosen.action
    return sentences.doing_state(chosen.action) if verdict.outcome == "working" else UNKNOWN


def _facts(device: Device, chosen: Wish, state: str) -> Facts:
    return Facts(chosen.requested, device, state)


def _sentence(device: Device, chosen: Wish, verdict: Verdict, state: str) -> str:
    if verdict.outcome == "confirmed":
        return sentences.done(device, chosen.action, state)
    if verdict.outcome == "working":
        return sentences.doing(device, chosen.action, chosen.percent)
    if verdict.jammed:
        return sentences.jammed(device, chosen.action)
    if verdict.outcome == "unconfirmed":
        return sentences.not_confirmed(device, verdict.message)
    simple = {
        "queued": sentences.queued,
        "unreachable": sentences.unreachable,
    }.get(verdict.outcome)
    return simple(device) if simple else sentences.failed(device, chosen.action, state, verdict.message)


def down(error: HomeError, requested: dict[str, Any], device: Device | None = None) -> Result:
    """What every tool answers when the home cannot be asked."""
    outcome: Outcome = "unconfirmed" if isinstance(error, NoAnswer) else "system_down"
    sentence = str(error)
    if getattr(error, "sent", False):
        sentence = f"{sentence.rstrip('.')}; the command is not confirmed, it may still happen."
    return result(sentence, outcome, Facts(requested, device, UNKNOWN if device else None))
