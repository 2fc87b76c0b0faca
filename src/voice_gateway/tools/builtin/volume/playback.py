"""The gateway's own loudness, for a machine whose sound system cannot be controlled."""

import json
import logging
import os
from pathlib import Path

from voice_gateway.tools.builtin.volume.tool import FULL, Loudness

log = logging.getLogger(__name__)


class PlaybackVolume:
    """Speaking multiplies its samples with `gain()`. With a file it survives, and other processes see it."""

    label = "the gateway's own playback"

    def __init__(self, percent: int = FULL, *, file: Path | None = None) -> None:
        self._file = file
        self._now = Loudness(percent, muted=False)
        self._look()

    def gain(self) -> float:
        """Asked for every block of sound, so it comes from memory."""
        return 0.0 if self._now.muted else self._now.percent / FULL

    async def read(self) -> Loudness:
        self._look()
        return self._now

    async def set_percent(self, percent: int) -> None:
        self._keep(Loudness(percent, self._now.muted))

    async def set_muted(self, muted: bool) -> None:
        self._keep(Loudness(self._now.percent, muted))

    def _look(self) -> None:
        if self._file is None:
            return
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            percent, muted = kept["percent"], kept["muted"]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning(
                "the kept volume cannot be read", extra={"file": str(self._file), "reason": str(error)}
            )
            return
        if type(percent) is int and 0 <= percent <= FULL and type(muted) is bool:
            self._now = Loudness(percent, muted)

    def _keep(self, now: Loudness) -> None:
        self._now = now
        if self._file is None:
            return
        # Replaced as a whole: nobody ever reads half of it.
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps({"percent": now.percent, "muted": now.muted}), encoding="utf-8")
            fresh.replace(self._file)
        except OSError as error:  # it holds until this process ends
            log.warning("the volume cannot be kept", extra={"file": str(self._file), "reason": str(error)})
