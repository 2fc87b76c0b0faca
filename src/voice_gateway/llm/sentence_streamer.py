"""Takes the stream of a model's text and hands it on sentence by sentence, each after a review."""

from collections.abc import Callable, Iterable, Sequence

from voice_gateway.turn import Part, Say, joined
from voice_gateway.turns.sentences import SENTENCE, pieces

# Takes a sentence with the white space behind it, and returns what may be said now.
Review = Callable[[str], Sequence[Part]]

# What opens like this may turn out to be JSON, a tag, a fence or our own time stamp: it is held to its end.
_SUSPECT = ("{", "<", "[", "`", '"')


class SentenceStreamer:
    """Lets the words of one turn out. `said` is exactly what went through `say`."""

    def __init__(self, say: Say | None, review: Review, usable: Callable[[str], bool]) -> None:
        self._say = say
        self._review, self._usable = review, usable
        self._waiting = ""
        self._round = ""  # what was reviewed of the present model call
        self._closed = False
        self.said: list[Part] = []

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

    def add(self, parts: Iterable[Part]) -> None:
        """Say what needs no review: the gateway's own words about what was done."""
        for part in parts:
            self._let_out(part)

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What was said, by source."""
        return joined(self.said)

    def _next(self, sentence: str) -> None:
        self._round += sentence
        if sentence.strip():
            self.add(self._review(sentence))

    def _let_out(self, part: Part) -> None:
        if not part.text.strip():
            return
        if self.said and not self.said[-1].text[-1].isspace() and not part.text[0].isspace():
            part = Part(part.source, " " + part.text)
        self.said.append(part)
        if self._say is not None:
            self._say(part)
