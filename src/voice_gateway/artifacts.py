"""Pictures, sounds and files in a result: their description, content, type and file name."""

import base64
import binascii
import mimetypes
import re
from urllib.parse import unquote, urlsplit

from voice_gateway.turn import Artifact, encodable

LONGEST_NAME = 80  # characters
_BYTES_OF_FOUR = 3  # characters of base64

# The first bytes of common formats, for data without a type or with a generic one.
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_SAYS_NOTHING = ("", "application/octet-stream", "binary/octet-stream")
# Where Python's table has no extension, or a rare one.
_EXTENSIONS = {
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "audio/mpeg": ".mp3",
    "audio/mp3": ".mp3",
    "audio/ogg": ".ogg",
    "audio/flac": ".flac",
    "image/jpg": ".jpg",
    "image/webp": ".webp",
    "application/gzip": ".gz",
    "application/x-gzip": ".gz",
}
_NOUNS = {"image": "an image", "audio": "a sound recording", "video": "a video", "file": "a file"}


def size_of(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def kind_of(mime_type: str, otherwise: str = "file") -> str:
    family = mime_type.partition("/")[0].lower()
    return family if family in ("image", "audio", "video") else otherwise


def bytes_in(data: str) -> int:
    """What base64 decodes to, without decoding it."""
    return len(data) * _BYTES_OF_FOUR // 4 - data[-2:].count("=")


def description_of(artifact: Artifact) -> str:
    """`an image of 300 kB`: a short description without any of the content."""
    name = plain_name(artifact.name)
    if artifact.kind == "link":
        return f"a link to {name or without_secrets(artifact.uri) or 'something'}"
    size = f" of {size_of(bytes_in(artifact.data))}" if artifact.data is not None else ""
    called = f" called {name}" if name and artifact.kind == "file" else ""
    return f"{_NOUNS.get(artifact.kind, 'a file')}{called}{size}"


def plain_name(name: str) -> str:
    """A foreign name, fit to be shown: one line, no address with its secrets."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name[: 4 * LONGEST_NAME]).split())
    return encodable((without_secrets(words) if "://" in words else words)[:LONGEST_NAME])


def without_secrets(uri: str) -> str:
    """An address without login, query and fragment: these may hold secrets."""
    head, scheme, rest = uri[:1000].partition("://")
    if not scheme:
        return plain_name(re.split(r"[?#]", uri[:1000], maxsplit=1)[0])
    place, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    text = f"{head}://{place.rpartition('@')[2]}{slash}{path}"
    return "".join(c for c in text if c.isprintable() and not c.isspace())[:200]


def content(artifact: Artifact) -> bytes:
    """The decoded data; broken base64 is decoded up to the break."""
    text = re.sub(r"[^A-Za-z0-9+/]", "", (artifact.data or "").replace("-", "+").replace("_", "/"))
    text = text[: len(text) - 1] if len(text) % 4 == 1 else text
    return base64.b64decode(text + "=" * (-len(text) % 4))


def sniffed(data: str) -> str:
    """The type that the first bytes of base64 show, or ""."""
    try:
        head = base64.b64decode(data[:24].replace("-", "+").replace("_", "/"))
    except (binascii.Error, ValueError):
        return ""
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12], "")
    return next((mime for start, mime in _SIGNATURES if head.startswith(start)), "")


def mime_type_of(artifact: Artifact) -> str:
    given = artifact.mime_type.partition(";")[0].strip().lower()
    return (sniffed(artifact.data) if given in _SAYS_NOTHING and artifact.data else "") or given


def file_name(artifact: Artifact, number: int = 1) -> str:
    """A name that is safe in any folder, with the extension of its type."""
    given = plain_name(artifact.name) or unquote(urlsplit(without_secrets(artifact.uri)).path)
    stem = re.split(r"[/\\]", given.rstrip("/\\"))[-1]
    stem = re.sub(r"[^\w.-]+", "-", stem).strip(".-_")[:LONGEST_NAME]
    mime_type = mime_type_of(artifact)
    wanted = _EXTENSIONS.get(mime_type) or mimetypes.guess_extension(mime_type) or ""
    stem = stem or f"{artifact.kind if artifact.kind in _NOUNS else 'file'}-{number}"
    has = re.search(r"\.[A-Za-z0-9]{1,8}$", stem)
    if has and (not wanted or has[0].lower() == wanted or mimetypes.guess_type(stem)[0] == mime_type):
        return stem
    return f"{stem}{wanted or '.bin'}"
