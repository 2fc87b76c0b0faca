"""No command becomes an action when anything before or behind it says that it is none."""

from collections.abc import Iterator

from tests.fakes.local_talk import Talk

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
    "he told me to", "mom wants you to", "did you", "should i", "why did you", "how do i", "what if i",
    "i heard him say", "imagine you", "i already", "i was going to", "i forgot to", "could somebody",
    "someone needs to", "let me", "can i", "is it possible to", "in ten minutes", "tomorrow",
    "at seven", "before you", "instead of", "without", "you must not", "try not to",
    "the instruction is", "what does", "is there a way to", "do i have to", "who asked you to",
    "you forgot to", "we might", "i'd rather not", "after dinner", "whenever i sneeze", "pretend to",
    "stop trying to", "there's no need to", "the button says", "my son tried to", "do you know how to",
    "have you ever", "he can",
)  # fmt: skip
BEHIND = (
    "if it rains", "when i come home", "tomorrow", "at seven", "in ten minutes", "later", "she said",
    "yesterday", "unless it is dark", "until midnight", "after the movie", "not now", "but not today",
    "every morning", "on monday", "is what he said", "before noon", "tonight", "for an hour",
    "because he said so", "once it rings", "next week", "at 7 pm", "was a mistake",
)  # fmt: skip
ALLOWED = {"set a timer for ten minutes for an hour"}  # strange, and still a timer


def _pairs(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each with every fourth command, beginning elsewhere each time: all of them would take a minute."""
    for place, one in enumerate(words):
        yield from ((one, command) for command in COMMANDS[place % 4 :: 4])


async def test_no_command_acts_inside_what_is_no_command() -> None:
    brain = Talk().brain
    await brain.refresh()
    sentences = [f"{before} {command}" for before, command in _pairs(BEFORE)]
    sentences += [f"{command} {behind}" for behind, command in _pairs(BEHIND)]

    acting = [said for said in sentences if any(step.acts for step in brain.understand(said).steps)]

    assert set(acting) <= ALLOWED
