"""`voice-gateway mcp`: the servers that are set up."""

import json

import pytest
from tests.fakes.allowed_settings import allowed

from voice_gateway.__main__ import main


@pytest.mark.parametrize("words", [["mcp", "--json"], ["mcp", "list", "--json"]])
def test_each_server_is_listed_with_where_it_was_set_up(tmp_path, capsys, words):
    file = tmp_path / "voice-gateway.toml"
    file.write_text('[mcpServers.mine]\ncommand = "server"\nargs = ["--token=hush-hush"]\n')
    allowed(file)

    assert main(words) == 0

    mine, home = json.loads(capsys.readouterr().out)
    assert mine == {"name": "mine", "reached": "server --token=***", "origin": str(file)}
    assert (home["name"], home["origin"]) == ("zwave", "default")
