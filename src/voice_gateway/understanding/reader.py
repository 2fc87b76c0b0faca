"""Text → readings: passes from exact names to unknown things, and an account of what was read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from voice_gateway.integrations.home import Home
from voice_gateway.understanding.grammar import Built, Chart, Diagnosis
from voice_gateway.understanding.leaves import EXACT, PARTIAL, UNKNOWN, HomeIndex, NameHit, UtteranceLeaves
from voice_gateway.understanding.lexer import MOST_WORDS, PAUSES, Tokens, cut_word, tokens
from voice_gateway.understanding.nodes import Name, Node, field_types, node_types
from voice_gateway.understanding.templates import Language

CLOSE: Final = 0.45  # readings that cost this much more than the best are looked at, too
MOST_CLOSE: Final = 8
# Which names count, and whether commas and stops are kept.
PASSES: Final = ((EXACT, True), (PARTIAL, True), (EXACT, False), (PARTIAL, False))
HESITATION: Final = "uh"
GUESS: Final = 2.5  # a reading behind a new start that costs more counts for nothing
MOST_RESTARTS: Final = 3
ALIKE: Final = 0.74  # a word that is misspelled
SHORTEST_MISSPELLED: Final = 4
LONG_ENOUGH: Final = 6  # letters of a misspelled word of a name: with fewer it could be another word


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand the whole utterance."""

    node: Node
    cost: float
    level: int  # the pass that found it


class Reader:
    """Reads utterances in one language with the names of one home."""

    def __init__(self, language: Language, home: Home) -> None:
        self.language = language
        self.index = HomeIndex(home, language)
        self._parts: dict[str, list[str]] = {}  # of the words that were said

    def tokens(self, text: str) -> Tokens:
        """The tokens of an utterance, with compounds in their parts."""
        said, language = tokens(text, self.language.words), self.language
        if not (language.words.compounds or language.words.endings):
            return said
        words, spans = list[str](), list[tuple[int, int]]()
        for word, span in zip(said.words, said.spans, strict=True):
            if word not in self._parts:
                known = self.index.whole | language.parts
                self._parts[word] = cut_word(word, language.words, language.vocabulary, known) or [word]
            words += self._parts[word]
            spans += [span] * len(self._parts[word])
        return replace(said, words=tuple(words), spans=tuple(spans))

    def known(self, text: str) -> float:
        """The share of the words that are of this language; numbers and names of the home are of any."""
        words, named = self.tokens(text).words, self.index.words
        own = [
            word
            for word in words
            if word.isalpha() and (word in self.language.vocabulary or word not in named)
        ]
        return sum(word in self.language.vocabulary for word in own) / max(len(own), 1)

    def passes(self, said: Tokens, rule: str = "Utterance") -> Iterator[list[Reading]]:
        """The close readings of each pass that has any, the cheapest first."""
        if not said.words or len(said.words) > MOST_WORDS:
            return
        bare = said.without_pauses()
        if (again := self._restarted(said, rule)) is not None:
            yield again
        for level, pauses in PASSES:
            if not pauses and bare.words == said.words:
                continue
            if found := self.read(said if pauses else bare, rule, level):
                yield found
        heard = self._heard(said)
        found = self.read(heard, rule, PARTIAL) if heard is not None else []
        if whole := [one for one in found if not getattr(one.node, "talk", ())]:  # talk may hold any word
            yield whole
        if found := self.read(said, rule, UNKNOWN):
            yield found

    def _restarted(self, said: Tokens, rule: str) -> list[Reading] | None:
        """Readings without the words before a new start: "turn on the, no, put out the hall light"."""
        tried = [said]
        for _ in range(MOST_RESTARTS):
            tried = [cut for one in tried for cut in self._cuts(one, self.language.phrases["restarts"])]
            for level in (EXACT, PARTIAL):
                for cut in tried:
                    if (found := self.read(cut, rule, level)) and found[0].cost <= GUESS:
                        return found
        return None

    def _cuts(self, said: Tokens, marks: Sequence[tuple[str, ...]]) -> Iterator[Tokens]:
        """Copies without the first mark of a new start and with fewer and fewer words before it."""
        for at in range(1, len(said.words)):
            if said.words[at - 1] not in PAUSES | self.language.groups["left_open"] or not _mark(
                said, at, marks
            ):
                continue
            end = at
            while more := _mark(said, end, ((",",), (".",), *marks)):  # "no, hang on, …"
                end += more
            if end >= len(said.words):
                return
            start = at
            while start and said.words[start - 1] in PAUSES:
                start -= 1
            hesitates = said.words[at:end][:1] == (HESITATION,)
            for begin in range(start if hesitates else start - 1, -1, -1):
                yield said.without(begin, end)
            return

    def _heard(self, said: Tokens) -> Tokens | None:
        """A copy with misheard and misspelled words replaced, or None if there are none."""
        words = list(said.words)
        for at, word in enumerate(words):
            if word in self.language.words.heard:
                words[at] = self.language.words.heard[word]
            elif len(word) >= SHORTEST_MISSPELLED and word.isalpha():
                words[at] = self._misspelled(word)
        return replace(said, words=tuple(words)) if tuple(words) != said.words else None

    def _misspelled(self, word: str) -> str:
        """The known word that is one letter off, or the word itself; "opens" is not taken for "open"."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        if word in self.language.vocabulary or word in self.index.words:
            return word
        names = self.index.words if len(word) >= LONG_ENOUGH else ()
        known = [one for one in (*self.language.spelled, *names) if one[0] == word[0]]
        near = process.extractOne(word, known, scorer=OSA.normalized_similarity, score_cutoff=ALIKE)
        doubled = near is not None and word == near[0] + near[0][-1]  # "dimm"
        return near[0] if near and (doubled or not word.startswith(near[0])) else word

    def read(self, said: Tokens, rule: str, level: int) -> list[Reading]:
        """The cheapest reading and those that cost at most CLOSE more."""
        leaves = UtteranceLeaves(said, self.language, self.index, level)
        whole = Chart(self.language.grammar, leaves).whole(rule)
        close = [one for one in whole if one[0] <= whole[0][0] + CLOSE][:MOST_CLOSE]
        return [Reading(self.build(built), cost, level) for cost, built in close]

    def prefix(self, said: Tokens, rule: str) -> int:
        """How many words from the first on this rule matches."""
        leaves = UtteranceLeaves(said, self.language, self.index, EXACT)
        return max((end for end, _, _ in Chart(self.language.grammar, leaves).rule(rule, 0)), default=0)

    def build(self, built: Built) -> Node:
        """The dataclass of a node, with its parts."""
        kind = node_types()[built.kind]
        collects = field_types(kind)
        given: dict[str, Any] = {}
        for key, value in built.pairs:
            part = self._value(value)
            key, dot, name = key.partition(".")  # noqa: PLW2901 ("slot.area" is one of the pairs of `slot`)
            if dot:
                part = (name, part)
            if collects[key]:
                given[key] = (*given.get(key, ()), part)
            else:
                given[key] = part
        return kind(**given)

    def _value(self, value: Any) -> Any:
        if isinstance(value, Built):
            return self.build(value)
        if isinstance(value, NameHit):
            devices = self.index.home.devices
            return Name(tuple(devices[at].key for at in value.places), value.how, value.text)
        return value

    # --- how it was understood

    def explain(self, text: str, rule: str = "Utterance") -> str:
        """The tokens, the chosen tree with its cost and the runner-up, or the longest prefix that fits."""
        said = self.tokens(text)
        lines = [f"tokens: {' '.join(said.words)}"]
        for readings in self.passes(said, rule):
            first = readings[0]
            names = ("exact names", "part of a name or misheard", "an unknown thing")[first.level]
            lines += [f"read with {names}, cost {first.cost:.1f}", *drawn(first.node, 1)]
            if len(readings) > 1:
                lines += [f"next, cost {readings[1].cost:.1f}", *drawn(readings[1].node, 1)]
            return "\n".join(lines)
        end, expected = self.longest(said, rule)
        lines.append(f"not read behind: {' '.join(said.words[:end]) or '(its first word)'}")
        lines.append(f"expected next: {', '.join(expected[:30])}")
        return "\n".join(lines)

    def longest(self, said: Tokens, rule: str = "Utterance") -> tuple[int, list[str]]:
        """Where the longest prefix ends that some template fits, and what was expected there."""
        if not said.words:
            return 0, []
        diagnosis = Diagnosis()
        leaves = UtteranceLeaves(said.part(0, MOST_WORDS), self.language, self.index, PARTIAL)
        Chart(self.language.grammar, leaves, diagnosis).whole(rule)
        return diagnosis.end, sorted(diagnosis.expected)


def _mark(said: Tokens, at: int, marks: Sequence[tuple[str, ...]]) -> int:
    """The length of the mark of a new start at this place, or 0."""
    return max((len(mark) for mark in marks if said.words[at : at + len(mark)] == mark), default=0)


def drawn(node: Node, depth: int = 0) -> Sequence[str]:
    """A node as an indented tree, with only what was said."""
    pad = "  " * depth
    lines = [f"{pad}{type(node).__name__}"]
    for key, collects in field_types(type(node)).items():
        value = getattr(node, key)
        if value in (None, "", (), False):
            continue
        for part in value if collects else (value,):
            if isinstance(part, Name):
                lines.append(
                    f"{pad}  {key}: {part.text!r} ({part.how}: {', '.join(key[0] for key in part.keys)})"
                )
            elif isinstance(part, Node):
                inner = list(drawn(part, depth + 1))
                lines += [f"{pad}  {key}: {inner[0].strip()}", *inner[1:]]
            else:
                lines.append(f"{pad}  {key}: {part}")
    return lines
