"""Lets the program begin and end quickly; `ask` should not take longer to start than to answer."""

import gc
import sys
from types import ModuleType
from typing import Any

# Importing makes hundreds of thousands of objects and no garbage: until it is over, look for it hardly ever.
ALLOCATIONS = 200_000

# While it runs: a large home is read again and again, and each look for garbage goes through all of it; with
# Python's own 700 allocations these looks made routines late.
RUNNING = (10_000, 20, 10)
SCHEMAS = "langchain_core.tracers.schemas"


class Run:
    """LangSmith's class for traces, imported when the first trace is made."""

    def __new__(cls, *facts: Any, **named: Any) -> Any:
        from langsmith import RunTree

        return RunTree(*facts, **named)


def begin() -> None:
    """To be called before LangChain is imported.

    LangChain imports LangSmith, a third of all its start-up time, for the name of one class in one module of
    three lines. We stand in for that module; whoever turns tracing on gets the real class.
    """
    gc.set_threshold(ALLOCATIONS)
    if SCHEMAS not in sys.modules:
        schemas = ModuleType(SCHEMAS)
        schemas.__dict__.update(Run=Run, __all__=["Run"])
        sys.modules[SCHEMAS] = schemas


def begun() -> None:
    """All parts are there and will stay: what comes from now on may be garbage again."""
    if gc.get_threshold()[0] == ALLOCATIONS:
        gc.freeze()
        gc.set_threshold(*RUNNING)


def end() -> None:
    """What is left dies with the process: the interpreter need not look through it."""
    gc.freeze()
