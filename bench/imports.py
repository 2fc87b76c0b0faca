"""What importing the tools costs on top of plain LangChain tools: CPU time, in a new process each time."""

import os
import subprocess
from statistics import median

from bench.driver import OURS, ROOT
from bench.table import Row

PLAIN = "from langchain_core.tools import StructuredTool; from langchain_core.messages import ToolMessage"
# All that runs a built-in tool, its call plan included.
WORKING = (
    "import voice_gateway.tools.executor, voice_gateway.tools.manager, voice_gateway.tools.call_plan.plan"
)


def run(passes: int) -> list[Row]:
    package, working = [], []
    for number in range(passes + 1):
        taken = _milliseconds("import voice_gateway.tools"), _milliseconds(WORKING)
        if number:  # the first one writes .pyc files
            package.append(taken[0])
            working.append(taken[1])
    return [
        Row("import voice_gateway.tools, on top of langchain_core.tools", median(package), "ms", 50),
        Row("… with executor, manager and call plan", median(working), "ms", 50),
    ]


def _milliseconds(program: str) -> float:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    timed = f"{PLAIN}; import time; t = time.process_time(); {program}; print(time.process_time() - t)"
    ended = subprocess.run(
        [OURS, "-c", timed], cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return float(ended.stdout) * 1e3
