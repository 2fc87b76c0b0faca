"""Any read-only tool can be spoken to: its sentences are made from its title, name and description."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from voice_gateway.brain.local.meaning import Request, Understanding
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.tools.traits import schema_of, traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# These have sentences of their own.
_OURS = frozenset(
    "list_zwave_devices get_zwave_device get_device_sensor_data check_zwave_health get_current_datetime "
    "search_web list_timers control_speaker_volume calculate get_weather".split()
)
_VERB = re.compile(
    r"^(?:(?:get|gets|list|lists|show|shows|read|reads|fetch|fetches|check|checks|find|finds|query|queries|"
    r"return|returns|tell|tells|give|gives|retrieve|retrieves|look up|looks up|provide|provides|"
    r"use this (?:tool )?to|must be used for|required for|the|a|an|all|current|next|latest|your|my|"
    r"information (?:about|on)) (?=\S))+"
)
_FIRST_PART = re.compile(
    r"^(.+?)(?:[.,;:(\n]| for | of | in | from | about | by | to | with | using | based | that |$)"
)
_LONGEST_PHRASE = 5  # words
_MOST_TOOLS = 200
_ASK = re.compile(
    r"^(?:(?:what|how) (?:is|are)|(?:show|get|read)(?: me)?|tell me|give me|list|check|find|use|run)"
    r"(?: all)?(?: (?:the|my|our|a))?(?: (?:current|latest|next))? (?=\S)"
)
_LINK = r"(?:for|in|of|about|on|at|from|with|called|named)(?: the)?"
_NOW = re.compile(r" (?:now|right now|today|currently)$")


@dataclass(frozen=True, slots=True)
class _Voice:
    tool: str
    phrases: tuple[str, ...]
    parameter: str | None = None
    required: bool = False
    values: tuple[str, ...] = ()  # of an enum

    def spoken_to(self, text: str) -> str | None:
        """The value that is asked for, "" for none; None when it is not spoken to at all."""
        asked = _ASK.match(text)
        rest = text[asked.end() :] if asked else text
        for phrase in self.phrases:
            # A single word alone is too little to be taken for a wish.
            if _NOW.sub("", rest) == phrase and (asked or " " in phrase):
                return ""
            if self.parameter and (said := re.match(rf"{re.escape(phrase)} {_LINK} (.+)", rest, re.DOTALL)):
                return said[1]
            if self.parameter and asked and rest.endswith(f" {phrase}"):
                return rest.removesuffix(f" {phrase}")
        return None


class Speakables:
    """What can be said to all tools that may be spoken to; made anew when the tools change."""

    def __init__(self, tools: Sequence["BaseTool"], names: Mapping[int, str]) -> None:
        voices = [_voice(tool, names.get(id(tool), tool.name)) for tool in tools[:_MOST_TOOLS]]
        known = [voice for voice in voices if voice is not None]
        # A phrase that two tools share means neither of them.
        counts = Counter(phrase for voice in known for phrase in voice.phrases)
        self._voices = [
            replace(voice, phrases=tuple(phrase for phrase in voice.phrases if counts[phrase] == 1))
            for voice in known
        ]

    def match(self, text: str, raw: str) -> Request | None:
        found = [(voice, value) for voice in self._voices if (value := voice.spoken_to(text)) is not None]
        if len(found) != 1:
            return None
        voice, value = found[0]
        if not value:
            return None if voice.required else Request(voice.tool)
        given = _chosen(value, voice.values) if voice.values else as_said(value, raw)
        return Request(voice.tool, {str(voice.parameter): given}) if given else None


def as_said(value: str, raw: str) -> str:
    """The words as they were written, with their capitals; what was normalised otherwise stays as it is."""
    pattern = r"\W+".join(re.escape(word) for word in value.split())
    found = re.search(pattern, raw, re.IGNORECASE)
    return found[0] if found else value


def in_own_words(understood: Understanding, raw: str) -> Understanding:
    """Free text (a search, a reminder) goes out as it was said."""
    steps = tuple(
        replace(step, requests=tuple(_free_text(request, raw) for request in step.requests))
        for step in understood.steps
    )
    return replace(understood, steps=steps)


def _free_text(request: Request, raw: str) -> Request:
    changed = {
        key: as_said(str(request.args[key]), raw) for key in ("query", "message") if key in request.args
    }
    return replace(request, args={**request.args, **changed}) if changed else request


def _chosen(value: str, values: Sequence[str]) -> str | None:
    wanted = value.replace(" ", "").casefold()
    return next((known for known in values if re.sub(r"[\s_-]", "", known).casefold() == wanted), None)


def _voice(tool: "BaseTool", name: str) -> _Voice | None:
    known = traits(tool)
    if not known.read_only or (known.original_name or tool.name) in _OURS:
        return None
    schema = schema_of(tool)
    properties = schema.get("properties")
    given: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = [str(one) for one in schema.get("required") or ()]
    phrases = tuple(dict.fromkeys(_phrases(tool)))
    if not phrases or len(required) > 1:
        return None
    if not required and len(given) != 1:
        return _Voice(name, phrases)
    parameter = required[0] if required else next(iter(given))
    facts = given.get(parameter)
    if not isinstance(facts, Mapping) or facts.get("type", "string") != "string":
        return None if required else _Voice(name, phrases)
    values = tuple(str(value) for value in facts.get("enum") or ())
    return _Voice(name, phrases, parameter, bool(required), values)


def _phrases(tool: "BaseTool") -> Iterator[str]:
    known = traits(tool)
    sources = [known.title, (known.original_name or tool.name).replace("_", " "), _first(tool.description)]
    for source in sources:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", source or "").replace("-", " ")
        phrase = normalise(words).whole
        phrase = _VERB.sub("", phrase)
        phrase = re.sub(r"[^\w ]", "", phrase).strip()
        if phrase and len(phrase) > 2 and len(phrase.split()) <= _LONGEST_PHRASE:
            yield phrase


def _first(description: str) -> str:
    found = _FIRST_PART.match((description or "").strip())
    return found[1] if found else ""
