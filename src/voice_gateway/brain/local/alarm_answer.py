"""Whether there is smoke or water somewhere, told from the states of those who watch for it."""

import re
from collections.abc import Sequence

from home_names.phrases import capital, listed, with_article
from voice_gateway.integrations.device import Device

KINDS = ("smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water")


def alarm_answer(devices: Sequence[Device], kind: str, room: str | None, *, asked: bool = True) -> str:
    """`kind` is one of them; empty: any. `asked`: whether there is some, so that yes or no answers it."""
    wanted = (kind,) if kind else KINDS
    here = [one for one in devices if room is None or one.room.casefold() == room.casefold()]
    watching = [(one, what) for one in here for what in wanted if one.watches_for(what)]
    said = f"{kind.replace('_', ' ')}" if kind else "smoke, gas or water"
    where = f" in the {room}" if room else ""
    if not watching:
        return f"Nothing here can tell me whether there is {said}{where}."
    found = [(one, what) for one, what in watching if one.available and _is_on(one, what)]
    silent = [one for one, _ in watching if not one.available]
    unsure = [one for one, what in watching if one.available and not _tells(one, what)]
    gaps = _gaps(silent, unsure)
    tail = f" {'. '.join(map(capital, gaps))}." if gaps else ""
    if found:
        told = [f"{what.replace('_', ' ')} is detected {_place(one)}" for one, what in found]
        return f"{'Yes: ' if asked else ''}{listed(told) if asked else capital(listed(told))}.{tail}"
    if len(silent) + len(unsure) == len(watching):
        return f"I don't know: {listed(gaps)}."
    return f"{'No, no' if asked else 'No'} {said} is detected{where}.{tail}"


def _gaps(silent: Sequence[Device], unsure: Sequence[Device]) -> list[str]:
    """Who could have told, and did not."""
    lost, mute = (
        [with_article(name) for name in dict.fromkeys(one.name for one in them)] for them in (silent, unsure)
    )
    gaps = [f"I can't reach {listed(lost)}"] if lost else []
    return [*gaps, f"{listed(mute)} {'has' if len(mute) == 1 else 'have'} not told"] if mute else gaps


_DRY = {"water": "dry"}  # what is said where all is well; of everything else that there is none


def _is_on(device: Device, kind: str) -> bool:
    said = re.compile(rf"\b(?<!\bno ){kind.replace('_', ' ')} detected\b")
    return any(said.search(one) for one in (device.state, *device.readings))


def _tells(device: Device, kind: str) -> bool:
    """A state that says nothing of it is no "no"."""
    calm = _DRY.get(kind, f"no {kind.replace('_', ' ')}")
    parts = [part.strip() for one in (device.state, *device.readings) for part in one.split(",")]
    return calm in parts or _is_on(device, kind)


def _place(device: Device) -> str:
    return f"in the {device.room}" if device.room else f"by the {device.name}"
