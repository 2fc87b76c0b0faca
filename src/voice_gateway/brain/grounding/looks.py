"""Whether what a sentence tells of the home is what a tool found in this turn."""

import re
from collections.abc import Iterator, Sequence

from voice_gateway.brain.languages import (
    data,
    is_kind,
    languages_of,
    listed,
    matches,
    numbers_as_digits,
    singular,
    spelled_out,
    words_in,
)
from voice_gateway.turn import ToolOutcome

_COMMAS = re.compile(r",(?!\d)|\b(?:and|but)\b")
_SENTENCES = re.compile(r"[.!?](?=\s|$)|;|\n|\),")


def grounded(sentence: str, outcomes: Sequence[ToolOutcome], said: str) -> bool | None:
    """Whether its facts are those of an outcome, name and state of the same; None: it has no fact."""
    records = [record for outcome in outcomes for record in _records(outcome)]
    affirmed = [record for record, denied in records if not denied]
    denials = [denial for outcome in outcomes for denial in _denials(outcome)]
    name: frozenset[str] = frozenset()
    state = _facts(said)[1]
    clauses = re.split(r"[,;]|:\s|\b(?:and|but)\b", sentence)
    facts = [_facts(clause) for clause in clauses]
    if not any(things | states for things, states, _ in facts):
        return None
    for clause, (things, states, rest) in zip(clauses, facts, strict=True):
        content = rest - listed("looks", "harmless")
        if things | states:
            name, state = things or name, states or state
            content |= name | state
        if content and (denying := denies(clause)):
            found = any(content <= told and denying == by for told, by in denials)
        else:
            found = not content or any(content <= record for record in affirmed)
        if not found:
            return False
        if state and not name and len(records) > 1:
            return False
    return True


def denies(text: str) -> frozenset[str]:
    """The words by which it denies. "No timers are running": without its "no" it says the opposite."""
    codes = {"en", *(known.code for known in languages_of(text))}
    patterns = [data()["denies"][code] for code in sorted(codes)]
    words = spelled_out(text).split()
    return frozenset(word for word in words if any(matches(word, one) for one in patterns))


def _facts(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Numbers and names of things; states; and all other words that are not common ones."""
    words = _with_units(numbers_as_digits(_words(text)))
    states = frozenset(words) & listed("subjects", "states")
    named = listed("rooms", "en") | listed("looks", "names")
    things = frozenset(
        singular(word) for word in words if word[0].isdigit() or is_kind(word) or singular(word) in named
    )
    spoken = languages_of(text)
    toggled = {word for one in spoken for word in words[-1:] if word in one.toggled}
    common = {word for one in spoken for word in one.function} - listed("looks", "not") - toggled
    rest = frozenset(singular(word) for word in words if word not in common | states) - things
    return things, states, rest


def _denials(outcome: ToolOutcome) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What an outcome denies, and by which words: of one sentence between its commas, and no other."""
    for part in _SENTENCES.split(outcome.text):
        for piece in _COMMAS.split(part):
            if denying := denies(piece):
                words = _with_units(numbers_as_digits(_words(piece)))
                yield frozenset(words) | frozenset(map(singular, words)), denying


def _records(outcome: ToolOutcome) -> Iterator[tuple[frozenset[str], bool]]:
    """The things that an outcome tells of, each with all that it tells of it; and whether it denies some."""
    facts = outcome.facts
    items = [item for value in facts.values() if isinstance(value, list) for item in value]
    shared = " ".join(str(value) for value in facts.values() if isinstance(value, str))
    entries = [re.sub(r"\bNone\b", "", str(item)) for item in items] or re.split(r";|\n|\),", outcome.text)
    if len(entries) == 1:
        entries = [f"{outcome.text}, {entries[0]}, {', '.join(map(str, outcome.args.values()))}"]
    aloud = _words(outcome.text)  # ids and ages are numbers, too
    units: dict[str, set[str]] = {}
    for number in _with_units(numbers_as_digits(aloud)):
        units.setdefault(number.partition(" ")[0], set()).update(number.split()[1:])
    for entry in entries:
        for part in _by_state(f"{entry}, {shared}"):
            kept = [word for word in _words(part) if not word[0].isdigit() or word in aloud]
            numbers = _with_units(numbers_as_digits(kept))
            bare = {word for word in numbers if word[0].isdigit() and " " not in word}
            measured = {
                f"{word} {unit}" for word in bare for unit in units.get(word) or listed("looks", "units")
            }
            yield frozenset(map(singular, numbers)) | frozenset(kept) | measured, bool(denies(part))


def _by_state(entry: str) -> list[str]:
    """ "Open from 10 to 18, closed on Mondays": what stands with one state does not go with another."""
    groups: dict[frozenset[str], list[str]] = {}
    for part in _COMMAS.split(entry):
        groups.setdefault(listed("subjects", "states") & set(words_in(part)), []).append(part)
    shared = groups.pop(frozenset(), [])
    return [", ".join([*parts, *shared]) for parts in groups.values() or [[]]]


def _words(text: str) -> list[str]:
    """With its units as words."""
    said = text.replace("%", " percent ").replace("°", " degrees ").replace("€", " euros ")
    return spelled_out(re.sub(r"\bkm/h\b|\bkilomet\w+ (?:per|an) hour\b", " kmh ", said)).split()


def _with_units(words: Sequence[str]) -> list[str]:
    """A number goes with its unit: 45 % of humidity are no 45 degrees."""
    units = [singular(word) for word in [*words, ""][1:]]
    return [
        f"{word} {unit}" if word[0].isdigit() and unit in listed("looks", "units") else word
        for word, unit in zip(words, units, strict=True)
    ]
