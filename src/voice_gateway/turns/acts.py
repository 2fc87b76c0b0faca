"""Acts and the calls that undo them, kept for an hour, apart from the conversation."""

import json
import logging
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from voice_gateway.errors import LinkError
from voice_gateway.turn import OutcomeStatus, ToolCall, ToolOutcome, new_id

log = logging.getLogger(__name__)

KEPT_SECONDS = 3600.0
MOST_CALLS = 100  # of one turn
LONGEST = 50_000  # characters of one act
WAITING = "undo"  # in a conversation's state: calls that put something back, and wait for a yes
_HAPPENED = frozenset(
    {OutcomeStatus.CONFIRMED, OutcomeStatus.WORKING, OutcomeStatus.QUEUED, OutcomeStatus.UNCONFIRMED}
)

SCENE = "scene"
Call = Mapping[str, Any]  # {"name": tool, "args": {…}}, as a result's `before` has it
# The name by which a tool that `before` names is called here; None: it is not of the server that gave it.
Called = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class Where:
    """Selects acts; None matches any."""

    channel: str
    room: str | None = None
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """Everything that one turn changed."""

    did: tuple[Call, ...] = ()  # the calls that were made, in their order
    calls: tuple[Call, ...] = ()  # the calls that undo it, in order
    reasons: tuple[str, ...] = ()  # what cannot be undone, and why
    at: float = 0.0
    tries: int = 0  # failed tries to undo it

    def after(self, older: "UndoEntry") -> "UndoEntry":
        """Both as one entry: the older state of a device is the one to restore."""
        calls = [call for call in self.calls if not any(_covers(old, call) for old in older.calls)]
        reasons = tuple(dict.fromkeys((*self.reasons, *older.reasons)))
        return replace(self, calls=(*calls, *older.calls), reasons=reasons)

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "UndoEntry":
        facts = json.loads(text)
        did, calls = tuple(filter(is_call, facts["did"])), tuple(filter(is_call, facts["calls"]))
        return cls(did, calls, tuple(facts["reasons"]), float(facts["at"]), int(facts["tries"]))


def is_call(raw: Any) -> bool:
    return (
        isinstance(raw, Mapping) and isinstance(raw.get("name"), str) and isinstance(raw.get("args"), Mapping)
    )


def target(call: Call) -> str:
    """The device or tool that a call is about; calls with one target do not run at the same time."""
    args = call["args"]
    home = args.get("name") and (args.get("domain") or args.get("area"))  # a timer has no more than a name
    placed = f"{args['name']} {args.get('area', '')}" if home else ""
    return str(args.get("deviceName") or placed or call["name"]).casefold()


class Acts(Protocol):
    """Keeps acts for undo; each is taken once. Raises LinkError."""

    async def add(self, act: UndoEntry, where: Where) -> None: ...

    async def newest(self, where: Where, *, take: bool) -> UndoEntry | None: ...


@dataclass
class TurnActs:
    """The acts of one turn, and the earlier ones that it may undo."""

    acts: Acts
    here: Where
    now: Callable[[], float]
    called: Called = lambda name, _by: name
    wanted: Where | None = None  # set by a command that undoes the last of these acts
    _put_back: set[str] = field(default_factory=set)  # ids of calls that undo something
    _left: UndoEntry | None = None  # taken, and not undone yet

    async def take(self, most: int = 1) -> UndoEntry | None:
        """Removes and returns the last act (or the last few as one) of this conversation, else of this
        channel and room."""
        here = (replace(self.here, room=None), replace(self.here, conversation=None))
        for where in (self.wanted,) if self.wanted is not None else here:
            if (act := await self.acts.newest(where, take=True)) is None:
                continue
            for _ in range(most - 1):
                if (older := await self.acts.newest(where, take=True)) is None:
                    break
                act = act.after(older)
            return act
        return None

    def puts_back(self, calls: Iterable[ToolCall]) -> None:
        """Marks calls that undo something: a further undo goes further back instead of redoing."""
        self._put_back |= {call.id for call in calls}

    def leave(self, act: UndoEntry | None) -> None:
        """Keeps an act that was taken: it can still be undone, with what this turn does."""
        self._left = act

    async def keep(self, outcomes: Sequence[ToolOutcome], state: dict[str, Any]) -> None:
        """Stores the act at the end of the turn. `state` is the conversation's, because a yes comes later."""
        waiting = state.pop(WAITING, [])
        undone = [outcome for outcome in outcomes if outcome.call_id in self._put_back]
        if asked := [_as_call(each) for each in undone if each.status is OutcomeStatus.WAITING]:
            state[WAITING] = asked
        own = [each for each in outcomes if each not in undone and _as_call(each) not in waiting]
        act, left = act_of(own, self.called), self._left
        act = act.after(left) if act is not None and left is not None else act or left
        if act is None:
            return
        try:
            await self.acts.add(replace(act, at=self.now()), self.here)
        except LinkError as error:  # the answer still comes
            log.warning("an act is not kept and cannot be undone", extra={"reason": str(error)})


def _covers(old: Call, new: Call) -> bool:
    """Whether `old` overwrites what `new` would set. An action is the whole state of a device; a mode
    does not cover a temperature, nor muting a level."""
    if old["name"] != new["name"] or target(old) != target(new):
        return False
    ours, theirs = old["args"], new["args"]
    if "deviceName" in ours and "action" in ours and "action" in theirs:
        return True
    return bool(ours.keys() == theirs.keys() and ours.get("action") == theirs.get("action"))


def act_of(outcomes: Sequence[ToolOutcome], called: Called) -> UndoEntry | None:
    """The entry for what these outcomes changed, or may have; None if that is nothing."""
    did: list[Call] = []
    calls: list[Call] = []
    reasons: list[str] = []
    for outcome in reversed(outcomes):
        if outcome.read_only or not outcome.ran:
            continue
        known, undo = outcome.facts.get("before"), outcome.facts.get("undo")
        back = _calls(known, outcome.name, called) if isinstance(known, list) else []
        if not isinstance(known, list) and outcome.status in _HAPPENED:
            undo = f"{_words(outcome.name)} does not say what was before."
        if back or isinstance(undo, str):
            did.insert(0, _as_call(outcome))
            calls += back
            reasons += [undo] if isinstance(undo, str) else []
    if not did:
        return None
    act = UndoEntry(tuple(did), tuple(calls[:MOST_CALLS]), tuple(dict.fromkeys(reasons)))
    too_much = UndoEntry(reasons=("It was too much to be kept.",))
    return act if len(act.to_text()) <= LONGEST else too_much


def _calls(before: Sequence[Any], by: str, called: Called) -> list[Call]:
    calls = ((called(raw["name"], by), dict(raw["args"])) for raw in before if is_call(raw))
    return [{"name": name, "args": args} for name, args in calls if name is not None]


def _as_call(outcome: ToolOutcome) -> dict[str, Any]:
    return {"name": outcome.name, "args": dict(outcome.args)}


def _words(tool: str) -> str:
    return f"The tool “{' '.join(tool.replace('_', ' ').replace('-', ' ').split())[:60]}”"


def new_calls(calls: Iterable[Call]) -> list[ToolCall]:
    return [ToolCall(new_id(), str(call["name"]), dict(call["args"])) for call in calls]


def waves(calls: Sequence[ToolCall], scenes: Container[str] = ()) -> list[list[ToolCall]]:
    """Groups calls that can run together; calls with one target keep their order. A scene runs alone, as
    it may touch any device; `scenes` are the ids of calls that start one."""
    made: list[list[ToolCall]] = []
    busy: set[str] = set()
    for call in calls:
        scene = call.id in scenes or "sceneName" in call.args
        about = SCENE if scene else target({"name": call.name, "args": call.args})
        if not made or SCENE in (about, *busy) or about in busy:
            made.append([])
            busy = set()
        made[-1].append(call)
        busy.add(about)
    return made
