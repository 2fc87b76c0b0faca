"""`voice-gateway undo`: takes back what was asked for last, in any language, and prints what `ask` prints."""

import argparse

from voice_gateway.cli.ask import answered, printed
from voice_gateway.turn import COMMANDS, Utterance
from voice_gateway.turns.acts import Where


async def undo(options: argparse.Namespace) -> int:
    """Of all that was asked at the command line, or of one conversation."""
    utterance = Utterance("undo", conversation_id=options.conversation or COMMANDS)
    message = {"op": "undo", "all": options.conversation is None}
    wanted = Where(utterance.channel, conversation=options.conversation)
    return printed(options, await answered(options, utterance, message, wanted))
