"""Announcements: what shall be said to everybody, and the calls for it."""

from collections.abc import Iterator

from home_words.broadcast_words import NOT_NOW, TELL
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, Request, Step

BROADCAST_TOOL = "broadcast"
SATELLITES_TOOL = "HassBroadcast"  # Home Assistant's, for the satellites that it has
_BEGINS = ("tell ", "let ", "say ", "shout ", "announce", "broadcast", "make a")


def read_broadcast(text: str) -> Iterator[Frame]:
    if not text.startswith(_BEGINS):
        return
    for pattern in TELL:
        if found := pattern.match(text):
            message = found.groupdict().get("message") or ""
            if NOT_NOW.search(message):
                return
            yield Frame("Broadcast", {"message": message} if message else {}, literal=10)
            return


def _broadcast(frame: Frame, context: Context) -> Meaning:
    message = frame.text("message")
    if not message:
        return Clarification("What shall I tell everyone?", frame, slot="message")
    tools = [BROADCAST_TOOL, *([SATELLITES_TOOL] if SATELLITES_TOOL in context.tools else [])]
    return Step(
        frame.intent, tuple(Request(tool, {"message": message}) for tool in tools), acts=True, frame=frame
    )


BROADCAST = {"Broadcast": _broadcast}
