"""How each part is, in sentences a person understands, with what to check."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ErrorKind, GatewayError
from voice_gateway.mcp_link.integration import ServerStatus
from voice_gateway.problems import SEARCH, SERVER_SILENT, VOLUME
from voice_gateway.tools.masking import HIDDEN, SHORTEST_SECRET, hide_secrets, is_secret_name
from voice_gateway.watch import Acted, Event, PartState, State, Watch

# Built-in tools that need something outside the gateway: the part's name, and what is said of it.
_OUTSIDE = {
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


def server_report(status: ServerStatus) -> tuple[State, str, str]:
    """State, sentence and advice for one MCP server."""
    called = f"The {status.name} server"
    if status.state == "connected":
        home = " (a simulated home)" if status.simulated else ""
        return State.OK, f"{called} is connected{home} with {len(status.tools)} tools.", ""
    if status.state == "degraded":
        reason = f"last reason: {status.last_error}; " if status.last_error else ""
        advice = f"{reason}start its command by hand, or run `voice-gateway doctor`"
        return State.DEGRADED, SERVER_SILENT.format(name=status.name), advice
    if status.state == "stopped":
        return State.OFF, f"{called} is stopped.", ""
    sentence = (
        f"{called} was lost and is being started again." if status.restarts else f"{called} is starting."
    )
    return State.STARTING, sentence, ""


def without_secrets(server: ServerSettings) -> Callable[[str], str]:
    """Takes out of a server's words what it was told in confidence: they end up in logs and in questions."""
    known = sorted({word for word in _secrets(server) if len(word) >= SHORTEST_SECRET}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in known:
            text = text.replace(secret, HIDDEN)
        return hide_secrets(text)

    return hide


def _secrets(server: ServerSettings) -> Iterator[str]:
    named = [*server.env.items(), *(argument.partition("=")[::2] for argument in server.args)]
    named += [(option, value) for option, value in pairwise(server.args) if _awaits_value(option)]
    for name, value in named:
        if is_secret_name(name.lstrip("-")) or name.upper().endswith("KEY"):
            yield value
    for header in server.headers.values():
        yield header.get_secret_value()
        yield header.get_secret_value().rpartition(" ")[2]  # behind "Bearer"


def _awaits_value(option: str) -> bool:
    return option.startswith("-") and "=" not in option


def what_is_left(names: Sequence[str]) -> str:
    """ "I have the clock, search and volume": of the built-in tools."""
    words = [word for name, word in _WORDS if name in names]
    return f"I have {listed(words)}" if words else "I have no tools"


def listed(words: Sequence[str]) -> str:
    """ "one, two and three"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def outside_parts(watch: Watch) -> Callable[[Event], None]:
    """Notices by the outcomes of calls whether the internet and the sound server are there."""

    def noticed(event: Event) -> None:
        if not isinstance(event, Acted) or event.outcome.name not in _OUTSIDE:
            return
        part, called, problem = _OUTSIDE[event.outcome.name]
        if event.outcome.ok:
            watch.report(part, State.OK, f"{called} works.")
        elif event.outcome.error in _AWAY:
            advice = f"check {problem.check}; {event.outcome.text}"
            watch.report(part, State.DEGRADED, problem.says[0], advice)

    return noticed


def model_report(error: GatewayError | None, model: str) -> tuple[State, str, str]:
    if error is None:
        return State.OK, f"My language model ({model}) is there.", ""
    return State.DEGRADED, error.spoken, str(error)


def is_lost(event: Event, part: str) -> bool:
    return isinstance(event, PartState) and event.part == part and event.state is State.DEGRADED
