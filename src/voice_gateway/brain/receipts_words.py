"""The words in which a home is spoken of, and a sentence as a list of them."""

import re
from functools import lru_cache
from typing import NamedTuple

from home_words.numbers import to_digits


class Word(NamedTuple):
    text: str
    name: bool = False  # written with a capital letter where a sentence does not begin


# What a noun is a kind of. Two words of one kind may mean one thing ("lamp", "light").
KINDS: dict[str, str] = {
    word: kind
    for kind, words in {
        "light": "light lamp bulb lighting led chandelier spotlight sconce nightlight lantern brightness "
        "color colour",
        "cover": "blind shade shutter curtain drape awning roller window position",
        "door": "door gate garage lock deadbolt padlock latch",
        "climate": "heater heating thermostat radiator temperature heat climate humidity",
        "cooler": "ac conditioner conditioning cooling",
        "boiler": "boiler furnace",
        "air": "humidifier dehumidifier purifier",
        "fan": "fan ventilator ventilation speed",
        "sound": "volume speaker sound audio loudness loudspeaker",
        "media": "music song radio playlist podcast station track",
        "tv": "tv television movie channel",
        "timer": "timer alarm reminder countdown note",
        "scene": "scene routine automation",
        "sensor": "sensor motion battery power consumption detector",
        "vacuum": "vacuum robot hoover mop cleaning",
        "washer": "washer washing laundry",
        "sprinkler": "sprinkler pump irrigation",
        "siren": "siren bell doorbell",
        **{one: one for one in "dryer dishwasher kettle coffee oven stove fridge freezer camera".split()},
        "list": "list shopping calendar appointment meeting event message email",
    }.items()
    for word in words.split()
}
# Nouns that may mean any device, and so never tell two apart.
ANY_DEVICE = frozenset(
    "device switch plug outlet socket dimmer appliance machine unit maker cleaner system home house thing "
    "one request command task action operation everything setting level mode state status it they "
    "them that this these those both all each every other same rest place room".split()
)
# Empty words that tell things apart when they stand right before one: "the back door".
TELLING = frozenset("back main right night morning evening middle".split())
ROOMS = frozenset(
    "kitchen bedroom bathroom bath hallway hall living dining office study garage garden basement "
    "cellar attic nursery porch patio balcony terrace laundry corridor entrance entry foyer den "
    "lounge loft pantry closet upstairs downstairs outside outdoor guest kids children master "
    "driveway backyard yard stairs staircase landing workshop shed conservatory playroom".split()
)
MEASURES = frozenset("temperature humidity brightness power consumption motion battery climate".split())
DETERMINERS = frozenset("the a an your my our this that these those all both every each any some no".split())
# Words that say nothing about which thing is meant.
EMPTY = frozenset(
    "i you he she we they it me him her us them the a an your my our his their its this that these "
    "those all both every each any some no not never and or but then so if when while because of "
    "in on off at to for by with from into up down out over as about is are am was were be been "
    "being has have had do does did done will would can could may might should shall must now "
    "currently already still just also too very really successfully again back please okay ok sure "
    "yes no certainly absolutely here there well right away immediately shortly soon set new "
    "entire whole full fully completely total main desired requested current user request "
    "successful complete for you sir madam percent percentage degrees degree celsius fahrenheit "
    "per cent c f level brightness position minute minutes hour hours second seconds o clock am pm "
    "half quarter maximum minimum max min past what which who one ones today tonight tomorrow "
    "morning evening night afternoon moment meantime background name named called both everything "
    "everybody nothing something only least most more less than about around approximately roughly "
    "almost nearly exactly like as well between under above below few couple bit while "
    "little lot way moments later instead anyway together everywhere elsewhere forever "
    "meanwhile online longer "
    "remains remain stays stay stayed reads shows measures seems seem looks look appears "
    "appear works work feels feel responds answers obeys went came comes goes gets".split()
)
_CALENDAR = frozenset(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december am pm".split()
)
_IS_AFTER = frozenset("it that there here what he she everything who where how let this all".split())
_STATE_NEXT = frozenset(
    "on off open closed locked unlocked muted now at set turned already still currently been not all".split()
)
_TOKEN = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|[.,;:!?%°…—–(-]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_DECORATION = re.compile(r"[*_`#~|>\[\]]+|^\s*[-•]\s+", re.MULTILINE)
_HALF_OF_DAY = re.compile(r"\b([ap])\.\s?m\.?(?!\w)", re.IGNORECASE)
_GO_AHEAD = re.compile(r"\b(?:went|gone|going|go) ahead and ", re.IGNORECASE)
_TICK = re.compile("[✅✔☑]️?")
_SAYING = re.compile(
    r"(?:\b(?:say|says|saying|said|ask|asking|tell me|try|trying|type|commands?|phrases?|like|words?|such as|"
    r"example|instance|means?|called|as)\b[\s,:]*(?:for example|for instance)?[\s,:]*|\b(?:or|and)\s+)$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"([^"]*)"|(?<![\w])\'([^\']*(?:\'\w[^\']*)*)\'(?!\w)')


def plain(text: str) -> str:
    """Without quotation, decoration and signs; quoted speech is gone, a quoted name stays."""
    text = _TICK.sub(" done. ", text.translate(_QUOTES)[:4000])
    text = _HALF_OF_DAY.sub(r"\1m ", text)
    text = _DECORATION.sub(" ", text).strip()
    whole = _QUOTED.fullmatch(text)
    if whole:
        return whole[1] or whole[2] or ""
    return _GO_AHEAD.sub("", _QUOTED.sub(_unquoted, text))


def _unquoted(match: re.Match[str]) -> str:
    inner = match[1] if match[1] is not None else match[2]
    if _SAYING.search(match.string[: match.start()]) or len(inner.split()) > 4:
        return " something "
    return f" {inner} "


def words_of(text: str) -> list[Word]:
    """Words and signs; contractions are taken apart, spelled numbers become digits."""
    found: list[Word] = []
    tokens = _TOKEN.findall(text)
    for place, token in enumerate(tokens):
        following = [one.lower() for one in tokens[place + 1 : place + 3]]
        begins = not found or found[-1].text in ".!?:…"
        name = token[:1].isupper() and not begins and singular(token.lower()) not in _CALENDAR
        found += [Word(part, name) for part in _parts(token, following)]
    return _with_digits(found)


_WHOLE = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "gonna": "going to",
    "ive": "i have",
    "let's": "let us",
}
_WHOLE |= {"wasnt": "was not", "couldnt": "could not", "didnt": "did not", "dont": "do not", "ill": "ill"}
_ENDINGS = {"'ve": "have", "'m": "am", "'ll": "will", "'re": "are", "'d": "would"}


def _parts(token: str, following: list[str]) -> list[str]:
    word = token.lower()
    if word in _WHOLE:
        return _WHOLE[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    for ending, meaning in _ENDINGS.items():
        if word.endswith(ending):
            return [word.removesuffix(ending), meaning]
    if word.endswith("'s"):
        base = word[:-2]
        if following[:1] == ["been"]:
            return [base, "has"]
        # "the lamp's glowing", but "the lamp's brightness"
        said_of_it = is_thing(base) and following and not any(map(is_thing, following))
        return [base, "is"] if base in _IS_AFTER or said_of_it or _STATE_NEXT & {*following[:1]} else [base]
    return [word.replace("'", "")]


def _with_digits(found: list[Word]) -> list[Word]:
    texts = [word.text for word in found]
    digits = to_digits(texts)
    if digits == texts:
        return found
    names = {word.text for word in found if word.name}
    return [Word(text, text in names) for text in digits]


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        if word.endswith(("ches", "shes", "xes")):
            return word[:-2]
        return word[:-3] + "y" if word.endswith("ies") else word[:-1]
    return word


def kind_of(word: str) -> str | None:
    return KINDS.get(singular(word))


@lru_cache(maxsize=4096)
def is_thing(word: str) -> bool:
    """Whether a home has such a thing or place."""
    one = singular(word)
    return one in KINDS or one in ROOMS or one in _THINGS


_THINGS = frozenset("device switch plug outlet socket dimmer appliance machine maker everything room".split())
