"""How timers, alarms and reminders are spoken of."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from home_names.phrases import capital
from voice_gateway.tools.builtin.timers.store import Kind, Timer
from voice_gateway.tools.builtin.times import local_zone, say_clock, say_moment, say_seconds

MOST_SAID = 5  # of each kind


def called(timer: Timer) -> str:
    """ "pasta timer", "10 minute timer", "6:30 AM alarm", 'reminder "call Ann"'."""
    if timer.again:
        return (
            f"{called(replace(timer, again='')) if timer.name or timer.message else timer.kind} {timer.again}"
        )
    if timer.name:
        named = timer.name.lower().endswith(tuple(Kind))
        return timer.name if named else f"{timer.name} {timer.kind}"
    if timer.kind is Kind.REMINDER:
        return f'reminder "{timer.message}"'
    if timer.kind is Kind.ALARM:
        return f"{say_clock(timer.due.astimezone(local_zone()[0]))} alarm"
    return re.sub(r"(day|hour|minute|second)s", r"\1", f"{say_seconds(timer.seconds)} timer")


def rung(timer: Timer) -> str:
    """What is said when it rings."""
    if timer.message:
        return timer.message
    if timer.kind is Kind.ALARM:
        now = say_clock(timer.due.astimezone(local_zone()[0]))
        return f"It's {now}. {capital(timer.name)}".strip() + ("." if timer.name else "")
    return f"{capital(called(timer))} is done."


def say_set(timer: Timer, now: datetime) -> str:
    """Said back in full, so that a time that was meant otherwise is noticed."""
    if timer.kind is Kind.REMINDER:
        return f"I'll remind you {_when(timer, now)}: {timer.message or timer.name}."
    what = capital(called(timer) if timer.name else timer.kind.value)
    if timer.kind is Kind.TIMER and not timer.at_clock_time:
        return f"{what} set for {say_seconds(timer.seconds)}."
    return f"{what} set for {say_moment(timer.due, now)}."


def say_moved(timer: Timer, now: datetime, *, snoozed: bool) -> str:
    if snoozed:
        return f"Okay, again in {say_left(timer.remaining_seconds(now))}."
    if timer.kind is Kind.TIMER:
        return f"The {called(timer)} has {say_left(timer.remaining_seconds(now))} left."
    return f"The {_plain_called(timer)} is now {_when(timer, now)}."


def say_paused(timer: Timer, now: datetime) -> str:
    left = say_left(timer.remaining_seconds(now))
    return f"{capital(called(timer))} {'running again' if timer.left is None else 'paused'}, {left} left."


def say_list(timers: Sequence[Timer], now: datetime, kind: Kind | None = None) -> str:
    if not timers:
        return (
            f"There are no {kind}s." if kind in (Kind.ALARM, Kind.REMINDER) else "There's no timer running."
        )
    groups = [[timer for timer in timers if timer.kind is each] for each in Kind]
    return " ".join(_say_group(group, now) for group in groups if group)


def _say_group(group: Sequence[Timer], now: datetime) -> str:
    shown = "; ".join(render_timer(timer, now) for timer in group[:MOST_SAID])
    more = f"; and {len(group) - MOST_SAID} more" if len(group) > MOST_SAID else ""
    return f"{len(group)} {group[0].kind}{'' if len(group) == 1 else 's'}: {shown}{more}."


def render_timer(timer: Timer, now: datetime) -> str:
    """One of a list: "pasta timer, 5 minutes left", "6:30 tomorrow morning", "call Ann, in 5 minutes"."""
    if timer.kind is Kind.TIMER:
        return f"{called(timer)}, {_left(timer, now)}"
    if timer.rang is not None:
        return f"{_plain_called(timer)}, ringing"
    if timer.again:
        what = timer.name or timer.message
        return f"{what}, {timer.again}" if what else timer.again
    if timer.kind is Kind.ALARM:
        when = say_moment(timer.due, now)
        return f"{timer.name}, {when}" if timer.name else when
    return f"{timer.message or timer.name}, {_when(timer, now)}"


def say_remaining(timers: Sequence[Timer], now: datetime) -> str:
    """ "8 minutes left on the pasta timer." """
    [timer, *others] = timers
    if others or timer.rang is not None:
        return say_list(timers, now)
    left = say_left(timer.remaining_seconds(now))
    if timer.kind is Kind.TIMER:
        paused = ", which is paused" if timer.left is not None else ""
        return f"{left} left on the {called(timer)}{paused}."
    return f"{left} left until the {_plain_called(timer)}, {_when(timer, now)}."


def say_gone(gone: Sequence[Timer]) -> str:
    if len(gone) == 1:
        return f"{capital(called(gone[0]))} {'stopped' if gone[0].rang else 'cancelled'}."
    kinds = {timer.kind for timer in gone}
    noun = f"{gone[0].kind}s" if len(kinds) == 1 else "of them"
    names = "; ".join(called(timer) for timer in gone[:MOST_SAID])
    more = f"; and {len(gone) - MOST_SAID} more" if len(gone) > MOST_SAID else ""
    return f"{len(gone)} {noun} cancelled: {names}{more}."


def say_left(seconds: int) -> str:
    """Rounded: seconds below ten minutes, minutes below a day, hours above."""
    for size, step in ((86400, 3600), (600, 60)):
        if seconds >= size:
            return say_seconds(round(seconds / step) * step)
    return say_seconds(seconds)


def _left(timer: Timer, now: datetime) -> str:
    if timer.rang is not None:
        return "ringing"
    left = timer.remaining_seconds(now)
    paused = ", paused" if timer.left is not None else ""
    return f"{say_left(left)} left{paused}" if left else "ran out"


def _when(timer: Timer, now: datetime) -> str:
    """ "at 6 this evening", or "in 5 minutes" for a timer that was set for a duration."""
    left = timer.remaining_seconds(now)
    if timer.at_clock_time or left >= 3600:
        return f"at {say_moment(timer.due, now)}"
    return f"in {say_left(left)}" if left else "now"


def _plain_called(timer: Timer) -> str:
    return called(timer) if timer.name or timer.kind is not Kind.ALARM else "alarm"
