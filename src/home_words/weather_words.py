"""English of the weather: what is asked of it; the day and the town are taken out before."""

from typing import Final

from home_words.lazy_pattern import LazyPattern

# Without any of these nothing is said of it.
SPEAKS_OF: Final = (
    "weather", "forecast", "rain", "umbrella", "snow", "sunny", "outside", "outdoors", "wind", "cold", "warm", "hot",
    "coat", "jacket", "cloudy", "storm", "degrees", "temperature",
)  # fmt: skip
DAY: Final = LazyPattern(
    r" ?\b(?P<day>(?:the )?day after tomorrow|tomorrow|today|tonight|(?:on |this |next |this coming )?(?:monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday)|(?:this|on the|at the|for the) weekend)(?:s)?(?: (?:morning|afternoon|evening|night))?\b"
)
LATER: Final = LazyPattern(
    r" ?\b(?:later|this (?:morning|afternoon|evening)|in the (?:morning|afternoon|evening))\b"
)
NOW: Final = LazyPattern(r" (?:right now|now|currently|at the moment|out there)$")
PLACE: Final = LazyPattern(
    r" (?:in|for|at|over in) (?P<place>(?!the\b|my\b|our\b|here\b)[a-z]+(?: [a-z]+){0,3})$"
)
_WILL: Final = r"(?:will it|is it going to|is it gonna|is it supposed to|does it|should it|might it)"
_NEED: Final = r"(?:do (?:i|we) need|will (?:i|we) need|should (?:i|we) (?:take|bring|wear|pack|carry)|do (?:i|we) have to (?:take|wear))"
ABOUT: Final[tuple[tuple[str, LazyPattern], ...]] = tuple(
    (about, LazyPattern(rf"^{pattern}$"))
    for about, pattern in (
        ("weather", r"(?:(?:what is|what will|how is|how will|tell me|give me|check|show me|what about|how about|get|read(?: me)?) )?(?:the )?"
         r"(?:current )?(?:weather|weather forecast|forecast|weather report)(?: (?:be|like|look|looking|going to be|outside|be like|look like|doing|for))*"),
        ("weather", r"what (?:is|will) (?:it )?(?:be )?like outside|what is it like outside|how does it look outside"),
        ("rain", rf"{_WILL} (?:be )?(?:rain|raining|rainy|pour|wet|stormy|snow|snowing|drizzle)(?: outside)?"),
        ("rain", r"is it (?:raining|snowing|wet|pouring|dry)(?: outside)?|any rain|(?:is there|will there be) (?:any |a chance of )?(?:rain|snow)"),
        ("rain", rf"{_NEED} (?:an |my |the )?(?:umbrella|raincoat|rain coat|rain jacket)"),
        ("rain", r"(?:what is )?(?:the )?chance of rain"),
        ("temperature", rf"{_NEED} (?:a |my |the )?(?:coat|jacket|sweater|scarf|gloves|hat)"),
        ("temperature", r"how (?:warm|cold|hot|cool) is it outside|how many degrees is it outside|(?:what is )?the temperature outside|what is the outside temperature"),
        ("temperature", r"how (?:warm|cold|hot|cool) (?:will it be|is it going to be|is it gonna be|does it get)|is it (?:cold|warm|hot|cool|freezing) outside"),
        ("temperature", rf"{_WILL} (?:be |get )(?:\w+ )?(?:cold|warm|hot|cool|freezing)|(?:what is|what will) (?:be )?the temperature(?: be)?(?P<later>)"),
        ("weather", rf"{_WILL} be (?:\w+ )?(?:sunny|cloudy|nice|clear|foggy|good weather)|is it (?:sunny|cloudy|nice|foggy) outside"),
        ("wind", rf"how windy (?:is it|will it be)(?: outside)?|is it windy(?: outside)?|{_WILL} be (?:\w+ )?windy"),
    )
)  # fmt: skip
OUTDOORS: Final = LazyPattern(r"\b(?:outside|outdoors?|garden|balcony|terrace|patio|porch|yard)\b")
