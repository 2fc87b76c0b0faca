"""Collects the events of every turn and hands a finished one to a thread that writes it: no turn waits."""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

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
        self._thread: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.store = TurnStore(  # it blocks: call it in a thread
            path,
            days=settings.days,
            megabytes=settings.megabytes,
            now=now,
            on_damage=lambda damage: self._on_loop(self._report_damage, damage),
        )
        self._records = Records(self.store)

    def start(self) -> None:
        if self.settings.enabled:
            self._loop = asyncio.get_running_loop()
            self._thread = ThreadPoolExecutor(1, "recorder")
            self._events.subscribe(self._take)
            self._write_in(self._trim_seconds)

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
        if self._events.state("recorder") is not State.DEGRADED:
            self._write_in(GATHER_SECONDS)

    # --- reading

    async def written(self, limit_seconds: float = CLOSE_SECONDS) -> None:
        """Returns when every turn that was answered is in the file, or the time is over."""
        if self._thread is not None:
            work = asyncio.get_running_loop().run_in_executor(self._thread, self._write)
            await asyncio.wait([work], timeout=limit_seconds)

    async def read(self, work: Callable[[TurnStore], T]) -> T:
        """Runs `work` with every turn that was answered. RecorderLost: the file cannot be read."""
        await self.written()
        return await asyncio.to_thread(work, self.store)

    async def close(self) -> None:
        for turn_id in list(self._open):
            self._finish(turn_id)
        await self.written()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown(wait=False)
        if self._timer is not None:
            self._timer.cancel()

    # --- the thread

    def _write_in(self, seconds: float) -> None:
        """Writes after this time, or earlier if that is planned already."""
        if self._loop is None or self._thread is None:
            return
        due = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > due:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(due, self._submit)

    def _submit(self) -> None:
        self._timer = None
        if self._thread is not None:
            self._thread.submit(self._write)

    def _write(self) -> None:
        """Writes all that waits in one transaction; without any, deletes what is too old."""
        turns = [self._waiting.popleft() for _ in range(len(self._waiting))]
        lost: RecorderLost | None = None
        try:
            if turns:
                self._records.write(turns)
            else:
                self.store.trim()
        except RecorderLost as error:
            lost = error
            free = MOST_HELD - len(self._waiting)  # others came since
            self._waiting.extendleft(reversed(turns[-free:] if free else []))
        except Exception:  # a turn that cannot be written must not cost the next ones
            log.exception("turns could not be kept")
        self._on_loop(self._report, lost)

    def _on_loop(self, report: Callable[[Any], None], what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            if self._loop is not None:
                self._loop.call_soon_threadsafe(report, what)

    def _report(self, error: Exception | None) -> None:
        self._write_in(self._trim_seconds if error is None else self._try_seconds)
        lost = self._events.state("recorder") is State.DEGRADED
        if error is not None and not lost:
            log.error("turns could not be kept", extra={"reason": str(error)})
            self._events.report("recorder", State.DEGRADED, TURNS_LOST, f"check the disk: {error}")
        elif error is None and lost:
            self._events.report("recorder", State.OK, "Turns are kept again.")

    def _report_damage(self, damage: Damage) -> None:
        self._events.report("recorder", State.DEGRADED, *damage.report("turns"))
