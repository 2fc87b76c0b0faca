"""The home as it is now: nodes, devices, list rows and names, made in one pass for each snapshot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from home_names import wording
from home_names.resolver import Group, Names, One, Prefers, Several
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.describe import Row, row_of
from zwave_mcp.devices import Device, OldJams, devices_of_node, groups_of, mark_twins
from zwave_mcp.home import SNAPSHOT_MAX_AGE_SECONDS, Home, Node, Snapshot
from zwave_mcp.results import Result, result

STARTING: Final = "starting"  # key in a result: nothing was done, and in a moment more is known


@dataclass(frozen=True, slots=True)
class View:
    snapshot: Snapshot
    devices: tuple[Device, ...]
    rows: tuple[Row, ...]  # of the devices, in their order
    names: Names[Device]


class Viewer:
    """Makes a View of each snapshot, and hands it to its listeners. Devices of unchanged nodes are reused."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._view: View | None = None
        self._jams = OldJams()
        self._made: dict[int, tuple[Node, tuple[Device, ...]]] = {}
        self._rows: dict[tuple[int, int], Row] = {}
        self._listeners: list[Callable[[View], None]] = []
        home.on_snapshot(self._on_snapshot)

    def on_view(self, listener: Callable[[View], None]) -> None:
        self._listeners.append(listener)

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        view = self._view_of(snapshot)
        for listener in self._listeners:
            listener(view)

    async def now(self, max_age_seconds: float = SNAPSHOT_MAX_AGE_SECONDS) -> View:
        return self._view_of(await self._home.snapshot(max_age_seconds))

    def _view_of(self, snapshot: Snapshot) -> View:
        last = self._view
        if last is not None and last.snapshot is snapshot:
            return last
        made: dict[int, tuple[Node, tuple[Device, ...]]] = {}
        for node in snapshot.nodes:
            known = self._made.get(node.id)
            if known is not None and known[0] is node:
                made[node.id] = known
            elif not node.members:
                made[node.id] = node, tuple(map(self._jams.left_out, devices_of_node(node)))
        self._made = made
        single = mark_twins([device for _, devices in made.values() for device in devices])
        devices = (*single, *groups_of(snapshot, single))
        rows = {}
        for device in devices:
            row = self._rows.get(device.place)
            rows[device.place] = row if row is not None and _is_same(row.device, device) else row_of(device)
        self._rows = rows
        self._view = View(snapshot, devices, tuple(rows.values()), self._names_of(last, devices))
        return self._view

    @staticmethod
    def _names_of(last: View | None, devices: tuple[Device, ...]) -> Names[Device]:
        """The index of names, made anew only when a name or room has changed: that takes longest of all."""
        same = last is not None and [(item.name, item.room, item.place) for item in last.devices] == [
            (item.name, item.room, item.place) for item in devices
        ]
        return last.names.renewed(devices) if last is not None and same else Names(devices)

    def bolt_moved(self, lock: Device) -> None:
        """A command for the lock was confirmed: a jam reported before it is over."""
        self._jams.forget(lock)
        self._made.pop(lock.node.id, None)
        self._view = None


def _is_same(old: Device, new: Device) -> bool:
    return old is new or (old.node is new.node and old == new)


def resolve_device(
    view: View,
    asked: str,
    requested: dict[str, Any],
    prefers: Prefers[Device] | None = None,
    *,
    room_will_do: bool = False,
) -> Device | Result:
    """The device that is meant, or the answer that says why there is none. With `room_will_do` a room means
    its only device that `prefers` accepts."""
    match = view.names.find(asked, prefers)
    if isinstance(match, One):
        return _not_known_yet(match.device, requested) or match.device
    if isinstance(match, Several):
        return result(
            sentences.which(match.devices), "ambiguous", requested=requested, candidates=match.devices
        )
    if not isinstance(match, Group):
        sentence = sentences.not_found(asked, match.nearest)
        return result(sentence, "not_found", requested=requested, candidates=match.nearest)
    able = tuple(device for device in match.devices if prefers is None or prefers(device))
    if room_will_do and match.room and len(able) == 1:
        return able[0]
    if len(able) == 1:  # offered by its name
        return result(sentences.not_found(asked, able), "not_found", requested=requested, candidates=able)
    sentence = sentences.one_at_a_time(asked, able)
    outcome = "ambiguous" if able else "not_found"
    return result(sentence, outcome, requested=requested, candidates=able)  # type: ignore[arg-type]


def resolve_single(view: View, asked: str, requested: dict[str, Any]) -> Device | Result:
    """A device that is no group."""
    device = resolve_device(view, asked, requested)
    if isinstance(device, Result) or not device.members:
        return device
    sentence = sentences.only_its_members(device)
    return result(sentence, "unsupported", device, requested, candidates=device.members)


def _not_known_yet(device: Device, requested: dict[str, Any]) -> Result | None:
    """The answer about a node that the gateway has not interviewed: what it can do is unknown."""
    node = device.node
    if node.ready or device.kind != "other":
        return None
    sentence = wording.unreachable(device) if node.dead else sentences.not_interviewed(device)
    more = {STARTING: True} if node.starting else {}
    return result(sentence, "unreachable", device, requested, UNKNOWN, more=more)
