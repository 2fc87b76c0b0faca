"""The home as it is now: nodes, devices and names, made in one pass for each snapshot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from home_names import wording
from home_names.resolver import Group, Names, One, Prefers, Several
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.devices import Device, devices_of_node, groups_of, mark_twins, without_old_jam
from zwave_mcp.home import SNAPSHOT_MAX_AGE_SECONDS, Home, Node, Snapshot
from zwave_mcp.results import Outcome, Refused, result
from zwave_mcp.states import Row, row_of

STARTING: Final = "starting"  # key in a result: nothing was done, and in a moment more is known


@dataclass(frozen=True, slots=True)
class View:
    snapshot: Snapshot
    devices: tuple[Device, ...]
    names: Names[Device]


class Viewer:
    """Makes a View of each snapshot, and hands it to its listeners. Devices of unchanged nodes are reused."""

    def __init__(self, home: Home, *, allow_unlock: bool = True) -> None:
        self._home = home
        self._allow_unlock = allow_unlock
        self._view: View | None = None
        self._made: dict[int, tuple[Node, tuple[Device, ...]]] = {}
        self._rows: dict[tuple[int, int], Row] = {}
        self._called: list[
            tuple[str, str, tuple[int, int]]
        ] = []  # name, room and place of each device of the view
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
                made[node.id] = node, tuple(map(without_old_jam, devices_of_node(node)))
        self._made = made
        single = mark_twins([device for _, devices in made.values() for device in devices])
        devices = (*single, *groups_of(snapshot, single))
        # An index of names is made only after a name or room has changed: that takes longest of all.
        called = [(item.name, item.room, item.place) for item in devices]
        names = last.names.renewed(devices) if last and called == self._called else Names(devices)
        self._called = called
        self._view = View(snapshot, devices, names)
        return self._view

    def rows(self, view: View) -> tuple[Row, ...]:
        """The devices as a list shows them; rows of unchanged devices are reused."""
        known, self._rows = self._rows, {}
        for device in view.devices:
            row = known.get(device.place)
            if row is None or row.device != device:
                row = row_of(device, allow_unlock=self._allow_unlock)
            self._rows[device.place] = row
        return tuple(self._rows.values())


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
        outcome, sentence, near = "ambiguous", sentences.which(match.devices), match.devices
    elif isinstance(match, Group):
        near = tuple(device for device in match.devices if prefers is None or prefers(device))
        if len(near) == 1 and room_will_do and match.room:
            return near[0]
        if len(near) == 1:  # offered by its name
            sentence = sentences.not_found(asked, near)
        else:
            outcome, sentence = "ambiguous" if near else outcome, sentences.one_at_a_time(asked, near)
    else:
        near, sentence = match.nearest, sentences.not_found(asked, match.nearest)
    raise Refused(result(sentence, outcome, candidates=near))


def resolve_single(view: View, asked: str, prefers: Prefers[Device] | None = None) -> Device:
    """A device that is no group, or Refused."""
    device = resolve_device(view, asked, prefers)
    if device.members:
        sentence = sentences.only_its_members(device)
        raise Refused(result(sentence, "unsupported", device, candidates=device.members))
    return device
