"""The API keeps what `/openapi.json` promises, whatever is sent to it."""

import asyncio
import os
import subprocess
import sys

import pytest
from tests.fakes.browser import CACHE

EXAMPLES = 15  # of each operation and phase: half a minute


@pytest.mark.web
@pytest.mark.timeout(300)
async def test_no_request_makes_it_fail_or_answer_otherwise_than_promised(address, tmp_path):
    words = ["run", f"{address}openapi.json", "--max-examples", str(EXAMPLES)]
    words += ["--exclude-path", "/api/events"]  # it never ends
    # Others' shapes: their own clients try them (tests/others), and more is taken than is described.
    words += ["--exclude-path-regex", "^/(v1|mcp)"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", *words),
        env={**os.environ, "PYTHONPATH": str(CACHE / "schemathesis"), "NO_COLOR": "1"},
        cwd=tmp_path,  # it writes down what it tried
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
