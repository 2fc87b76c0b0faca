"""A contestant: a process that measures one pass for every line it is sent, and answers with one JSON line.

Standard library only: contestants run in two interpreters, with and without the gateway's packages.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TextIO

Figures = dict[str, float]


def _answers() -> TextIO:
    """Keep stdout for figures, whatever a library prints."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def serve(measure: Callable[[], Figures]) -> None:
    answers = _answers()
    for _ in sys.stdin:
        print(json.dumps(measure()), file=answers, flush=True)


def serve_async(measure: Callable[[], Awaitable[Figures]]) -> None:
    """All passes share one event loop, so that a contestant may keep a session open between them."""
    answers = _answers()

    async def passes() -> None:
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, sys.stdin.readline):
            print(json.dumps(await measure()), file=answers, flush=True)

    asyncio.run(passes())
