"""Ctrl-C in the first moments, and a settings file that would never come to its end."""

import asyncio
import signal
import sys

import pytest
from tests.fakes.gateway_process import LIMIT_SECONDS

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
