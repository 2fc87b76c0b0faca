"""`voice-gateway undo`: take back the last act, and print what `ask` prints."""

import argparse

from voice_gateway.cli.ask import answered, printed
from voice_gateway.cli.parser import Parser
from voice_gateway.turn import COMMANDS, Utterance


def arguments(command: Parser) -> None:
    command.description = (
        "Take back what the last `ask` of the past hour did, or the one before if that was taken back "
        "already. Prints what `ask` prints. Exit code 0: taken back, or a question first; else 1."
    )
    command.add_argument("--conversation", metavar="ID", help="only what was done in this conversation")


async def undo(options: argparse.Namespace) -> int:
    """Of everything that was asked at the command line, or of one conversation."""
    utterance = Utterance("undo", conversation_id=options.conversation or COMMANDS)
    message = {"op": "undo", "all": options.conversation is None}
    return printed(options, await answered(options, utterance, message))
