"""How timers are spoken of, and their facts for programs."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from voice_gateway.tools.builtin.durations import say_seconds
from voice_gateway.tools.builtin.timers.store import Timer
from voice_gateway.tools.builtin.zones import local_zone


def facts(timer: Timer, now: datetime) -> dict[str, Any]:
    return {
        "id": timer.id,
        "name": timer.name,
        "message": timer.message,
        "seconds": round(timer.seconds),
        "due": timer.due.astimezone(local_zone()[0]).isoformat(timespec="seconds"),
        "remaining_seconds": timer.remaining_seconds(now),
        "ringing": timer.rang is not None,
    }


def called(timer: Timer) -> str:
    """How to speak of it: "pasta timer", "10 minute timer", "reminder to call Ann"."""
    if timer.name:
        named = timer.name.lower().endswith(("timer", "alarm", "reminder"))
        return timer.name if named else f"{timer.name} {'reminder' if timer.message else 'timer'}"
    if timer.message:
        return f'reminder "{timer.message}"'
    return re.sub(r"(day|hour|minute|second)s", r"\1", f"{say_seconds(timer.seconds)} timer")


def left(timer: Timer, now: datetime) -> str:
    return "ringing" if timer.rang is not None else f"{say_seconds(timer.remaining_seconds(now))} left"


def say_set(timer: Timer, now: datetime, *, absolute: bool) -> str:
    what = called(timer) if timer.name else "reminder" if timer.message else "timer"
    when = _clock(timer.due, now) if absolute else say_seconds(timer.seconds)
    note = f": {timer.message}" if timer.message else ""
    return f"{what[0].upper()}{what[1:]} set for {when}{note}."


def say_list(timers: Sequence[Timer], now: datetime) -> str:
    if not timers:
        return "No timers are running."
    each = "; ".join(f"{called(timer)}, {left(timer, now)}" for timer in timers)
    return f"{len(timers)} timer{'' if len(timers) == 1 else 's'}: {each}."


def say_gone(gone: Sequence[Timer]) -> str:
    if len(gone) == 1:
        return f"The {called(gone[0])} is {'stopped' if gone[0].rang else 'cancelled'}."
    return f"{len(gone)} timers are cancelled: {'; '.join(called(timer) for timer in gone)}."


def _clock(due: datetime, now: datetime) -> str:
    zone = local_zone()[0]
    there, here = due.astimezone(zone), now.astimezone(zone)
    days = (there.date() - here.date()).days
    day = {0: "", 1: " tomorrow"}.get(days, f" on {there:%A}, {there.day} {there:%B}")
    return f"{there:%I:%M %p}".lstrip("0") + day
