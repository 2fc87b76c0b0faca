"""Whether what a sentence tells of the home is what a tool found in this turn."""

import re
from collections.abc import Iterator, Sequence

from voice_gateway.brain.languages import (
    is_kind,
    languages_of,
    listed,
    numbers_as_digits,
    singular,
    spelled_out,
    words_in,
)
from voice_gateway.turn import ToolOutcome


def grounded(sentence: str, outcomes: Sequence[ToolOutcome], said: str) -> bool | None:
    """Whether its facts are those of an outcome, name and state of the same; None: it has no fact."""
    records = [record for outcome in outcomes for record in _records(outcome)]
    name: frozenset[str] = frozenset()
    state = _facts(said)[1]
    clauses = [_facts(clause) for clause in re.split(r"[,;]|:\s|\b(?:and|but)\b", sentence)]
    if not any(things | states for things, states, _ in clauses):
        return None
    for things, states, rest in clauses:
        content = rest - listed("looks", "harmless")
        if things | states:
            name, state = things or name, states or state
            content |= name | state
        if not any(content <= record for record in records):
            return False
        if state and not name and len(records) > 1:
            return False
    return True


def _facts(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Numbers and names of things; states; and all other words that are not common ones."""
    words = _with_units(numbers_as_digits(spelled_out(_units_said(text)).split()))
    states = frozenset(words) & listed("subjects", "states")
    rooms = listed("rooms", "en")
    things = frozenset(
        singular(word) for word in words if word[0].isdigit() or is_kind(word) or singular(word) in rooms
    )
    common = {word for one in languages_of(text) for word in one.function} - listed("looks", "not")
    rest = frozenset(singular(word) for word in words if word not in common | states) - things
    return things, states, rest


def _records(outcome: ToolOutcome) -> Iterator[frozenset[str]]:
    """The things that an outcome tells of, each with all that it tells of it."""
    facts = outcome.facts
    items = [item for value in facts.values() if isinstance(value, list) for item in value]
    shared = " ".join(str(value) for value in facts.values() if isinstance(value, str))
    entries = [str(item) for item in items] or re.split(r";|\n|\),", outcome.text)
    if len(entries) == 1:
        entries = [f"{outcome.text} {entries[0]} {' '.join(map(str, outcome.args.values()))}"]
    aloud = set(words_in(outcome.text))  # ids and ages are numbers, too
    for entry in entries:
        words = words_in(_units_said(f"{entry} {shared}"))
        kept = [word for word in words if not word[0].isdigit() or word in aloud]
        numbers = _with_units(numbers_as_digits(kept))
        bare = {word for word in numbers if word[0].isdigit() and " " not in word}
        any_unit = {f"{word} {unit}" for word in bare for unit in listed("looks", "units")}
        yield frozenset(map(singular, numbers)) | frozenset(kept) | any_unit


def _units_said(text: str) -> str:
    return text.replace("%", " percent ").replace("°", " degrees ")


def _with_units(words: Sequence[str]) -> list[str]:
    """A number goes with its unit: 45 % of humidity are no 45 degrees."""
    units = [singular(word) for word in [*words, ""][1:]]
    return [
        f"{word} {unit}" if word[0].isdigit() and unit in listed("looks", "units") else word
        for word, unit in zip(words, units, strict=True)
    ]
