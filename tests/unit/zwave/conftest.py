"""Commands are judged in hundredths of a second here; the order of things stays the same."""

import pytest

from zwave_mcp import confirm, control, scenes


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirm, "_POLL_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(confirm, "_FIRST_POLLS_SECONDS", 0.005)
    monkeypatch.setattr(confirm, "_AFTER_RAMP_SECONDS", 0.05)
    monkeypatch.setattr(confirm, "WINDOW_SECONDS", 0.05)
    monkeypatch.setattr(control, "_LOCK_WINDOW_SECONDS", 0.05)
    monkeypatch.setattr(confirm, "_STOP_CHECK_SECONDS", 0.005)
    monkeypatch.setattr(scenes, "_CHECK_SECONDS", 0.05)
    monkeypatch.setattr(scenes, "_EVERY_SECONDS", 0.01)
