"""The events of a home in order: made from reports at once, and from each new view for what no report
told."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from zwave_mcp import sentences
from zwave_mcp.care import UserNames
from zwave_mcp.devices import CC, Device
from zwave_mcp.home import Node, Report
from zwave_mcp.notifications import (
    ALARMS,
    EVENT_CLASSES,
    URGENT,
    Kind,
    Moment,
    Standing,
    is_bell,
    meaning,
    plain,
)

if TYPE_CHECKING:
    from zwave_mcp.devices import View

KEPT: Final = 100  # events that can be read
NEW_SECONDS: Final = 60.0  # an older value that is seen for the first time was so before
HOLD_SECONDS: Final = 0.6  # a held button repeats itself, with releases in between
BOLT_SECONDS: Final = 2.0  # a lock's mode may be a wish for this long
CALM_STATES: Final = ("off", "closed", "back")
BOLT: Final = "bolt"
_BATTERY_LOW: Final = "battery low"  # a value that the gateway never takes back

Later = Callable[[float, Callable[[], None]], asyncio.TimerHandle]


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    at: float  # seconds since 1970
    kind: Kind
    state: str
    device: str
    room: str
    node: int | None  # None: one of several that share their name
    endpoint: int
    text: str
    standing: bool = False  # it was so when the server started
    button: int | None = None
    user: int | None = None
    way: str = ""
    user_name: str = ""

    def to_json(self) -> dict[str, Any]:
        keys = ("id", "kind", "state", "device", "room", "endpoint", "text", "standing")
        urgent = self.kind in URGENT and self.state != "off"
        more = {"at": round(self.at, 3), "nodeId": self.node, "urgent": urgent}
        optional = {"button": self.button, "user": self.user, "userName": self.user_name, "way": self.way}
        known = {key: value for key, value in optional.items() if value not in (None, "")}
        return {key: getattr(self, key) for key in keys} | more | known


Slot = tuple[int, int, str]  # node, endpoint, and a kind of event or "bolt"
Source = tuple[int, str, str]  # command class, property and key: several may report one state


@dataclass(slots=True)
class _Known:
    """What the sources of one slot report."""

    says: dict[Source, str] = field(default_factory=dict)
    heard: dict[Source, float] = field(default_factory=dict)  # monotonic, where it was reported live

    @property
    def state(self) -> str:
        """A source that reports trouble wins."""
        states = list(self.says.values())
        return next((item for item in states if item not in CALM_STATES), states[0] if states else "")


_Shown = tuple[Slot, Source, Standing, float | None]  # and when it was last updated


def _slot(node: int, endpoint: int, command_class: int, standing: Standing) -> Slot:
    is_bolt = command_class == CC.DOOR_LOCK and standing.kind == "lock"
    return node, endpoint, BOLT if is_bolt else standing.kind


def _shown(node: Node) -> Iterable[_Shown]:
    """The lasting states that a list shows of a node."""
    for value in node.values:
        where = value.id
        if where.command_class in EVENT_CLASSES and value.value is not None:
            sense = meaning(where.command_class, where.property, where.property_key, value.value)
            if isinstance(sense, Standing):
                source = where.command_class, plain(where.property), plain(where.property_key or "")
                yield _slot(node.id, where.endpoint, where.command_class, sense), source, sense, value.updated


@dataclass(eq=False, slots=True)
class EventLog:
    """Calls `on_event` with every new event. To be used from the event loop only."""

    on_event: Callable[[Event], None]
    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    later: Later | None = None  # the event loop's own
    names: UserNames = field(default_factory=UserNames)
    began: float = field(init=False)  # with the ids it tells one run of the server from another
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=KEPT))
    alarms: dict[Slot, Event] = field(default_factory=dict)  # those that stand, the oldest first
    _last_id: int = 0
    _slots: dict[Slot, _Known] = field(default_factory=dict)
    _listed: tuple[Device, ...] = ()
    _devices: dict[tuple[int, int], Device] = field(default_factory=dict)
    _first_of: dict[int, Device] = field(default_factory=dict)
    _live: set[int] = field(default_factory=set)  # nodes that have reported: a list may know better
    _looked: bool = False
    _nodes: dict[int, Node] = field(default_factory=dict)  # of the last list
    _held: dict[tuple[int, int, int], asyncio.TimerHandle] = field(default_factory=dict)
    _bolts: dict[tuple[int, int], asyncio.TimerHandle] = field(default_factory=dict)
    _bolt_was: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.began = self.now()

    # --- input

    def look(self, view: "View") -> None:
        """Add the events that a new view shows and no report told."""
        snapshot = view.snapshot
        if view.devices is not self._listed:
            self._listed = view.devices
            single = [item for item in view.devices if not item.members]  # a group repeats what these report
            self._devices = {item.place: item for item in single}
            self._first_of = {item.node.id: item for item in reversed(single)}
        before, self._nodes = self._nodes, {node.id: node for node in snapshot.nodes}
        for node in snapshot.nodes:
            if before.get(node.id) is node and node.id not in self._live:
                continue
            for slot, source, standing, updated in _shown(node):
                new = self._looked and updated is not None and self.now() - updated < NEW_SECONDS
                self._take(slot, source, standing, taken=snapshot.taken, new=new)
        self._looked = True
        for slot, sources in self._slots.items() if snapshot.nodes else ():
            if slot[0] not in self._nodes and slot[2] in ALARMS:  # its device has left
                sources.says = dict.fromkeys(sources.says, "off")
                self.alarms.pop(slot, None)

    def heard(self, report: Report) -> None:
        """Take in one report."""
        sense = meaning(report.command_class, report.prop, report.key, report.value)
        if sense is None or not any(node in self._first_of for node in report.nodes):
            return
        if len(report.nodes) > 1:  # of the nodes that share a topic, those that can have reported it
            listed = (self._nodes[node] for node in report.nodes if node in self._nodes)
            able = (
                node.id
                for node in listed
                if any(value.id.command_class == report.command_class for value in node.values)
            )
            report = replace(report, nodes=tuple(able) or report.nodes)
        if isinstance(sense, Moment):
            self._happened(report, sense)
        elif len(report.nodes) == 1:  # of two devices with one name the next list tells which it was
            source = report.command_class, plain(report.prop), plain(report.key or "")
            slot = _slot(report.nodes[0], report.endpoint, report.command_class, sense)
            self._live.add(report.nodes[0])
            self._take(slot, source, sense, taken=None, new=True)
            if report.command_class == CC.BATTERY and source[1] == "level" and sense.state == "off":
                # A low-battery report is never taken back; a new battery reports its level.
                self._slots[slot].says.pop((CC.BATTERY, _BATTERY_LOW, ""), None)

    # --- lasting states

    def _take(
        self, slot: Slot, source: Source, standing: Standing, *, taken: float | None, new: bool
    ) -> None:
        """`taken`: when a list was asked for; what was reported live since then is newer."""
        known = self._slots.setdefault(slot, _Known())
        if taken is not None and known.heard.get(source, taken) > taken:
            return
        first, before = not known.says, known.state
        known.says[source] = standing.state
        if taken is None:
            known.heard[source] = self.monotonic()
        state = known.state
        if slot[2] == BOLT:
            if not first and before != state:
                self._bolt(slot[:2], before, state)
        elif standing.kind in ALARMS:
            if state != ("off" if first else before):
                self.alarms[slot] = self._add(slot, Moment(standing.kind, state), standing=first and not new)
                if state == "off":
                    del self.alarms[slot]
        elif first and (taken is not None or state in CALM_STATES):
            pass  # it was so before, or nothing is the matter
        elif state not in (before, "off"):
            self._add(slot, Moment(standing.kind, state))

    def _bolt(self, place: tuple[int, int], before: str, mode: str) -> None:
        """A lock's mode counts once it has stayed so; a lock that reports its operation is faster."""
        if (waiting := self._bolts.pop(place, None)) is not None:
            waiting.cancel()
        self._bolt_was.setdefault(place, before)

        def stayed() -> None:
            self._bolts.pop(place, None)
            was, self._bolt_was[place] = self._bolt_was[place], mode
            if mode != was:
                self._add((*place, BOLT), Moment("lock", mode))

        self._bolts[place] = (self.later or asyncio.get_running_loop().call_later)(BOLT_SECONDS, stayed)

    # --- momentary events

    def _happened(self, report: Report, moment: Moment) -> None:
        place = report.nodes[0], report.endpoint
        if moment.kind == "button" and moment.state in ("held", "released"):
            self._hold((*place, moment.button or 0), report, moment)
            return
        if moment.kind == "lock":
            self._bolt_was |= {(node, report.endpoint): moment.state for node in report.nodes}
        self._add((*place, moment.kind), moment, nodes=report.nodes)

    def _hold(self, button: tuple[int, int, int], report: Report, moment: Moment) -> None:
        """Report a held button when it begins and when it is over; the protocol repeats it in between."""
        slot: Slot = (button[0], button[1], "button")
        waiting = self._held.pop(button, None)
        if waiting is not None:
            waiting.cancel()
        else:
            self._add(slot, moment, nodes=report.nodes)
            if moment.state != "held":
                return

        def over() -> None:
            self._held.pop(button, None)
            self._add(slot, replace(moment, state="released"), nodes=report.nodes)

        self._held[button] = (self.later or asyncio.get_running_loop().call_later)(HOLD_SECONDS, over)

    # --- output

    def _add(
        self, slot: Slot, moment: Moment, *, standing: bool = False, nodes: tuple[int, ...] = ()
    ) -> Event:
        """`nodes`: whose event it may be, where that is uncertain."""
        node, endpoint, kind = *slot[:2], moment.kind
        among = tuple(dict.fromkeys(self._called(item, endpoint)[:2] for item in nodes or (node,)))
        name, room = among[0] if len(among) == 1 else ("", "")
        if kind == "button" and moment.state != "released" and all(is_bell(each) for each, _ in among):
            kind = "doorbell"
        user = self.names.of(node, name, moment.user) if len(nodes) < 2 else ""
        self._last_id += 1
        text = sentences.event(kind, moment.state, among, moment, user=user)
        where = name, room, node if len(nodes) < 2 else None, self._called(node, endpoint)[2]
        detail = moment.button, moment.user, moment.way, user
        event = Event(self._last_id, self.now(), kind, moment.state, *where, text, standing, *detail)
        self.events.append(event)
        self.on_event(event)
        return event

    def _called(self, node: int, endpoint: int) -> tuple[str, str, int]:
        """The device's name, room and endpoint."""
        device = self._devices.get((node, endpoint)) or self._first_of.get(node)
        if device is None:
            return f"Node {node}", "", endpoint
        return device.name, device.room, device.endpoint

    def to_json(self, of: tuple[int, int] | None = None) -> Mapping[str, Any]:
        """All that is kept, or that of one device."""

        def wanted(events: Iterable[Event]) -> list[dict[str, Any]]:
            return [item.to_json() for item in events if of is None or (item.node, item.endpoint) == of]

        return {
            "began": round(self.began, 3),
            "events": wanted(self.events),
            "alarms": wanted(self.alarms.values()),
            "watched": [
                {"nodeId": node, "endpoint": self._called(node, at)[2], "kind": kind, "state": known.state}
                for (node, at, kind), known in self._slots.items()
                if kind in ALARMS and known.says
            ],
        }
