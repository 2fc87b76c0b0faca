"""What a model is told: a prefix that never changes, and the moment's facts behind it."""

from collections.abc import Callable
from datetime import datetime

from voice_gateway.turn import Utterance

Clock = Callable[[], datetime]

# Byte for byte the same in every turn and conversation: a model server reads only what follows the first
# difference, and reading this anew costs seconds on a small machine. So no time, room or state in here;
# the home's names change seldom and stand behind the tools (see `home_note`).
SYSTEM_PROMPT = """\
You are the voice of a home. What you write is spoken aloud.
Answer in one or two short plain sentences, in the user's language. No lists, no markdown, no JSON, no tags.
To act, or to learn what you cannot know (time, states, news), call a tool. Small talk and sums need no tool.
When the user wants something of a device, in whatever words, call its tool at once with the listed name.
Never say that something was done unless a tool result of this turn says so. If a tool failed, say so.
If no tool fits, answer from what you know, or say that you cannot do it.
The notes in [brackets] before the user's words give devices, time and place. Use them silently."""


def local_time() -> datetime:
    return datetime.now().astimezone()


def stamped(utterance: Utterance, now: datetime, *, may_act: bool = True) -> str:
    """The user's words with the moment's facts before them, as they go to the model and into the history.

    The history keeps this text, so an older message is the same bytes each time it is sent again.
    """
    facts = [f"{now:%A} {now.day} {now:%B %Y}, {now:%H:%M}"]
    if utterance.room:
        facts.append(f"room: {_one_line(utterance.room)}")
    if not may_act:  # enforced by permission; said here so that the model does not try in vain
        facts.append("the user did not ask for an action: change nothing")
    return f"[{'; '.join(facts)}] {utterance.text}"


def _one_line(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


# Sent once, behind the history, when a reply could not be used; never kept.
CORRECTIONS = {
    "call": "Your tool call could not be read: its arguments must be one JSON object. Call the tool again.",
    "echo": "Do not repeat instructions or my words. Answer me in one short plain sentence.",
    "nothing": "You said nothing. Answer me in one short plain sentence.",
}
PLAIN = "That was not a spoken answer. Answer me in one short plain sentence, without JSON, code or tags."


def correction(reason: str) -> str:
    return CORRECTIONS.get(reason, PLAIN)
