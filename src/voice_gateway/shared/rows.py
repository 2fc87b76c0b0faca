"""Numbered rows for routines and timers: in a SQLite file, or in the Redis that gateways share."""

import contextlib
import json
import logging
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from voice_gateway.errors import ConfigError, ToolUnavailable
from voice_gateway.shared import LEASE_SECONDS, LIMIT_SECONDS, NOT_INSTALLED, PREFIX
from voice_gateway.sqlite_file import BUSY_SECONDS, Damage, SqliteFile, stamp

log = logging.getLogger(__name__)

R = TypeVar("R", bound=NamedTuple)
M = TypeVar("M")
T = TypeVar("T")
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError)


class Rows(dict[int, R]):
    """The rows that a change works on; what it puts or deletes in here is written when it returns."""

    def __init__(self, rows: Iterable[tuple[int, R]] = (), *, count: int = 0, last_number: int = 0) -> None:
        super().__init__(rows)
        self.count = count  # of all rows, also those that are not in here
        self.last_number = last_number
        self._before = dict(self)

    def add(self, row: R) -> int:
        """The number of the new row. A number is never given twice."""
        self.last_number += 1
        self[self.last_number] = row
        return self.last_number

    def changes(self) -> tuple[dict[int, R], list[int]]:
        """What is to be written, and the numbers of what is to be deleted."""
        put = {number: row for number, row in self.items() if self._before.get(number) != row}
        return put, [number for number in self._before if number not in self]


class RowTable(Protocol[R]):
    """Numbered rows that processes share; every method blocks. ToolUnavailable: nothing was done."""

    def read(self) -> dict[int, R]: ...

    def change(self, work: Callable[[Rows[R]], T], ids: Iterable[int] = (), *, as_holder: bool = False) -> T:
        """Runs `work` on the rows with these numbers as one step, on the disk when it returns.

        With `as_holder` it sees no rows unless this gateway holds the lease at that moment."""
        ...

    def stamp(self) -> object:
        """Changes with every change, and is cheap to read."""
        ...


class FileRows(Generic[R]):
    """A `RowTable` in the table `name` of a SQLite file, for the gateways of one machine.

    A change is atomic, so `as_holder` changes nothing."""

    def __init__(
        self,
        path: Path,
        name: str,
        row: type[R],
        migrations: Sequence[str],
        lost: str,
        *,
        busy_seconds: float = BUSY_SECONDS,
        on_damage: Callable[[Damage], None],
    ) -> None:
        self._name, self._row, self._lost, self._busy_seconds = name, row, lost, busy_seconds
        self._file = SqliteFile(path, migrations, on_damage=on_damage)
        self.stamp = partial(stamp, path)
        fields = row._fields
        self._select = f"SELECT id, {', '.join(fields)} FROM {name}"
        self._put = (
            f"INSERT INTO {name} (id, {', '.join(fields)}) VALUES (?{', ?' * len(fields)}) "
            f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{field} = excluded.{field}' for field in fields)}"
        )

    def read(self) -> dict[int, R]:
        return self._run(lambda connection: self._rows(connection.execute(self._select)), write=False)

    def change(self, work: Callable[[Rows[R]], T], ids: Iterable[int] = (), *, as_holder: bool = False) -> T:
        wanted = list(ids)

        def step(connection: sqlite3.Connection) -> T:
            there = (connection.execute(f"{self._select} WHERE id = ?", (number,)) for number in wanted)
            [(count,)] = connection.execute(f"SELECT count(*) FROM {self._name}")
            newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (self._name,))
            last = next((number for (number,) in newest), 0)
            rows = Rows(self._rows(chain.from_iterable(there)).items(), count=count, last_number=last)
            result = work(rows)
            put, gone = rows.changes()
            connection.executemany(f"DELETE FROM {self._name} WHERE id = ?", ((number,) for number in gone))
            connection.executemany(self._put, ((number, *row) for number, row in put.items()))
            return result

        return self._run(step)

    def _rows(self, found: Iterable[Sequence[Any]]) -> dict[int, R]:
        return {number: self._row(*values) for number, *values in found}

    def _run(self, work: Callable[[sqlite3.Connection], T], *, write: bool = True) -> T:
        try:
            return self._file.run(work, write=write, busy_seconds=self._busy_seconds)
        except (sqlite3.Error, OSError) as error:
            raise ToolUnavailable(self._lost) from error


class RowStore(Generic[R, M]):
    """What people see of a `RowTable`: the things its rows stand for. It blocks: call it through a thread.

    Every method is one step that is durable when it returns. ToolUnavailable: it was not done.
    """

    def __init__(self, rows: RowTable[R], what: Callable[[int, R], M]) -> None:
        self.rows, self._what = rows, what
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls it after every change that people make in this process; returns how to unregister it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def stamp(self) -> object:
        """Differs after each change."""
        return self.rows.stamp()

    def read(self) -> list[M]:
        return self.parsed(self.rows.read())

    def remove(self, ids: Iterable[int]) -> list[M]:
        """Those that were still there."""
        return self.changed(
            lambda rows: self.parsed({number: rows.pop(number) for number in list(rows)}), ids
        )

    def changed(self, work: Callable[[Rows[R]], T], ids: Iterable[int] = ()) -> T:
        result = self.rows.change(work, ids)
        for listener in [*self._listeners]:
            listener()
        return result

    def parsed(self, rows: Mapping[int, R]) -> list[M]:
        """A row that makes no sense is left out."""
        made = []
        for number, row in rows.items():
            try:
                made.append(self._what(number, row))
            except _UNREADABLE as error:
                log.warning("a row cannot be read", extra={"row": number, "reason": str(error)})
        return made


class SharedRedis:
    """One connection pool for threads, and the lease of this gateway."""

    def __init__(self, url: str) -> None:
        try:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.exceptions import RedisError
            from redis.retry import Retry
        except ImportError as error:
            raise ConfigError(NOT_INSTALLED) from error
        self._trouble = (RedisError, OSError)
        self.redis: Redis = Redis.from_url(
            url,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),  # a command whose answer is lost may have been carried out
            socket_timeout=LIMIT_SECONDS,
            socket_connect_timeout=LIMIT_SECONDS,
        )
        self.lease = RedisLease(self)

    def ask(self, lost: str, step: Callable[[Any], Any]) -> Any:
        """ToolUnavailable with the sentence `lost` where the Redis does not answer."""
        try:
            return step(self.redis)
        except self._trouble as error:
            raise ToolUnavailable(lost) from error


class RedisLease:
    """Held by one of the gateways that share a Redis: it runs the routines and rings the timers.

    Its token fences changes: `RedisRows.change(as_holder=True)` checks it in the transaction itself, so a
    process that stalled while it held the lease starts nothing when it wakes up.
    """

    LOST = "I can't tell which gateway runs timers and routines: the Redis they share does not answer."

    def __init__(self, shared: SharedRedis) -> None:
        self._ask = shared.ask
        self.key, self.token = f"{PREFIX}lease", uuid.uuid4().hex
        self._lock = shared.redis.lock(self.key, timeout=LEASE_SECONDS, thread_local=False)

    def renew(self) -> bool:
        """Whether this gateway holds the lease now. ToolUnavailable: the Redis does not answer."""
        from redis.exceptions import LockError

        def step(_redis: object) -> bool:
            with contextlib.suppress(LockError):
                return bool(self._lock.reacquire())
            return bool(self._lock.acquire(blocking=False, token=self.token))

        return bool(self._ask(self.LOST, step))

    def held(self) -> bool:
        """Whether any gateway holds it."""
        return bool(self._ask(self.LOST, lambda _redis: self._lock.locked()))

    def release(self) -> None:
        """So that another gateway need not wait until it runs out."""
        from redis.exceptions import LockError

        try:
            self._ask(self.LOST, lambda _redis: self._lock.release())
        except (LockError, ToolUnavailable) as error:
            log.info("the lease runs out by itself", extra={"reason": str(error)})


class RedisRows(Generic[R]):
    """A `RowTable` in one hash of the Redis; each row is a JSON list."""

    def __init__(self, shared: SharedRedis, name: str, row: type[R], lost: str) -> None:
        self._shared, self._row, self._lost = shared, row, lost
        self._rows, self._stamp, self._number = (
            f"{PREFIX}{name}:{part}" for part in ("rows", "stamp", "number")
        )

    def read(self) -> dict[int, R]:
        rows = self._shared.ask(self._lost, lambda redis: redis.hgetall(self._rows))
        return dict(self._parsed(rows.items()))

    def stamp(self) -> object:
        stamp: object = self._shared.ask(self._lost, lambda redis: redis.get(self._stamp))
        return stamp

    def change(self, work: Callable[[Rows[R]], T], ids: Iterable[int] = (), *, as_holder: bool = False) -> T:
        wanted, lease = [str(number) for number in ids], self._shared.lease

        def step(pipe: Any) -> T:
            if as_holder and pipe.get(lease.key) != lease.token:
                return work(Rows())
            there = zip(wanted, pipe.hmget(self._rows, wanted) if wanted else (), strict=True)
            count, last = int(pipe.hlen(self._rows)), int(pipe.get(self._number) or 0)
            rows = Rows(self._parsed(there), count=count, last_number=last)
            result = work(rows)
            put, gone = rows.changes()
            pipe.multi()
            if put or gone:
                pipe.set(self._stamp, uuid.uuid4().hex)
                pipe.set(self._number, rows.last_number)
            if put:
                pipe.hset(self._rows, mapping={str(number): json.dumps(row) for number, row in put.items()})
            if gone:
                pipe.hdel(self._rows, *map(str, gone))
            return result

        # Tried again where another gateway changed something, or took the lease, in between.
        watched = (self._stamp, lease.key) if as_holder else (self._stamp,)
        done: T = self._shared.ask(
            self._lost, lambda redis: redis.transaction(step, *watched, value_from_callable=True)
        )
        return done

    def _parsed(self, pairs: Iterable[tuple[str, str | None]]) -> Iterable[tuple[int, R]]:
        """A row that cannot be read is left out and stays where it is."""
        for number, text in pairs:
            try:
                if text is not None:
                    yield int(number), self._row(*json.loads(text))
            except (ValueError, TypeError) as error:
                facts = {"key": self._rows, "row": number, "reason": str(error)}
                log.warning("a row cannot be read", extra=facts)
