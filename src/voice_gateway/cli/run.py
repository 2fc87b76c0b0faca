"""`voice-gateway run` and `chat`: the terminal channel, and for `run` every other channel."""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Sequence

from voice_gateway.app import Gateway, opened
from voice_gateway.channels.terminal import Source, source, tell_unasked
from voice_gateway.cli.command import loaded
from voice_gateway.cli.parser import Parser
from voice_gateway.config import WebSettings, conversations_file
from voice_gateway.conversation.store import store_from
from voice_gateway.events import Changes, EventBus, PartState, State
from voice_gateway.problems import WEB_NO_TLS
from voice_gateway.reports import damaged_file

PROMPT_SECONDS = 2.0
FURTHER = (
    "Type a question, or `quit` to end. docs/configuration.md tells how to add a model or your own devices."
)


def arguments(command: Parser) -> None:
    command.add_argument("--room", help='where you are; settles "turn on the light"')
    command.add_argument(
        "--language", metavar="CODE", help="understand this language and English, such as de"
    )
    command.add_argument("--voice", action="store_true", help="run: listen and speak, too")


async def run(options: argparse.Namespace) -> int:
    stays = options.command == "run"
    given = loaded(options)
    settings = given.settings
    behind = source(sys.stdin)
    events = EventBus()
    on_damage = damaged_file(events, "memory", "conversations")
    store = store_from(settings.brain.store, conversations_file(), on_damage=on_damage)
    announcer = Announcer(waits=stays and behind is Source.TERMINAL)
    events.subscribe(announcer.watched, PartState)
    async with (
        contextlib.aclosing(store),
        opened(settings, store=store, events=events, config=given.file) as gateway,
    ):
        terminal = gateway.channels.text(as_json=options.json)
        gateway.start_long_tasks(rings=stays)
        if stays:
            spoken = settings.voice.enabled or options.voice
            gateway.channels.open(given.file, spoken=spoken, show=terminal.tell, announce=_print)
            await _announce_ready(gateway, behind, announcer, settings.web)
        if behind is Source.NONE:
            if stays:
                await asyncio.Event().wait()  # until it is stopped
            return 0
        all_ok = await terminal.run(sys.stdin)
    return 0 if all_ok or behind is Source.TERMINAL else 1


class Announcer:
    """Prints when a part fails and when it comes back; the ready line names what is missing at the start."""

    def __init__(self, *, waits: bool) -> None:
        self._changes = Changes()
        self._waits = waits  # until the gateway is ready: people should not read everything twice

    def watched(self, event: PartState) -> None:
        part = self._changes.news(event)
        if part is not None and not self._waits:
            _print(f"{part.sentence} ({part.advice})" if part.advice else part.sentence)

    def begin(self, parts: Sequence[PartState]) -> None:
        """Print the reasons below the ready line, which has none."""
        for part in parts if self._waits else ():
            if part.state is State.DEGRADED and part.advice:
                _print(f"{part.part}: {part.advice}")
        self._waits = False


async def _announce_ready(gateway: Gateway, behind: Source, announcer: Announcer, web: WebSettings) -> None:
    """Print the ready line when every part is there or known to be missing, in a task of its own."""
    announced = asyncio.Event()

    async def announce() -> None:
        await gateway.ready()
        if (console := gateway.channels.web) is not None and console.address:
            _print(f"The console: {console.address}")
            if link := console.login_link():
                _print(f"To log in, once: {link}")
            elif web.needs_token and web.tls_cert is None:
                _print(WEB_NO_TLS)
        if behind is not Source.LINES:
            _print(gateway.ready_line())
        announcer.begin(gateway.events.parts())
        if behind is Source.TERMINAL:
            _print(FURTHER)
        announced.set()

    gateway.start(announce(), "ready")
    if behind is Source.TERMINAL:  # print the prompt below these lines, unless they take long
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROMPT_SECONDS):
                await announced.wait()


def _print(text: str) -> None:
    tell_unasked(text, sys.stderr)
