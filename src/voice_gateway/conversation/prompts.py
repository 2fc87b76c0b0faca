"""Prompts of MCP servers as sentences one can say: "run the prompt daily plan".

The rule: a verb, the word "prompt", and the prompt's name before or behind it. What follows are its arguments
by name ("with city Oslo and state …"), or all of it is the first one that is required.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from voice_gateway.errors import GatewayError
from voice_gateway.mcp_client.catalogue import Catalogue, Contents, Prompt, PromptArgument
from voice_gateway.tools.permission.untrusted import QUOTED
from voice_gateway.tools.results import plain_text
from voice_gateway.turn import Reply
from voice_gateway.turns.stage import Turn

LONGEST = 6000  # characters of a prompt that a model gets
_ASKED = re.compile(
    r"^\W*(?:please )?(?:(?:can|could|would|will) you (?:please )?)?(?:run|use|start|execute|apply|follow) "
    r"(?:the |my |a )?(?:prompt(?: called| named)?\b[\s:,\"']*(?P<behind>.*)"
    r"|(?P<before>.{1,100}?)['\"]? prompt\b[\s:,]*(?P<rest>.*))$",
    re.I,
)
_JOINS = re.compile(r"^(?:(?:with|for|about|on|of|to|using|and|where|in)\b[\s:]*|[\s:,;.\"']+)+", re.I)
_IS = r"(?:\s+(?:is|as|being|equals)\s+|\s*[=:]\s*|\s+)"
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
        text = turn.utterance.text
        if "prompt" not in text.casefold() or _ASKED.match(text) is None:
            return None
        known = (await self._listed()).prompts
        wanted = wanted_prompt(text, known)
        if wanted is None:
            return _unknown(text, known)
        prompt, arguments = wanted
        name = called(prompt)
        missing = [arg.name for arg in prompt.arguments if arg.required and arg.name not in arguments]
        if not self._has_model:
            problem = NO_MODEL.format(name=name)
        elif missing:
            needs = ", ".join(_spoken(argument).lower() for argument in missing)
            problem = MISSING.format(name=name, missing=needs, sentence=sentence(prompt))
        else:
            try:
                contents = await self._get(prompt.server, prompt.name, arguments)
                return replace(turn, brought=brought(prompt, contents.text))
            except GatewayError as error:
                problem = f"The prompt {name} failed. {error.spoken}"
        return Reply(problem, stage="local", ok=False)


def wanted_prompt(text: str, known: Sequence[Prompt]) -> tuple[Prompt, dict[str, str]] | None:
    """The prompt with the longest name that the words hold, and its arguments by name."""
    asked = _ASKED.match(text)
    if asked is None:
        return None
    for words, prompt in _names(known):
        name = r"[\s_-]+".join(map(re.escape, words.split()))
        if asked["behind"] is None:
            if re.fullmatch(name, asked["before"].strip("\"' "), re.I):
                return prompt, _arguments(asked["rest"], prompt.arguments)
        elif begun := re.match(rf"{name}(?!\w)", asked["behind"], re.I):
            return prompt, _arguments(asked["behind"][begun.end() :], prompt.arguments)
    return None


def find_prompt(name: str, known: Sequence[Prompt]) -> Prompt | None:
    """By its own name, `server__name`, or as it is said."""
    for prompt in known:
        if name in (prompt.name, f"{prompt.server}__{prompt.name}"):
            return prompt
    spoken = _spoken(name).casefold()
    return next((prompt for words, prompt in _names(known) if words.casefold() == spoken), None)


def called(prompt: Prompt) -> str:
    return _spoken(prompt.title or prompt.name)


def sentence(prompt: Prompt) -> str:
    """The words that run it."""
    needed = [f"{_spoken(arg.name).lower()} …" for arg in prompt.arguments if arg.required]
    return f"run the prompt {called(prompt)}" + (f" with {' and '.join(needed)}" if needed else "")


def brought(prompt: Prompt, text: str) -> str:
    """The prompt for a model: wanted by the user, and quoted, because its words are not the user's."""
    text = plain_text(text)[0]
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut)"
    head = f'The user wants an answer to the prompt "{called(prompt)}" of the server "{prompt.server}".'
    return "\n".join([head, QUOTED, *(f"> {line}" for line in cut.splitlines() or [""])])


def _unknown(text: str, known: Sequence[Prompt]) -> Reply | None:
    asked = _ASKED.match(text)
    if not known or asked is None or not (asked["behind"] or "").strip():
        return None
    names = ", ".join(sorted({called(prompt) for prompt in known})[:10])
    name = plain_text(" ".join(asked["behind"].split()[:6]))[0].strip(".!? ")
    return Reply(UNKNOWN.format(name=name, known=names), stage="local", ok=False)


def _names(known: Sequence[Prompt]) -> list[tuple[str, Prompt]]:
    """As they are said, the longest first; "prompt" at the end of a name may be said only once."""
    both = [(words, prompt) for prompt in known for words in {_spoken(prompt.name), called(prompt)} if words]
    shorter = [(re.sub(r" prompt$", "", words, flags=re.I), prompt) for words, prompt in both]
    return sorted([*both, *shorter], key=lambda entry: -len(entry[0]))


def _spoken(name: str) -> str:
    """`completable-prompt`, `resourceType` as words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", words).split())


def _arguments(rest: str, arguments: Sequence[PromptArgument]) -> dict[str, str]:
    rest = _JOINS.sub("", rest).strip()
    if not rest or not arguments:
        return {}
    names = {_spoken(arg.name).casefold(): arg.name for arg in arguments}
    by_name = "|".join(re.escape(words).replace(r"\ ", r"[\s_-]+") for words in sorted(names, key=len)[::-1])
    marks = list(re.finditer(rf"(?:^|(?:,|\band\b)\s*)({by_name}){_IS}", rest, re.I))
    if not marks or marks[0].start() > 0:
        first = next((arg for arg in arguments if arg.required), arguments[0])
        return {first.name: rest.strip(" .\"'")}
    ends = [*(mark.start() for mark in marks[1:]), len(rest)]
    return {
        names[_spoken(mark[1]).casefold()]: rest[mark.end() : end].strip(" .,\"'")
        for mark, end in zip(marks, ends, strict=True)
    }
