"""Send one command and find out what the device really did. The only place that decides "confirmed".

After a merely acknowledged write the gateway shows the wished value at once (optimistic), also for a jammed
lock: so the device itself is asked, and the remembered value never counts.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from zwave_mcp.devices import (
    BARRIER,
    COLOR_SWITCH,
    DOOR_LOCK,
    LAST_LEVEL,
    MULTILEVEL_SWITCH,
    Device,
    devices_of,
    is_jammed,
    is_new_jam,
)
from zwave_mcp.home import (
    ACKNOWLEDGED,
    CONFIRMED,
    ENDPOINT_NOT_FOUND,
    FAILED,
    INVALID_VALUE,
    NO_DEVICE_SUPPORT,
    NOT_IMPLEMENTED,
    WORKING,
    WRITE_TIMEOUT_SECONDS,
    Home,
    HomeError,
    NoAnswer,
    Node,
    NotUnderstood,
    Refused,
    Value,
    ValueId,
    WriteResult,
    is_number,
)
from zwave_mcp.notifications import BOLT_UNKNOWN
from zwave_mcp.results import Outcome

_ACCEPTED: Final = frozenset({CONFIRMED, WORKING, ACKNOWLEDGED})
_CALLERS_ERRORS: Final[dict[int, Outcome]] = {
    NO_DEVICE_SUPPORT: "unsupported",
    ENDPOINT_NOT_FOUND: "unsupported",
    NOT_IMPLEMENTED: "unsupported",
    INVALID_VALUE: "invalid",
}
_UNKNOWN: Final = object()
_NEAR_TARGET: Final = 2  # levels
_A_MOMENT: Final = 0.1  # on its way, and how long is not known
_SAME_REPORT_SECONDS: Final = 2.0  # between two values of one report
_CLOSING, _OPENING = 252, 254  # a garage door on its way says where to


@dataclass(frozen=True, slots=True)
class Command:
    device: Device
    write: ValueId
    value: Any
    read: ValueId  # the value that tells what the device did
    reached: Callable[[Any], bool]
    moves: bool = False  # a motor: on its way is an answer
    stops: bool = False  # a motor: done when two looks at it are the same
    rounds: bool = False  # a fan with a few speeds takes one of them: which, only it can tell
    options: Mapping[str, Any] | None = None  # what goes along with the value

    @property
    def recalls(self) -> bool:
        """ "On, as bright as it was": only the device knows how bright that is."""
        return self.value == LAST_LEVEL and self.write.command_class == MULTILEVEL_SWITCH


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    outcome: Outcome
    value: Any = None  # the device's own value, where it gave one
    known: bool = False
    jammed: bool = False
    message: str = ""
    unanswered: bool = False  # somebody on the way has it, and may carry it out at any time


async def carry_out(home: Home, command: Command, within_seconds: float | None = None) -> CommandOutcome:
    try:
        async with asyncio.timeout(
            home.pace.tool_seconds if within_seconds is None else within_seconds
        ) as limit:
            return await _send(home, command)
    except TimeoutError:
        if not limit.expired():
            raise
        return CommandOutcome("unconfirmed")


async def _send(home: Home, command: Command) -> CommandOutcome:
    node = command.device.node
    if node.dead and not await _answers(home, node.id):
        return CommandOutcome("unreachable")
    try:
        limit = home.pace.asleep_seconds if node.asleep else WRITE_TIMEOUT_SECONDS
        written = await home.write(command.write, command.value, limit, command.options)
    except NotUnderstood as error:
        return CommandOutcome("unconfirmed", message=str(error))
    except NoAnswer:
        asleep = node.asleep or await _fell_asleep(home, node.id)
        return CommandOutcome("queued" if asleep else "unconfirmed", unanswered=True)
    except Refused as refusal:
        return CommandOutcome("failed", message=str(refusal))
    try:
        return await _judge(home, command, written)
    except HomeError as error:  # it was sent, and now nobody can say what became of it
        return CommandOutcome("unconfirmed", message=str(error))


async def _judge(home: Home, command: Command, written: WriteResult) -> CommandOutcome:
    if command.stops and written.status in _ACCEPTED:
        return await _after_stop(home, command)
    if written.status == CONFIRMED:
        return await _after_confirmation(home, command)
    if written.status == WORKING:
        return await _after_working(home, command, written.remaining_seconds)
    if written.status == ACKNOWLEDGED:
        lock = command.device.kind == "lock"
        return await _ask(home, command, home.pace.lock_window_seconds if lock else home.pace.window_seconds)
    if written.status == FAILED:
        return CommandOutcome("unreachable" if await _died(home, command.device) else "failed")
    if written.status in _CALLERS_ERRORS:
        return CommandOutcome(_CALLERS_ERRORS[written.status], message=written.message)
    raise NotUnderstood


async def _answers(home: Home, node_id: int) -> bool:
    try:
        return await home.ping(node_id)
    except (NoAnswer, Refused):
        return False


async def _after_confirmation(home: Home, command: Command) -> CommandOutcome:
    """It is done; the device is asked only where the command does not tell the value ("as bright as it was",
    one of a few speeds), and where a motor or a bolt may have confirmed no more than its start."""
    if command.moves:
        value = await _polled(home, command)
        there = value is not _UNKNOWN and command.reached(value)
        return CommandOutcome("confirmed", value, known=True) if there else CommandOutcome("working")
    if command.device.kind == "lock":
        return await _after_bolt(home, command)
    if command.recalls or command.rounds:
        return await _after_level(home, command)
    return CommandOutcome("confirmed", command.value, known=True)


async def _after_level(home: Home, command: Command) -> CommandOutcome:
    taken = replace(command, reached=_is_on) if command.rounds else command
    verdict = await _ask(home, taken, home.pace.window_seconds)
    if not verdict.known:
        return CommandOutcome("confirmed")
    # It may say both that it did it and that it did not.
    return replace(verdict, outcome="unconfirmed") if verdict.outcome == "failed" else verdict


async def _after_bolt(home: Home, command: Command) -> CommandOutcome:
    """A lock may confirm that it was told, and jam: its bolt counts, by its answer or by what it reported."""
    verdict = await _ask(home, command, home.pace.lock_window_seconds)
    if verdict.known or verdict.jammed:
        return verdict
    bolt = (await _told(home, command)).get(command.read)
    silent = bolt is None or bolt.value is None  # then its own confirmation is all there is
    there = silent or (bolt is not None and bolt.value != BOLT_UNKNOWN and command.reached(bolt.value))
    return CommandOutcome("confirmed", command.value, known=True) if there else verdict


def _is_on(now: Any) -> bool:
    return is_number(now) and now > 0


async def _after_working(home: Home, command: Command, remaining_seconds: float | None) -> CommandOutcome:
    remaining = remaining_seconds if remaining_seconds is not None else 1.0
    if command.moves or remaining > home.pace.short_ramp_seconds:
        return CommandOutcome("working")
    await asyncio.sleep(remaining)
    lock = command.device.kind == "lock"
    verdict = await _ask(
        home, command, home.pace.lock_window_seconds if lock else home.pace.after_ramp_seconds
    )
    # It accepted the command, so an unfinished ramp is still on its way; so is one of which it did not say
    # how long it takes.
    endless = remaining_seconds is None and verdict.outcome == "failed" and not lock
    if verdict.outcome == "unconfirmed" or endless:
        return CommandOutcome("working", verdict.value, verdict.known)
    return verdict


async def _after_stop(home: Home, command: Command) -> CommandOutcome:
    first = await _polled(home, command)
    await asyncio.sleep(home.pace.stop_check_seconds)
    second = await _polled(home, command)
    if first is _UNKNOWN or second is _UNKNOWN:
        return CommandOutcome("unconfirmed")
    if first == second and await _left(home, command):  # it shows where it is only at the end
        return CommandOutcome("unconfirmed")
    return CommandOutcome("confirmed", second, known=True) if first == second else CommandOutcome("failed")


async def look(home: Home, command: Command) -> CommandOutcome:
    """What became of one more value that was sent along with another."""
    try:
        return await _ask(home, command, home.pace.window_seconds)
    except HomeError as error:
        return CommandOutcome("unconfirmed", message=str(error))


async def _ask(home: Home, command: Command, window_seconds: float) -> CommandOutcome:
    """Poll until the device says so, or the time is over."""
    clock = asyncio.get_running_loop().time
    end, pause = clock() + window_seconds, home.pace.first_poll_seconds
    seen: list[Any] = []
    while True:
        value = await _polled(home, command)
        if value is not _UNKNOWN:
            seen.append(value)
            rest = await _rest(home, command, seen)
            if command.reached(value) and not rest:
                return CommandOutcome("confirmed", value, known=True)
            if rest > home.pace.short_ramp_seconds or (command.moves and _under_way(command, seen)):
                return CommandOutcome("working", value, known=True)
        if await _newly_jammed(home, command.device):
            return CommandOutcome("failed", seen[-1] if seen else None, bool(seen), jammed=True)
        if clock() + pause > end:
            return await _not_reached(home, command, seen)
        await asyncio.sleep(pause)
        pause = home.pace.poll_every_seconds


async def _rest(home: Home, command: Command, seen: list[Any]) -> float:
    """How long a device is still on its way, by its own word; 0 when it has arrived or tells nothing.

    One that was told "as bright as it was" knows where to, and says so with every answer, or two answers must
    be the same; a fan may stop at a speed of its own, so two of its answers must be, too.
    """
    reached = command.reached(seen[-1])
    if not reached:  # the first answer says whether it is worth to wait
        return await _left(home, command) if len(seen) == 1 else 0.0
    if not command.recalls and not command.rounds:
        return 0.0
    told = await _told(home, command)
    target, left = told.get(command.write), _left_of(told, command)
    goal = target.value if target is not None else None
    if is_number(goal) and goal != LAST_LEVEL:
        if abs(seen[-1] - goal) <= _NEAR_TARGET:
            return 0.0
        if not command.rounds:
            return left or _A_MOMENT
    return left or (0.0 if len(seen) > 1 and seen[-1] == seen[-2] else _A_MOMENT)


async def _told(home: Home, command: Command) -> dict[ValueId, Value]:
    """All that is known of the device now: with its answer to a poll it has told more than was asked for."""
    node = await _node_now(home, command.device.node.id)
    return {value.id: value for value in node.values} if node is not None else {}


def _left_of(told: Mapping[ValueId, Value], command: Command) -> float:
    """What the ramp still takes, as it was told along with the level: an older word is of an older ramp."""
    left = told.get(replace(command.write, property="duration", property_key=None))
    if left is None or not is_number(left.value):
        return 0.0
    level = told.get(command.read)
    if level is not None and level.updated is not None and left.updated is not None:
        together = abs(level.updated - left.updated) <= _SAME_REPORT_SECONDS
        return float(left.value) if together else 0.0
    return float(left.value)


async def _left(home: Home, command: Command) -> float:
    """With its level, or colour, a light tells how long its ramp still takes."""
    if command.write.command_class not in (MULTILEVEL_SWITCH, COLOR_SWITCH):
        return 0.0
    return _left_of(await _told(home, command), command)


async def _not_reached(home: Home, command: Command, seen: list[Any]) -> CommandOutcome:
    if not seen:
        return CommandOutcome("unreachable" if await _died(home, command.device) else "unconfirmed")
    if _under_way(command, seen) or await _left(home, command):
        return CommandOutcome("working", seen[-1], known=True)
    if command.reached(seen[-1]):
        return CommandOutcome("confirmed", seen[-1], known=True)
    return CommandOutcome("failed", seen[-1], known=True, jammed=is_jammed(command.device))


def _under_way(command: Command, seen: list[Any]) -> bool:
    """Of one that does not say it, two looks differ. A garage door that has stopped is at its end."""
    if command.read.command_class == BARRIER:
        return bool(seen[-1] == (_OPENING if command.value else _CLOSING))
    return len(seen) > 1 and seen[-1] != seen[-2]


async def _died(home: Home, device: Device) -> bool:
    node = await _node_now(home, device.node.id)
    return node is not None and node.dead


async def _fell_asleep(home: Home, node_id: int) -> bool:
    """Since the list of devices was read: what it was sent then waits for it to wake up."""
    node = await _node_now(home, node_id)
    return node is not None and node.asleep


async def _node_now(home: Home, node_id: int) -> Node | None:
    try:
        fresh = await home.snapshot(0)
    except HomeError:
        return None
    return next((node for node in fresh.nodes if node.id == node_id), None)


async def _newly_jammed(home: Home, device: Device) -> bool:
    """A jam that was there before counts only when the command's time is over."""
    if device.kind != "lock":
        return False
    try:
        fresh = await home.snapshot(0)
    except HomeError:
        return False
    return any(
        is_new_jam(device, now)
        for now in devices_of(fresh)
        if now.node.id == device.node.id and now.endpoint == device.endpoint
    )


async def _polled(home: Home, command: Command) -> Any:
    """The device's own value; what is of another sort than the wish tells nothing about it."""
    try:
        value = await home.poll(command.read)
    except (NoAnswer, Refused):
        return _UNKNOWN
    yes_or_no = isinstance(command.value, bool) and not command.stops
    fits = isinstance(value, bool) if yes_or_no else is_number(value)
    lost = command.read.command_class == DOOR_LOCK and value == BOLT_UNKNOWN
    return value if fits and not lost else _UNKNOWN
