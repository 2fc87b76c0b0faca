"""Runs a recorded turn again, with today's rules and settings: every tool answers with what was recorded.

Nothing here knows a server: there is no link, and each tool is one that only reads from the record.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from voice_gateway.app.model import build_model
from voice_gateway.app.routines import place_of
from voice_gateway.config import Settings
from voice_gateway.conversation.context import home_facts
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.events import Event, EventBus
from voice_gateway.integrations.sources import Sources
from voice_gateway.recorder.story import Turn, why_not_said
from voice_gateway.routines.model import CANCEL, MAKE
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.gate import Fits
from voice_gateway.tools.permission.target import Reach
from voice_gateway.trace import arguments_json, event_json
from voice_gateway.turn import NOT_MADE, ToolCall, ToolTraits, Utterance
from voice_gateway.turns.stage import HomeFacts
from voice_gateway.understanding.stage import UnderstandingStage
from voice_gateway.verdict import Permission

NOT_RECORDED = "this call is not in the recording"
# Whether a plan needs a yes, and how one is asked, comes from the home and from all that is planned.
_PLANS, _YES = (MAKE, CANCEL), (Permission.SENSITIVE, Permission.AGREED)
_PLANNED = "it plans what needs a yes, and what is planned is not kept with a turn"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NO_TOOLS = "the tools of that time are not kept"

Recorded = Mapping[str, Any]  # a tool, a look or a call


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a turn, to be compared."""

    stage: str
    calls: tuple[str, ...]  # sorted, because calls of one message end in any order
    reply: str
    ok: bool

    def to_json(self) -> dict[str, Any]:
        return {"stage": self.stage, "calls": list(self.calls), "reply": self.reply, "ok": self.ok}


def result_of(events: Sequence[Mapping[str, Any]]) -> Result:
    """Each call is shown with its arguments and the gate's decision."""
    judged = {event["call_id"]: event["decision"] for event in events if event["type"] == "judged"}
    calls = [
        f"{event['tool']}({_key(event['args'])}) {judged.get(event['call_id'], 'not judged')}"
        for event in events
        if event["type"] == "acted"
    ]
    answered = [event for event in events if event["type"] == "answered"]
    last: Mapping[str, Any] = answered[-1] if answered else {}
    reply, ok = str(last.get("text", "")), bool(last.get("ok"))
    return Result(str(last.get("stage", "none")), tuple(sorted(calls)), reply, ok)


def differences(recorded: Result, now: Result) -> list[str]:
    """A line for each field that differs; the sentences about several calls come in any order."""
    lines = []
    for name in ("stage", "calls", "reply", "ok"):
        before, after = getattr(recorded, name), getattr(now, name)
        same = before == after
        if name == "reply" and len(now.calls) > 1:
            same = sorted(_SENTENCE_END.split(before)) == sorted(_SENTENCE_END.split(after))
        if not same:
            lines.append(f"{name}: {_shown(before)} → {_shown(after)}")
    return lines


def _shown(value: Any) -> str:
    return "; ".join(value) or "none" if isinstance(value, tuple) else str(value)


def why_not(turn: Turn, before: Sequence[Turn]) -> str:
    """Why the turn cannot be run again; empty if it can."""
    if any(
        one["type"] == "judged" and one["tool"] in _PLANS and one["reason"] in _YES for one in turn["events"]
    ):
        return _PLANNED
    return why_not_said(turn, before) or ("" if turn["tools"] else _NO_TOOLS)


class Replay:
    """Runs one turn, after the earlier turns of its conversation."""

    def __init__(
        self, settings: Settings, tools: Sequence[Mapping[str, Any]], home: Sequence[Mapping[str, Any]]
    ):
        self._settings = settings
        self._left: list[Mapping[str, Any]] = []  # recorded calls that were not made yet
        self._looks = {(one["tool"], _key(one["args"])): one for one in home}
        self._at = 0.0
        self._manager = ToolManager(settings.mcpServers)
        self._add(tools)
        self._executor = ToolExecutor(self._manager)
        self._local = UnderstandingStage(
            self._executor,
            settings.brain,
            home=settings.home,
            sources=Sources(self._executor),
            place=place_of(settings.home),
            now=lambda: self._at,
        )
        self._events: list[Event] = []
        events = EventBus()
        events.subscribe(self._events.append)
        self._model = build_model(self._for_model())
        self._conversation = Conversation(
            [self._local] if self._model is None else [self._local, self._model],
            self._executor,
            settings.brain,
            settings.permission,
            events=events,
            context=self,
            now=lambda: self._at,
        )

    def home_facts(self, text: str) -> HomeFacts:
        return home_facts(text, self._local.home.devices, self._local.home_servers, self._manager.all())

    async def run(self, turn: Turn, before: Sequence[Turn]) -> Result:
        try:
            for one in (*before, turn):
                self._events.clear()
                self._at = one["at"]
                self._left = [event for event in one["events"] if event["type"] == "acted" and _ran(event)]
                said = Utterance(one["text"], one["door"], one["conversation_id"], one["room"])
                await self._conversation.answer(said)
        finally:
            if self._model is not None:
                await self._model.aclose()
        recorded = [event_json(event) for event in self._events]
        return result_of([event for event in recorded if event is not None])

    def _add(self, tools: Sequence[Recorded]) -> None:
        servers: dict[str, list[Any]] = {}
        for one in tools:
            if "schema" not in one:
                continue
            known = one["traits"]
            words = {"called_for": tuple(known.get("called_for", ()))}
            traits = ToolTraits(source=one["source"], **{**known, **words})
            name = traits.original_name or one["name"]
            tool = declared_tool(
                name, one["description"], one["schema"], self._answering(name, one["source"]), traits
            )
            if one["source"] in self._settings.mcpServers:
                servers.setdefault(one["source"], []).append(tool)
            else:
                self._manager.add(tool)
        for server, found in servers.items():
            self._manager.add_mcp_tools(server, found)

    def _answering(self, name: str, source: str) -> Any:
        """A tool function that answers with what was recorded."""
        names = (name, f"{source}__{name}")

        async def answer(**args: Any) -> tuple[str, dict[str, Any]]:
            look = next((found for one in names if (found := self._looks.get((one, _key(args))))), None)
            made = next(
                (one for one in self._left if one["tool"] in names and _same(one["args"], args)), None
            )
            if made is not None:
                self._left.remove(made)
            if (found := made or look) is None:
                raise ToolError(NOT_RECORDED)
            if not found.get("ok", True):
                raise ToolError(found["text"].removeprefix("Error: "), structured=found["structured"])
            return found["text"], {"structured": found["structured"]}

        return answer

    # --- what a conversation and a model ask of the gateway around them

    def reach(self, call: ToolCall, known: ToolTraits) -> Reach | None:
        return self._local.reach(call, known)

    def agreed(self, _call: ToolCall, _known: ToolTraits) -> None:
        """Not remembered."""

    def fitting(self, utterance: Utterance, before: str) -> Fits:
        return self._local.fitting(utterance, before)

    async def linked(self) -> None:
        """Returns at once."""

    def _for_model(self) -> Any:
        return SimpleNamespace(
            settings=self._settings,
            executor=self._executor,
            local=self._local,
            link=SimpleNamespace(instructions=dict),
            servers=SimpleNamespace(tools_known=self.linked),
        )


def _ran(event: Mapping[str, Any]) -> bool:
    return event["outcome"] not in NOT_MADE


def _key(args: Any) -> str:
    return json.dumps(args, sort_keys=True, default=str, ensure_ascii=False)


def _same(recorded: Any, args: Mapping[str, Any]) -> bool:
    """Compared with secrets hidden, as they were recorded."""
    return _key(recorded) == _key(arguments_json(dict(args)))
