"""`voice-gateway replay`: a recorded turn once more, with today's settings and the recorded tool results."""

import argparse
import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from voice_gateway.app.model import build_model
from voice_gateway.app.routines import place_of
from voice_gateway.channels.terminal import print_json, print_reply
from voice_gateway.cli.command import loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.cli.turns import SHOWN_ID, opened_store, turn_named
from voice_gateway.config import Settings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.errors import ToolError
from voice_gateway.events import Event, EventBus
from voice_gateway.integrations.sources import Sources
from voice_gateway.recorder.story import NOT_KEPT, Turn, before_it, can_replay
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.gateway_tool import declared_tool
from voice_gateway.tools.manager import ToolManager
from voice_gateway.trace import arguments_json, event_json
from voice_gateway.turn import NOT_MADE, ToolTraits, Utterance
from voice_gateway.understanding.stage import UnderstandingStage

NOT_RECORDED = "this call is not in the recording"


def arguments(command: Parser) -> None:
    command.description = (
        "With today's settings, against the recorded tool results: no server is asked, nothing is switched. "
        "Exit code 0: nothing is different; 1: something is."
    )
    command.add_argument("id", metavar="ID", help="as `voice-gateway turns` shows it")


async def replay(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    store = await opened_store(options, settings)
    turn = await asyncio.to_thread(turn_named, store, options.id)
    before = before_it(store, turn, settings.brain.conversation_expiry_seconds)
    recorded, now, lines = result_of(turn["events"]), None, []
    reason = "" if can_replay(turn, before) else NOT_KEPT
    if not reason:
        again = Replay(settings, store.shared(turn["tools"]) or [], store.shared(turn["home"]) or [])
        now = await again.run(turn, [earlier for earlier in before if can_replay(earlier)])
        lines = differences(recorded, now)
    if options.json:
        facts = {"id": turn["id"], "text": turn["text"], "recorded": recorded}
        print_json({**facts, "now": now, "differences": lines, "left_out": reason or None})
    else:
        mark = "–" if reason else "≠" if lines else "="
        print_reply(f"{mark} {turn['id'][:SHOWN_ID]}  {turn['text']}")
        for line in lines or ([reason] if reason else []):
            print_reply(f"      {line}")
    return 1 if lines else 0


def result_of(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is compared. Calls and sentences are sorted: calls of one message end in any order."""
    decisions = {event["call_id"]: event["decision"] for event in events if event["type"] == "judged"}
    calls = [
        f"{event['tool']}({_key(event['args'])}) {decisions.get(event['call_id'], 'not judged')}"
        for event in events
        if event["type"] == "acted"
    ]
    last: Turn = next((event for event in reversed(events) if event["type"] == "answered"), {})
    return {
        "stage": last.get("stage", "none"),
        "calls": sorted(calls),
        "reply": last.get("text", ""),
        "ok": bool(last.get("ok")),
    }


def differences(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """A line for each field that differs."""

    def words(value: Any) -> Any:  # calls of one message end in any order, and so do their sentences
        return sorted(value.split()) if isinstance(value, str) else value

    differ = [name for name in recorded if words(recorded[name]) != words(now[name])]
    return [f"{name}: {recorded[name]} → {now[name]}" for name in differ]


class Replay:
    """Runs one turn, after the earlier turns of its conversation. There is no link to any server."""

    def __init__(self, settings: Settings, tools: Sequence[Turn], looks: Sequence[Turn]) -> None:
        self._at, self._looks = 0.0, looks
        self._events: list[Event] = []
        self._recorded: list[Turn] = []
        self._tools = ToolManager(servers=settings.mcpServers)
        kept = [(tool["source"], self._tool(tool)) for tool in tools if "schema" in tool]
        for tool in (tool for source, tool in kept if source not in settings.mcpServers):
            self._tools.add(tool)
        for server in settings.mcpServers:
            self._tools.add_mcp_tools(server, [tool for source, tool in kept if source == server])
        executor = ToolExecutor(self._tools)
        self._local = UnderstandingStage(
            executor,
            settings.brain,
            home=settings.home,
            sources=Sources(executor),
            place=place_of(settings.home),
            now=lambda: self._at,
        )
        self.model = build_model(
            settings, executor, self._local, instructions=dict, ready=self._local.cache.known
        )
        bus = EventBus()
        bus.subscribe(self._events.append)
        self._conversation = Conversation(
            [self._local] if self.model is None else [self._local, self.model],
            executor,
            settings.brain,
            settings.permission,
            events=bus,
            context=self._local,
            now=lambda: self._at,
        )

    async def run(self, turn: Turn, before: Sequence[Turn]) -> dict[str, Any]:
        for each in (*before, turn):
            self._at = each["at"]
            self._events.clear()
            acted = [event for event in each["events"] if event["type"] == "acted"]
            self._recorded = [event for event in acted if event["outcome"] not in NOT_MADE]
            utterance = Utterance(each["text"], each["door"], each["conversation_id"], each["room"])
            await self._conversation.answer(utterance)
        if self.model is not None:
            await self.model.aclose()
        return result_of([facts for event in self._events if (facts := event_json(event)) is not None])

    def _tool(self, recorded: Turn) -> Any:
        source, known = recorded["source"], recorded["traits"]
        known = ToolTraits(source=source, **{**known, "called_for": tuple(known.get("called_for", ()))})
        name = known.original_name or recorded["name"]

        async def answer(**args: Any) -> tuple[str, dict[str, Any]]:
            shown = _key(arguments_json(args))  # with secrets hidden, as they were recorded
            for result in (*self._recorded, *self._looks):
                if result["tool"] not in (name, f"{source}__{name}") or _key(result["args"]) != shown:
                    continue
                with contextlib.suppress(ValueError):  # each act answers once, a look every time
                    self._recorded.remove(result)
                if not result.get("ok", True):
                    raise ToolError(result["text"].removeprefix("Error: "), structured=result["structured"])
                return result["text"], {"structured": result["structured"]}
            raise ToolError(NOT_RECORDED)

        return declared_tool(name, recorded["description"], recorded["schema"], answer, known)


def _key(args: Any) -> str:
    return json.dumps(args, sort_keys=True, default=str, ensure_ascii=False)
