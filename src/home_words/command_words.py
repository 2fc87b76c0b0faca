"""The English words of a command: verbs, states, amounts. Another language is another such page.

All of them are plain: lower case, without marks, numbers as digits.
"""

import re
from typing import Final

from home_names.colours import COLOURS, WHITES
from home_words.more_colours import PLAIN_COLOURS


def any_of(words: str) -> str:
    """A pattern for any of these words, the longest first; "_" is a space."""
    return "|".join(sorted((word.replace("_", " ") for word in words.split()), key=len, reverse=True))


# --- verbs, by what they do to a thing; those of "set" need a state or a value beside them

_VERBS: Final = {
    "set": "turn switch flip put power bring get set change adjust make move take knock have bump crank "
    "plunge pop stick flick colour color paint give_me give_us give let_me_have let_us_have show_me",
    "on": "activate enable light_up illuminate fire_up start_up light_the light_my",
    "off": "get_rid_of put_out deactivate disable kill cut extinguish douse shut_off shut_down power_down switch_down lose",
    "raise": "raise lift",
    "more": "increase boost brighten brighten_up lighten crank_up",
    "lower": "lower",
    "less": "reduce decrease drop darken tone_down",
    "dim": "dim dim_down",
    "open": "open open_up",
    "close": "close close_up close_down shut shut_up draw",
    "pull": "pull roll wind let",
    "stop": "stop stop_moving halt",
    "start": "start run launch begin boil brew",
    "toggle": "toggle flip",
    "lock": "lock lock_up lock_down",
    "unlock": "unlock un_lock",
    "double": "double",
    "halve": "halve",
    "warm": "heat heat_up warm warm_up",
    "cool": "cool cool_down cool_off",
    "scene": "activate trigger set set_to switch_to",
    "pause": "pause",
    "play": "play resume unpause continue",
    "next": "next_track",
    "previous": "previous_track",
    "mute": "mute silence",
    "unmute": "unmute un_mute",
    "dock": "dock",
    "ring": "ring sound set_off",
}
VERBS: Final[dict[str, tuple[str, ...]]] = {}
for _sense, _words in _VERBS.items():
    for _verb in _words.split():
        _said = _verb.replace("_", " ")
        VERBS[_said] = (*VERBS.get(_said, ()), _sense)
VERB: Final = re.compile(rf"^({'|'.join(sorted(VERBS, key=len, reverse=True))})\b ?")
NOUNS: Final = frozenset({"heat", "lock", "switch", "power"})  # verbs that are things as well: "heat off"
# Where speech has no commas, a command begins with one of these.
PLAIN_VERB: Final = any_of("turn switch set dim open close shut lock unlock kill put brighten lower raise")

# --- states

STATES: Final = {
    **dict.fromkeys(
        ("on", "lit", "switched on", "turned on", "running", "burning", "going", "spinning"), "on"
    ),
    **dict.fromkeys(("off", "out", "switched off", "turned off", "turned out"), "off"),
    **dict.fromkeys(("open", "opened", "raised"), "open"),
    **dict.fromkeys(("closed", "shut", "lowered", "drawn"), "closed"),
    "locked": "locked",
    "unlocked": "unlocked",
    "up": "up",
    "down": "down",
    **dict.fromkeys(("dark", "into darkness", "in darkness"), "dark"),
}
STATE: Final = "|".join(sorted(STATES, key=len, reverse=True))
OPPOSITE: Final = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
    "up": "down", "down": "up", "dark": "on", "playing": "paused", "paused": "playing",
    "cleaning": "docked", "docked": "cleaning",
}  # fmt: skip

# --- amounts

SHARES: Final = {
    **dict.fromkeys(("half", "a half", "1 half", "one half", "halfway", "half way", "50 50", "midway"), 50),
    **dict.fromkeys(("quarter", "a quarter", "1 quarter", "one quarter"), 25),
    **dict.fromkeys(("third", "a third", "1 third", "one third"), 33),
    **dict.fromkeys(("2 thirds", "two thirds"), 67),
    **dict.fromkeys(("3 quarters", "three quarters"), 75),
    **dict.fromkeys(("full", "max", "maximum", "the maximum", "the max", "the brightest", "the top"), 100),
    **dict.fromkeys(("as bright as it gets", "as bright as it goes", "as bright as possible"), 100),
    **dict.fromkeys(("minimum", "the minimum", "min", "the lowest", "the dimmest"), 1),
}
SHARE: Final = "|".join(sorted(SHARES, key=len, reverse=True))
LEVEL: Final = any_of("brightness level position power blast intensity strength speed")
SMALL: Final = r"(?:just )?(?:a )?(?:(?:little|tiny|wee) )?(?:bit|little|notch|touch|tad|smidge|shade)|slightly|somewhat|some"
MUCH: Final = "much|a lot|lots|way|far|even|still|considerably|quite a bit"
MORE: Final = {
    **dict.fromkeys(("brighter", "lighter"), ("light", 1)),
    **dict.fromkeys(("darker", "dimmer", "less bright", "softer"), ("light", -1)),
    **dict.fromkeys(("warmer", "hotter", "toastier"), ("heat", 1)),
    **dict.fromkeys(("cooler", "colder", "less warm", "less hot", "chillier"), ("heat", -1)),
    **dict.fromkeys(("higher", "more", "further up"), ("", 1)),
    **dict.fromkeys(("lower", "less", "further down"), ("", -1)),
    "louder": ("sound", 1),
    "quieter": ("sound", -1),
}
MORE_WORD: Final = "|".join(sorted(MORE, key=len, reverse=True))
LIGHT: Final = any_of("light brightness lighting")
HEAT: Final = any_of("heat heating warmth temperature temp thermostat")
MODES: Final = {
    **dict.fromkeys(("heat", "heating"), "heat"),
    **dict.fromkeys(("cool", "cooling"), "cool"),
    **dict.fromkeys(("auto", "automatic"), "auto"),
    **dict.fromkeys(("eco", "energy saving", "energy save"), "eco"),
    "off": "off",
}
UNITS: Final = {"celsius": "C", "centigrade": "C", "c": "C", "fahrenheit": "F", "f": "F"}

# --- colours

# "The light coral" is a light, and "dark olive green" is nothing but a colour.
_SURE: Final = [said for said in COLOURS if said in PLAIN_COLOURS or " " in said.removeprefix("light ")]
COLOUR: Final = any_of(" ".join(said.replace(" ", "_") for said in _SURE))
OTHER_COLOUR: Final = any_of(" ".join(said.replace(" ", "_") for said in COLOURS if said not in _SURE))
WHITE: Final = any_of(" ".join(said.replace(" ", "_") for said in WHITES))
COLOUR_OF: Final = re.compile(
    r"^(?:the )?colou?r(?: temperature)? (?:of|in|on|for) (?=\w)|'?s? colou?r(?: temperature)?$"
)
GEARS: Final = {  # of a fan
    **dict.fromkeys(("low", "lowest", "1"), 33), **dict.fromkeys(("medium", "2"), 67),
    **dict.fromkeys(("high", "highest", "3"), 100),
}  # fmt: skip
COLOUR_NEEDED: Final = re.compile(
    r"(?:make|turn|paint|colou?r) (?P<thing>(?:the|my|our) [\w ]{1,60}?) (?P<colour>[a-z]{3,20})$|"
    r"(?:set|change|turn|put|make|switch) (?:the )?colou?r of (?P<of>[\w ]{1,60}?) to (?P<to>[\w ]{1,30})$"
)

# --- what plays: the sound of a thing, and the music without naming one

VOLUME_OF: Final = re.compile(
    r"^(?:the )?(?:volume|sound|loudness)(?: level)? (?:of|on|for|in|at) (?P<of>.+)$|"
    r"^(?!(?:(?:the|my|your|our|this|that) )?(?:full |max |maximum |minimum |speaker |sound )?(?:volume|loudness)$)"
    r"(?P<owner>.+?)s? (?:volume|loudness)$"
)
# The gateway's own loudspeaker: never somebody's player.
OWN_SOUND: Final = re.compile(
    r"(?:the |my |your |our )?(?:volume|sound|audio|speakers?|music|loudness|speaker volume|yourself|it|this|that)?"
)
MUSIC: Final = re.compile(
    r"(?:(?:the|my|our|this|that|some) )?(?:music|song|track|title|playback|playing|audio|sound|video|film|movie|"
    r"show|podcast|radio play|it|what is playing)?(?: ?\b(?:in|on|at|for) (?P<where>.+))?"
)

# --- which: what is left out, what it must be like, and how many

EXCEPT: Final = re.compile(
    r"(?<!anything )\b(?:except(?:ing)?(?: for)?|excluding|apart from|aside from|other than|save for|besides|bar|"
    r"with the exception of|but(?: not| for)?|without|minus|(?:just )?not) (?:the ones? )?(?=\w)"
)
HAVING: Final = re.compile(
    r"^(?P<thing>.{0,400}?) ?\b(?:(?:that|which|whatever|what|whichever) )?"
    r"(?P<be>is|are|happens to be|(?:is|are|was|were|has been|have been|been) left|left|still)"
    rf"(?: (?:still|currently|left|now|already|right now))* (?P<state>{STATE})(?: (?P<tail>(?:in|on|at|upstairs) .+))?$"
)
IS_SO: Final = re.compile(
    rf"\b(?:that|which|whatever|what|whichever)? ?(?:is|are|been|left) (?:\w+ )??(?:{STATE})\b"
)
ADJECTIVE: Final = re.compile(
    r"^(?:all|any|every|the|those)?(?: of)?(?: the| my| our)? ?(?P<state>open|opened|closed|lit|burning|unlocked) (?P<thing>[\w ]+s)$"
)
ABLE: Final = re.compile(
    r"(?: (?:one|lights?|lamps?))?(?: that| which) (?:can be dimmed|dims?|you can dim|are dimmable|is dimmable)\b|"
    r"\bdimmable\b"
)
ONE_OF: Final = re.compile(
    r"^(?:(?:any |just )?(?:one|1) of|either(?: one)?(?: of)?|any one of) (?:the |my |our )?"
)
SHARE_OF: Final = re.compile(
    r"^(?:about |around |only )?(?:half|1 half|a third|a quarter|a couple|a few|few|some|most|several|\d+)"
    r"(?: of)?(?: the| my| our| all){0,8}? (?=[\w ]*s\b)"
)
WHATEVER: Final = frozenset(
    {"", "whatever", "what", "whichever", "anything", "all", "the ones", "those", "things"}
)

# --- the value of a command: its kind, and what it looks like. The first that is found counts.

_N: Final = r"(?P<n>(?:-|minus )?\d+(?:\.\d+)?)"
_PREP: Final = r"(?:\b(?P<prep>up to|down to|to|at|on|by|around) )?"
_MORE: Final = rf"(?: (?P<more>{MORE_WORD}|up|down))?"
_BY: Final = rf"(?:\b(?P<small>{SMALL}) |\b(?:{MUCH}) ){{0,8}}\b"
_BRIGHT: Final = r"(?:,? (?:and |at |with )?(?:at |to )?(?P<bright>\d{1,3}) percent(?: brightness| bright)?)?"
_UNIT: Final = rf"(?: (?P<unit>{'|'.join(UNITS)})\b)?"
VALUES: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("whole", r"\b(?:all the way|fully|completely|right) (?P<way>up|down)\b"),
        (
            "kelvin",
            rf"(?:\b(?:to|at|in) )?\b(?:(?P<kelvin>\d{{4,5}}(?= ?k\b)|\d{{1,6}}(?= ?kelvin)) ?(?:k|kelvin)|(?P<white>{WHITE})){_BRIGHT}(?=$| in )",
        ),
        (
            "colour",
            rf"(?:(?:\b(?:to|in|into) )?(?:\bthe colou?r )?\b(?P<colour>{COLOUR})|"
            rf"\b(?:to|into) (?:the colou?r )?(?P<other>{OTHER_COLOUR}))(?: colou?r(?:ed)?)?{_BRIGHT}(?=$| in )",
        ),
        (
            "gear",
            r"\b(?:to|on|at) (?:a |the )?(?P<gear>low|medium|high|lowest|highest)(?: (?:speed|gear|setting))?$|"
            r"(?:\b(?:to|on|at) )?\b(?:speed|gear) (?P<speed>low|medium|high|[1-3])$",
        ),
        ("degrees", rf"{_PREP}\b{_N} degrees?\b{_UNIT}{_MORE}"),
        (
            "percent",
            rf"{_PREP}\b{_N} percents?\b(?:{_MORE}| (?P<tail>open|closed|shut|{LEVEL}|bright))(?!\w)(?: (?P<of>{LIGHT}))?",
        ),
        (
            "times",
            r"\b(?P<times>half|twice|double) (?:as (?:bright|much light)|the brightness|the light)\b|\bin half\b",
        ),
        ("shared", rf"\b(?:by )?(?P<share>{SHARE}) (?P<more>{MORE_WORD})\b"),
        (
            "share",
            rf"(?:\b(?P<prep>to|at|by|on) (?:a |its )?(?P<share>{SHARE})(?! (?:of )?the\b)|"
            rf"(?:\b(?P<bare>{SHARE})(?: (?:the way|way))?(?=$| (?:{LEVEL}|light|open|closed|shut|in)\b)))"
            rf"(?: (?P<tail>open|closed|shut|of its brightness|light|{LEVEL}))?",
        ),
        ("quantity", rf"{_BY}(?P<more>more|less) (?P<of>{LIGHT}|{HEAT})\b"),
        ("some", rf"\b(?P<some>some|a bit of|a little|any) (?P<of>{LIGHT}|{HEAT})\b"),
        ("more", rf"{_BY}(?P<more>{MORE_WORD})\b(?: (?P<after>{SMALL})\b)?"),
        (
            "mode",
            rf"\b(?:(?:to|in|into|on) )?(?P<mode>{'|'.join(MODES)}) mode\b|\b(?:to|into) (?P<to>(?!off)(?:{'|'.join(MODES)}))$",
        ),
        (
            "number",
            rf"\b(?P<prep>up to|down to|to|at|on|by) {_N}{_UNIT}(?=$| (?:in|for|on|at|but|except)\b)|"
            r"(?<=[a-z]) (?P<n2>(?:[5-9]|\d\d+)(?:\.\d+)?)$",
        ),
    )
)
HAVE: Final = frozenset(
    {"", "give me", "give us", "have", "let us have", "let me have", "get", "put"}
)  # "some light"
WAY: Final = re.compile(
    r" (?:all the way|fully|completely|entirely|wide|right)(?=$| in )|"
    r" ?\b(?:back|all the way|completely|fully|right|straight)(?= (?:on|off|up|down|open|closed|shut|out)\b)"
)
STATE_AT: Final = re.compile(
    rf"(?<!\bis )(?<!\bare )(?<!\bstill )(?<!\bleft )(?<!\bbe )\b(?:to )?(?P<state>{STATE})"
    r"(?=$| (?:in|at|on|for|but|except|apart|aside|besides|bar|save|excluding|other|not|just|only|by|to|a|with|"
    r"without|throughout|every\w*|here|there|upstairs|downstairs)\b)"
)
PARTICLE: Final = re.compile(r"^(on|off|of|out|up|down)\b ?(?:with )?")
SMALL_END: Final = re.compile(rf" ?\b(?P<small>{SMALL})$")
ATTRIBUTE: Final = re.compile(
    rf"^(?:the )?(?:{LEVEL})(?: level)? (?:of|in|on|for) |s? (?:{LEVEL})$|^(?:the )?(?:{LEVEL})$"
)
THERMOSTAT: Final = re.compile(r"(?:the )?thermostat")
HEATED: Final = re.compile(
    rf"^(?:it|the (?:{HEAT})|(?:{HEAT}))(?: (?:in|of|for|on|at) (?=\w)|$)|s? (?:temperature|temp|heating|heat)$"
)
# Which of the two temperatures of an automatic mode: "the cooling to 25", "the heating setpoint of …".
SETPOINT: Final = re.compile(
    r"(?:^(?:the )?|s? )(?P<kind>heating|cooling)(?: (?:temperature|temp|set ?point|point|target|limit))?"
    r"(?: (?:in|of|for|on|at) (?=\w)|$)"
)
ITSELF: Final = re.compile(r"^(?:it|me|us|things|that) (?=in |on |at |here|for |every)")
POINTED: Final = ("", "it", "this", "that")
HOUSE: Final = re.compile(r"(?:(?:the|my|our) )?(?:whole |entire )?(?:house|home|flat|apartment|place)?")
SOMEWHERE: Final = re.compile(r"(?:in|on|at|here|over|for|everywhere)\b|$")
# Other ways to put the same: "off with the lamp", "a degree warmer".
REWORDED: Final = (
    (re.compile(r"^(on|off|out|up|down) with (?=\w)"), r"turn \1 "),
    (re.compile(r"\b(?:a|another|one) (?=(?:degree|percent)\b)"), "1 "),
    (
        re.compile(
            r"^(?:(?:play|skip to|go to|jump to) )?(?:the )?next (?:song|track|title|episode|station)\b"
            r"(?: (?:on|of|for) (?=\w))?|^skip(?: (?:this|the))?(?: (?:song|track|title|episode|one))?\b"
            r"(?: (?:on|of|for) (?=\w))?"
        ),
        "next track ",
    ),
    (
        re.compile(
            r"^(?:(?:play|go back to|skip back to|back to|go to) )?(?:the )?(?:previous|last) "
            r"(?:song|track|title|episode)\b(?: (?:on|of|for) (?=\w))?"
        ),
        "previous track ",
    ),
    (
        re.compile(
            r"^(?:send|bring|take) (?P<thing>.+?) (?:back )?(?:home|back|"
            r"(?:back )?to (?:its|the) (?:base|dock|charger|station|docking station|charging station))$"
        ),
        r"dock \g<thing>",
    ),
    (re.compile(r"^(?:make|turn|set) (.*\bfan) (?:a bit |a little )?faster$"), r"turn up \1"),
    (re.compile(r"^(?:make|turn|set) (.*\bfan) (?:a bit |a little )?slower$"), r"turn down \1"),
    (re.compile(r"^slow (?:down (.*\bfan)|(.*\bfan) down)$"), r"turn down \1\2"),
    (re.compile(r"^speed (?:up (.*\bfan)|(.*\bfan) up)$"), r"turn up \1\2"),
    (re.compile(r"^(?:make|turn|set|put|run) (.*\bfan) (low|medium|high)$"), r"set \1 to \2"),
    (re.compile(r" back(?= to (?:\d|half\b|full\b|(?:\w{1,9} )?white\b))"), ""),
    (re.compile(r"^((?:lock|close|shut)\b.{1,80}?) (?:behind|after) (?:me|us|him|her|them)$"), r"\1"),
    (
        re.compile(
            r"^(?:make|get) (?!.*\b(?:too|not|less|half|twice|as|it)\b)(.{1,80}?) "
            r"(?:(?:very|really|super|extra|nice and|properly) )?bright$"
        ),
        r"set \1 to full",
    ),
    (
        re.compile(r"^(?:ring|sound) (.{1,60}?) with (?:the )?(?:tone|sound|melody) (?:number )?(\d{1,3})$"),
        r"play tone \2 on \1",
    ),
    (
        re.compile(
            rf"^(set|put|turn|change) (?:(?:the )?(?:{HEAT})|it) to (\d.{{0,30}}?) for "
            r"(heating|cooling)$"
        ),
        r"\1 the \3 to \2",
    ),
    (
        re.compile(r"^(set|put|turn|change) (.{1,60}?) to (\d.{0,30}?) for (heating|cooling)$"),
        r"\1 the \4 temperature of \2 to \3",
    ),
    (re.compile(r"^(?:start|begin) (?:vacuuming|hoovering)(?: the (?:floor|house))?$"), "start the vacuum"),
)
