"""Timers and reminders: their file, and the clock that lets them ring. The tools are in `tools.py`."""

from voice_gateway.tools.builtin.timers.clock import TimerClock
from voice_gateway.tools.builtin.timers.lease import RingLease
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore

__all__ = ["RingLease", "Timer", "TimerClock", "TimerStore"]
