"""What a tool returns: one sentence, the facts, whether it is an error, and the calls that restore the state
before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from home_names import wording
from home_names.phrases import capital
from home_names.resolver import Group, Names, One, Prefers, Several, number_of
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.devices import BOLT_UNKNOWN, CC, HIGHEST_LEVEL, LOCKED, Device, View, components, to_percent
from zwave_mcp.home import ValueId, is_number
from zwave_mcp.states import active_setpoint, auto_setpoints, mode_text, state_text

Outcome = Literal[
    "confirmed", "working", "queued", "unconfirmed", "unreachable", "failed", "ambiguous", "not_found",
    "unsupported", "invalid", "system_down",
]  # fmt: skip
OUTCOMES: Final[tuple[Outcome, ...]] = Outcome.__args__  # type: ignore[attr-defined]
_GOOD: Final = frozenset({"confirmed", "working", "queued"})  # all others are errors
# Of several at once the first of these is the common outcome.
_WORST: Final[tuple[Outcome, ...]] = (
    "system_down", "invalid", "unsupported", "failed", "unconfirmed", "unreachable", "queued", "working",
    "confirmed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    sentence: str
    structured: Mapping[str, Any]
    is_error: bool = False


def result(
    sentence: str,
    outcome: Outcome,
    device: Device | None = None,
    requested: Mapping[str, Any] | None = None,
    state: str | None = None,
    *,
    candidates: Sequence[Device] = (),
    more: Mapping[str, Any] | None = None,
) -> Result:
    structured: dict[str, Any] = dict.fromkeys(("device", "room", "nodeId", "endpoint"))
    if device:
        structured = {"device": device.name, **place(device), "kind": device.kind}
    structured |= {"requested": dict(requested or {}), "state": state, "outcome": outcome}
    if candidates:
        structured["candidates"] = [{"name": hit.name, **place(hit)} for hit in candidates]
    return Result(sentence, {**structured, **(more or {})}, outcome not in _GOOD)


def place(device: Device) -> dict[str, Any]:
    return {"room": device.room, "nodeId": device.node.id, "endpoint": device.endpoint}


class Refused(Exception):
    """Ends a tool call with this answer."""

    def __init__(self, answer: Result) -> None:
        super().__init__(answer.sentence)
        self.answer = answer


def refused(outcome: Outcome, sentence: str, device: Device) -> Refused:
    """The command cannot be sent to this device."""
    return Refused(result(sentence, outcome, device, state=state_text(device)))


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    return min(outcomes, key=_WORST.index)


# --- which device is meant

STARTING: Final = "starting"  # key in a result: nothing was done, and in a moment more is known


def resolve_device(
    view: View, asked: str, prefers: Prefers[Device] | None = None, *, room_will_do: bool = False
) -> Device:
    """The device that is meant, or Refused. With `room_will_do` a room means its only device that `prefers`
    accepts."""
    match = view.names.find(asked, prefers)
    if isinstance(match, One):
        device, node = match.device, match.device.node
        if node.ready or device.kind != "other":
            return device
        # Not interviewed: what it can do is unknown.
        sentence = wording.unreachable(device) if node.dead else sentences.not_interviewed(device)
        more = {STARTING: True} if node.starting else {}
        raise Refused(result(sentence, "unreachable", device, state=UNKNOWN, more=more))
    outcome: Outcome = "not_found"
    if isinstance(match, Several):
        outcome, near = "ambiguous", match.devices
        sentence = f"Which one do you mean: {sentences.choice(near)}?"
    elif isinstance(match, Group):
        near = tuple(device for device in match.devices if prefers is None or prefers(device))
        if len(near) == 1 and room_will_do and match.room:
            return near[0]
        if len(near) == 1:  # offered by its name
            sentence = sentences.not_found(asked, near)
        else:
            outcome, sentence = "ambiguous" if near else outcome, sentences.one_at_a_time(asked, near)
    else:
        near, sentence = match.devices, sentences.not_found(asked, match.devices)
    raise Refused(result(sentence, outcome, candidates=near))


def resolve_single(view: View, asked: str, prefers: Prefers[Device] | None = None) -> Device:
    """A device that is no group, or Refused."""
    device = resolve_device(view, asked, prefers)
    if device.members:
        names = sentences.counted([sentences.numbered(member) for member in device.members], 10)
        sentence = (
            f"{capital(wording.the(device))} is a group; this can only be done with its members: {names}."
        )
        raise Refused(result(sentence, "unsupported", device, candidates=device.members))
    return device


# --- the state before a command: `before`, the calls that restore it, and `undo`, why something cannot be

_SHOWN: Final = (2, 3, 4, 0, 1)  # components in the order of `#rrggbbwwcc`
_BARRIER: Final = {0: "close", 252: "close", 254: "open", 255: "open"}


# Facts of a result: `before`, the calls that restore the known state, in this order; `undo`, what cannot be
# restored, and why.
Before = dict[str, Any]


def together(each: Iterable[Before]) -> Before:
    """Several as one: every call and every reason once."""
    calls: dict[tuple[Any, ...], dict[str, Any]] = {}
    reasons: dict[str, None] = {}
    for facts in each:
        for call in facts["before"]:
            calls.setdefault((call["name"], *sorted(call["args"].items())), call)
        reasons |= {facts["undo"]: None} if "undo" in facts else {}
    undo = {"undo": " ".join(reasons)} if reasons else {}
    return {"before": list(calls.values()), **undo}


def address(names: Names[Device], device: Device) -> str:
    """The name that means only this device."""
    for spelling in (device.name, f"{device.room} {device.name}", f"node {device.node.id}"):
        if names.exact(spelling) == (device,):
            return spelling
    return number_of(device)


def before_command(names: Names[Device], device: Device, raw: Any, action: str = "") -> Before:
    """`raw` is the value of the device's state before `action`."""
    if action == "stop":
        return _lost(f"{capital(wording.the(device))} was moving, and where to is not known.")
    known = isinstance(raw, bool) or is_number(raw)
    if not known or (device.kind == "lock" and raw == BOLT_UNKNOWN):
        return _not_known(device)
    if device.kind == "lock":
        return _call("control_zwave_lock", names, device, action="lock" if raw == LOCKED else "unlock")
    state = device.state_value
    if isinstance(raw, bool):
        back: str | None = "on" if raw else "off"
    elif state is not None and state.id.command_class == CC.BARRIER:
        back = _BARRIER.get(int(raw))
    elif device.kind in ("blind", "garage_door"):
        partly = "dim" if device.kind == "blind" else None
        back = "close" if raw == 0 else "open" if raw >= HIGHEST_LEVEL else partly
    else:
        back = "off" if raw == 0 else "dim"
    if back is None:
        return _lost(f"{capital(wording.the(device))} was partly open, and cannot be sent there.")
    level = {"level": to_percent(raw)} if back == "dim" else {}
    return _call("control_zwave_device", names, device, action=back, **level)


def before_colour(
    names: Names[Device], device: Device, *, colour: bool = True, level: bool = False
) -> Before:
    """Of a light whose colour, level or both were written: off comes last, or it would shine again."""
    parts = {key: value.value for key, value in components(device).items()}
    steps = []
    if colour and all(map(is_number, parts.values())) and any(parts.values()):
        digits = "".join(f"{min(max(int(parts.get(key, 0)), 0), 255):02x}" for key in _SHOWN)
        shown = digits.removesuffix("0000") if len(parts) == 3 else digits
        steps.append(_call("set_zwave_color", names, device, color=f"#{shown}"))
    elif colour:
        steps.append(_lost(f"It is not known which colour {wording.the(device)} had before."))
    if level and (state := device.state_value) is not None:
        steps.append(before_command(names, device, state.value))
    return together(steps)


def before_sound(names: Names[Device], device: Device, action: str) -> Before:
    if action == "stop":
        return _lost(f"What {wording.the(device)} played is not begun again.")
    return _call("play_zwave_sound", names, device, action="stop")


def before_setting(
    names: Names[Device], device: Device, written: Iterable[ValueId], now: Device | None = None
) -> Before:
    """Of a thermostat whose mode and setpoints were `written`; it is as `now` after that."""
    ids = set(written)
    setpoints = [value for value in device.setpoints if value.id in ids]
    changed_mode = device.mode is not None and device.mode.id in ids
    old_mode = mode_text(device) if changed_mode else ""
    if (changed_mode and not old_mode) or any(not is_number(item.value) for item in setpoints):
        return _not_known(device)
    # The setpoint first: it belongs to the mode that holds until the last call.
    both = {value.id: {"setpoint": kind} for kind, value in auto_setpoints(now or device).items()}
    calls = [
        {"temperature": item.value, "unit": "F" if "F" in item.unit else "C", **both.get(item.id, {})}
        for item in setpoints
    ]
    calls += [{"mode": old_mode}] if old_mode else []
    return together(_call("set_zwave_thermostat", names, device, **args) for args in calls)


def before_scene(names: Names[Device], touched: Iterable[tuple[Device, ValueId]]) -> Before:
    """The states of the devices that a scene writes to."""
    return together(_before_value(names, device, value_id) for device, value_id in touched)


def _before_value(names: Names[Device], device: Device, value_id: ValueId) -> Before:
    command_class = value_id.command_class
    if command_class == CC.THERMOSTAT_FAN_MODE:  # set by no tool
        return _lost(f"The fan of {wording.the(device)} cannot be put back.")
    if command_class == CC.COLOR_SWITCH:
        return before_colour(names, device)
    if command_class == CC.THERMOSTAT_SETPOINT:
        active = active_setpoint(device)
        if active is None or active.id != value_id:
            return _lost(f"A set point of {wording.the(device)} cannot be put back.")
    if command_class in (CC.THERMOSTAT_MODE, CC.THERMOSTAT_SETPOINT):
        return before_setting(names, device, [value_id])
    state = device.state_value
    return before_command(names, device, state.value if state else None)


def _call(tool: str, names: Names[Device], device: Device, **args: Any) -> Before:
    return {"before": [{"name": tool, "args": {"deviceName": address(names, device), **args}}]}


def _lost(reason: str) -> Before:
    """What cannot be restored."""
    return {"before": [], "undo": reason}


def _not_known(device: Device) -> Before:
    return _lost(f"It is not known how {wording.the(device)} {wording.verb(device, 'was')} before.")
