"""Colours of light: the words for them, kelvin, and what a mix of components looks like."""

import colorsys
import re
from math import log
from typing import Final

# What CSS calls them, and what people call light beside that.
_NAMED: Final = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c
cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgreen 006400 darkkhaki bdb76b
darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkturquoise 00ced1 darkviolet 9400d3
deeppink ff1493 deepskyblue 00bfff dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0
forestgreen 228b22 fuchsia ff00ff ghostwhite f8f8ff gold ffd700 goldenrod daa520 green 00ff00
greenyellow adff2f honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c
lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
lightcyan e0ffff lightgoldenrodyellow fafad2 lightgreen 90ee90 lightpink ffb6c1 lightsalmon ffa07a
lightseagreen 20b2aa lightskyblue 87cefa lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00
limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd
mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a
mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1
moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500
orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee
palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6
purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513
salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d skyblue 87ceeb slateblue 6a5acd
snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347
turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff yellow ffff00 yellowgreen 9acd32
amber ffbf00 apricot ffb16e cherry de3163 darkpurple 301934 lightpurple b19cd9 lightorange ffd580 lilac c8a2c8
lemon fff44f mint 98ff98 ocean 0077be peach ffcba4 rose ff007f ruby e0115f scarlet ff2400 sunset fd5e53
"""
Rgb = tuple[int, int, int]


def _rgb(digits: str) -> Rgb:
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


_WORDS: Final = _NAMED.split()
# CSS has a dark "green": a lamp that is told to be green is as green as it can be.
NAMED: Final[dict[str, Rgb]] = {
    name: _rgb(digits) for name, digits in zip(_WORDS[::2], _WORDS[1::2], strict=True)
}

# As they are said, and as CSS writes them: those that are a colour wherever they stand …
PLAIN_COLOURS: Final = {
    said.replace("_", " "): said.replace("_", "")
    for said in (
        "red green blue yellow orange purple pink white cyan magenta turquoise teal lime violet indigo gold "
        "salmon coral crimson lavender navy maroon aqua light_blue light_green light_pink light_yellow "
        "dark_red dark_green dark_blue dark_orange dark_violet deep_pink hot_pink sky_blue deep_sky_blue "
        "royal_blue forest_green lime_green sea_green spring_green orange_red steel_blue midnight_blue "
        "amber fuchsia olive brown beige tomato chocolate peach mint lilac scarlet light_orange light_purple "
        "dark_purple apricot"
    ).split()
}


def _spoken(css: str) -> str:
    """ "dark olive green": CSS writes them together."""
    ends = [end for end in NAMED if css != end and css.endswith(end)]
    starts = [
        start
        for start in ("dark", "light", "medium", "pale", "deep")
        if css.startswith(start) and css != start
    ]
    if ends:
        end = max(ends, key=len)
        return f"{_spoken(css.removesuffix(end))} {_spoken(end)}"
    return f"{starts[0]} {css.removeprefix(starts[0])}" if starts else css


# … and those that may be something else: "the lamp to plum" is one, and "turn on lamp rose" names a lamp.
COLOURS: Final = {
    **PLAIN_COLOURS,
    **{_spoken(css): css for css in NAMED if css not in PLAIN_COLOURS.values()},
}
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


def css_of(said: str) -> str:
    """As CSS writes it: "lightblue" for "Light-Blue"; "" where that is no colour."""
    css = re.sub(r"[\s_-]+|colou?r(?:ed)?$", "", said.strip().casefold()).replace("grey", "gray")
    return css if css in NAMED else ""


def rgb_of(said: str) -> Rgb | None:
    """Of a word ("light blue", "Light-Blue") or of `#rrggbb`; None: that is no colour."""
    if found := _HEX.fullmatch(said.strip().casefold()):
        return _rgb(found[1])
    return NAMED.get(css_of(said))


def kelvin_in(said: str) -> int | None:
    """ "warm white", "2700 K": a white by its word or its temperature."""
    word = " ".join(said.casefold().replace("-", " ").split())
    if (known := WHITES.get(word)) is not None:
        return known
    found = re.fullmatch(r"(\d{4,5}) ?(?:k|kelvin)", word)
    return int(found[1]) if found else None


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
_SAID: Final = {NAMED[css]: said for said, css in reversed(COLOURS.items())}


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
