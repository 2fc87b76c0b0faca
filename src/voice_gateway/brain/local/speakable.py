"""Any server's tool can be spoken to: its sentences are made from its title, name and description."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from home_names.numbers import NUMBER_WORDS
from voice_gateway.brain.local.meaning import Request, Step, Understanding
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.tools.traits import schema_of, traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# These have sentences of their own, and so has every built-in tool that acts.
_OURS = frozenset(
    "list_zwave_devices get_zwave_device get_device_sensor_data check_zwave_health control_zwave_device "
    "control_zwave_lock set_zwave_thermostat activate_zwave_scene get_current_datetime search_web "
    "list_timers control_speaker_volume calculate get_weather read_list".split()
)
_OF_A_HOME = re.compile(r"^hass[A-Z_]", re.IGNORECASE)  # Home Assistant's own: the home is spoken to instead
_VERB = re.compile(
    r"^(?:(?:get|gets|list|lists|show|shows|read|reads|fetch|fetches|check|checks|find|finds|query|queries|"
    r"return|returns|tell|tells|give|gives|retrieve|retrieves|look up|looks up|provide|provides|"
    r"use this (?:tool )?to|must be used for|required for|the|a|an|all|current|next|latest|your|my|"
    r"information (?:about|on)) (?=\S))+"
)
_FIRST_PART = re.compile(
    r"^(.+?)(?:[.,;:(\n]| for | of | in | from | about | by | to | with | using | based | that |$)"
)
SPOKEN_TO = "Tool"  # the intent of words to a tool of another server
_LONGEST_PHRASE = 5  # words
_MOST_TOOLS = 200
_ASK = re.compile(
    r"^(?:(?:what|how) (?:is|are)|(?:show|get|read)(?: me)?|tell me|give me|list|check|find|use|run)"
    r"(?: all)?(?: (?:the|my|our|a))?(?: (?:current|latest|next))? (?=\S)"
)
# A number that was said in words.
_SAID_NUMBER = rf"(?:(?:{'|'.join(NUMBER_WORDS)}|hundred|thousand)(?:[ -](?=\w)|\b))+"
_LINK = r"(?:for|in|of|about|on|at|from|with|called|named)(?: the)?"
_NOW = re.compile(r" (?:now|right now|today|currently)$")
_USE = re.compile(r"^(?:use|run|start) (?:the )?")
_SMALL = re.compile(r"\b(?:some|any|the|an?|my|our) ")
_TO = r"(?:for|in|of|about|on|at|from|with|called|named|by|to|that|as)"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What was said to a tool: the value for its parameter, "" for none."""

    value: str = ""
    sure: bool = True  # the tool was called by its whole name


@dataclass(frozen=True, slots=True)
class _Voice:
    tool: str
    phrases: tuple[str, ...]
    parameter: str | None = None
    required: bool = False
    values: tuple[str, ...] = ()  # of an enum
    number: str = ""  # "integer" or "number", where the parameter is one
    acts: bool = False
    trusted: bool = True
    foreign: bool = False  # of another server

    def spoken_to(self, text: str) -> _Spoken | None:
        if self.acts:
            return self._ordered(_USE.sub("", text)) or self._ordered(text)
        value = self._asked(text)
        return None if value is None else _Spoken(value)

    def _ordered(self, text: str) -> _Spoken | None:
        """ "Play music", "play some music by Miles Davis", "play jazz music"; "play jazz" is only near it."""
        plain = _SMALL.sub("", text)
        for phrase in self.phrases:
            if plain == phrase and (" " in phrase or not self.required):
                return _Spoken()
            verb, _, thing = phrase.partition(" ")
            if not self.parameter:
                continue
            behind = re.match(rf"{re.escape(phrase)}(?: {_TO})? (.+)", plain, re.DOTALL)
            between = thing and re.match(rf"{re.escape(verb)} (.+) {re.escape(thing)}$", plain, re.DOTALL)
            if found := behind or between:
                return _Spoken(found[1])
            if thing and (near := re.match(rf"{re.escape(verb)} (?!{_TO} )(.+)", plain, re.DOTALL)):
                return _Spoken(near[1], sure=False)
        return None

    def _asked(self, text: str) -> str | None:
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

    def __init__(
        self, tools: Sequence["BaseTool"], names: Mapping[int, str], second: Container[int] = ()
    ) -> None:
        """`second`: the ids of tools that another tool of the same name comes before."""
        voices = [
            (_voice(tool, names.get(id(tool), tool.name)), id(tool) in second) for tool in tools[:_MOST_TOOLS]
        ]
        first = {phrase for voice, behind in voices if voice and not behind for phrase in voice.phrases}
        known = [
            replace(voice, phrases=tuple(phrase for phrase in voice.phrases if phrase not in first))
            if behind
            else voice
            for voice, behind in voices
            if voice is not None
        ]
        # A phrase that two tools share means neither of them.
        counts = Counter(phrase for voice in known for phrase in voice.phrases)
        self._voices = [
            replace(voice, phrases=tuple(phrase for phrase in voice.phrases if counts[phrase] == 1))
            for voice in known
        ]

    @property
    def called(self) -> list[str]:
        """The tools of other servers, as they can be called."""
        return [voice.phrases[0] for voice in self._voices if voice.phrases and voice.foreign]

    def match(self, text: str, raw: str) -> Understanding | None:
        """What acts is asked about, unless its server is trusted and it was called by its whole name."""
        found = [(voice, spoken) for voice in self._voices if (spoken := voice.spoken_to(text)) is not None]
        named = [one for one in found if one[1].sure] or found
        if len(named) != 1:
            return None
        voice, spoken = named[0]
        request = _request(voice, spoken.value, raw)
        if request is None:
            return None
        sure = voice.trusted and spoken.sure and not_a_command(text) is None
        step = Step(SPOKEN_TO, (request,), acts=voice.acts)
        return Understanding((step,), asks=voice.acts and not sure)


def _request(voice: _Voice, value: str, raw: str) -> Request | None:
    if not value:
        return None if voice.required else Request(voice.tool)
    given: str | float | None
    if voice.number:
        found = _NUMBER.fullmatch(re.sub(r" (?:percent|degrees)$", "", value))
        given = (float(found[0]) if "." in found[0] else int(found[0])) if found else None
    else:
        given = _chosen(value, voice.values) if voice.values else as_said(value, raw)
    return Request(voice.tool, {str(voice.parameter): given}) if given not in (None, "") else None


def as_said(value: str, raw: str) -> str:
    """The words as they were written, with their capitals; what was normalised otherwise stays as it is."""
    words = (rf"(?:{word}|{_SAID_NUMBER})" if word.isdecimal() else re.escape(word) for word in value.split())
    pattern = r"\W+".join(words)
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
        key: as_said(str(request.args[key]), raw)
        for key in ("query", "message", "items")
        if key in request.args
    }
    return replace(request, args={**request.args, **changed}) if changed else request


def _chosen(value: str, values: Sequence[str]) -> str | None:
    wanted = value.replace(" ", "").casefold()
    return next((known for known in values if re.sub(r"[\s_-]", "", known).casefold() == wanted), None)


def _voice(tool: "BaseTool", name: str) -> _Voice | None:
    known, own = traits(tool), traits(tool).original_name or tool.name
    acts, foreign = not known.read_only, known.source != "builtin"
    if own in _OURS or _OF_A_HOME.match(own) or (acts and not foreign):
        return None
    schema = schema_of(tool)
    properties = schema.get("properties")
    given: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = [str(one) for one in schema.get("required") or ()]
    phrases = tuple(dict.fromkeys(_phrases(tool)))
    if not phrases or len(required) > 1:
        return None
    bare = _Voice(name, phrases, acts=acts, trusted=known.trusted, foreign=foreign)
    if not required and len(given) != 1:
        return bare
    parameter = required[0] if required else next(iter(given))
    facts = given.get(parameter)
    kind = facts.get("type", "string") if isinstance(facts, Mapping) else ""
    if not isinstance(facts, Mapping) or kind not in ("string", "integer", "number"):
        return None if required else bare
    values = tuple(str(value) for value in facts.get("enum") or ())
    number = "" if kind == "string" else str(kind)
    return replace(bare, parameter=parameter, required=bool(required), values=values, number=number)


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
