"""`/api/health`, `/metrics`, `/api/doctor` and `/api/turns`: how the gateway is, and what it has done."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from voice_gateway.channels.web.channel import Start
from voice_gateway.channels.web.responses import (
    ERROR,
    STREAMS,
    Body,
    Name,
    event_stream,
    json_response,
    shape,
    sse,
)
from voice_gateway.config.kinds import CHANNELS
from voice_gateway.config.permits import Permits
from voice_gateway.errors import ConfigError
from voice_gateway.events import Acted, Answered, Event, ModelRound, Notice, PartState, Planned, State
from voice_gateway.mcp_client.integration import ServerStatus
from voice_gateway.recorder.recorder import Recorder
from voice_gateway.recorder.store import public
from voice_gateway.tools.masking import hide_secrets
from voice_gateway.tools.results import plain_text
from voice_gateway.trace import public_name
from voice_gateway.turn import ToolOutcome

STDERR_LINES = 20
LONGEST_LINE = 500  # characters
DOCTOR_SECONDS = 600.0  # a server may have to be installed
STOP_SECONDS = 5.0  # for the doctor to end the servers it has started
LONGEST_CHECK = 1024 * 1024  # bytes

Listed = Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
_ASKING = frozenset({"unknown", "sensitive"})  # risks of calls that ask first
Short = Annotated[str, Query(max_length=200)]
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
MOST_NAMES = 300  # of tools or models: a server that keeps renaming its tools fills no memory
OTHER = "other"
STAGES = frozenset({"local", "ollama", "anthropic", "none"})


class Stats:
    """Since the gateway was started. `known_tool` gives the name of a registered tool, or None."""

    def __init__(self, known_tool: Callable[[str], str | None], version: str = "") -> None:
        self._known_tool = known_tool
        self._names: set[str] = set()
        self.registry = registry = CollectorRegistry()
        disable_created_metrics()  # type: ignore[no-untyped-call]
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Info("voice_gateway", "The running version.", registry=registry).info({"version": version})
        counter = partial(Counter, namespace="voice_gateway", registry=registry)
        gauge = partial(Gauge, namespace="voice_gateway", registry=registry)
        histogram = partial(Histogram, namespace="voice_gateway", registry=registry, buckets=SECONDS)
        self._turns = counter("turns", "Answered turns.", ("door", "stage", "ok"))
        self._turn_seconds = histogram("turn_seconds", "From the words to the whole answer.", ("stage",))
        self._tool_calls = counter("tool_calls", "Tool calls by outcome.", ("tool", "outcome"))
        self._tool_seconds = histogram("tool_seconds", "Calls that reached their tool.", ("tool",))
        self._model_seconds = histogram("model_seconds", "One request to a language model.", ("model",))
        self._tokens = counter("model_tokens", "Tokens.", ("model", "kind"))
        self._notices = counter("notices", "Unprompted messages.")
        self._planned = gauge("planned", "Timers and routines.", ("kind",))
        self._part_state = gauge("part_state", "1 for the state a part is in.", ("part", "state"))
        self._part_since = gauge("part_since_seconds", "Unix time of the last state change.", ("part",))
        self._restarts = counter("server_restarts", "Lost connections.", ("server",))
        self._server_tools = gauge("server_tools", "Tools of an MCP server.", ("server",))

    def on_event(self, event: Event) -> None:
        if isinstance(event, Acted):
            self._acted(event.outcome)
        elif isinstance(event, Answered):
            reply, channel = event.reply, event.utterance.channel
            stage = reply.stage if reply.stage in STAGES else OTHER
            label = channel if channel in CHANNELS else OTHER
            self._turns.labels(label, stage, str(reply.ok).lower()).inc()
            self._turn_seconds.labels(stage).observe(reply.seconds)
        elif isinstance(event, ModelRound):
            model = self._bounded(event.model)
            self._model_seconds.labels(model).observe(event.seconds)
            self._tokens.labels(model, "input").inc(event.input_tokens or 0)
            self._tokens.labels(model, "output").inc(event.output_tokens or 0)
        elif isinstance(event, Planned):
            self._planned.labels(event.kind).set(len(event.plans))
        elif isinstance(event, Notice):
            self._notices.inc()

    def _acted(self, outcome: ToolOutcome) -> None:
        name, status = self._bounded(self._known_tool(outcome.name)), outcome.status.value
        self._tool_calls.labels(name, status).inc()
        if outcome.ran:
            self._tool_seconds.labels(name).observe(outcome.seconds)

    def _bounded(self, name: str | None) -> str:
        if name is None or (name not in self._names and len(self._names) >= MOST_NAMES):
            return OTHER
        self._names.add(name)
        return name

    def update(self, parts: Sequence[PartState], servers: Sequence[ServerStatus]) -> None:
        """Takes over the present state of parts and servers, before the registry is read."""
        for metric in (self._part_state, self._part_since, self._restarts, self._server_tools):
            metric.clear()
        for part in parts:
            self._part_since.labels(part.part).set(part.since)
            for state in State:
                self._part_state.labels(part.part, state.value).set(part.state is state)
        for server in servers:
            self._restarts.labels(server.name).inc(server.restarts)
            self._server_tools.labels(server.name).set(len(server.tools))


PART = shape("PartState", part=str, state=str, sentence=str, advice=str, since=float)
HEALTH = shape("Health", state=str, parts=[PART])
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
    parts: Callable[[], Sequence[PartState]],
    ask_parts: Callable[[], Awaitable[Sequence[PartState]]],
    servers: Callable[[], Sequence[ServerStatus]],
) -> APIRouter:
    """`parts` gives the known states; `ask_parts` asks connected servers first whether they still answer."""
    router = APIRouter()

    @router.get("/metrics", response_class=Response)
    async def metrics(request: Request) -> Response:
        """For Prometheus"""
        stats.update(parts(), servers())
        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(stats.registry), media_type=kind)

    @router.get("/api/health", response_model=HEALTH)
    async def health() -> Response:
        """How each part is"""
        known = {f"server {server.name}": server for server in servers()}
        listed = [_part_json(part, known.get(part.part)) for part in await ask_parts()]
        states = {part["state"] for part in listed}
        worst = next((state for state in (State.DEGRADED, State.STARTING) if state in states), State.OK)
        return json_response({"state": worst.value, "parts": listed})

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


class PermitChange(Body):
    name: Name
    permit: Literal["always", "ask", "pin", "never", "default"]
    pin: str = ""


PERMITTED = shape("Permitted", name=str, permit=str, risk=str | None)
PERMITS = shape("Permits", permits=[PERMITTED])


def permits_router(
    permits: Permits, records: Listed, pin_problem: Callable[[str], Awaitable[str]]
) -> APIRouter:
    """What tools of other servers and named devices may do. With a PIN set, a change needs it."""
    router = APIRouter()

    @router.get("/api/permits", response_model=PERMITS)
    async def listed() -> Response:
        """The owner's permits, and the tools that ask first"""
        given = permits.all()
        risks = {record["tool"]["name"]: record["risk"] for record in await records()}
        names = [*given, *(name for name, risk in risks.items() if risk in _ASKING and name not in given)]
        rows = [
            {"name": name, "permit": given.get(name, "default"), "risk": risks.get(name)} for name in names
        ]
        return json_response({"permits": rows})

    @router.post("/api/permits", response_model=PERMITS)
    async def change(change: PermitChange) -> Response:
        """Allow or forbid a tool or a device by its name"""
        if problem := await pin_problem(change.pin):
            raise HTTPException(403, problem)
        try:
            permits.set(change.name, change.permit)
        except ConfigError as error:
            raise HTTPException(409, str(error)) from error
        return await listed()

    return router


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
        if process.stdout is None or not process.stdout.at_eof():
            process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        process.kill()  # raises if it has ended
        await process.wait()
