"""Lines in a Redis in which gateways wait for their turn, first come, first served, without polling.

A line is a list of places, the first of which has the turn. A place is `gateway|number`; whoever leaves takes
out its own place and no other, and puts the next one into the list of wake-ups of its gateway, which waits
there. A gateway that has not said for a while that it lives loses its places when they come to the front.
"""

import asyncio
import functools
import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from voice_gateway.backoff import end_when_stopping
from voice_gateway.errors import LinkError
from voice_gateway.turn import new_id

if TYPE_CHECKING:
    from redis.asyncio import Redis

LEASE_SECONDS = 4.0  # a gateway that has been silent for so long is gone
BEAT_SECONDS = 1.0
KEEP_SECONDS = 1  # a place for who has been seen on its way to another gateway
KEPT_SECONDS = 24 * 3600  # a line of places that nobody comes back to

log = logging.getLogger(__name__)

T = TypeVar("T")

# `first` takes the places of the dead from the front and gives the first that lives. KEYS are not used: which
# ones are touched is seen only on the way, so this is for one Redis (with replicas), not for a Redis Cluster.
_FIRST = """
local prefix, me, lease, kept, keep = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function owner(place) return string.match(place, '^[^|]+') end
local function first(line)
  while true do
    local place = redis.call('LINDEX', line, 0)
    if not place then return '' end
    local kept_at = string.match(place, '^%?(%d+)')
    if kept_at and now - tonumber(kept_at) < 1000 * keep then return place end
    if not kept_at and redis.call('EXISTS', prefix .. 'alive:' .. owner(place)) == 1 then return place end
    redis.call('LPOP', line)
  end
end
redis.call('SET', prefix .. 'alive:' .. me, '1', 'PX', lease)
"""

# Of each who comes: line, place, name, how many names come before it, and these. A place (`?time|name`) is
# kept for each of them that nobody knows of yet. Whoever finds its own kept takes that, else the end of the
# line. Gives the first place of each line.
_ENTER = f"""{_FIRST}
local function is_new(line, name)
  return redis.call('SET', prefix .. 'seen:' .. #line .. ':' .. line .. name, '1', 'EX', 10, 'NX')
end
local function kept_for(line, name)
  for i, place in ipairs(redis.call('LRANGE', line, 0, -1)) do
    if string.match(place, '^%?%d+|(.*)') == name then return i - 1 end
  end
end
local firsts, i = {{}}, 6
while i <= #ARGV do
  local line, place, name = prefix .. 'line:' .. ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local before = tonumber(ARGV[i + 3])
  for j = i + 4, i + 3 + before do
    if is_new(line, ARGV[j]) then redis.call('RPUSH', line, '?' .. now .. '|' .. ARGV[j]) end
  end
  local index = name ~= '' and not is_new(line, name) and kept_for(line, name)
  if index then redis.call('LSET', line, index, place) else redis.call('RPUSH', line, place) end
  redis.call('EXPIRE', line, kept)
  firsts[#firsts + 1] = first(line)
  i = i + 4 + before
end
return firsts
"""

# A line and a place of ours: out of the line; the next one is woken, unless it is ours as well.
_LEAVE = f"""{_FIRST}
local line = prefix .. 'line:' .. ARGV[6]
local had_turn = redis.call('LINDEX', line, 0) == ARGV[7]
redis.call('LREM', line, 1, ARGV[7])
local next_one = first(line)
if had_turn and string.match(next_one, '^[^?]') and owner(next_one) ~= me then
  local wake = prefix .. 'wake:' .. owner(next_one)
  redis.call('RPUSH', wake, next_one)
  redis.call('PEXPIRE', wake, lease)
end
return next_one
"""

# Pairs of line and place: gives the first place of each line, and `lost` where ours is not in it any more.
_LOOK = f"""{_FIRST}
local seen = {{}}
for i = 6, #ARGV, 2 do
  local line = prefix .. 'line:' .. ARGV[i]
  seen[#seen + 1] = first(line)
  if not redis.call('LPOS', line, ARGV[i + 1]) then seen[#seen] = 'lost' end
end
return seen
"""


class AskRedis(Protocol):
    """Asks the Redis within its limit."""

    async def __call__(self, step: Callable[[], Awaitable[T]]) -> T: ...


@dataclass(eq=False, slots=True)
class _Line:
    """Our places in one line. Which of them has the turn does not say who of us takes it."""

    key: str
    places: list[str] = field(default_factory=list)
    turn: str | None = None  # the place of ours that is the first of all
    trouble: Exception | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class _Entering:
    line: _Line
    number: str
    words: tuple[str, ...]  # for the script
    entered: "asyncio.Future[Exception | None]"


class RedisPlace:
    def __init__(self, lines: "RedisLines", line: _Line) -> None:
        self._lines = lines
        self._line = line
        self._has_turn = False
        self._left = False

    async def turn(self) -> None:
        while self._line.turn is None:
            if self._line.trouble is not None:
                raise self._line.trouble
            self._line.changed.clear()
            await self._line.changed.wait()
        self._has_turn = True

    async def leave(self) -> None:
        if not self._left:
            self._left = True
            await self._lines.give_back(self._line, has_turn=self._has_turn)


class RedisLines:
    def __init__(self, redis: "Redis", prefix: str, ask: AskRedis, begin: Callable[[], None]) -> None:
        self._redis = redis
        self._prefix = prefix
        self._ask = ask
        self._begin = begin
        self._me = new_id()
        self._former: dict[str, int] = {}  # names we do not use any more: how often to say so
        self._numbers = itertools.count()
        self._lines: dict[str, _Line] = {}
        self._inside: dict[str, _Line] = {}  # by place: what the Redis knows of
        self._entering: list[_Entering] = []
        self._someone_enters = asyncio.Event()
        scripts = {"enter": _ENTER, "leave": _LEAVE, "look": _LOOK}
        self._scripts = {name: redis.register_script(text) for name, text in scripts.items()}

    async def enter(self, key: str, name: str = "", after: Sequence[str] = ()) -> RedisPlace:
        """A place in a line: the one that somebody kept for this name, or else at the end.

        `after` are names of those who come before us and may not have arrived where they are going.
        """
        self._begin()
        line = self._lines.setdefault(key, _Line(key))
        number = f"{self._me}|{next(self._numbers)}"
        line.places.append(number)
        place = RedisPlace(self, line)
        try:
            trouble = await self._to_the_end(line, number, name, after)
        except asyncio.CancelledError:
            await place.leave()
            raise
        if trouble is not None:
            await place.leave()
            raise trouble
        return place

    def _to_the_end(
        self, line: _Line, number: str, name: str = "", after: Sequence[str] = ()
    ) -> "asyncio.Future[Exception | None]":
        entered: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        words = (line.key, number, name, str(len(after)), *after)
        self._entering.append(_Entering(line, number, words, entered))
        self._someone_enters.set()
        return entered

    async def give_back(self, line: _Line, *, has_turn: bool) -> None:
        """Whoever had the turn gives that back, whoever did not the last of our places."""
        others = (place for place in reversed(line.places) if place != line.turn)
        number = line.turn if has_turn else next(others, line.turn)
        assert number is not None
        line.places.remove(number)
        self._inside.pop(number, None)
        if number == line.turn:
            line.turn = None
        if not line.places and self._lines.get(line.key) is line:
            del self._lines[line.key]
        if line.trouble is not None:
            return  # under a name that we do not use any more
        try:
            first = await self._ask(lambda: self._run("leave", line.key, number))
        except LinkError as error:  # then the place is lost with our name, see `forsake`
            log.info("place in a line could not be given back", extra={"reason": str(error)})
        else:
            self._seen(line, first)

    def _seen(self, line: _Line, first: str) -> None:
        if first in line.places and line.turn is None:
            line.turn = first
            line.changed.set()

    def _run(self, script: str, *words: str) -> Awaitable[Any]:
        lease, kept = str(round(LEASE_SECONDS * 1000)), str(KEPT_SECONDS)
        return self._scripts[script](args=[self._prefix, self._me, lease, kept, KEEP_SECONDS, *words])

    # --- in the store's own task

    async def write(self) -> None:
        """All who came since the last time, in one question: so their order stays what it was."""
        while True:
            end_when_stopping()
            await self._someone_enters.wait()
            self._someone_enters.clear()
            batch, self._entering = self._entering, []
            words = [word for one in batch for word in one.words]
            firsts, trouble = [""] * len(batch), None
            try:
                firsts = await self._ask(functools.partial(self._run, "enter", *words))
            except LinkError as error:
                trouble = error
            for one, first in zip(batch, firsts, strict=True):
                if one.number in one.line.places:
                    self._inside[one.number] = one.line
                self._seen(one.line, first)
                if not one.entered.done():  # else whoever waited has given up
                    one.entered.set_result(trouble)

    async def beat(self) -> None:
        """We live; and whoever of us waits looks whether the one in front is gone."""
        await self._take_leave()
        waiting = [(line, place) for place, line in self._inside.items() if line.turn is None]
        words = [word for line, place in waiting for word in (line.key, place)]
        for (line, place), first in zip(waiting, await self._run("look", *words), strict=True):
            if first != "lost":
                self._seen(line, first)
            elif self._inside.pop(place, None):
                log.warning("place in a line was lost, entering again", extra={"line": line.key})
                self._to_the_end(line, place)

    async def _take_leave(self) -> None:
        """What a Redis that was silent does late is not waited for: places under our former names are free.

        Twice, as what we say now may come before what we said then.
        """
        if self._former:
            await self._redis.delete(*(f"{self._prefix}alive:{name}" for name in self._former))
            self._former = {name: left - 1 for name, left in self._former.items() if left > 1}

    async def listen(self) -> None:
        """Hears whose turn it is, until it is time to say again that we live."""
        now = asyncio.get_running_loop().time
        end = now() + BEAT_SECONDS
        while (left := end - now()) > 0:
            woken: Any = await self._redis.blpop([f"{self._prefix}wake:{self._me}"], timeout=max(left, 0.05))
            if woken is not None and (line := self._inside.get(woken[1])) is not None:
                self._seen(line, woken[1])
            end_when_stopping()

    def forsake(self, trouble: Exception) -> None:
        """The Redis is away. Under a new name: whatever it does late with the old one ends by itself."""
        self._former[self._me] = 2
        self._me = new_id()
        lines, self._lines, self._inside = self._lines, {}, {}
        for line in lines.values():
            line.trouble = trouble
            line.changed.set()

    async def goodbye(self) -> None:
        """Our places are free at once."""
        await self._redis.delete(f"{self._prefix}alive:{self._me}")
