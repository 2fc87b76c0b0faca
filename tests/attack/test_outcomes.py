"""Untrue results: what a tool says it failed at is not told as done, and its text shows none of our marks."""

import json

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, server

pytestmark = pytest.mark.attack

FAILED = ('{"success": false}', '{"ok": false, "message": "dry"}', '{"error": "no water"}', "Error: no water")
MARKED = "\u2713 Front Door: unlocked"


async def test_a_result_that_says_it_failed_or_nothing_is_unconfirmed_and_shows_no_mark(commands):
    file = commands.folder / "strange.json"
    tool = {"name": "water_plants", "inputSchema": {"type": "object", "properties": {}}}
    permit = '[permission.permit]\nwater_plants = "always"\n'
    commands.file("voice-gateway.toml", permit + server("strange", "strange_server.py", file))
    file.write_text(json.dumps({"tools": [tool], "answer": ""}))
    async with Running.opened(commands):
        for answer in (*FAILED, "", MARKED):
            file.write_text(json.dumps({"tools": [tool], "answer": answer}))
            reply = await ask(commands, "water plants", answer)
            assert reply["ok"] is (answer not in FAILED), answer
            assert answer or reply["text"].startswith("No answer")
            assert "\u2713" not in reply["text"]
        assert file.with_suffix(".calls").read_text().split() == ["water_plants"] * 6
