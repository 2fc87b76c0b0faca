"""How each part is, in sentences a person understands, with what to check."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from home_words.phrases import listed
from voice_gateway.config import LeftOut
from voice_gateway.errors import ErrorKind, GatewayError
from voice_gateway.events import Acted, Event, EventBus, PartState, State
from voice_gateway.mcp_client.integration import Refusal, ServerStatus
from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import (
    FILE_DAMAGED,
    HOME_EMPTY,
    HOME_NOT_SET_UP,
    HOME_STARTING,
    LOGIN_NEEDED,
    SERVER_HANGS,
    SERVER_INSTALLING,
    SERVER_SILENT,
    SERVER_UNUSABLE,
    SERVERS_UNUSABLE,
    TOKEN_REFUSED,
)
from voice_gateway.problems.servers import (
    HOME_ASSISTANT_EMPTY,
    HOME_ASSISTANT_NOT_SET_UP,
    HOME_ASSISTANT_STARTS,
    LOGIN,
    MCP_JSON,
    SEARCH,
    SERVER_ENTRY,
    TOKEN,
    VOLUME,
)
from voice_gateway.sqlite_file import Damage
from voice_gateway.turn import Autonomy
from voice_gateway.turns.stage import Trust

# Built-in tools that need something outside the gateway: the part's name, and what is said of it.
OUTSIDE_TOOLS = {
    "search_web": ("search", "Web search", SEARCH),
    "control_speaker_volume": ("volume", "The volume control", VOLUME),
}
_AWAY = frozenset({ErrorKind.UNAVAILABLE, ErrorKind.TIMEOUT})

# What is still there when a server is missing, in a word each.
_WORDS = (
    ("get_current_datetime", "the clock"),
    ("set_timer", "timers"),
    ("search_web", "search"),
    ("control_speaker_volume", "volume"),
)


_REFUSALS = {
    Refusal.TOKEN: (TOKEN_REFUSED, TOKEN),
    Refusal.LOGIN: (LOGIN_NEEDED, LOGIN),
    Refusal.STARTING: (HOME_STARTING, HOME_ASSISTANT_STARTS),
    Refusal.NOT_SET_UP: (HOME_NOT_SET_UP, HOME_ASSISTANT_NOT_SET_UP),
}
# Home Assistant with nothing to show: it switches, and does not list what.
_SWITCHES, _LISTS = "HassTurnOn", "GetLiveContext"


def home_trouble(servers: Iterable[ServerStatus]) -> str:
    """Why a server that could have the home does not take us: its token, or it is just starting, or must be
    installed first."""
    late = [status for status in servers if status.refusal is not None or status.installing]
    told = (server_report(status) for status in late)
    return next((sentence for state, sentence, _ in told if state is not State.OK), "")


def server_report(status: ServerStatus) -> tuple[State, str, str]:
    """State, sentence and advice for one MCP server."""
    called = f"The {status.name} server"
    if status.state == "connected" and _SWITCHES in status.tools and _LISTS not in status.tools:
        return _degraded(status, HOME_EMPTY, HOME_ASSISTANT_EMPTY)
    if status.state == "connected":
        home = " (a simulated home)" if status.simulated else ""
        return State.OK, f"{called} is connected{home} with {len(status.tools)} tools.", ""
    if status.state == "degraded" and status.refusal is not None:
        return _degraded(status, *_REFUSALS[status.refusal])
    if status.state == "degraded":
        reason = f"last reason: {status.last_error}; " if status.last_error else ""
        advice = f"{reason}start its command by hand, or run `voice-gateway doctor`"
        return State.DEGRADED, SERVER_SILENT.format(name=status.name), advice
    if status.state == "stopped":
        return State.OFF, f"{called} is stopped.", ""
    return State.STARTING, _starting(status), ""


def _starting(status: ServerStatus) -> str:
    if status.installing:
        return SERVER_INSTALLING.format(name=status.name)
    called = f"The {status.name} server"
    return f"{called} was lost and is being started again." if status.restarts else f"{called} is starting."


@dataclass(frozen=True, slots=True)
class LeftOutReport:
    """What is said of what another client's file has and cannot be used."""

    part: str
    sentence: str
    advice: str
    problem: Problem


def left_out_report(one: LeftOut) -> LeftOutReport:
    part = f"server {one.name}" if one.name else "mcp.json"
    advice = f"correct it in {one.file}; then restart"
    problem, words = (SERVER_ENTRY, SERVER_UNUSABLE) if one.name else (MCP_JSON, SERVERS_UNUSABLE)
    sentence = words.format(name=one.name, file=one.file.name, reason=one.reason)
    return LeftOutReport(part, sentence, advice, problem)


def _degraded(status: ServerStatus, sentence: str, problem: Problem) -> tuple[State, str, str]:
    return State.DEGRADED, sentence.format(name=status.name), f"check {problem.advice}"


def server_hangs(part: PartState) -> PartState:
    """Of one that was asked just now and said nothing."""
    name = part.part.removeprefix("server ")
    advice = "look again in a moment; if it stays so, end its process: it is started again"
    return replace(part, state=State.DEGRADED, sentence=SERVER_HANGS.format(name=name), advice=advice)


def what_is_left(names: Sequence[str]) -> str:
    """ "I have the clock, search and volume": of the built-in tools."""
    words = [word for name, word in _WORDS if name in names]
    return f"I have {listed(words)}" if words else "I have no tools"


def outside_parts(watch: EventBus) -> Callable[[Event], None]:
    """Notices by the outcomes of calls whether the internet and the sound server are there."""

    def noticed(event: Event) -> None:
        if not isinstance(event, Acted) or event.outcome.name not in OUTSIDE_TOOLS:
            return
        part, called, problem = OUTSIDE_TOOLS[event.outcome.name]
        if event.outcome.ok:
            watch.report(part, State.OK, f"{called} works.")
        elif event.outcome.error in _AWAY:
            advice = f"check {problem.advice}; {event.outcome.text}"
            watch.report(part, State.DEGRADED, problem.says[0], advice)

    return noticed


def damaged_file(
    watch: EventBus, part: Literal["memory", "timers", "routines"], what: str
) -> Callable[[Damage], None]:
    """For the part whose file it is; the file tells it in a thread of its own."""
    loop = asyncio.get_running_loop()

    def tell(damage: Damage) -> None:
        sentence = FILE_DAMAGED.format(what=what, kept=damage.kept or "none")
        advice = f"the damaged file is {damage.aside}; check the disk"
        loop.call_soon_threadsafe(watch.report, part, State.DEGRADED, sentence, advice)

    return tell


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


def ready_line(
    servers: Sequence[ServerStatus],
    parts: Sequence[PartState],
    tools: Sequence[str],
    brain: str,
    doors: Sequence[str] = (),
) -> str:
    """For the terminal: what works, where words come in, and in a sentence each what does not."""
    up = [_named(status) for status in servers if status.state == "connected"]
    line = f"ready: {len(tools)} tools, {brain} brain"
    if up:
        line += f", connected to {listed(up)}"
    line += f". Doors: {', '.join(doors)}." if doors else "."
    return " ".join([line, *what_is_missing(servers, parts, tools)])


def what_is_missing(
    servers: Sequence[ServerStatus], parts: Sequence[PartState], tools: Sequence[str]
) -> list[str]:
    """A sentence for each part that is not there; the servers share one, with what is left without them."""
    of_servers = {f"server {status.name}" for status in servers}
    down = [status.name for status in servers if status.state != "connected" and not status.installing]
    sentences = [
        part.sentence
        for part in parts
        if (part.state is State.DEGRADED or part.late) and part.part not in of_servers
    ]
    installing = [status.name for status in servers if status.installing]
    sentences[:0] = [SERVER_INSTALLING.format(name=name) for name in installing]
    if down:
        who = f"The {down[0]} server is" if len(down) == 1 else f"The servers {listed(down)} are"
        sentences.insert(0, f"{who} not answering; {what_is_left(tools)}.")
    return sentences


def _named(status: ServerStatus) -> str:
    return f"{status.name} (simulated home)" if status.simulated else status.name
