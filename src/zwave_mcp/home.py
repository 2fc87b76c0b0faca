"""What a home offers to the tools: one Protocol for the real one and the simulated one.

The Protocol is deliberately low: it is Z-Wave JS UI's API (nodes, write a value, ask the device for a value,
ping, scenes) and nothing more. What a name means, what a device can do, when a command is confirmed and what
is said about it is decided once, above it (`devices.py`, `control.py`, `wording.py`). So both homes give
the same outcomes and the same sentences, and a home is transport only.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from zwave_mcp.maintenance.network import Network

# Statuses of `writeValue`, as zwave-js gives them.
NO_DEVICE_SUPPORT: Final = 0
WORKING: Final = 1  # the device accepted it and is on its way
FAILED: Final = 2  # no answer, unknown node, or a value that could not be sent
ENDPOINT_NOT_FOUND: Final = 3
NOT_IMPLEMENTED: Final = 4
INVALID_VALUE: Final = 5
ACKNOWLEDGED: Final = 254  # the radio frame arrived; what the device did with it is not known
CONFIRMED: Final = 255  # the device itself said so (supervision)


class HomeError(Exception):
    """A home could not do what was asked. The text is one sentence, fit to be spoken."""


class HomeDown(HomeError):
    """Nothing can be asked at the moment: broker, gateway or stick is away. Raised at once when the
    connection is known to be down, and for every pending call when it drops.

    `sent` says whether a command may have left before: then it may still happen.
    """

    def __init__(self, sentence: str, *, sent: bool = False) -> None:
        super().__init__(sentence)
        self.sent = sent


class NoAnswer(HomeError):
    """The request was sent and nothing came back within its limit: it may still happen."""


class NotUnderstood(NoAnswer):
    """An answer came and says nothing: as good as none, but there is no other to wait for."""

    def __init__(self) -> None:
        super().__init__("Z-Wave JS UI gave an answer that could not be understood.")


class Refused(HomeError):
    """The gateway answered that it could not do it (`success: false`); the text is its message."""


@dataclass(frozen=True, slots=True)
class ValueId:
    """Where a value lives. Node ids are the only address: topics are never built from names."""

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
        if self.property_key is not None:
            wire["propertyKey"] = self.property_key
        return wire

    def __str__(self) -> str:
        """Z-Wave JS UI's own id text, `3-38-0-targetValue`; property keys add a part."""
        parts = [self.node_id, self.command_class, self.endpoint, self.property]
        if self.property_key is not None:
            parts.append(self.property_key)
        return "-".join(str(part) for part in parts)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a node, as the driver remembers it: after a write it may be a wish (optimistic)."""

    id: ValueId
    value: Any = None  # bool, number, text or None when it is not known yet
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
    """One Z-Wave device as the controller knows it; controller and virtual nodes are left out already."""

    id: int
    name: str = ""
    room: str = ""
    status: str = "Unknown"  # Alive, Awake, Asleep, Dead or Unknown
    available: bool = True
    values: tuple[Value, ...] = ()
    product: str = ""
    ready: bool = True  # the driver knows what it can do
    members: tuple[int, ...] = ()  # of a group: the nodes that it reaches, all at once
    starting: bool = False  # … and will in a moment: nothing of it is known yet
    # What it says it is built for, by endpoint: (generic, specific) of its device class.
    classes: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def dead(self) -> bool:
        return self.status == "Dead" or not self.available

    @property
    def asleep(self) -> bool:
        return self.status == "Asleep"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All nodes at one moment. Immutable, so a tool works on one consistent picture."""

    nodes: tuple[Node, ...]
    taken: float = field(default_factory=time.monotonic)

    def age_seconds(self) -> float:
        return time.monotonic() - self.taken


@dataclass(frozen=True, slots=True)
class WriteResult:
    status: int
    remaining_seconds: float | None = None  # with WORKING, where the device knows it
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
    complete: bool = True  # `values` is all that it does


@dataclass(frozen=True, slots=True)
class Health:
    """`ok` only when every part is up. `problem` is one sentence, empty when all is well."""

    ok: bool
    problem: str = ""
    broker: bool | None = None  # None: not known, or there is none (simulated)
    gateway: bool | None = None
    driver: bool | None = None
    gateway_name: str = ""
    version: str = ""
    simulated: bool = False


SNAPSHOT_MAX_AGE_SECONDS: Final = 1.0  # so old may a name be
SNAPSHOT_TIMEOUT_SECONDS: Final = 3.0
WRITE_TIMEOUT_SECONDS: Final = 10.0
POLL_TIMEOUT_SECONDS: Final = 4.0
PING_TIMEOUT_SECONDS: Final = 4.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a home is given to do something, and how often it is asked meanwhile."""

    # The whole of one tool call: a voice client gives up after 30 s and must hear this answer first.
    tool_seconds: float = 15.0
    # Reports of a sleeping device come at wake-up, in hours; a reply this late will not come.
    asleep_seconds: float = 2.0
    # A ramp that is over soon is waited for; a voice should not wait longer for the rest.
    short_ramp_seconds: float = 3.0
    after_ramp_seconds: float = 2.0
    window_seconds: float = 5.0  # how long the device is asked before "it did not" is said
    lock_window_seconds: float = 10.0
    first_poll_seconds: float = 0.4  # most devices have finished by then
    poll_every_seconds: float = 1.0
    stop_check_seconds: float = 0.4  # a motor that moves is elsewhere by then
    scene_window_seconds: float = 5.0
    scene_poll_seconds: float = 0.5
    starting_seconds: float = 3.0  # how long a gateway that has just started is given to know a device
    starting_poll_seconds: float = 0.3


@runtime_checkable
class Telling(Protocol):
    """A home that can tell of changes by itself."""

    def follow(self) -> None:
        """Somebody wants to hear of them at once, not only when he asks."""
        ...


class Home(Protocol):
    """Every method may raise HomeDown; those that ask the gateway may raise NoAnswer or Refused as well.

    Each has its own limit inside; a caller's cancellation ends it at once and nothing is sent afterwards.
    Calls may run at the same time. One that needs no radio (`snapshot`, `scenes`, `health`) never waits
    behind one that does.
    """

    simulated: bool
    pace: Pace

    @property
    def network(self) -> "Network":
        """What is done with the network itself, and not with a device's values."""
        ...

    async def run(self) -> None:
        """Keep the home connected until cancelled; cancellation closes everything. It reconnects by itself
        and never ends for a reason that may go away. Calls made before it is connected wait for the first
        attempt for at most a second, and then raise HomeDown."""

    def watch(self, listener: Callable[[Snapshot], None]) -> None:
        """`listener` is called in the event loop with every new snapshot. A home takes one by itself after
        each (re)connection and every half minute: so a renamed or new device is noticed without a call."""

    async def snapshot(self, max_age_seconds: float = SNAPSHOT_MAX_AGE_SECONDS) -> Snapshot:
        """The nodes, from memory when younger than `max_age_seconds` and nothing was written since."""

    async def write(
        self,
        value_id: ValueId,
        value: Any,
        timeout_seconds: float = WRITE_TIMEOUT_SECONDS,
        options: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        """Send one value, with what goes along with it (`{"volume": 15}`); the result says what the gateway
        knows, not what the device did. Sent at most once: never repeated, never kept for later. Nothing is
        sent to a gateway that does not answer: HomeDown."""

    async def take_back(self, value_id: ValueId, value: Any) -> bool:
        """The value of before, behind a write that nobody answered: who carries that out late does
        this too. False: it cannot be sent now, and is as soon as the connection is back."""

    async def poll(self, value_id: ValueId, timeout_seconds: float = POLL_TIMEOUT_SECONDS) -> Any:
        """The value as the device itself gives it over the radio, None when it gave none. Refused: the device
        did not answer."""

    async def ping(self, node_id: int, timeout_seconds: float = PING_TIMEOUT_SECONDS) -> bool:
        """Whether the device answers."""

    async def scenes(self) -> tuple[Scene, ...]: ...

    async def activate_scene(self, scene_id: int) -> None:
        """Returns when the gateway accepted it: the values follow."""

    async def health(self) -> Health:
        """Never raises: what is wrong stands in the result."""


def is_number(raw: Any) -> bool:
    """JSON also brings NaN, infinity, and whole numbers of hundreds of digits."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return False
    try:
        return math.isfinite(raw)
    except OverflowError:
        return False


def scalar(raw: object) -> bool | float | str | None:
    """The value, or None where there is none."""
    return raw if isinstance(raw, bool | str) or is_number(raw) else None  # type: ignore[return-value]
