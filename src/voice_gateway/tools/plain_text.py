"""A result's text without control characters, encoded data and logins."""

import re
from urllib.parse import unquote

from voice_gateway.artifacts import bytes_in, description_of, kind_of, size_of, sniffed
from voice_gateway.tools.masking import HIDDEN, is_secret_name
from voice_gateway.turn import Artifact

SHORTEST_ENCODED = 256  # characters: no word, number or name is as long
_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DECLARED = re.compile(r"\bdata:([\w.+-]{1,60}/[\w.+-]{1,60})[^,\s]{0,100};base64,([A-Za-z0-9+/_-]+={0,2})")
# Each run is matched once, from its beginning.
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{{{SHORTEST_ENCODED},}}={{0,2}})")
_ADDRESS = re.compile(r"\b([a-zA-Z][a-zA-Z0-9+.-]{1,20}://)([^\s<>\"'`]{1,4000})")
_IN_QUERY = re.compile(r"([?&#;])([\w.~%-]{1,60})=([^&#;\s]*)")
_OF_QUERIES = frozenset(("sig", "signature", "key", "pass", "pwd", "auth", "code", "sas", "x-amz-signature"))
_SAMPLE = 4096


def is_plain(text: str) -> bool:
    """A quick check that nearly every text passes."""
    return (
        len(text) < SHORTEST_ENCODED and text.isprintable() and "://" not in text and ";base64," not in text
    )


def plain_text(text: str) -> tuple[str, list[Artifact]]:
    """(the text, the data that stood in it)."""
    if is_plain(text):
        return text, []
    found: list[Artifact] = []
    if not text.isprintable():
        text = _CONTROL.sub("", _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    if ";base64," in text:
        text = _DECLARED.sub(lambda match: _taken(match[0], match[2], match[1], found), text)
    if len(text) >= SHORTEST_ENCODED:
        text = _RUN.sub(lambda match: _taken(match[0], match[1], "", found), text)
    return (_ADDRESS.sub(_address, text) if "://" in text else text), found


def _taken(whole: str, data: str, mime_type: str, found: list[Artifact]) -> str:
    """The description of data that has a type or looks encoded; anything else unchanged."""
    mime_type = mime_type or sniffed(data)
    if not mime_type and not _looks_encoded(data):
        return whole
    artifact = Artifact(kind_of(mime_type), mime_type, "", data)
    found.append(artifact)
    return f"[{description_of(artifact) if mime_type else f'encoded data of {size_of(bytes_in(data))}'}]"


def _looks_encoded(data: str) -> bool:
    """Encoded bytes mix all letters and digits; a path, a long number or a line of dashes does not."""
    sample = data[:_SAMPLE]
    count = len(sample)
    upper, lower = sum(map(str.isupper, sample)), sum(map(str.islower, sample))
    return min(upper, lower) > count * 0.15 and sum(map(str.isdigit, sample)) > count * 0.04


def _address(found: "re.Match[str]") -> str:
    place, slash, rest = found[2].partition("/")
    if "@" in place:
        place = f"{HIDDEN}@{place.rpartition('@')[2]}"
    return found[1] + _IN_QUERY.sub(_parameter, f"{place}{slash}{rest}")


def _parameter(found: "re.Match[str]") -> str:
    name = unquote(found[2]).casefold()
    hidden = name in _OF_QUERIES or is_secret_name(name)
    return f"{found[1]}{found[2]}={HIDDEN if hidden and found[3] else found[3]}"
