"""`python -m tests.eval`: every evaluation that needs no model; ends with 1 when one misses its bars."""

import logging
from concurrent.futures import ProcessPoolExecutor

from tests.eval import (
    conversations,
    first_minutes,
    ha_run,
    language,
    later_eval,
    never_acts,
    people,
    run,
    sampled,
    wish_eval,
)

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # devices that fail on purpose would bury the tables
    with ProcessPoolExecutor(max_workers=1) as beside:
        in_home_assistant = beside.submit(ha_run.verdicts_of_all)
        drawn = beside.submit(sampled.report, show=False)
        codes = [run.main(), never_acts.main(), ha_run.main(in_home_assistant.result())]
    text, code = drawn.result()
    print(text)
    codes += [
        code,
        wish_eval.main(),
        first_minutes.main(),
        later_eval.main(),
        conversations.main(),
        people.main(),
        language.main([]),
    ]
    raise SystemExit(max(codes))
