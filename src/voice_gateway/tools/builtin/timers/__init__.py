"""Timers, alarms and reminders: their store, and the clock that lets them ring."""

from voice_gateway.tools.builtin.timers.clock import TimerClock
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore

__all__ = ["Timer", "TimerClock", "TimerStore"]
