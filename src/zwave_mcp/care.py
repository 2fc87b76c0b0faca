"""Maintenance: batteries, users of locks, names and rooms, pings, and energy by day."""

import logging
import re
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from home_names import wording
from home_names.names import spellings
from home_names.phrases import capital, listed
from zwave_mcp import sentences
from zwave_mcp.confirm import answers_ping
from zwave_mcp.control import answering
from zwave_mcp.database import opened
from zwave_mcp.devices import CC, Device, View, Viewer
from zwave_mcp.home import CannotDo, GatewayError, Home, LockUser, NoAnswer, Node, Value, is_number
from zwave_mcp.results import Outcome, Result, address, place, resolve_device, resolve_single, result
from zwave_mcp.states import age_seconds

log = logging.getLogger(__name__)
T = TypeVar("T")

# --- batteries

_OLD_SECONDS: Final = 7 * 24 * 3600.0  # a sensor that has reported nothing for a week may be empty
_MOST_NAMED: Final = 8


async def batteries(viewer: Viewer) -> Result:
    """One entry for each node with a battery, the low ones first."""
    devices = (await viewer.now()).devices
    having = {device.node.id: device for device in devices if _battery_of(device.node)}
    entries = [_battery_entry(device) for device in having.values()]
    entries.sort(
        key=lambda entry: (not entry["low"], entry["level"] is None, entry["level"] or 0, entry["device"])
    )
    distinct = sentences.distinct_names(devices)
    # An outlet of a strip is named by the strip, whose battery it is.
    names = {
        number: distinct[device.place] if device.node.name in ("", device.name) else device.node.name
        for number, device in having.items()
    }
    return result(_battery_sentence(entries, names), "confirmed", more={"batteries": entries})


def _battery_of(node: Node) -> list[Value]:
    """The values of its battery, the level first; some tell none."""
    values = [value for value in node.values if value.id.command_class == CC.BATTERY]
    return sorted(values, key=lambda value: value.id.property != "level")


def _battery_entry(device: Device) -> dict[str, Any]:
    value = _battery_of(device.node)[0]
    known = value.id.property == "level" and is_number(value.value)
    return {
        "device": device.node.name or device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "level": round(value.value) if known else None,
        "low": device.battery_low,
        "ageSeconds": age_seconds(value),
        "available": device.available,
    }


def _battery_sentence(entries: list[dict[str, Any]], names: dict[int, str]) -> str:
    if not entries:
        return "Nothing here runs on a battery, as far as is known."

    def named(some: list[dict[str, Any]], *, level: bool = False) -> str:
        levels = [f" {it['level']} percent" if level and it["level"] is not None else "" for it in some]
        each = [names[it["nodeId"]] + percent for it, percent in zip(some, levels, strict=True)]
        return sentences.counted(each, _MOST_NAMED)

    low = [entry for entry in entries if entry["low"]]
    others = [entry for entry in entries if not entry["low"] and entry["level"] is not None]
    silent = [entry for entry in entries if (entry["ageSeconds"] or 0) > _OLD_SECONDS]
    parts = {
        "not known": [entry for entry in entries if entry["level"] is None and not entry["low"]],
        "not answering": [entry for entry in entries if not entry["available"]],
        "silent for a week": [entry for entry in silent if entry["available"]],
    }
    texts = [f"battery low: {named(low, level=True)}" if low else "no battery is low"]
    texts += [f"the lowest of the others: {named(others[:1], level=True)}"] if others else []
    texts += [f"{what}: {named(some)}" for what, some in parts.items() if some]
    return capital("; ".join(texts) + ".")


# --- users of locks

_LOCK: Final = re.compile(r"\s*(?:(?P<lock>[^:=]+):)?(?P<users>.*)", re.DOTALL)
_USER: Final = re.compile(r"\s*(\d{1,5})\s*=\s*([^=]{1,60}?)\s*")
_EVERY_LOCK: Final = ""


class NoUserNames(ValueError):
    """The setting cannot be read."""


@dataclass(frozen=True, slots=True)
class UserNames:
    """The names of a lock's users: from the settings, or as the lock itself tells them."""

    given: Mapping[str, Mapping[int, str]] = field(default_factory=dict)  # by the lock's name
    _learned: dict[int, dict[int, str]] = field(default_factory=dict)  # by node

    @classmethod
    def read(cls, text: str) -> "UserNames":
        """From "1=Anna, 2=Ben" for every lock, or "Front Door: 1=Anna; Cellar: 1=Ben" for each its own."""
        given: dict[str, dict[int, str]] = {}
        for part in filter(str.strip, text.split(";")):
            match = _LOCK.fullmatch(part)
            users = [_USER.fullmatch(item) for item in match["users"].split(",")] if match else [None]
            if match is None or not all(users):
                raise NoUserNames(part.strip())
            lock = (match["lock"] or _EVERY_LOCK).strip()
            given.setdefault(lock, {}).update({int(item[1]): item[2] for item in users if item})
        return cls(given)

    def learn(self, node: int, users: Iterable[LockUser]) -> None:
        self._learned[node] = {user.id: user.name for user in users if user.name}

    def of(self, node: int, lock: str, user: int | None) -> str:
        """The user's name; empty where it is unknown."""
        if user is None:
            return ""
        own = [users for name, users in self.given.items() if name and spellings(name) & spellings(lock)]
        for users in (*own, self.given.get(_EVERY_LOCK, {}), self._learned.get(node, {})):
            if user in users:
                return users[user]
        return ""


async def user_codes(home: Home, viewer: Viewer, names: UserNames, asked: str = "") -> Result:
    """The users of one lock, or of all."""
    view = await viewer.now()
    locks = [device for device in view.devices if _has_codes(device)]
    if asked:
        locks = [resolve_device(view, asked, _has_codes)]
    if not locks:
        return result("No lock here has codes.", "unsupported")
    answers = [await _users_of(home, names, lock) for lock in locks]
    if len(answers) == 1:
        return answers[0]
    outcome: Outcome = "unconfirmed" if any(item.is_error for item in answers) else "confirmed"
    more = {"locks": [dict(item.structured) for item in answers]}
    return result(" ".join(item.sentence for item in answers), outcome, more=more)


async def _users_of(home: Home, names: UserNames, lock: Device) -> Result:
    name = capital(wording.the(lock))
    if not _has_codes(lock):
        return result(f"{name} has no codes.", "unsupported", lock)
    if lock.node.dead:
        return result(wording.unreachable(lock), "unreachable", lock)
    try:
        read = await home.lock_users(lock.node.id)
    except (NoAnswer, GatewayError, CannotDo):
        return result(f"{name} has not told who has a code.", "unconfirmed", lock)
    names.learn(lock.node.id, read)
    users = [replace(item, name=names.of(lock.node.id, lock.name, item.id) or item.name) for item in read]
    facts = [{"id": item.id, "name": item.name or None, "active": item.active} for item in users]
    active = [item.name or f"user {item.id}" for item in users if item.active]
    off = [item.name or f"user {item.id}" for item in users if not item.active]
    sentence = f"{name}: {f'codes of {listed(active)}' if active else 'no code in use'}"
    sentence += f"; switched off: {listed(off)}." if off else "."
    return result(sentence, "confirmed", lock, more={"users": facts})


def _has_codes(device: Device) -> bool:
    return any(value.id.command_class in (CC.USER_CODE, CC.USER_CREDENTIAL) for value in device.node.values)


# --- names, rooms, pings

_LONGEST: Final = 60  # a name that can still be said
_NODE: Final = re.compile(r"node[\W_]*(\d{1,9})", re.IGNORECASE)
_NOT_IN_TOPICS: Final = frozenset("+#/\0")  # the gateway makes topics of names


async def ping(home: Home, viewer: Viewer, asked: str) -> Result:
    device = resolve_single(await viewer.now(), asked)
    name = capital(wording.the(device))
    if device.node.asleep:
        return result(f"{name} {wording.verb(device, 'is')} asleep, and cannot answer.", "queued", device)
    started = time.monotonic()
    if not await answers_ping(home, device.node.id):
        return result(wording.unreachable(device), "unreachable", device)
    seconds = round(time.monotonic() - started, 2)
    sentence = f"{name} answered after {seconds:g} seconds."
    return result(sentence, "confirmed", device, more={"seconds": seconds})


async def rename(
    home: Home, viewer: Viewer, asked: str, name: str | None = None, room: str | None = None
) -> Result:
    view = await viewer.now()
    device = resolve_single(view, asked)
    node = device.node
    new_name, new_room = (name or node.name).strip(), (room or node.room).strip()
    problems = [_unusable(text.strip()) for text in (name, room) if text is not None]
    problem = next(filter(None, problems), "") if problems else "Say a new name, a room, or both."
    if problem := problem or _taken(view, device, new_name, new_room):
        return result(problem, "invalid", device)
    with answering(device):
        changed = (new if new != old else None for new, old in ((new_name, node.name), (new_room, node.room)))
        await home.rename(node.id, *changed)
    now = next((item for item in (await home.snapshot(0)).nodes if item.id == node.id), node)
    if (now.name, now.room) != (new_name, new_room):
        sentence = f"Z-Wave JS UI still calls it {wording.the(device, room=True)}."
        return result(sentence, "failed", device)
    back = {"deviceName": f"node {now.id}"}
    back |= {"newName": node.name} if name is not None and node.name else {}
    back |= {"room": node.room} if room is not None and node.room else {}
    more: dict[str, Any] = {"before": [{"name": "rename_zwave_device", "args": back}]}
    if len(back) == 1:
        more = {"before": [], "undo": f"{capital(wording.the(device))} had none before."}
    fresh = replace(device, name=new_name or f"Node {now.id}", room=new_room, node=now)
    where = f" {wording.in_room(new_room)}" if room is not None else ""
    sentence = f"{capital(wording.the(fresh))} is now{where}."
    if name is not None:
        old = capital(address(view.names, device))
        sentence = f"{old} is now called {fresh.name}{',' if where else ''}{where}."
    return result(sentence, "confirmed", fresh, more=more)


def _taken(view: View, device: Device, new_name: str, new_room: str) -> str:
    """Why the device cannot get this name in this room; empty if it can."""
    number = _NODE.fullmatch(new_name)
    if number is not None and int(number[1]) != device.node.id:
        return f"It is node {device.node.id}, and what has no name is called by its number."
    if sum(item.node.id == device.node.id for item in view.devices) > 1:
        return f"{device.name} is a part of a device that has only one name for all of its parts."
    for other in view.devices:
        same = spellings(other.name) & spellings(new_name) and spellings(other.room) == spellings(new_room)
        if other.node.id != device.node.id and same:
            where = f" {wording.in_room(new_room)}" if new_room else ""
            return f"There is already something called {new_name}{where}; nobody could tell them apart."
    return ""


def _unusable(text: str) -> str:
    if len(text) > _LONGEST:
        return f"A name or room may have {_LONGEST} characters."
    if any(sign in _NOT_IN_TOPICS or unicodedata.category(sign)[0] == "C" for sign in text):
        return "A name or room may have no slash, plus or hash sign, and no line end."
    return "" if any(map(str.isalnum, text)) else "A name or room needs a letter or a digit."


# --- energy by device and day, from the meters' own counts, which a small SQLite file keeps
#
# A meter counts by itself, so two readings of one day tell exactly what came between them, however far apart.

KEPT_DAYS: Final = 400
# Readings so close on both sides of midnight: what came between belongs to the new day, near enough.
_NEAR_SECONDS: Final = 3600.0
_BUSY_SECONDS: Final = 0.2  # another server writes for less than a millisecond
_TABLE: Final = """create table if not exists energy (
  meter text, day text, kwh real, since real, until real, total real, primary key (meter, day))"""
_ELECTRIC, _PRODUCED = 1, 2
_MOST_METERS: Final = 5
_LITTLE: Final = 0.005  # kilowatt hours that are not worth saying
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


MeterReading = tuple[str, float, float]  # meter, kilowatt hours, seconds since 1970


@dataclass(frozen=True, slots=True)
class Day:
    """What one meter counted on one day; `total` is its last reading."""

    kwh: float
    since: float
    until: float
    total: float


@dataclass(slots=True)
class MeterDays:
    """`file` None: kept in memory. A file that cannot be used is logged once, and stops nothing."""

    file: Path | None = None
    _base: sqlite3.Connection | None = None
    _warned: bool = False

    def add(self, readings: Iterable[MeterReading]) -> None:
        """Keep the readings; what cannot be kept now is in the next reading."""

        def keep(base: sqlite3.Connection) -> None:
            with base:
                base.execute("begin immediate")
                for reading in readings:
                    _add(base, *reading)

        self._try(keep, None)

    def on(self, day: date) -> dict[str, Day]:
        """All meters of that day."""
        query = "select meter, kwh, since, until, total from energy where day = ?"
        rows: list[Any] = self._try(lambda base: base.execute(query, (day.isoformat(),)).fetchall(), [])
        return {meter: Day(*row) for meter, *row in rows}

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def _try(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        try:
            if self._base is None:
                self._base = opened(self.file, _TABLE, _BUSY_SECONDS)
                oldest = (date.today() - timedelta(days=KEPT_DAYS)).isoformat()
                self._base.execute("delete from energy where day < ?", (oldest,))
            return work(self._base)
        except (sqlite3.Error, OSError) as error:
            if not self._warned:
                log.warning("energy is not kept", extra={"file": str(self.file), "error": str(error)})
            self._warned = True
            return default


def _add(base: sqlite3.Connection, meter: str, kwh: float, at: float) -> None:
    query = "select day, kwh, since, until, total from energy where meter = ? order by day desc limit 1"
    last = base.execute(query, (meter,)).fetchone()
    day = datetime.fromtimestamp(at).date()
    now = Day(0.0, at, at, kwh)
    if last is not None:
        before = Day(*last[1:])
        if at <= before.until:
            return
        # A meter that began anew has counted at least what it shows.
        used = kwh - before.total if kwh >= before.total else kwh
        if last[0] == day.isoformat():
            now = Day(before.kwh + used, before.since, at, kwh)
        elif at - before.until <= _NEAR_SECONDS or used == 0:  # nothing was missed in between
            now = Day(used, midnight(day), at, kwh)
    row = (meter, day.isoformat(), *astuple(now))
    base.execute("insert or replace into energy values (?, ?, ?, ?, ?, ?)", row)


def midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day).timestamp()


@dataclass(frozen=True, slots=True)
class Energy:
    viewer: Viewer
    days: MeterDays
    clock: Callable[[], float] = time.time
    _seen: dict[str, tuple[float, float | None]] = field(default_factory=dict)

    def look(self, view: View) -> None:
        """Keep what the meters have newly reported."""
        fresh: list[MeterReading] = []
        for device in view.fresh:
            for value in () if device.node.dead else meters(device):
                meter, seen = _meter_of(value), (value.value, value.updated)
                if self._seen.get(meter) != seen:
                    self._seen[meter] = seen
                    fresh.append((meter, float(value.value), value.updated or self.clock()))
        if fresh:
            self.days.add(fresh)

    async def used(self, asked: str = "", day: str = "today") -> Result:
        """What one device, or every metered one, used on a day."""
        today = datetime.fromtimestamp(self.clock()).date()
        when = day_of(day, today)
        if when is None:
            sentence = f"{wording.quoted(day)} is no day; say today, yesterday, a weekday or 2026-11-16."
            return result(sentence, "invalid")
        view = await self.viewer.now()
        single = resolve_device(view, asked, lambda hit: bool(meters(hit))) if asked else None
        counting = [device for device in ([single] if single else view.devices) if meters(device)]
        if not counting:
            sentence = _no_meter(single) if single else "Nothing here counts energy."
            return result(sentence, "unsupported", single)
        known = self.days.on(when)
        of = ((device, map(_meter_of, meters(device))) for device in counting)
        days = [(device, [known[meter] for meter in every if meter in known]) for device, every in of]
        entries = [_entry(device, rows, when) for device, rows in days if rows]
        entries.sort(key=lambda item: -item["kwh"])
        missing = [device for device, rows in days if not rows]
        spoken = {0: "today", 1: "yesterday"}.get((today - when).days, f"on {when:%A} {when.day} {when:%B}")
        total = round(sum(item["kwh"] for item in entries), 3)
        more: dict[str, Any] = {"energy": entries, "day": when.isoformat()}
        if single is None:
            more |= {"total": total, "notMeasured": [device.name for device in missing]}
        if not entries:
            what = f" of {wording.the(single)}" if single else ""
            return result(f"Nothing was measured{what} {spoken}.", "unconfirmed", single, more=more)
        if single is not None:
            used = f"{_number(total)} kilowatt hours {spoken}{_begun(entries[0])}"
            sentence = f"{capital(wording.the(single))} used {used}."
            return result(sentence, "confirmed", single, more=more)
        names = sentences.distinct_names(view.devices)
        amounts = [
            f"{names[item['nodeId'], item['endpoint']]} {_number(item['kwh'])}{_begun(item)}"
            for item in entries
        ]
        sentence = (
            f"{capital(spoken)} {_number(total)} kilowatt hours: {sentences.counted(amounts, _MOST_METERS)}"
        )
        silent = [names[item.place] for item in missing][:_MOST_METERS]
        sentence += f"; not measured: {listed(silent)}" if silent else ""
        return result(f"{sentence}.", "confirmed", more=more)


def meters(device: Device) -> list[Value]:
    return [item for item in device.values if item.id.command_class == CC.METER and counts_energy(item)]


def counts_energy(value: Value) -> bool:
    """Whether it is consumed electricity in kilowatt hours: a meter's key holds type, scale and rate."""
    key = value.id.property_key
    if value.id.property != "value" or not isinstance(key, int) or not is_number(value.value):
        return False
    return key & 0xFF == _ELECTRIC and (key >> 8) & 0xFF == 0 and key >> 16 != _PRODUCED


def _meter_of(value: Value) -> str:
    return f"{value.id.node_id}-{value.id.endpoint}-{value.id.property_key}"


def day_of(text: str, today: date) -> date | None:
    """ "today", "yesterday", "Monday" (the last one), "2026-11-16"; None for a day that is still to come."""
    word = text.strip().casefold().removeprefix("on ").removeprefix("last ")
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(word)) % 7 or 7)
    try:
        day = date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word) else None
    except ValueError:
        return None
    return day if day is not None and day <= today else None


def _entry(device: Device, rows: list[Day], day: date) -> dict[str, Any]:
    since, until = max(row.since for row in rows), min(row.until for row in rows)
    counted = {"kwh": round(sum(row.kwh for row in rows), 3), "since": since, "until": until}
    return {"device": device.name, **place(device), **counted, "whole": since <= midnight(day)}


def _begun(entry: dict[str, Any]) -> str:
    clock = datetime.fromtimestamp(entry["since"])
    return "" if entry["whole"] else f", counted from {clock:%H:%M} on"


def _no_meter(device: Device) -> str:
    metered = any(value.id.command_class == CC.METER and is_number(value.value) for value in device.values)
    only = " only tells its power; how much it uses is not counted." if metered else " does not count energy."
    return f"{capital(wording.the(device))}{only}"


def _number(amount: float) -> str:
    return f"{amount:.2f}".rstrip("0").rstrip(".") if amount >= _LITTLE or amount == 0 else "less than 0.01"
