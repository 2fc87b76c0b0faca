"""Sentences about one device and what it did, in the same words for every home."""

import re
from typing import Final

from home_names.kinds import HomeDevice, device_class
from home_names.names import plain, singular
from home_names.phrases import capital, with_article
from home_names.resolver import number_of
from home_names.states import UNKNOWN, spoken_state, spoken_units

_DONE: Final = {
    "on": "turned on", "off": "turned off", "dim": "dimmed", "toggle": "switched", "open": "opened",
    "close": "closed", "stop": "stopped", "lock": "locked", "unlock": "unlocked",
    "set": "set to a temperature", "colour": "given a colour", "kelvin": "given a colour",
    "speed": "set to a speed", "volume": "made louder or quieter", "play": "played", "pause": "paused",
    "next": "told to skip", "previous": "told to go back", "mute": "muted", "unmute": "unmuted",
    "start": "started", "dock": "sent to a dock",
}  # fmt: skip
_DOING: Final = {
    "on": "turning on", "off": "turning off", "open": "opening", "close": "closing", "lock": "locking",
    "unlock": "unlocking", "start": "starting", "dock": "going to its dock",
}  # fmt: skip
_PLURAL: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
_THINGS: Final = frozenset({"window", "spot", "heater", "speaker", "strip", "gate"})


def the(device: HomeDevice, *, room: bool = False) -> str:
    """The device's name with its article; a device with a twin also gets its number."""
    where = f" in {with_article(device.room)}" if room and device.room else ""
    number = f" ({number_of(device)})" if getattr(device, "twin", False) else ""
    return f"{with_article(device.name)}{where}{number}"


def in_room(room: str) -> str:
    return f"in {with_article(room)}"


def verb(device: HomeDevice, word: str) -> str:
    """The verb in the device's number: "is" for the Floor Lamp, "are" for the Study Blinds."""
    return _PLURAL[word] if _is_plural(device) else word


def _is_plural(device: HomeDevice) -> bool:
    last = plain(device.name).split()[-1:]
    if not last or singular(last[0]) == last[0]:
        return False
    sort = device_class(last[0])
    return singular(last[0]) in _THINGS or (sort is not None and sort.plural)


def passive(action: str) -> str:
    """The participle of an action: "turned on", "given a colour"."""
    return _DONE.get(action, "told to do that")


def is_state(device: HomeDevice, state: str, *, now: bool = False) -> str:
    if state == UNKNOWN:
        return capital(f"the state of {the(device)} is not known.")
    return capital(f"{the(device)} {verb(device, 'is')} {'now ' if now else ''}{_spoken(state)}.")


def was_state(device: HomeDevice, state: str) -> str:
    if state == UNKNOWN:
        return is_state(device, state)
    was, does = verb(device, "was"), verb(device, "does")
    return capital(f"{the(device)} {was} {_spoken(state)} when last heard, but {does} not answer now.")


def _spoken(state: str) -> str:
    return spoken_state(re.sub(r", 100 %(?=$|,)", "", state))


def done(device: HomeDevice, action: str, state: str) -> str:
    """Only for what the device confirmed."""
    if state == UNKNOWN:
        return capital(f"{the(device)} confirmed it.")
    if action == "stop":
        has, now = verb(device, "has"), verb(device, "is")
        return capital(f"{the(device)} {has} stopped and {now} {spoken_units(state)}.")
    return is_state(device, state, now=True)


def doing_state(action: str) -> str:
    """The state of a device on its way."""
    return _DOING.get(action, "changing")


def doing(device: HomeDevice, action: str, percent: int | None = None) -> str:
    if percent is None:
        return capital(f"{the(device)} {verb(device, 'is')} {doing_state(action)}.")
    way = "moving" if device.kind in ("blind", "garage_door") else "changing"
    return capital(f"{the(device)} {verb(device, 'is')} {way} to {percent} percent.")


def not_confirmed(device: HomeDevice, message: str = "") -> str:
    return f"The command for {the(device)} is not confirmed, it may still happen{_reason(message)}."


def unreachable(device: HomeDevice) -> str:
    does = verb(device, "does")
    return capital(f"{the(device, room=True)} {does} not answer, maybe without power or out of range.")


def failed(device: HomeDevice, action: str, state: str = UNKNOWN, message: str = "") -> str:
    still = "they are still" if _is_plural(device) else "it is still"
    tail = f"; {still} {_spoken(state)}" if state != UNKNOWN else ""
    return capital(f"{the(device)} {verb(device, 'was')} not {passive(action)}{tail}{_reason(message)}.")


def _reason(message: str) -> str:
    return f": {message.rstrip('.')}" if message else ""


def jammed(device: HomeDevice, action: str) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} jammed and did not {action}.")


def quoted(asked: str) -> str:
    shown = " ".join(asked.split())
    return f'"{shown[:40]}…"' if len(shown) > 41 else f'"{shown}"'
