"""Wake words: the Protocol of an engine, and what engines share."""

from collections.abc import Iterable
from typing import Protocol

from voice_gateway.errors import HearingError
from voice_gateway.hearing.audio import Samples
from voice_gateway.turn import WakeDetected


class WakeWord(Protocol):
    """Listens for some words in one stream. Blocking: call it in the stream's `Worker`."""

    def feed(self, samples: Samples) -> WakeDetected | None:
        """Hear a chunk of any length. After a detection the engine has forgotten everything before it."""

    def reset(self) -> None:
        """Forget what was heard; a new stream, or one that was paused, begins."""


def known_words(wanted: Iterable[str], known: Iterable[str], *, file_ending: str) -> list[str]:
    """The wanted words as the engine spells them; "Hey Jarvis" is hey_jarvis, a file stays as it is."""
    names, found = sorted(known), []
    for word in wanted:
        spelled = word if word.endswith(file_ending) else "_".join(word.lower().replace("-", " ").split())
        if spelled not in names and not spelled.endswith(file_ending):
            raise HearingError(
                f'the wake word "{word}" is not known: voice.wake_words takes {", ".join(names)}, '
                f"or the path of a {file_ending} file"
            )
        found.append(spelled)
    return list(dict.fromkeys(found))
