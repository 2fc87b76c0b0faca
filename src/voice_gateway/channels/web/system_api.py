"""`/api/health`, `/api/doctor` and `/api/turns`: the state of the gateway, and what the recorder kept."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.models import ERROR, STREAMS, json_response, shape
from voice_gateway.channels.web.sse import event_stream, sse
from voice_gateway.channels.web.stats import Stats
from voice_gateway.events import PartState, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.recorder.recorder import Recorder
from voice_gateway.recorder.store import public
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.tools.results import plain_text
from voice_gateway.trace import public_name

STDERR_LINES = 20
LONGEST_LINE = 500  # characters
DOCTOR_SECONDS = 600.0  # a server may have to be installed
STOP_SECONDS = 5.0  # for the doctor to end the servers it has started
LONGEST_CHECK = 1024 * 1024  # bytes

Short = Annotated[str, Query(max_length=200)]


PART = shape("PartState", part=str, state=str, sentence=str, advice=str, since=float)
TOOL = shape(
    "ToolStats", name=str, calls=int, failed=int, p50=float | None, p95=float | None, recent=list[float]
)
HEALTH = shape("Health", state=str, parts=[PART], tools=[TOOL])
ACT = shape("Act", tool=str, ok=bool, outcome=str)
TURN_FIELDS: dict[str, Any] = {
    **dict.fromkeys(("id", "door", "conversation_id", "text", "reply", "stage"), str),
    "at": float,
    "seconds": float,
    "ok": bool,
    "room": str | None,
    "acts": [ACT],
}
TURNS = shape("Turns", turns=[shape("Turn", **TURN_FIELDS)])
TURN = shape("TurnWithEvents", **TURN_FIELDS, events=list[dict[str, Any]])


def health_router(
    stats: Stats,
    ask_parts: Callable[[], Awaitable[Sequence[PartState]]],
    servers: Callable[[], Sequence[ServerStatus]],
) -> APIRouter:
    """`ask_parts` asks connected servers whether they still answer."""
    router = APIRouter()

    @router.get("/api/health", response_model=HEALTH)
    async def health() -> Response:
        """How each part is, and how long tools take"""
        known = {f"server {server.name}": server for server in servers()}
        listed = [_part_json(part, known.get(part.part)) for part in await ask_parts()]
        states = {part["state"] for part in listed}
        worst = next((state for state in (State.DEGRADED, State.STARTING) if state in states), State.OK)
        return json_response({"state": worst.value, "parts": listed, "tools": stats.tools()})

    return router


def _part_json(part: PartState, server: ServerStatus | None) -> dict[str, Any]:
    facts = part.to_json()
    facts["advice"] = _without_secrets(facts["advice"])
    if server is not None:
        lines = [_without_secrets(line) for line in server.stderr_tail.splitlines()[-STDERR_LINES:]]
        facts |= {"restarts": server.restarts, "stderr": lines, "simulated": server.simulated}
        if server.last_error:
            facts["last_error"] = _without_secrets(server.last_error)
    return facts


def _without_secrets(text: str) -> str:
    return hide_secrets(plain_text(text)[0])[:LONGEST_LINE]


def turns_router(recorder: Recorder) -> APIRouter:
    router = APIRouter(responses={"4XX": {"model": ERROR}, 503: {"model": ERROR}})

    @router.get("/api/turns", response_model=TURNS)
    async def turns(
        search: Short = "",
        before: Short = "",
        conversation: Short = "",
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Response:
        """What was said and done, newest first; `before` is the id of a turn"""
        listed = await recorder.read(
            lambda store: store.turns(search=search, limit=limit, before=before, conversation=conversation)
        )
        return json_response({"turns": [_shown(turn) for turn in listed]})

    @router.get("/api/turns/{turn_id}", response_model=TURN)
    async def show(turn_id: str) -> Response:
        """One turn with its events"""
        for turn in await recorder.read(lambda store: store.find(turn_id)):
            if turn["id"] == turn_id:
                return json_response(_shown(turn))
        raise HTTPException(404, "there is no such turn")

    @router.delete("/api/turns/{turn_id}")
    async def delete(turn_id: str) -> Response:
        """Forget a turn"""
        if not (deleted := await recorder.read(lambda store: store.delete(turn_id))):
            raise HTTPException(404, "there is no such turn")
        return json_response({"deleted": deleted})

    return router


def _shown(turn: dict[str, Any]) -> dict[str, Any]:
    """Without the names of conversations, which belong to the clients that chose them."""
    shown = public(turn)
    for facts in (shown, *shown.get("events", ())):
        if name := facts.get("conversation_id"):
            facts["conversation_id"] = public_name(name)
    return shown


def doctor_router(command: Sequence[str], start: Start) -> APIRouter:
    """Runs the doctor as a process of its own, one at a time. It prints one JSON object per check."""
    router, one_at_a_time = APIRouter(), asyncio.Lock()

    @router.post("/api/doctor", response_class=Response, responses=STREAMS)
    async def doctor() -> Response:
        """Try every part once; each check as it is found, then done"""
        if one_at_a_time.locked():
            raise HTTPException(409, "the doctor is at work already")
        await one_at_a_time.acquire()
        return event_stream(examine())

    async def examine() -> AsyncIterator[bytes]:
        process, verdicts, problem = None, list[str](), ""
        yield b": hello\n\n"
        try:
            async with asyncio.timeout(DOCTOR_SECONDS):
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                    limit=LONGEST_CHECK,
                )
                assert process.stdout is not None
                while line := await process.stdout.readline():
                    check = json.loads(line)
                    verdicts.append(check["verdict"])
                    yield sse("check", check)
        except TimeoutError:
            problem = "it took too long"
        except (OSError, ValueError) as error:
            problem = str(error)
        finally:  # also when the client has left
            one_at_a_time.release()
            if process is not None:
                start(_end(process))
        failed = verdicts.count("failed")
        ok = bool(verdicts) and not failed and not problem
        summary = {"ok": ok, "checks": len(verdicts), "failed": failed}
        yield sse("done", summary | ({"error": problem} if problem else {}))

    return router


async def _end(process: asyncio.subprocess.Process) -> None:
    """Terminates the process unless it is at its end, and kills it if that takes too long."""
    with contextlib.suppress(ProcessLookupError):
        ending = process.stdout is not None and process.stdout.at_eof()
        if process.returncode is None and not ending:
            process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
