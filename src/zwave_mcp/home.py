"""The `Home` protocol and its data: Z-Wave JS UI's API, offered by the real home and by the simulated one.

A home is transport only: nodes, values, writes, polls, pings and scenes. What a name means, what a device can
do, when a command is confirmed and what is said about it is decided above it, once for both homes.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Protocol


class Status(IntEnum):
    """What `writeValue` answers, as zwave-js gives it."""

    NO_DEVICE_SUPPORT = 0
    WORKING = 1  # the device accepted the command and is on its way
    FAILED = 2  # no answer, unknown node, or a value that could not be sent
    ENDPOINT_NOT_FOUND = 3
    NOT_IMPLEMENTED = 4
    INVALID_VALUE = 5
    ACKNOWLEDGED = 254  # the radio frame arrived; what the device did with it is not known
    CONFIRMED = 255  # the device itself confirmed it (supervision)


class HomeError(Exception):
    """A home could not do what was asked. The text is one sentence, fit to be spoken."""


class HomeDown(HomeError):
    """The broker, the gateway or the stick is away. Raised at once while the connection is known to be down,
    and for every pending call when it drops. `sent`: a command may have left before, so it may still
    happen."""

    def __init__(self, sentence: str, *, sent: bool = False) -> None:
        super().__init__(sentence)
        self.sent = sent


class NoAnswer(HomeError):
    """The request was sent and nothing came back within its limit: it may still happen."""


class NotUnderstood(NoAnswer):
    """The answer cannot be interpreted, and no other one will come."""

    def __init__(self) -> None:
        super().__init__("Z-Wave JS UI gave an answer that could not be understood.")


class GatewayError(HomeError):
    """The gateway answered `success: false`; the text is its message."""


class CannotDo(HomeError):
    """The gateway's version has no such call, or its stick cannot do it. Nothing was sent."""


@dataclass(frozen=True, slots=True)
class ValueId:
    """The address of a value. Topics are never built from names."""

    node_id: int
    command_class: int
    endpoint: int
    property: str | int
    property_key: str | int | None = None

    def to_wire(self) -> dict[str, Any]:
        """The form that `writeValue` and `pollValue` take."""
        wire: dict[str, Any] = {
            "nodeId": self.node_id,
            "commandClass": self.command_class,
            "endpoint": self.endpoint,
            "property": self.property,
        }
        return wire if self.property_key is None else {**wire, "propertyKey": self.property_key}

    def __str__(self) -> str:
        """Z-Wave JS UI's own id text, `3-38-0-targetValue`; a property key adds a part."""
        parts = (self.node_id, self.command_class, self.endpoint, self.property, self.property_key)
        return "-".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as the driver remembers it: after a write it may be the wished one (optimistic)."""

    id: ValueId
    value: Any = None  # bool, number, text, or None while unknown
    label: str = ""
    unit: str = ""
    states: Mapping[int | bool | str, str] = field(default_factory=dict)  # value -> text
    minimum: float | None = None
    maximum: float | None = None
    writeable: bool = False
    target: ValueId | None = None  # the value to write, where this one is the state
    updated: float | None = None  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Node:
    """A Z-Wave node; the controller and virtual nodes are left out already."""

    id: int
    name: str = ""
    room: str = ""
    status: str = "Unknown"  # Alive, Awake, Asleep, Dead or Unknown
    available: bool = True
    values: tuple[Value, ...] = ()
    product: str = ""
    ready: bool = True  # the driver knows what the node can do
    members: tuple[int, ...] = ()  # of a multicast group
    starting: bool = False  # the gateway has just started and will know the node in a moment
    classes: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # endpoint -> (generic, specific)

    @property
    def dead(self) -> bool:
        return self.status == "Dead" or not self.available

    @property
    def asleep(self) -> bool:
        return self.status == "Asleep"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All nodes at one moment."""

    nodes: tuple[Node, ...]
    taken: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Report:
    """A value or event that the gateway has just published. `value` is None where there was none."""

    nodes: tuple[int, ...]  # several where devices share a name and so their topics
    command_class: int
    endpoint: int
    prop: str | int
    key: str | int | None
    value: Any = None


@dataclass(frozen=True, slots=True)
class WriteResult:
    status: int
    remaining_seconds: float | None = None  # with WORKING, where the device tells it
    message: str = ""


@dataclass(frozen=True, slots=True)
class SceneValue:
    id: ValueId
    value: Any


@dataclass(frozen=True, slots=True)
class Scene:
    id: int
    name: str
    values: tuple[SceneValue, ...] = ()
    complete: bool = True  # `values` is all that the scene does


@dataclass(frozen=True, slots=True)
class LockUser:
    """A user of a lock. The code itself is never kept."""

    id: int
    active: bool
    name: str = ""  # most locks tell none


@dataclass(frozen=True, slots=True)
class Health:
    """`ok` only when every part is up; otherwise `problem` is one sentence."""

    ok: bool
    problem: str = ""
    broker: bool | None = None  # None: unknown, or none exists (simulated)
    gateway: bool | None = None
    driver: bool | None = None
    gateway_name: str = ""
    version: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """How long devices are given, and how often they are polled meanwhile."""

    tool_seconds: float = 15.0  # a whole tool call: a voice client gives up after 30 s
    asleep_seconds: float = 2.0  # a sleeping device answers at wake-up, in hours
    short_ramp_seconds: float = 3.0  # a ramp this short is waited for
    after_ramp_seconds: float = 2.0
    window_seconds: float = 5.0  # how long a device is polled before the command counts as failed
    lock_window_seconds: float = 10.0
    first_poll_seconds: float = 0.4
    poll_every_seconds: float = 1.0
    stop_check_seconds: float = 0.4  # a motor that still moves is elsewhere by then
    scene_window_seconds: float = 5.0
    scene_poll_seconds: float = 0.5
    starting_seconds: float = 3.0  # how long a gateway that has just started is given to know a device
    starting_poll_seconds: float = 0.3


class Home(Protocol):
    """Every method may raise HomeDown; those that ask the gateway may also raise NoAnswer and GatewayError.

    Each call has its own limit; cancellation ends it at once and nothing is sent afterwards. Calls may run
    concurrently, and one that needs no radio (`snapshot`, `scenes`, `health`) never waits for one that does.
    """

    simulated: bool
    timing: Timing

    async def run(self) -> None:
        """Stay connected until cancelled; reconnects without end. A call made while an attempt is under way
        waits at most a second for it, and then raises HomeDown."""

    def on_snapshot(self, listener: Callable[[Snapshot], None]) -> None:
        """Call `listener` in the event loop with each new snapshot. The home takes one after each connection
        and every half minute, so a renamed or new device is noticed without a call."""

    def on_report(self, listener: Callable[[Report], None]) -> None:
        """Call `listener` with every value and event that the gateway publishes, once `follow` was called."""

    def follow(self) -> None:
        """Subscribe to values and events from now on, so changes reach the listeners at once."""

    async def snapshot(self, max_age_seconds: float = 1.0) -> Snapshot:
        """The nodes; from memory if younger than `max_age_seconds` and nothing was written since."""

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = 10.0,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        """Send one value with its options (`{"volume": 15}`), at most once. The result is what the gateway
        knows, not what the device did. Nothing is sent to a gateway that does not answer."""

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        """Queue the previous value behind an unanswered write. False: sent only once the connection is
        back."""

    async def poll(self, value_id: ValueId, timeout_seconds: float = 4.0) -> Any:
        """The value as the device gives it over the radio. GatewayError: the device did not answer."""

    async def ping(self, node_id: int, timeout_seconds: float = 4.0) -> bool:
        """Whether the device answers."""

    async def scenes(self) -> tuple[Scene, ...]: ...

    async def activate_scene(self, scene_id: int) -> None:
        """Return when the gateway accepted it: the values follow."""

    async def lock_users(self, node_id: int) -> tuple[LockUser, ...]:
        """The users as the lock tells them. CannotDo: the gateway's version has no such call."""

    async def rename(self, node_id: int, name: str | None, room: str | None) -> None:
        """Set the name, the room or both."""

    async def health(self) -> Health:
        """Never raises: problems are part of the result."""


def is_number(raw: Any) -> bool:
    """Whether it is a finite number: JSON also brings NaN, infinity, and integers of hundreds of digits."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return False
    try:
        return math.isfinite(raw)
    except OverflowError:
        return False


def scalar(raw: object) -> bool | float | str | None:
    """The value, or None if it is no bool, text or number."""
    return raw if isinstance(raw, bool | str) or is_number(raw) else None  # type: ignore[return-value]


_TOLD_CLASSES: Final = {
    99: frozenset({"userIdStatus", "keypadMode"}),  # User Code
    131: frozenset({"userType", "userActive", "userNameEncoding", "credentialType"}),  # User Credential
    111: frozenset({"eventType", "dataType", "keyCacheSize", "keyCacheTimeout"}),  # Entry Control
}


def is_secret(command_class: int, prop: object) -> bool:
    """Whether a value may hold a lock's code or what was typed on a keypad.

    Z-Wave JS UI shows these in clear (measured), so they are dropped where its answers are read. Of these
    classes only the named properties are safe: a newer driver may have more.
    """
    allowed = _TOLD_CLASSES.get(command_class)
    return allowed is not None and prop not in allowed
