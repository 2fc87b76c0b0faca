"""Commands inside what is no command: `python -m tests.eval` tries every combination, and none may act."""

import asyncio
from collections.abc import Iterable

from tests.eval.judge import is_act, plain_or_raw
from tests.fakes.home_tools import ScriptedHome, manager_for

from voice_gateway.config import BrainSettings, PermissionSettings
from voice_gateway.conversation.conversation import Conversation
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.turn import Utterance
from voice_gateway.understanding.stage import UnderstandingStage

COMMANDS = (
    "turn on the floor lamp", "turn off the kitchen light", "open the garage door",
    "unlock the front door", "dim the floor lamp to 20 percent", "set the thermostat to 21 degrees",
    "close the blinds in the study", "turn off everything in the living room", "all lights off",
    "set the volume to 30", "set a timer for ten minutes", "activate the movie scene", "floor lamp on",
    "make it warmer", "lock everything", "close everything", "start movie night", "movie night please",
    "dim the floor lamp by half", "turn off the floor lamp the desk lamp and the bedside lamp",
)  # fmt: skip
BEFORE = (
    "don't", "do not", "never", "please don't", "if it rains", "when i come home", "she said",
    "he told me to", "did you", "should i", "why did you", "how do i", "what if i",
    "i heard him say", "imagine you", "i already", "i was going to", "i forgot to",
    "let me", "can i", "in ten minutes", "tomorrow",
    "at seven", "before you", "instead of", "without", "you must not", "try not to",
    "the instruction is", "what does", "is there a way to", "do i have to", "who asked you to",
    "we might", "i'd rather not", "after dinner", "whenever i sneeze", "pretend to",
    "stop trying to", "there's no need to", "the button says", "my son tried to", "do you know how to",
    "have you ever", "he can",
)  # fmt: skip
BEHIND = (
    "if it rains", "when i come home", "tomorrow", "at seven", "in ten minutes", "later", "she said",
    "yesterday", "unless it is dark", "until midnight", "after the movie", "not now", "but not today",
    "every morning", "on monday", "is what he said", "before noon", "tonight", "for an hour",
    "once it rings", "next week", "at 7 pm", "was a mistake",
)  # fmt: skip


def sentences() -> list[str]:
    """Every word before and behind every command."""
    before = [f"{one} {command}" for one in BEFORE for command in COMMANDS]
    return before + [f"{command} {one}" for one in BEHIND for command in COMMANDS]


async def acting(said: Iterable[str]) -> list[str]:
    """Those that anything happens by, without a question before it."""
    home = ScriptedHome.default()
    executor, settings = ToolExecutor(manager_for(home)), BrainSettings()
    brain = UnderstandingStage(executor, settings)
    await brain.cache.refresh()
    unasked = PermissionSettings(confirm=False)
    conversation = Conversation((brain,), executor, settings, unasked, context=brain)
    found = []
    for number, one in enumerate(said):
        home.calls.clear()
        await conversation.answer(Utterance(one, conversation_id=str(number)))
        if any(is_act(plain_or_raw(name, args)) for name, args in home.calls):
            found.append(one)
            home.devices = ScriptedHome.default().devices
    return found


def main() -> int:
    every = sentences()
    wrong = asyncio.run(acting(every))
    print(f"commands inside what is no command: {len(wrong)} of {len(every)} act", *wrong, sep="\n  ")
    return 1 if wrong else 0
