"""The only way from a model's text to the user: sentence by sentence, each looked at before it leaves."""

from collections.abc import Callable

from voice_gateway.turn import Say
from voice_gateway.turns.sentences import SENTENCE, pieces

# Gets one sentence, and gives what may be said now: the sentence, nothing, or it and what waited before.
Review = Callable[[str], str]

# What opens like this may turn out to be JSON, a tag, a fence or our own time stamp: it is held to its end.
_SUSPECT = ("{", "<", "[", "`", '"')


class SentenceStreamer:
    """Lets the text of one turn out. `said` is exactly what went through `say`."""

    def __init__(self, say: Say | None, review: Review, usable: Callable[[str], bool]) -> None:
        self._say = say
        self._review, self._usable = review, usable
        self._waiting = ""
        self._round = ""  # what was reviewed of the present model call
        self._closed = False
        self.said = ""

    def open(self, *, hold: bool, again: bool = False) -> None:
        """A new model call begins. With `hold` nothing leaves before its text is complete (see `finish`).

        With `again` it is the same question: what was said of the first try is not said twice.
        """
        self._waiting, self._closed = "", hold or again
        if not again:
            self._round = ""

    def feed(self, text: str) -> None:
        """The next piece of the stream; whole sentences are reviewed as soon as they are there."""
        self._waiting += text
        while not self._closed:
            start = self._waiting.lstrip()
            sentence = SENTENCE.match(self._waiting)
            if start.startswith(_SUSPECT) or (sentence and not self._usable(sentence[0].strip())):
                self._closed = True
                return
            if sentence is None:
                return
            self._waiting = self._waiting[sentence.end() :]
            self._next(sentence[0])

    def remaining(self, text: str) -> str:
        """The part of the complete, cleaned text of this model call that was not reviewed yet."""
        begun = "".join(self._round.split())  # white space is not kept exactly
        position = 0
        for character in begun:
            while text[position : position + 1].isspace():
                position += 1
            if text[position : position + 1] != character:
                return text
            position += 1
        return text[position:].lstrip()

    def finish(self, text: str) -> None:
        """Review the rest of a complete text."""
        for sentence in pieces(self.remaining(text)):
            if self._usable(sentence.strip()):
                self._next(sentence)
        self._waiting = ""

    def add(self, text: str) -> None:
        """Say something that needs no review: our own words about what was done."""
        self._let_out(text)

    def _next(self, sentence: str) -> None:
        self._round += sentence
        text = sentence.strip()
        if text and (reviewed := self._review(text)):
            self._let_out(reviewed + sentence[len(sentence.rstrip()) :])

    def _let_out(self, text: str) -> None:
        if not text.strip():
            return
        if self.said and not self.said[-1].isspace() and not text[0].isspace():
            text = " " + text
        self.said += text
        if self._say is not None:
            self._say(text)
