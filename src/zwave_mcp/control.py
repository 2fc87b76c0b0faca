"""The tools that act: from an action to a command, and what the device really did with it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from home_words.phrases import capital
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.confirm import Command, CommandOutcome, carry_out
from zwave_mcp.devices import (
    BARRIER,
    BINARY_SWITCH,
    HIGHEST_LEVEL,
    LAST_LEVEL,
    MULTILEVEL_SWITCH,
    WINDOW_COVERING,
    Device,
    to_level,
    without_jam,
)
from zwave_mcp.guarded import answers, opens, taken_back
from zwave_mcp.home import Home, HomeDown, HomeError, NoAnswer, Refused, Value, ValueId, is_number
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import JAMMED, LOCKED, state_of, state_text
from zwave_mcp.undo import Before, before_command
from zwave_mcp.view import View, Viewer, resolve_device

log = logging.getLogger(__name__)

_ACTIONS: Final = {
    "switch": frozenset({"on", "off", "toggle"}),
    "plug": frozenset({"on", "off", "toggle"}),
    "dimmer": frozenset({"on", "off", "dim", "toggle"}),
    "light": frozenset({"on", "off", "dim", "toggle"}),
    "fan": frozenset({"on", "off", "dim", "toggle"}),
    # On is its own tone; others are for play_zwave_sound.
    "chime": frozenset({"on", "off", "stop"}),
    "siren": frozenset({"on", "off", "stop"}),
    # No on and off: whoever may not open a garage door must not get there by another word.
    "blind": frozenset({"open", "close", "stop", "toggle", "dim"}),
    "garage_door": frozenset({"open", "close", "stop", "toggle"}),
}
_NEAR: Final = 2  # levels: motors and dimmers stop close to the wish, and report that
_BARRIER_OPEN: Final = 255
HAPPENED: Final = frozenset({"confirmed", "working", "queued", "unconfirmed"})


class NotPossible(Exception):
    """The command cannot be sent; the text is the sentence for it."""

    def __init__(self, outcome: Outcome, sentence: str) -> None:
        super().__init__(sentence)
        self.outcome: Outcome = outcome


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to happen, with toggle already resolved: what was seen must not change before it is sent."""

    action: str
    percent: int | None = None
    requested: dict[str, Any] = field(default_factory=dict)


def has_level(device: Device) -> bool:
    """Whether it has more than on and off: a light may have no more than that."""
    state = device.state_value
    leveled = state is None or state.id.command_class in (MULTILEVEL_SWITCH, WINDOW_COVERING)
    return device.kind in ("dimmer", "light", "fan", "blind") and leveled


TOGETHER: Final = ("on", "off", "dim", "open", "close")  # what a group can be told


def supports(device: Device, action: str) -> bool:
    return action in _ACTIONS.get(device.kind, frozenset())


def requested_of(action: str, level: int | None) -> dict[str, Any]:
    return {"action": action} if level is None else {"action": action, "level": level}


def wish(device: Device, action: str, level: int | None, state: Any) -> Wish:
    """`state` is its present value, for toggle."""
    requested = requested_of(action, level)
    if action == "stop" and device.kind in ("chime", "siren"):
        return Wish("off", None, requested)
    if action == "toggle":
        resolved = _opposite(device, state)
        return Wish(resolved, None, {**requested, "resolved": resolved})
    if level is not None and action in ("on", "dim", "open"):
        if level == 0 and action == "dim":
            return Wish("close" if device.kind == "blind" else "off", None, requested)
        return Wish("dim", level, requested)
    return Wish(action, None, requested)


def check(device: Device, action: str, level: int | None) -> None:
    """Against what the device can do."""
    if not supports(device, action) or ((level is not None or action == "dim") and not has_level(device)):
        raise NotPossible("unsupported", wording.cannot(device, "dim" if level is not None else action))
    _check_level(device, action, level)


def _check_level(device: Device, action: str, level: int | None) -> None:
    name = wording.the(device)
    if level is None:
        if action == "dim":
            raise NotPossible("invalid", f"To dim {name} a level from 0 to 100 percent is needed.")
        return
    if not 0 <= level <= 100:
        raise NotPossible("invalid", "The level must be between 0 and 100 percent.")
    contradicts = action in ("toggle", "stop") or (action in ("off", "close") and level != 0)
    if contradicts or (action in ("on", "open") and level == 0):
        raise NotPossible("invalid", f'A level of {level} percent does not go with "{action}".')


def _opposite(device: Device, state: Any) -> str:
    if isinstance(state, bool) or is_number(state):
        active = bool(state)
        if device.kind in ("blind", "garage_door"):
            return "close" if active else "open"
        return "off" if active else "on"
    raise NotPossible("failed", f"It is not known whether {wording.the(device)} is on or off.")


def command(device: Device, chosen: Wish) -> Command:
    state, target = device.state_value, device.target
    if state is None or target is None:
        raise NotPossible("unsupported", wording.cannot(device, chosen.action))
    value = _value(device, chosen, state.id.command_class)
    return Command(
        device,
        target,
        value,
        state.id,
        _reached(value, chosen.action, state) if device.kind != "fan" else _blown(value, state.value),
        moves=device.kind in ("blind", "garage_door"),
        rounds=device.kind == "fan" and bool(value),
    )


def lock_command(device: Device, action: str) -> Command:
    state, target = device.state_value, device.target
    if state is None or target is None:
        raise NotPossible("unsupported", capital(f"{wording.the(device)} cannot be locked from here."))
    value = LOCKED if action == "lock" else 0
    return Command(
        device,
        target,
        value,
        state.id,
        lambda now: now == LOCKED if action == "lock" else is_number(now) and now != LOCKED,
    )


def stop_command(device: Device) -> Command:
    """Writing false to either direction stops the motor."""
    state, target = device.state_value, _stop_id(device)
    if state is None or target is None:
        raise NotPossible("unsupported", wording.cannot(device, "stop"))
    return Command(device, target, False, state.id, is_number, stops=True)


def _stop_id(device: Device) -> ValueId | None:
    for value in device.values:
        found = value.id
        if found.command_class == MULTILEVEL_SWITCH and found.property in ("Up", "Down", "Open", "Close"):
            return found
        if found.command_class == WINDOW_COVERING and found.property in ("levelChangeUp", "levelChangeDown"):
            return found
    return None


def _value(device: Device, chosen: Wish, command_class: int) -> Any:
    if command_class == BINARY_SWITCH:
        return chosen.action == "on"
    if chosen.percent is not None:
        return to_level(chosen.percent)
    if chosen.action in ("off", "close"):
        return 0
    if command_class == BARRIER:
        return _BARRIER_OPEN
    return LAST_LEVEL if chosen.action == "on" else HIGHEST_LEVEL


def _reached(value: Any, action: str, state: Value) -> Callable[[Any], bool]:
    if isinstance(value, bool) or state.id.command_class == BARRIER:
        return lambda now: bool(now == value)
    if action == "on":
        return lambda now: is_number(now) and now > 0
    if value == 0:
        return lambda now: bool(now == 0)
    return lambda now: is_number(now) and now > 0 and abs(now - value) <= _NEAR


_GEAR: Final = 34  # levels: a fan with three speeds takes the next one, and says which


def _blown(value: int, was: Any) -> Callable[[Any], bool]:
    """A speed is what the fan makes of it: near the wish, or another than before and one gear away."""
    if value in (0, LAST_LEVEL):
        return lambda now: is_number(now) and (now > 0) == (value > 0)

    def reached(now: Any) -> bool:
        if not is_number(now) or now <= 0:
            return False
        return abs(now - value) <= _NEAR or (is_number(was) and now != was and abs(now - value) <= _GEAR)

    return reached


class Control:
    def __init__(self, home: Home, viewer: Viewer, *, allow_unlock: bool = False) -> None:
        self._home = home
        self._viewer = viewer
        self._allow_unlock = allow_unlock

    async def act(self, view: View, device: Device, action: str, level: int | None = None) -> Result:
        """What was found by its name; a group is for `groups`."""
        requested = requested_of(action, level)
        was = None
        try:
            check(device, action, level)
            present = await self._present(device, action)
            chosen = wish(device, action, level, present)
            sent = stop_command(device) if chosen.action == "stop" else command(device, chosen)
            was = before_command(view.names, device, present, chosen.action)
            return await self._carry_out(sent, chosen, was, present)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, Facts(requested, device, state_text(device)))
        except HomeError as error:
            return down(error, requested, device, was)

    async def lock(self, asked: str, action: str) -> Result:
        requested = {"action": action}
        view = await self._viewer.now()
        device = resolve_device(view, asked, dict(requested), lambda hit: hit.kind == "lock")
        if isinstance(device, Result):
            return device
        facts = Facts(requested, device, state_text(device))
        if device.kind != "lock":
            return result(capital(f"{wording.the(device)} is not a lock."), "unsupported", facts)
        if action == "unlock" and not self._allow_unlock:
            sentence = "Unlocking is switched off in the settings of the Z-Wave server."
            return result(sentence, "unsupported", facts)
        present = device.state_value.value if device.state_value else None
        was = before_command(view.names, device, present)
        try:
            sent = lock_command(device, action)
            return await self._carry_out(sent, Wish(action, None, dict(requested)), was, present)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, facts)
        except HomeError as error:
            return down(error, dict(requested), device, was)

    async def _present(self, device: Device, action: str) -> Any:
        """What is remembered; toggle turns over what the device says: somebody was at the switch."""
        state = device.state_value
        if action != "toggle" or state is None:
            return state.value if state else None
        try:
            return await self._home.poll(state.id)
        except (NoAnswer, Refused) as error:
            raise NotPossible("unreachable", wording.not_sent(device)) from error

    async def _carry_out(self, sent: Command, chosen: Wish, was: Before, present: Any) -> Result:
        guarded = opens(sent.device, chosen.action)
        if guarded and not await answers(self._home, sent.device):
            raise NotPossible("unreachable", wording.not_sent(sent.device))
        try:
            verdict = await carry_out(self._home, sent)
        except HomeDown as error:
            if not (guarded and error.sent):
                raise
            left = await taken_back(self._home, sent, present)
            return with_rest(down(error, chosen.requested, sent.device, was), left)
        left = ""
        if guarded and verdict.unanswered:
            left = await taken_back(self._home, sent, present)
        return with_rest(self._told(sent, chosen, was, verdict), left)

    def _told(self, sent: Command, chosen: Wish, was: Before, verdict: CommandOutcome) -> Result:
        device = sent.device
        log.info(
            "command judged",
            extra={"device": device.name, "action": chosen.action, "outcome": verdict.outcome},
        )
        if device.kind == "lock" and verdict.outcome == "confirmed":
            self._viewer.bolt_moved(device)
            device = without_jam(device)
        state = _state(device, chosen, verdict)
        more = was.facts() if may_have_changed(sent, verdict) else {}
        facts = Facts(chosen.requested, device, state, more=more)
        return result(_sentence(device, chosen, verdict, state), verdict.outcome, facts)


def with_rest(said: Result, left: str) -> Result:
    """With what is left to happen, where something is."""
    return replace(said, sentence=f"{said.sentence} {left}") if left else said


def may_have_changed(sent: Command, verdict: CommandOutcome) -> bool:
    """Only then there is something to put back. What is not confirmed may have happened; what failed has
    not, unless the device says that it is somewhere else now."""
    if verdict.outcome in HAPPENED:
        return True
    was = next((value.value for value in sent.device.values if value.id == sent.read), None)
    return verdict.known and not verdict.jammed and verdict.value != was


def _state(device: Device, chosen: Wish, verdict: CommandOutcome) -> str:
    """Without a value a confirmed "on" is on, and what is on its way is that; all else is not known."""
    if verdict.jammed:
        return JAMMED
    if verdict.known:
        return state_of(device, verdict.value)
    if verdict.outcome == "confirmed" and chosen.action in ("on", "off"):
        return chosen.action
    return wording.doing_state(chosen.action) if verdict.outcome == "working" else UNKNOWN


def _sentence(device: Device, chosen: Wish, verdict: CommandOutcome, state: str) -> str:
    if verdict.outcome == "confirmed":
        return wording.done(device, chosen.action, state)
    if verdict.outcome == "working":
        return wording.doing(device, chosen.action, chosen.percent)
    if verdict.jammed:
        return wording.jammed(device, chosen.action)
    if verdict.outcome == "unconfirmed":
        return wording.not_confirmed(device, verdict.message)
    simple = {
        "queued": wording.queued,
        "unreachable": wording.unreachable,
    }.get(verdict.outcome)
    return simple(device) if simple else wording.failed(device, chosen.action, state, verdict.message)


def down(
    error: HomeError, requested: dict[str, Any], device: Device | None = None, was: Before | None = None
) -> Result:
    """What every tool answers when the home cannot be asked."""
    outcome: Outcome = "unconfirmed" if isinstance(error, NoAnswer) else "system_down"
    sentence, sent = str(error), bool(getattr(error, "sent", False))
    if sent:
        sentence = f"{sentence.rstrip('.')}; the command is not confirmed, it may still happen."
    more = was.facts() if sent and was is not None else {}
    return result(sentence, outcome, Facts(requested, device, UNKNOWN if device else None, more=more))
