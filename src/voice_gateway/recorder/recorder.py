"""Collects the events of every turn and hands a finished one to a thread that writes it: no turn waits."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from voice_gateway.backoff import wait_at_most
from voice_gateway.config import RecorderSettings
from voice_gateway.events import Acted, Answered, Event, EventBus, Said, State
from voice_gateway.problems import TURNS_LOST
from voice_gateway.recorder.record import RecordedTurn, Records, Surroundings
from voice_gateway.recorder.store import RecorderLost, TurnStore
from voice_gateway.sqlite_file import Damage
from voice_gateway.turn import Utterance

log = logging.getLogger(__name__)

T = TypeVar("T")

TURNS_FILE = "turns.sqlite"
MOST_EVENTS = 500  # of one turn; a tool may report progress all day
STALE_SECONDS = 900.0  # a turn that has not ended by then was given up
MOST_HELD = 500  # finished turns that wait for a slow or full disk; earlier ones are lost
TRY_SECONDS = 5.0  # between two tries of a file that cannot be written
TRIM_SECONDS = 3600.0  # how long what is too old may stay in the file where nothing is said
GATHER_SECONDS = 0.1  # turns that end in this time are one transaction
CLOSE_SECONDS = 3.0  # what is not written by then is lost


class Recorder:
    """One for each gateway. `around` is asked when a turn begins."""

    def __init__(
        self,
        settings: RecorderSettings,
        path: Path,
        events: EventBus,
        around: Callable[[], Surroundings] = Surroundings,
        *,
        now: Callable[[], float] = time.time,
        try_seconds: float = TRY_SECONDS,
        trim_seconds: float = TRIM_SECONDS,
    ) -> None:
        self.settings = settings
        self._try_seconds, self._trim_seconds = try_seconds, trim_seconds
        self._events, self._around, self._now = events, around, now
        self._open: dict[str, RecordedTurn] = {}
        self._over: deque[str] = deque(maxlen=100)  # events of these turns come too late
        self._waiting: deque[RecordedTurn] = deque(maxlen=MOST_HELD)  # finished, and not written yet
        self._news = asyncio.Event()
        self._damages: list[Damage] = []  # not reported yet
        self._thread = ThreadPoolExecutor(1, "recorder")
        self.store = TurnStore(  # it blocks: call it in a thread
            path,
            days=settings.days,
            megabytes=settings.megabytes,
            now=now,
            on_damage=self._damages.append,
        )
        self._records = Records(self.store)
        if settings.enabled:
            events.subscribe(self._take)

    def _take(self, event: Event) -> None:
        utterance: Utterance | None = getattr(event, "utterance", None)
        if utterance is None or isinstance(event, Said | Acted) or utterance.id in self._over:
            return
        turn = self._open.get(utterance.id)
        if turn is None:
            turn = self._open[utterance.id] = RecordedTurn(utterance, self._now(), self._around())
        if len(turn.events) < MOST_EVENTS or isinstance(event, Answered):
            turn.events.append(event)
        if isinstance(event, Answered):
            self._finish(utterance.id)
            old = self._now() - STALE_SECONDS
            for turn_id in [turn_id for turn_id, other in self._open.items() if other.begun < old]:
                self._finish(turn_id)

    def _finish(self, turn_id: str) -> None:
        turn = self._open.pop(turn_id)
        self._over.append(turn_id)
        if not turn.around.looks:  # a home that was read during the turn is known now
            turn.around = self._around()
        self._waiting.append(turn)
        self._news.set()

    # --- reading

    async def written(self, limit_seconds: float | None = CLOSE_SECONDS) -> None:
        """Returns when every turn that was answered is in the file, or the time is over."""
        if self.settings.enabled:
            work = asyncio.get_running_loop().run_in_executor(self._thread, self._write)
            done, _ = await asyncio.wait([work], timeout=limit_seconds)
            for each in done:
                self._report(each.result())

    async def read(self, work: Callable[[TurnStore], T]) -> T:
        """Runs `work` with every turn that was answered. RecorderLost: the file cannot be read."""
        await self.written()
        return await asyncio.to_thread(work, self.store)

    async def close(self) -> None:
        for turn_id in list(self._open):
            self._finish(turn_id)
        await self.written()
        self._thread.shutdown(wait=False)

    # --- writing

    async def run(self) -> None:
        """Writes finished turns, and deletes what is too old, until cancelled."""
        while self.settings.enabled:
            await wait_at_most(self._news, self._trim_seconds)
            self._news.clear()
            await asyncio.sleep(GATHER_SECONDS)
            await self.written(None)
            if self._events.state("recorder") is State.DEGRADED:
                self._news.set()
                await asyncio.sleep(self._try_seconds)

    def _write(self) -> RecorderLost | None:
        """Writes all that waits in one transaction; without any, deletes what is too old. In the thread."""
        turns = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            if turns:
                self._records.write(turns)
            else:
                self.store.trim()
        except RecorderLost as error:
            free = MOST_HELD - len(self._waiting)  # others came since
            self._waiting.extendleft(reversed(turns[-free:] if free else []))
            return error
        except Exception:  # a turn that cannot be written must not cost the next ones
            log.exception("turns could not be kept")
        return None

    def _report(self, error: Exception | None) -> None:
        while self._damages:
            self._events.report("recorder", State.DEGRADED, *self._damages.pop(0).report("turns"))
        lost = self._events.state("recorder") is State.DEGRADED
        if error is not None and not lost:
            log.error("turns could not be kept", extra={"reason": str(error)})
            self._events.report("recorder", State.DEGRADED, TURNS_LOST, f"check the disk: {error}")
        elif error is None and lost:
            self._events.report("recorder", State.OK, "Turns are kept again.")
