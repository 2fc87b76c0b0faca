"""The terminal channel of a gateway."""

import io
from pathlib import Path

import pytest

from voice_gateway.app import opened
from voice_gateway.config import McpSettings, Settings
from voice_gateway.events import Notice


async def test_the_terminal_prints_unasked_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    out, script = io.StringIO(), io.StringIO()
    async with opened(Settings(mcp=McpSettings(simulated_home=False))) as gateway:
        gateway.channels.text(as_json=False, out=out)
        gateway.channels.text(as_json=True, out=script)
        gateway.events.publish(Notice("The tea timer is done."))

    assert out.getvalue() == "The tea timer is done.\n"
    assert script.getvalue() == ""
