"""Text → tokens: one function for templates, names and speech, so that the three always agree."""

import re
import unicodedata
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

# Scripts without spaces: every character is a token.
_UNSPACED: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN: Final = re.compile(
    rf"\d{{1,2}}:\d\d|\d+(?:st|nd|rd|th)\b|\d+(?:[.,]\d+)?|[{_UNSPACED}]|"
    rf"(?:(?![{_UNSPACED}])[^\W\d_])+(?:'(?:(?![{_UNSPACED}])[^\W\d_])+)*|[,.!?;%°:…]"
)
_ALONE: Final = re.compile(f"[{_UNSPACED}]")
_BROKEN: Final = re.compile(r"(?<![\w'-])[^\W\d_]{1,6}-(?=\s)")  # broken off: "the kit- the lamp"
_HALF_OF_DAY: Final = re.compile(r"\b([ap])\.\s?m\b\.?")
_DOTTED: Final = re.compile(r"\d{1,2}\.\d\d")
_STOPS: Final = {"!": ".", "?": ".", ";": ".", ":": ",", "…": "."}
PAUSES: Final = frozenset({",", "."})
MOST_WORDS: Final = 60  # a longer utterance is not read
MOST_CHARACTERS: Final = 600
SHORTEST_PART: Final = 3  # letters of a part of a compound

Token = tuple[str, int, int]
Span = tuple[str, ...]


class Spans:
    """The meanings of phrases, found in an utterance by their first word."""

    def __init__(self, meanings: Mapping[Span, Any]) -> None:
        self.meanings, lengths = meanings, dict[str, set[int]]()
        for span in filter(None, meanings):
            lengths.setdefault(span[0], set()).add(len(span))
        self._lengths = {first: sorted(known, reverse=True) for first, known in lengths.items()}

    def at(self, words: Span, at: int) -> list[tuple[int, Any, float]]:
        """The end, meaning and cost of each phrase that begins here, the longest first."""
        ends = (at + size for size in self._lengths.get(words[at], ()) if at + size <= len(words))
        return [(end, self.meanings[words[at:end]], 0.0) for end in ends if words[at:end] in self.meanings]


@dataclass(frozen=True, slots=True)
class Words:
    """What the lexer knows of a language."""

    shorts: Mapping[str, str] = field(default_factory=dict)  # "can't" -> can not, "'s" -> is
    noise: frozenset[str] = frozenset()
    please: frozenset[str] = frozenset()
    symbols: Mapping[str, str] = field(default_factory=dict)
    hesitations: frozenset[str] = frozenset()
    wake: Spans = field(default_factory=lambda: Spans({}))
    phrases: Spans = field(default_factory=lambda: Spans({}))  # "per cent" -> percent, "for me" -> nothing
    heard: Mapping[str, str] = field(default_factory=dict)  # what may be heard for a word
    letters: Mapping[int, str] = field(default_factory=dict)  # one spelling for all: "ü" is "ue"
    decimal: str = "."
    oclock: frozenset[str] = frozenset()  # behind these digits a dot is no decimal one: "18.30 Uhr"
    elided: frozenset[str] = frozenset()  # short words that end with an apostrophe: "dell'"
    compounds: bool = False  # words may be written in one: "Küchenlampe"
    links: tuple[str, ...] = ()  # between the parts of a compound
    endings: frozenset[str] = frozenset()  # that are a word of their own behind another: "spegni|la"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Words":
        shorts, symbols, heard, merges = (
            {str(said): str(text) for said, text in data.get(key, {}).items()}
            for key in ("shorts", "symbols", "heard", "merges")
        )
        noise, please, hesitations, oclock, elided, endings = (
            frozenset(str(data.get(key, "")).split())
            for key in ("noise", "please", "hesitations", "oclock", "elided", "endings")
        )
        links = data.get("compounds")
        phrases = dict.fromkeys(map(str, data.get("noise_phrases", ())), "") | merges
        return cls(
            shorts,
            noise,
            please,
            symbols,
            hesitations,
            Spans({tuple(str(name).split()): "" for name in data.get("wake", ())}),
            Spans({tuple(said.split()): word for said, word in phrases.items()}),
            heard,
            {ord(letter): str(text) for letter, text in data.get("letters", {}).items()},
            str(data.get("decimal", ".")),
            oclock,
            elided,
            links is not None,
            ("", *str(links or "").split()),
            endings,
        )


@dataclass(frozen=True, slots=True)
class Tokens:
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    raw: str
    question: bool = False  # it ends with a question mark
    polite: bool = False
    cut: bool = False  # it was longer than what is read

    def without_pauses(self) -> "Tokens":
        kept = list[int]()
        for at, word in enumerate(self.words):  # "the, what is it called, the blind": once
            if word not in PAUSES and not (kept and self.words[kept[-1]] == word and word.isalpha()):
                kept.append(at)
        return self._only(kept)

    def without(self, start: int, end: int) -> "Tokens":
        return self._only((*range(start), *range(end, len(self.words))))

    def part(self, start: int, end: int) -> "Tokens":
        return self._only(range(start, min(end, len(self.words))))

    def _only(self, places: Sequence[int]) -> "Tokens":
        words, spans = self.words, self.spans
        return replace(self, words=tuple(words[at] for at in places), spans=tuple(spans[at] for at in places))

    def text(self, start: int, end: int) -> str:
        """As it was written."""
        return self.raw[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""

    def parts(self, between: frozenset[str]) -> "list[Tokens]":
        """The tokens between these words, as far as there are any."""
        ends = [at for at, word in enumerate(self.words) if word in between]
        spans = zip((-1, *ends), (*ends, len(self.words)), strict=True)
        return [self.part(before + 1, end) for before, end in spans if end > before + 1]


def lex(text: str, words: Words) -> list[Token]:
    """Tokens with their places; contractions are written out, digits stand apart from letters."""
    lowered = text.lower().replace("’", "'").replace("\xad", " ")
    if not lowered.isascii():  # full-width digits and letters
        lowered = "".join(
            one if len(one := unicodedata.normalize("NFKC", char)) == 1 else char for char in lowered
        )
    if len(lowered) != len(text):  # a few letters change their length
        lowered = text
    lowered = _HALF_OF_DAY.sub(lambda found: f"{found[1]}m".ljust(len(found[0])), lowered)
    lowered = _BROKEN.sub(lambda found: " " * len(found[0]), lowered)
    found = [
        (part, *match.span())
        for match in _TOKEN.finditer(lowered)
        for part in _written_out(words.symbols.get(match[0], _STOPS.get(match[0], match[0])), words)
    ]
    return [_figures(token, found[at : at + 2], words) for at, token in enumerate(found)]


def _figures(token: Token, with_next: list[Token], words: Words) -> Token:
    """A number with a dot for its decimals; a time of day as a clock shows it."""
    word = token[0]
    if not word[0].isdecimal() or word.isdecimal():
        return token
    if _DOTTED.fullmatch(word) and with_next[-1][0] in words.oclock:
        return (word.replace(".", ":"), *token[1:])
    return token if words.decimal == "." else (word.replace(words.decimal, "."), *token[1:])


def _written_out(word: str, words: Words) -> list[str]:
    word, shorts = word.translate(words.letters), words.shorts
    if word in shorts:
        return shorts[word].split()
    if "'" not in word:
        return word.split()
    stem, _, end = word.rpartition("'")
    if f"'{end}" in shorts:
        stem = stem.removesuffix("n") if end == "t" else stem
        return [*_written_out(stem, words), *shorts[f"'{end}"].split()]
    before, _, rest = word.partition("'")
    apart = len(before) <= 2 or before in words.elided
    return [f"{before}'", *_written_out(rest, words)] if apart else [word.replace("'", "")]


def is_spaced(char: str) -> bool:
    """Whether a letter stands in one token with those beside it."""
    return (char.isalpha() or char == "'") and not _ALONE.match(char)


def plain(text: str, words: Words) -> tuple[str, ...]:
    """The words of a template or a name."""
    return tuple(word for word, _, _ in lex(text, words))


def tokens(text: str, words: Words) -> Tokens:
    """The tokens of an utterance, without fillers, the wake name and pauses at its ends."""
    text = unicodedata.normalize("NFC", text)
    found = lex(text[:MOST_CHARACTERS], words)
    polite = any(word in words.please for word, _, _ in found)
    said = tuple(word for word, _, _ in found)
    awake = next((end for end, _, _ in words.wake.at(said, 0)), 0) if said else 0
    found = _without_noise(_rewritten(found[awake:] or found, words.phrases), words)
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
        len(text) > MOST_CHARACTERS or len(kept) > MOST_WORDS,
    )


def _rewritten(found: list[Token], phrases: Spans) -> list[Token]:
    """Tokens with phrases replaced by one word, and without polite ones."""
    said, out, at = tuple(word for word, _, _ in found), list[Token](), 0
    while at < len(found):
        end, word, _ = next(iter(phrases.at(said, at)), (at + 1, said[at], 0.0))
        out += [(word, found[at][1], found[end - 1][2])] if word else []
        at = end
    return out or found


def _without_noise(found: list[Token], words: Words) -> list[Token]:
    """Tokens without fillers and doubled words; "…, uh, …" stays as "uh", since it may be a new start."""
    out: list[Token] = []
    for at, token in enumerate(found):
        word = token[0]
        if word in words.noise:
            before = found[at - 1][0] if at else ""
            after = found[at + 1][0] if at + 1 < len(found) else ""
            if word in words.hesitations and before in PAUSES and after in PAUSES:
                out.append(("uh", *token[1:]))
        elif not (out and out[-1][0] == word and word.isalpha()):
            out.append(token)
    return out


def cut_word(word: str, words: Words, known: Container[str], parts: Container[str]) -> list[str] | None:
    """The known parts of a word, the longest first; None where it is a word itself, or strange.
    Parts are `parts` with a link between them, or any known word with an ending behind it."""
    if word in known or word in parts or not word.isalpha():
        return None
    for end in words.endings:
        stem = word.removesuffix(end)
        if stem != word and len(stem) >= SHORTEST_PART and (stem in known or stem in parts):
            return [stem, end]
    return _parted(word, words, parts) if words.compounds else None


def _parted(word: str, words: Words, parts: Container[str]) -> list[str] | None:
    if word in parts:
        return [word]
    for size in range(len(word) - SHORTEST_PART, SHORTEST_PART - 1, -1):
        links = (link for link in words.links if word.startswith(link, size)) if word[:size] in parts else ()
        for link in links:
            if (rest := _parted(word[size + len(link) :], words, parts)) is not None:
                return [word[:size], *rest]
    return None
