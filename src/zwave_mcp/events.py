"""What has happened in the home, in order; what lasts is told when it begins, by whoever says so first."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, runtime_checkable

from zwave_mcp.devices import BATTERY, DOOR_LOCK, Device, devices_of
from zwave_mcp.home import Node, Snapshot
from zwave_mcp.network_events import Coming, Comings
from zwave_mcp.notifications import (
    ALARMS,
    CENTRAL_SCENE,
    EVENT_CLASSES,
    URGENT,
    Kind,
    Moment,
    Standing,
    is_bell,
    meaning,
    plain,
    sentence,
)
from zwave_mcp.user_names import UserNames

KEPT: Final = 100  # events that can be read; a client that was away for longer has missed the older ones
NEW_SECONDS: Final = 60.0  # a value seen for the first time that is older was so before
STALE_SECONDS: Final = 15.0  # a press that could not be told for longer must start nothing any more
LATE_SECONDS: Final = 5.0  # a node that just joined may be missing in the lists of the next seconds
HOLD_SECONDS: Final = 0.6  # a button that is held tells it again and again, with releases in between
BOLT_SECONDS: Final = 2.0  # a lock's mode may be a wish for so long
CALM_STATES: Final = ("off", "closed", "back")
BOLT: Final = "bolt"
_BATTERY_LOW: Final = "battery low"  # a value that is never taken back
ECHO_SECONDS: Final = 2.0  # the same press by value and by event


@dataclass(frozen=True, slots=True)
class Report:
    """One value as it was just told. `value` is None where there was none."""

    nodes: tuple[int, ...]  # whose it may be: two devices of one name share their topics
    command_class: int
    endpoint: int
    prop: str | int
    key: str | int | None
    value: Any = None
    way: str = "value"  # by which it came; by another the same comes again


@runtime_checkable
class Reporting(Protocol):
    """A home that passes on what its devices tell, at once and each time."""

    def on_report(self, listener: Callable[[Report], None]) -> None: ...


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
    standing: bool = False  # it was so before anybody looked
    button: int | None = None
    user: int | None = None
    way: str = ""
    user_name: str = ""

    def to_json(self) -> dict[str, Any]:
        more = {
            "button": self.button,
            "user": self.user,
            "userName": self.user_name or None,
            "way": self.way or None,
        }
        return {
            "id": self.id,
            "at": round(self.at, 3),
            "kind": self.kind,
            "state": self.state,
            "device": self.device,
            "room": self.room,
            "nodeId": self.node,
            "endpoint": self.endpoint,
            "text": self.text,
            "urgent": self.kind in URGENT and self.state != "off",
            "standing": self.standing,
            **{key: value for key, value in more.items() if value is not None},
        }


Slot = tuple[int, int, str]  # node, endpoint, and what it is about: a kind of event, or "bolt"
Source = tuple[int, str, str]  # command class, property and key: several may tell of one thing


@dataclass(slots=True)
class _Known:
    """What the sources of one slot say."""

    says: dict[Source, str] = field(default_factory=dict)
    heard: dict[Source, float] = field(default_factory=dict)  # monotonic, where it was told live

    @property
    def state(self) -> str:
        """Whoever says that something is the matter is believed."""
        said = list(self.says.values())
        return next((one for one in said if one not in CALM_STATES), said[0] if said else "")


def _slot(node: int, endpoint: int, command_class: int, told: Standing) -> Slot:
    bolt = command_class == DOOR_LOCK and told.kind == "lock"
    return node, endpoint, BOLT if bolt else told.kind


_Shown = tuple[Slot, Source, Standing, float | None]  # and when it was last told


def _shown(node: Node) -> Iterable[_Shown]:
    for value in node.values:
        of = value.id
        if of.command_class in EVENT_CLASSES and value.value is not None:
            told = meaning(of.command_class, of.property, of.property_key, value.value)
            if isinstance(told, Standing):
                source = of.command_class, plain(of.property), plain(of.property_key or "")
                yield _slot(node.id, of.endpoint, of.command_class, told), source, told, value.updated


def _can_tell(node: Node, report: Report, told: Standing | Moment) -> bool:
    """What lasts, and every button, stands in the lists from the interview on; who operated a lock, or that
    batteries are low, only since it happened: so there the class must do."""
    number, name = report.command_class, plain(report.prop)
    if (isinstance(told, Moment) and number != CENTRAL_SCENE) or name == _BATTERY_LOW:
        needed = DOOR_LOCK if told.kind == "lock" else number
        return any(value.id.command_class == needed for value in node.values)
    wanted = number, report.endpoint, name, plain(report.key or "")
    ids = (value.id for value in node.values)
    return any(
        wanted == (of.command_class, of.endpoint, plain(of.property), plain(of.property_key or ""))
        for of in ids
    )


class EventLog:
    """`on_event` is called with every new one. Call from the event loop only."""

    def __init__(
        self,
        on_event: Callable[[Event], None],
        *,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], asyncio.TimerHandle] | None = None,
        names: UserNames | None = None,
    ) -> None:
        self._names = names or UserNames()
        self._on_event, self._now, self._monotonic = on_event, now, monotonic
        self._later = later or (lambda seconds, work: asyncio.get_running_loop().call_later(seconds, work))
        self.began = now()  # with the numbers it tells one run of the server from another
        self.events: deque[Event] = deque(maxlen=KEPT)
        self._last_id = 0
        self._slots: dict[Slot, _Known] = {}
        self._alarms: dict[Slot, Event] = {}
        self._devices: dict[tuple[int, int], Device] = {}
        self._first_of: dict[int, Device] = {}
        self._looked = False
        self._shown: dict[int, tuple[Node, tuple[_Shown, ...]]] = {}
        self._unknown: list[tuple[float, Report]] = []  # of nodes that no list has named yet
        self._echoes: deque[tuple[float, str, tuple[object, ...]]] = deque(maxlen=KEPT)
        self._held: dict[tuple[int, int, int], asyncio.TimerHandle] = {}
        self._bolts: dict[tuple[int, int], asyncio.TimerHandle] = {}
        self._bolt_was: dict[tuple[int, int], str] = {}  # as it was told, or seen first
        self._comings = Comings(self._came_or_went, self._later)

    @property
    def alarms(self) -> list[Event]:
        """Those that stand, the oldest first."""
        return list(self._alarms.values())

    # --- what comes in

    def look(self, snapshot: Snapshot, devices: Iterable[Device] | None = None) -> None:
        """A new list: whatever it shows that no message told."""
        every = devices_of(snapshot) if devices is None else devices
        found = tuple(one for one in every if not one.members)  # a group repeats what its members tell
        self._devices = {(one.node.id, one.endpoint): one for one in found}
        self._first_of = {one.node.id: one for one in reversed(found)}
        self._comings.look(snapshot.nodes)
        self._shown = {node.id: self._shown_by(node) for node in snapshot.nodes}
        for _, shown in self._shown.values():
            for slot, source, told, updated in shown:
                new = updated is not None and self._now() - updated < NEW_SECONDS
                self._take(slot, source, told, taken=snapshot.taken, new=self._looked and new)
        self._looked = True
        waiting, self._unknown = self._unknown, []
        for moment, report in waiting:
            if self._monotonic() - moment > STALE_SECONDS:
                continue
            if any(node in self._first_of for node in report.nodes):
                self.heard(report)
            elif moment > snapshot.taken - LATE_SECONDS:
                self._unknown.append((moment, report))

    def _shown_by(self, node: Node) -> tuple[Node, tuple[_Shown, ...]]:
        """What a list says of a node, read once: from one list to the next most are the same object."""
        known = self._shown.get(node.id)
        return known if known is not None and known[0] is node else (node, tuple(_shown(node)))

    def heard(self, report: Report) -> None:
        """One value, at once."""
        told = meaning(report.command_class, report.prop, report.key, report.value)
        if told is None or not report.nodes:
            return
        if not any(node in self._first_of for node in report.nodes):
            self._unknown = [*self._unknown, (self._monotonic(), report)][-KEPT:]
            return
        report = replace(report, nodes=self._able(report, told))
        if isinstance(told, Moment):
            self._happened(report, told)
        elif len(report.nodes) == 1:  # of two devices that share a name the next list tells which it was
            source = report.command_class, plain(report.prop), plain(report.key or "")
            slot = _slot(report.nodes[0], report.endpoint, report.command_class, told)
            self._take(slot, source, told, taken=None, new=True)
            if report.command_class == BATTERY and source[1] == "level" and told.state == "off":
                self._charged(slot)

    def _able(self, report: Report, told: Standing | Moment) -> tuple[int, ...]:
        """Of several nodes that share a topic those that can have told it."""
        if len(report.nodes) < 2:
            return report.nodes
        known = [self._shown[node][0] for node in report.nodes if node in self._shown]
        return tuple(node.id for node in known if _can_tell(node, report, told)) or report.nodes

    # --- what lasts

    def _take(self, slot: Slot, source: Source, told: Standing, *, taken: float | None, new: bool) -> None:
        """`taken`: when a list was asked for; what was told live since then is newer."""
        known = self._slots.setdefault(slot, _Known())
        if taken is not None and known.heard.get(source, taken) > taken:
            return
        first, before = not known.says, known.state
        known.says[source] = told.state
        if taken is None:
            known.heard[source] = self._monotonic()
        state = known.state
        if slot[2] == BOLT:
            if not first and before != state:
                self._bolt(slot[:2], before, state)
        elif told.kind in ALARMS:
            if state != ("off" if first else before):
                self._alarm(slot, Moment(told.kind, state), standing=first and not new)
        elif first and (taken is not None or state in CALM_STATES):
            pass  # it was so before, or nothing is the matter
        elif state not in (before, "off"):
            self._tell(slot, Moment(told.kind, state))

    def _alarm(self, slot: Slot, moment: Moment, *, standing: bool) -> None:
        event = self._tell(slot, moment, standing=standing)
        if moment.state == "off":
            self._alarms.pop(slot, None)
        else:
            self._alarms[slot] = event

    def _charged(self, slot: Slot) -> None:
        """A report of low batteries is never taken back; a new battery tells its level."""
        says = self._slots[slot].says
        says.pop((BATTERY, _BATTERY_LOW, ""), None)

    def _bolt(self, place: tuple[int, int], before: str, mode: str) -> None:
        """A lock that tells only its mode: what stays so was done. One that tells who did it is faster."""
        if (waiting := self._bolts.pop(place, None)) is not None:
            waiting.cancel()
        self._bolt_was.setdefault(place, before)

        def stayed() -> None:
            self._bolts.pop(place, None)
            was, self._bolt_was[place] = self._bolt_was[place], mode
            if mode != was:
                self._tell((*place, BOLT), Moment("lock", mode))

        self._bolts[place] = self._later(BOLT_SECONDS, stayed)

    # --- what is over when it is told

    def _happened(self, report: Report, moment: Moment) -> None:
        if self._is_echo(report):
            return
        place = report.nodes[0], report.endpoint
        if moment.kind == "button" and moment.state in ("held", "released"):
            self._hold((*place, moment.button or 0), report, moment)
            return
        if moment.kind == "lock":
            self._bolt_was |= {(node, report.endpoint): moment.state for node in report.nodes}
        self._tell((*place, moment.kind), moment, nodes=report.nodes)

    def _is_echo(self, report: Report) -> bool:
        """The same by another way, once for each: two presses are two events by every way."""
        moment = self._monotonic()
        while self._echoes and moment - self._echoes[0][0] > ECHO_SECONDS:
            self._echoes.popleft()
        what = plain(report.prop), plain(report.key or ""), str(report.value), report.endpoint
        for number, (_, way, known) in enumerate(self._echoes):
            if way != report.way and known[1:] == what and set(known[0]) & set(report.nodes):  # type: ignore[call-overload]
                del self._echoes[number]
                return True
        self._echoes.append((moment, report.way, (report.nodes, *what)))
        return False

    def _hold(self, button: tuple[int, int, int], report: Report, moment: Moment) -> None:
        """Held is told when it begins, released when it is over: what comes between is the protocol's."""
        slot: Slot = (button[0], button[1], "button")
        waiting = self._held.pop(button, None)
        if waiting is not None:
            waiting.cancel()
        elif moment.state == "held":
            self._tell(slot, moment, nodes=report.nodes)
        else:
            self._tell(slot, moment, nodes=report.nodes)
            return

        def over() -> None:
            self._held.pop(button, None)
            self._tell(slot, replace(moment, state="released"), nodes=report.nodes)

        self._held[button] = self._later(HOLD_SECONDS, over)

    # --- telling

    def _came_or_went(self, node: Node, state: Coming) -> None:
        """What has left is on no list any more, and its alarms are nobody's."""
        for slot, known in self._slots.items() if state == "left" else ():
            if slot[0] == node.id and slot[2] in ALARMS:
                known.says = dict.fromkeys(known.says, "off")
                self._alarms.pop(slot, None)
        self._tell((node.id, 0, "network"), Moment("network", state), named=(node.name, node.room))

    def _tell(
        self,
        slot: Slot,
        moment: Moment,
        *,
        standing: bool = False,
        nodes: tuple[int, ...] = (),
        named: tuple[str, str] = ("", ""),
    ) -> Event:
        """`nodes`: whose it may be, where that is not one for sure; `named`: one that is on no list."""
        node, endpoint, kind = *slot[:2], moment.kind
        among = tuple(dict.fromkeys(self._called(one, endpoint, named) for one in nodes or (node,)))
        name, room = among[0] if len(among) == 1 else ("", "")
        if kind == "button" and moment.state != "released" and all(is_bell(each) for each, _ in among):
            kind = "doorbell"
        user = self._names.of(node, name, moment.user) if len(nodes) < 2 else ""
        self._last_id += 1
        event = Event(
            self._last_id,
            self._now(),
            kind,
            moment.state,
            name,
            room,
            node if len(nodes) < 2 else None,
            self._at(node, endpoint),
            sentence(kind, moment.state, among, moment, user=user),
            standing,
            moment.button,
            moment.user,
            moment.way,
            user,
        )
        self.events.append(event)
        self._on_event(event)
        return event

    def _called(self, node: int, endpoint: int, named: tuple[str, str]) -> tuple[str, str]:
        device = self._devices.get((node, endpoint)) or self._first_of.get(node)
        return (device.name, device.room) if device is not None else (named[0] or f"Node {node}", named[1])

    def _at(self, node: int, endpoint: int) -> int:
        device = self._devices.get((node, endpoint)) or self._first_of.get(node)
        return device.endpoint if device is not None else endpoint

    def to_json(self, of: tuple[int, int] | None = None) -> Mapping[str, Any]:
        """All that is kept, or that of one device."""

        def wanted(event: Event) -> bool:
            return of is None or (event.node, event.endpoint) == of

        return {
            "began": round(self.began, 3),
            "events": [one.to_json() for one in self.events if wanted(one)],
            "alarms": [one.to_json() for one in self.alarms if wanted(one)],
            "watched": [
                {
                    "nodeId": node,
                    "endpoint": self._at(node, endpoint),
                    "kind": kind,
                    "state": known.state,
                }
                for (node, endpoint, kind), known in self._slots.items()
                if kind in ALARMS and known.says
            ],
        }
