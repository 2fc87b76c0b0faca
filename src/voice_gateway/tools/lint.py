"""Reads tool definitions the way a small model does, and says what to improve (rows DEF-2, DEF-7, DEF-8)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from voice_gateway.tools.traits import qualified_name, schema_of

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

MAX_TOKENS = 200
MAX_EXAMPLES = 7

_MANDATORY = re.compile(r"\b(?:REQUIRED|MUST)\b")
_TRIGGER = re.compile(r"\b(?:whenever|(?:when|if) (?:the|a) user)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:do not|don't|never)\b|\bnot for\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(?P<kind>good|right|bad|wrong)(?: examples?| use)?\s*:", re.IGNORECASE)
_GOOD = {"good", "right"}
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`")
_PARAMETER_EXAMPLE = re.compile(
    r"\bexamples?\b|\be\.g\.|\bsuch as\b|\bfor instance\b|\bgood:|" + _QUOTED.pattern, re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to improve."""

    tool: str
    row: str
    problem: str
    advice: str


def lint(tool: "BaseTool") -> list[Finding]:
    """Everything there is to say about one tool, built-in or of an MCP server; nothing when all is well."""
    text = tool.description or ""
    found = [
        *_mandatory(text),
        *_length(text),
        *_parameters(schema_of(tool)),
        *_pattern(text),
        *_examples(text),
    ]
    return [Finding(qualified_name(tool), row, problem, advice) for row, problem, advice in found]


def estimate_tokens(text: str) -> int:
    """A cautious guess without a tokenizer: English runs at four or more bytes a token, this counts three."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


Found = tuple[str, str, str]


def _mandatory(text: str) -> Iterator[Found]:
    if not _MANDATORY.search(text):
        yield (
            "DEF-2",
            "the description says neither REQUIRED nor MUST",
            'Begin with "REQUIRED for …: you MUST call this".',
        )
        return
    end = _SENTENCE_END.search(text)
    if not _MANDATORY.search(text[: end.start()] if end else text):
        yield (
            "DEF-8",
            "the first sentence does not say that the tool is REQUIRED",
            "Put the most important instruction first.",
        )


def _length(text: str) -> Iterator[Found]:
    if (tokens := estimate_tokens(text)) >= MAX_TOKENS:
        yield (
            "DEF-2",
            f"the description has about {tokens} tokens; a small model reads fewer than {MAX_TOKENS}",
            "Shorten it: one sentence of purpose, the triggers, what it is not for, a few examples.",
        )


def _parameters(schema: Mapping[str, Any]) -> Iterator[Found]:
    properties = schema.get("properties")
    for name, parameter in properties.items() if isinstance(properties, Mapping) else ():
        facts = parameter if isinstance(parameter, Mapping) else {}
        text = str(facts.get("description") or "")
        if not text:
            yield "DEF-2", f'the parameter "{name}" has no description', "Say what it is, with an example."
        elif not _shows_values(facts) and not _PARAMETER_EXAMPLE.search(text):
            yield (
                "DEF-2",
                f'the description of the parameter "{name}" has no example',
                "Add one: '…, for example \"Switch One\"'.",
            )


def _shows_values(facts: Mapping[str, Any]) -> bool:
    """Whether the schema itself shows what a value looks like."""
    return facts.get("type") == "boolean" or any(
        key in facts for key in ("enum", "const", "examples", "example")
    )


def _pattern(text: str) -> Iterator[Found]:
    if not _TRIGGER.search(text):
        yield "DEF-7", "the description names no trigger", 'Add "Call it whenever the user asks about …".'
    if not _NEGATIVE.search(text):
        yield "DEF-7", "the description names no negative case", 'Add "DO NOT use for …".'
    kinds = {match["kind"].lower() in _GOOD for match in _EXAMPLES.finditer(text)}
    for good, word in ((True, "Good"), (False, "Bad")):
        if good not in kinds:
            yield (
                "DEF-7",
                f"the description has no example of {word.lower()} use",
                f"Add '{word}: \"…\"' with what a user would say.",
            )


def _examples(text: str) -> Iterator[Found]:
    first = _EXAMPLES.search(text)
    count = len(_QUOTED.findall(text[first.start() :] if first else text))
    if count > MAX_EXAMPLES:
        yield (
            "DEF-8",
            f"the description has {count} examples; a small model follows {MAX_EXAMPLES} at the most",
            "Keep the most different ones.",
        )
