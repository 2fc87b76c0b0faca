"""Everything a language needs, as YAML: words, sentences and replies. This module reads the files.

Replies are worded in the language of the turn, `current()`, which a conversation sets with `speak`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from home_names.phrases import capital as capital
from home_names.phrases import with_article
from voice_gateway.config.folders import user_file
from voice_gateway.errors import ConfigError

MOST_NAMED = 3  # in one sentence; of more the rest is counted
ENGLISH = "en"
KEY = "language"  # of the last turn, in the state of its conversation
_turn: ContextVar[str] = ContextVar("language of the turn", default=ENGLISH)


def current() -> str:
    """The language of this turn."""
    return _turn.get()


def speak(code: str) -> None:
    """Words all replies of this turn in this language; of this task and those that it starts."""
    _turn.set(code)


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
}


@dataclass(frozen=True, slots=True)
class LanguageFile:
    name: str  # "en/orders.yaml"
    text: str
    is_taught: bool = False  # the user's own sentences

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


def language_files(code: str) -> Iterator[LanguageFile]:
    """Sentences and words of a language, file by file; replies are read by `say`."""
    folder = files(__name__) / code
    for one in sorted(folder.iterdir() if folder.is_dir() else (), key=lambda file: file.name):
        if one.name.endswith(".yaml") and one.name != "replies.yaml":
            yield LanguageFile(f"{code}/{one.name}", one.read_text("utf-8"))


def taught() -> LanguageFile | None:
    """The user's own sentences."""
    file = user_file().with_name("sentences.yaml")
    return LanguageFile(str(file), file.read_text("utf-8"), is_taught=True) if file.is_file() else None


def few_rules() -> LanguageFile:
    """What stands in for the files of a language that has no folder."""
    return LanguageFile("few_rules.yaml", (files(__name__) / "few_rules.yaml").read_text("utf-8"))


def shared_data(name: str) -> Mapping[str, Any]:
    """A data file that covers all languages."""
    return LanguageFile(name, (files(__name__) / name).read_text("utf-8")).read()


@cache
def _replies(code: str) -> Mapping[str, str]:
    """Sentences by key. An entry is a sentence, or a sentence, example facts, and what is heard then.
    A language without a folder has the few of few_words.yaml."""
    file = files(__name__) / code / "replies.yaml"
    if not file.is_file():
        return {str(key): str(text) for key, text in shared_data("few_words.yaml").get(code, {}).items()}
    entries = LanguageFile(f"{code}/replies.yaml", file.read_text("utf-8")).read()
    return {str(key): str(entry[0] if isinstance(entry, list) else entry) for key, entry in entries.items()}


class _Facts(dict[str, Any]):
    """`{Names}` is `{names}` with a capital, unless `inside` a sentence; a list is said with "and"."""

    def __init__(self, facts: Mapping[str, Any], code: str) -> None:
        super().__init__(facts)
        for key, fact in facts.items():
            if isinstance(fact, tuple | list):
                self[key] = counted([str(one) for one in fact], code)
            elif isinstance(fact, float):
                self[key] = f"{fact:g}".replace(".", _replies(code).get("decimal", "."))
        if isinstance(things := facts.get("things"), tuple | list):
            named = [the(one, code) for one in things]
            self["things"], self["either"] = counted(named, code), listed(named, code, "or")
            self["bare"] = counted([plainly(str(one), code) for one in things], code)

    def __missing__(self, key: str) -> str:
        small = key[:1].lower() + key[1:]
        if small == key:
            raise KeyError(key)
        return str(self[small]) if self.get("inside") else capital(str(self[small]))


def say(key: str, /, code: str = "", **facts: object) -> str:
    """The reply of this outcome code in a language, else in English: `say("look.is", things=["Floor Lamp"])`.
    Of several things, or of one with a plural name, `<key>.many` is said where there is one."""
    code = code or current()
    if key not in (replies := _replies(code)):
        code, replies = ENGLISH, _replies(ENGLISH)
    things, many = facts.get("things"), f"{key}.many"
    if many in replies and isinstance(things, tuple | list) and is_plural([str(one) for one in things]):
        key = many
    return replies[key].format_map(_Facts(facts, code))


def has(key: str, code: str = "") -> bool:
    return key in _replies(code or current()) or key in _replies(ENGLISH)


def dated(day: date, pattern: str) -> str:
    """A date or time by strftime's pattern, with this language's names of weekdays and months."""
    names = {
        "%A": say("clock.weekdays").split()[day.weekday()],
        "%B": say("clock.months").split()[day.month - 1],
    }
    for mark, name in names.items():
        pattern = pattern.replace(mark, name)
    return day.strftime(pattern)


def moment_words(moment: datetime, now: datetime) -> str:
    """A moment in words, as seen from now: "today at 6:02 PM"."""
    moment = moment.astimezone(now.tzinfo)
    days = (now.date() - moment.date()).days
    clock = moment.strftime(say("clock.time"))
    day = dated(moment, say("clock.weekday" if abs(days) < 7 else "clock.date")).replace(" 0", " ")
    key = {0: "today", 1: "yesterday", -1: "tomorrow"}.get(days, "day")
    return say(f"past.at.{key}", time=clock, day=day)


# --- names and lists


class Proper(str):
    """A person's name: without an article, and as it is written."""

    __slots__ = ()


def listed(names: Sequence[str], code: str = "", word: str = "and") -> str:
    """The names in one phrase: "one, two and three"."""
    if len(names) < 2:
        return "".join(names)
    return say(f"list.{word}", code, first=", ".join(names[:-1]), last=names[-1])


def counted(names: Sequence[str], code: str = "") -> str:
    """Up to three names and a count of the rest: "A, B, C and 4 more"."""
    rest = len(names) - MOST_NAMED
    if rest < 2:
        return listed(names, code)
    return listed([*names[:MOST_NAMED], say("list.more", code, count=rest)], code)


def plainly(name: str, code: str = "") -> str:
    """A name inside a sentence: lower case if all its words are common; "Sonos Speaker" stays."""
    words = name.split()
    common = all(word.lower() in _common(code or current()) or not word[0].isalpha() for word in words)
    return " ".join(words).lower() if common else name


def the(name: str, code: str = "") -> str:
    """The name with its article, where it takes one: "the floor lamp", "Dad's lamp"."""
    if isinstance(name, Proper):
        return name
    bare, code = plainly(name, code), code or current()
    called = bare == name and len(bare) > 2 and bare.istitle() and bare.isalpha()  # "Rosie"
    return bare if code == ENGLISH and (called or with_article(name) == name) else say("the", code, name=bare)


@cache
def _common(code: str) -> frozenset[str]:
    return frozenset(_replies(code).get("common_words", "").split())


def is_plural(names: Sequence[str]) -> bool:
    """Whether a verb behind these names stands in the plural: "the study blinds are"."""
    last = names[0].split()[-1].lower() if len(names) == 1 and names[0].split() else ""
    return len(names) > 1 or (last.endswith("s") and last[:-1] in _common(current()))
