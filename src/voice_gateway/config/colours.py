"""Whether whoever sits at the terminal wants colours: see no-color.org."""

import os

NO_COLOUR = "NO_COLOR"


def are_wanted() -> bool:
    return not os.environ.get(NO_COLOUR) and os.environ.get("TERM", "dumb") not in ("", "dumb")


def switch_off() -> None:
    """For all that look it up: this program and the library that draws its tables."""
    os.environ[NO_COLOUR] = "1"
