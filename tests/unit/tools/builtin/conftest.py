"""Timers in a file of their own, by a clock that a test moves."""

from pathlib import Path

import pytest
from tests.fakes.timer_clock import StoppedClock

from voice_gateway.tools.builtin.timers import TimerStore


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "timers.sqlite3"


@pytest.fixture
def store(path: Path, clock: StoppedClock) -> TimerStore:
    return TimerStore(path, now=clock.now, passed=clock.monotonic)
