"""Pictures, sounds and files in a result: read from content blocks, and described."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from voice_gateway.turn import Artifact, encodable

LONGEST_NAME = 80  # characters
_BYTES_OF_FOUR = 3  # characters of base64
KINDS = frozenset(
    "text json image image_url audio input_audio video file document resource resource_link".split()
)
_MEDIA = {"image": "image", "image_url": "image", "audio": "audio", "input_audio": "audio", "video": "video"}
_DATA = ("data", "blob", "base64")
DEEPEST = 30  # levels of structured content in which pictures are looked for
_NOUNS = {"image": "an image", "audio": "a sound recording", "video": "a video", "file": "a file"}


def size_of(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def kind_of(mime_type: str) -> str:
    family = mime_type.partition("/")[0].lower()
    return family if family in ("image", "audio", "video") else "file"


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


# --- content blocks, in which MCP and LangChain wrap a result


def read_blocks(blocks: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[str], list[Artifact]]:
    """(the texts, what is said of the rest, what of it can be fetched)."""
    texts: list[str] = []
    names: list[str] = []
    artifacts: list[Artifact] = []
    for block in blocks:
        if (text := _text_of(block)) is not None:
            texts.append(text)
        elif (artifact := artifact_of(block)) is not None:
            names.append(description_of(artifact))
            artifacts.append(artifact)
        else:
            names.append(f"content of the unknown type {block.get('type')!s:.40}")
    return texts, names, artifacts


def artifact_of(block: Mapping[str, Any]) -> Artifact | None:
    """None for what is neither a known kind nor says of its type and data that they are such."""
    kind, resource = block.get("type"), block.get("resource")
    inner = resource if isinstance(resource, Mapping) else block
    mime_type = _word(inner, "mimeType") or _word(inner, "mime_type")
    name, uri = _word(inner, "title") or _word(inner, "name"), _word(inner, "uri", 2000)
    if kind == "resource_link":
        size = block.get("size")
        return Artifact("link", mime_type, name, None, uri, size if isinstance(size, int) else None)
    data = next((inner[key] for key in _DATA if isinstance(inner.get(key), str)), None)
    known = isinstance(kind, str) and kind in KINDS and kind not in ("text", "json")
    if not known and not (mime_type and data is not None):
        return None
    medium = _MEDIA.get(kind, "") if isinstance(kind, str) else ""
    return Artifact(medium or kind_of(mime_type), mime_type, name, data, uri)


def without_artifacts(value: Any) -> tuple[Any, list[Artifact], bool]:
    """(structured content with what is said in place of pictures, these, whether anything else is in it)."""
    artifacts: list[Artifact] = []
    others = [False]

    def walked(inner: Any, depth: int) -> Any:
        if isinstance(inner, Mapping) and depth < DEEPEST:
            artifact = artifact_of(inner)
            if artifact is not None and artifact.data is not None:
                artifacts.append(artifact)
                return description_of(artifact)
            return {key: walked(part, depth + 1) for key, part in inner.items()}
        if isinstance(inner, list | tuple) and depth < DEEPEST:
            return [walked(part, depth + 1) for part in inner]
        others[0] = True
        return inner

    return walked(value, 0), artifacts, others[0]


def as_json(value: Any) -> str:
    """Any value as JSON, or as text where JSON cannot express it; never raises."""
    try:
        if hasattr(value, "model_dump_json"):
            return str(value.model_dump_json())
        if is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        return json.dumps(value, ensure_ascii=False, default=str)
    except Exception:  # circular, too deep, or an object whose own methods fail
        try:
            return str(value)
        except Exception:
            return f"[{type(value).__name__} that cannot be shown]"


def _text_of(block: Mapping[str, Any]) -> str | None:
    kind, resource = block.get("type"), block.get("resource")
    if kind == "json":
        return as_json(block.get("json"))
    if kind == "text":
        text = block.get("text")
    elif kind == "resource" and isinstance(resource, Mapping) and "text" in resource:
        text = resource["text"]
    else:
        return None
    return text if isinstance(text, str) else "" if text is None else str(text)


def _word(block: Mapping[str, Any], key: str, longest: int = 80) -> str:
    word = block.get(key)
    return word.strip()[:longest] if isinstance(word, str) else ""
