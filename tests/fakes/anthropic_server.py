"""A loopback server that speaks Anthropic's Messages API, as strict about a history as the real one."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.loopback_http import Answer, LoopbackHttp, Request

KEY = "sk-ant-test-key"


class WatchedChat:
    """LangChain's client, and what it is given to bind."""

    def __init__(self, chat: Any, bound: list[list[Any]]) -> None:
        self._chat = chat
        self._bound = bound

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        self._bound.append(list(tools))
        return self._chat.bind_tools(tools, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chat, name)


_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


@dataclass
class Scripted:
    """One reply to /v1/messages."""

    text: str = ""
    calls: list[tuple[str, Any]] = field(
        default_factory=list
    )  # (name, input); a str is sent as it is, cut JSON say
    stop_reason: str | None = None  # None: tool_use with calls, else end_turn
    status: int = 200
    error_type: str = ""  # with status 200: an error event inside the stream
    end: Literal["stop", "no_stop", "abort", "stall", "trickle"] = "stop"
    headers: dict[str, str] = field(default_factory=dict)


class FakeAnthropic(LoopbackHttp):
    """Replies come from `script` in order, then "All right."."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[Scripted] = []
        self._ids = 0
        self.never = asyncio.Event()

    def script(self, *replies: Scripted | str) -> None:
        self.replies += [Scripted(reply) if isinstance(reply, str) else reply for reply in replies]

    @property
    def chats(self) -> list[Any]:
        return self.to("/v1/messages")

    async def respond(self, request: Request, answer: Answer) -> None:
        if request.path != "/v1/messages":
            await _error(answer, 404, "not_found_error", "Not found")
        elif KEY not in (request.headers.get("x-api-key"), request.headers.get("authorization", "")[7:]):
            await _error(answer, 401, "authentication_error", "invalid x-api-key")
        elif complaint := complaint_about(request.body):
            await _error(answer, 400, "invalid_request_error", complaint)
        elif not request.body["model"].startswith("claude-"):
            await _error(answer, 404, "not_found_error", f"model: {request.body['model']}")
        else:
            await self._reply(
                request.body, self.replies.pop(0) if self.replies else Scripted("All right."), answer
            )

    async def _reply(self, body: dict[str, Any], reply: Scripted, answer: Answer) -> None:
        if reply.status != 200:
            await _error(answer, reply.status, reply.error_type, "scripted", reply.headers)
            return
        stop_reason = reply.stop_reason or ("tool_use" if reply.calls else "end_turn")
        if not body.get("stream"):
            await answer.json(200, self._message(body, reply, stop_reason))
            return
        await answer.start("text/event-stream")
        empty = {**self._message(body, Scripted(), ""), "content": [], "stop_reason": None}
        await _event(answer, "message_start", {"message": empty})
        for index, block in enumerate(self._blocks(reply)):
            await self._stream_block(answer, index, *block)
        await self._finish(reply, stop_reason, answer)

    def _blocks(self, reply: Scripted) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        if reply.text:
            deltas = [{"type": "text_delta", "text": piece} for piece in re.findall(r"\S+\s*", reply.text)]
            blocks.append(({"type": "text", "text": ""}, deltas))
        for name, arguments in reply.calls:
            self._ids += 1
            source = arguments if isinstance(arguments, str) else json.dumps(arguments)
            half = len(source) // 2
            deltas = [
                {"type": "input_json_delta", "partial_json": part} for part in (source[:half], source[half:])
            ]
            blocks.append(
                ({"type": "tool_use", "id": f"toolu_{self._ids:02}", "name": name, "input": {}}, deltas)
            )
        return blocks

    async def _stream_block(
        self, answer: Answer, index: int, start: dict[str, Any], deltas: list[dict[str, Any]]
    ) -> None:
        await _event(answer, "content_block_start", {"index": index, "content_block": start})
        for delta in deltas:
            await _event(answer, "content_block_delta", {"index": index, "delta": delta})
        await _event(answer, "content_block_stop", {"index": index})

    async def _finish(self, reply: Scripted, stop_reason: str, answer: Answer) -> None:
        if reply.end == "abort":
            answer.abort()
            return
        if reply.end == "stall":
            await self.never.wait()
        while reply.end == "trickle":  # never silent for long, and never done
            await _event(answer, "ping", {})
            await asyncio.sleep(0.05)
        if reply.error_type:
            await _event(answer, "error", {"error": {"type": reply.error_type, "message": "scripted"}})
        elif reply.end == "stop":
            delta = {"stop_reason": stop_reason, "stop_sequence": None}
            await _event(answer, "message_delta", {"delta": delta, "usage": {"output_tokens": 9}})
            await _event(answer, "message_stop", {})
        await answer.end()

    def _message(self, body: dict[str, Any], reply: Scripted, stop_reason: str) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
        content += [
            {"type": "tool_use", "id": f"toolu_x{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(reply.calls)
        ]
        return {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 20, "output_tokens": 9},
        }


def complaint_about(body: dict[str, Any]) -> str | None:
    """What the real API answers with 400, or None."""
    names = [tool["name"] for tool in body.get("tools", ())]
    if len(set(names)) != len(names):
        return "tools: Tool names must be unique."
    for tool in body.get("tools", ()):
        if not _NAME.match(tool["name"]):
            return f"tools.{tool['name']}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if tool.get("input_schema", {}).get("type") != "object":
            return "tools.0.custom.input_schema.type: Field required"
    return _complaint_about_messages(body["messages"])


def _complaint_about_messages(messages: list[dict[str, Any]]) -> str | None:
    if not messages or messages[0]["role"] != "user":
        return "messages: first message must use the user role"
    open_ids: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        blocks = (
            message["content"]
            if isinstance(message["content"], list)
            else [{"type": "text", "text": message["content"]}]
        )
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return f"messages.{place}: text content blocks must be non-empty"
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        missing = [call_id for call_id in open_ids if call_id not in results]
        if missing:
            return f"`tool_use` ids were found without `tool_result` blocks immediately after: {missing}"
        if sorted(results) != sorted(open_ids):
            return f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {results}"
        uses = [block for block in blocks if block["type"] == "tool_use"]
        open_ids = [use["id"] for use in uses]
        if seen.intersection(open_ids) or len(set(open_ids)) != len(open_ids):
            return "messages: `tool_use` ids must be unique"
        if any(not _NAME.match(use["name"]) or not _NAME.match(use["id"]) for use in uses):
            return "messages: tool_use: String should match pattern"
        seen.update(open_ids)
    return "messages: the last `tool_use` has no `tool_result`" if open_ids else None


async def _error(
    answer: Answer, status: int, kind: str, message: str, headers: dict[str, str] | None = None
) -> None:
    await answer.json(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)


async def _event(answer: Answer, kind: str, body: dict[str, Any]) -> None:
    await answer.piece(f"event: {kind}\ndata: {json.dumps({'type': kind, **body})}\n\n".encode())
