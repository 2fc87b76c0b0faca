"""A server that prints what it was given in confidence: nobody reads it in logs, status or doctor."""

import json
import sys

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.linked import fault_server, linked
from tests.fakes.running_gateway import parts

from voice_gateway.config import ServerSettings
from voice_gateway.errors import ToolUnavailable
from voice_gateway.tools.masking import without_secrets

PLAIN = "tell-it-to-nobody"  # nothing in it looks like a secret: only the name of its variable tells
ARGUMENT = "nor-this-one"
PATTERN = "ghp_abcdefghijklmnop1234"  # known by its form, wherever it comes from
LEAKY = f"""
import os, sys
print("connecting with", os.environ["HOME_PASSWORD"], "and", sys.argv[2], file=sys.stderr)
print("Authorization: Bearer {PATTERN}x; floor", os.environ["FLOOR"], file=sys.stderr)
sys.exit("no luck with " + os.environ["HOME_PASSWORD"])
"""


WORDS = {
    "command": "x",
    "env": {"GITHUB_TOKEN": "abcd", "FERNET_KEY": "k-1", "EMPTY_PASSWORD": "", "PIN": "1", "LANG": "en"},
    "args": ("serve", "--api-key=efgh", "--password", "ijkl", "--verbose", "mnop"),
}
HEADERS = {"X-Who": "me-alone", "Authorization": "Bearer q1xy"}


def settings() -> str:
    arguments = json.dumps(["-c", LEAKY, "--token", ARGUMENT])
    return (
        "[mcp]\nattempts = 2\nbase_delay_seconds = 0.0\n[mcpServers.leaky]\n"
        f"command = {json.dumps(sys.executable)}\nargs = {arguments}\n"
        f'env = {{ HOME_PASSWORD = "{PLAIN}", FLOOR = "ground" }}\n'
    )


def is_clean(text: str) -> bool:
    return not any(secret in text for secret in (PLAIN, ARGUMENT, PATTERN))


async def test_neither_log_nor_status_show_what_the_server_printed(commands):
    commands.file("voice-gateway.toml", settings())
    async with Running.opened(commands, "--log-level", "info") as gateway:
        known = json.dumps(await parts(commands))
        gateway.process.terminate()
        said = "".join(gateway.said) + (await gateway.process.stderr.read()).decode()

    assert "connecting with *** and ***" in said
    assert "floor ground" in said
    assert is_clean(said)
    assert is_clean(known)


@pytest.mark.slow
async def test_the_doctor_does_not_show_it_either(commands):
    commands.file("voice-gateway.toml", settings())

    done = await commands.run("doctor", "--json")

    (server,) = [check for check in done.json["checks"] if check["check"] == "server leaky"]
    assert server["text"].endswith("its stderr ends: no luck with ***")
    assert is_clean(done.out + done.err)


async def test_the_last_words_of_a_server_that_dies_in_a_call_are_clean_too():
    server = fault_server(env={"BUS_TOKEN": "the bus is gone"})
    async with linked(server, hide=without_secrets) as link:
        with pytest.raises(ToolUnavailable) as failure:
            await link.call("die")

    assert "fatal: ***" in str(failure.value.__cause__)


@pytest.mark.parametrize(
    ("server", "said", "shown"),
    [
        (WORDS, "abcd k-1 efgh ijkl", "*** *** *** ***"),
        (WORDS, "en mnop serve 1 verbose", "en mnop serve 1 verbose"),
        (WORDS, "mqtt://me:secret@host", "mqtt://***@host"),
        # The longer of two secrets leaves nothing of itself.
        ({"command": "x", "env": {"A_TOKEN": "abc", "B_TOKEN": "abcdef"}}, "abcdef abc", "*** ***"),
        # Headers are secret whatever their name.
        ({"url": "http://x", "headers": HEADERS}, "me-alone, Bearer q1xy and q1xy", "***, *** and ***"),
    ],
)
def test_which_words_of_a_server_are_hidden(server, said, shown):
    assert without_secrets(ServerSettings(**server))(said) == shown
