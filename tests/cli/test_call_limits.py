"""`tools call --timeout` is about all of the call, also the wait for a server that never comes up."""

import pytest

HUNG = '[mcpServers.hung]\ncommand = "sleep"\nargs = ["600"]\n'


@pytest.mark.slow
async def test_the_limit_covers_the_wait_for_a_server(commands):
    commands.file("voice-gateway.toml", HUNG)

    done = await commands.run("tools", "call", "anything", "--timeout", "1", "--json")

    assert (done.code, done.json["error"], done.json["ok"]) == (1, "unavailable", False)
    assert 1 <= done.json["seconds"] < 10
    assert "hung" in done.json["text"]
    assert "tool failed (tool=anything" in done.err
    assert f"seconds={done.json['seconds']}" in done.err
