"""A reply that is not an answer: JSON, tags, an echo of the prompt, a template, nothing at all."""

import json
import re
from collections.abc import Sequence

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

_LONG_ENOUGH = 6  # words in a row that are no coincidence


def clean(text: str) -> str:
    """The part meant for the user: without thoughts, control tokens, and one wrapper around it all."""
    text = _CONTROL_TOKEN.sub("", _THOUGHT.sub("", text)).strip()
    if envelope := _ENVELOPE.match(text):
        text = envelope[2].strip()
    if (fenced := _FENCED.match(text)) and not _looks_like_json(fenced[1].strip()):
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
        "json": _looks_like_json(text) or _JSON_PAIR.search(text),
        "tags": _MACHINE_TAG.search(text) or _TAG.match(text),
        "placeholder": _PLACEHOLDER.search(text),
        "code": _CODE_BLOCK.search(text),
        "echo": _STAMP.match(text) or _repeats(text, said) or _echoes(text, prompt),
    }
    return next((reason for reason, found in signs.items() if found), None)


def _looks_like_json(text: str) -> bool:
    if text[:1] not in {"{", "["}:
        return False
    if text.startswith("{"):
        return True  # also half an object: no answer to speak opens with a brace
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.startswith(('["', "[{"))
    return True


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _echoes(text: str, prompt: Sequence[str]) -> bool:
    """Whether half of the text or more is a stretch of the prompt, word for word."""
    words = _words(text)
    if len(words) < _LONG_ENOUGH:
        return False
    told = [f" {' '.join(_words(part))} " for part in prompt]
    copied = 0
    start = 0
    while start + _LONG_ENOUGH <= len(words):
        stretch = f" {' '.join(words[start : start + _LONG_ENOUGH])} "
        if any(stretch in part for part in told):
            copied += _LONG_ENOUGH
            start += _LONG_ENOUGH
        else:
            start += 1
    return copied * 2 >= len(words)


def _repeats(text: str, said: str) -> bool:
    """Whether it only says the user's words again. A short greeting may come back; a question may not."""
    words = _words(text)
    return len(words) >= 4 and words == _words(said)
