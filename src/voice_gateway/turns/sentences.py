"""Where a sentence ends, in a text or in a stream of text."""

import re
from collections.abc import Iterator

# The point behind an initial ("Ursula K. Le Guin") ends no sentence.
SENTENCE = re.compile(r".*?(?:(?:(?<![a-z.]\s[A-Z])\.|[!?…])[)\"'”’]*(?=\s)|[。！？؟]|\n)\s*", re.DOTALL)


def pieces(text: str) -> Iterator[str]:
    """The sentences of a text, each with the space behind it."""
    position = 0
    while (match := SENTENCE.match(text, position)) and match.end() > position:
        yield match[0]
        position = match.end()
    yield text[position:]


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the space between them."""
    return [sentence for piece in pieces(text) if (sentence := piece.strip())]


def whole_sentences(text: str) -> tuple[list[str], str]:
    """Those that have ended, and the rest that may go on."""
    *ended, rest = pieces(text)
    return [sentence for piece in ended if (sentence := piece.strip())], rest
