"""Timers and reminders: the tools, the file they are kept in, and the clock that lets them ring."""

from voice_gateway.tools.builtin.timers.clock import TimerClock
from voice_gateway.tools.builtin.timers.lease import RingLease
from voice_gateway.tools.builtin.timers.store import Timer, TimerStore
from voice_gateway.tools.builtin.timers.tools import called, timer_tools

__all__ = ["RingLease", "Timer", "TimerClock", "TimerStore", "called", "timer_tools"]
