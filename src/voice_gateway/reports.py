"""The state of each part, in sentences that people understand, with what to check."""

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from home_names.phrases import listed
from voice_gateway.config import LeftOut
from voice_gateway.errors import GatewayError
from voice_gateway.events import EventBus, PartState, State
from voice_gateway.mcp_client.integration import Refusal, ServerStatus
from voice_gateway.sqlite_file import Damage
from voice_gateway.turn import Autonomy
from voice_gateway.turns.stage import Trust

# What still works when a server is missing.
_WORDS = {
    "get_current_datetime": "the clock",
    "set_timer": "timers",
    "search_web": "search",
    "control_speaker_volume": "volume",
}
SILENT = "The {name} server is not answering, so its tools are missing"
INSTALLING = "The {name} server takes long to start; its tools come when it answers."
# By refusal: what is said, and what to check.
_REFUSALS = {
    Refusal.TOKEN: (
        "The {name} server does not accept my token, so its tools are missing; I keep trying.",
        "in Home Assistant: your profile, Security, Long-lived access tokens, Create token; put it into"
        ' `headers = {{ Authorization = "Bearer …" }}` and restart',
    ),
    Refusal.LOGIN: (
        "The {name} server needs a login, so its tools are missing: voice-gateway mcp login {name}",
        "`voice-gateway mcp login {name}` at a terminal shows an address for a browser. A server that wants"
        ' a fixed token instead: `headers = {{ Authorization = "Bearer …" }}`',
    ),
    Refusal.STARTING: (
        "Home Assistant ({name}) is just starting; I keep trying.",
        "Home Assistant's own log, if it stays so",
    ),
    Refusal.NOT_SET_UP: (
        "Home Assistant ({name}) has no MCP server set up, so its devices are missing; I keep trying.",
        "in Home Assistant: Settings, Devices & services, Add integration, Model Context Protocol Server;"
        " for an old version the address ends with /mcp_server/sse (docs/home-assistant.md)",
    ),
}
_HOME_EMPTY = (
    "Home Assistant ({name}) shows me no devices: none of them is exposed to Assist.",
    "in Home Assistant: Settings, Voice assistants, Expose; then say it again",
)
# Home Assistant without exposed devices has the first tool and not the second.
_SWITCHES, _LISTS = "HassTurnOn", "GetLiveContext"


# --- MCP servers


def home_trouble(servers: Iterable[ServerStatus], homes: Container[str] = ()) -> str:
    """Why a server that has the home, or could have it, is not usable yet; empty if there is none."""
    late = (
        server_report(status)
        for status in servers
        if status.refusal or status.installing or (status.name in homes and status.state != "connected")
    )
    return next((sentence for state, sentence, _ in late if state is not State.OK), "")


def server_report(status: ServerStatus) -> tuple[State, str, str]:
    """State, sentence and advice for one MCP server."""
    called = f"The {status.name} server"
    if status.state == "connected" and _SWITCHES in status.tools and _LISTS not in status.tools:
        return _degraded(status, *_HOME_EMPTY)
    if status.state == "degraded" and status.refusal is not None:
        return _degraded(status, *_REFUSALS[status.refusal])
    if status.state == "degraded":
        reason = f"last reason: {status.last_error}; " if status.last_error else ""
        advice = f"{reason}start its command by hand, or run `voice-gateway doctor`"
        return State.DEGRADED, f"{SILENT.format(name=status.name)}; I keep trying.", advice
    if status.state == "connected":
        home = " (a simulated home)" if status.simulated else ""
        return State.OK, f"{called} is connected{home} with {len(status.tools)} tools.", ""
    if status.state == "stopped":
        return State.OFF, f"{called} is stopped.", ""
    starting = "was lost and is being started again" if status.restarts else "is starting"
    late = INSTALLING.format(name=status.name) if status.installing else ""
    return State.STARTING, late or f"{called} {starting}.", ""


def _degraded(status: ServerStatus, sentence: str, check: str) -> tuple[State, str, str]:
    return State.DEGRADED, sentence.format(name=status.name), f"check {check.format(name=status.name)}"


def left_out_report(entry: LeftOut) -> PartState:
    """A server, or a whole file, of an mcp.json that cannot be used."""
    advice = f"correct it in {entry.file}; then restart"
    if not entry.name:
        sentence = f"No server of {entry.file.name} is used: {entry.reason}."
        return PartState("mcp.json", State.DEGRADED, sentence, 0.0, advice)
    sentence = f"The {entry.name} server of {entry.file.name} is left out: {entry.reason}."
    return PartState(f"server {entry.name}", State.DEGRADED, sentence, 0.0, advice)


def server_hangs(part: PartState) -> PartState:
    """The state of a connected server that did not answer just now."""
    name = part.part.removeprefix("server ")
    sentence = f"The {name} server is connected and does not answer: it hangs, or is busy with a call."
    advice = "look again in a moment; if it stays so, end its process: it is started again"
    return replace(part, state=State.DEGRADED, sentence=sentence, advice=advice)


# --- other parts


def damaged_file(
    events: EventBus, part: Literal["memory", "timers", "routines"], what: str
) -> Callable[[Damage], None]:
    """A callback for the part that owns the file, which calls it in a thread of its own."""
    loop = asyncio.get_running_loop()

    def report(damage: Damage) -> None:
        loop.call_soon_threadsafe(events.report, part, State.DEGRADED, *damage.report(what))

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
    up = [
        f"{status.name} (simulated home)" if status.simulated else status.name
        for status in servers
        if status.state == "connected"
    ]
    model = "no model" if provider == "local" else f"model of {provider}"
    links = f", connected to {listed(up)}" if up else ""
    words_come_in = f" Channels: {', '.join(channels)}." if channels else ""
    line = f"ready: {len(tools)} tools, {model}{links}.{words_come_in}"
    return " ".join([line, *what_is_missing(servers, parts, tools)])


def what_is_missing(
    servers: Sequence[ServerStatus], parts: Sequence[PartState], tools: Sequence[str]
) -> list[str]:
    """A sentence for each missing part; the servers share one, with what is left without them."""
    of_servers = {f"server {status.name}" for status in servers}
    down = [status.name for status in servers if status.state != "connected" and not status.installing]
    sentences = []
    if down:
        who = f"The {down[0]} server is" if len(down) == 1 else f"The servers {listed(down)} are"
        words = [word for name, word in _WORDS.items() if name in tools]
        left = f"I have {listed(words)}" if words else "I have no tools"
        sentences.append(f"{who} not answering; {left}.")
    sentences += [INSTALLING.format(name=status.name) for status in servers if status.installing]
    sentences += [
        part.sentence
        for part in parts
        if (part.state is State.DEGRADED or part.late) and part.part not in of_servers
    ]
    return sentences
