"""Names that are nearly what was said: one with a clear lead is meant, others are only offered."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from voice_gateway.brain.local.home import Device, Home, name_key
from voice_gateway.brain.local.sounds import phrase_likeness

GOOD = 0.84  # a name at least this like what was said is meant …
LEAD = 0.1  # … if no other comes this close to it
OFFERED = 60  # of 100: names less alike than this are not worth offering

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


def best_match(
    said: Sequence[str], names: Mapping[Key, Sequence[str]], things: Mapping[Key, Thing]
) -> Thing | None:
    words = tuple(said)
    good: list[tuple[float, Key]] = []  # only rivals that come near matter
    for key, name in names.items():
        score = phrase_likeness(words, tuple(name))
        if score >= GOOD - LEAD:
            good.append((score, key))
    if not words or not good:
        return None
    best, key = max(good, key=lambda entry: entry[0])
    rivals = [score for score, other in good if tuple(names[other]) != tuple(names[key])]
    return things[key] if best >= GOOD and best - max(rivals, default=0.0) >= LEAD else None


def nearest(what: str, home: Home, fits: Callable[[Device], bool], room: str | None) -> tuple[Device, ...]:
    """At most three devices to offer. Those in the room that was named come first."""
    from rapidfuzz import fuzz, process

    names = {index: name_key(device.name) for index, device in enumerate(home.devices) if fits(device)}
    matches = process.extract(name_key(what), names, scorer=fuzz.ratio, limit=6, score_cutoff=OFFERED)
    found = [home.devices[index] for _, _, index in matches]
    found.sort(key=lambda device: room is None or name_key(device.room) != name_key(room))
    return tuple(found[:3])
