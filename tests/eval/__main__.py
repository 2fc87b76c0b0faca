"""`python -m tests.eval`: every evaluation that needs no model; ends with 1 when one misses its bars."""

import importlib
import importlib.util

# Each has a `main()` that prints a table, writes JSON and returns an exit code.
EVALUATIONS = ("tests.eval.run", "tests.eval.receipts_eval")

codes = [
    importlib.import_module(name).main() for name in EVALUATIONS if importlib.util.find_spec(name) is not None
]
raise SystemExit(max(codes))
