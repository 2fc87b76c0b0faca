"""What is said of one device and of what it did, one sentence each: in the same words for every home."""

import re
from typing import Final

from home_names.kinds import HomeDevice, device_class
from home_names.names import plain, singular
from home_names.phrases import capital, with_article
from home_names.resolver import number_of
from home_names.states import UNKNOWN, spoken_state, spoken_units

_DONE: Final = {
    "on": "turn on",
    "off": "turn off",
    "dim": "change",
    "open": "open",
    "close": "close",
    "stop": "stop",
    "lock": "lock",
    "unlock": "unlock",
    "set": "take the setting",
    "colour": "change its colour",
    "kelvin": "change its colour",
    "speed": "change its speed",
    "volume": "change its volume",
    "play": "play",
    "pause": "pause",
    "next": "skip",
    "previous": "go back",
    "mute": "go silent",
    "unmute": "sound again",
    "start": "start",
    "dock": "go to its dock",
}
_DOING: Final = {
    "on": "turning on",
    "off": "turning off",
    "open": "opening",
    "close": "closing",
    "lock": "locking",
    "unlock": "unlocking",
    "set": "changing",
    "start": "starting",
    "dock": "going to its dock",
}
_PLURAL: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
_THINGS: Final = frozenset({"window", "spot", "heater", "speaker", "strip", "gate"})


def the(device: HomeDevice, *, room: bool = False) -> str:
    """ "the Floor Lamp", "Node 13", "Dad's Lamp": a name that needs no article gets none. One of two that are
    called the same in one room is told with its number."""
    name = with_article(device.name)
    where = f" in {with_article(device.room)}" if room and device.room else ""
    number = f" ({number_of(device)})" if getattr(device, "twin", False) else ""
    return f"{name}{where}{number}"


def in_room(room: str) -> str:
    return f"in {with_article(room)}"


def verb(device: HomeDevice, word: str) -> str:
    """ "is" for the Floor Lamp, "are" for the Study Blinds."""
    return _PLURAL[word] if _is_plural(device) else word


def _is_plural(device: HomeDevice) -> bool:
    last = plain(device.name).split()[-1:]
    if not last or singular(last[0]) == last[0]:
        return False
    sort = device_class(last[0])
    return singular(last[0]) in _THINGS or (sort is not None and sort.plural)


def is_state(device: HomeDevice, state: str, *, now: bool = False) -> str:
    if state == UNKNOWN:
        return capital(f"the state of {the(device)} is not known.")
    return capital(f"{the(device)} {verb(device, 'is')} {'now ' if now else ''}{_said(state)}.")


def was_state(device: HomeDevice, state: str) -> str:
    if state == UNKNOWN:
        return is_state(device, state)
    was, does = verb(device, "was"), verb(device, "does")
    return capital(f"{the(device)} {was} {_said(state)} when last heard, but {does} not answer now.")


def _said(state: str) -> str:
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
    """The state of what is on its way."""
    return _DOING.get(action, "changing")


def doing(device: HomeDevice, action: str, percent: int | None = None) -> str:
    if action in _DOING and percent is None:
        return capital(f"{the(device)} {verb(device, 'is')} {_DOING[action]}.")
    way = "moving" if device.kind in ("blind", "garage_door") else "changing"
    return capital(f"{the(device)} {verb(device, 'is')} {way} to {percent} percent.")


def not_confirmed(device: HomeDevice, message: str = "") -> str:
    return f"The command for {the(device)} is not confirmed, it may still happen{_reason(message)}."


def unreachable(device: HomeDevice) -> str:
    does = verb(device, "does")
    return capital(f"{the(device, room=True)} {does} not answer, maybe without power or out of range.")


def failed(device: HomeDevice, action: str, state: str = UNKNOWN, message: str = "") -> str:
    still = "they are still" if _is_plural(device) else "it is still"
    tail = f"; {still} {_said(state)}" if state != UNKNOWN else ""
    return capital(f"{the(device)} did not {_DONE.get(action, 'do it')}{tail}{_reason(message)}.")


def _reason(message: str) -> str:
    return f": {message.rstrip('.')}" if message else ""


def jammed(device: HomeDevice, action: str) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} jammed and did not {action}.")


def quoted(asked: str) -> str:
    shown = " ".join(asked.split())
    return f'"{shown[:40]}…"' if len(shown) > 41 else f'"{shown}"'
