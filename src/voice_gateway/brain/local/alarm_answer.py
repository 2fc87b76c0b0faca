"""Whether there is smoke or water somewhere, told from the states of those who watch for it."""

import re
from collections.abc import Sequence

from home_words.phrases import capital, listed
from voice_gateway.homes.device import Device

KINDS = ("smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water")


def alarm_answer(devices: Sequence[Device], kind: str, room: str | None, *, asked: bool = True) -> str:
    """`kind` is one of them; empty: any. `asked`: whether there is some, so that yes or no answers it."""
    wanted = (kind,) if kind else KINDS
    here = [one for one in devices if room is None or one.room.casefold() == room.casefold()]
    watching = [(one, what) for one in here for what in wanted if what in one.events]
    said = f"{kind.replace('_', ' ')}" if kind else "smoke, gas or water"
    where = f" in the {room}" if room else ""
    if not watching:
        return f"Nothing here can tell me whether there is {said}{where}."
    found = [(one, what) for one, what in watching if one.available and _is_on(one, what)]
    silent = list(dict.fromkeys(f"the {one.name}" for one, _ in watching if not one.available))
    tail = f" I can't reach {listed(silent)}." if silent else ""
    if found:
        told = [f"{what.replace('_', ' ')} is detected {_place(one)}" for one, what in found]
        return f"{'Yes: ' if asked else ''}{listed(told) if asked else capital(listed(told))}.{tail}"
    if all(not one.available for one, _ in watching):
        return f"I don't know: I can't reach {listed(silent)}."
    return f"{'No, no' if asked else 'No'} {said} is detected{where}.{tail}"


def _is_on(device: Device, kind: str) -> bool:
    return re.search(rf"\b{kind.replace('_', ' ')} detected\b", device.state) is not None


def _place(device: Device) -> str:
    return f"in the {device.room}" if device.room else f"by the {device.name}"
