"""What is said in a turn with a model, decided by where the words come from and not by their meaning.

| the turn | what is said |
|---|---|
| a call with side effects ran, or may have | the outcomes, worded by the gateway |
| only devices of the home were looked at | the look's own sentence |
| other tools were only read from | the model's text; with a number of its own, the tool's text |
| no call, the user's words are about the home | "I haven't changed …", and at most one question |
| no call, anything else | the model's text, behind that sentence if it names a device or room of this home |
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from home_names.phrases import is_question
from voice_gateway.errors import ErrorKind
from voice_gateway.languages.outcomes import told
from voice_gateway.turn import NOT_MADE, NOT_MEANT, OutcomeStatus, Part, PartSource, ToolOutcome
from voice_gateway.turns.sentences import sentences
from voice_gateway.turns.stage import HomeFacts

NOT_CHECKED = "I haven't changed or checked anything."
NO_SUCH_TOOL = "I have no tool for that."
LONGEST_QUESTION = 300  # characters of the model's one question
OWN_WORDS = 3  # so many words of an argument that nobody but the model said
QUOTED = 30  # characters; tools cut what they quote
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,٫٬]\d+)*")
_NOTHING_HAPPENED = NOT_MEANT | NOT_MADE


def is_look(outcome: ToolOutcome) -> bool:
    """The volume is read with the tool that also sets it."""
    return outcome.read_only or outcome.args.get("action") == "get"


class Provenance:
    """What is said in one turn: each method returns what may be said now."""

    def __init__(
        self,
        user_words: str,
        home: HomeFacts,
        of_home: Callable[[ToolOutcome], bool] = lambda _outcome: False,
    ) -> None:
        self._user_words, self._home = user_words, home
        self._streams = home.talk  # nothing but talk can follow, so nothing waits for it
        self._of_home = of_home
        self._outcomes: list[ToolOutcome] = []
        self._round: list[ToolOutcome] = []  # of the last round with calls
        self._held = ""
        self._warned = False
        self.silent = True  # neither the model nor a tool gave anything to say
        self.replaced = False  # the gateway's sentence stands for all that the model wrote

    @property
    def acted(self) -> bool:
        """Whether something was changed, or may have been."""
        return any(map(_changed, self._outcomes))

    def on_outcome(self, outcome: ToolOutcome) -> list[Part]:
        """An act is reported at once. A call that was not made may yet succeed in another form."""
        self.silent = False
        if outcome.status is OutcomeStatus.NOT_PERMITTED and (self._streams or is_look(outcome)):
            return []  # the model tried what plain talk does not ask for
        self._outcomes.append(outcome)
        self._round.append(outcome)
        return self._told([outcome]) if _changed(outcome) else []

    def begin_calls(self) -> None:
        """The text beside a call is no answer yet."""
        self._held, self._round = "", []

    def on_sentence(self, sentence: str) -> list[Part]:
        """A sentence of the model, with the white space behind it."""
        self.silent = False
        if not self._streams or self._outcomes:
            self._held += sentence
            return []
        return self._as_talk(sentence)

    def finish(self) -> list[Part]:
        """What is left to say at the end of the turn."""
        if self.silent:
            return []
        if self.acted:
            looks = [outcome for outcome in self._round if is_look(outcome)]
            return self._told([*self._not_made(), *looks])
        failed, looks = self._not_made(), [*filter(is_look, self._outcomes)]
        if failed or looks:
            return [*self._told(failed), *(self._after_looks(looks) if looks else self._question())]
        if self._home.meant:
            question = self._question()
            self.replaced = not question
            return [_gateway(NOT_CHECKED), *question]
        return self._as_talk(self._held)

    def _after_looks(self, looks: Sequence[ToolOutcome]) -> list[Part]:
        of_home = [outcome for outcome in looks if self._of_home(outcome)]
        others = [outcome for outcome in looks if not self._of_home(outcome)]
        read = [outcome for outcome in others if outcome.ok]
        fits = bool(read) and bool(self._held.strip()) and self._numbers_are_known()
        return [*self._told(of_home), *(_model(self._held) if fits else self._told(others))]

    def _as_talk(self, text: str) -> list[Part]:
        if self._warned or not self._home.names_in(text):
            return _model(text)
        self._warned = True
        return [_gateway(NOT_CHECKED), *_model(text)]

    def _not_made(self) -> list[ToolOutcome]:
        """Acts that were not made, and not made good by a later call of the same tool."""
        done = {outcome.name for outcome in self._outcomes if outcome.ok}
        return [
            outcome
            for outcome in self._outcomes
            if not is_look(outcome) and outcome.status in _NOTHING_HAPPENED and outcome.name not in done
        ]

    def _told(self, outcomes: Sequence[ToolOutcome]) -> list[Part]:
        """The outcomes in the tools' words. An unknown tool's name is the model's and is not repeated."""
        known = [
            replace(outcome, text=NO_SUCH_TOOL) if outcome.error is ErrorKind.UNKNOWN_TOOL else outcome
            for outcome in outcomes
        ]
        if not known:
            return []
        text = told(known)
        return _model(text) if any(self._quotes_the_model(each, text) for each in known) else [_gateway(text)]

    def _quotes_the_model(self, outcome: ToolOutcome, text: str) -> bool:
        """Whether the text repeats an argument with three or more words of the model's own."""
        given = [self._user_words, *self._home.names]
        known = {word for words in given for word in _WORD.findall(words.casefold())}
        values = [value.casefold() for value in outcome.args.values() if isinstance(value, str)]
        return any(
            len(set(_WORD.findall(value)) - known) >= OWN_WORDS and value[:QUOTED] in text.casefold()
            for value in values
        )

    def _question(self) -> list[Part]:
        asked = [
            each for each in sentences(self._held) if is_question(each) and len(each) <= LONGEST_QUESTION
        ]
        return _model(asked[0]) if asked else []

    def _numbers_are_known(self) -> bool:
        given = [self._user_words]
        for outcome in self._outcomes:
            given += [outcome.text, json.dumps([outcome.structured, dict(outcome.args)], default=str)]
        known = {value for text in given for number in _numbers(text) for value in number}
        return all(number & known for number in _numbers(self._held))


def _numbers(text: str) -> list[set[float]]:
    """Each number of the text, in the ways it can be read: a comma may be a decimal point."""
    numbers = [re.sub(r"[٫٬]", ",", number) for number in _NUMBER.findall(text)]
    return [
        {
            float(reading)
            for reading in (number.replace(",", ""), number.replace(".", "").replace(",", "."))
            if reading.count(".") <= 1
        }
        or {float(re.sub(r"\D", "", number))}
        for number in numbers
    ]


def _changed(outcome: ToolOutcome) -> bool:
    return not is_look(outcome) and outcome.status not in _NOTHING_HAPPENED


def _gateway(text: str) -> Part:
    return Part(PartSource.GATEWAY, text)


def _model(text: str) -> list[Part]:
    return [Part(PartSource.MODEL, text)] if text.strip() else []
