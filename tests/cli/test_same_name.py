"""Two servers with a tool of one name: from cold, too, it means that of the later one in the settings."""

import pytest
from tests.fakes.running_gateway import server

PERMITTED = '[permission.permit]\nget_owner = "always"\n'
ONLY_THESE = PERMITTED + "[mcp]\nsimulated_home = false\n"
NAMING = "naming_server.py"
QUICK, SLOW = 0, 0.5  # seconds until it greets


@pytest.mark.slow
@pytest.mark.parametrize(("zebra", "ant"), [(QUICK, SLOW), (SLOW, QUICK)])
async def test_eight_calls_from_cold_reach_the_later_server(commands, zebra, ant):
    servers = server("zebra", NAMING, "zebra", zebra) + server("ant", NAMING, "ant", ant)
    commands.file("voice-gateway.toml", ONLY_THESE + servers)

    said = [(await commands.run("tools", "call", "get_owner")).out for _ in range(4)]
    asked = [(await commands.run("ask", "what is the owner")).out for _ in range(4)]
    named = [(await commands.run("tools", "call", f"{one}__get_owner")).out for one in ("zebra", "ant")]

    assert said == ["ant\n"] * 4
    assert all("ant" in answer.lower() for answer in asked), asked
    assert named == ["zebra\n", "ant\n"]


@pytest.mark.slow
async def test_beside_a_home_words_for_a_tool_wait_for_the_later_server_too(commands):
    servers = server("first", NAMING, "first", QUICK) + server("later", NAMING, "later", 3)
    commands.file("voice-gateway.toml", PERMITTED + servers)

    asked = await commands.run("ask", "what is the owner")

    assert "later" in asked.out.lower()


@pytest.mark.slow
async def test_whose_it_is_cannot_be_said_while_the_later_one_is_silent(commands):
    silent = '[mcpServers.later]\ncommand = "sleep"\nargs = ["600"]\n'
    commands.file("voice-gateway.toml", ONLY_THESE + server("first", NAMING, "first") + silent)

    unsure = await commands.run("tools", "call", "get_owner", "--timeout", "1", "--json")
    named = await commands.run("tools", "call", "first__get_owner", "--timeout", "10")

    assert (unsure.code, unsure.json["error"]) == (1, "unavailable")
    assert "later" in unsure.json["text"]
    assert named.out == "first\n"
