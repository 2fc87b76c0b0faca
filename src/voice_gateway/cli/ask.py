"""`voice-gateway ask`: one question, one answer on stdout, everything else on stderr."""

import argparse
import asyncio
import sys
from time import perf_counter
from typing import Any

from voice_gateway.channels.control import answer_json
from voice_gateway.channels.progress_line import ProgressLine
from voice_gateway.channels.terminal import print_json, print_reply, tell_unasked
from voice_gateway.cli.command import ask_running, loaded, wants_json
from voice_gateway.config import conversations_file
from voice_gateway.errors import LinkError
from voice_gateway.events import Event, Waiting
from voice_gateway.progress import Progress, listener, progress_to
from voice_gateway.tools.executor import WAIT_SECONDS
from voice_gateway.turn import COMMANDS, Reply, Utterance
from voice_gateway.turns.acts import Where


async def ask(options: argparse.Namespace) -> int:
    conversation_id = options.conversation or COMMANDS
    utterance = Utterance(" ".join(options.text), conversation_id=conversation_id, room=options.room)
    message = {"op": "ask", "text": utterance.text, "room": utterance.room}
    line = ProgressLine(sys.stderr)
    try:
        with progress_to(line.show):
            answer = await answered(options, utterance, message)
    finally:
        line.end()
    if options.explain:
        print_reply(answer["explained"], out=sys.stderr)
    return printed(options, answer)


async def answered(
    options: argparse.Namespace, utterance: Utterance, message: dict[str, Any], take_back: Where | None = None
) -> dict[str, Any]:
    return await _there(options, utterance, message) or await _alone(options, utterance, take_back)


def printed(options: argparse.Namespace, answer: dict[str, Any]) -> int:
    reply = answer["reply"]
    if wants_json(options):
        print_json(reply)
    else:
        print_reply(reply["text"], answer.get("marks", ()))
    return 0 if reply["ok"] else 1


async def _there(
    options: argparse.Namespace, utterance: Utterance, message: dict[str, Any]
) -> dict[str, Any] | None:
    """By the running gateway, if there is one; one that ends in the middle leaves a reply, too."""
    conversation_id, started = utterance.conversation_id, perf_counter()
    message = {**message, "conversation_id": conversation_id}
    waiting = Waiting(utterance, "the running gateway")
    timer = asyncio.get_running_loop().call_later(WAIT_SECONDS, _tell_waiting, waiting)
    shown = listener()

    def moved(progress: Progress) -> None:
        timer.cancel()  # who sees how far it is knows that it is under way
        if shown is not None:
            shown(progress)

    try:
        answer: dict[str, Any] | None = await ask_running(options, message, moved)
    except LinkError as error:
        seconds = perf_counter() - started
        reply = Reply(f"Sorry, {error}.", ok=False, conversation_id=conversation_id, seconds=seconds)
        return answer_json(reply)
    finally:
        timer.cancel()
    return answer


async def _alone(
    options: argparse.Namespace, utterance: Utterance, take_back: Where | None
) -> dict[str, Any]:
    from voice_gateway.app import opened
    from voice_gateway.conversation.store import SqliteStore

    settings = loaded(options).settings
    # Kept in a file: the next `ask --conversation` is another process.
    store = SqliteStore(conversations_file())
    async with opened(settings, store=store) as gateway:
        gateway.watch.subscribe(_tell_waiting)
        return answer_json(await gateway.conversation.answer(utterance, take_back=take_back))


def _tell_waiting(event: Event) -> None:
    if isinstance(event, Waiting) and sys.stderr.isatty():
        tell_unasked(event.text, sys.stderr)
