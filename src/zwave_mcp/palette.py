"""Colours of light: the words for them, kelvin, and what a mix of components looks like."""

import colorsys
import re
from math import log
from typing import Final

# As they are said, with "_" between words. CSS writes them without, and its "green" is a dark one.
_NAMED: Final = """
alice_blue f0f8ff antique_white faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
blanchedalmond ffebcd blue 0000ff blue_violet 8a2be2 brown a52a2a burlywood deb887 cadet_blue 5f9ea0
chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflower_blue 6495ed cornsilk fff8dc crimson dc143c
cyan 00ffff dark_blue 00008b dark_cyan 008b8b dark_goldenrod b8860b dark_green 006400 dark_khaki bdb76b
dark_magenta 8b008b dark_olive_green 556b2f dark_orange ff8c00 dark_orchid 9932cc dark_red 8b0000
dark_salmon e9967a dark_sea_green 8fbc8f dark_slate_blue 483d8b dark_turquoise 00ced1 dark_violet 9400d3
deep_pink ff1493 deep_sky_blue 00bfff dodger_blue 1e90ff firebrick b22222 floral_white fffaf0
forest_green 228b22 fuchsia ff00ff ghost_white f8f8ff gold ffd700 goldenrod daa520 green 00ff00
green_yellow adff2f honeydew f0fff0 hot_pink ff69b4 indian_red cd5c5c indigo 4b0082 ivory fffff0
khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawn_green 7cfc00 lemonchiffon fffacd light_blue add8e6
light_coral f08080 light_cyan e0ffff light_goldenrod_yellow fafad2 light_green 90ee90 light_pink ffb6c1
light_salmon ffa07a light_sea_green 20b2aa light_sky_blue 87cefa light_steel_blue b0c4de light_yellow ffffe0
lime 00ff00 lime_green 32cd32 linen faf0e6 magenta ff00ff maroon 800000 medium_aquamarine 66cdaa
medium_blue 0000cd medium_orchid ba55d3 medium_purple 9370db medium_sea_green 3cb371
medium_slate_blue 7b68ee medium_spring_green 00fa9a medium_turquoise 48d1cc medium_violet_red c71585
midnight_blue 191970 mintcream f5fffa misty_rose ffe4e1 moccasin ffe4b5 navajo_white ffdead navy 000080
oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orange_red ff4500 orchid da70d6
pale_goldenrod eee8aa pale_green 98fb98 pale_turquoise afeeee pale_violet_red db7093 papayawhip ffefd5
peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powder_blue b0e0e6 purple 800080 rebecca_purple 663399
red ff0000 rosy_brown bc8f8f royal_blue 4169e1 saddle_brown 8b4513 salmon fa8072 sandy_brown f4a460
sea_green 2e8b57 seashell fff5ee sienna a0522d sky_blue 87ceeb slate_blue 6a5acd snow fffafa
spring_green 00ff7f steel_blue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
violet ee82ee wheat f5deb3 white ffffff yellow ffff00 yellow_green 9acd32 amber ffbf00 apricot ffb16e
cherry de3163 dark_purple 301934 light_purple b19cd9 light_orange ffd580 lilac c8a2c8 lemon fff44f
mint 98ff98 ocean 0077be peach ffcba4 rose ff007f ruby e0115f scarlet ff2400 sunset fd5e53
"""
Rgb = tuple[int, int, int]


def _rgb(digits: str) -> Rgb:
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


_WORDS: Final = _NAMED.split()
COLOURS: Final = dict(
    zip((word.replace("_", " ") for word in _WORDS[::2]), map(_rgb, _WORDS[1::2]), strict=True)
)
_TOGETHER: Final = {said.replace(" ", ""): rgb for said, rgb in COLOURS.items()}  # as CSS writes them

WHITES: Final = {  # in kelvin
    **dict.fromkeys(("candlelight", "candle light"), 2000),
    **dict.fromkeys(("warm white", "soft white", "warm white light"), 2700),
    **dict.fromkeys(("neutral white", "normal white", "plain white", "regular white"), 4000),
    **dict.fromkeys(("cool white", "cold white", "bright white"), 5000),
    "daylight": 5500,
}

# Z-Wave has no kelvins: a warm and a cold white are mixed, and these are their usual ends.
WARMEST, COLDEST = 2700, 6500
# What red, green and blue together can be made to look like.
LOWEST_KELVIN, HIGHEST_KELVIN = 1000, 12000
_HEX: Final = re.compile(r"#?([0-9a-f]{6})")


def rgb_of(said: str) -> Rgb | None:
    """Of a word ("light blue", "Light-Blue", "lightblue") or of `#rrggbb`; None: that is no colour."""
    if match := _HEX.fullmatch(said.strip().casefold()):
        return _rgb(match[1])
    return _TOGETHER.get(re.sub(r"[\s_-]+|colou?r(?:ed)?$", "", said.strip().casefold()))


def kelvin_in(said: str) -> int | None:
    """The kelvins of a white by its word or temperature ("warm white", "2700 K"), or None."""
    word = " ".join(said.casefold().replace("-", " ").split())
    if (known := WHITES.get(word)) is not None:
        return known
    match = re.fullmatch(r"(\d{4,5}) ?(?:k|kelvin)", word)
    return int(match[1]) if match else None


def white_mix(kelvin: float) -> tuple[int, int]:
    """Warm and cold white, 0 to 255; what lies beyond is the end."""
    warm, cold = 1e6 / WARMEST, 1e6 / COLDEST
    share = min(max((warm - 1e6 / kelvin) / (warm - cold), 0.0), 1.0)
    return round(255 * (1 - share)), round(255 * share)


def kelvin_of(warm: float, cold: float) -> int:
    """What `white_mix` is the mix of, to the nearest fifty."""
    share = cold / (warm + cold)
    mired = 1e6 / WARMEST - share * (1e6 / WARMEST - 1e6 / COLDEST)
    return round(1e6 / mired / 50) * 50


def rgb_of_kelvin(kelvin: float) -> Rgb:
    """The look of a white where only colours can be mixed: fitted to a black body's."""
    heat = kelvin / 100
    if heat <= 66:
        green = 0.39008 * log(heat) - 0.63184
        blue = 0.0 if heat <= 19 else 0.54320 * log(heat - 10) - 1.19625
        return 255, _byte(green), _byte(blue)
    return _byte(1.29293 * (heat - 60) ** -0.13320), _byte(1.12989 * (heat - 60) ** -0.07551), 255


def _byte(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0))


_LOOKS: Final = {rgb_of_kelvin(kelvin): kelvin for kelvin in range(2000, 10_001, 50)}
_HUES: Final = (  # up to so many degrees
    (15, "red"), (42, "orange"), (68, "yellow"), (160, "green"), (192, "turquoise"), (255, "blue"),
    (285, "violet"), (312, "magenta"), (345, "pink"), (360, "red"),
)  # fmt: skip
_SAID: Final = {rgb: said for said, rgb in COLOURS.items() if said not in ("aqua", "fuchsia", "lime")}


def colour_word(rgb: Rgb) -> str:
    """A word for it: its own, or that of its hue."""
    if (own := _SAID.get(rgb)) is not None:
        return own
    if (kelvin := _LOOKS.get(rgb)) is not None:  # a light without whites, asked for one
        return white_word(kelvin)
    hue, saturation, _ = colorsys.rgb_to_hsv(*(part / 255 for part in rgb))
    if saturation < 0.12:
        return "white"
    word = next(name for end, name in _HUES if hue * 360 <= end)
    return f"light {word}" if saturation < 0.5 and word in ("blue", "green", "yellow", "pink") else word


def white_word(kelvin: int) -> str:
    word = next((said for said, known in WHITES.items() if abs(known - kelvin) <= 50), "")
    return word or f"{kelvin} K"
