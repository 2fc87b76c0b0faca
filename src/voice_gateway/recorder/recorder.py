"""Collects the events of every turn and hands a finished one to a thread that writes it: no turn waits."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voice_gateway.config import RecorderSettings
from voice_gateway.events import Acted, Answered, Event, EventBus, Said, State
from voice_gateway.problems import TURNS_LOST
from voice_gateway.turn import ToolOutcome, Utterance

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.recorder.record import Records
    from voice_gateway.recorder.store import TurnStore
    from voice_gateway.sqlite_file import Damage

log = logging.getLogger(__name__)

TURNS_FILE = "turns.sqlite"
MOST_EVENTS = 500  # of one turn; a tool may report progress all day
MOST_OPEN, STALE_SECONDS = 1_000, 900.0  # turns that have not ended; later ones are taken as given up
MOST_WAITING = 5_000  # finished turns, while the disk is slow
MOST_HELD = 500  # finished turns, while the file cannot be written; earlier ones are lost
TRY_SECONDS = 5.0  # between two tries of a file that cannot be written
TRIM_SECONDS = 3600.0  # how long what is too old may stay in the file where nothing is said
MOST_TOGETHER = 200  # turns in one transaction
GATHER_SECONDS = 0.1
CLOSE_SECONDS = 3.0  # what is not written by then is lost


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a turn saw of the tools and the home, to run it again."""

    version: int = -1  # of the tools
    tools: "Sequence[BaseTool]" = ()
    looks: Sequence[ToolOutcome] = ()


@dataclass(slots=True)
class RecordedTurn:
    utterance: Utterance
    begun: float
    around: Surroundings
    events: list[Event] = field(default_factory=list)


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
        self.settings, self.path = settings, path
        self._try_seconds, self._trim_seconds = try_seconds, trim_seconds
        self._events, self._around, self._now = events, around, now
        self._open: dict[str, RecordedTurn] = {}
        self._over: deque[str] = deque(maxlen=100)  # events of these turns come too late
        self._queue: queue.Queue[RecordedTurn | threading.Event | None] = queue.Queue()  # None: stop
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._store: TurnStore | None = None
        self._records: Records | None = None

    def start(self) -> None:
        if self.settings.enabled:
            self._loop = asyncio.get_running_loop()
            self._events.subscribe(self._take)
            self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
            self._thread.start()

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
            for turn_id in [open_id for open_id, open_turn in self._open.items() if open_turn.begun < old]:
                self._finish(turn_id)
            while len(self._open) > MOST_OPEN:
                self._finish(next(iter(self._open)))

    def _finish(self, turn_id: str) -> None:
        turn = self._open.pop(turn_id)
        self._over.append(turn_id)
        if self._queue.qsize() >= MOST_WAITING:
            log.error("a turn could not be kept, too many wait for the disk")
            return
        if not turn.around.looks:  # a home that was read during the turn is known now
            turn.around = self._around()
        self._queue.put(turn)

    # --- reading

    def store(self) -> "TurnStore":
        """Blocking: use it in a thread."""
        from voice_gateway.recorder.store import TurnStore

        if self._store is None:
            self._store = TurnStore(
                self.path,
                days=self.settings.days,
                megabytes=self.settings.megabytes,
                now=self._now,
                on_damage=lambda damage: self._on_loop(self._report_damage, damage),
            )
        return self._store

    async def written(self, limit_seconds: float = CLOSE_SECONDS) -> None:
        """Returns when every turn that was answered is in the file, or the time is over."""
        if self._thread is not None and self._thread.is_alive():
            done = threading.Event()
            self._queue.put(done)
            await asyncio.to_thread(done.wait, limit_seconds)

    async def read(self, work: "Callable[[TurnStore], Any]") -> Any:
        """Runs `work` with every turn that was answered. RecorderLost: the file cannot be read."""
        await self.written()
        return await asyncio.to_thread(lambda: work(self.store()))

    async def close(self) -> None:
        for turn_id in list(self._open):
            self._finish(turn_id)
        if self._thread is not None and self._thread.is_alive():
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)

    # --- the thread

    def _write_all(self) -> None:
        held: deque[RecordedTurn] = deque(maxlen=MOST_HELD)  # to be written, now or later
        stopping = False
        while not stopping:
            waiting = self._next(self._try_seconds if held else self._trim_seconds)
            stopping = None in waiting
            held.extend(entry for entry in waiting if isinstance(entry, RecordedTurn))
            if held and self._wrote(held):
                held.clear()
            elif not held and not waiting:
                self._trim()
            for entry in waiting:
                if isinstance(entry, threading.Event):
                    entry.set()

    def _next(self, seconds: float) -> list[RecordedTurn | threading.Event | None]:
        """All that waits: under load many turns are one transaction. Empty when the time is over."""
        waiting: list[RecordedTurn | threading.Event | None] = []
        with contextlib.suppress(queue.Empty):
            waiting.append(self._queue.get(timeout=seconds))
            while len(waiting) < MOST_TOGETHER:
                waiting.append(
                    self._queue.get(timeout=GATHER_SECONDS if isinstance(waiting[-1], RecordedTurn) else 0.0)
                )
        return waiting

    def _wrote(self, turns: Sequence[RecordedTurn]) -> bool:
        """False: the file cannot be written now."""
        from voice_gateway.recorder.record import Records
        from voice_gateway.recorder.store import RecorderLost

        if self._records is None:
            self._records = Records(self.store())
        try:
            self._records.write(turns)
        except RecorderLost as error:
            self._on_loop(self._report, error)
            return False
        except Exception:  # a turn that cannot be written must not cost the next ones
            log.exception("turns could not be kept")
        else:
            self._on_loop(self._report, None)
        return True

    def _trim(self) -> None:
        try:
            self.store().trim()
        except Exception as error:  # the next turn that is written reports it
            log.info("turns that are too old could not be deleted", extra={"reason": str(error)})

    def _on_loop(self, report: Callable[[Any], None], what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            if self._loop is not None:
                self._loop.call_soon_threadsafe(report, what)

    def _report(self, error: Exception | None) -> None:
        lost = self._events.state("recorder") is State.DEGRADED
        if error is not None and not lost:
            log.error("turns could not be kept", extra={"reason": str(error)})
            self._events.report("recorder", State.DEGRADED, TURNS_LOST, f"check the disk: {error}")
        elif error is None and lost:
            self._events.report("recorder", State.OK, "Turns are kept again.")

    def _report_damage(self, damage: "Damage") -> None:
        self._events.report("recorder", State.DEGRADED, *damage.report("turns"))
