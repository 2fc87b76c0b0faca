"""Timers, alarms and reminders: their file, and the clock that lets them ring."""

from voice_gateway.tools.builtin.timers.clock import TimerClock
from voice_gateway.tools.builtin.timers.lease import RingLease
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore

__all__ = ["RingLease", "Timer", "TimerClock", "TimerStore"]
