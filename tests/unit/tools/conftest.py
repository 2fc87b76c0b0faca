"""A clock for tests of time limits."""

import asyncio

import pytest


@pytest.fixture
async def leaping_clock(monkeypatch):
    """The loop's clock stands still while code runs, and leaps to the next timer instead of waiting."""
    loop, now = asyncio.get_running_loop(), 1000.0
    selector = vars(loop)["_selector"]
    select = selector.select

    def leap(timeout):
        nonlocal now
        ready = select(0 if timeout else timeout)
        if not ready and timeout:
            now += timeout
        return ready

    monkeypatch.setattr(selector, "select", leap)
    monkeypatch.setattr(loop, "time", lambda: now)
