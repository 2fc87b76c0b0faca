"""The content blocks in which MCP and LangChain wrap a result, as text; of what is no text, its name."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

KINDS = frozenset(
    "text json image image_url audio input_audio video file document resource resource_link".split()
)


def read_blocks(blocks: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """(the texts, the names of the rest)."""
    texts: list[str] = []
    names: list[str] = []
    for block in blocks:
        text = _text_of(block)
        if text is None:
            names.append(_name_of(block))
        else:
            texts.append(text)
    return texts, names


def size_of(count: int) -> str:
    return f"{count} bytes" if count < 1000 else f"{count / 1000:.0f} kB"


def as_json(value: Any) -> str:
    """Whatever it is: a result must not fail because it cannot be written."""
    if hasattr(value, "model_dump_json"):
        return _or_str(value, value.model_dump_json)
    if is_dataclass(value) and not isinstance(value, type):
        return _or_str(value, lambda: json.dumps(asdict(value), ensure_ascii=False, default=str))
    return _or_str(value, lambda: json.dumps(value, ensure_ascii=False, default=str))


def _or_str(value: Any, dump: Any) -> str:
    try:
        return str(dump())
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
        found = block.get("text")
    elif kind == "resource" and isinstance(resource, Mapping) and "text" in resource:
        found = resource["text"]
    else:
        return None
    return found if isinstance(found, str) else "" if found is None else str(found)


def _name_of(block: Mapping[str, Any]) -> str:
    """`image/png, 12 kB`: enough to speak of it, nothing of what is in it."""
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        return f"content of the unknown type {kind!s:.40}"
    if kind == "resource_link":
        return f"link to {_word(block, 'uri') or _word(block, 'name')}"
    resource = block.get("resource")
    inner = resource if isinstance(resource, Mapping) else block
    facts = [_word(inner, "mimeType") or _word(inner, "mime_type") or kind]
    facts += [_word(inner, "name") or _word(inner, "title")]
    for key in ("data", "blob", "base64"):
        if isinstance(content := inner.get(key), str):
            facts.append(size_of(len(content) * 3 // 4 - content[-2:].count("=")))
    return ", ".join(fact for fact in facts if fact)


def _word(block: Mapping[str, Any], key: str) -> str:
    found = block.get(key)
    return found.strip()[:80] if isinstance(found, str) else ""
