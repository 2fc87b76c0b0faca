"""Mute and listening: two switches that survive a restart."""

import json
import logging
from pathlib import Path

from voice_gateway.private_files import private_file

log = logging.getLogger(__name__)

NOT_LISTENING = "I am not listening: that is switched off."


class VoiceSwitches:
    """Listening and not mute, if the file cannot be read."""

    def __init__(self, file: Path) -> None:
        self._file = file
        kept = _read(file)
        self.listening = kept.get("listening") is not False
        self.mute = kept.get("mute") is True

    def set_listening(self, on: bool) -> None:
        self.listening = on
        self._keep()

    def set_mute(self, on: bool) -> None:
        self.mute = on
        self._keep()

    def _keep(self) -> None:
        state = {"listening": self.listening, "mute": self.mute}
        try:
            private_file(self._file).write_text(json.dumps(state), encoding="utf-8")
        except OSError as error:
            log.warning("a switch of the voice is not remembered", extra={"reason": str(error)})


def _read(file: Path) -> dict[str, object]:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("the switches of the voice cannot be read", extra={"reason": str(error)})
        return {}
    return kept if isinstance(kept, dict) else {}
