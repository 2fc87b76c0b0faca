"""The API keeps what `/openapi.json` promises, whatever is sent to it."""

import asyncio
import os
import subprocess
import sys

import pytest
from tests.fakes.browser import CACHE

EXAMPLES = 15  # of each operation and phase: half a minute


# Others' shapes. Of OpenAI's more is taken than is described: what is not described may be answered. MCP is
# spoken in sessions, in which one message alone says nothing: its own clients try it (tests/others).
OURS = ("--exclude-path-regex", "^/(v1|mcp)", "--exclude-path", "/api/events")  # which never ends
CHECKS = "negative_data_rejection,positive_data_acceptance"
OPENAI = ("--include-path-regex", "^/v1", "--exclude-checks", CHECKS)


@pytest.mark.web
@pytest.mark.timeout(300)
@pytest.mark.parametrize("which", [OURS, OPENAI], ids=["ours", "openai"])
async def test_answers_match_the_openapi_document(address, tmp_path, which):
    words = ["run", f"{address}openapi.json", "--max-examples", str(EXAMPLES), *which]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", *words),
        env={**os.environ, "PYTHONPATH": str(CACHE / "schemathesis"), "NO_COLOR": "1"},
        cwd=tmp_path,  # it writes down what it tried
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
