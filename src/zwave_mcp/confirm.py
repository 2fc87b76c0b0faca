"""Send one command and find out what the device really did. The only place that decides "confirmed".

After a merely acknowledged write the gateway shows the wished value at once (optimistic), also for a jammed
lock: so the device itself is polled, and the remembered value never counts.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from home_names.states import UNKNOWN
from zwave_mcp.devices import (
    BOLT_UNKNOWN,
    CC,
    JAMMED,
    LAST_LEVEL,
    Device,
    components,
    fresh,
    is_jammed,
    lock_state,
    ramp_left,
    with_value,
)
from zwave_mcp.home import (
    POLL_TIMEOUT_SECONDS,
    WRITE_TIMEOUT_SECONDS,
    GatewayError,
    Home,
    HomeError,
    NoAnswer,
    Node,
    NotUnderstood,
    Status,
    ValueId,
    WriteResult,
    is_number,
)
from zwave_mcp.results import Outcome
from zwave_mcp.sentences import numbered
from zwave_mcp.states import remembered, state_of

_REJECTED: Final[dict[int, Outcome]] = {
    Status.NO_DEVICE_SUPPORT: "unsupported",
    Status.ENDPOINT_NOT_FOUND: "unsupported",
    Status.NOT_IMPLEMENTED: "unsupported",
    Status.INVALID_VALUE: "invalid",
}
_NO_VALUE: Final = object()
_NEAR_TARGET: Final = 2  # levels
_A_MOMENT: Final = 0.1  # seconds left of a ramp whose length is unknown
_CLOSING, _OPENING = 252, 254  # of a garage door
_VERIFY_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Command:
    device: Device
    write: ValueId
    value: Any
    read: ValueId  # the value that tells what the device did
    reached: Callable[[Any], bool]
    moves: bool = False  # a motor: on its way is an answer
    stops: bool = False  # a motor to be stopped: done when two polls give the same
    rounds: bool = False  # a fan that takes one of a few speeds: only it can tell which
    options: Mapping[str, Any] | None = None

    @property
    def recalls(self) -> bool:
        """Whether it is "on, as bright as it was": only the device knows that level."""
        return self.value == LAST_LEVEL and self.write.command_class == CC.MULTILEVEL_SWITCH


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    outcome: Outcome
    value: Any = None  # the device's own value, where `known`
    known: bool = False
    jammed: bool = False
    message: str = ""
    unanswered: bool = False  # the command is still under way somewhere, and may be carried out at any time


async def carry_out(home: Home, command: Command, within_seconds: float | None = None) -> CommandOutcome:
    """Send the command and judge it, within the limit of a tool call."""
    limit_seconds = home.timing.tool_seconds if within_seconds is None else within_seconds
    try:
        async with asyncio.timeout(limit_seconds) as limit:
            return await _send(home, command)
    except TimeoutError:
        if not limit.expired():
            raise
        return CommandOutcome("unconfirmed")


async def _send(home: Home, command: Command) -> CommandOutcome:
    node = command.device.node
    if node.dead and not await answers_ping(home, node.id):
        return CommandOutcome("unreachable")
    try:
        limit = home.timing.asleep_seconds if node.asleep else WRITE_TIMEOUT_SECONDS
        written = await home.write(command.write, command.value, limit, command.options)
    except NotUnderstood as error:
        return CommandOutcome("unconfirmed", message=str(error))
    except NoAnswer:
        now = node if node.asleep else await _node_now(home, node.id)
        asleep = now is not None and now.asleep
        return CommandOutcome("queued" if asleep else "unconfirmed", unanswered=True)
    except GatewayError as error:
        return CommandOutcome("failed", message=str(error))
    try:
        return await _judge(home, command, written)
    except HomeError as error:  # it was sent, and now nothing tells what became of it
        return CommandOutcome("unconfirmed", message=str(error))


async def answers_ping(home: Home, node_id: int) -> bool:
    try:
        return await home.ping(node_id)
    except (NoAnswer, GatewayError):
        return False


async def _judge(home: Home, command: Command, written: WriteResult) -> CommandOutcome:
    status = written.status
    if command.stops and status in (Status.CONFIRMED, Status.WORKING, Status.ACKNOWLEDGED):
        return await _after_stop(home, command)
    if status == Status.CONFIRMED:
        return await _after_confirmation(home, command)
    if status == Status.WORKING:
        return await _after_working(home, command, written.remaining_seconds)
    if status == Status.ACKNOWLEDGED:
        lock, timing = command.device.kind == "lock", home.timing
        return await _ask(home, command, timing.lock_window_seconds if lock else timing.window_seconds)
    if status == Status.FAILED:
        return CommandOutcome("unreachable" if await _died(home, command.device) else "failed")
    if status in _REJECTED:
        return CommandOutcome(_REJECTED[status], message=written.message)
    raise NotUnderstood


async def _after_confirmation(home: Home, command: Command) -> CommandOutcome:
    """The device confirmed. It is polled where the command does not tell the value ("as bright as it was",
    one of a few speeds), and where a motor or a bolt may have confirmed no more than its start."""
    if command.moves:
        value = await _polled(home, command)
        there = value is not _NO_VALUE and command.reached(value)
        return CommandOutcome("confirmed", value, known=True) if there else CommandOutcome("working")
    if command.device.kind == "lock":
        return await _after_bolt(home, command)
    if command.recalls or command.rounds:
        if command.rounds:
            command = replace(command, reached=lambda now: is_number(now) and now > 0)
        verdict = await _ask(home, command, home.timing.window_seconds)
        if not verdict.known:
            return CommandOutcome("confirmed")
        # A device may say both that it did it and that it did not.
        return replace(verdict, outcome="unconfirmed") if verdict.outcome == "failed" else verdict
    return CommandOutcome("confirmed", command.value, known=True)


async def _after_bolt(home: Home, command: Command) -> CommandOutcome:
    """A lock may confirm a command and jam: its bolt counts, as polled or as reported."""
    verdict = await _ask(home, command, home.timing.lock_window_seconds)
    if verdict.known or verdict.jammed:
        return verdict
    values = (await _device_now(home, command)).values
    bolt = next((value.value for value in values if value.id == command.read), None)
    # Without a value its own confirmation is all there is.
    there = bolt is None or (bolt != BOLT_UNKNOWN and command.reached(bolt))
    return CommandOutcome("confirmed", command.value, known=True) if there else verdict


async def _after_working(home: Home, command: Command, remaining_seconds: float | None) -> CommandOutcome:
    remaining = 1.0 if remaining_seconds is None else remaining_seconds
    if command.moves or remaining > home.timing.short_ramp_seconds:
        return CommandOutcome("working")
    await asyncio.sleep(remaining)
    lock = command.device.kind == "lock"
    window = home.timing.lock_window_seconds if lock else home.timing.after_ramp_seconds
    verdict = await _ask(home, command, window)
    # The device accepted the command, so an unfinished ramp is on its way; so is one of unknown length.
    endless = remaining_seconds is None and verdict.outcome == "failed" and not lock
    if verdict.outcome == "unconfirmed" or endless:
        return CommandOutcome("working", verdict.value, verdict.known)
    return verdict


async def _after_stop(home: Home, command: Command) -> CommandOutcome:
    first = await _polled(home, command)
    await asyncio.sleep(home.timing.stop_check_seconds)
    second = await _polled(home, command)
    if first is _NO_VALUE or second is _NO_VALUE:
        return CommandOutcome("unconfirmed")
    if first != second:
        return CommandOutcome("failed")
    if await _ramp_left(home, command):  # some report their position only at the end
        return CommandOutcome("unconfirmed")
    return CommandOutcome("confirmed", second, known=True)


async def look(home: Home, command: Command) -> CommandOutcome:
    """What became of a value that was sent along with another."""
    try:
        return await _ask(home, command, home.timing.window_seconds)
    except HomeError as error:
        return CommandOutcome("unconfirmed", message=str(error))


async def _ask(home: Home, command: Command, window_seconds: float) -> CommandOutcome:
    """Poll until the device confirms the command, or the window is over."""
    clock, timing = asyncio.get_running_loop().time, home.timing
    end, pause = clock() + window_seconds, timing.first_poll_seconds
    seen: list[Any] = []
    while True:
        value = await _polled(home, command)
        if value is not _NO_VALUE:
            seen.append(value)
            rest = await _rest(home, command, seen)
            if command.reached(value) and not rest:
                return CommandOutcome("confirmed", value, known=True)
            if rest > timing.short_ramp_seconds or (command.moves and _under_way(command, seen)):
                return CommandOutcome("working", value, known=True)
        if command.device.kind == "lock" and await _newly_jammed(home, command.device):
            return CommandOutcome("failed", seen[-1] if seen else None, bool(seen), jammed=True)
        if clock() + pause > end:
            return await _not_reached(home, command, seen)
        await asyncio.sleep(pause)
        pause = timing.poll_every_seconds


async def _rest(home: Home, command: Command, seen: list[Any]) -> float:
    """How long the device is still on its way; 0 if it has arrived.

    It has arrived with the wished level, with its own target, or when two answers are equal: a level near to
    the wish may be one that a ramp passes.
    """
    if not command.reached(seen[-1]):  # the first answer says whether waiting is worth it
        return await _ramp_left(home, command) if len(seen) == 1 else 0.0
    levels = command.write.command_class in (CC.MULTILEVEL_SWITCH, CC.WINDOW_COVERING)
    if not levels or isinstance(command.value, bool) or seen[-1] == command.value:
        return 0.0
    now = await _device_now(home, command)
    goal = next((value.value for value in now.values if value.id == command.write), None)
    left = ramp_left(now, command.read, command.write)
    if is_number(goal) and goal != LAST_LEVEL and not command.rounds:
        if seen[-1] == goal:
            return 0.0
        if abs(seen[-1] - goal) > _NEAR_TARGET:
            return left or _A_MOMENT
    return left or (0.0 if len(seen) > 1 and seen[-1] == seen[-2] else _A_MOMENT)


async def _device_now(home: Home, command: Command) -> Device:
    """The device with all of its values: its answer to a poll brought more than was asked for."""
    node = await _node_now(home, command.device.node.id)
    return command.device if node is None else fresh(command.device, node)


async def _ramp_left(home: Home, command: Command) -> float:
    return ramp_left(await _device_now(home, command), command.read, command.write)


async def _not_reached(home: Home, command: Command, seen: list[Any]) -> CommandOutcome:
    if not seen:
        return CommandOutcome("unreachable" if await _died(home, command.device) else "unconfirmed")
    if _under_way(command, seen) or await _ramp_left(home, command):
        return CommandOutcome("working", seen[-1], known=True)
    if command.reached(seen[-1]):
        return CommandOutcome("confirmed", seen[-1], known=True)
    return CommandOutcome("failed", seen[-1], known=True, jammed=is_jammed(command.device))


def _under_way(command: Command, seen: list[Any]) -> bool:
    """Whether two polls differ; a garage door says itself that it moves."""
    if command.read.command_class == CC.BARRIER:
        return bool(seen[-1] == (_OPENING if command.value else _CLOSING))
    return len(seen) > 1 and seen[-1] != seen[-2]


async def _died(home: Home, device: Device) -> bool:
    node = await _node_now(home, device.node.id)
    return node is not None and node.dead


async def _node_now(home: Home, node_id: int) -> Node | None:
    try:
        fresh = await home.snapshot(0)
    except HomeError:
        return None
    return next((node for node in fresh.nodes if node.id == node_id), None)


async def _newly_jammed(home: Home, lock: Device) -> bool:
    """Whether a jam was reported since. An old one says nothing about this command; a time of its own makes
    it new."""
    node = await _node_now(home, lock.node.id)
    old, now = lock_state(lock), lock_state(fresh(lock, node)) if node is not None else None
    if now is None or now.value != JAMMED:
        return False
    return old is None or old.value not in (JAMMED, None) or old.updated != now.updated


async def _polled(home: Home, command: Command) -> Any:
    """The device's own value; a value of another type than the wish tells nothing about it."""
    try:
        value = await home.poll(command.read)
    except (NoAnswer, GatewayError):
        return _NO_VALUE
    is_switch = isinstance(command.value, bool) and not command.stops
    fits = isinstance(value, bool) if is_switch else is_number(value)
    lost = command.read.command_class == CC.DOOR_LOCK and value == BOLT_UNKNOWN
    return value if fits and not lost else _NO_VALUE


# --- the state as the device tells it now


async def verified(home: Home, device: Device) -> tuple[Device, Outcome]:
    """The device with its own state, where it can answer."""
    state = device.state_value
    if device.node.dead:
        return device, "unreachable"
    if state is None or device.node.asleep:
        return device, "confirmed"
    value = await _asked(home, state.id, _VERIFY_SECONDS)
    if state_of(device, value) == UNKNOWN:
        return device, "unconfirmed"
    if device.kind in ("dimmer", "light") and (node := await _node_now(home, device.node.id)) is not None:
        device = fresh(device, node)  # with the ramp that the answer told of
    now = with_value(device, state.id, value)
    if value and device.kind == "light":  # a component that it does not tell leaves the colour unknown
        ids = [item.id for item in components(now).values()]
        levels = await asyncio.gather(*(_asked(home, item, POLL_TIMEOUT_SECONDS) for item in ids))
        for item, level in zip(ids, levels, strict=True):
            now = with_value(now, item, level if is_number(level) else None)
    return now, "confirmed"


async def verified_group(home: Home, group: Device) -> tuple[Device, Outcome, list[str]]:
    """The group with the names of those members that did not tell their state."""
    asked = await asyncio.gather(*(verified(home, member) for member in group.members))
    behind = [
        numbered(member)
        for member, outcome in asked
        if outcome != "confirmed" or member.node.asleep or remembered(member) == UNKNOWN
    ]
    now = replace(group, members=tuple(member for member, _ in asked))
    if not group.available:
        return now, "unreachable", behind
    return now, "unconfirmed" if behind else "confirmed", behind


async def _asked(home: Home, value_id: ValueId, seconds: float) -> Any:
    try:
        return await home.poll(value_id, seconds)
    except (NoAnswer, GatewayError):
        return None
