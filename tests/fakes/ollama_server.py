"""A loopback server that speaks Ollama's protocol, with scripted replies and every request on record."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.loopback_http import Answer, LoopbackHttp, Request


@dataclass
class Scripted:
    """One reply to /api/chat."""

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)  # (name, arguments as they go over the wire)
    done_reason: str | None = "stop"
    end: Literal["done", "no_done", "abort", "error", "rubbish"] = "done"
    status: int = 200
    error: str = ""
    prompt_eval_count: int | None = None  # None: estimated from the request, cut at num_ctx as Ollama does
    gate: asyncio.Event | None = None  # nothing is sent before it is set
    pause_after: tuple[int, asyncio.Event] | None = None  # after so many pieces wait for the event

    def pieces(self) -> list[str]:
        words = self.text.split(" ")
        return [word + " " for word in words[:-1]] + words[-1:] if self.text else []


class FakeOllama(LoopbackHttp):
    """`models` maps names to capabilities; replies come from `script` in order, then "All right."."""

    def __init__(self, models: dict[str, list[str]] | None = None) -> None:
        super().__init__()
        self.models = models or {"qwen2.5:0.5b": ["completion", "tools"]}
        self.context_length = 32768  # what the models were trained for
        self.parameter_size = ""  # as Ollama tells it: "494.03M", "7.6B"; empty: it does not
        self.replies: list[Scripted] = []
        self.chatting = 0
        self.most_at_once = 0
        self.arrived = asyncio.Condition()

    def script(self, *replies: Scripted | str) -> None:
        self.replies += [Scripted(reply) if isinstance(reply, str) else reply for reply in replies]

    @property
    def chats(self) -> list[Any]:
        return self.to("/api/chat")

    async def wait_for_chats(self, count: int) -> None:
        async with self.arrived, asyncio.timeout(30):
            await self.arrived.wait_for(lambda: len(self.chats) >= count)

    async def respond(self, request: Request, answer: Answer) -> None:
        if request.path == "/api/version":
            await answer.json(200, {"version": "0.17.4"})
        elif request.path == "/api/tags":
            models = [{"name": name, "model": name} for name in self.models]
            await answer.json(200, {"models": models})
        elif request.path == "/api/show":
            await self._show(request.body, answer)
        elif request.path == "/api/chat":
            await self._chat(request.body, answer)
        else:
            await answer.whole(404, b"404 page not found", "text/plain")

    async def _show(self, body: dict[str, Any], answer: Answer) -> None:
        capabilities = self.models.get(body["model"])
        if capabilities is None:
            await answer.json(404, {"error": f"model '{body['model']}' not found"})
        else:
            info = {"general.architecture": "qwen2", "qwen2.context_length": self.context_length}
            details = {"parameter_size": self.parameter_size} if self.parameter_size else {}
            await answer.json(200, {"details": details, "model_info": info, "capabilities": capabilities})

    async def _chat(self, body: dict[str, Any], answer: Answer) -> None:
        async with self.arrived:
            self.arrived.notify_all()
        self.chatting += 1
        self.most_at_once = max(self.most_at_once, self.chatting)
        try:
            refusal = self._refusal(body)
            if refusal is not None:
                await answer.json(*refusal)
            else:
                await self._reply(
                    body, self.replies.pop(0) if self.replies else Scripted("All right."), answer
                )
        finally:
            self.chatting -= 1

    def _refusal(self, body: dict[str, Any]) -> tuple[int, dict[str, str]] | None:
        capabilities = self.models.get(body["model"])
        if capabilities is None:
            return 404, {"error": f"model '{body['model']}' not found"}
        if body.get("tools") and "tools" not in capabilities:
            return 400, {"error": f"registry.ollama.ai/library/{body['model']} does not support tools"}
        if body.get("think") and "thinking" not in capabilities:
            return 400, {"error": f'"{body["model"]}" does not support thinking'}
        return None

    async def _reply(self, body: dict[str, Any], reply: Scripted, answer: Answer) -> None:
        if reply.gate is not None:
            await reply.gate.wait()
        if reply.status != 200:
            await answer.json(reply.status, {"error": reply.error})
            return
        await answer.start("application/x-ndjson")
        for number, piece in enumerate(reply.pieces()):
            if reply.pause_after is not None and number == reply.pause_after[0]:
                await reply.pause_after[1].wait()
            await answer.piece(_line(body, {"content": piece}))
        for name, arguments in reply.calls:
            call = {"id": "call_x", "function": {"index": 0, "name": name, "arguments": arguments}}
            await answer.piece(_line(body, {"content": "", "tool_calls": [call]}))
        await self._finish(body, reply, answer)

    async def _finish(self, body: dict[str, Any], reply: Scripted, answer: Answer) -> None:
        if reply.end == "abort":
            answer.abort()
            return
        if reply.end == "rubbish":
            await answer.piece(b"<html>oops</html>\n")
        if reply.end == "error":
            await answer.piece(json.dumps({"error": reply.error}).encode() + b"\n")
        if reply.end == "done":
            done_reason = "length" if body["options"].get("num_predict") == 1 else reply.done_reason
            await answer.piece(
                _line(
                    body,
                    {"content": ""},
                    done=True,
                    done_reason=done_reason,
                    **_counts(body, reply, self.context_length),
                )
            )
        await answer.end()


def _line(body: dict[str, Any], message: dict[str, Any], *, done: bool = False, **more: Any) -> bytes:
    line = {
        "model": body["model"],
        "created_at": "2026-11-15T10:00:00.000000Z",
        "message": {"role": "assistant", **message},
        "done": done,
        **more,
    }
    return json.dumps(line).encode() + b"\n"


def _counts(body: dict[str, Any], reply: Scripted, context_length: int) -> dict[str, int]:
    size = len(json.dumps([body["messages"], body.get("tools")])) // 4
    count = min(size, body["options"].get("num_ctx", 4096), context_length)
    return {
        "total_duration": 900_000_000,
        "load_duration": 40_000_000,
        "prompt_eval_count": count if reply.prompt_eval_count is None else reply.prompt_eval_count,
        "prompt_eval_duration": 200_000_000,
        "eval_count": len(reply.pieces()) + 1,
        "eval_duration": 600_000_000,
    }
