"""Prompts of MCP servers as sentences one can say: "run the prompt daily plan".

The rule: a verb, the word "prompt", and the prompt's name or title before or behind it. What follows are its
arguments, by their names ("with city Oslo and state …"), or all of it is the first one that is needed.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from voice_gateway.errors import GatewayError
from voice_gateway.mcp_client.catalogue import Catalogue, Contents, Prompt, PromptArgument
from voice_gateway.tools.permission.untrusted import QUOTED
from voice_gateway.tools.plain_text import plain_text
from voice_gateway.turn import Reply
from voice_gateway.turns.stage import Turn

LONGEST = 6000  # characters of a prompt that a model gets
_VERB = r"(?:please )?(?:(?:can|could|would|will) you (?:please )?)?(?:run|use|start|execute|apply|follow)"
_BEHIND = re.compile(rf"^\W*{_VERB} (?:the |my |a )?prompt(?: called| named)?\b[\s:,\"']*(?P<rest>.*)$", re.I)
_BEFORE = re.compile(
    rf"^\W*{_VERB} (?:the |my |a )?(?P<name>.{{1,100}}?)['\"]? prompt\b[\s:,]*(?P<rest>.*)$", re.I
)
_JOINS = re.compile(r"^(?:with|for|about|on|of|to|using|and|where|in)\b[\s:]*|^[\s:,;.\"']+", re.I)
_IS = r"(?:\s+(?:is|as|being|equals)\s+|\s*[=:]\s*|\s+)"
NO_MODEL = "The prompt {name} is for a language model, and I have none."
UNKNOWN = "I know no prompt called {name}. There are: {known}."
MISSING = 'The prompt {name} also needs: {missing}. Say "{sentence}".'


@dataclass(frozen=True, slots=True)
class Wanted:
    """A prompt that was asked for, and what was said behind its name."""

    prompt: Prompt
    arguments: Mapping[str, str]

    @property
    def missing(self) -> list[str]:
        return [one.name for one in self.prompt.arguments if one.required and one.name not in self.arguments]


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
        """None: the words are about something else."""
        text = turn.utterance.text
        if not asks_for_prompt(text):
            return None
        known = (await self._listed()).prompts
        wanted = wanted_prompt(text, known)
        if wanted is None:
            return self._unknown(text, known)
        problem = self._problem(wanted)
        if problem is None:
            try:
                said = await self._get(wanted.prompt.server, wanted.prompt.name, wanted.arguments)
            except GatewayError as error:
                problem = f"The prompt {called(wanted.prompt)} failed. {error.spoken}"
            else:
                return replace(turn, brought=brought(wanted.prompt, said.text))
        return Reply(problem, stage="local", ok=False)

    def _problem(self, wanted: Wanted) -> str | None:
        name = called(wanted.prompt)
        if not self._has_model:
            return NO_MODEL.format(name=name)
        if wanted.missing:
            missing, example = (
                ", ".join(_spoken(one).lower() for one in wanted.missing),
                sentence(wanted.prompt),
            )
            return MISSING.format(name=name, missing=missing, sentence=example)
        return None

    def _unknown(self, text: str, known: Sequence[Prompt]) -> Reply | None:
        found = _BEHIND.match(text)
        if not known or found is None or not found["rest"].strip():
            return None
        names = ", ".join(sorted({called(one) for one in known})[:10])
        said = plain_text(" ".join(found["rest"].split()[:6]))[0].strip(".!? ")
        return Reply(UNKNOWN.format(name=said, known=names), stage="local", ok=False)


def asks_for_prompt(text: str) -> bool:
    """Quick, for every turn: servers are asked only then."""
    return "prompt" in text.casefold() and bool(_BEHIND.match(text) or _BEFORE.match(text))


def wanted_prompt(text: str, known: Sequence[Prompt]) -> Wanted | None:
    """The one with the longest name that the words begin with."""
    if (behind := _BEHIND.match(text)) is not None:
        rest = behind["rest"]
        for words, prompt in _names(known):
            if (begun := re.match(rf"{_loosely(words)}(?!\w)", rest, re.I)) is not None:
                return Wanted(prompt, _arguments(rest[begun.end() :], prompt.arguments))
    if (before := _BEFORE.match(text)) is not None:
        for words, prompt in _names(known):
            if re.fullmatch(_loosely(words), before["name"].strip("\"' "), re.I):
                return Wanted(prompt, _arguments(before["rest"], prompt.arguments))
    return None


def find_prompt(name: str, known: Sequence[Prompt]) -> Prompt | None:
    """By its own name, `server__name`, or as one says it."""
    for one in known:
        if name in (one.name, f"{one.server}__{one.name}"):
            return one
    return next((one for words, one in _names(known) if words.casefold() == _spoken(name).casefold()), None)


def called(prompt: Prompt) -> str:
    return _spoken(prompt.title or prompt.name)


def sentence(prompt: Prompt) -> str:
    """What one says to run it."""
    needed = [f"{_spoken(one.name).lower()} …" for one in prompt.arguments if one.required]
    given = f" with {' and '.join(needed)}" if needed else ""
    return f"run the prompt {called(prompt)}{given}"


def brought(prompt: Prompt, text: str) -> str:
    """For a model: the user wants it, and yet its words are not the user's."""
    text = plain_text(text)[0]
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut)"
    head = f'The user wants an answer to the prompt "{called(prompt)}" of the server "{prompt.server}".'
    return "\n".join([head, QUOTED, *(f"> {line}" for line in cut.splitlines() or [""])])


def _names(known: Sequence[Prompt]) -> list[tuple[str, Prompt]]:
    """As they are said, the longest first; "prompt" at the end of a name may be said only once."""
    both = [(words, one) for one in known for words in {_spoken(one.name), called(one)} if words]
    shorter = [(re.sub(r" prompt$", "", words, flags=re.I), one) for words, one in both]
    return sorted([*both, *shorter], key=lambda entry: -len(entry[0]))


def _spoken(name: str) -> str:
    """`completable-prompt`, `resourceType` as one says them."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", words).split())


def _loosely(words: str) -> str:
    return r"[\s_-]+".join(re.escape(word) for word in words.split())


def _arguments(rest: str, arguments: Sequence[PromptArgument]) -> dict[str, str]:
    while rest and (joined := _JOINS.match(rest)):
        rest = rest[joined.end() :]
    rest = rest.strip()
    if not rest or not arguments:
        return {}
    names = {_spoken(one.name).casefold(): one.name for one in arguments}
    by_name = "|".join(_loosely(words) for words in sorted(names, key=len, reverse=True))
    marks = list(re.finditer(rf"(?:^|(?:,|\band\b)\s*)({by_name}){_IS}", rest, re.I))
    if not marks or marks[0].start() > 0:
        first = next((one for one in arguments if one.required), arguments[0])
        return {first.name: rest.strip(" .\"'")}
    ends = [*(mark.start() for mark in marks[1:]), len(rest)]
    given = {}
    for mark, end in zip(marks, ends, strict=True):
        given[names[_spoken(mark[1]).casefold()]] = rest[mark.end() : end].strip(" .,\"'")
    return given
