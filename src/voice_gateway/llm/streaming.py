"""A model's text: cleaned, read as a call, refused where it is no answer, handed on sentence by sentence."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from voice_gateway.turn import Part, Say, ToolCall, joined, new_id
from voice_gateway.turns.sentences import SENTENCE, pieces

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.DOTALL | re.IGNORECASE)
_CONTROL_TOKEN = re.compile(r"<\|(?:im_end|endoftext|end|eot_id|end_of_text)\|>|</s>")
_ENVELOPE = re.compile(r"^<(answer|response|reply|output|speak|final|p|text|assistant)>([^<>]*)</\1>$", re.I)
_FENCED = re.compile(r"^`{3}[^\n`]*\n([^`]*)`{3}$")

_TAG = re.compile(r"</?\|?[A-Za-z_][^<>\n]{0,80}>")
_MACHINE_TAG = re.compile(
    r"</?\|?\s*(?:tools?|tool_calls?|tool_response|functions?|function_calls?|function=|invoke|im_start|im_end)\b",
    re.IGNORECASE,
)
_CODE_BLOCK = re.compile(r"(?:^|\n)[^\S\n]*`{3}")
_JSON_PAIR = re.compile(r"[{\[,]\s*\"[^\"\n]{1,60}\"\s*:")
_PLACEHOLDER = re.compile(
    r"\{\{.{0,100}?\}\}"  # a template that was never filled
    r"|\{[A-Za-z_ .]{1,40}\}"
    r"|<[a-z]+[-_ ][a-z_ -]*>"  # <function-name>, <your answer>
    r"|\[(?:insert|your|placeholder|name of|current)\b[^\]\n]{0,60}\]"
    r"|\[/?INST\]|<\|[a-z_]+\|>|<</?SYS>>"
    r"|\bfunction_name\b|\bargs-json-object\b",
    re.IGNORECASE | re.DOTALL,
)
_STAMP = re.compile(r"^\[[A-Z][a-z]+day,? [^\]]*\]")  # what we put before the user's words, said back to us

# Half an object too: no answer to speak opens with a brace.
_JSON = re.compile(r'\{|\[\s*["{\[]|\[[\d\s.,-]*\]$')
_LONG_ENOUGH = 6  # words in a row that are no coincidence


def clean(text: str) -> str:
    """The part meant for the user: without thoughts, control tokens, and one wrapper around it all."""
    text = _CONTROL_TOKEN.sub("", _THOUGHT.sub("", text)).strip()
    if envelope := _ENVELOPE.match(text):
        text = envelope[2].strip()
    if (fenced := _FENCED.match(text)) and not _JSON.match(fenced[1].strip()):
        text = fenced[1].strip()
    if len(text) > 2 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def unusable(text: str, *, prompt: Sequence[str] = (), said: str = "") -> str | None:
    """Why this cleaned text must not be spoken, in a word; None when it may be.

    `prompt` is what the model was told (system prompt, tool descriptions), `said` what the user said.
    """
    if not any(character.isalnum() for character in text):
        return "nothing"
    signs = {
        "json": _JSON.match(text) or _JSON_PAIR.search(text),
        "tags": _MACHINE_TAG.search(text) or _TAG.match(text),
        "placeholder": _PLACEHOLDER.search(text),
        "code": _CODE_BLOCK.search(text),
        "echo": _STAMP.match(text) or _repeats(text, said) or _echoes(text, prompt),
    }
    return next((reason for reason, sign in signs.items() if sign), None)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _echoes(text: str, prompt: Sequence[str]) -> bool:
    """Whether half of the text or more is a stretch of the prompt, word for word."""
    words = _words(text)
    told = [f" {' '.join(_words(part))} " for part in prompt]
    starts = range(len(words) - _LONG_ENOUGH + 1)
    stretches = [f" {' '.join(words[start : start + _LONG_ENOUGH])} " for start in starts]
    copied = sum(any(stretch in part for part in told) for stretch in stretches)
    return bool(copied) and copied * 2 >= len(stretches)


def _repeats(text: str, said: str) -> bool:
    """Whether it only says the user's words again. A short greeting may come back; a question may not."""
    words = _words(text)
    return len(words) >= 4 and words == _words(said)


# Takes a sentence with the white space behind it, and returns what may be said now.
Review = Callable[[str], Sequence[Part]]

# What opens like this may turn out to be JSON, a tag, a fence or our own time stamp: it is held to its end.
_SUSPECT = ("{", "<", "[", "`", '"')


class SentenceStreamer:
    """Lets the words of one turn out. `said` is exactly what went through `say`."""

    def __init__(self, say: Say | None, review: Review, usable: Callable[[str], bool]) -> None:
        self._say = say
        self._review, self._usable = review, usable
        self._waiting = ""
        self._round = ""  # what was reviewed of the present model call
        self._closed = False
        self.said: list[Part] = []

    def open(self, *, again: bool = False) -> None:
        """A new model call begins. With `again` it is the same question: nothing leaves before its text is
        complete (see `finish`), and what was said of the first try is not said twice."""
        self._waiting, self._closed = "", again
        if not again:
            self._round = ""

    def feed(self, text: str) -> None:
        """The next piece of the stream; whole sentences are reviewed as soon as they are there."""
        self._waiting += text
        while not self._closed:
            start = self._waiting.lstrip()
            sentence = SENTENCE.match(self._waiting)
            if start.startswith(_SUSPECT) or (sentence and not self._usable(sentence[0].strip())):
                self._closed = True
                return
            if sentence is None:
                return
            self._waiting = self._waiting[sentence.end() :]
            self._next(sentence[0])

    def remaining(self, text: str) -> str:
        """The part of the complete, cleaned text of this model call that was not reviewed yet."""
        begun = "".join(self._round.split())  # white space is not kept exactly
        position = 0
        for character in begun:
            while text[position : position + 1].isspace():
                position += 1
            if text[position : position + 1] != character:
                return text
            position += 1
        return text[position:].lstrip()

    def finish(self, text: str) -> None:
        """Review the rest of a complete text."""
        for sentence in pieces(self.remaining(text)):
            if self._usable(sentence.strip()):
                self._next(sentence)
        self._waiting = ""

    def add(self, parts: Iterable[Part]) -> None:
        """Say what needs no review: the gateway's own words about what was done."""
        for part in parts:
            if not part.text.strip():
                continue
            apart = bool(self.said) and not self.said[-1].text[-1].isspace() and not part.text[0].isspace()
            self.said.append(Part(part.source, f" {part.text}") if apart else part)
            if self._say is not None:
                self._say(self.said[-1])

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What was said, by source."""
        return joined(self.said)

    def _next(self, sentence: str) -> None:
        self._round += sentence
        if sentence.strip():
            self.add(self._review(sentence))


# --- a call in the wrong place: a text that is nothing but a call of an offered tool

# Small models write calls in whatever form their training showed them. Only a text that is nothing but a call
# counts: prose that mentions one is an answer (or rubbish), and acting on it would be guessing.
_FENCE = re.compile(r"^(`{1,3})(?:json|tool_call|tool_code|xml|text)?(?!`)(.*)\1$", re.DOTALL)
_WRAPPER = r"tool_calls?|tools?|functions?|function_calls?|tool_use|invoke|call"
_NAMED_TAG = re.compile(r"^<function=([^<>\s]+)>(.*?)(?:</function>)?$", re.DOTALL)
_TAG_CALL = re.compile(rf"^<\|?({_WRAPPER})\|?>(.*?)(?:</\|?\1\|?>|<\|/\1\|>)?$", re.DOTALL)
_BLOCKS = re.compile(rf"(?=<\|?(?:{_WRAPPER})\|?>|<function=)")
_MARKED = re.compile(r"^\[?(?:TOOL_CALLS?|tool_calls?)\]?\s*(?::\s*)?(?=[\[{])")
# Seen from a real model: {"type":"function","function":{"get_current_datetime"}}, which is no JSON at all.
_NAME_ONLY = re.compile(r'^\{[^{}]*"function"\s*:\s*\{\s*"([^"{}]+)"\s*\}\s*\}$')

_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "params", "action_input")
_OTHER_KEYS = {"id", "type", "index", "tool_call_id", "call_id"}
_LISTS = frozenset({"tool_calls", "tool_call", "function_call"})
_LONGEST = 50_000  # characters; no call is longer, and nothing here should chew on more


def text_tool_calls(text: str, offered: Collection[str]) -> list[ToolCall]:
    """The calls that `text` consists of, or none when it is anything else, however slightly."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return []
    blocks = _BLOCKS.split(text) if text.startswith("<") else [text]  # tagged calls may follow each other
    made = [_calls_in(block.strip(), offered) for block in blocks if block.strip()]
    return [call for calls in made for call in calls] if all(made) else []


def _calls_in(text: str, offered: Collection[str]) -> list[ToolCall]:
    if named := _NAMED_TAG.match(text):
        value: Any = {"name": named[1], "arguments": named[2]}
    else:
        inner = _unwrapped(text)
        value = _loads(inner)
        if value is None and (only := _NAME_ONLY.match(inner)):
            value = {"name": only[1]}
    if isinstance(value, dict) and len(value) == 1 and _LISTS.issuperset(value):
        [value] = value.values()
    calls = [_one_call(item, offered) for item in (value if isinstance(value, list) else [value])]
    return [call for call in calls if call] if all(calls) else []


def _unwrapped(text: str) -> str:
    """Without fences and tags around it."""
    for _ in range(4):  # a fence in a tag in a fence is the most anybody has seen
        shorter = _MARKED.sub("", text)
        if match := _FENCE.match(shorter) or _TAG_CALL.match(shorter):
            shorter = match[2].strip()
        if shorter == text:
            break
        text = shorter
    return text


def _one_call(value: Any, offered: Collection[str]) -> ToolCall | None:
    if not isinstance(value, dict):
        return None
    if isinstance(inner := value.get("function"), dict) and not set(value) - {"function"} - _OTHER_KEYS:
        value = inner
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name_key is None or value[name_key] not in offered:
        return None
    argument_key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    # Anything besides name and arguments (a description, say) makes it an echo of the tool's definition.
    if set(value) - {name_key, argument_key} - _OTHER_KEYS:
        return None
    arguments = value[argument_key] if argument_key else {}
    if arguments is None or arguments == "" or str(arguments).isspace():
        arguments = {}
    elif isinstance(arguments, str):
        arguments = _loads(arguments)
    if not isinstance(arguments, dict):
        return None
    if arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict):
        return None  # a schema
    return ToolCall(new_id(), value[name_key], arguments)


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
