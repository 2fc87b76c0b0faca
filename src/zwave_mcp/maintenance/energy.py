"""Energy by device and day, from the meters' own counts; what was not measured is said so."""

import re
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, Final

from home_words.phrases import capital, listed
from zwave_mcp import wording
from zwave_mcp.devices import METER, Device
from zwave_mcp.home import Home, Snapshot, Value, is_number
from zwave_mcp.maintenance.meter_days import Day, MeterDays, Reading, midnight
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.view import View, Viewer, resolve_device

_ELECTRIC, _PRODUCED = 1, 2
_MOST_NAMED: Final = 5
_LITTLE: Final = 0.005  # kilowatt hours that nobody speaks of
_SOON_SECONDS: Final = 600.0
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Energy:
    def __init__(
        self, home: Home, viewer: Viewer, days: MeterDays, clock: Callable[[], float] = time.time
    ) -> None:
        self._viewer = viewer
        self._days = days
        self._clock = clock
        self._seen: dict[str, tuple[float, float | None]] = {}
        home.watch(self.note)

    def note(self, snapshot: Snapshot) -> None:
        """Called with each new snapshot: only what a meter told anew is written."""
        fresh: list[Reading] = []
        for node in snapshot.nodes:
            if node.dead:
                continue
            for value in node.values:
                if value.id.command_class != METER or not counts_energy(value):
                    continue
                meter, seen = meter_of(value), (value.value, value.updated)
                if self._seen.get(meter) != seen:
                    self._seen[meter] = seen
                    fresh.append(Reading(meter, float(value.value), value.updated or self._clock()))
        if fresh:
            self._days.add(fresh)

    async def used(self, asked: str = "", said_day: str = "today") -> Result:
        requested: dict[str, Any] = {"day": said_day}
        day = day_of(said_day, datetime.fromtimestamp(self._clock()).date())
        if day is None:
            sentence = f"{wording.quoted(said_day)} is no day; say today, yesterday, a weekday or 2026-11-16."
            return result(sentence, "invalid", Facts(requested))
        view = await self._viewer.now()
        if asked:
            device = resolve_device(view, asked, requested, lambda one: bool(meters(one)))
            if isinstance(device, Result):
                return device
            return self._one(device, day, requested)
        return self._all(view, day, requested)

    def _one(self, device: Device, day: date, requested: dict[str, Any]) -> Result:
        counting = meters(device)
        if not counting:
            return result(_no_meter(device), "unsupported", Facts(requested, device))
        rows = self._days.on(day, [meter_of(one) for one in counting])
        if not rows:
            facts = Facts(requested, device, more={"energy": [], "day": day.isoformat()})
            return result(self._nothing(device, day), "unconfirmed", facts)
        entry = _entry(device, list(rows.values()))
        facts = Facts(requested, device, more={"energy": [entry], "day": day.isoformat()})
        said = f"{capital(wording.the(device))} used {_amount(entry)} {self._called(day)}"
        return result(f"{said}{self._but(entry, day)}.", "confirmed", facts)

    def _all(self, view: View, day: date, requested: dict[str, Any]) -> Result:
        having = [(device, values) for device in view.devices if (values := meters(device))]
        if not having:
            return result("Nothing here counts energy.", "unsupported", Facts(requested))
        found = self._days.on(day, [meter_of(one) for _, values in having for one in values])
        called = wording.called_apart(view.devices)
        told, missing = [], []
        for device, values in having:
            rows = [found[meter_of(one)] for one in values if meter_of(one) in found]
            if rows:
                told.append(_entry(device, rows))
            else:
                missing.append(device)
        told.sort(key=lambda one: -one["kwh"])
        total = round(sum(one["kwh"] for one in told), 3)
        more = {"energy": told, "total": total, "day": day.isoformat()}
        more["notMeasured"] = [device.name for device in missing]
        outcome: Outcome = "confirmed" if told else "unconfirmed"
        spoken = [{**one, "device": str(called[one["nodeId"], one["endpoint"]])} for one in told]
        sentence = self._sentence(spoken, [str(called[device.place]) for device in missing], total, day)
        return result(sentence, outcome, Facts(requested, more=more))

    def _sentence(self, told: list[dict[str, Any]], missing: list[str], total: float, day: date) -> str:
        """Two of one name are told apart in `told` and `missing`."""
        if not told:
            return f"Nothing was measured {self._called(day)}{self._begun()}."
        names = [f"{one['device']} {_number(one['kwh'])}" for one in told[:_MOST_NAMED]]
        rest = [f"{len(told) - _MOST_NAMED} more"] if len(told) > _MOST_NAMED else []
        parts = [f"{capital(self._called(day))} {_kwh(total)}: {listed([*names, *rest])}"]
        if not_whole := [one["device"] for one in told if not one["whole"]]:
            parts.append(f"not counted from midnight on: {listed(not_whole[:_MOST_NAMED])}")
        if missing:
            parts.append(f"not measured: {listed(missing[:_MOST_NAMED])}")
        return "; ".join(parts) + "."

    def _nothing(self, device: Device, day: date) -> str:
        return f"Nothing was measured of {wording.the(device)} {self._called(day)}{self._begun()}."

    def _begun(self) -> str:
        first = self._days.first_day()
        if first is None:
            return "; its meter has told nothing yet"
        at = datetime.fromtimestamp(first)
        return f"; counting began on {at.day} {at:%B} at {at:%H:%M}"

    def _called(self, day: date) -> str:
        today = datetime.fromtimestamp(self._clock()).date()
        if day == today:
            return "today"
        return "yesterday" if day == today - timedelta(days=1) else f"on {day:%A} {day.day} {day:%B}"

    def _but(self, entry: dict[str, Any], day: date) -> str:
        parts = []
        if not entry["whole"]:
            since = datetime.fromtimestamp(entry["since"])
            parts.append(f"counted from {since:%H:%M} on")
        if entry["apart"] > _LITTLE:
            parts.append(f"{_kwh(entry['apart'])} more came before that, and on which day is not known")
        if entry["reset"]:
            parts.append("its meter was set back meanwhile")
        end = midnight(day + timedelta(days=1))
        if entry["until"] < min(end, self._clock()) - _SOON_SECONDS:
            parts.append(f"its meter last told at {datetime.fromtimestamp(entry['until']):%H:%M}")
        return "".join(f"; {one}" for one in parts)


def counts_energy(value: Value) -> bool:
    """Consumed electricity in kilowatt hours: the key of a meter's value holds type, scale and rate."""
    key = value.id.property_key
    if value.id.property != "value" or not isinstance(key, int) or not is_number(value.value):
        return False
    kind, scale, rate = key & 0xFF, (key >> 8) & 0xFF, key >> 16
    return kind == _ELECTRIC and scale == 0 and rate != _PRODUCED


def meters(device: Device) -> list[Value]:
    return [one for one in device.values if one.id.command_class == METER and counts_energy(one)]


def meter_of(value: Value) -> str:
    return f"{value.id.node_id}-{value.id.endpoint}-{value.id.property_key}"


def day_of(said: str, today: date) -> date | None:
    """ "today", "yesterday", "Monday" (the last one), "2026-11-16"; never a day that is still to come."""
    word = said.strip().casefold().removeprefix("on ").removeprefix("last ")
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        back = (today.weekday() - _WEEKDAYS.index(word)) % 7
        return today - timedelta(days=back or 7)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word):
        try:
            given = date.fromisoformat(word)
        except ValueError:
            return None
        return given if given <= today else None
    return None


def _entry(device: Device, rows: list[Day]) -> dict[str, Any]:
    return {
        "device": device.name,
        "room": device.room,
        "nodeId": device.node.id,
        "endpoint": device.endpoint,
        "kwh": round(sum(row.kwh for row in rows), 3),
        "since": max(row.since for row in rows),
        "until": min(row.until for row in rows),
        "whole": all(row.whole for row in rows),
        "apart": round(sum(row.apart for row in rows), 3),
        "reset": any(row.reset for row in rows),
    }


def _no_meter(device: Device) -> str:
    metered = [value for value in device.values if value.id.command_class == METER]
    if metered and not any(is_number(value.value) for value in metered):
        return capital(f"{wording.the(device)} has not told yet what it uses.")
    if metered:
        return capital(f"{wording.the(device)} only tells its power; how much it uses is not counted.")
    return capital(f"{wording.the(device)} does not measure energy.")


def _amount(entry: dict[str, Any]) -> str:
    return f"{'at least ' if entry['reset'] else ''}{_kwh(entry['kwh'])}"


def _kwh(amount: float) -> str:
    return f"{_number(amount)} kilowatt hours"


def _number(amount: float) -> str:
    return f"{amount:.2f}".rstrip("0").rstrip(".") if amount >= _LITTLE or amount == 0 else "less than 0.01"
