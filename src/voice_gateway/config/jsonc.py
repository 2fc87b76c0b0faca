"""JSON as people write it by hand: comments, trailing commas, a byte order mark.

A reader of our own: what it leaves out becomes spaces, so that the places in error messages stay right, and
the rest is the library's. Packages for this are larger, slower, or also take what no MCP client takes.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from voice_gateway.errors import ConfigError

# A string without its end is taken to the end of the line: the library says what is wrong with it, and where.
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*+"?)'
    r"|(?P<comment>//[^\r\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<other>[{}\[\],:/]|[^\s\"{}\[\],:/]+)"
)
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class WrittenNumber(float):
    """A number with a point keeps its spelling: in an environment 3.10 is no 3.1."""

    written: str

    def __new__(cls, written: str) -> "WrittenNumber":
        number = super().__new__(cls, written)
        number.written = written
        return number


class RepeatedKeys(dict[str, Any]):
    """An object in which a name stood more than once: as everywhere, the last one holds."""

    names: tuple[str, ...] = ()


def decoded(content: bytes) -> str:
    """Raises UnicodeDecodeError. Editors of one system begin files with a mark of how they are written."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding)
    return content.decode("utf-8")


def read_jsonc(text: str) -> Any:
    """Raises ConfigError with the place of what is wrong."""
    try:
        return json.loads(
            _plain_json(text.removeprefix("\ufeff")),
            object_pairs_hook=_object,
            parse_float=WrittenNumber,
            parse_constant=_refuse_constant,
        )
    except RecursionError as error:
        raise ConfigError("is nested too deeply") from error
    except ValueError as error:
        raise ConfigError(f"is not valid JSON: {error}") from error


def _plain_json(text: str) -> str:
    letters = list(text)
    for start, end in _left_out(text):
        letters[start:end] = [letter if letter in "\r\n" else " " for letter in text[start:end]]
    return "".join(letters)


def _left_out(text: str) -> Iterator[tuple[int, int]]:
    """Where comments stand, and commas with nothing behind them."""
    before = last = ""  # the two characters that count, up to here
    comma = 0
    for token in _TOKEN.finditer(text):
        if token["comment"]:
            # One without its end stays: then it is not JSON, and said to be none.
            if token[0].startswith("//") or (token[0].endswith("*/") and len(token[0]) > len("/*/")):
                yield token.span()
            continue
        sign = token["other"] or '"'
        if sign in "}]" and last == "," and before not in ("", ",", ":", "{", "["):
            yield comma, comma + 1
        if sign == ",":
            comma = token.start()
        before, last = last, sign


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    repeated = RepeatedKeys(table)
    repeated.names = tuple(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    return repeated


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
