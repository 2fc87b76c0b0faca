"""`voice-gateway ask`: one question, one answer on stdout, everything else on stderr."""

import argparse
import sys
from time import perf_counter
from typing import Any

from voice_gateway.cli.options import loaded, wants_json
from voice_gateway.cli.remote import ask_running
from voice_gateway.config import conversations_file
from voice_gateway.doors.marks import mark_lines
from voice_gateway.doors.terminal import print_json, print_reply
from voice_gateway.errors import LinkError
from voice_gateway.turn import Reply, Utterance

# One conversation for all plain `ask`s of a user, so that "is it on" knows what "turn on the floor lamp" was
# about. It is forgotten after some minutes of silence, like every conversation.
CONVERSATION = "cli"


async def ask(options: argparse.Namespace) -> int:
    text, conversation_id = " ".join(options.text), options.conversation or CONVERSATION
    answer = await _there(options, text, conversation_id) or await _alone(options, text, conversation_id)
    if options.explain:
        print(answer["explained"], file=sys.stderr)
    reply = answer["reply"]
    if wants_json(options):
        print_json(reply)
    else:
        print_reply(reply["text"], answer.get("marks", ()))
    return 0 if reply["ok"] else 1


async def _there(options: argparse.Namespace, text: str, conversation_id: str) -> dict[str, Any] | None:
    """By the running gateway, if there is one; one that ends in the middle leaves a reply, too."""
    message = {"op": "ask", "text": text, "conversation_id": conversation_id, "room": options.room}
    started = perf_counter()
    try:
        answer: dict[str, Any] | None = await ask_running(options, message)
    except LinkError as error:
        seconds = perf_counter() - started
        return answered(Reply(f"Sorry, {error}.", ok=False, conversation_id=conversation_id, seconds=seconds))
    return answer


async def _alone(options: argparse.Namespace, text: str, conversation_id: str) -> dict[str, Any]:
    from voice_gateway.app import opened
    from voice_gateway.conversation.store import SqliteStore

    settings = loaded(options).settings
    # Kept in a file: the next `ask --conversation` is another process.
    store = SqliteStore(conversations_file())
    async with opened(settings, store=store) as gateway:
        utterance = Utterance(text, conversation_id=conversation_id, room=settings.brain.room)
        return answered(await gateway.conversation.answer(utterance))


def answered(reply: Reply) -> dict[str, Any]:
    return {"reply": reply.to_json(), "explained": explained(reply), "marks": mark_lines(reply.outcomes)}


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
