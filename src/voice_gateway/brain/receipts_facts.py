"""What an outcome shows: of which thing, whether it was done, its state and its numbers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from voice_gateway.brain.receipts_amounts import Amounts, amounts_in
from voice_gateway.brain.receipts_verbs import FORMS, MODES, OPPOSITE, PARTICLES, STATES
from voice_gateway.brain.receipts_words import ANY_DEVICE, KINDS, Word, singular, words_of
from voice_gateway.turn import ToolOutcome


class Status(StrEnum):
    DONE = "done"  # the receipt: confirmed, or ok from a tool that has no word for it
    WORKING = "working"
    QUEUED = "queued"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"
    READ = "read"  # looked at; never a receipt for an action


@dataclass(frozen=True, slots=True)
class Fact:
    status: Status
    words: frozenset[str]  # whatever it may be called by
    kinds: frozenset[str]
    placed: bool  # its room is known
    effects: frozenset[str]  # what was asked for, and what it led to
    state: frozenset[str]  # what is the case now, as far as the outcome says it
    amounts: Amounts
    key: str  # the same for two outcomes of one thing
    days: frozenset[str] = frozenset()
    listed: bool = False  # one of many in a list
    worded: bool = False  # taken from a sentence, not from structured content

    @property
    def acted(self) -> bool:
        return self.status is not Status.READ

    @property
    def named(self) -> bool:
        """Whether it is about one thing with a name, and not about the time or the web."""
        return "/" in self.key or self.listed


_LOOKING = frozenset("get read status query check list show find search describe info state".split())
_ACTION_KEYS = frozenset(
    "action command mode operation service method state power value status set_to target".split()
)
_NAME_KEYS = ("device", "deviceName", "device_name", "name", "entity", "entity_id", "target", "label")
_NOT_SAID = frozenset("nodeid endpoint id node_id ageseconds age backend outcome candidates product".split())
_MOST_ENTRIES = 500
_LARGEST = 10**12  # numbers beyond it are nothing that anybody says
_LONGEST = 2000  # characters of a text that are compared
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


def status_of(outcome: ToolOutcome) -> Status:
    word = _word(outcome)
    if outcome.read_only or _only_looked(outcome):
        return Status.READ
    if word in {Status.WORKING, Status.QUEUED, Status.UNCONFIRMED}:
        return Status(word)
    if outcome.error == "timeout":
        return Status.UNCONFIRMED
    if outcome.ok and word in {"", "confirmed", "ok", "success", "done"}:
        return Status.DONE
    return Status.FAILED


def _word(outcome: ToolOutcome) -> str:
    facts = outcome.structured
    word = facts.get("outcome") if isinstance(facts, Mapping) else None
    return word.strip().lower() if isinstance(word, str) else ""


def _only_looked(outcome: ToolOutcome) -> bool:
    """A tool that can change something, called so that it only tells: `action: "get"`."""
    action = (
        outcome.args.get("action", outcome.args.get("command")) if isinstance(outcome.args, Mapping) else None
    )
    return isinstance(action, str) and action.strip().lower() in _LOOKING


def facts_of(outcome: ToolOutcome) -> list[Fact]:
    status = status_of(outcome)
    if status is Status.READ and not outcome.ok:
        return []  # nobody saw anything
    structured = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    own = _own(outcome, status, structured)
    entries = list(_entries(structured))[:_MOST_ENTRIES] if status in {Status.READ, Status.DONE} else []
    listed = [fact for entry in entries if (fact := _entry(entry, status, own)) is not None]
    if status is Status.READ and not listed and not own.state:
        listed = _segments(outcome, own)
    return [own, *listed]


def _own(outcome: ToolOutcome, status: Status, structured: Mapping[str, Any]) -> Fact:
    args = dict(outcome.args) if isinstance(outcome.args, Mapping) else {}
    flat = {key: value for key, value in structured.items() if not isinstance(value, list | tuple)}
    said = words_of(outcome.text[:_LONGEST])
    named = [word for value in (*_texts(args), *_texts(flat)) for word in words_of(value)]
    tool = words_of(re.sub(r"[_\-.]+|(?<=[a-z])(?=[A-Z])", " ", outcome.name))
    named += tool
    known_state = _state(flat) or (frozenset() if status is Status.FAILED else _state(args))
    action = _actions(args)
    effects = action | known_state or _verbs(tool)
    if status is not Status.FAILED and not (effects or status is Status.READ):
        effects = frozenset(STATES[word.text] for word in said if word.text in STATES)
    words = _names([*named, *(said if not flat.get("device") else ())])
    state = known_state or (action if status is Status.DONE else frozenset())
    if status is Status.READ and not known_state:
        lists = [value for value in structured.values() if isinstance(value, list | tuple)]
        state = frozenset({"off"} if lists and not any(lists) else ())  # an empty list: there is none
    return Fact(
        status, words, _kinds(_names(named)) or _kinds(words), bool(flat.get("room") or flat.get("area")),
        effects, state, _amounts(args, structured, said), _key(outcome.name, args, flat),
        frozenset(word.text for word in said if word.text in _WEEKDAYS),
    )  # fmt: skip


def _key(tool: str, args: Mapping[str, Any], flat: Mapping[str, Any]) -> str:
    for source in (flat, args):
        for name in _NAME_KEYS:
            if isinstance(value := source.get(name), str) and value.strip():
                return f"{value.casefold().strip()}/{flat.get('room') or ''}"
    return tool


def _entries(structured: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for value in structured.values():
        if isinstance(value, list | tuple):
            yield from (entry for entry in value if isinstance(entry, Mapping))


def _entry(entry: Mapping[str, Any], status: Status, own: Fact) -> Fact | None:
    named = [word for value in _texts(entry) for word in words_of(value)]
    words = _names(named)
    if not words:
        return None
    place = bool(entry.get("room") or entry.get("area"))
    key = _key("", {}, entry) or " ".join(sorted(words))
    # A timer that is listed runs, whether it rings or not.
    state = frozenset({"on"}) if "remaining_seconds" in entry else _state(entry)
    effects = state if status is Status.READ else own.effects
    amounts = _amounts({}, entry, [])
    return Fact(
        status,
        words | own.words if not place and own.placed else words,
        _kinds(words) or own.kinds,
        place,
        effects,
        state,
        amounts,
        key,
        listed=True,
    )


def _segments(outcome: ToolOutcome, own: Fact) -> list[Fact]:
    """A tool that answers in words only: each part between two signs is about one thing."""
    facts = []
    for part in re.split(r"[.;,\n](?!\d)", outcome.text[:_LONGEST])[:100]:
        said = words_of(part)
        state = frozenset(_stated(said))
        words = _names(said)
        if state and words:
            facts.append(
                Fact(
                    own.status,
                    words,
                    _kinds(words),
                    own.placed,
                    state,
                    state,
                    own.amounts,
                    part.strip(),
                    listed=True,
                    worded=True,
                )
            )
    return facts


def _stated(said: list[Word]) -> Iterator[str]:
    texts = [word.text for word in said]
    for place, text in enumerate(texts):
        if text in STATES:
            negated = bool({"not", "never"} & set(texts[max(0, place - 3) : place]))
            yield OPPOSITE.get(STATES[text], STATES[text]) if negated else STATES[text]


def _texts(source: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    for key, value in source.items():
        if str(key).lower().replace("-", "_") in _NOT_SAID:
            continue
        if isinstance(value, str):
            yield value[:300]
        elif isinstance(value, Mapping) and depth < 2:
            yield from _texts(value, depth + 1)


def _names(words: list[Word]) -> frozenset[str]:
    return frozenset(singular(word.text) for word in words if word.text.isalpha())


def _kinds(words: frozenset[str]) -> frozenset[str]:
    return frozenset(KINDS[word] for word in words - ANY_DEVICE if word in KINDS)


def _state(source: Mapping[str, Any]) -> frozenset[str]:
    found: set[str] = set()
    for key, value in source.items():
        name = str(key).lower()
        if name == "state" and isinstance(value, str):
            said = words_of(value[:100])
            found |= {*_stated(said), *(MODES & {word.text for word in said})}
        elif isinstance(value, bool) and (name.removeprefix("is_")) in STATES:
            effect = STATES[name.removeprefix("is_")]
            found.add(effect if value else OPPOSITE.get(effect, ""))
        elif isinstance(value, bool) and name in {"power", "state", "powered"}:
            found.add("on" if value else "off")
    return frozenset(found - {""})


def _actions(args: Mapping[str, Any]) -> frozenset[str]:
    """What was asked for: `action: "on"`, `command: "turn_off"`, `level: 30`."""
    found: set[str] = set()
    for key, value in args.items():
        name = str(key).lower()
        if isinstance(value, str) and name in _ACTION_KEYS:
            found |= _verbs(words_of(value[:60].replace("_", " ")))
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


def _verbs(words: list[Word]) -> frozenset[str]:
    texts = [word.text for word in words]
    found = {PARTICLES[text] for text in texts if text in PARTICLES}
    for text in texts:
        if text in FORMS and not found - {""}:
            found.add(FORMS[text][0].effect)
        if text in STATES:
            found.add(STATES[text])
    return frozenset((found | (MODES & set(texts))) - {""})


def _amounts(args: Mapping[str, Any], structured: Mapping[str, Any], said: list[Word]) -> Amounts:
    found = amounts_in(said)
    for source in (args, structured):
        for number in _numbers(source):
            found.numbers.add(number)
        for text in _texts(source):
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
        for value in source[:_MOST_ENTRIES]:
            yield from _numbers(value, depth + 1)
