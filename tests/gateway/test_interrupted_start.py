"""Ctrl-C in the first moments, and a settings file that would never come to its end."""

import asyncio
import signal
import sys

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS

NO_SERVER = "[mcp]\nsimulated_home = false\n"

# Interrupts itself in the middle of the imports, however long these take on this machine.
INTERRUPTED = """
import builtins, os, signal, sys
from voice_gateway.__main__ import main
usual = builtins.__import__
def interrupting(name, *rest, **named):
    if name == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGINT)
    return usual(name, *rest, **named)
builtins.__import__ = interrupting
print(main(["status"]))
"""


@pytest.mark.parametrize("module", ["argparse", "asyncio"])
async def test_an_interrupt_during_the_imports_is_silent(commands, module):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", INTERRUPTED, module),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=commands.env,
    )
    async with asyncio.timeout(LIMIT_SECONDS):
        out, err = await process.communicate()

    assert (process.returncode, out, err) == (128 + signal.SIGINT, b"", b"")


async def test_settings_may_come_from_what_the_shell_has_opened(commands):
    done = await commands.run(
        "config", "show", "--json", "--config", "/dev/stdin", text="[tools]\nresult_cap = 300\n"
    )

    rows = {row["name"]: row for row in done.json}
    assert (rows["tools.result_cap"]["value"], rows["tools.result_cap"]["origin"]) == (300, "/dev/stdin")
