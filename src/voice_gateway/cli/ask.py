"""`voice-gateway ask`: one answer on stdout, everything else on stderr."""

import argparse
import asyncio
import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

from voice_gateway.channels.control import answer_json
from voice_gateway.channels.terminal import print_json, print_reply, tell_unasked
from voice_gateway.cli.command import by_gateway
from voice_gateway.cli.parser import Parser
from voice_gateway.errors import LinkError
from voice_gateway.events import PartState, State, Waiting
from voice_gateway.tools.executor import WAIT_SECONDS
from voice_gateway.turn import COMMANDS, Reply, Utterance

if TYPE_CHECKING:
    from voice_gateway.app import Gateway

STORES = frozenset({"memory", "timers", "routines"})  # parts that hold what people asked to keep


def arguments(command: Parser) -> None:
    command.description = "Print one answer. Exit code 0: answered, and no tool call failed; else 1."
    command.add_argument("text", nargs="+", help="what to say")
    command.add_argument(
        "--conversation", metavar="ID", help="which conversation this belongs to (default: the last one)"
    )
    command.add_argument("--room", help='where you are; settles "turn on the light"')
    command.add_argument("--language", metavar="CODE", help="the language of the words, such as de")
    command.add_argument("--explain", action="store_true", help="say on stderr which stage answered, and why")


async def ask(options: argparse.Namespace) -> int:
    conversation_id = options.conversation or COMMANDS
    utterance = Utterance(
        " ".join(options.text),
        conversation_id=conversation_id,
        room=options.room,
        language=options.language,
    )
    message = {"op": "ask", "text": utterance.text, "room": utterance.room, "language": options.language}
    answer = await answered(options, utterance, message)
    if options.explain:
        print_reply(answer["explained"], out=sys.stderr)
    return printed(options, answer)


def printed(options: argparse.Namespace, answer: dict[str, Any]) -> int:
    reply = answer["reply"]
    if options.json:
        print_json(reply)
    else:
        print_reply(reply["text"], answer.get("marks", ()), parts=reply.get("parts", ()))
    return 0 if reply["ok"] else 1


async def answered(
    options: argparse.Namespace, utterance: Utterance, message: dict[str, Any]
) -> dict[str, Any]:
    """The answer; a reply with the error if the running gateway ends meanwhile."""
    conversation_id, started = utterance.conversation_id, perf_counter()
    message = {**message, "conversation_id": conversation_id}
    waiting = Waiting(utterance, "the running gateway")
    timer = asyncio.get_running_loop().call_later(WAIT_SECONDS, _show_waiting, waiting)

    async def watch(gateway: "Gateway") -> None:
        timer.cancel()  # our own gateway says what it waits for
        gateway.events.subscribe(_show_waiting, Waiting)
        gateway.events.subscribe(_show_degraded, PartState)

    try:
        return await by_gateway(options, message, first=watch)
    except LinkError as error:
        seconds = perf_counter() - started
        reply = Reply(f"Sorry, {error}.", ok=False, conversation_id=conversation_id, seconds=seconds)
        return answer_json(reply)
    finally:
        timer.cancel()


def _show_degraded(event: PartState) -> None:
    """A damaged or missing store changes what the answer knows. Without a terminal the log says it."""
    if sys.stderr.isatty() and event.state is State.DEGRADED and event.part in STORES:
        tell_unasked(event.sentence, sys.stderr)


def _show_waiting(event: Waiting) -> None:
    if sys.stderr.isatty():
        tell_unasked(event.text, sys.stderr)
