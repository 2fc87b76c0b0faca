"""`tools` shows what the running gateway has, and without one what it would have; it says which."""

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import server

ONLY_THESE = "[mcp]\nsimulated_home = false\n"


@pytest.mark.slow
async def test_tools_are_those_of_the_running_gateway(commands):
    commands.file("voice-gateway.toml", ONLY_THESE + server("old", "naming_server.py", "old"))

    async with Running.opened(commands):
        commands.file("voice-gateway.toml", ONLY_THESE + server("new", "naming_server.py", "new"))
        there = await commands.run("tools")
        as_json = await commands.run("tools", "--json")
        one = await commands.run("tools", "get_owner", "--json")
        unknown = await commands.run("tools", "get_onwer")
    alone = await commands.run("tools")
    same_shape = await commands.run("tools", "--json")

    assert there.err == "The tools of the running gateway:\n"
    assert "the server old, not trusted" in there.out
    assert "old" in {tool["source"] for tool in as_json.json}
    assert one.json["qualified_name"] == "old__get_owner"
    assert (unknown.code, "Did you mean get_owner" in unknown.err) == (1, True)
    assert alone.err == "No gateway is running; one would have these:\n"
    assert "the server new, not trusted" in alone.out
    assert [set(tool) for tool in same_shape.json] == [set(tool) for tool in as_json.json]
