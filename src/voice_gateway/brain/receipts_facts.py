"""What an outcome shows: of which thing, whether it was done, its state and its numbers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from voice_gateway.brain.receipts_amounts import Amounts
from voice_gateway.brain.receipts_reading import (
    MOST_ENTRIES,
    actions_in,
    amounts_of,
    effects_in,
    kinds_in,
    names_in,
    state_in,
    stated,
    texts_in,
)
from voice_gateway.brain.receipts_verbs import STATES
from voice_gateway.brain.receipts_words import words_of
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
    dated: bool = False  # a date was asked for: which day of the week that is, nobody says
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
_NAME_KEYS = ("device", "deviceName", "device_name", "name", "entity", "entity_id", "target", "label")
_LONGEST = 2000  # characters of a text that are compared
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
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
    entries = list(_entries(structured))[:MOST_ENTRIES] if status in {Status.READ, Status.DONE} else []
    listed = [fact for entry in entries if (fact := _entry(entry, status, own)) is not None]
    if status is Status.READ and not listed and not own.state:
        listed = _segments(outcome, own)
    return [own, *listed]


def attempt_of(outcome: ToolOutcome) -> Fact:
    """What was to be looked at: it may be named, although nobody saw it."""
    structured = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    return _own(outcome, Status.FAILED, structured)


def _own(outcome: ToolOutcome, status: Status, structured: Mapping[str, Any]) -> Fact:
    """What the outcome says as a whole."""
    args = dict(outcome.args) if isinstance(outcome.args, Mapping) else {}
    flat = {key: value for key, value in structured.items() if not isinstance(value, list | tuple)}
    said = words_of(outcome.text[:_LONGEST])
    tool = words_of(re.sub(r"[_\-.]+|(?<=[a-z])(?=[A-Z])", " ", outcome.name))
    named = [word for value in (*texts_in(args), *texts_in(flat)) for word in words_of(value)] + tool
    words = names_in([*named, *(said if not flat.get("device") else ())])
    known = state_in(flat) or (frozenset() if status is Status.FAILED else state_in(args))
    effects = actions_in(args) | known or effects_in(tool)
    if not effects and status not in {Status.FAILED, Status.READ}:
        effects = frozenset(STATES[word.text] for word in said if word.text in STATES)
    return Fact(
        status=status,
        words=words,
        kinds=kinds_in(names_in(named)) or kinds_in(words),
        placed=bool(flat.get("room") or flat.get("area")),
        effects=effects,
        state=known or _assumed(status, args, structured),
        amounts=amounts_of(args, structured, said),
        key=_key(outcome.name, args, flat),
        days=frozenset(word.text for word in said if word.text in _WEEKDAYS),
        dated=any(_DATE.search(text) for text in texts_in(args)),
    )


def _assumed(status: Status, args: Mapping[str, Any], structured: Mapping[str, Any]) -> frozenset[str]:
    """The state where none is told: after a receipt what was asked for; of an empty list, that all is off."""
    if status is Status.DONE:
        return actions_in(args)
    lists = [value for value in structured.values() if isinstance(value, list | tuple)]
    empty = status is Status.READ and bool(lists) and not any(lists)
    return frozenset({"off"} if empty else ())


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
    named = [word for value in texts_in(entry) for word in words_of(value)]
    words = names_in(named)
    if not words:
        return None
    place = bool(entry.get("room") or entry.get("area"))
    key = _key("", {}, entry) or " ".join(sorted(words))
    # A timer that is listed runs, whether it rings or not.
    state = frozenset({"on"}) if "remaining_seconds" in entry else state_in(entry)
    effects = state if status is Status.READ else own.effects
    amounts = amounts_of({}, entry, [])
    return Fact(
        status,
        words | own.words if not place and own.placed else words,
        kinds_in(words) or own.kinds,
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
        state = frozenset(stated(said))
        words = names_in(said)
        if state and words:
            facts.append(
                Fact(
                    own.status,
                    words,
                    kinds_in(words),
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
