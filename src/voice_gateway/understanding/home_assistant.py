"""home-assistant-intents → rules of the grammar. hassil parses the notation; only its tree is used.

A template is a sequence of characters in hassil and of tokens here. What touches without a space ("light[s]")
is multiplied out, joined and cut into tokens; what stands between spaces stays shared. A template becomes one
way to build the node `Intent`.

The package's templates assume that the speaker addresses a satellite. Here each one needs a word of its own
beside names and numbers, begins with no wildcard, and its wildcards hold no order, denial, report or time.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from voice_gateway.understanding import lexer
from voice_gateway.understanding.grammar import Grammar, Tree, walk

COST: Final = 0.5  # our own sentences win where both read the same
OF_KIND: Final = 0.65  # of what switches a kind: a device that is named is meant rather
RULE: Final = "intent"
MOST_WAYS: Final = 2048  # to write what touches; a template with more is left out
OPEN: Final = {"name": "name", "area": "room", "floor": "floor"}  # lists of the home, and our leaves
# Leaves for a wildcard of the package, by a part of the intent's name.
FREE: Final = {"Timer": "timer_name", "Broadcast": "announcement", "": "intent_text"}
SPACE: Final = ("space",)
EMPTY: Final[Tree] = ("s", ())
Atom = tuple[Any, ...]
Groups = Mapping[str, frozenset[str]]
# Whose sentences our own files have in a safer form, or that nothing here can do.
PLAIN_RULES: Final = ("name", "area", "floor", "the", "my", "in")  # their words say nothing by themselves
LEFT_OUT: Final = frozenset({"HassRespond", "HassNevermind", "HassListAddItem"})


def convert(code: str, words: lexer.Words, grammar: Grammar, groups: Groups) -> "Converter | None":
    """Adds every template of the package in this language to the grammar; None where it has none."""
    from home_assistant_intents import get_intents

    data = get_intents(code)
    return Converter(data, words, grammar, groups) if data else None


def skipped(code: str) -> list[str]:
    """Words of politeness that the package skips."""
    from home_assistant_intents import get_intents

    return [str(one).lower() for one in (get_intents(code) or {}).get("skip_words", ())]


def drop_open(grammar: Grammar) -> None:
    """Leaves out, of a compiled grammar, what may begin with free words."""
    kept = [one for one in grammar.rules.get(RULE, ()) if not {*FREE.values()} & {*one.leaves}]
    grammar.rules[RULE] = kept


class Converter:
    """One language. Rules and lists are named "ha.<name>"."""

    def __init__(self, data: Mapping[str, Any], words: lexer.Words, grammar: Grammar, groups: Groups) -> None:
        self.lists: dict[str, dict[tuple[str, ...], Any]] = {}
        self.ranges: dict[str, tuple[float, float, float]] = {}  # from, to, factor
        self._lexed: dict[str, tuple[str, ...]] = {}
        self._of_rules: dict[str, list[Atom]] = {}
        self.endings: set[str] = set()  # that touch a list: "{area}s"
        self._words, self._grammar, self._groups, self._free = words, grammar, groups, ""
        self._bodies = {name: self._parse(text) for name, text in data.get("expansion_rules", {}).items()}
        self._idle = groups["says_nothing"]  # articles and the like
        self._lists: Mapping[str, Mapping[str, Any]] = data["lists"]
        for name, values in self._lists.items():
            self._list(name, values)
        for rule in PLAIN_RULES if not self._idle else ():
            self._idle |= {part[1] for part in self._every(("r", self._reference(rule)[1], ""))}
        for intent, known in data["intents"].items():
            for block in known["data"] if intent not in LEFT_OUT else ():
                self._block(intent, block)

    def _every(self, tree: Tree) -> Iterator[Tree]:
        """The words of a template and of the rules in it."""
        yield from walk(tree, "w")
        for part in walk(tree, "r"):
            yield from self._every(self._rule_tree(part[1]))

    def _parse(self, text: str) -> Any:
        from hassil.parse_expression import parse_sentence

        return parse_sentence(text).expression

    def _block(self, intent: str, block: Mapping[str, Any]) -> None:
        needs = block.get("requires_context") or {}
        domains = needs.get("domain") or ()
        domains = (domains,) if isinstance(domains, str) else tuple(domains)
        says: list[tuple[str, Any]] = [("intent", intent), *(("domain", one) for one in domains)]
        if block.get("response") and intent == "HassGetState":
            says.append(("response", str(block["response"])))
        if "area" in needs:
            says.append(("here", True))
        says += [(f"slot.{key}", _plain(value)) for key, value in (block.get("slots") or {}).items()]
        scene = bool(domains) and set(domains) <= {"scene", "script"}
        self._free = next(leaf for part, leaf in FREE.items() if part in intent)
        for text in block["sentences"]:
            try:
                tree = self._build(self._atoms(self._parse(text), scene=scene))
            except _TooMany:
                continue
            # A question about a state has a word that asks; "all lights off" is an order.
            wanted = self._groups["asks_state"] if intent == "HassGetState" else None
            named = "name" in text or not intent.startswith("HassTurn")
            if (sure := self._with_a_word(tree, wanted)) is not None:
                source = f"home-assistant-intents {intent}: {text}"
                self._grammar.add(RULE, sure, tuple(says), COST if named else OF_KIND, source)

    # --- the policy

    def _with_a_word(self, tree: Tree, wanted: frozenset[str] | None = None) -> Tree | None:
        """The same template where a word of meaning, or one of these, is said; None where it has none."""
        if self._sure(tree, wanted):
            return tree
        kind = tree[0]
        if kind == "o":
            return self._with_a_word(tree[1], wanted)
        if kind == "a":
            options = [way for part in tree[1] if (way := self._with_a_word(part, wanted)) is not None]
            return ("a", tuple(options)) if options else None
        if kind == "r" and wanted:
            return self._with_a_word(self._rule_tree(tree[1]), wanted)
        if kind == "s":
            parts: Sequence[Tree] = tree[1]
            ways = [
                ("s", (*parts[:at], sure, *parts[at + 1 :]))
                for at, part in enumerate(parts)
                if (sure := self._with_a_word(part, wanted)) is not None
            ]
            return ("a", tuple(ways)) if len(ways) > 1 else ways[0] if ways else None
        return None

    def _sure(self, tree: Tree, wanted: frozenset[str] | None) -> bool:
        """Whether such a word is in it, whichever way it is said."""
        kind = tree[0]
        if kind == "w":
            return tree[1] in wanted if wanted else tree[1] not in self._idle
        if kind == "s":
            return any(self._sure(part, wanted) for part in tree[1])
        if kind == "a":
            return all(self._sure(part, wanted) for part in tree[1])
        if kind == "r":
            return self._sure(self._rule_tree(tree[1]), wanted)
        return not wanted and kind == "l" and tree[1].startswith("ha.") and tree[1] not in self.ranges

    def _rule_tree(self, name: str) -> Tree:
        return self._grammar.rules[name][0].tree

    # --- lists

    def _list(self, name: str, values: Mapping[str, Any]) -> None:
        from hassil.sample import sample_expression
        from hassil.util import is_template

        if values.get("wildcard"):
            return
        if "range" in values:
            span = values["range"]
            self.ranges[f"ha.{name}"] = (span["from"], span["to"], span.get("multiplier", 1))
            return
        spans = self.lists.setdefault(f"ha.{name}", {})
        for value in values["values"]:
            said, out = (value, value) if isinstance(value, str) else (str(value["in"]), value.get("out"))
            for text in sample_expression(self._parse(said)) if is_template(said) else (said,):
                if span := lexer.plain(text, self._words):
                    spans.setdefault(span, _plain(text.strip() if out is None else out))

    # --- hassil's tree → atoms

    def _atoms(self, tree: Any, *, scene: bool = False) -> list[Atom]:
        from hassil.expression import Alternative, ListReference, Permutation, RuleReference, TextChunk

        if isinstance(tree, TextChunk):
            groups = itertools.groupby(tree.text, key=str.isspace)
            return [SPACE if blank else ("text", "".join(part)) for blank, part in groups]
        if isinstance(tree, ListReference):
            return [("leaf", self._leaf(tree.list_name, scene=scene), f"slot.{tree.slot_name}")]
        if isinstance(tree, RuleReference):
            return [("rule", tree.rule_name)]
        parts = [self._atoms(part, scene=scene) for part in tree.items]
        if isinstance(tree, Alternative):
            return [("either", parts)]
        if isinstance(tree, Permutation):
            orders = itertools.permutations(parts)
            return [
                ("either", [[SPACE, *itertools.chain(*((*one, SPACE) for one in order))] for order in orders])
            ]
        return [atom for part in parts for atom in part]

    def _leaf(self, name: str, *, scene: bool) -> str:
        if name in OPEN:
            return "scene" if scene and name == "name" else OPEN[name]
        if self._lists.get(name, {}).get("wildcard") or name not in self._lists:
            return self._free
        return f"ha.{name}"

    # --- atoms → a tree over tokens

    def _build(self, atoms: Sequence[Atom]) -> Tree:
        """The tree of atoms: a sequence of what stands between spaces."""
        clusters = itertools.groupby(atoms, key=SPACE.__eq__)
        return _sequence([self._cluster(list(cluster)) for blank, cluster in clusters if not blank])

    def _cluster(self, atoms: list[Atom]) -> Tree:
        if len(atoms) == 1:
            kind = atoms[0][0]
            if kind == "either":
                return _either([self._build(part) for part in atoms[0][1]])
            if kind == "rule":
                return self._reference(atoms[0][1])
            return self._line(atoms)
        runs: list[list[Atom]] = [[atoms[0]]]
        for at, (left, right) in enumerate(itertools.pairwise(atoms), start=1):
            if left[0] == "leaf":
                self.endings |= {text for text in self._beginnings(right) if text.isalpha()}
            if self._open(atoms[:at], last=True) and self._open(atoms[at:], last=False):
                runs[-1].append(right)
            else:
                runs.append([right])
        if len(runs) > 1:
            return _sequence([self._cluster(run) for run in runs])
        return _either([self._line(line) for line in self._multiplied(atoms)])

    def _beginnings(self, atom: Atom) -> Iterator[str]:
        """The words that a list may be glued to: "{area}s"."""
        if atom[0] == "text":
            yield from self._plain(atom[1])[:1]
        for part in atom[1] if atom[0] == "either" else ():
            yield from self._beginnings(part[0]) if part else ()

    def _open(self, atoms: Sequence[Atom], *, last: bool) -> bool:
        """Whether they may end, or begin, with a letter that is one token with the letter beside it."""
        for atom in reversed(atoms) if last else atoms:
            kind = atom[0]
            if kind == "text" and lexer.is_spaced(atom[1][-1 if last else 0]):
                return True
            parts = atom[1] if kind == "either" else [self._body(atom[1])] if kind == "rule" else []
            if any(self._open(part, last=last) for part in parts):
                return True
            if not self._may_be_empty(atom):
                return False
        return False

    def _may_be_empty(self, atom: Atom) -> bool:
        parts = atom[1] if atom[0] == "either" else [self._body(atom[1])] if atom[0] == "rule" else []
        return any(all(map(self._may_be_empty, part)) for part in parts)

    def _body(self, rule: str) -> list[Atom]:
        if rule not in self._of_rules:
            body = self._bodies.get(rule)
            self._of_rules[rule] = [] if body is None else self._atoms(body)
        return self._of_rules[rule]

    def _plain(self, text: str) -> tuple[str, ...]:
        if text not in self._lexed:
            self._lexed[text] = lexer.plain(text, self._words)
        return self._lexed[text]

    def _reference(self, rule: str) -> Tree:
        name = f"ha.{rule}"
        if name not in self._grammar.rules:
            self._grammar.add(name, self._build(self._body(rule)), source=f"home-assistant-intents <{rule}>")
        return ("r", name, "")

    def _multiplied(self, atoms: Iterable[Atom]) -> list[list[Atom]]:
        """Every way to write what touches."""
        ways: list[list[Atom]] = [[]]
        for atom in atoms:
            if atom[0] == "either":
                more = [way for part in atom[1] for way in self._multiplied(part)]
            elif atom[0] == "rule":
                more = self._multiplied(self._body(atom[1]))
            else:
                more = [[atom]]
            if len(ways) * len(more) > MOST_WAYS:
                raise _TooMany
            ways = [[*way, *one] for way in ways for one in more]
        return ways

    def _line(self, atoms: Sequence[Atom]) -> Tree:
        """The tree of atoms that touch: their text is joined, then cut into tokens."""
        parts: list[Tree] = []
        for kind, alike in itertools.groupby(atoms, key=lambda atom: atom[0]):
            if kind == "leaf":
                parts += [("l", leaf, slot) for _, leaf, slot in alike]
            elif kind == "text":
                words = self._plain("".join(text for _, text in alike))
                parts += [("w", word) for word in words if word not in lexer.PAUSES]
        return _sequence(parts)


class _TooMany(Exception):
    pass


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _sequence(parts: Sequence[Tree]) -> Tree:
    flat = [one for part in parts for one in (part[1] if part[0] == "s" else (part,))]
    return flat[0] if len(flat) == 1 else ("s", tuple(flat))


def _either(options: Sequence[Tree]) -> Tree:
    """Alternatives without doubles; one that is empty makes them optional."""
    flat = [one for option in options for one in (option[1] if option[0] == "a" else (option,))]
    some = tuple(dict.fromkeys(one for one in flat if one != EMPTY))
    if not some:
        return EMPTY
    made: Tree = some[0] if len(some) == 1 else ("a", some)
    return ("o", made) if EMPTY in flat and made[0] != "o" else made
