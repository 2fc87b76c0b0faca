"""A finished turn as it is written: its events without secrets, and what is needed to run it again."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from voice_gateway.events import Answered, CallFinished, Event, Heard, Judged, ModelRound
from voice_gateway.recorder.store import Kept, TurnStore, packed
from voice_gateway.tools.masking import mask_whole, secrets_in
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.trace import event_json, longest_first, private, without
from voice_gateway.turn import ToolOutcome, Utterance

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

log = logging.getLogger(__name__)

LONGEST_LOOK = 4_000_000  # characters of what is known of one home
LONGEST_NAMED = 2_000
_TRAITS = (
    "original_name", "title", "read_only", "destructive", "idempotent", "trusted",
    "words_from_outside", "summary", "called_for", "origin",
)  # fmt: skip
_DEVICES = ("deviceName", "name", "entity_id", "area", "sceneName", "room")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a turn saw of the tools and the home, to run it again."""

    version: int = -1  # of the tools
    tools: "Sequence[BaseTool]" = ()
    looks: Sequence[ToolOutcome] = ()


@dataclass(slots=True)
class RecordedTurn:
    utterance: Utterance
    begun: float
    around: Surroundings
    events: list[Event] = field(default_factory=list)


class Records:
    """Writes turns. Content that many turns share is written once."""

    def __init__(self, store: TurnStore) -> None:
        self._store = store
        self._tools: tuple[int, str, bytes] = (-2, "", b"")
        self._looks: tuple[Sequence[ToolOutcome], str, bytes] = ((), "", b"")

    def write(self, turns: Sequence[RecordedTurn]) -> None:
        shared: dict[str, bytes] = {}
        kept = [self._kept(turn, shared) for turn in turns]
        self._store.add(kept, shared.items())

    def _kept(self, turn: RecordedTurn, shared: dict[str, bytes]) -> Kept:
        hide = arguments_hidden(turn.events)
        events = [hide(record) for record in map(event_json, turn.events) if record is not None]
        answered: dict[str, Any] = next((each for each in reversed(events) if each["type"] == "answered"), {})
        utterance = next((each.utterance for each in turn.events if isinstance(each, Heard)), turn.utterance)
        tools, home = self._shared(turn.around)
        shared |= {digest: content for digest, content in (tools, home) if digest}
        return Kept(
            utterance.id,
            events[0]["at"],
            utterance.channel,
            utterance.room,
            utterance.conversation_id,
            hide(private(utterance.text)),
            answered.get("text", ""),
            bool(answered.get("ok")),
            answered.get("stage", "none"),
            answered.get("seconds") or 0.0,
            answered.get("acts", []),
            _named(events),
            events,
            tools[0],
            home[0],
        )

    def _shared(self, around: Surroundings) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
        if around.version != self._tools[0]:
            self._tools = (around.version, *_digested([_described(tool) for tool in around.tools]))
        if [*map(id, self._looks[0])] != [*map(id, around.looks)]:
            self._looks = (around.looks, *_digested([_look(each) for each in around.looks]))
        return self._tools[1:], self._looks[1:]


def arguments_hidden(events: Iterable[Event]) -> Callable[[Any], Any]:
    """A function that hides the secret arguments of the turn's calls wherever they occur in its events."""
    secrets = longest_first({secret for event in events for secret in secrets_in(_args(event))})
    return partial(without, secrets=secrets)


def _args(event: Event) -> Any:
    if isinstance(event, Judged):
        return event.call.args
    if isinstance(event, CallFinished):
        return event.outcome.args
    if isinstance(event, ModelRound):
        return [call.args for call in (*event.calls, *(c for each in event.sent for c in each.calls))]
    return [outcome.args for outcome in event.reply.outcomes] if isinstance(event, Answered) else None


def _named(events: Iterable[Mapping[str, Any]]) -> str:
    """Names for the search: the tools of its calls, and the devices in their arguments."""
    names: dict[str, None] = {}
    for event in events:
        if event["type"] == "acted":
            args = event["args"] if isinstance(event["args"], Mapping) else {}
            names |= dict.fromkeys([event["tool"], *(str(args[key]) for key in _DEVICES if key in args)])
    return " ".join(names)[:LONGEST_NAMED]


def _digested(content: list[Any]) -> tuple[str, bytes]:
    if not content:
        return "", b""
    written = packed(content)
    return hashlib.sha256(written).hexdigest(), written


def _described(tool: "BaseTool") -> dict[str, Any]:
    """A tool, for a replay. Foreign code makes its schema; without one the tool cannot be replayed."""
    known = traits(tool)
    facts: dict[str, Any] = {"name": tool.name, "source": known.source}
    try:
        facts |= {"schema": schema_of(tool), "description": tool.description}
    except Exception as error:
        log.info("tool cannot be played again", extra={"tool": tool.name, "reason": str(error)})
        return facts
    return {**facts, "traits": {name: getattr(known, name) for name in _TRAITS}}


def _look(outcome: ToolOutcome) -> dict[str, Any]:
    return {
        "tool": outcome.name,
        "args": dict(outcome.args),
        "text": mask_whole(outcome.text, outcome.args, LONGEST_LOOK) or "",
        "structured": mask_whole(outcome.structured, outcome.args, LONGEST_LOOK),
    }
