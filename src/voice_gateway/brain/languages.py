"""The words of a home, language by language: ours out of `languages.toml`, and home-assistant-intents'."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import dropwhile
from pathlib import Path
from typing import Any

from home_words import names
from home_words.numbers import NUMBER_WORDS, to_digits

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
BREAK = re.compile(r"[,:](?!\d)|[;()–—…]|\s-\s|[、，；：。،؛।]")
_SPELLED_OUT = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "i'm": "i am", "i've": "i have",
    "i'd": "i would", "i'll": "i will", "we've": "we have", "we'll": "we will", "we're": "we are",
    "it's": "it is", "that's": "that is", "there's": "there is", "here's": "here is", "let's": "let us",
    "what's": "what is", "who's": "who is", "everything's": "everything is", "you're": "you are",
}  # fmt: skip
_BARE_CHARACTERS, _BARE_WORDS = 18, 4  # of "which lamp?", in whatever script
LEAST_STEM = 4  # letters that words of one family share; fewer would join strangers


@cache
def listed(*path: str) -> frozenset[str]:
    """A list of words out of our data."""
    found: Any = data()
    for key in path:
        found = found[key]
    return frozenset(found.split())


@cache
def data() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Language:
    """The words of one language: ours, and those that home-assistant-intents has for a home."""

    code: str

    @cached_property
    def own(self) -> Mapping[str, Any]:
        own: Mapping[str, Any] = data().get(self.code, {})
        return own

    def words(self, key: str) -> frozenset[str]:
        return listed(self.code, key)

    @cached_property
    def function(self) -> frozenset[str]:
        """Common words: they show the language, and carry no fact."""
        return self.words("function")

    @cached_property
    def asks(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{'|'.join(self.own['ask'])})(?!\w)")

    @cached_property
    def asks_back(self) -> re.Pattern[str]:
        """What asks for the words that are missing."""
        return re.compile(rf"\b(?:{'|'.join(data()['asks_back'][self.code])})\b")

    @cached_property
    def polite(self) -> frozenset[str]:
        """With the common words all that courtesy needs."""
        return self.function | self.words("courtesy")

    @cached_property
    def toggled(self) -> frozenset[str]:
        """Common words that are states at the end of a clause: "die Lampe ist aus"."""
        return frozenset(data()["toggled"].get(self.code, "").split())

    @cached_property
    def granted(self) -> frozenset[str]:
        """Words that take a deed for granted."""
        return listed("granted", self.code)

    @cached_property
    def unable(self) -> re.Pattern[str]:
        """One clause of inability, refusal or offer."""
        return self.pattern("unable")

    @cache  # noqa: B019  languages live as long as the program
    def pattern(self, key: str) -> re.Pattern[str]:
        """A list of forms; … stands for up to eight words, VERB for what a tool carries out."""
        forms = "|".join(self.own[key]).replace("…", r"(?: \S+){0,8}")
        for mark, verbs in (("VERBED", tool_verbs()), ("VERB", listed("verbs", "base"))):
            forms = forms.replace(mark, f"(?:{'|'.join(sorted(verbs))})")
        return re.compile(forms)

    @cached_property
    def states(self) -> frozenset[str]:
        """Words that state how something is; nothing that says what somebody cannot do has one."""
        return self.words("is")

    def clauses(self, sentence: str, *, asked: bool = False) -> list[list[str]]:
        """The words of each part between commas and "and" or "but", without "okay" and the like in front. In
        what is `asked` only English has them as its own clauses: "what is orange and walks"."""
        pieces = [spelled_out(piece) for piece in BREAK.split(sentence)]
        if not asked or self.code == "en":
            pieces = [part for piece in pieces for part in self._joins.split(piece)]
        return [words for piece in pieces if (words := without_opening(piece))]

    @cached_property
    def _joins(self) -> re.Pattern[str]:
        return re.compile(rf"(?<=\w )(?:{'|'.join(self.own['joins'].split())})\b")

    @cached_property
    def home(self) -> frozenset[str]:
        """Every word that somebody says to a home in this language, without the common ones."""
        if self.code == "en":
            return frozenset()
        from home_assistant_intents import get_intents

        content: Mapping[str, Any] = get_intents(self.code) or {}
        common = self._common | set(words_in(" ".join(self.own["ask"] + self.own["talk"])))
        return frozenset(word for word in _template_words(content) if len(word) >= LEAST_STEM) - common

    @cached_property
    def _common(self) -> frozenset[str]:
        return self.function | self.words("plain")

    @cached_property
    def _home_stems(self) -> frozenset[str]:
        return frozenset(word[: max(LEAST_STEM + 1, len(word) - 2)] for word in self.home)

    def is_state(self, word: str) -> bool:
        """In a language other than English, how something is: who says so has looked."""
        return matches(word, data()["seen"].get(self.code, ""))

    def names_home(self, words: Sequence[str]) -> bool:
        """Whether a kind of device, a state or a tool's subject is among them."""
        subjects = data()["subjects"].get(self.code, "")
        named = any(is_kind(word) or self.is_state(word) for word in words if word not in self._common)
        return named or any(matches(word, subjects) for word in words)

    def speaks_of_home(self, words: Sequence[str]) -> bool:
        """Whether a word is among them that people say to a home, and may say of everything else."""
        return any(
            word in self.home or any(word[:end] in self._home_stems for end in range(5, len(word) + 1))
            for word in words
            if word not in self._common
        )


def _template_words(content: Mapping[str, Any]) -> Iterator[str]:
    intents = content.get("intents", {}).values()
    texts = [sentence for intent in intents for block in intent["data"] for sentence in block["sentences"]]
    texts += content.get("expansion_rules", {}).values()
    lists = content.get("lists", {}).items()  # colours are words of everything
    values = [value for name, words in lists if "color" not in name for value in words.get("values", ())]
    texts += [value["in"] if isinstance(value, Mapping) else str(value) for value in values]
    for text in texts:
        yield from words_in(re.sub(r"<[^<>]*>|\{[^{}]*\}|[\[\]()|]", " ", text))


@cache
def languages() -> Mapping[str, Language]:
    """Those whose words we have: of the others our data holds at most our own sentences."""
    return {code: Language(code) for code, own in data().items() if "function" in own}


def english() -> Language:
    return languages()["en"]


def clauses_of(sentence: str) -> list[list[str]]:
    """The words of each part between commas, without "okay" and the like in front."""
    return [words for piece in BREAK.split(sentence) if (words := without_opening(piece))]


def without_opening(text: str) -> list[str]:
    """The words of a text without "okay", "well", "but" in front."""
    niceties = english().words("niceties")
    return list(dropwhile(lambda word: word in niceties, spelled_out(text).split()))


@lru_cache(maxsize=256)
def languages_of(text: str, like: tuple[Language, ...] = ()) -> tuple[Language, ...]:
    """The languages that a text may be in, by its common words; none when we do not have its words. Of
    several those that it should be `like`, which may have a word less: "on" is English and Finnish."""
    words = words_in(text)
    plain = " ".join(words)
    hits = {
        known: sum(word in known.function for word in words)
        + bool(known.asks.match(plain) or known.unable.fullmatch(plain))
        for known in languages().values()
    }
    most = max(hits.values())
    found = tuple(known for known, count in hits.items() if most and count + (known in like) >= most)
    alike = tuple(known for known in found if known in like)
    return alike or ((english(),) if english() in found else found)


def own_sentence(key: str, language: str) -> str:
    own = data().get(language.partition("-")[0].casefold(), {})
    return str(own.get(key) or data()["en"][key])


@cache
def _whole_and_stems(words: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Whole words, and stems: those with a star."""
    kinds = words.split()
    return frozenset(kind for kind in kinds if "*" not in kind), tuple(k[:-1] for k in kinds if "*" in k)


@cache
def _kinds() -> tuple[frozenset[str], tuple[str, ...]]:
    """Kinds of devices in every language that we have."""
    return _whole_and_stems(" ".join(data()["kinds"].values()))


@cache
def tool_verbs() -> frozenset[str]:
    """Every form of the verbs that tools carry out."""
    base = data()["verbs"]["base"].split()
    forms = {
        f"{stem}{end}"
        for verb in base
        for stem in {verb, verb.rstrip("e"), verb + verb[-1]}
        for end in ("ed", "ing")
    }
    return frozenset({*base, *(f"{verb}s" for verb in base), *forms, *data()["verbs"]["irregular"].split()})


def is_kind(word: str) -> bool:
    whole, stems = _kinds()
    return singular(word) in whole or word in whole or word.startswith(stems)


def matches(word: str, patterns: str) -> bool:
    """Whether it is one of these words, or has a stem ("erledig*") or an ending ("*łem") of them."""
    whole, stems = _whole_and_stems(" ".join(one for one in patterns.split() if one[0] != "*"))
    return word in whole or word.startswith(stems) or word.endswith(_endings(patterns))


@cache
def _endings(patterns: str) -> tuple[str, ...]:
    return tuple(one[1:] for one in patterns.split() if one[0] == "*")


def is_bare_question(text: str) -> bool:
    """In a language of which we have nothing else: "which lamp?", and no room for anything besides."""
    plain = text.casefold().strip(" ¿?？؟!.。\"'")
    short = len(plain) <= _BARE_CHARACTERS and len(plain.split()) <= _BARE_WORDS
    more = listed("granted", "elsewhere") | listed("bare", "every")
    asks = plain.startswith(tuple(listed("bare", "which")))
    return short and asks and not BREAK.search(plain) and not any(part in plain for part in more)


def numbers_as_digits(words: Sequence[str]) -> list[str]:
    """ "forty-five" is 45."""
    apart = (word.split("-") if set(word.split("-")) <= NUMBER_WORDS.keys() else [word] for word in words)
    return to_digits([part for parts in apart for part in parts])


def words_in(text: str) -> list[str]:
    return _WORD.findall(text.replace("İ", "i").casefold().replace("’", "'"))


def singular(word: str) -> str:
    return names.singular(word.removesuffix("'s"))  # "the door's open"


def spelled_out(text: str) -> str:
    words = [_SPELLED_OUT.get(word, word) for word in words_in(text)]
    return re.sub(r"(?<=\w)n't\b", " not", " ".join(words))
