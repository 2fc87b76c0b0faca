"""`turns` and `replay` as a person uses them: real processes, without a running gateway."""

import pytest
from tests.fakes.gateway_process import Commands

pytestmark = pytest.mark.slow


async def test_a_turn_of_ask_is_listed_shown_replayed_and_deleted(commands: Commands):
    await commands.run("ask", "turn on the floor lamp")
    [turn] = (await commands.run("turns", "--json")).json
    assert (turn["text"], turn["acts"][0]["outcome"]) == ("turn on the floor lamp", "confirmed")
    shown = (await commands.run("turns", "show", turn["id"][:8], "--json")).json
    assert shown["events"][0]["type"] == "heard"

    # A replay starts no server and leaves every file as it was.
    marker, data = commands.folder / "started", commands.folder / "data"
    config = commands.file("s.toml", f'[mcpServers.zwave]\ncommand = "touch"\nargs = ["{marker}"]\n')
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    again = await commands.run("replay", turn["id"], "--json", "--config", str(config))
    assert (again.code, again.json["differences"]) == (0, [])
    assert not marker.exists()
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before

    assert (await commands.run("turns", "delete", turn["id"])).code == 0
    assert (await commands.run("turns", "--json")).json == []
    assert b"floor" not in (data / "voice-gateway" / "turns.sqlite").read_bytes()
