"""What people say and keep is in no log: arguments and words at debug only, lists and notes never."""

import json

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import ask, server

pytestmark = pytest.mark.attack

WORDS = (
    "add unicorn milk to the shopping list",
    "what is on my shopping list",
    "remove unicorn bread from the shopping list",
    "set a unicorn timer for 5 minutes",
    "cancel the unicorn pie timer",
    "remind me to buy a unicorn in ten minutes",
)


@pytest.mark.parametrize("level", [("--log-level", "info"), ("--debug",)])
async def test_no_log_has_an_entry_of_a_list_or_an_argument(commands, level):
    file = commands.folder / "strange.json"
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    tools = [{"name": name, "inputSchema": schema} for name in ("read_note", "feed_cat")]
    file.write_text(json.dumps({"tools": tools, "answer": "Error: there is no unicorn"}))
    commands.file("voice-gateway.toml", server("strange", "strange_server.py", file))
    async with Running.opened(commands, *level) as gateway:
        for words in WORDS:
            await ask(commands, words)
        for name in ("read_note", "feed_cat") if "info" in level else ("read_note",):
            await commands.run("tools", "call", name, "name=unicorn")
    log = "".join(gateway.said).lower()
    assert "tool finished" in log
    assert "tool failed" in log
    assert "unicorn" not in log
