"""`python -m tests.eval`: every evaluation that needs no model; ends with 1 when one misses its bars."""

import logging

from tests.eval import first_minutes, grounding_eval, later_eval, never_acts, run, wish_eval

logging.disable(logging.CRITICAL)  # devices that fail on purpose would bury the tables
raise SystemExit(
    max(
        run.main(),
        never_acts.main(),
        wish_eval.main(),
        first_minutes.main(),
        later_eval.main(),
        grounding_eval.main(),
    )
)
