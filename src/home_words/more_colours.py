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

PLAIN_COLOURS: Final = frozenset(
    said.replace("_", " ")
    for said in (
        "red green blue yellow orange purple pink white cyan magenta turquoise teal lime violet "
        "indigo gold salmon coral crimson lavender navy maroon aqua light_blue light_green "
        "light_pink light_yellow dark_red dark_green dark_blue dark_orange dark_violet deep_pink "
        "hot_pink sky_blue deep_sky_blue royal_blue forest_green lime_green sea_green spring_green "
        "orange_red steel_blue midnight_blue amber fuchsia olive brown beige tomato chocolate peach "
        "mint lilac scarlet light_orange light_purple dark_purple apricot "
    ).split()
)
