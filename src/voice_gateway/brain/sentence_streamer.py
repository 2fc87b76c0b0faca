"""The only way from a model's text to the user: sentence by sentence, each looked at before it leaves."""

import re
from collections.abc import Callable, Sequence

from voice_gateway.turn import Say, ToolOutcome

# Looks at one sentence and what was done so far in this turn; a reason keeps it (and all behind it) back.
Review = Callable[[str, Sequence[ToolOutcome]], str | None]

# What opens like this may turn out to be JSON, a tag, a fence or our own time stamp: it is held to its end.
_SUSPECT = ("{", "<", "[", "`", '"')
_SENTENCE = re.compile(r".*?(?:[.!?…][)\"'”’]*(?=\s)|\n)\s*", re.DOTALL)


class SentenceStreamer:
    """Lets the text of one turn out. `said` is exactly what went through `say`."""

    def __init__(self, say: Say | None, accept: Callable[[str], bool]) -> None:
        self._say = say
        self._accept = accept
        self._waiting = ""
        self._round = ""  # what was let out of the present model call
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
        """The next piece of the stream; whole sentences go out as soon as they are found good."""
        self._waiting += text
        while not self._closed:
            start = self._waiting.lstrip()
            if start.startswith(_SUSPECT):
                self._closed = True
                return
            sentence = _SENTENCE.match(self._waiting)
            if sentence is None:
                return
            if sentence[0].strip() and not self._accept(sentence[0].strip()):
                self._closed = True
                return
            self._waiting = self._waiting[sentence.end() :]
            self._let_out(sentence[0])

    def remaining(self, text: str) -> str:
        """The part of the complete, cleaned text of this model call that has not been said yet."""
        begun = "".join(self._round.split())  # white space is not kept exactly
        position = 0
        for character in begun:
            while text[position : position + 1].isspace():
                position += 1
            if text[position : position + 1] != character:
                return text
            position += 1
        return text[position:].lstrip()

    def finish(self, text: str) -> bool:
        """Let out the rest of a complete text; False, and nothing leaves, when one sentence is refused."""
        rest = self.remaining(text)
        if not all(self._accept(sentence) for sentence in sentences(rest)):
            return False
        self._let_out(rest)
        self._waiting = ""
        return True

    def add(self, text: str) -> None:
        """Say something that needs no review: our own words about what was done."""
        self._waiting, self._round = "", ""
        self._let_out(text)

    def _let_out(self, text: str) -> None:
        if not text.strip():
            return
        if self.said and not self.said[-1].isspace() and not text[0].isspace():
            text = " " + text
        self._round += text
        self.said += text
        if self._say is not None:
            self._say(text)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the space between them."""
    found, position = [], 0
    while match := _SENTENCE.match(text, position):
        if match.end() == position:
            break
        found.append(match[0].strip())
        position = match.end()
    found.append(text[position:].strip())
    return [sentence for sentence in found if sentence]
