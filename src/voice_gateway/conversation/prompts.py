"""Prompts of MCP servers as sentences one can say: "run the prompt summarise on the sea is wide".

A verb, the word "prompt", and the prompt's name before or behind it; what follows is its first argument.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from voice_gateway.errors import GatewayError
from voice_gateway.mcp_client.catalogue import Catalogue, Contents, Prompt
from voice_gateway.tools.permission.untrusted import QUOTED
from voice_gateway.tools.results import plain_text
from voice_gateway.turn import Reply
from voice_gateway.turns.stage import Turn

LONGEST = 6000  # characters of a prompt that a model gets
_ASKED = re.compile(
    r"\W*(?:please )?(?:(?:can|could|would|will) you (?:please )?)?(?:run|use|start|execute|apply|follow) "
    r"(?:the |my |a )?(?:prompt\b[\s:,\"']*(?P<behind>.*)|(?P<name>.{1,100}?) prompt\b(?P<rest>.*))",
    re.I,
)
_JOINS = re.compile(r"^(?:(?:with|for|about|on|of|to|using)\b|[\s:,;.\"']+)+", re.I)
NO_MODEL = "The prompt {name} is for a language model, and I have none."
UNKNOWN = "I know no prompt called {name}. There are: {known}."
MISSING = 'The prompt {name} also needs: {missing}. Say "{sentence}".'


class SpokenPrompts:
    """Turns such a sentence into a turn for the model, or into the reply that says why not."""

    def __init__(
        self,
        listed: Callable[[], Awaitable[Catalogue]],
        get: Callable[[str, str, Mapping[str, str]], Awaitable[Contents]],
        *,
        has_model: bool,
    ) -> None:
        self._listed, self._get, self._has_model = listed, get, has_model

    async def prepare(self, turn: Turn) -> Turn | Reply | None:
        """None if the words are about something else; servers are asked only for words that name a prompt."""
        asked = _ASKED.fullmatch(turn.utterance.text)
        if asked is None or not (words := asked["behind"] or f"{asked['name']} {asked['rest']}").strip():
            return None
        known = (await self._listed()).prompts
        if (wanted := _wanted(words, known)) is None:
            if not known or asked["behind"] is None:
                return None
            names = ", ".join(sorted({called(prompt) for prompt in known})[:10])
            name = plain_text(" ".join(words.split()[:6]))[0].strip(".!? ")
            return Reply(UNKNOWN.format(name=name, known=names), stage="local", ok=False)
        prompt, arguments = wanted
        missing = [arg.name for arg in prompt.arguments if arg.required and arg.name not in arguments]
        if not self._has_model:
            problem = NO_MODEL.format(name=called(prompt))
        elif missing:
            needs = ", ".join(_spoken(argument).lower() for argument in missing)
            problem = MISSING.format(name=called(prompt), missing=needs, sentence=sentence(prompt))
        else:
            try:
                contents = await self._get(prompt.server, prompt.name, arguments)
                return replace(turn, brought=_brought(prompt, contents.text))
            except GatewayError as error:
                problem = f"The prompt {called(prompt)} failed. {error.spoken}"
        return Reply(problem, stage="local", ok=False)


def _wanted(words: str, known: Sequence[Prompt]) -> tuple[Prompt, dict[str, str]] | None:
    """The prompt with the longest name that begins the words, and its arguments."""
    both = [(name, prompt) for prompt in known for name in (_spoken(prompt.name), called(prompt)) if name]
    for name, prompt in sorted(both, key=lambda entry: -len(entry[0])):
        pattern = r"[\s_-]+".join(map(re.escape, name.split())) + r"(?!\w)(?: prompt\b)?(.*)"
        if match := re.fullmatch(pattern, words.strip("\"' "), re.I):
            text = _JOINS.sub("", match[1]).strip(" .\"'")
            first = next((arg for arg in prompt.arguments if arg.required), None)
            return prompt, {first.name: text} if first is not None and text else {}
    return None


def find_prompt(name: str, known: Sequence[Prompt]) -> Prompt | None:
    """By its own name, `server__name`, or as it is said."""
    for prompt in known:
        if name in (prompt.name, f"{prompt.server}__{prompt.name}", _spoken(prompt.name), called(prompt)):
            return prompt
    return None


def called(prompt: Prompt) -> str:
    return _spoken(prompt.title or prompt.name)


def sentence(prompt: Prompt) -> str:
    """The words that run it."""
    needed = [f"{_spoken(arg.name).lower()} …" for arg in prompt.arguments if arg.required]
    return f"run the prompt {called(prompt)}" + (f" with {' and '.join(needed)}" if needed else "")


def _brought(prompt: Prompt, text: str) -> str:
    """The prompt for a model: wanted by the user, and quoted, because its words are not the user's."""
    text = plain_text(text)[0]
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut)"
    head = f'The user wants an answer to the prompt "{called(prompt)}" of the server "{prompt.server}".'
    return "\n".join([head, QUOTED, *(f"> {line}" for line in cut.splitlines() or [""])])


def _spoken(name: str) -> str:
    """`completable-prompt`, `resourceType` as words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", words).split())
