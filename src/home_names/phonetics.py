"""How alike two words sound and look: "flour" is nearly "floor", "bathroom" is never "bedroom"."""

import re
from functools import lru_cache

from home_names.names import singular

# Words with a meaning of their own in a home: one of them is never a mishearing of another.
_KNOWN = frozenset(
    """bathroom bedroom kitchen basement attic balcony garage garden office study hall hallway den nursery
    guest dining living laundry patio porch terrace pool shed cellar closet entrance stairs upstairs
    downstairs corridor wall table desk floor ceiling bed bedside night reading front back side left
    right upper lower top bottom north south east west big small first second third main outside
    inside kids child parents master red green blue white yellow black fan heater heating tv
    television radio oven stove fridge dishwasher washer dryer vacuum robot lamp light bulb door
    window blind curtain shade shutter gate lock plug socket outlet switch thermostat sensor camera
    speaker alarm valve pump boiler maker coffee tea kettle toaster microwave humidifier mirror sofa
    couch tree christmas aquarium fountain sauna motion climate water room half halfway on off""".split()
)

_SILENT = (("gh", ""), ("kn", "n"), ("wr", "r"), ("mb", "m"), ("wh", "w"), ("ph", "f"), ("ck", "k"))
_VOWELS = frozenset("aeiouy")
_SHIFTED = (
    ("tch", "J"), ("ch", "J"), ("sh", "J"), ("th", "0"), ("dge", "J"), ("ge", "J"), ("gi", "J"),
    ("ce", "s"), ("ci", "s"), ("cy", "s"), ("j", "J"), ("c", "k"), ("q", "k"), ("x", "ks"), ("z", "s"),
    ("d", "t"), ("b", "p"), ("g", "k"), ("v", "f"),
)  # fmt: skip


@lru_cache(maxsize=8192)
def sound(word: str) -> str:
    """A rough key: consonants as they sound, vowels gone, an r that many speakers drop gone too."""
    key = word.casefold()
    for old, new in _SILENT:
        key = key.replace(old, new)
    first_is_vowel = key[:1] in "aeiou"
    # Hard and soft sounds are told apart by what was written; b, d, g, v fold into p, t, k, f.
    for old, new in _SHIFTED:
        key = key.replace(old, new)
    key = key[:1] + re.sub(r"[aeiouywh]", "", key[1:])
    key = re.sub(r"(.)\1+", r"\1", key)
    key = re.sub(r"(?<=.)r$", "", key)
    return ("a" + key[1:]) if first_is_vowel else key


@lru_cache(maxsize=65536)
def likeness(said: str, meant: str) -> float:
    """From 0 to 1. A word that means something else in a home counts as nothing like it."""
    if said == meant:
        return 1.0
    if singular(said) == singular(meant):
        return 0.97
    if said in _KNOWN or any(map(str.isdigit, said + meant)) or len(said) < 2:  # "light 1" is not "light 2"
        return 0.0
    from rapidfuzz import fuzz

    spelled = fuzz.ratio(said, meant) / 100
    # A key of one letter says too little: "mar" is no mirror. Nor does one where the vowels stand elsewhere:
    # "force" is no freezer.
    opens_alike = (said[1:2] in _VOWELS) == (meant[1:2] in _VOWELS)
    least = 0.75 if len(sound(said)) < 2 else 0.3 if opens_alike else 0.6
    if sound(said) == sound(meant) and spelled >= least:
        return max(spelled, 0.93)
    heard = fuzz.ratio(sound(said), sound(meant)) / 100
    return max(spelled, (spelled + heard) / 2) if said[0] == meant[0] else min(spelled, 0.8)


def phrase_likeness(said: tuple[str, ...], meant: tuple[str, ...]) -> float:
    """Word by word: one word that is nothing like it spoils the phrase, however long the rest is."""
    if len(said) != len(meant) or not said:
        return 0.0
    scores = [likeness(*both) for both in zip(said, meant, strict=True)]
    return sum(scores) / len(said) if min(scores) >= 0.72 else 0.0
