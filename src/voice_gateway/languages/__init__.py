"""Everything a language needs, as YAML: words, sentences and replies. This module reads the files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from voice_gateway.errors import ConfigError


class Line(str):
    """Text of a language file that knows where it stands."""

    __slots__ = ("where",)
    where: str


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.2's scalars ("on" and "off" are words); text remembers its line."""

    name = ""

    def construct_scalar(self, node: Any) -> Any:
        text = super().construct_scalar(node)
        if not isinstance(text, str):
            return text
        line = Line(text)
        line.where = f"{self.name}:{node.start_mark.line + 1}"
        return line


_BOOLEAN = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != _BOOLEAN or first in "tf"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    if first not in "yYnNoO" or any(tag != _BOOLEAN for tag, _ in found)
}


@dataclass(frozen=True, slots=True)
class LanguageFile:
    name: str  # "en/orders.yaml"
    text: str

    def read(self) -> Mapping[str, Any]:
        loader = _Loader(self.text)
        loader.name = self.name
        try:
            found = loader.get_single_data()
        except yaml.YAMLError as error:
            raise ConfigError(f"{self.name} is no YAML: {error}") from error
        finally:
            loader.dispose()
        if not isinstance(found, Mapping):
            raise ConfigError(f"{self.name} has no entries.")
        return found


def _folder(code: str) -> Traversable:
    return files(__name__) / code


@cache
def codes() -> tuple[str, ...]:
    """The languages with files of their own."""
    return tuple(sorted(one.name for one in files(__name__).iterdir() if (one / "words.yaml").is_file()))


def language_files(code: str) -> Iterator[LanguageFile]:
    """Sentences and words of a language, file by file; replies are read by `say`."""
    for one in sorted(_folder(code).iterdir(), key=lambda file: file.name):
        if one.name.endswith(".yaml") and one.name != "replies.yaml":
            yield LanguageFile(f"{code}/{one.name}", one.read_text("utf-8"))


def shared_data(name: str) -> Mapping[str, Any]:
    """A file that speaks of all languages at once."""
    return LanguageFile(name, (files(__name__) / name).read_text("utf-8")).read()


@cache
def _replies(code: str) -> Mapping[str, str]:
    file = _folder(code) / "replies.yaml"
    if not file.is_file():
        return {}
    return {
        str(key): str(text)
        for key, text in LanguageFile(f"{code}/replies.yaml", file.read_text("utf-8")).read().items()
    }


def say(key: str, /, code: str = "en", **facts: object) -> str:
    """The reply of this outcome code in a language, else in English: `say("ask.which", devices="…")`."""
    template = _replies(code).get(key) or _replies("en")[key]
    return template.format(**facts)
