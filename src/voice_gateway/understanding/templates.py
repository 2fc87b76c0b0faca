"""Languages: YAML files and Home Assistant's templates, compiled into one grammar and cached.

Notation: words, `[optional]`, `(one|of|these)`, `(any;order)`, `<rule>`, `<Node>` (under its own name),
`<Node:field>`, `<rule:field>` (the words it spans), `{leaf}`, `{leaf:field}`. A template with values is a
mapping of one entry: `"turn <Which> on": {do: on, cost: 0.2}`.
"""

import gc
import hashlib
import itertools
import logging
import os
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import platformdirs

from voice_gateway import languages
from voice_gateway.errors import ConfigError
from voice_gateway.languages import Line
from voice_gateway.understanding import home_assistant, lexer
from voice_gateway.understanding.grammar import Alternative, Grammar, GrammarError, Tree, walk
from voice_gateway.understanding.lexer import Span, Spans
from voice_gateway.understanding.nodes import field_types, node_types

logger = logging.getLogger(__name__)

_PIECE: Final = re.compile(
    r"<(?P<rule>[\w.]+)(?::(?P<bound>\w+))?>|\{(?P<leaf>\w+)(?::(?P<key>\w+))?\}|[\[\]()|;]|[^\s\[\]()|;<>{}]+"
)
NUMBERS: Final = (*range(121), *range(130, 500, 10), *range(500, 1001, 50), *range(1100, 10001, 100))


class Groups(dict[str, frozenset[str]]):
    """Words by group; a language may have none of one."""

    def __missing__(self, name: str) -> frozenset[str]:
        return frozenset()


@dataclass
class Language:
    """One language: words, compiled rules, lists and groups of words."""

    code: str
    words: lexer.Words
    grammar: Grammar
    lists: dict[str, dict[Span, Any]] = field(default_factory=dict)
    free: dict[str, dict[str, Any]] = field(default_factory=dict)  # kinds of free text: what they never hold
    groups: dict[str, frozenset[str]] = field(default_factory=Groups)  # words of denial, report, time …
    phrases: dict[str, tuple[Span, ...]] = field(default_factory=lambda: defaultdict(tuple))
    numbers: dict[Span, float] = field(default_factory=dict)
    half: tuple[Span, ...] = ()
    sums: dict[str, str] = field(default_factory=dict)  # words of sums, as the calculator reads them
    ranges: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # from, to, factor
    rooms: dict[str, Span] = field(default_factory=dict)  # other words for a room
    things: dict[str, Span] = field(default_factory=dict)  # other words for a device
    floors: dict[str, Span] = field(default_factory=dict)  # words for one floor

    @cached_property
    def spans(self) -> Mapping[str, Spans]:
        """The lists, ready to be looked up in an utterance."""
        return {name: Spans(meanings) for name, meanings in self.lists.items()}

    @cached_property
    def number_words(self) -> Spans:
        return Spans(self.numbers)

    @cached_property
    def forbidden(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """By kind of free text the words that it never holds, begins with, or ends with."""
        places = ("never", "not_first", "not_last")
        return {
            kind: tuple(self.group(*str(rule.get(place, "")).split()) for place in places)
            for kind, rule in self.free.items()
        }

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of a template or a list: no name is made of these alone."""
        trees = (one.tree for alternatives in self.grammar.rules.values() for one in alternatives)
        own = (part[1] for tree in trees for part in walk(tree, "w"))
        return frozenset(own).union(*(span for spans in self.lists.values() for span in spans))

    @cached_property
    def parts(self) -> frozenset[str]:
        """Words that compounds are made of: those of lists, rooms and things."""
        listed = (span for spans in self.lists.values() for span in spans if len(span) == 1)
        named = (tuple(text.split()) for known in (self.rooms, self.things) for text in known)
        return frozenset(
            span[0] for span in (*listed, *named) if len(span) == 1 and len(span[0]) >= lexer.SHORTEST_PART
        )

    @cached_property
    def spelled(self) -> Span:
        """Words of orders and kinds, which may be misspelled."""
        kinds = {
            span[0]
            for name in self.groups["spelled_lists"]
            for span in self.lists.get(name, ())
            if len(span) == 1
        }
        return tuple(sorted(self.groups["order_verbs"] | kinds))

    def as_english_sum(self, text: str) -> str:
        """A sum with its words in English: "12 mal 3,5" is "12 times 3.5"."""
        text = text.lower().translate(self.words.letters)
        if self.words.decimal != ".":
            text = re.sub(rf"(\d){re.escape(self.words.decimal)}(\d)", r"\1.\2", text)
        for said, meant in self.sums.items():
            text = re.sub(rf"\b{said}\b", meant, text, flags=re.IGNORECASE)
        return text

    def group(self, *names: str) -> frozenset[str]:
        return frozenset[str]().union(*(self.groups[name] for name in names))


@lru_cache(maxsize=8)
def language(code: str) -> Language:
    """The compiled language, from the cache if its files did not change."""
    files = tuple(languages.language_files(code))
    taught = languages.taught()
    try:
        return _cached(code, files if taught is None else (*files, taught))
    except (ConfigError, ValueError, TypeError) as error:
        if taught is None:
            raise
        logger.warning("own sentences are left out", extra={"error": str(error)})
        return _cached(code, files)


def _cached(code: str, files: Sequence[languages.LanguageFile]) -> Language:
    common = languages.few_rules() if not files or files[0].is_taught else None
    files = files if common is None else (common, *files)
    few = {"noise_phrases": home_assistant.skipped(code)} if common is not None else {}
    kept = _cache_file(code, [file.text for file in files])
    made = _from_cache(kept)
    if made is None:
        words = next((file.read() for file in files if file.name == f"{code}/words.yaml"), {})
        letters = {ord(letter): str(text) for letter, text in words.get("letters", {}).items()}
        data = {
            file.name: _rules_of(replace(file, text=file.text.translate(letters)).read()) for file in files
        }
        made = _compiled(
            code,
            data,
            lexer.Words.of(
                {**few, **data.get(f"{code}/words.yaml", {}), "letters": words.get("letters", {})}
            ),
        )
        for file in files:  # what is proposed aloud stays as it is written
            for group, found in file.read().get("phrases", {}).items():
                if group.startswith("propose_"):
                    made.phrases[group] = tuple(tuple(str(one).split()) for one in found)
        _keep(kept, made)
    return made


def _rules_of(file: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file's content; the user's own sentences as rules."""
    if "sentences" not in file:
        return file
    taught = [{template: {"order": str(order)}} for template, order in dict(file["sentences"]).items()]
    return {"rules": {"utterance": ["[<pre>] <Taught:step> [<post>]"], "Taught": taught}}


# --- the notation


@lru_cache(maxsize=65_536)
def parse(template: str) -> Tree:
    pieces = list(_PIECE.finditer(template))
    tree, at = _alternatives(pieces, 0)
    if at != len(pieces):
        raise GrammarError("a bracket is closed that was never opened")
    return tree


def _alternatives(pieces: list[re.Match[str]], at: int) -> tuple[Tree, int]:
    """Up to the bracket that closes; of each option the parts that may stand in any order."""
    options: list[list[list[Tree]]] = [[[]]]
    while at < len(pieces) and pieces[at][0] not in "])":
        piece, text = pieces[at], pieces[at][0]
        at += 1
        if text == "|":
            options.append([[]])
        elif text == ";":
            options[-1].append([])
        elif text in "[(":
            inner, at = _alternatives(pieces, at)
            if at >= len(pieces):
                raise GrammarError("a bracket is not closed")
            options[-1][-1].append(("o", inner) if text == "[" else inner)
            at += 1
        elif piece["rule"]:
            options[-1][-1].append(("r", piece["rule"], piece["bound"] or ""))
        elif piece["leaf"]:
            options[-1][-1].append(("l", piece["leaf"], piece["key"] or piece["leaf"]))
        else:
            options[-1][-1].append(("w", text))
    orders = [itertools.permutations(_only(part, "s") for part in option) for option in options]
    made = [_only([_only(list(order), "s") for order in some], "a") for some in orders]
    return _only(made, "a"), at


def _only(parts: list[Tree], kind: str) -> Tree:
    return parts[0] if len(parts) == 1 else (kind, tuple(parts))


# --- compiling


def _compiled(code: str, data: Mapping[str, Mapping[str, Any]], words: lexer.Words) -> Language:
    made = Language(code, words, Grammar(), numbers=_numbers(code, words))
    for name, part in data.items():
        _add_file(made, name, part)
    try:
        if (package := home_assistant.convert(code, made.words, made.grammar, made.groups)) is not None:
            made.lists |= package.lists
            made.ranges = package.ranges
            made.words = replace(words, endings=words.endings | package.endings)
        made.grammar.compile()
        home_assistant.drop_open(made.grammar)
        _check_fields(made.grammar)
    except GrammarError as error:
        raise ConfigError(f"Language {code}: {error}") from error
    return made


def _add_file(made: Language, name: str, part: Mapping[str, Any]) -> None:
    """Adds one YAML file to the language; entries of several files add up."""
    for rule, templates in part.get("rules", {}).items():
        for template in templates:
            _add(made.grammar, str(rule), template, name)
    for kind, values in part.get("lists", {}).items():
        made.lists.setdefault(str(kind), {}).update(_spread(values))
    for kind, rule in part.get("free", {}).items():
        made.free[str(kind)] = {str(key): _value(value) for key, value in rule.items()}
    for group, text in part.get("groups", {}).items():
        made.groups[str(group)] = made.groups.get(str(group), frozenset()) | frozenset(str(text).split())
    for group, found in part.get("phrases", {}).items():
        spans = (tuple(str(one).split()) for one in found)
        made.phrases[str(group)] = (*made.phrases.get(str(group), ()), *spans)
    for said, value in part.get("numbers", {}).items():
        made.numbers[tuple(str(said).split())] = float(value)
    made.sums |= {str(said): str(meant) for said, meant in part.get("sums", {}).items()}
    made.half += tuple(tuple(str(one).split()) for one in part.get("and_a_half", ()))
    for kind in ("rooms", "things", "floors"):
        known = getattr(made, kind)
        for thing, others in part.get(kind, {}).items():
            known[str(thing)] = (*known.get(str(thing), ()), *map(str, others))


def _add(grammar: Grammar, rule: str, template: Any, name: str) -> None:
    text, says = next(iter(template.items())) if isinstance(template, Mapping) else (template, None)
    where = text.where if isinstance(text, Line) else name
    values = {str(key): _value(value) for key, value in (says or {}).items()}
    cost = float(values.pop("cost", 0.0))
    try:
        tree = parse(str(text))
    except GrammarError as error:
        raise ConfigError(f"{where}: {error}: {text}") from error
    grammar.add(rule, tree, tuple(values.items()), cost, f"{where}: {text}")


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _spread(values: Mapping[Any, Any] | str) -> dict[Span, Any]:
    """`{meaning: "word word_of_two"}`, or "word word" where each means itself."""
    if isinstance(values, str):
        return {tuple(word.split("_")): word.replace("_", " ") for word in values.split()}
    said = ((word, meaning) for meaning, words in values.items() for word in str(words).split())
    return {tuple(word.split("_")): _value(meaning) for word, meaning in said}


def _check_fields(grammar: Grammar) -> None:
    """Every value that a template gives must be a field of the node that it ends up in."""
    known: dict[str, set[str]] = {}

    def of_rule(name: str) -> set[str]:
        if name not in known:
            known[name] = set()
            known[name] |= {key for one in grammar.rules[name] for key in given(one)}
        return known[name]

    def given(one: Alternative) -> set[str]:
        keys = {key for key, _ in one.says} | {part[2] for part in walk(one.tree, "l")}
        for _, name, bound in walk(one.tree, "r"):
            own = bound or (name.partition(".")[0].lower() if name[0].isupper() else "")
            keys |= {own} if own else of_rule(name)
        return keys

    types = node_types()
    for name, one in (
        (name, one) for name, rows in grammar.rules.items() for one in rows if name[0].isupper()
    ):
        kind = types.get(name.partition(".")[0])
        if kind is None:
            raise GrammarError(f"{one.source}: there is no node {name!r}")
        if unknown := {key.partition(".")[0] for key in given(one)} - field_types(kind).keys():
            raise GrammarError(f"{one.source}: {kind.__name__} has no field {', '.join(sorted(unknown))}")


def _numbers(code: str, words: lexer.Words) -> dict[Span, float]:
    """The numbers of a language as ICU spells them."""
    from unicode_rbnf import RbnfEngine

    try:
        engine = RbnfEngine.for_language(code)
    except ValueError:
        return {}
    found: dict[Span, float] = {}
    for number in NUMBERS if engine.rulesets else ():
        for text in engine.format_number(number).text_by_ruleset.values():
            span = lexer.plain(text.replace("\xad", ""), words)
            if span and not span[0][0].isdigit():
                found.setdefault(span, float(number))
    return found


# --- the cache: only this module writes it

_MADE_BY: Final = ("grammar.py", "home_assistant.py", "lexer.py", "templates.py")
_UNREADABLE: Final = (OSError, pickle.UnpicklingError, EOFError, LookupError, ValueError, TypeError)


def _cache_file(code: str, texts: Iterable[str]) -> Path:
    packages = (version("home-assistant-intents"), version("hassil"), version("unicode-rbnf"))
    sources = (Path(__file__).with_name(name).read_text("utf-8") for name in _MADE_BY)
    key = hashlib.sha256("\0".join((code, sys.version, *packages, *sources, *texts)).encode()).hexdigest()
    return Path(platformdirs.user_cache_dir("voice-gateway", appauthor=False)) / f"{code}-{key[:16]}.language"


def _from_cache(file: Path) -> Language | None:
    collects = gc.isenabled()
    gc.disable()  # else every some thousand tuples all objects of the process are looked at
    try:
        made = pickle.loads(file.read_bytes()) if file.stat().st_uid == os.getuid() else None
        return made if isinstance(made, Language) else None
    except _UNREADABLE:
        return None
    finally:
        if collects:
            gc.enable()


def _keep(file: Path, made: Language) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in file.parent.glob(f"{made.code}-*.language"):
            old.unlink()
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(made))
        part.replace(file)
    except OSError:
        return  # it is compiled again next time
