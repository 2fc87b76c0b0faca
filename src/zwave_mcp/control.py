"""The tools that act: switch, dim, open, close and lock a device or a group, play sounds, set thermostats."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from home_names import wording
from home_names.names import fold, loose_words
from home_names.phrases import capital, listed
from home_names.risk import is_guarded, is_sensitive
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.confirm import Command, CommandOutcome, carry_out, look, settle
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
from zwave_mcp.home import (
    CannotDo,
    GatewayError,
    Home,
    HomeDown,
    HomeError,
    NoAnswer,
    Value,
    ValueId,
    is_number,
)
from zwave_mcp.results import (
    Before,
    Outcome,
    Refused,
    Result,
    before_command,
    before_setting,
    before_sound,
    refused,
    resolve_device,
    result,
    together,
    worst,
)
from zwave_mcp.states import (
    DEFAULT_TONE,
    JAMMED_STATE,
    Tone,
    active_setpoint,
    auto_setpoints,
    mode_text,
    number_text,
    own_tone,
    remembered,
    state_of,
    state_text,
    tones_of,
)

log = logging.getLogger(__name__)

_NEAR: Final = 2  # levels: motors and dimmers stop close to the wish, and report that
_GEAR: Final = 34  # levels: a fan with three speeds takes the next one, and reports which
_BARRIER_OPEN: Final = 255
_DIRECTIONS: Final[dict[int, tuple[str, ...]]] = {
    CC.MULTILEVEL_SWITCH: ("Up", "Down", "Open", "Close"),
    CC.WINDOW_COVERING: ("levelChangeUp", "levelChangeDown"),
}
_OFFERED: Final = 10  # tones that a refusal names
HAPPENED: Final = frozenset({"confirmed", "working", "queued", "unconfirmed"})


@dataclass(frozen=True, slots=True)
class Action:
    """What is to happen, with toggle already resolved."""

    name: str
    percent: int | None = None
    requested: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Control:
    home: Home
    viewer: Viewer
    allow_unlock: bool = False

    async def device(self, asked: str, action: str, level: int | None = None) -> Result:
        """Act on one device, or on every member of a group."""
        view = await self.viewer.now(0)  # a rename is not announced
        device = resolve_device(view, asked, lambda hit: supports(hit, action))
        if device.members:
            return await self._group(view, device, action, level)
        check(device, action, level)
        state = device.state_value
        # A device that is toggled may have been switched by hand.
        present = await self._polled(device) if action == "toggle" else state.value if state else None
        chosen = resolve_action(device, action, level, present)
        return await self._carry_out(view, command(device, chosen), chosen, present)

    async def lock(self, asked: str, action: str) -> Result:
        view = await self.viewer.now(0)  # a rename is not announced
        device = resolve_device(view, asked, lambda hit: hit.kind == "lock")
        state, target = device.state_value, device.target
        problem = ""
        if device.kind != "lock":
            problem = capital(f"{wording.the(device)} is not a lock.")
        elif action == "unlock" and not self.allow_unlock:
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
            return await self.home.poll(state.id) if state is not None else None
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
                verdict = await carry_out(self.home, sent)
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
        if await self.home.take_back(sent.write, before):
            return "If it still happens, it is taken back at once: that command was sent behind it."
        return "If it still happens, it is taken back as soon as the connection is there again."

    def _judged(self, sent: Command, action: Action, before: Before, verdict: CommandOutcome) -> Result:
        device, outcome = sent.device, verdict.outcome
        log.info("command judged", extra={"device": device.name, "action": action.name, "outcome": outcome})
        if device.kind == "lock" and outcome == "confirmed":
            device = without_jam(device)
        state = state_of(device, verdict.value) if verdict.known else UNKNOWN
        if outcome == "working":  # a value that it passes is no state
            state = wording.doing_state(action.name)
            sentence = wording.doing(device, action.name, action.percent)
        elif outcome == "confirmed":
            state = action.name if not verdict.known and action.name in ("on", "off") else state
            sentence = wording.done(device, action.name, state)
        elif verdict.jammed:
            state, sentence = JAMMED_STATE, wording.jammed(device, action.name)
        else:
            sentence = sentences.unsuccessful(device, outcome, action.name, state, verdict.message)
        more = before if may_have_changed(sent, verdict) else {}
        more |= {"was": remembered(sent.device), "reason": verdict.message}
        return result(sentence, outcome, device, action.requested, state, more=more)

    async def _group(self, view: View, group: Device, name: str, level: int | None) -> Result:
        """Send the command to every member at once; done when each one confirms it.

        Not by multicast: no device acknowledges that, one that does not hear it blocks the radio for all (30
        s with a simulated stick), and each must be polled afterwards anyway.
        """
        _check_group(group, name, level)
        commands = [command(member, resolve_action(member, name, level, None)) for member in group.members]
        before = together(
            before_command(view.names, item, item.state_value.value if item.state_value else None)
            for item in group.members
        )
        verdicts = await asyncio.gather(*(settle(self.home, item) for item in commands))
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
        more = {"notConfirmed": behind, **before}
        return result(sentence, outcome, group, state=state, more=more)


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


def _check_group(group: Device, action: str, level: int | None) -> None:
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
        check(member, action, level)


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
    state, target, stops = device.state_value, device.target, action.name == "stop"
    if stops:  # writing false to either direction stops the motor
        ids = (value.id for value in device.values)
        target = next((it for it in ids if it.property in _DIRECTIONS.get(it.command_class, ())), None)
    if state is None or target is None:
        raise refused("unsupported", sentences.cannot(device, action.name), device)
    if stops:
        return Command(device, target, False, state.id, is_number, stops=True)
    value: Any = LAST_LEVEL if action.name == "on" else HIGHEST_LEVEL
    if state.id.command_class == CC.BINARY_SWITCH:
        value = action.name == "on"
    elif action.percent is not None:
        value = to_level(action.percent)
    elif action.name in ("off", "close"):
        value = 0
    elif state.id.command_class == CC.BARRIER:
        value = _BARRIER_OPEN
    fan, moves = device.kind == "fan", device.kind in ("blind", "garage_door")
    reached = _reached(value, action.name, state, gear=_GEAR if fan and is_number(state.value) else 0)
    return Command(device, target, value, state.id, reached, moves=moves, rounds=fan and bool(value))


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
    more = before if sent else None
    return result(sentence, outcome, device, state=UNKNOWN if device else None, more=more)


# --- sirens, doorbells and chimes


async def play(
    home: Home, viewer: Viewer, asked: str, action: str, *, tone: str | None = None, volume: int | None = None
) -> Result:
    """`action` is play or stop."""
    view = await viewer.now(0)
    device = resolve_device(view, asked, lambda hit: hit.kind in SOUNDERS, room_will_do=action == "stop")
    before = before_sound(view.names, device, action)
    with answering(device, before):
        sent, wanted = _sound(device, action, tone, volume)
        verdict = await _played(home, sent, wanted, action, volume)
    outcome = verdict.outcome
    state = state_of(device, verdict.value) if verdict.known else UNKNOWN
    more = before if may_have_changed(sent, verdict) else {}
    sentence = sentences.unsuccessful(device, outcome, action, state, verdict.message)
    if outcome == "confirmed":
        loud = f" at {volume} percent" if volume is not None else ""
        now = "now " if action == "stop" else ""
        sentence = capital(f"{wording.the(device)} {wording.verb(device, 'is')} {now}{state}{loud}.")
    return result(sentence, outcome, device, state=state, more=more)


async def _played(
    home: Home, sent: Command, tone: Tone | None, action: str, volume: int | None
) -> CommandOutcome:
    clock = asyncio.get_running_loop().time
    began = clock()
    if action == "stop":  # each endpoint of a doorbell may sound
        for value in sent.device.values:
            tones = value.id.command_class == CC.SOUND_SWITCH and value.id.property == "toneId"
            if tones and value.id != sent.write and value.value not in (0, None):
                await home.write(value.id, 0)
    verdict = await carry_out(home, sent)
    # A short tone may be over when the device is polled.
    short = tone is not None and tone.seconds is not None and tone.seconds <= clock() - began
    if verdict.outcome == "failed" and short:
        return CommandOutcome("unconfirmed", message="it is silent now")
    if verdict.outcome == "confirmed" and verdict.value == DEFAULT_TONE:  # only the device knows its own tone
        seen = await look(home, sent)
        verdict = seen if seen.outcome == "confirmed" else verdict
    if verdict.outcome != "confirmed" or volume is None:
        return verdict
    for value in sent.device.values:
        if value.id.property == "volume" and value.id.endpoint == sent.write.endpoint:
            heard = Command(sent.device, value.id, volume, value.id, lambda now: bool(now == volume))
            if (await look(home, heard)).outcome == "confirmed":
                return verdict
    return CommandOutcome("unconfirmed", verdict.value, verdict.known, message="how loud is not known")


def _sound(device: Device, action: str, asked: str | None, volume: int | None) -> tuple[Command, Tone | None]:
    name, state, target = wording.the(device), device.state_value, device.target
    if device.kind not in SOUNDERS or state is None or target is None:
        raise refused("unsupported", capital(f"{name} makes no sounds."), device)
    switch = state.id.command_class != CC.SOUND_SWITCH
    if action == "stop" or switch:
        if asked is not None or volume is not None:
            if action == "stop":
                raise refused("invalid", "To stop a sound no tone and no volume are needed.", device)
            raise refused("unsupported", capital(f"{name} has one sound only, and one volume."), device)
        value: Any = action != "stop" if switch else 0
        return Command(device, target, value, state.id, lambda now: bool(now == value)), None
    tone = _tone(device, asked)
    number = tone.id if tone is not None else DEFAULT_TONE
    options = None if volume is None else {"volume": volume}

    def plays(now: Any) -> bool:
        return is_number(now) and (now == number if tone is not None else now > 0)

    return Command(device, target, number, state.id, plays, options=options), tone


def _tone(device: Device, asked: str | None) -> Tone | None:
    """By number, by name, or by words of the name that no other tone has; None is the device's own
    default."""
    if asked is None or fold(asked) == "default":
        return None
    known = tones_of(device)
    hits = [tone for tone in known if fold(tone.name) == fold(asked) or str(tone.id) == asked.strip()]
    words = loose_words(asked)
    hits = hits or [tone for tone in known if words and words <= loose_words(tone.name)]
    if len(hits) == 1:
        return hits[0]
    offered = listed([tone.name for tone in (hits or known)[:_OFFERED]], "or" if hits else "and")
    if hits:
        raise refused("invalid", f"Which tone of {wording.the(device)} do you mean: {offered}?", device)
    tail = f"; it has {offered}" if known else ""
    name = capital(wording.the(device))
    raise refused("invalid", f"{name} has no tone {wording.quoted(asked)}{tail}.", device)


# --- thermostats: mode first, then the temperature that goes with it, each confirmed by the device

_SAME_MODE: Final = {"heating": "heat", "cooling": "cool", "automatic": "auto", "warm": "heat"}
_FURNACE: Final = 7  # the property key of its setpoint
# Limits in degrees Celsius where the thermostat names none: one without limits would take 500 degrees.
_ROOM, _OF_FURNACE = (4.0, 40.0), (4.0, 90.0)
_IN_FAHRENHEIT: Final = {4.0: 40.0, 40.0: 104.0, 90.0: 194.0}
_NEAR_DEGREES: Final = 0.5  # many thermostats round to their own step, and report that


async def set_thermostat(
    home: Home,
    viewer: Viewer,
    asked: str,
    *,
    temperature: float | None = None,
    unit: str | None = None,
    mode: str | None = None,
    setpoint: str | None = None,
) -> Result:
    """`setpoint`: heating or cooling, where an automatic mode keeps both."""
    view = await viewer.now(0)
    # A room with one thermostat leaves no doubt, and little can go wrong.
    device = resolve_device(view, asked, lambda hit: hit.kind == "thermostat", room_will_do=True)
    commands = _commands(device, temperature, unit, mode, setpoint)
    clock = asyncio.get_running_loop().time
    end = clock() + home.timing.tool_seconds
    now, more = device, {}
    written: list[ValueId] = []
    for sent in commands:
        verdict = await carry_out(home, sent, end - clock())
        if verdict.known:
            now = with_value(now, sent.read, verdict.value)
        if may_have_changed(sent, verdict):
            written.append(sent.write)
        more = before_setting(view.names, device, written, now) if written else {}
        more |= {"was": remembered(device), "reason": verdict.message}
        if verdict.outcome != "confirmed":
            state = remembered(now) if verdict.known else UNKNOWN
            sentence = sentences.unsuccessful(now, verdict.outcome, "set", state, verdict.message)
            return result(sentence, verdict.outcome, now, state=state, more=more)
    sentence = _confirmed(now, temperature is not None, mode is not None, written)
    # Not `state_text`: a device that was taken for dead has just answered.
    return result(sentence, "confirmed", now, state=remembered(now), more=more)


def _commands(
    device: Device, temperature: float | None, unit: str | None, mode: str | None, which: str | None
) -> list[Command]:
    name = wording.the(device)
    if device.kind != "thermostat":
        raise refused("unsupported", capital(f"{name} is not a thermostat."), device)
    if temperature is None and mode is None:
        raise refused("invalid", f"A temperature or a mode is needed to set {name}.", device)
    commands = []
    number = None
    if mode is not None:
        value, number = _mode(device, mode)
        commands.append(Command(device, value.id, number, value.id, lambda now: bool(now == number)))
    if temperature is not None:
        setpoint = active_setpoint(device, number, temperature, which)
        if setpoint is None:
            raise refused("unsupported", capital(f"{name} takes no temperature."), device)
        degrees = _degrees(device, setpoint, temperature, unit)
        commands.append(
            Command(device, setpoint.id, degrees, setpoint.id, lambda now: _is_near(now, degrees))
        )
    return commands


def _is_near(now: Any, degrees: float) -> bool:
    return is_number(now) and abs(now - degrees) <= _NEAR_DEGREES


def _mode(device: Device, asked: str) -> tuple[Value, int]:
    value = device.mode
    wanted = asked.strip().casefold()
    wanted = _SAME_MODE.get(wanted, wanted)
    known = value.states if value is not None else {}
    for number, text in known.items():
        if text.casefold() == wanted and value is not None and isinstance(number, int):
            return value, number
    modes = listed([text.lower() for text in known.values()])
    tail = f"; it has {modes}" if modes else ""
    raise refused(
        "unsupported", f"{capital(wording.the(device))} has no mode {wording.quoted(asked)}{tail}.", device
    )


def _degrees(device: Device, setpoint: Value, temperature: float, unit: str | None) -> float:
    """The temperature in the setpoint's own unit, within its limits."""
    fahrenheit = "F" in setpoint.unit
    if unit is not None and (unit == "F") != fahrenheit:
        temperature = temperature * 9 / 5 + 32 if fahrenheit else (temperature - 32) * 5 / 9
    degrees = round(temperature, 1)
    usual = _OF_FURNACE if setpoint.id.property_key == _FURNACE else _ROOM
    low, high = (_IN_FAHRENHEIT[limit] if fahrenheit else limit for limit in usual)
    low = low if setpoint.minimum is None else setpoint.minimum
    high = high if setpoint.maximum is None else setpoint.maximum
    if not low <= degrees <= high:
        limits = f"{number_text(low)} and {number_text(high)} {_unit(setpoint)}"
        raise refused("invalid", f"The temperature must be between {limits}.", device)
    return degrees


def _unit(setpoint: Value) -> str:
    return "degrees Fahrenheit" if "F" in setpoint.unit else "degrees Celsius"


def _confirmed(device: Device, set_temperature: bool, set_mode: bool, written: list[ValueId]) -> str:
    mode = mode_text(device)
    setpoint = next((item for item in device.setpoints if item.id in written), active_setpoint(device))
    parts = []
    if set_mode:
        parts.append("off" if mode == "off" else f"in {mode} mode")
    if set_temperature and setpoint is not None:
        kind = next((kind for kind, item in auto_setpoints(device).items() if item.id == setpoint.id), "")
        which = f" for {kind}" if kind else ""
        parts.append(f"set to {number_text(setpoint.value)} {_unit(setpoint)}{which}")
    off = ", but it is off" if not set_mode and mode == "off" else ""
    return capital(f"{wording.the(device)} is now {listed(parts)}{off}.")
