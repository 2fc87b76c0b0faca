"""A problem as docs/troubleshooting.md explains it: what it means, what to check, how it comes back."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One row of the page. `part` is a name that `voice-gateway status` shows, in `backticks`, or a place."""

    part: str
    says: tuple[str, ...]
    means: str
    check: str
    returns: str

    @property
    def advice(self) -> str:
        """What to check, for a terminal: a link to a page of docs/ becomes its name."""
        return re.sub(r"\[[^][]+]\(([^()]+)\)", r"docs/\1", self.check)
