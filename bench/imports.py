"""What importing the tools costs on top of plain LangChain tools: CPU time, in a new process each time."""

import os
import subprocess
from statistics import median

from bench.driver import OURS, ROOT
from bench.table import Row

PLAIN = "from langchain_core.tools import StructuredTool; from langchain_core.messages import ToolMessage"
# All that runs a built-in tool, its call plan included.
WORKING = "import voice_gateway.tools.executor, voice_gateway.tools.manager, voice_gateway.tools.prepared"


def run(passes: int) -> list[Row]:
    package, working = [], []
    for number in range(passes + 1):
        taken = _milliseconds("import voice_gateway.tools"), _milliseconds(WORKING)
        if number:  # the first one writes .pyc files
            package.append(taken[0])
            working.append(taken[1])
    return [
        _row("import voice_gateway.tools, on top of langchain_core.tools", package),
        _row("… with executor, manager and call plan", working),
    ]


def _row(what: str, taken: list[tuple[float, float]]) -> Row:
    beyond, total = (median(column) for column in zip(*taken, strict=True))
    return Row(what, beyond, "ms", 50, total=total)


def _milliseconds(program: str) -> tuple[float, float]:
    """(on top of plain LangChain, since the process began)."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    now = "time.process_time()"
    timed = f"{PLAIN}; import time; plain = {now}; {program}; print({now} - plain, {now})"
    ended = subprocess.run(
        [OURS, "-c", timed], cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    beyond, total = map(float, ended.stdout.split())
    return beyond * 1e3, total * 1e3
