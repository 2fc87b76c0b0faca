"""Our own sentences (`sentences/en.yaml`), matched by hassil; what they say is a frame with slots."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from itertools import chain
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


def match(text: str, language: str = "en", *, home: bool = True) -> list[Frame]:
    """Every reading of the whole text, the surest first; without `home` only what needs none."""
    from hassil import recognize_all

    frames: dict[tuple[str, str], Frame] = {}
    parts = [load(language, home=part) for part in ((False, True) if home else (False,))]
    for result in chain.from_iterable(recognize_all(text, part, language=language) for part in parts):
        slots = {name: _slot(entity.value) for name, entity in result.entities.items()}
        metadata = result.intent_data.metadata or {}
        slots |= {name: value for name, value in metadata.items() if isinstance(value, bool)}
        key = (result.intent.name, repr(sorted(slots.items())))
        if key not in frames or frames[key].literal < result.text_chunks_matched:
            frames[key] = Frame(result.intent.name, slots, result.text_chunks_matched)
    return sorted(frames.values(), key=lambda frame: -frame.literal)


def load(language: str, *, home: bool) -> "Intents":
    """The part that needs the home, or the part that does not: each is parsed at its first use."""
    with _loading:
        return _load(language, home)


@lru_cache(maxsize=8)
def _load(language: str, home: bool) -> "Intents":
    from hassil.intents import Intents

    content = _read(language)
    part = {name: intent for name, intent in content["intents"].items() if intent.get("home", False) is home}
    return Intents.from_dict({**content, "intents": part})


@lru_cache(maxsize=4)
def _read(language: str) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    # The C loader reads the file ten times faster; not every platform has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with _file(language).open("rb") as source:
        content: dict[str, Any] = yaml.load(source, Loader=loader)
    return content


def _file(language: str) -> Any:
    return resources.files("voice_gateway.brain.local").joinpath("sentences", f"{language}.yaml")


def _slot(value: object) -> Slot:
    return (
        value.strip()
        if isinstance(value, str)
        else value
        if isinstance(value, int | float | bool)
        else str(value)
    )
