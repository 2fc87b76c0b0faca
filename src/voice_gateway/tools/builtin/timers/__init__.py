"""Timers, alarms and reminders: their file, and the clock that lets them ring."""

from voice_gateway.tools.builtin.timers.clock import TimerClock
from voice_gateway.tools.builtin.timers.lease import Lease, RingLease
from voice_gateway.tools.builtin.timers.store import KeptTimers, Timer, TimerStore

__all__ = ["KeptTimers", "Lease", "RingLease", "Timer", "TimerClock", "TimerStore"]
