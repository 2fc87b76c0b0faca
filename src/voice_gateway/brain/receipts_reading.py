"""Reads an outcome's arguments, structured content and sentence: names, states, effects, numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from voice_gateway.brain.receipts_amounts import Amounts, amounts_in
from voice_gateway.brain.receipts_verbs import FORMS, MODES, OPPOSITE, PARTICLES, STATES
from voice_gateway.brain.receipts_words import ANY_DEVICE, KINDS, Word, singular, words_of

_ACTION_KEYS = frozenset(
    "action command mode operation service method state power value status set_to target".split()
)
_NOT_SAID = frozenset("nodeid endpoint id node_id ageseconds age backend outcome candidates product".split())
_LARGEST = 10**12  # numbers beyond it are nothing that anybody says
MOST_ENTRIES = 500


def stated(said: list[Word]) -> Iterator[str]:
    texts = [word.text for word in said]
    for place, text in enumerate(texts):
        if text in STATES:
            negated = bool({"not", "never"} & set(texts[max(0, place - 3) : place]))
            yield OPPOSITE.get(STATES[text], STATES[text]) if negated else STATES[text]


def texts_in(source: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    for key, value in source.items():
        if str(key).lower().replace("-", "_") in _NOT_SAID:
            continue
        if isinstance(value, str):
            yield value[:300]
        elif isinstance(value, Mapping) and depth < 2:
            yield from texts_in(value, depth + 1)


def names_in(words: list[Word]) -> frozenset[str]:
    return frozenset(singular(word.text) for word in words if word.text.isalpha())


def kinds_in(words: frozenset[str]) -> frozenset[str]:
    return frozenset(KINDS[word] for word in words - ANY_DEVICE if word in KINDS)


def state_in(source: Mapping[str, Any]) -> frozenset[str]:
    found: set[str] = set()
    for key, value in source.items():
        name = str(key).lower()
        if name == "state" and isinstance(value, str):
            said = words_of(value[:100])
            found |= {*stated(said), *(MODES & {word.text for word in said})}
        elif isinstance(value, bool) and (name.removeprefix("is_")) in STATES:
            effect = STATES[name.removeprefix("is_")]
            found.add(effect if value else OPPOSITE.get(effect, ""))
        elif isinstance(value, bool) and name in {"power", "state", "powered"}:
            found.add("on" if value else "off")
    return frozenset(found - {""})


def actions_in(args: Mapping[str, Any]) -> frozenset[str]:
    """What was asked for: `action: "on"`, `command: "turn_off"`, `level: 30`."""
    found: set[str] = set()
    for key, value in args.items():
        name = str(key).lower()
        if isinstance(value, str) and name in _ACTION_KEYS:
            found |= effects_in(words_of(value[:60].replace("_", " ")))
        elif isinstance(value, bool) and name in {"on", "state", "power", "value", "enabled"}:
            found.add("on" if value else "off")
        elif isinstance(value, int | float) and name in {
            "level",
            "brightness",
            "position",
            "temperature",
            "volume",
        }:
            found |= {"level", "on"} if value else {"level", "off"}
    return frozenset(found - {""})


def effects_in(words: list[Word]) -> frozenset[str]:
    texts = [word.text for word in words]
    found = {PARTICLES[text] for text in texts if text in PARTICLES}
    for text in texts:
        if text in FORMS and not found - {""}:
            found.add(FORMS[text][0].effect)
        if text in STATES:
            found.add(STATES[text])
    return frozenset((found | (MODES & set(texts))) - {""})


def amounts_of(args: Mapping[str, Any], structured: Mapping[str, Any], said: list[Word]) -> Amounts:
    found = amounts_in(said)
    for source in (args, structured):
        for number in _numbers(source):
            found.numbers.add(number)
        for text in texts_in(source):
            found.add(amounts_in(words_of(text)))
    return found


def _numbers(source: Any, depth: int = 0) -> Iterator[float]:
    if isinstance(source, bool):
        return
    if isinstance(source, int | float):
        if -_LARGEST < source < _LARGEST:  # false for what is not a number, too
            yield float(source)
    elif isinstance(source, Mapping) and depth < 4:
        for key, value in source.items():
            if str(key).lower() not in _NOT_SAID:
                yield from _numbers(value, depth + 1)
    elif isinstance(source, list | tuple) and depth < 4:
        for value in source[:MOST_ENTRIES]:
            yield from _numbers(value, depth + 1)
