"""Routines in the Redis that gateways share: every step is one script, so nobody sees half of it."""

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from voice_gateway.errors import ConfigError, ToolUnavailable
from voice_gateway.file_watch import ChangeListeners
from voice_gateway.problems.sentences import ROUTINES_LOST
from voice_gateway.routines.model import Event, Routine
from voice_gateway.routines.redis_scripts import (
    ADD,
    ASIDE,
    CLAIM,
    FINISH,
    KEYS,
    PLAN,
    PLANS,
    RELEASE,
    REMOVE,
    RENEW,
    REPLACE,
    ROWS,
)
from voice_gateway.routines.store import (
    Finished,
    PlannedRun,
    TooMany,
    body_of,
    last_of,
    moment_of,
    read_row,
    stamp_of,
    too_many,
)
from voice_gateway.sqlite_file import UnreadableRow
from voice_gateway.tools.builtin.timers.lease import LEASE_SECONDS

if TYPE_CHECKING:
    from redis import Redis

log = logging.getLogger(__name__)

PREFIX = "voice-gateway:routines:"
LIMIT_SECONDS = 1.0  # for an answer
DURABLE_MILLISECONDS = 900  # for a disk that is slow, within that limit


def connected(url: str) -> "Redis":
    """Nothing is asked of it yet."""
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as error:
        raise ConfigError("a redis:// store needs the extra: pip install 'voice-gateway[redis]'") from error
    # Never twice by itself: what was sent may have been done.
    return Redis.from_url(
        url,
        decode_responses=True,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=LIMIT_SECONDS,
        socket_connect_timeout=LIMIT_SECONDS,
    )


class _Asked:
    """A Redis whose trouble is one sentence."""

    def __init__(self, redis: "Redis") -> None:
        from redis.exceptions import RedisError

        self.redis = redis
        self._trouble = (RedisError, OSError)

    def do(self, step: Callable[["Redis"], Any]) -> Any:
        try:
            return step(self.redis)
        except self._trouble as error:
            raise ToolUnavailable(ROUTINES_LOST) from error


class RedisRoutines:
    """Call it through a thread: every method waits for the Redis."""

    def __init__(self, redis: "Redis") -> None:
        self._asked = _Asked(redis)
        self._keys = [PREFIX + key for key in KEYS]
        self._scripts: dict[str, Any] = {}
        self._changes = ChangeListeners()
        self.listen = self._changes.listen
        self._waits: bool | None = None  # for its disk; None: not known yet

    def add(self, routines: Sequence[Routine], limit: int) -> list[Routine]:
        how, found = self._change(ADD, str(limit), *(word for one in routines for word in _words(one)))
        if how == "too many":
            raise TooMany(too_many(found))
        self._changes.tell()
        return [replace(one, id=int(number)) for one, number in zip(routines, found, strict=True)]

    def all(self) -> list[Routine]:
        return sorted(self._rows("all"), key=_in_order)

    def planned(self) -> list[PlannedRun]:
        pairs, claimed = self._ask(PLANS)
        held = set(claimed)
        plans = ((number, *_read_plan(plan)) for number, plan in zip(pairs[::2], pairs[1::2], strict=True))
        return [
            PlannedRun(int(number), moment_of(due), event, paused, number in held)
            for number, due, event, paused in plans
        ]

    def events(self) -> list[Routine]:
        return self._rows("events")

    def stamp(self) -> object:
        return self._asked.do(lambda redis: redis.get(f"{PREFIX}stamp"))

    def replace(self, routines: Iterable[Routine]) -> list[Routine]:
        wanted = list(routines)
        words = [word for one in wanted for word in (str(one.id), *_words(one))]
        kept = set(self._change(REPLACE, *words))
        self._changes.tell()
        return [one for one in wanted if one.id in kept]

    def plan(self, moments: Mapping[int, datetime | None]) -> None:
        words = [word for number, moment in moments.items() for word in (str(number), _written(moment))]
        self._change(PLAN, *words)

    def remove(self, ids: Iterable[int]) -> list[Routine]:
        gone = self._readable(self._change(REMOVE, *map(str, ids)))
        self._changes.tell()
        return gone

    def claim(self, wanted: Sequence[tuple[int, datetime | None]], who: str, now: datetime) -> list[Routine]:
        words = [word for number, due in wanted for word in (str(number), _written(due))]
        return self._readable(self._change(CLAIM, who, *words))

    def unfinished(self, who: str) -> list[Routine]:
        return self._rows("claimed", who)

    def finish(self, over: Sequence[Finished], who: str | None) -> None:
        words: list[str] = []
        for one in over:
            following = "gone" if one.gone else _written(one.following)
            words += [str(one.routine.id), _written(one.routine.next), following, last_of(one.routine) or ""]
        self._change(FINISH, who or "", *words)

    # --- asking

    def _rows(self, which: str, who: str = "") -> list[Routine]:
        return self._readable(self._ask(ROWS, which, who))

    def _ask(self, script: str, *words: str) -> Any:
        return self._asked.do(lambda redis: self._script(script)(keys=self._keys, args=words, client=redis))

    def _change(self, script: str, *words: str) -> Any:
        """On the Redis' disk when this returns, where it writes down every change."""

        def step(redis: Any) -> Any:
            args = [uuid.uuid4().hex, *words]
            with redis.client() as one:  # it is asked to wait for what came by this connection
                answer = self._script(script)(keys=self._keys, args=args, client=one)
                if self._waits is None:
                    self._waits = _waits(one)
                if self._waits and one.execute_command("WAITAOF", 1, 0, DURABLE_MILLISECONDS)[0] < 1:
                    raise TimeoutError("the Redis did not write it down in time")
            return answer

        return self._asked.do(step)

    def _script(self, text: str) -> Any:
        if text not in self._scripts:
            self._scripts[text] = self._asked.redis.register_script(text)
        return self._scripts[text]

    def _readable(self, rows: Iterable[Sequence[Any]]) -> list[Routine]:
        """One that makes no sense is set aside, so that nobody meets it again."""
        found, spoilt = [], []
        for number, body, plan, last in ([*row, None][:4] for row in rows):
            try:
                due, _event, paused = _read_plan(plan)
                found.append(read_row(int(number), body, due, paused, last))
            except (UnreadableRow, ValueError, AttributeError) as error:
                log.warning(
                    "a damaged routine was set aside", extra={"routine": number, "reason": str(error)}
                )
                spoilt.append(str(number))
        if spoilt:
            self._change(ASIDE, *spoilt)
        return found


class RedisLease:
    """As the file of one machine's gateways, for those of several."""

    def __init__(self, redis: "Redis") -> None:
        self._asked = _Asked(redis)
        self._key = f"{PREFIX}lease"
        self._token = uuid.uuid4().hex
        self._renew = redis.register_script(RENEW)
        self._release = redis.register_script(RELEASE)

    def renew(self, *, loud: bool) -> bool:
        args = [self._token, str(round(LEASE_SECONDS * 1000))]
        return bool(self._asked.do(lambda _redis: self._renew(keys=[self._key], args=args)))

    def held(self) -> bool:
        return bool(self._asked.do(lambda redis: redis.exists(self._key)))

    def release(self) -> None:
        try:
            self._asked.do(lambda _redis: self._release(keys=[self._key], args=[self._token]))
        except ToolUnavailable as error:
            log.info("the lease of the routines runs out by itself", extra={"reason": str(error.__cause__)})


def _waits(redis: Any) -> bool:
    """Whether it must be waited for until a change is on its disk. Not for a Redis that writes down every
    change before it answers; of one that writes down none, or cannot tell, it is said."""
    from redis.exceptions import ResponseError

    try:
        kept = {**redis.config_get("appendonly"), **redis.config_get("appendfsync")}
    except ResponseError:  # a hosted one that shows nothing
        kept = {}
    if kept.get("appendonly") == "yes" and kept.get("appendfsync") == "always":
        return False
    try:
        redis.execute_command("WAITAOF", 1, 0, DURABLE_MILLISECONDS)
    except ResponseError:  # it keeps no such file, or is older than 7.2
        log.warning("Redis may lose the last routines in a power cut: set appendonly yes, appendfsync always")
        return False
    return True


# --- plans


def _words(routine: Routine) -> tuple[str, str, str]:
    return body_of(routine), _plan(routine), last_of(routine) or ""


def _plan(routine: Routine) -> str:
    return f"{_written(routine.next)}|{int(isinstance(routine.trigger, Event))}|{int(routine.paused)}"


def _written(moment: datetime | None) -> str:
    return "" if moment is None else f"{stamp_of(moment):.6f}"


def _read_plan(plan: str) -> tuple[float | None, bool, bool]:
    due, event, paused = plan.split("|")
    return float(due) if due else None, event == "1", paused == "1"


def _in_order(routine: Routine) -> tuple[bool, float, int]:
    due = None if routine.paused else stamp_of(routine.next)
    return due is None, due or 0.0, routine.id
