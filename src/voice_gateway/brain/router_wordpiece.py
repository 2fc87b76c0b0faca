"""Text to the numbers that a BERT model reads: words, then the longest known pieces of them."""

import unicodedata
from functools import cache
from pathlib import Path

# The vocabulary of BERT (uncased), Apache-2.0, Copyright 2018 The Google AI Language Team Authors.
VOCABULARY = Path(__file__).with_name("router_vocab.txt")
_LONGEST_WORD = 100  # characters; anything longer is no word
_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


@cache
def vocabulary() -> dict[str, int]:
    lines = VOCABULARY.read_text("utf-8").split("\n")
    return {word: number for number, word in enumerate(lines) if word}


def encode(text: str, most: int = 128) -> list[int]:
    """At most `most` numbers, the marks for start and end included."""
    known = vocabulary()
    pieces = [piece for word in _words(text) for piece in _pieces(word, known)]
    return [known[piece] for piece in (_START, *pieces[: most - 2], _END)]


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFD", text.lower())
    spaced = []
    for character in plain:
        kind = unicodedata.category(character)
        if kind == "Mn" or character == "\ufffd" or (kind in {"Cc", "Cf", "Co"} and not character.isspace()):
            continue  # accents, and signs that nobody sees
        spaced.append(f" {character} " if _stands_alone(character, kind) else character)
    return "".join(spaced).split()


def _stands_alone(character: str, kind: str) -> bool:
    ascii_sign = (
        character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    )
    ideograph = "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"
    return kind.startswith("P") or ascii_sign or ideograph


def _pieces(word: str, known: dict[str, int]) -> list[str]:
    if len(word) > _LONGEST_WORD:
        return [_UNKNOWN]
    found: list[str] = []
    start = 0
    while start < len(word):
        before = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if before + word[start:end] in known), None)
        if end is None:
            return [_UNKNOWN]
        found.append(before + word[start:end])
        start = end
    return found
