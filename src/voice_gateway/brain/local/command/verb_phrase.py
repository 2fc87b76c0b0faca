"""The verb, the state and the value of one clause, taken out of its words; what is left is the thing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from home_words import command_words as words
from voice_gateway.brain.local.grammar import Slot


@dataclass
class VerbPhrase:
    """The clause while its words are taken out one after the other."""

    rest: str
    verb: str = ""
    senses: tuple[str, ...] = ("",)
    state: str = ""
    value: str = ""  # the kind of value
    found: dict[str, str] = field(default_factory=dict)
    small: bool = False

    def does(self, *senses: str) -> bool:
        return any(sense in self.senses for sense in senses)

    @property
    def amount(self) -> float:
        number = self.found.get("n") or self.found.get("n2") or "0"
        return float(number.replace("minus ", "-"))

    @property
    def unit(self) -> dict[str, Slot]:
        return {"unit": words.UNITS[self.found["unit"]]} if "unit" in self.found else {}

    @property
    def direction(self) -> int:
        """1 is more, -1 is less, 0 is not said."""
        more = self.found.get("more", "")
        if more in words.MORE:
            return words.MORE[more][1]
        said = more or self.state
        if said in ("up", "down"):
            return 1 if said == "up" else -1
        less = self.does("lower", "less", "dim", "cool")
        return 1 if self.does("raise", "more", "warm") else -1 if less else 0

    @property
    def relative(self) -> bool:
        """By so much, not to so much."""
        if prep := self.found.get("prep"):
            return prep == "by"
        return self.value == "shared" or (self.direction != 0 and not self.does("dim"))

    @property
    def subject(self) -> str:
        """ "light" or "heat", where the words say so."""
        about = words.MORE.get(self.found.get("more", ""), ("", 0))[0]
        if of := self.found.get("of", ""):
            return "light" if re.fullmatch(words.LIGHT, of) else "heat"
        if about or self.state == "dark":
            return about or "light"
        if self.value in ("colour", "kelvin"):
            return "light"
        hot = self.value == "degrees" or self.does("warm", "cool")
        return "heat" if hot or (self.rest != "it" and words.HEATED.search(self.rest)) else ""


def verb_phrases(text: str) -> Iterator[VerbPhrase]:
    """With its verb, the longest first ("set to", "set"); and as a thing with a state behind it."""
    verb = words.VERB.match(text)
    if verb:
        yield _taken(VerbPhrase(text[verb.end() :].strip(), verb[1], words.VERBS[verb[1]]))
        short = verb[1].split()[0]
        if short != verb[1] and short in words.VERBS:
            yield _taken(VerbPhrase(text.removeprefix(short).strip(), short, words.VERBS[short]))
    if not verb or verb[1] in words.NOUNS:
        yield _taken(VerbPhrase(text))


def _taken(clause: VerbPhrase) -> VerbPhrase:
    particle = words.PARTICLE.match(clause.rest) if clause.does("set", "pull") else None
    if particle:
        clause.state = {"of": "off", "out": "off"}.get(particle[1], particle[1])
        clause.rest = clause.rest[particle.end() :]
    _take_value(clause)
    if not clause.state and (
        not clause.verb or clause.does("set", "pull", "open", "close", "off", "on", "warm")
    ):
        clause.rest = words.WAY.sub("", clause.rest).strip()
        states = list(words.STATE_AT.finditer(clause.rest))
        if states and (clause.verb or states[-1].start() > 0):
            clause.state = words.STATES[states[-1]["state"]]
            clause.rest = _without(clause.rest, states[-1])
    return clause


def _take_value(clause: VerbPhrase) -> None:
    for kind, pattern in words.VALUES:
        found = pattern.search(clause.rest)
        # "Turn on light 2" is no level, and "turn off some lights" no wish for some light.
        if not found or (kind == "number" and clause.state and not found["prep"]):
            continue
        if kind == "some" and clause.verb not in words.HAVE:
            continue
        # A colour is of a thing: "turn on violet" names one.
        if kind in ("colour", "kelvin") and not _without(clause.rest, found):
            continue
        clause.value = kind
        clause.found = {key: value for key, value in found.groupdict().items() if value}
        clause.small = "small" in clause.found or "after" in clause.found
        rest = _without(clause.rest, found)
        clause.rest = re.sub(rf" (?:all|both|each|{words.MORE_WORD})$", "", rest)
        return
    if end := words.SMALL_END.search(clause.rest):
        clause.small, clause.rest = True, clause.rest[: end.start()]


def _without(text: str, found: re.Match[str]) -> str:
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
