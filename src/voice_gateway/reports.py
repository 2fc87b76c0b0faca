"""How each part is, in sentences a person understands, with what to check."""

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from home_names.phrases import listed
from voice_gateway import problems
from voice_gateway.config import LeftOut
from voice_gateway.errors import ErrorKind, GatewayError
from voice_gateway.events import Acted, EventBus, PartState, State
from voice_gateway.mcp_client.integration import Refusal, ServerStatus
from voice_gateway.sqlite_file import Damage
from voice_gateway.turn import Autonomy
from voice_gateway.turns.stage import Trust

# Built-in tools that need something outside the gateway: the part, its name, and the sentence of a failure.
OUTSIDE_TOOLS = {
    "search_web": ("search", "Web search", problems.SEARCH_FAILED),
    "control_speaker_volume": ("volume", "The volume control", problems.VOLUME_FAILED),
}
_AWAY = frozenset({ErrorKind.UNAVAILABLE, ErrorKind.TIMEOUT})
# What still works when a server is missing.
_WORDS = (
    ("get_current_datetime", "the clock"),
    ("set_timer", "timers"),
    ("search_web", "search"),
    ("control_speaker_volume", "volume"),
)
_REFUSALS = {
    Refusal.TOKEN: problems.TOKEN_REFUSED,
    Refusal.LOGIN: problems.LOGIN_NEEDED,
    Refusal.STARTING: problems.HOME_STARTING,
    Refusal.NOT_SET_UP: problems.HOME_NOT_SET_UP,
}
# Home Assistant without exposed devices has the first tool and not the second.
_SWITCHES, _LISTS = "HassTurnOn", "GetLiveContext"


# --- MCP servers


def home_trouble(servers: Iterable[ServerStatus], homes: Container[str] = ()) -> str:
    """Why a server that has the home, or could have it, is not usable yet; empty if there is none."""
    late = [
        status
        for status in servers
        if status.refusal is not None
        or status.installing
        or (status.name in homes and status.state != "connected")
    ]
    reports = (server_report(status) for status in late)
    return next((sentence for state, sentence, _ in reports if state is not State.OK), "")


def server_report(status: ServerStatus) -> tuple[State, str, str]:
    """State, sentence and advice for one MCP server."""
    called = f"The {status.name} server"
    if status.state == "connected":
        if _SWITCHES in status.tools and _LISTS not in status.tools:
            return _degraded(status, problems.HOME_EMPTY)
        home = " (a simulated home)" if status.simulated else ""
        return State.OK, f"{called} is connected{home} with {len(status.tools)} tools.", ""
    if status.state == "degraded":
        if status.refusal is not None:
            return _degraded(status, _REFUSALS[status.refusal])
        reason = f"last reason: {status.last_error}; " if status.last_error else ""
        advice = f"{reason}start its command by hand, or run `voice-gateway doctor`"
        return State.DEGRADED, problems.SERVER_SILENT.format(name=status.name), advice
    if status.state == "stopped":
        return State.OFF, f"{called} is stopped.", ""
    starting = "was lost and is being started again" if status.restarts else "is starting"
    sentence = (
        problems.SERVER_INSTALLING.format(name=status.name) if status.installing else f"{called} {starting}."
    )
    return State.STARTING, sentence, ""


def _degraded(status: ServerStatus, sentence: str) -> tuple[State, str, str]:
    return State.DEGRADED, sentence.format(name=status.name), f"check {problems.ADVICE[sentence]}"


def left_out_report(entry: LeftOut) -> PartState:
    """A server, or a whole file, of an mcp.json that cannot be used."""
    words = problems.SERVER_UNUSABLE if entry.name else problems.SERVERS_UNUSABLE
    part = f"server {entry.name}" if entry.name else "mcp.json"
    sentence = words.format(name=entry.name, file=entry.file.name, reason=entry.reason)
    return PartState(part, State.DEGRADED, sentence, 0.0, f"correct it in {entry.file}; then restart")


def server_hangs(part: PartState) -> PartState:
    """The state of a connected server that did not answer just now."""
    name = part.part.removeprefix("server ")
    advice = "look again in a moment; if it stays so, end its process: it is started again"
    return replace(
        part, state=State.DEGRADED, sentence=problems.SERVER_HANGS.format(name=name), advice=advice
    )


# --- other parts


def outside_parts(events: EventBus) -> Callable[[Acted], None]:
    """A subscriber that reports from the outcomes of calls whether internet and sound server are there."""

    def noticed(event: Acted) -> None:
        if event.outcome.name not in OUTSIDE_TOOLS:
            return
        part, called, sentence = OUTSIDE_TOOLS[event.outcome.name]
        if event.outcome.ok:
            events.report(part, State.OK, f"{called} works.")
        elif event.outcome.error in _AWAY:
            advice = f"check {problems.ADVICE[sentence]}; {event.outcome.text}"
            events.report(part, State.DEGRADED, sentence, advice)

    return noticed


def damaged_file(
    events: EventBus, part: Literal["memory", "timers", "routines"], what: str
) -> Callable[[Damage], None]:
    """A callback for the part that owns the file, which calls it in a thread of its own."""
    loop = asyncio.get_running_loop()

    def report(damage: Damage) -> None:
        sentence = problems.FILE_DAMAGED.format(what=what, consequence=damage.consequence)
        advice = f"the damaged file is {damage.aside}; check the disk"
        loop.call_soon_threadsafe(events.report, part, State.DEGRADED, sentence, advice)

    return report


def model_report(error: GatewayError | None, model: str) -> tuple[State, str, str]:
    if error is None:
        return State.OK, f"My language model ({model}) is there.", ""
    return State.DEGRADED, error.spoken, str(error)


_MAY = {
    Autonomy.ACT: "My language model acts on words that are no plain wish, if it can be taken back",
    Autonomy.ASK: "My language model asks before it acts on words that are no plain wish",
    Autonomy.LOOK: "My language model acts on nothing but plain wishes",
}


def autonomy_report(trust: Trust) -> str:
    return f"{_MAY[trust.autonomy]}: {trust.why}."


# --- the gateway as a whole


def ready_line(
    servers: Sequence[ServerStatus],
    parts: Sequence[PartState],
    tools: Sequence[str],
    provider: str,
    channels: Sequence[str] = (),
) -> str:
    """For the terminal: what works, where words come in, and a sentence for each part that is missing."""
    up = [_named(status) for status in servers if status.state == "connected"]
    model = "no model" if provider == "local" else f"model of {provider}"
    line = f"ready: {len(tools)} tools, {model}"
    if up:
        line += f", connected to {listed(up)}"
    line += f". Channels: {', '.join(channels)}." if channels else "."
    return " ".join([line, *what_is_missing(servers, parts, tools)])


def what_is_missing(
    servers: Sequence[ServerStatus], parts: Sequence[PartState], tools: Sequence[str]
) -> list[str]:
    """A sentence for each missing part; the servers share one, with what is left without them."""
    of_servers = {f"server {status.name}" for status in servers}
    down = [status.name for status in servers if status.state != "connected" and not status.installing]
    sentences = [
        part.sentence
        for part in parts
        if (part.state is State.DEGRADED or part.late) and part.part not in of_servers
    ]
    installing = [status.name for status in servers if status.installing]
    sentences[:0] = [problems.SERVER_INSTALLING.format(name=name) for name in installing]
    if down:
        who = f"The {down[0]} server is" if len(down) == 1 else f"The servers {listed(down)} are"
        words = [word for name, word in _WORDS if name in tools]
        left = f"I have {listed(words)}" if words else "I have no tools"
        sentences.insert(0, f"{who} not answering; {left}.")
    return sentences


def _named(status: ServerStatus) -> str:
    return f"{status.name} (simulated home)" if status.simulated else status.name
