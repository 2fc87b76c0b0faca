"""`turns` and `replay` as a person uses them: real processes, with and without a running gateway."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def command(tmp_path, monkeypatch):
    folders = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": "run"}
    for name, folder in folders.items():
        (tmp_path / folder).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / folder))

    def run(*words, code=0, given=""):
        whole = [sys.executable, "-m", "voice_gateway", *words]
        done = subprocess.run(
            whole,
            check=False,
            input=given,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=dict(os.environ),
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


def test_a_turn_of_ask_is_listed_shown_replayed_and_deleted(command, tmp_path):
    command("ask", "turn on the floor lamp")
    [turn] = json.loads(command("turns", "--json"))
    assert (turn["text"], turn["acts"][0]["outcome"]) == ("turn on the floor lamp", "confirmed")
    shown = json.loads(command("turns", "show", turn["id"][:8], "--json"))
    assert shown["events"][0]["type"] == "heard"

    # A replay starts no server and leaves every file as it was.
    marker, config = tmp_path / "started", tmp_path / "settings.toml"
    config.write_text(f'[mcpServers.zwave]\ncommand = "touch"\nargs = ["{marker}"]\n[web]\nenabled = false\n')
    before = {path: path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()}
    again = json.loads(command("replay", turn["id"], "--json", "--config", str(config)))
    assert again["differences"] == []
    assert not marker.exists()
    assert {path: path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()} == before

    command("turns", "delete", turn["id"])
    assert json.loads(command("turns", "--json")) == []
    assert b"floor" not in (tmp_path / "data/voice-gateway/turns.sqlite").read_bytes()
