"""The operations of the control socket: requests of other commands to the running gateway."""

import asyncio
import base64
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from home_names.names import name_key
from voice_gateway.app.model import autonomy
from voice_gateway.artifacts import content, description_of, file_name
from voice_gateway.channels.control import Operation, answer_json
from voice_gateway.config import data_folder
from voice_gateway.conversation.prompts import find_prompt, sentence
from voice_gateway.errors import ErrorKind, GatewayError, ToolError
from voice_gateway.events import PartState, Progressed, State
from voice_gateway.interruption import Interruption
from voice_gateway.logs import destination
from voice_gateway.progress import OnProgress, Progress, listener, progress_to
from voice_gateway.reports import server_hangs
from voice_gateway.tools.executor import unknown_tool
from voice_gateway.tools.masking import mask
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.tools.results import plain_text
from voice_gateway.tools.traits import qualified_name, schema_of, traits
from voice_gateway.turn import Artifact, Reply, ToolCall, ToolOutcome, Utterance, new_id
from voice_gateway.turns.acts import Where

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

log = logging.getLogger(__name__)

Request = Callable[["Gateway", Mapping[str, Any]], Awaitable[dict[str, Any]]]


def operations(gateway: "Gateway", config: Path | None) -> dict[str, Operation]:
    """By name; `config` is the file of its settings."""
    mine = {"config": str(config.resolve()) if config else None, "data_folder": str(data_folder())}

    started = time.time()
    log = PartState("log", State.OK, f"Warnings go to {destination()}.", started)

    async def hello(_asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, Any]:
        return mine

    async def ask(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any]:
        text, conversation_id = str(asked["text"]), str(asked["conversation_id"])
        utterance = Utterance(text, conversation_id=conversation_id, room=asked.get("room"))
        return answer_json(await gateway.conversation.answer(utterance, interruption=interruption))

    async def undo(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any]:
        utterance = Utterance("undo", conversation_id=str(asked["conversation_id"]))
        wanted = Where(utterance.channel, conversation=None if asked["all"] else utterance.conversation_id)
        answer = gateway.conversation.answer(utterance, interruption=interruption, take_back=wanted)
        return answer_json(await answer)

    async def call(asked: Mapping[str, Any], interruption: Interruption) -> dict[str, Any] | None:
        # A client that disconnects cancels the call; of a turn only the model's words.
        with progress_to(_also_watched(gateway, listener())):
            return await interruption.cutting(
                call_tool(
                    gateway,
                    str(asked["name"]),
                    asked.get("args"),
                    asked.get("timeout"),
                    fetch=asked.get("fetch") is True,
                )
            )

    async def status(_asked: Mapping[str, Any], _interruption: Interruption) -> list[dict[str, Any]]:
        return [part.to_json() for part in (*await all_parts(gateway, started), log)]

    async def talk(_asked: Mapping[str, Any], _interruption: Interruption) -> str:
        return gateway.channels.push_to_talk()

    async def vitals(_asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, int]:
        """Counts that grow when something leaks."""
        return {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count()}

    async def routines(asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, Any]:
        return answer_json(await routine_request(gateway, asked))

    async def turns(_asked: Mapping[str, Any], _interruption: Interruption) -> bool:
        """Write out all turns, so that the command can read the file itself."""
        await gateway.recorder.written()
        return True

    return {
        "turns": turns,
        "hello": hello,
        "tools": _answered_by(tool_request, gateway),
        "ask": ask,
        "undo": undo,
        "call": call,
        "status": status,
        "talk": talk,
        "vitals": vitals,
        "routines": routines,
        "resources": _answered_by(catalogue_request, gateway),
        "prompts": _answered_by(catalogue_request, gateway),
    }


async def all_parts(gateway: "Gateway", started: float) -> list[PartState]:
    """The state of each part; connected servers are asked whether they still answer."""
    hanging = {f"server {name}" for name in await gateway.link.hanging()}
    parts = [server_hangs(part) if part.part in hanging else part for part in gateway.events.parts()]
    return [*parts, *autonomy(gateway.model, started)]


def _answered_by(request: Request, gateway: "Gateway") -> Operation:
    async def operation(asked: Mapping[str, Any], _interruption: Interruption) -> dict[str, Any]:
        return await request(gateway, asked)

    return operation


def _also_watched(gateway: "Gateway", asker: OnProgress | None) -> OnProgress:
    def told(progress: Progress) -> None:
        gateway.events.publish(Progressed(None, progress))
        if asker is not None:
            asker(progress)

    return told


async def routine_request(gateway: "Gateway", asked: Mapping[str, Any]) -> Reply:
    """The actions on routines that need the home. A refusal is a reply, not an exception."""
    routines = gateway.routines
    try:
        if asked["action"] == "add":
            return await routines.add(
                Utterance(str(asked["text"]), conversation_id=str(asked["conversation_id"]))
            )
        if asked["action"] == "run":
            return await routines.run_now(int(asked["id"]))
        return await routines.take_in(asked["records"])
    except ToolError as error:
        return Reply(str(error), ok=False)


async def call_tool(
    gateway: "Gateway", name: str, args: Any, timeout_seconds: float | None, *, fetch: bool = False
) -> dict[str, Any]:
    """One call of the command line. The limit includes the wait for a server.

    With `fetch`, its pictures, sounds and files are in `files`.
    """
    started, call = perf_counter(), ToolCall(id=new_id(), name=name, args=args)
    if silent := await _silent_servers(gateway, name, timeout_seconds):
        known = gateway.tools.find(name) is not None
        return _of_a_silent_server(call, silent, perf_counter() - started, known=known).to_json()
    if timeout_seconds is not None:
        waited = round(perf_counter() - started, 2)  # a number that can be shown
        timeout_seconds = max(timeout_seconds - waited, 0.01)
    outcome = await gateway.executor.execute(call, timeout_seconds=timeout_seconds)
    return {**outcome.to_json(), **({"files": await fetched(gateway, outcome)} if fetch else {})}


async def _silent_servers(gateway: "Gateway", tool: str, limit_seconds: float | None) -> list[str]:
    """The servers that may have this tool and do not answer; none for a built-in tool."""
    await gateway.servers.tool_known(tool, limit_seconds)
    late = [status for status in gateway.link.status() if status.state != "connected"]
    if gateway.tools.find(tool) is not None:
        coming = gateway.servers.contenders(tool)
        late = [status for status in late if status.name in coming]
    return [f"{server.name} (slow start)" if server.installing else server.name for server in late]


def _of_a_silent_server(call: ToolCall, silent: Sequence[str], seconds: float, *, known: bool) -> ToolOutcome:
    """The tool cannot be called unknown while a server that may have it is silent."""
    who = ", ".join(silent)
    text = f'Error: Unknown tool "{call.name}", or one of a silent server: {who}.'
    if known:
        text = f'Error: "{call.name}" may be a tool of a silent server: {who}. SERVER__{call.name} names one.'
    args = call.args if isinstance(call.args, dict) else {}
    facts = {"tool": call.name, "arguments": mask(args), "seconds": round(seconds, 6), "result": text}
    log.warning("tool failed", extra={**facts, "error": ErrorKind.UNAVAILABLE})
    return ToolOutcome(
        call.id, call.name, text, ok=False, seconds=seconds, args=args, error=ErrorKind.UNAVAILABLE
    )


# --- the tools


async def tool_request(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    """All tools, or one of them, in plain data."""
    tools = gateway.tools.all()
    if asked["action"] == "show":
        wanted = gateway.tools.find(str(asked["name"]))
        if wanted is None:
            return {"unknown": unknown_tool(str(asked["name"]), gateway.tools)}
        tools = [wanted]
    reasons = gateway.left_out()
    silent = [status.name for status in gateway.link.status() if status.state != "connected"]
    return {"tools": [_record(gateway, tool, reasons) for tool in tools], "silent": silent}


def _record(gateway: "Gateway", tool: Any, reasons: Mapping[str, str]) -> dict[str, Any]:
    """`tool` is what `tools --json` promises for each; the rest is for people."""
    name, known = gateway.tools.offered_name(tool), traits(tool)
    reason = reasons.get(name)
    return {
        "tool": {
            "name": name,
            "qualified_name": qualified_name(tool),
            "source": known.source,
            "description": tool.description,
            "parameters": schema_of(tool),
            "read_only": known.read_only,
            "offered": reason is None,
        },
        "own_name": known.original_name or tool.name,
        "title": known.title,
        "summary": known.summary,
        "origin": _origin(gateway, tool),
        "left_out": reason,
        "risk": _risk(gateway, tool),
    }


def _risk(gateway: "Gateway", tool: Any) -> Risk | None:
    """Of a call without arguments; None for a tool of a home, which its devices decide, unless permitted."""
    settings, known = gateway.settings.permission, traits(tool)
    names = {name_key(tool.name), name_key(known.original_name)}
    if known.source in gateway.local.cache.servers() and names.isdisjoint(map(name_key, settings.permit)):
        return None
    return risk_of(ToolCall("", tool.name), known, settings, None)


def _origin(gateway: "Gateway", tool: Any) -> str:
    source = traits(tool).source
    if source == "builtin":
        return "the gateway itself"
    if origin := traits(tool).origin:
        return f"{origin}{', which says nothing of itself' if not traits(tool).trusted else ''}"
    simulated = [status.name for status in gateway.link.status() if status.simulated]
    about = ", simulated home" if source in simulated else ""
    return f"the server {source}{about}{', not trusted' if not traits(tool).trusted else ''}"


# --- resources and prompts of MCP servers


async def catalogue_request(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    """A list and the servers that did not answer; or the text and files of one entry; or the problem."""
    try:
        if asked["op"] == "resources":
            return await _resources(gateway, asked)
        return await _prompts(gateway, asked)
    except GatewayError as error:
        return {"problem": plain_text(str(error))[0]}


async def _resources(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked["action"] == "list":
        catalogue = await gateway.link.resources()
        return {
            "resources": [resource.to_json() for resource in catalogue.resources],
            "problems": catalogue.problems,
        }
    read = await gateway.link.read_resource(str(asked["uri"]), asked.get("server"))
    return {"text": plain_text(read.text)[0], "files": packed(read.artifacts)}


async def _prompts(gateway: "Gateway", asked: Mapping[str, Any]) -> dict[str, Any]:
    catalogue = await gateway.link.prompts()
    if asked["action"] == "list":
        listed = [{**entry.to_json(), "say": sentence(entry)} for entry in catalogue.prompts]
        return {"prompts": listed, "problems": catalogue.problems}
    name = str(asked["name"])
    prompt = find_prompt(name, catalogue.prompts)
    if prompt is None:
        raise ToolError(f'There is no prompt "{name}". {" ".join(catalogue.problems)}'.strip())
    if lacking := [
        entry.name for entry in prompt.arguments if entry.required and entry.name not in asked["args"]
    ]:
        example = " ".join(f"{entry}=…" for entry in lacking)
        raise ToolError(f'The prompt "{prompt.name}" needs {" and ".join(lacking)}: add {example}.')
    got = await gateway.link.get_prompt(prompt.server, prompt.name, asked["args"])
    return {"server": prompt.server, "name": prompt.name, "text": plain_text(got.text)[0]}


async def fetched(gateway: "Gateway", outcome: ToolOutcome) -> list[dict[str, Any]]:
    """The files of an outcome; a link is read from the server that returned it."""
    artifacts: list[Artifact] = []
    tool = gateway.tools.find(outcome.name)
    server = traits(tool).source if tool is not None else None
    for artifact in outcome.artifacts:
        if artifact.kind != "link":
            artifacts.append(artifact)
            continue
        try:
            artifacts += (await gateway.link.read_resource(artifact.uri, server)).artifacts
        except GatewayError:
            continue  # the text names the address
    return packed(artifacts)


def packed(artifacts: "tuple[Artifact, ...] | list[Artifact]") -> list[dict[str, Any]]:
    """As JSON for the control socket."""
    return [
        {
            "name": file_name(artifact, number),
            "said": description_of(artifact),
            "data": base64.b64encode(content(artifact)).decode(),
        }
        for number, artifact in enumerate(artifacts, 1)
        if artifact.data is not None
    ]
