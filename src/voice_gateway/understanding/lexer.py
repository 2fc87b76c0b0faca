"""Text → tokens: one function for templates, names and speech, so that the three always agree."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

# Scripts without spaces: every character is a token.
_UNSPACED: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN: Final = re.compile(
    rf"\d{{1,2}}:\d\d|\d+(?:st|nd|rd|th)\b|\d+(?:[.,]\d+)?|[{_UNSPACED}]|"
    rf"(?:(?![{_UNSPACED}])[^\W\d_])+(?:'(?:(?![{_UNSPACED}])[^\W\d_])+)*|[,.!?;%°:…]"
)
_HALF_OF_DAY: Final = re.compile(r"\b([ap])\.\s?m\b\.?")
_STOPS: Final = {"!": ".", "?": ".", ";": ".", ":": ",", "…": "."}
PAUSES: Final = frozenset({",", "."})
MOST_WORDS: Final = 60  # a longer utterance is not read
MOST_CHARACTERS: Final = 600

Token = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Words:
    """What the lexer knows of a language."""

    shorts: Mapping[str, str] = field(default_factory=dict)  # "can't" -> can not, "'s" -> is
    noise: frozenset[str] = frozenset()
    please: frozenset[str] = frozenset()
    symbols: Mapping[str, str] = field(default_factory=dict)
    wake: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Words":
        return cls(
            {str(key): str(text) for key, text in data.get("shorts", {}).items()},
            frozenset(str(data.get("noise", "")).split()),
            frozenset(str(data.get("please", "")).split()),
            {str(key): str(text) for key, text in data.get("symbols", {}).items()},
            tuple(tuple(str(name).split()) for name in data.get("wake", ())),
        )


@dataclass(frozen=True, slots=True)
class Tokens:
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    raw: str
    question: bool = False  # it ends with a question mark
    polite: bool = False

    def without_pauses(self) -> "Tokens":
        kept = [at for at, word in enumerate(self.words) if word not in PAUSES]
        return replace(
            self, words=tuple(self.words[at] for at in kept), spans=tuple(self.spans[at] for at in kept)
        )

    def text(self, start: int, end: int) -> str:
        """As it was written."""
        return self.raw[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""

    def part(self, start: int, end: int) -> "Tokens":
        return replace(self, words=self.words[start:end], spans=self.spans[start:end])


def normal(text: str) -> str:
    """Same length is not kept: only `tokens` may look at the result."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("\xad", "")


def lex(text: str, words: Words) -> list[Token]:
    """Tokens with their places; contractions are written out, digits stand apart from letters."""
    lowered = text.lower().replace("’", "'").replace("\xad", " ")
    if len(lowered) != len(text):  # a few letters change their length
        lowered = text
    lowered = _HALF_OF_DAY.sub(lambda found: f"{found[1]}m".ljust(len(found[0])), lowered)
    found: list[Token] = []
    for match in _TOKEN.finditer(lowered):
        word = match[0]
        word = words.symbols.get(word, _STOPS.get(word, word))
        found += [(part, match.start(), match.end()) for part in _written_out(word, words.shorts)]
    return found


def _written_out(word: str, shorts: Mapping[str, str]) -> list[str]:
    if word in shorts:
        return shorts[word].split()
    if "'" not in word:
        return word.split()
    stem, _, end = word.rpartition("'")
    if f"'{end}" in shorts:
        stem = stem.removesuffix("n") if end == "t" else stem
        return [*_written_out(stem, shorts), *shorts[f"'{end}"].split()]
    before, _, rest = word.partition("'")
    return [f"{before}'", *_written_out(rest, shorts)] if len(before) <= 2 else [word.replace("'", "")]


def plain(text: str, words: Words) -> tuple[str, ...]:
    """The words of a template or a name."""
    return tuple(word for word, _, _ in lex(text, words))


def tokens(text: str, words: Words) -> Tokens:
    """Of an utterance: without fillers, the name that wakes us, and pauses at its ends."""
    found = lex(text[:MOST_CHARACTERS], words)
    polite = any(word in words.please for word, _, _ in found)
    found = _awake(found, words.wake)
    found = [token for token in found if token[0] not in words.noise]
    kept: list[Token] = []
    for token in found:
        if token[0] in PAUSES and (not kept or kept[-1][0] in PAUSES):
            if kept and token[0] == ".":
                kept[-1] = token
            continue
        kept.append(token)
    while kept and kept[-1][0] in PAUSES:
        kept.pop()
    return Tokens(
        tuple(word for word, _, _ in kept),
        tuple((start, end) for _, start, end in kept),
        text,
        text.rstrip(" \"'”)").endswith("?"),
        polite,
    )


def _awake(found: list[Token], names: tuple[tuple[str, ...], ...]) -> list[Token]:
    for name in names:
        if tuple(word for word, _, _ in found[: len(name)]) == name and len(found) > len(name):
            return found[len(name) :]
    return found
