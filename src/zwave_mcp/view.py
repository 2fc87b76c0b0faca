"""The home as it is now: devices and their names, made once for each snapshot."""

from dataclasses import dataclass
from typing import Final

from home_words.resolver import Group, Names, One, Prefers, Several
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.devices import Device, OldJams, devices_of
from zwave_mcp.home import SNAPSHOT_MAX_AGE_SECONDS, Home, Snapshot
from zwave_mcp.results import Facts, Outcome, Result, result

STARTING: Final = "starting"  # in a result: nothing was done, and in a moment more is known


@dataclass(frozen=True, slots=True)
class View:
    snapshot: Snapshot
    devices: tuple[Device, ...]
    names: Names[Device]


class Viewer:
    def __init__(self, home: Home) -> None:
        self._home = home
        self._last: View | None = None
        self._old_jams = OldJams()
        self._called: tuple[tuple[str, str, int, int], ...] = ()
        self._index: Names[Device] | None = None

    async def now(self, max_age_seconds: float = SNAPSHOT_MAX_AGE_SECONDS) -> View:
        return self.of(await self._home.snapshot(max_age_seconds))

    def of(self, snapshot: Snapshot) -> View:
        last = self._last
        if last is not None and last.snapshot is snapshot:
            return last
        devices = tuple(self._old_jams.left_out(device) for device in devices_of(snapshot))
        self._last = View(snapshot, devices, self._names(devices))
        return self._last

    def _names(self, devices: tuple[Device, ...]) -> Names[Device]:
        """Made anew only where a device is new, or is called something else: that takes longest of all."""
        called = tuple((one.name, one.room, one.node_id, one.endpoint) for one in devices)
        if self._index is not None and called == self._called:
            return self._index.renewed(devices)
        self._called, self._index = called, Names(devices)
        return self._index

    def bolt_moved(self, lock: Device) -> None:
        """`lock` as it was before its command, which is now confirmed."""
        self._old_jams.forget(lock)
        self._last = None


def resolve_device(
    view: View,
    asked: str,
    requested: dict[str, object],
    prefers: Prefers[Device] | None = None,
    *,
    room_will_do: bool = False,
) -> Device | Result:
    """The device that is meant, or the answer that says why there is none. With `room_will_do` a room means
    its only device that `prefers` accepts."""
    found = view.names.find(asked, prefers)
    if isinstance(found, Group):
        able = tuple(device for device in found.devices if prefers is None or prefers(device))
        if room_will_do and found.room and len(able) == 1:
            return able[0]
        return _group(asked, requested, able)
    if isinstance(found, One):
        return _not_known_yet(found.device, requested) or found.device
    if isinstance(found, Several):
        return result(wording.which(found.devices), "ambiguous", Facts(requested, candidates=found.devices))
    sentence = wording.not_found(asked, found.nearest)
    return result(sentence, "not_found", Facts(requested, candidates=found.nearest))


def resolve_single(
    view: View, asked: str, requested: dict[str, object], prefers: Prefers[Device] | None = None
) -> Device | Result:
    """A device with a radio of its own, for what is done to no group."""
    found = resolve_device(view, asked, requested, prefers)
    if isinstance(found, Result) or not found.members:
        return found
    sentence = wording.only_its_members(found, found.members)
    return result(sentence, "unsupported", Facts(requested, found, candidates=found.members))


def _not_known_yet(device: Device, requested: dict[str, object]) -> Result | None:
    """Of what the gateway has not interviewed nobody can say that it cannot do something."""
    node = device.node
    if node.ready or device.kind != "other":
        return None
    sentence = wording.unreachable(device) if node.dead else wording.not_interviewed(device)
    more = {STARTING: True} if node.starting else {}
    return result(sentence, "unreachable", Facts(requested, device, UNKNOWN, more=more))


def _group(asked: str, requested: dict[str, object], able: tuple[Device, ...]) -> Result:
    """Only what can do it is offered; one alone by its name, as nothing else can be meant."""
    sentence = wording.not_found(asked, able) if len(able) == 1 else wording.one_at_a_time(asked, able)
    outcome: Outcome = "ambiguous" if len(able) > 1 else "not_found"
    return result(sentence, outcome, Facts(requested, candidates=able))
