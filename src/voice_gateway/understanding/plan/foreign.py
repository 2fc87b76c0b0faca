"""Tools of any server: their sentences are made from a tool's title, name and description."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from voice_gateway.integrations.home import Request
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.traits import lc_name, schema_of, traits
from voice_gateway.understanding.lexer import plain
from voice_gateway.understanding.nodes import ToolUse, bare
from voice_gateway.understanding.plan import Context, Plan, Refused, Step, plans
from voice_gateway.understanding.templates import Language

LONGEST_PHRASE: Final = 5  # words
MOST_TOOLS: Final = 200
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SENTENCE: Final = re.compile(r"[.,;:(\n]")
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """A tool that can be spoken to, by the name under which it is offered."""

    tool: str
    phrases: tuple[Phrase, ...]
    parameter: str = ""  # the only one that words can fill
    required: bool = False
    values: tuple[str, ...] = ()  # of an enum
    number: str = ""  # "integer" or "number", where the parameter is one
    acts: bool = False


@plans(ToolUse)
def tool_use(node: ToolUse, context: Context) -> Plan:
    """The call of the tool."""
    voice = context.voices[node.tool]
    if node.look and voice.acts:
        raise Refused("a question is no order")
    value = _value(voice, node.value) if voice.parameter and node.value else None
    if (node.value or voice.required) and value in (None, ""):
        raise Refused("the tool needs another value")
    args = {voice.parameter: value} if node.value else {}
    request = Request(voice.tool, args)
    return Step(bare(node), (request,), acts=voice.acts, topic="")


def _value(voice: Voice, text: str) -> str | float | None:
    if voice.number:
        found = _NUMBER.match(text)
        return found and (float(found[0]) if "." in found[0] else int(found[0]))
    if not voice.values:
        return text
    wanted = text.replace(" ", "").casefold()
    return next((one for one in voice.values if re.sub(r"[\s_-]", "", one).casefold() == wanted), None)


def voices(manager: ToolManager, language: Language, homes: frozenset[str]) -> Mapping[str, Voice]:
    """The tools that can be spoken to; those of a home are spoken to by its devices' names."""
    tools = [tool for tool in manager.all() if traits(tool).source not in (*homes, "builtin")][:MOST_TOOLS]
    made = [(voice, tool) for tool in tools if (voice := _voice(tool, manager, language)) is not None]
    # Of two servers with a tool of one name, the words for it mean the one that has the name.
    named = {voice.tool for voice, tool in made if manager.find(lc_name(tool)) is tool}
    first = {phrase for voice, _ in made if voice.tool in named for phrase in voice.phrases}
    kept = {
        voice.tool: [one for one in voice.phrases if voice.tool in named or one not in first]
        for voice, _ in made
    }
    counts = Counter(phrase for phrases in kept.values() for phrase in phrases)  # shared: it means neither
    return {
        voice.tool: replace(voice, phrases=tuple(one for one in kept[voice.tool] if counts[one] == 1))
        for voice, _ in made
    }


def spans(known: Mapping[str, Voice], language: Language) -> dict[Phrase, str]:
    """The words that mean a tool, also with an article behind the first: "play some music"."""
    found: dict[Phrase, str] = {}
    for voice in known.values():
        for phrase in voice.phrases:
            found[phrase] = voice.tool
            for article in language.groups["tool_articles"] if voice.acts else ():
                found.setdefault((phrase[0], article, *phrase[1:]), voice.tool)
    return found


def tool_words(known: Iterable[Voice], *, looks: bool = False) -> frozenset[str]:
    """The words of tools that act; with `looks` of all tools."""
    phrases = (phrase for voice in known if voice.acts or looks for phrase in voice.phrases)
    return frozenset(word for phrase in phrases for word in phrase)


def _voice(tool: Any, manager: ToolManager, language: Language) -> Voice | None:
    """The voice of a tool; None if it needs more than one value, or one that words cannot give."""
    known, schema = traits(tool), schema_of(tool)
    properties = schema.get("properties")
    given: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = [str(name) for name in schema.get("required") or ()]
    name, phrases = manager.offered_name(tool), tuple(dict.fromkeys(_phrases(tool, language)))
    voice = Voice(name, phrases, acts=not known.read_only)
    if not phrases or len(required) > 1:
        return None
    if not required and len(given) != 1:
        return voice
    parameter = required[0] if required else str(next(iter(given)))
    facts = given.get(parameter)
    kind = facts.get("type", "string") if isinstance(facts, Mapping) else ""
    if not isinstance(facts, Mapping) or kind not in ("string", "integer", "number"):
        return None if required else voice
    values, number = tuple(map(str, facts.get("enum") or ())), "" if kind == "string" else str(kind)
    return replace(voice, parameter=parameter, required=bool(required), values=values, number=number)


def _phrases(tool: Any, language: Language) -> Iterator[Phrase]:
    """Phrases from the title, the name and the beginning of the description, without the verb of a look."""
    known, groups = traits(tool), language.groups
    for text in (known.title, (known.original_name or tool.name).replace("_", " "), tool.description):
        first = _SENTENCE.split((text or "").strip())[0]
        words = plain(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", first).replace("-", " "), language.words)
        end = next((at for at, word in enumerate(words) if at and word in groups["tool_ends"]), len(words))
        words = words[:end]
        while words and known.read_only and words[0] in groups["tool_verbs"]:
            words = words[1:]
        if words and len(words) <= LONGEST_PHRASE and len(" ".join(words)) > 2:
            yield words
