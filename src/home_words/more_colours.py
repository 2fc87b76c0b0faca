"""Colours in other languages."""

from typing import Final

# In other languages: what Home Assistant's sentences leave out, and what else is said to give a colour.
MORE_COLOURS: Final = {
    "de": {
        "lila": "purple", "rosa": "pink", "pink": "pink", "türkis": "turquoise", "magenta": "magenta",
        "hellblau": "lightblue", "dunkelblau": "darkblue", "hellgrün": "lightgreen",
        "dunkelgrün": "darkgreen", "dunkelrot": "darkred", "himmelblau": "skyblue",
        "gold": "gold", "cyan": "cyan",
    },
}  # fmt: skip
COLOURING: Final = {"de": "mach[e]|schalt[e]|färb[e]|dreh[e]"}
