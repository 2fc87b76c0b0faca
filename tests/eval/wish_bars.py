"""What may not get worse: just below what is measured, and never below what was promised."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.eval.wish_judge import Became

if TYPE_CHECKING:
    from tests.eval.wish_eval import Result

FULFILLED: dict[str, float] = {}  # {setup: share of the wishes, of each half}


def missed(setup: str, results: Sequence["Result"]) -> list[str]:
    found = []
    for held_out in (False, True):
        mine = [one for one in results if one.wish.wanted and one.wish.held_out is held_out]
        done = sum(one.became in (Became.AT_ONCE, Became.AFTER_YES) for one in mine) / len(mine)
        if done < (bar := FULFILLED.get(setup, 0.0)):
            found.append(f"{setup}, {'held out' if held_out else 'seen'}: {done:.1%} < {bar:.1%}")
    return found
