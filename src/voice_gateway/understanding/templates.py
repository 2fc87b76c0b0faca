"""Languages: YAML files and Home Assistant's templates, compiled into one grammar and cached.

Notation: words, `[optional]`, `(one|of|these)`, `(any;order)`, `<rule>`, `<Node>` (under its own name),
`<Node:field>`, `<rule:field>` (the words it spans), `{leaf}`, `{leaf:field}`. A template with values is a
mapping of one entry: `"turn <Which> on": {do: on, cost: 0.2}`.
"""

import hashlib
import itertools
import logging
import marshal
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from voice_gateway import languages
from voice_gateway.errors import ConfigError
from voice_gateway.languages import Line
from voice_gateway.understanding import home_assistant, lexer
from voice_gateway.understanding.grammar import Grammar, GrammarError, Pairs, Tree, leaves_of, references
from voice_gateway.understanding.nodes import field_types, node_types

logger = logging.getLogger(__name__)

VERSION: Final = 4  # of this file and of the lexer; a new one makes old caches stale
_PIECE: Final = re.compile(
    r"<(?P<rule>[\w.]+)(?::(?P<bound>\w+))?>|\{(?P<leaf>\w+)(?::(?P<key>\w+))?\}|[\[\]()|;]|[^\s\[\]()|;<>{}]+"
)
NUMBERS: Final = (*range(121), *range(130, 500, 10), *range(500, 1001, 50), *range(1100, 10001, 100))
EMPTY: Final[Tree] = ("s", ())


@dataclass
class Language:
    """All that is known of a language."""

    code: str
    words: lexer.Words
    grammar: Grammar
    lists: Mapping[str, Mapping[tuple[str, ...], Any]]
    free: Mapping[str, Mapping[str, Any]]  # kinds of free text: what they never hold
    groups: Mapping[str, frozenset[str]]  # named sets of words: denial, report, condition, time …
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    numbers: Mapping[tuple[str, ...], float]
    half: tuple[tuple[str, ...], ...] = ()
    ranges: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)  # from, to, factor
    rooms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other words for a room
    things: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other words for a device
    floors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # words for one floor
    left_out: tuple[str, ...] = ()  # templates of Home Assistant that are not read, and why
    firsts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    longest: Mapping[str, int] = field(default_factory=dict)
    number_firsts: frozenset[str] = frozenset()
    vocabulary: frozenset[str] = (
        frozenset()
    )  # every word of a template or a list: no name is made of these alone

    def __post_init__(self) -> None:
        self.firsts = {name: frozenset(span[0] for span in spans) for name, spans in self.lists.items()}
        self.longest = {name: max(map(len, spans), default=0) for name, spans in self.lists.items()}
        self.number_firsts = frozenset(span[0] for span in self.numbers)
        self.vocabulary = frozenset(
            word
            for alternatives in self.grammar.rules.values()
            for one in alternatives
            for word in words_of(one.tree)
        ) | frozenset(word for spans in self.lists.values() for span in spans for word in span)

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """Words of orders and kinds, which may be misspelled."""
        kinds = {
            span[0] for name in self.groups["spelled_lists"] for span in self.lists[name] if len(span) == 1
        }
        return tuple(sorted(self.groups["order_verbs"] | kinds))

    def group(self, *names: str) -> frozenset[str]:
        return frozenset[str]().union(*(self.groups[name] for name in names))


@lru_cache(maxsize=8)
def language(code: str) -> Language:
    """Compiled, from the cache where it is still right."""
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
    key = _key(code, [file.text for file in files])
    kept = _cache_file(code, key)
    if (data := _read_cache(kept)) is not None:
        return _loaded(code, data)
    made = _compiled(code, {file.name: _rules_of(file.read()) for file in files})
    _write_cache(kept, made)
    return made


def _rules_of(file: Mapping[str, Any]) -> Mapping[str, Any]:
    """Own sentences, each with the order that it stands for, as rules."""
    if "sentences" not in file:
        return file
    taught = [{template: {"order": str(order)}} for template, order in dict(file["sentences"]).items()]
    return {"rules": {"utterance": ["[<pre>] <Taught:step> [<post>]"], "Taught": taught}}


# --- the notation


@lru_cache(maxsize=65_536)
def parse(template: str, words: lexer.Words | None = None) -> Tree:
    pieces = list(_PIECE.finditer(template))
    tree, at = _alternatives(pieces, 0)
    if at != len(pieces):
        raise GrammarError("a bracket is closed that was never opened")
    return tree


def _alternatives(pieces: list[re.Match[str]], at: int) -> tuple[Tree, int]:
    options: list[Tree] = []
    orders: list[Tree] = []
    sequence: list[Tree] = []
    while at < len(pieces):
        piece, text = pieces[at], pieces[at][0]
        if text in "])":
            break
        at += 1
        if text == "|":
            options.append(_permuted([*orders, _sequence(sequence)]))
            sequence, orders = [], []
        elif text == ";":
            orders.append(_sequence(sequence))
            sequence = []
        elif text in "[(":
            inner, at = _alternatives(pieces, at)
            if at >= len(pieces):
                raise GrammarError("a bracket is not closed")
            sequence.append(("o", inner) if text == "[" else inner)
            at += 1
        elif piece["rule"]:
            sequence.append(("r", piece["rule"], piece["bound"] or ""))
        elif piece["leaf"]:
            sequence.append(("l", piece["leaf"], piece["key"] or piece["leaf"]))
        else:
            sequence.append(("w", text))
    options.append(_permuted([*orders, _sequence(sequence)]))
    return (options[0] if len(options) == 1 else ("a", tuple(options))), at


def _permuted(parts: list[Tree]) -> Tree:
    if len(parts) == 1:
        return parts[0]
    return ("a", tuple(("s", order) for order in itertools.permutations(parts)))


def _sequence(parts: list[Tree]) -> Tree:
    return parts[0] if len(parts) == 1 else ("s", tuple(parts))


def words_of(tree: Tree) -> Iterator[str]:
    if tree[0] == "w":
        yield tree[1]
    elif tree[0] in ("s", "a"):
        for part in tree[1]:
            yield from words_of(part)
    elif tree[0] == "o":
        yield from words_of(tree[1])


# --- compiling


def _compiled(code: str, data: Mapping[str, Mapping[str, Any]]) -> Language:
    grammar, lists = Grammar(), dict[str, dict[tuple[str, ...], Any]]()
    free: dict[str, Mapping[str, Any]] = {}
    groups: dict[str, frozenset[str]] = {}
    phrases: dict[str, tuple[tuple[str, ...], ...]] = {}
    words = lexer.Words.of(data[f"{code}/words.yaml"])
    extra: dict[tuple[str, ...], float] = {}
    half: list[tuple[str, ...]] = []
    for name, part in data.items():
        for rule, templates in part.get("rules", {}).items():
            for template in templates:
                _add(grammar, str(rule), template, name)
        for kind, values in part.get("lists", {}).items():
            lists.setdefault(str(kind), {}).update(_spread(values))
        for kind, rule in part.get("free", {}).items():
            free[str(kind)] = {str(key): _value(value) for key, value in rule.items()}
        for group, text in part.get("groups", {}).items():
            groups[str(group)] = groups.get(str(group), frozenset()) | frozenset(str(text).split())
        for group, found in part.get("phrases", {}).items():
            phrases[str(group)] = (*phrases.get(str(group), ()), *(tuple(str(one).split()) for one in found))
        extra |= {tuple(str(said).split()): float(value) for said, value in part.get("numbers", {}).items()}
        half += [tuple(str(one).split()) for one in part.get("and_a_half", ())]
    converted = home_assistant.convert(code, words)
    home_assistant.add_to(grammar, converted)
    lists |= converted.lists
    try:
        grammar.compile()
        _check_fields(grammar)
    except GrammarError as error:
        raise ConfigError(f"Language {code}: {error}") from error
    numbers = {**_numbers(code), **extra}
    left_out = tuple(converted.left_out)
    return Language(
        code,
        words,
        grammar,
        lists,
        free,
        groups,
        phrases,
        numbers,
        tuple(half),
        converted.ranges,
        _synonyms(data, "rooms"),
        _synonyms(data, "things"),
        _synonyms(data, "floors"),
        left_out,
    )


def _synonyms(data: Mapping[str, Mapping[str, Any]], kind: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for part in data.values():
        for name, others in part.get(kind, {}).items():
            found[str(name)] = (*found.get(str(name), ()), *map(str, others))
    return found


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


def _spread(values: Mapping[Any, Any] | str) -> dict[tuple[str, ...], Any]:
    """`{meaning: "word word_of_two"}`, or "word word" where each means itself."""
    if isinstance(values, str):
        return {tuple(word.split("_")): word.replace("_", " ") for word in values.split()}
    return {
        tuple(word.split("_")): _value(meaning)
        for meaning, said in values.items()
        for word in str(said).split()
    }


def _check_fields(grammar: Grammar) -> None:  # noqa: C901 (two helpers inside)
    """Every value that a template gives must be a field of the node that it ends up in."""
    keys: dict[str, set[str]] = {}

    def of_rule(name: str) -> set[str]:
        if name not in keys:
            keys[name] = set()
            for one in grammar.rules[name]:
                keys[name] |= {key for key, _ in one.says} | of_tree(one.tree)
        return keys[name]

    def of_tree(tree: Tree) -> set[str]:
        found = {key for _, key in leaves_of(tree)}
        for name, bound in _bindings(tree):
            if name[0].isupper():
                found.add(bound or name.partition(".")[0].lower())
            elif bound:
                found.add(bound)
            else:
                found |= of_rule(name)
        return found

    types = node_types()
    for name, alternatives in grammar.rules.items():
        if not name[0].isupper():
            continue
        kind = types.get(name.partition(".")[0])
        if kind is None:
            raise GrammarError(f"{alternatives[0].source}: there is no node {name!r}")
        known = field_types(kind).keys()
        for one in alternatives:
            said = {key for key, _ in one.says} | of_tree(one.tree)
            if unknown := {key.partition(".")[0] for key in said} - known:
                raise GrammarError(f"{one.source}: {kind.__name__} has no field {', '.join(sorted(unknown))}")


def _bindings(tree: Tree) -> Iterable[tuple[str, str]]:
    if tree[0] == "r":
        yield tree[1], tree[2]
    elif tree[0] in ("s", "a"):
        for part in tree[1]:
            yield from _bindings(part)
    elif tree[0] == "o":
        yield from _bindings(tree[1])


def _numbers(code: str) -> dict[tuple[str, ...], float]:
    """As ICU spells them, so that no language's numbers are written by hand."""
    from unicode_rbnf import RbnfEngine

    try:
        engine = RbnfEngine.for_language(code)
    except ValueError:
        return {}
    found: dict[tuple[str, ...], float] = {}
    for number in NUMBERS:
        for text in engine.format_number(number).text_by_ruleset.values():
            span = tuple(text.replace("-", " ").replace("\xad", "").split())
            if span and not span[0][0].isdigit():
                found.setdefault(span, float(number))
    return found


# --- the cache: plain data that only this module writes


def _key(code: str, texts: Iterable[str]) -> str:
    packages = (version("home-assistant-intents"), version("hassil"), version("unicode-rbnf"))
    parts = (str(VERSION), code, sys.version, *packages, *texts)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _cache_file(code: str, key: str) -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "voice-gateway" / f"{code}-{key}.language"


def _read_cache(file: Path) -> Any | None:
    try:
        if file.stat().st_uid != os.getuid():
            return None
        return marshal.loads(file.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _write_cache(file: Path, made: Language) -> None:
    words = made.words
    data = (
        (
            dict(words.shorts), words.noise, words.please, dict(words.symbols), words.wake,
            words.hesitations, words.noise_phrases, dict(words.merges), dict(words.heard),
        ),
        made.grammar.dump(),
        {name: dict(spans) for name, spans in made.lists.items()},
        {name: dict(rule) for name, rule in made.free.items()},
        dict(made.groups), dict(made.phrases), dict(made.numbers), made.half,
        dict(made.ranges), dict(made.rooms), dict(made.things), dict(made.floors), made.left_out,
    )  # fmt: skip
    try:
        raw = marshal.dumps(data)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in file.parent.glob(f"{made.code}-*.language"):
            old.unlink()
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(raw)
        part.replace(file)
    except (OSError, ValueError):
        return  # it is compiled again next time


def _loaded(code: str, data: Any) -> Language:
    words, rules, *rest = data
    return Language(code, lexer.Words(*words), Grammar.load(rules), *rest)


__all__ = ["Language", "Pairs", "language", "parse", "references"]
