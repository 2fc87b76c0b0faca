"""The tools that switch, dim, open, close and lock: one device, or every member of a group."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from home_names import wording
from home_names.phrases import capital, listed
from home_names.risk import is_guarded, is_sensitive
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.confirm import Command, CommandOutcome, carry_out
from zwave_mcp.devices import (
    BOLT_UNKNOWN,
    CC,
    HIGHEST_LEVEL,
    LAST_LEVEL,
    LOCKED,
    SOUNDERS,
    TOGETHER,
    Device,
    View,
    Viewer,
    has_level,
    supports,
    to_level,
    with_value,
    without_jam,
)
from zwave_mcp.home import CannotDo, GatewayError, Home, HomeDown, HomeError, NoAnswer, Value, is_number
from zwave_mcp.results import (
    Before,
    Outcome,
    Refused,
    Result,
    before_command,
    refused,
    resolve_device,
    result,
    together,
    worst,
)
from zwave_mcp.states import JAMMED_STATE, own_tone, remembered, state_of, state_text, tones_of

log = logging.getLogger(__name__)

_NEAR: Final = 2  # levels: motors and dimmers stop close to the wish, and report that
_GEAR: Final = 34  # levels: a fan with three speeds takes the next one, and reports which
_BARRIER_OPEN: Final = 255
_DIRECTIONS: Final[dict[int, tuple[str, ...]]] = {
    CC.MULTILEVEL_SWITCH: ("Up", "Down", "Open", "Close"),
    CC.WINDOW_COVERING: ("levelChangeUp", "levelChangeDown"),
}
HAPPENED: Final = frozenset({"confirmed", "working", "queued", "unconfirmed"})


@dataclass(frozen=True, slots=True)
class Action:
    """What is to happen, with toggle already resolved."""

    name: str
    percent: int | None = None
    requested: dict[str, Any] = field(default_factory=dict)


class Control:
    def __init__(self, home: Home, viewer: Viewer, *, allow_unlock: bool = False) -> None:
        self._home = home
        self._viewer = viewer
        self._allow_unlock = allow_unlock

    async def device(self, asked: str, action: str, level: int | None = None) -> Result:
        """Act on one device, or on every member of a group."""
        view = await self._viewer.now(0)  # a rename is not announced
        device = resolve_device(view, asked, lambda hit: supports(hit, action))
        if device.members:
            return await self._group(view, device, action, level)
        check(device, action, level)
        state = device.state_value
        # A device that is toggled may have been switched by hand.
        present = await self._polled(device) if action == "toggle" else state.value if state else None
        chosen = resolve_action(device, action, level, present)
        sent = stop_command(device) if chosen.name == "stop" else command(device, chosen)
        return await self._carry_out(view, sent, chosen, present)

    async def lock(self, asked: str, action: str) -> Result:
        view = await self._viewer.now(0)  # a rename is not announced
        device = resolve_device(view, asked, lambda hit: hit.kind == "lock")
        state, target = device.state_value, device.target
        problem = ""
        if device.kind != "lock":
            problem = capital(f"{wording.the(device)} is not a lock.")
        elif action == "unlock" and not self._allow_unlock:
            problem = "Unlocking is switched off in the settings of the Z-Wave server."
        elif state is None or target is None:
            problem = capital(f"{wording.the(device)} cannot be locked from here.")
        if problem or state is None or target is None:
            return result(problem, "unsupported", device, state=state_text(device))

        def reached(now: Any) -> bool:
            return bool(now == LOCKED) if action == "lock" else is_number(now) and now != LOCKED

        sent = Command(device, target, LOCKED if action == "lock" else 0, state.id, reached)
        return await self._carry_out(view, sent, Action(action), state.value)

    async def _polled(self, device: Device) -> Any:
        """The state by the device itself; a device that does not answer ends the call."""
        state = device.state_value
        try:
            return await self._home.poll(state.id) if state is not None else None
        except (NoAnswer, GatewayError) as error:
            raise refused("unreachable", sentences.not_sent(device), device) from error

    async def _carry_out(self, view: View, sent: Command, action: Action, present: Any) -> Result:
        """Send the command. A command that opens a way in is sent only where it arrives at once, and taken
        back if nothing answered: a frozen gateway, broker or stick carries it out when it comes back to
        life."""
        device = sent.device
        names = (device.name, f"{device.room} {device.name}")
        guarded = is_sensitive(device.kind, names, action.name)
        before = before_command(view.names, device, present, action.name)
        with answering(device, before):
            if guarded and not device.node.dead:  # a dead device is pinged by `carry_out`
                await self._polled(device)
            try:
                verdict = await carry_out(self._home, sent)
                answer, unanswered = self._judged(sent, action, before, verdict), verdict.unanswered
            except HomeDown as error:
                if not (guarded and error.sent):
                    raise
                answer, unanswered = down(error, device, before), True
            left = await self._taken_back(sent, present) if guarded and unanswered else ""
        facts = {**answer.structured, "reason": left}
        return replace(answer, sentence=f"{answer.sentence} {left}", structured=facts) if left else answer

    async def _taken_back(self, sent: Command, before: Any) -> str:
        """Take an unanswered command back; returns what may still happen, as a sentence."""
        lost = sent.device.kind == "lock" and before == BOLT_UNKNOWN
        known = isinstance(before, bool) or (is_number(before) and not lost)
        if not known or before == sent.value:
            return ""
        if await self._home.take_back(sent.write, before):
            return "If it still happens, it is taken back at once: that command was sent behind it."
        return "If it still happens, it is taken back as soon as the connection is there again."

    def _judged(self, sent: Command, action: Action, before: Before, verdict: CommandOutcome) -> Result:
        device, outcome = sent.device, verdict.outcome
        log.info("command judged", extra={"device": device.name, "action": action.name, "outcome": outcome})
        if device.kind == "lock" and outcome == "confirmed":
            device = without_jam(device)
        state = state_of(device, verdict.value) if verdict.known else UNKNOWN
        if outcome == "working":  # a value that it passes is no state
            state, sentence = (
                wording.doing_state(action.name),
                wording.doing(device, action.name, action.percent),
            )
        elif outcome == "confirmed":
            state = action.name if not verdict.known and action.name in ("on", "off") else state
            sentence = wording.done(device, action.name, state)
        elif verdict.jammed:
            state, sentence = JAMMED_STATE, wording.jammed(device, action.name)
        else:
            sentence = sentences.unsuccessful(device, outcome, action.name, state, verdict.message)
        more = before.facts() if may_have_changed(sent, verdict) else {}
        more |= {"was": remembered(sent.device), "reason": verdict.message}
        return result(sentence, outcome, device, action.requested, state, more=more)

    async def _group(self, view: View, group: Device, name: str, level: int | None) -> Result:
        """Send the command to every member at once; done when each one confirms it.

        Not by multicast: no device acknowledges that, one that does not hear it blocks the radio for all (30
        s with a simulated stick), and each must be polled afterwards anyway.
        """
        _check_group(group, name)
        for member in group.members:
            check(member, name, level)
        commands = [command(member, resolve_action(member, name, level, None)) for member in group.members]
        before = together(
            before_command(view.names, item, item.state_value.value if item.state_value else None)
            for item in group.members
        )
        verdicts = await asyncio.gather(*(self._of_member(item) for item in commands))
        outcome = worst(verdict.outcome for verdict in verdicts)
        members, behind = [], []
        for item, verdict in zip(commands, verdicts, strict=True):
            members.append(with_value(item.device, item.read, verdict.value if verdict.known else None))
            if verdict.outcome not in ("confirmed", "working"):
                behind.append(sentences.numbered(item.device))
        state = remembered(replace(group, members=tuple(members)))
        if behind:
            names = listed(list(dict.fromkeys(behind)))
            sentence = f"The command was sent to {wording.the(group)}, but this is not confirmed: {names}."
        elif outcome == "working":
            sentence = wording.doing(group, name, level)
        else:
            sentence = wording.done(group, name, state)
        more = {"notConfirmed": behind, **before.facts()}
        return result(sentence, outcome, group, state=state, more=more)

    async def _of_member(self, item: Command) -> CommandOutcome:
        try:
            return await carry_out(self._home, item)
        except HomeError as error:
            return CommandOutcome("unconfirmed", message=str(error))


# --- what a device can be told


def check(device: Device, action: str, level: int | None) -> None:
    """End the call if the device cannot do it, or the level does not fit."""
    if not supports(device, action) or ((level is not None or action == "dim") and not has_level(device)):
        raise refused("unsupported", sentences.cannot(device, "dim" if level is not None else action), device)
    if level is None:
        if action == "dim":
            sentence = f"To dim {wording.the(device)} a level from 0 to 100 percent is needed."
            raise refused("invalid", sentence, device)
        return
    contradicts = action in ("toggle", "stop") or (action in ("off", "close")) != (level == 0)
    if contradicts and action != "dim":
        raise refused("invalid", f'A level of {level} percent does not go with "{action}".', device)


def _check_group(group: Device, action: str) -> None:
    """What opens the house, or sounds an alarm, must be asked for by its own name, so that it can be
    confirmed."""
    if action not in TOGETHER or not group.members:
        raise refused("unsupported", sentences.cannot(group, action), group)
    for member in group.members:
        own = own_tone(member)
        tones = [own] if own else [tone.name for tone in tones_of(member)]
        names = (member.name, f"{member.room} {member.name}", *(tones if member.kind == "chime" else ()))
        if is_guarded(member.kind, names):
            sentence = (
                f"The group {group.name} acts on {wording.the(member)}, which must be asked for by itself."
            )
            raise refused("unsupported", sentence, group)


def resolve_action(device: Device, name: str, level: int | None, state: Any) -> Action:
    """`state` is the present value, for toggle."""
    mover = device.kind in ("blind", "garage_door")
    if name == "toggle":
        if not isinstance(state, bool) and not is_number(state):
            raise refused("failed", f"It is not known whether {wording.the(device)} is on or off.", device)
        opposite = ("close" if state else "open") if mover else ("off" if state else "on")
        return Action(opposite, requested={"resolved": opposite})
    if name == "stop" and device.kind in SOUNDERS:
        return Action("off")
    if level == 0 and name == "dim":
        return Action("close" if mover else "off")
    return Action("dim", level) if level is not None and name in ("on", "dim", "open") else Action(name)


def command(device: Device, action: Action) -> Command:
    state, target = device.state_value, device.target
    if state is None or target is None:
        raise refused("unsupported", sentences.cannot(device, action.name), device)
    value = _value(action, state.id.command_class)
    fan, moves = device.kind == "fan", device.kind in ("blind", "garage_door")
    reached = _reached(value, action.name, state, gear=_GEAR if fan and is_number(state.value) else 0)
    return Command(device, target, value, state.id, reached, moves=moves, rounds=fan and bool(value))


def stop_command(device: Device) -> Command:
    """Writing false to either direction stops the motor."""
    state = device.state_value
    ids = (value.id for value in device.values)
    target = next((item for item in ids if item.property in _DIRECTIONS.get(item.command_class, ())), None)
    if state is None or target is None:
        raise refused("unsupported", sentences.cannot(device, "stop"), device)
    return Command(device, target, False, state.id, is_number, stops=True)


def _value(action: Action, command_class: int) -> Any:
    if command_class == CC.BINARY_SWITCH:
        return action.name == "on"
    if action.percent is not None:
        return to_level(action.percent)
    if action.name in ("off", "close"):
        return 0
    if command_class == CC.BARRIER:
        return _BARRIER_OPEN
    return LAST_LEVEL if action.name == "on" else HIGHEST_LEVEL


def _reached(value: Any, action: str, state: Value, gear: int) -> Callable[[Any], bool]:
    """On, or near the wished level; a fan's speed may also have changed to one a gear away."""
    if isinstance(value, bool) or value == 0 or state.id.command_class == CC.BARRIER:
        return lambda now: bool(now == value)

    def reached(now: Any) -> bool:
        if not is_number(now) or now <= 0:
            return False
        return action == "on" or abs(now - value) <= (_NEAR if now == state.value else max(_NEAR, gear))

    return reached


# --- what became of it


def may_have_changed(sent: Command, verdict: CommandOutcome) -> bool:
    """Whether there is something to put back: what is not confirmed may have happened; what failed has not,
    unless the device says that its state is another one now."""
    return verdict.outcome in HAPPENED or (not verdict.jammed and has_changed(sent, verdict))


def has_changed(sent: Command, verdict: CommandOutcome) -> bool:
    """Whether the device tells another value than before the command."""
    return verdict.known and verdict.value != sent.device.raw(sent.read)


@contextmanager
def answering(device: Device, before: Before | None = None) -> Iterator[None]:
    """Ends the call with an answer about this device if the home is away."""
    try:
        yield
    except HomeError as error:
        raise Refused(down(error, device, before)) from error


def down(error: HomeError, device: Device | None = None, before: Before | None = None) -> Result:
    """The answer of every tool when the home cannot be asked."""
    kinds: dict[type[HomeError], Outcome] = {
        NoAnswer: "unconfirmed", CannotDo: "unsupported", GatewayError: "failed",
    }  # fmt: skip
    outcome: Outcome = next((kinds[kind] for kind in kinds if isinstance(error, kind)), "system_down")
    sentence, sent = str(error), isinstance(error, HomeDown) and error.sent
    if sent:
        sentence = f"{sentence.rstrip('.')}; the command is not confirmed, it may still happen."
    more = before.facts() if sent and before is not None else {}
    return result(sentence, outcome, device, state=UNKNOWN if device else None, more=more)
