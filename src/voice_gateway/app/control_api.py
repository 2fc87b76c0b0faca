"""The operations of the control socket: requests of other commands to the running gateway."""

import asyncio
import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from home_names.names import name_key
from voice_gateway.app.model import autonomy
from voice_gateway.channels.control import Operation, answer_json
from voice_gateway.config import data_folder
from voice_gateway.errors import ConfigError, ErrorKind, ToolError
from voice_gateway.events import PartState, Progressed, State
from voice_gateway.interruption import Interruption
from voice_gateway.logs import destination
from voice_gateway.progress import progress_to
from voice_gateway.reports import server_hangs
from voice_gateway.tools.executor import unknown_tool
from voice_gateway.tools.permission.risk import Risk, risk_of
from voice_gateway.tools.traits import qualified_name, schema_of, traits
from voice_gateway.turn import Reply, ToolCall, ToolOutcome, Utterance, new_id
from voice_gateway.turns.acts import Where

if TYPE_CHECKING:
    from voice_gateway.app.gateway import Gateway

log = logging.getLogger(__name__)

Asked = Mapping[str, Any]  # one request, as JSON
OPERATIONS: Final = "turns hello tools ask undo call status talk vitals routines permit".split()


class ControlApi:
    """Each method that `OPERATIONS` names answers one kind of request; `config` is the settings file."""

    def __init__(self, gateway: "Gateway", config: Path | None = None) -> None:
        self._gateway, self._config = gateway, config
        self._started = time.time()

    def operations(self) -> dict[str, Operation]:
        return {name: getattr(self, name) for name in OPERATIONS}

    async def hello(self, _asked: Asked, _interruption: Interruption) -> dict[str, Any]:
        file = str(self._config.resolve()) if self._config else None
        return {"config": file, "data_folder": str(data_folder())}

    async def vitals(self, _asked: Asked, _interruption: Interruption) -> dict[str, int]:
        """Counts that grow when something leaks."""
        return {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count()}

    async def turns(self, _asked: Asked, _interruption: Interruption) -> bool:
        """Writes out all turns, so that the command can read the file itself."""
        await self._gateway.recorder.written()
        return True

    async def talk(self, _asked: Asked, _interruption: Interruption) -> str:
        return self._gateway.channels.push_to_talk()

    async def status(self, _asked: Asked, _interruption: Interruption) -> list[dict[str, Any]]:
        warnings = PartState("log", State.OK, f"Warnings go to {destination()}.", self._started)
        return [part.to_json() for part in (*await self.parts(), warnings)]

    async def parts(self) -> list[PartState]:
        """The state of each part; connected servers are asked whether they still answer."""
        gateway = self._gateway
        hanging = {f"server {name}" for name in await gateway.link.hanging()}
        parts = [server_hangs(part) if part.part in hanging else part for part in gateway.events.parts()]
        return [*parts, *autonomy(gateway.model, self._started)]

    # --- words

    async def ask(self, asked: Asked, interruption: Interruption) -> dict[str, Any]:
        conversation_id = str(asked["conversation_id"])
        utterance = Utterance(
            str(asked["text"]),
            conversation_id=conversation_id,
            room=asked.get("room"),
            language=asked.get("language"),
        )
        return answer_json(await self._gateway.conversation.answer(utterance, interruption=interruption))

    async def undo(self, asked: Asked, interruption: Interruption) -> dict[str, Any]:
        utterance = Utterance("undo", conversation_id=str(asked["conversation_id"]))
        wanted = Where(utterance.channel, conversation=None if asked["all"] else utterance.conversation_id)
        answer = self._gateway.conversation.answer(utterance, interruption=interruption, take_back=wanted)
        return answer_json(await answer)

    async def routines(self, asked: Asked, _interruption: Interruption) -> dict[str, Any]:
        """The actions on routines that need the home. A refusal is a reply, not an exception."""
        routines = self._gateway.routines
        try:
            if asked["action"] == "add":
                words = Utterance(str(asked["text"]), conversation_id=str(asked["conversation_id"]))
                return answer_json(await routines.add(words))
            return answer_json(await routines.run_now(int(asked["id"])))
        except ToolError as error:
            return answer_json(Reply(str(error), ok=False))

    # --- a call

    async def call(self, asked: Asked, interruption: Interruption) -> dict[str, Any] | None:
        """One call; a client that leaves cancels it."""
        publish = self._gateway.events.publish
        with progress_to(lambda progress: publish(Progressed(None, progress))):
            return await interruption.cutting(self._called(asked))

    async def _called(self, asked: Asked) -> dict[str, Any]:
        """The limit includes the wait for a server."""
        gateway, limit, started = self._gateway, asked.get("timeout"), perf_counter()
        call = ToolCall(id=new_id(), name=str(asked["name"]), args=asked.get("args"))
        await gateway.servers.tool_known(call.name, limit)
        if silent := self._silent(call.name):
            return self._of_a_silent_server(call, ", ".join(silent), perf_counter() - started).to_json()
        if limit is not None:
            limit = max(limit - round(perf_counter() - started, 2), 0.01)  # a number that can be shown
        return (await gateway.executor.execute(call, timeout_seconds=limit)).to_json()

    def _silent(self, tool: str) -> list[str]:
        """The servers that may have this tool and do not answer; none for a built-in tool."""
        late = [status for status in self._gateway.link.status() if status.state != "connected"]
        if self._gateway.tools.find(tool) is not None:
            coming = self._gateway.servers.contenders(tool)
            late = [status for status in late if status.name in coming]
        return [f"{server.name} (slow start)" if server.installing else server.name for server in late]

    def _of_a_silent_server(self, call: ToolCall, who: str, seconds: float) -> ToolOutcome:
        """The tool cannot be called unknown while a server that may have it is silent."""
        text = f'Error: Unknown tool "{call.name}", or one of a silent server: {who}.'
        if self._gateway.tools.find(call.name) is not None:
            may = f'Error: "{call.name}" may be a tool of a silent server: {who}.'
            text = f"{may} SERVER__{call.name} names one."
        error, seconds = ErrorKind.UNAVAILABLE, round(seconds, 6)
        log.warning("tool failed", extra={"tool": call.name, "seconds": seconds, "result": text})
        return ToolOutcome(call.id, call.name, text, False, seconds, call.arguments, error)

    async def permit(self, asked: Asked, _interruption: Interruption) -> dict[str, Any]:
        """What the owner allows or forbids a tool or a device, from now on."""
        try:
            self._gateway.permits.set(str(asked["name"]), str(asked["permit"]))
        except ConfigError as error:
            return {"problem": str(error)}
        return {}

    # --- tools

    async def tools(self, asked: Asked, _interruption: Interruption | None = None) -> dict[str, Any]:
        """All tools, or one of them, in plain data."""
        gateway = self._gateway
        tools = gateway.tools.all()
        if asked["action"] == "show":
            wanted = gateway.tools.find(str(asked["name"]))
            if wanted is None:
                return {"unknown": unknown_tool(str(asked["name"]), gateway.tools)}
            tools = [wanted]
        # By tool: why the model does not see it.
        reasons = gateway.model.offer().left_out if gateway.model is not None else {}
        silent = [status.name for status in gateway.link.status() if status.state != "connected"]
        return {"tools": [self._record(tool, reasons) for tool in tools], "silent": silent}

    def _record(self, tool: Any, reasons: Mapping[str, str]) -> dict[str, Any]:
        """`tool` is what `tools --json` promises for each; the rest is for people."""
        name, known = self._gateway.tools.offered_name(tool), traits(tool)
        promised = {
            "name": name,
            "qualified_name": qualified_name(tool),
            "source": known.source,
            "description": tool.description,
            "parameters": schema_of(tool),
            "read_only": known.read_only,
            "offered": name not in reasons,
        }
        return {
            "tool": promised,
            "own_name": known.original_name or tool.name,
            "title": known.title,
            "summary": known.summary,
            "origin": self._origin(tool),
            "left_out": reasons.get(name),
            "risk": self._risk(tool),
        }

    def _risk(self, tool: Any) -> Risk | None:
        """Of a call without arguments; None for a tool of a home without a permit: its devices decide."""
        settings, known = self._gateway.settings.permission, traits(tool)
        names = {name_key(tool.name), name_key(known.original_name)}
        homes = self._gateway.local.cache.servers()
        if known.source in homes and names.isdisjoint(map(name_key, settings.permit)):
            return None
        return risk_of(ToolCall("", tool.name), known, settings, None)

    def _origin(self, tool: Any) -> str:
        known = traits(tool)
        if known.source == "builtin":
            return "the gateway itself"
        if known.origin:
            return f"{known.origin}{'' if known.trusted else ', which says nothing of itself'}"
        server = self._gateway.settings.mcpServers.get(known.source)
        home = ", simulated home" if server is not None and server.simulated else ""
        return f"the server {known.source}{home}{'' if known.trusted else ', not trusted'}"
