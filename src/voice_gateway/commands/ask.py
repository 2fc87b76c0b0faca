"""`voice-gateway ask`: one question, one answer on stdout, everything else on stderr."""

import argparse
import sys

from voice_gateway.app import opened
from voice_gateway.commands.options import loaded, wants_json
from voice_gateway.config import data_folder
from voice_gateway.doors.cli import print_json
from voice_gateway.store import SqliteStore
from voice_gateway.turn import Reply, Utterance, new_id


async def ask(options: argparse.Namespace) -> int:
    settings = loaded(options).settings
    utterance = Utterance(
        " ".join(options.text),
        door="cli",
        conversation_id=options.conversation or new_id(),
        room=settings.brain.room,
    )
    # Kept in a file: the next `ask --conversation` is another process.
    store = SqliteStore(data_folder() / "conversations.sqlite")
    async with opened(settings, store=store) as gateway:
        reply = await gateway.conversation.answer(utterance)
    if options.explain:
        print(explained(reply), file=sys.stderr)
    if wants_json(options):
        print_json(reply.to_json())
    else:
        print(reply.text)
    return 0 if reply.ok else 1


def explained(reply: Reply) -> str:
    """Which stage answered, why the earlier ones passed, and what was really done."""
    lines = [f"{passed.stage} passed: {passed.reason}" for passed in reply.passed]
    lines += ["the next stage may look but not act" for passed in reply.passed if passed.forbid_side_effects]
    model = f" with {reply.model}" if reply.model else ""
    lines.append(f"answered by: {reply.stage}{model} in {reply.seconds * 1000:.0f} ms")
    for outcome in reply.outcomes:
        arguments = ", ".join(f"{key}={value!r}" for key, value in outcome.args.items())
        verdict = "ok" if outcome.ok else f"failed ({outcome.error})"
        lines.append(
            f"  {outcome.name}({arguments}) {verdict} in {outcome.seconds * 1000:.0f} ms: {outcome.text}"
        )
    if reply.expects_answer:
        lines.append(f"an answer is expected: --conversation {reply.conversation_id}")
    return "\n".join(lines)
