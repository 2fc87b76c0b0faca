"""Our own sentences (`sentences/en.yaml`), matched by hassil; what they say is a frame with slots."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hassil.intents import Intents

Slot = str | int | float | bool

_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a sentence: an intent and the words, or numbers, in its slots."""

    intent: str
    slots: Mapping[str, Slot] = field(default_factory=dict)
    literal: int = 0  # characters of the template's own words: the more, the surer
    own: bool = True  # from our own sentences

    def text(self, slot: str) -> str:
        value = self.slots.get(slot)
        return str(value).strip() if value is not None else ""

    def number(self, slot: str) -> float | None:
        value = self.slots.get(slot)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def has_own_sentences(language: str) -> bool:
    return bool(_file(language).is_file())


def match(text: str, language: str = "en") -> list[Frame]:
    """Every reading of the whole text, the surest first."""
    from hassil import recognize_all

    frames: dict[tuple[str, str], Frame] = {}
    for result in recognize_all(text, load(language), language=language):
        slots = {name: _slot(entity.value) for name, entity in result.entities.items()}
        metadata = result.intent_data.metadata or {}
        slots |= {name: value for name, value in metadata.items() if isinstance(value, bool)}
        key = (result.intent.name, repr(sorted(slots.items())))
        if key not in frames or frames[key].literal < result.text_chunks_matched:
            frames[key] = Frame(result.intent.name, slots, result.text_chunks_matched)
    return sorted(frames.values(), key=lambda frame: -frame.literal)


def load(language: str) -> "Intents":
    with _loading:
        return _load(language)


@lru_cache(maxsize=4)
def _load(language: str) -> "Intents":
    import yaml  # type: ignore[import-untyped]
    from hassil.intents import Intents

    # The C loader reads the file ten times faster; not every platform has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with _file(language).open("rb") as source:
        content: dict[str, Any] = yaml.load(source, Loader=loader)
    return Intents.from_dict(content)


def _file(language: str) -> Any:
    return resources.files("voice_gateway.brain.intents").joinpath("sentences", f"{language}.yaml")


def _slot(value: object) -> Slot:
    return (
        value.strip()
        if isinstance(value, str)
        else value
        if isinstance(value, int | float | bool)
        else str(value)
    )
