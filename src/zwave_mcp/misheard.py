"""Names that were heard a little wrong."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from zwave_mcp.devices import Device
from zwave_mcp.folding import plain, words

# A whole name must be this alike (of 100), and clearly more than the next one.
_ALIKE: Final = 82.0
_LEAD: Final = 10.0
# One word inside it may differ this much: "lump" is a lamp, but "bathroom" is no "bedroom".
_WORD_ALIKE: Final = 70.0
_JOINED_ALIKE: Final = 90.0  # "bed side lamp"
_SHORTEST: Final = 4  # shorter words sound like everything
_WORTH_OFFERING: Final = 45.0
_SAID_AS: Final = tuple(
    (re.compile(spelling), sound)
    for spelling, sound in (
        (r"ight", "it"),
        (r"^wr", "r"),
        (r"^kn", "n"),
        (r"ph", "f"),
        (r"ck|c(?![eihy])", "k"),
        (r"(?<=.)y", "i"),
        (r"([a-z])\1", r"\1"),
        (r"(?<=...)e$", ""),
    )
)


def sounds_like(
    asked: str, devices: Sequence[Device], rooms: Mapping[frozenset[str], str]
) -> tuple[Device, ...]:
    """The device that was misheard; several when none leads clearly; nothing when none is alike."""
    said = words(asked)
    if sum(map(len, said)) < _SHORTEST:
        return ()
    named_rooms = {room for room_words, room in rooms.items() if room_words <= said}
    ranked = [
        (score, device)
        for score, device in _ranked(asked, devices, _ALIKE - _LEAD)
        if _same_words(asked, device) and _same_room(named_rooms, device)
    ]
    if not ranked or ranked[0][0] < _ALIKE:
        return ()
    best = ranked[0][0]
    return tuple(device for score, device in ranked if best - score < _LEAD)


def nearest(asked: str, devices: Sequence[Device], limit: int = 3) -> tuple[Device, ...]:
    return tuple(device for _, device in _ranked(asked, devices, _WORTH_OFFERING)[:limit])


def _ranked(asked: str, devices: Sequence[Device], cutoff: float) -> list[tuple[float, Device]]:
    """Best first. As said ("bed side lamp") and with the words in order ("lump floor")."""
    from rapidfuzz import fuzz, process

    best: dict[int, float] = {}
    for line in (plain, _sorted_words):
        names = [line(device.name) for device in devices]
        names += [line(f"{device.room} {device.name}") for device in devices]
        for _, score, index in process.extract(
            line(asked), names, scorer=fuzz.ratio, score_cutoff=cutoff, limit=40
        ):
            place = index % len(devices)
            best[place] = max(score, best.get(place, 0.0))
    order = sorted(best, key=lambda place: (-best[place], place))
    return [(best[place], devices[place]) for place in order]


@lru_cache(maxsize=16_384)
def _sorted_words(text: str) -> str:
    return " ".join(sorted(words(text)))


def _same_words(asked: str, device: Device) -> bool:
    """Numbers must be equal ("light 1" is not "light 2"); every word must have its counterpart."""
    from rapidfuzz import fuzz

    said, name, every = words(asked), words(device.name), words(f"{device.room} {device.name}")
    if _numbers(said) not in (_numbers(name), _numbers(every)):
        return False
    one, other = plain(asked), plain(device.name)
    split = one.count(" ") != other.count(" ")  # "bed side": then the words have no counterparts
    if split and fuzz.ratio(one.replace(" ", ""), other.replace(" ", "")) >= _JOINED_ALIKE:
        return True
    return _have_counterparts(said, every) and _have_counterparts(name, said)


def _have_counterparts(some: frozenset[str], others: frozenset[str]) -> bool:
    return all(any(_alike(word, other) for other in others) for word in some)


def _alike(word: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return _sound(word) == _sound(other) or fuzz.ratio(word, other) >= _WORD_ALIKE


@lru_cache(maxsize=16_384)
def _sound(word: str) -> str:
    """Spelled differently, said the same: "lite" is a light. Few rules: nothing else may become equal."""
    for spelling, sound in _SAID_AS:
        word = spelling.sub(sound, word)
    return word


def _same_room(named_rooms: set[str], device: Device) -> bool:
    if not named_rooms or device.room in named_rooms:
        return True
    return any(words(room) <= words(device.name) for room in named_rooms)


def _numbers(chosen: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in chosen if any(char.isdigit() for char in word))
