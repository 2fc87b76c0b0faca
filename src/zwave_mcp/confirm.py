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
    seconds = home.timing.tool_seconds if within_seconds is None else within_seconds
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _Attempt(home, command).send()
    except TimeoutError:
        if not limit.expired():
            raise
        return CommandOutcome("unconfirmed")


async def settle(home: Home, command: Command) -> CommandOutcome:
    """Like `carry_out`, for one of several devices: a home that is away is its outcome."""
    try:
        return await carry_out(home, command)
    except HomeError as error:
        return CommandOutcome("unconfirmed", message=str(error))


async def look(home: Home, command: Command) -> CommandOutcome:
    """What became of a value that was sent along with another."""
    attempt = _Attempt(home, command)
    try:
        return await attempt.ask(attempt.window_seconds)
    except HomeError as error:
        return CommandOutcome("unconfirmed", message=str(error))


async def answers_ping(home: Home, node_id: int) -> bool:
    try:
        return await home.ping(node_id)
    except (NoAnswer, GatewayError):
        return False


class _Attempt:
    """One command on its way, and what the device has answered to polls meanwhile."""

    def __init__(self, home: Home, command: Command) -> None:
        self._home, self._command, self._timing = home, command, home.timing
        self._is_lock, timing = command.device.kind == "lock", home.timing
        self.window_seconds = timing.lock_window_seconds if self._is_lock else timing.window_seconds
        self._seen: list[Any] = []

    async def send(self) -> CommandOutcome:
        command, node = self._command, self._command.device.node
        if node.dead and not await answers_ping(self._home, node.id):
            return CommandOutcome("unreachable")
        try:
            limit = self._timing.asleep_seconds if node.asleep else 10.0
            written = await self._home.write(command.write, command.value, limit, command.options)
        except NotUnderstood as error:
            return CommandOutcome("unconfirmed", message=str(error))
        except NoAnswer:
            now = node if node.asleep else await _node_now(self._home, node.id)
            asleep = now is not None and now.asleep
            return CommandOutcome("queued" if asleep else "unconfirmed", unanswered=True)
        except GatewayError as error:
            return CommandOutcome("failed", message=str(error))
        try:
            return await self._judge(written)
        except HomeError as error:  # it was sent, and now nothing tells what became of it
            return CommandOutcome("unconfirmed", message=str(error))

    async def _judge(self, written: WriteResult) -> CommandOutcome:
        status = written.status
        if self._command.stops and status in (Status.CONFIRMED, Status.WORKING, Status.ACKNOWLEDGED):
            return await self._after_stop()
        if status == Status.CONFIRMED:
            return await self._after_confirmation()
        if status == Status.WORKING:
            return await self._after_working(written.remaining_seconds)
        if status == Status.ACKNOWLEDGED:
            return await self.ask(self.window_seconds)
        if status == Status.FAILED:
            return CommandOutcome("unreachable" if await self._died() else "failed")
        if status in _REJECTED:
            return CommandOutcome(_REJECTED[status], message=written.message)
        raise NotUnderstood

    async def _after_confirmation(self) -> CommandOutcome:
        """The device confirmed. It is polled where the command does not tell the value ("as bright as it
        was", one of a few speeds), and where a motor or a bolt may have confirmed no more than its start."""
        command = self._command
        if command.moves:
            await self._poll()
            there = self._seen and command.reached(self._seen[0])
            return self._seen_as("confirmed") if there else CommandOutcome("working")
        if self._is_lock:
            return await self._after_bolt()
        recalls = command.value == LAST_LEVEL and command.write.command_class == CC.MULTILEVEL_SWITCH
        if recalls or command.rounds:  # only the device knows the level
            if command.rounds:
                self._command = replace(command, reached=lambda now: is_number(now) and now > 0)
            verdict = await self.ask(self.window_seconds)
            if not verdict.known:
                return CommandOutcome("confirmed")
            # A device may say both that it did it and that it did not.
            return replace(verdict, outcome="unconfirmed") if verdict.outcome == "failed" else verdict
        return CommandOutcome("confirmed", command.value, known=True)

    async def _after_bolt(self) -> CommandOutcome:
        """A lock may confirm a command and jam: its bolt counts, as polled or as reported."""
        verdict = await self.ask(self.window_seconds)
        if verdict.known or verdict.jammed:
            return verdict
        bolt = (await self._device()).raw(self._command.read)
        # Without a value its own confirmation is all there is.
        there = bolt is None or (bolt != BOLT_UNKNOWN and self._command.reached(bolt))
        return CommandOutcome("confirmed", self._command.value, known=True) if there else verdict

    async def _after_working(self, remaining_seconds: float | None) -> CommandOutcome:
        remaining = 1.0 if remaining_seconds is None else remaining_seconds
        if self._command.moves or remaining > self._timing.short_ramp_seconds:
            return CommandOutcome("working")
        await asyncio.sleep(remaining)
        verdict = await self.ask(self.window_seconds if self._is_lock else self._timing.after_ramp_seconds)
        # The device accepted the command, so an unfinished ramp is on its way; so is one of unknown length.
        endless = remaining_seconds is None and verdict.outcome == "failed" and not self._is_lock
        if verdict.outcome == "unconfirmed" or endless:
            return CommandOutcome("working", verdict.value, verdict.known)
        return verdict

    async def _after_stop(self) -> CommandOutcome:
        await self._poll()
        await asyncio.sleep(self._timing.stop_check_seconds)
        await self._poll()
        if len(self._seen) < 2:
            return CommandOutcome("unconfirmed")
        if self._seen[0] != self._seen[1]:
            return CommandOutcome("failed")
        # Some report their position only at the end.
        return CommandOutcome("unconfirmed") if await self._ramp_left() else self._seen_as("confirmed")

    async def ask(self, window_seconds: float) -> CommandOutcome:
        """Poll until the device confirms the command, or the window is over."""
        clock, command = asyncio.get_running_loop().time, self._command
        end, pause = clock() + window_seconds, self._timing.first_poll_seconds
        while True:
            if await self._poll():
                rest = await self._rest()
                if command.reached(self._seen[-1]) and not rest:
                    return self._seen_as("confirmed")
                if rest > self._timing.short_ramp_seconds or (command.moves and self._under_way()):
                    return self._seen_as("working")
            if self._is_lock and await self._newly_jammed():
                return self._seen_as("failed", jammed=True)
            if clock() + pause > end:
                return await self._not_reached()
            await asyncio.sleep(pause)
            pause = self._timing.poll_every_seconds

    def _seen_as(self, outcome: Outcome, *, jammed: bool = False) -> CommandOutcome:
        return CommandOutcome(outcome, self._seen[-1] if self._seen else None, bool(self._seen), jammed)

    async def _poll(self) -> bool:
        """Note the device's own value; one of another type than the wish tells nothing about it."""
        command = self._command
        try:
            value = await self._home.poll(command.read)
        except (NoAnswer, GatewayError):
            return False
        is_switch = isinstance(command.value, bool) and not command.stops
        fits = isinstance(value, bool) if is_switch else is_number(value)
        lost = command.read.command_class == CC.DOOR_LOCK and value == BOLT_UNKNOWN
        if fits and not lost:
            self._seen.append(value)
        return fits and not lost

    async def _rest(self) -> float:
        """How long the device is still on its way; 0 if it has arrived.

        It has arrived with the wished level, with its own target, or when two answers are equal: a level near
        to the wish may be one that a ramp passes.
        """
        command, seen = self._command, self._seen
        if not command.reached(seen[-1]):  # the first answer says whether waiting is worth it
            return await self._ramp_left() if len(seen) == 1 else 0.0
        levels = command.write.command_class in (CC.MULTILEVEL_SWITCH, CC.WINDOW_COVERING)
        if not levels or isinstance(command.value, bool) or seen[-1] == command.value:
            return 0.0
        now = await self._device()
        goal, left = now.raw(command.write), ramp_left(now, command.read, command.write)
        if is_number(goal) and goal != LAST_LEVEL and not command.rounds:
            if seen[-1] == goal:
                return 0.0
            if abs(seen[-1] - goal) > _NEAR_TARGET:
                return left or _A_MOMENT
        return left or (0.0 if len(seen) > 1 and seen[-1] == seen[-2] else _A_MOMENT)

    async def _not_reached(self) -> CommandOutcome:
        if not self._seen:
            return CommandOutcome("unreachable" if await self._died() else "unconfirmed")
        if self._under_way() or await self._ramp_left():
            return self._seen_as("working")
        if self._command.reached(self._seen[-1]):
            return self._seen_as("confirmed")
        return self._seen_as("failed", jammed=is_jammed(self._command.device))

    def _under_way(self) -> bool:
        """Whether two polls differ; a garage door says itself that it moves."""
        if self._command.read.command_class == CC.BARRIER:
            return bool(self._seen[-1] == (_OPENING if self._command.value else _CLOSING))
        return len(self._seen) > 1 and self._seen[-1] != self._seen[-2]

    async def _newly_jammed(self) -> bool:
        """Whether a jam was reported since. An old one says nothing about this command; a time of its own
        makes it new."""
        old, now = lock_state(self._command.device), lock_state(await self._device())
        if now is None or now.value != JAMMED:
            return False
        return old is None or old.value not in (JAMMED, None) or old.updated != now.updated

    async def _died(self) -> bool:
        node = await _node_now(self._home, self._command.device.node.id)
        return node is not None and node.dead

    async def _device(self) -> Device:
        """The device with all of its values: its answer to a poll brought more than was asked for."""
        node = await _node_now(self._home, self._command.device.node.id)
        return self._command.device if node is None else fresh(self._command.device, node)

    async def _ramp_left(self) -> float:
        return ramp_left(await self._device(), self._command.read, self._command.write)


async def _node_now(home: Home, node_id: int) -> Node | None:
    try:
        snapshot = await home.snapshot(0)
    except HomeError:
        return None
    return next((node for node in snapshot.nodes if node.id == node_id), None)


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
        levels = await asyncio.gather(*(_asked(home, item, 4.0) for item in ids))
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
