"""Follows the events of every turn and hands a finished one to a thread that writes it: no turn waits."""

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
from voice_gateway.problems import FILE_DAMAGED, TURNS_LOST
from voice_gateway.turn import ToolOutcome, Utterance

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.recorder.record import Records
    from voice_gateway.recorder.store import TurnStore
    from voice_gateway.sqlite_file import Damage

log = logging.getLogger(__name__)

TURNS_FILE = "turns.sqlite"
MOST_EVENTS = 500  # of one turn; a tool may tell of its progress all day
MOST_OPEN = 1_000  # turns that are under way, or were given up
MOST_WAITING = 5_000  # finished ones, while the disk is slow
STALE_SECONDS = 900.0  # a turn that has not ended by then was given up
MOST_HELD = 500  # finished ones, while the file takes none: those before are lost
TRY_SECONDS = 5.0  # how long a file that is well again may be called lost
TRIM_SECONDS = 3600.0  # how long what is too old may stay in the file where nobody says anything
MOST_TOGETHER = 100  # turns in one transaction
# From one transaction to the next: a turn that comes alone is written at once, and of many those that come
# together are. Whoever reads or closes does not wait for it.
GATHER_SECONDS = 0.1
CLOSE_SECONDS = 3.0  # what is not written by then, as on a disk that hangs, is lost


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a turn saw of the tools and the home, to run it again."""

    version: int = -1  # of the tools
    tools: "Sequence[BaseTool]" = ()
    looks: Sequence[ToolOutcome] = ()


@dataclass(slots=True)
class OpenTurn:
    utterance: Utterance
    begun: float
    around: Surroundings
    events: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    utterance: Utterance
    events: Sequence[Event]
    around: Surroundings


_STOP = object()


class Recorder:
    """One for each gateway. `around` is asked when a turn begins."""

    def __init__(
        self,
        settings: RecorderSettings,
        path: Path,
        watch: EventBus,
        around: Callable[[], Surroundings] = Surroundings,
        *,
        now: Callable[[], float] = time.time,
        try_seconds: float = TRY_SECONDS,
        trim_seconds: float = TRIM_SECONDS,
    ) -> None:
        self.settings = settings
        self.path = path
        self._try_seconds, self._trim_seconds = try_seconds, trim_seconds
        self._watch = watch
        self._around = around
        self._now = now
        self._open: dict[str, OpenTurn] = {}
        self._over: deque[str] = deque(maxlen=100)  # what is told of these comes too late
        self._queue: queue.Queue[Any] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._store: TurnStore | None = None
        self._records: Records | None = None
        self._lost = False  # the file takes nothing now
        self._tried = 0.0  # when turns were written last

    def start(self) -> None:
        if self.settings.enabled:
            self._loop = asyncio.get_running_loop()
            self._watch.subscribe(self._take)
            self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
            self._thread.start()

    def _take(self, event: Event) -> None:
        utterance: Utterance | None = getattr(event, "utterance", None)
        if utterance is None or isinstance(event, Said | Acted):
            return
        turn = self._open.get(utterance.id)
        if turn is None:
            if utterance.id in self._over:
                return
            turn = self._open[utterance.id] = OpenTurn(utterance, self._now(), self._around())
        if len(turn.events) < MOST_EVENTS or isinstance(event, Answered):
            turn.events.append(event)
        if isinstance(event, Answered):
            self._finish(utterance.id)
            self._give_up()

    def _give_up(self) -> None:
        """Whoever asked has left, or the turn was cancelled: what was done until then is known."""
        oldest = next(iter(self._open), None)
        while oldest is not None and (
            len(self._open) > MOST_OPEN or self._now() - self._open[oldest].begun > STALE_SECONDS
        ):
            self._finish(oldest)
            oldest = next(iter(self._open), None)

    def _finish(self, turn_id: str) -> None:
        turn = self._open.pop(turn_id)
        self._over.append(turn_id)
        if self._queue.qsize() >= MOST_WAITING:
            log.error("a turn could not be kept, too many wait for the disk")
            return
        # How the home was before is what the turn began with; one that had to be read first is known now.
        around = turn.around if turn.around.looks else self._around()
        self._queue.put(FinishedTurn(turn.utterance, turn.events, around))

    # --- for who reads

    def store(self) -> "TurnStore":
        """To be used in a thread."""
        from voice_gateway.recorder.store import TurnStore

        if self._store is None:
            self._store = TurnStore(
                self.path,
                days=self.settings.days,
                megabytes=self.settings.megabytes,
                now=self._now,
                on_damage=self._damaged,
            )
        return self._store

    async def written(self, limit_seconds: float = CLOSE_SECONDS) -> None:
        """Returns when every turn that was answered is in the file, or the time is over."""
        if self._thread is None or not self._thread.is_alive():
            return
        done = threading.Event()
        self._queue.put(done)
        await asyncio.to_thread(done.wait, limit_seconds)

    async def read(self, work: "Callable[[TurnStore], Any]") -> Any:
        """With every turn that was answered; RecorderLost: the file cannot be read."""
        await self.written()
        return await asyncio.to_thread(lambda: work(self.store()))

    async def close(self) -> None:
        for turn_id in list(self._open):
            self._finish(turn_id)
        if self._thread is not None and self._thread.is_alive():
            self._queue.put(_STOP)
            await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)

    # --- the thread

    def _write_all(self) -> None:
        try:
            self._write_until_stopped()
        finally:
            if self._store is not None:
                self._store.close()

    def _write_until_stopped(self) -> None:
        held: deque[FinishedTurn] = deque(maxlen=MOST_HELD)  # the file takes them later
        while True:
            waiting = self._next(self._try_seconds if held else self._trim_seconds)
            held.extend(one for one in waiting if isinstance(one, FinishedTurn))
            if held:
                if self._wrote(held):
                    held.clear()
            elif not waiting:
                self._trim()
            for one in waiting:
                if isinstance(one, threading.Event):
                    one.set()
            if _STOP in waiting:
                return

    def _wrote(self, turns: Sequence[FinishedTurn]) -> bool:
        """False: it is worth to try it again."""
        from voice_gateway.recorder.record import Records
        from voice_gateway.recorder.store import RecorderLost

        if self._records is None:
            self.store().keep_open()
            self._records = Records(self.store(), audio=self.settings.audio)
        self._tried = time.monotonic()
        try:
            self._records.write(turns)
        except RecorderLost as error:
            self._lost = self._tell(error, self._lost)
            return False
        except Exception:  # a turn that cannot be written must not cost the next ones
            log.exception("turns could not be kept")
        else:
            self._lost = self._tell(None, self._lost)
        return True

    def _trim(self) -> None:
        try:
            self.store().trim()
        except Exception as error:  # the next turn that is written tells it
            log.info("turns that are too old could not be deleted", extra={"reason": str(error)})
        finally:
            self.store().close()  # a file that somebody has deleted is not held for ever

    def _next(self, seconds: float) -> list[Any]:
        """What waits, together: under load many turns are one transaction. Nothing, when the time is over."""
        waiting: list[Any] = []
        with contextlib.suppress(queue.Empty):
            waiting.append(self._queue.get(timeout=seconds))
            until = self._tried + GATHER_SECONDS
            while len(waiting) < MOST_TOGETHER and isinstance(waiting[-1], FinishedTurn):
                waiting.append(self._queue.get(timeout=max(until - time.monotonic(), 0.0)))
        return waiting

    def _tell(self, error: Exception | None, lost: bool) -> bool:
        """Once each time that it changes; whether the file is lost now."""
        if error is None or not lost:
            self._on_loop(self._report, error)
        return error is not None

    def _damaged(self, damage: "Damage") -> None:
        self._on_loop(self._report_damage, damage)

    def _on_loop(self, told: Callable[[Any], None], what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # it is closed: nobody is there who could be told
            if self._loop is not None:
                self._loop.call_soon_threadsafe(told, what)

    def _report(self, error: Exception | None) -> None:
        if error is not None:
            log.error("turns could not be kept", extra={"reason": str(error)})
            self._watch.report("recorder", State.DEGRADED, TURNS_LOST, f"check the disk: {error}")
        elif self._watch.state("recorder") is State.DEGRADED:
            self._watch.report("recorder", State.OK, "Turns are kept again.")

    def _report_damage(self, damage: "Damage") -> None:
        sentence = FILE_DAMAGED.format(what="turns", consequence=damage.consequence)
        self._watch.report("recorder", State.DEGRADED, sentence, f"the damaged file is {damage.aside}")
