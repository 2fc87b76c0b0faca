"""The name that is almost what was said."""

from collections.abc import Mapping, Sequence

from home_names.phonetics import GOOD, LEAD, phrase_likeness


def best_match(said: Sequence[str], names: Mapping[str, str]) -> str | None:
    """What is called almost as was said, by its plain name; None when nothing leads clearly."""
    words = tuple(said)
    scores = [(phrase_likeness(words, tuple(name.split())), name) for name in names] if words else []
    near = sorted((entry for entry in scores if entry[0] >= GOOD - LEAD), reverse=True)
    if not near or near[0][0] < GOOD or (len(near) > 1 and near[0][0] - near[1][0] < LEAD):
        return None
    return names[near[0][1]]
