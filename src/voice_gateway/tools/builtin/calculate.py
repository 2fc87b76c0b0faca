"""The tool `calculate`: sums, units, days until a date, chance and spelling; no model and no network."""

import asyncio
import re
import secrets
from collections.abc import Callable
from datetime import date, datetime
from functools import partial

from langchain_core.tools import BaseTool

from home_names.numbers import NUMBER_WORDS, to_digits
from home_names.phrases import listed
from voice_gateway.errors import BadArguments
from voice_gateway.tools.builtin.sums import TOO_LARGE, Answer, read_sum
from voice_gateway.tools.builtin.times import Times
from voice_gateway.tools.builtin.units import read_conversion, registry
from voice_gateway.tools.builtin.zones import local_zone
from voice_gateway.tools.gateway_tool import declared_tool, parameters
from voice_gateway.turn import ToolTraits

MAX_EXPRESSION = 200  # characters
MOST_DICE, MOST_SIDES = 20, 1000
LARGEST = 10**12
LONGEST_WORD = 60

DESCRIPTION = (
    "REQUIRED to calculate: you MUST call this whenever the user asks about sums, units, days until a date, "
    "dice or spelling. DO NOT use for the time.\n"
    'Good: "15% of 80", "5 miles in km", "days until christmas", "roll a die". Bad: "what time is it".'
)
PARAMETERS = parameters(
    "expression", expression='In plain words, for example "3 * (4 + 5)" or "spell rhythm"'
)
_UNREADABLE = "I can't work that out. Ask for a sum, a unit in another one, or the days until a date."


def calculate_tool(now: Callable[[], datetime], times: Times) -> BaseTool:
    async def calculate(expression: str) -> Answer:
        if len(expression) > MAX_EXPRESSION:
            raise BadArguments(f"expression must have at most {MAX_EXPRESSION} characters.")
        today = now().astimezone(local_zone()[0]).date()
        read_day = partial(times.day, today=today)
        answer = read_asked(plain(expression), today, lambda day: read_day(day.replace(" - ", "-")))
        if answer is None:
            raise BadArguments(_UNREADABLE)
        text, facts = await asyncio.to_thread(answer)
        return text, {"structured": facts}

    summary = "Sums, units, days until a date, dice, coins and spelling."
    traits = ToolTraits(title="Calculator", summary=summary, read_only=True)
    return declared_tool("calculate", DESCRIPTION, PARAMETERS, calculate, traits)


async def warm_up() -> None:
    """Build the table of units, so that the first conversion does not wait a second for it."""
    await asyncio.to_thread(registry)


# --- reading

_SIGNS = {
    "%": " percent ", "×": " times ", "÷": " divided by ", "°": " degrees ", "·": " times ",
    "²": " squared ", "³": " cubed ", "√": " square root of ",
}  # fmt: skip
_OPENING = (
    r"^(?:(?:what (?:is|are|do|does|would|will)|whats|how much (?:is|are|do|does|would|will)|calculate|compute|work out|"
    r"figure out|solve|tell me|do you know|convert(?= what)|the result of|result of|so|and) )+"
)
_ENDING = (
    r" (?:equals?|equal to|make|makes|is|be|come to|worth|altogether|in total|add up to|each|per person)$"
)


def plain(expression: str) -> str:
    """Signs as words, small letters, numbers as digits."""
    text = "".join(_SIGNS.get(letter, letter) for letter in expression.lower())
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", text)  # "thirty-five" is no difference
    for sign, word in (("[$]", "dollars"), ("€", "euros"), ("£", "pounds")):
        text = re.sub(rf"{sign}\s*(\d[\d.,]*)", rf"\1 {word}", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"[?!=,;:]|\.(?!\d)", " ", text).replace("'", "")
    return " ".join(to_digits(re.sub(r"([-+*/^()])", r" \1 ", text).split()))


def read_asked(
    text: str, today: date = date.min, day: Callable[[str], date | None] = lambda _: None
) -> Callable[[], Answer] | None:
    """The answer to what the whole text asks for, or None. `day` reads a day in words."""
    bare = re.sub(_ENDING, "", re.sub(_OPENING, "", text))
    countdown = partial(_read_countdown, today=today, day=day)
    readers = (countdown, read_conversion, _read_chance, read_sum, _read_spelling)
    answers = (reader(words) for words in dict.fromkeys((text, bare)) for reader in readers)
    return next((answer for answer in answers if answer), None)


_UNTIL = (
    r"(?:how (?P<unit>long|many (?:more )?(?:days|weeks|months|nights|sleeps)) |(?P<unit2>days|weeks) )"
    r"(?:(?:is it|is there|are there|are|are left|left|do we have|do i have|until it is) )*(?:until|till|til|to|before) (?P<day>.+)"
)
_WHEN = (
    r"(?:when|what (?:date|day)(?: of the week)?|which (?:day|date)(?: of the week)?|on (?:what|which) day) "
    r"(?:is|does|will|was) (?:the )?(?P<day>.+?)(?: (?:fall|be|this year|next year|on|fall on|come))*"
)
_TRAILING = r" (?:this year|from now|from today|away|already)$"


def _read_countdown(text: str, today: date, day: Callable[[str], date | None]) -> Callable[[], Answer] | None:
    match = re.fullmatch(_UNTIL, text) or re.fullmatch(_WHEN, text)
    when = day(re.sub(_TRAILING, "", match["day"])) if match else None
    if match is None or when is None:
        return None
    groups = match.groupdict()
    unit = groups.get("unit") or groups.get("unit2") or ""
    return partial(_countdown, when, unit.rpartition(" ")[2], today)


def _countdown(day: date, unit: str, today: date) -> Answer:
    """In these units; without one the question is when it is."""
    days = (day - today).days
    facts: dict[str, object] = {"date": day.isoformat(), "days": days}
    written = f"{day:%A}, {day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")
    if days < 0:
        return f"That was {_counted(-days, 'day')} ago, on {written}.", facts
    if not unit:
        return f"It's {f'on {written}' if days else 'today'}.", facts
    if not days:
        return "That's today.", facts
    length = _counted(days, "day")
    if unit == "weeks" and days >= 7:
        weeks, rest = divmod(days, 7)
        length = _counted(weeks, "week") + (f" and {_counted(rest, 'day')}" if rest else "")
    elif unit == "months" and days >= 31:
        length = f"About {round(days / 30.44)} months"
    return f"{length}, until {written}.", facts


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_COIN = r"(?:(?:flip|toss|throw)(?: me)? (?:a|the|1|one) coin|coin (?:flip|toss)|heads or tails)(?: for me)?"
_DICE = (
    r"(?:roll|throw)(?: me)? (?:(?P<count>\d{1,4}|an?|the|one|some|a pair of|a couple of) )?"
    r"(?:(?P<sides>\d{1,6})[ -]?sided )?(?:dice|die|dices)|(?:roll|throw)(?: me)? (?:an? )?(?P<n>\d{1,3})? ?d ?(?P<d>\d{1,6})"
)
_NUMBER = (
    r"(?:(?:pick|choose|give me|tell me|think of|generate|say|i need|what is) )?(?:a |any )?(?:random )?number "
    r"(?:between|from) (?P<low>-?\d{1,15}|one) (?:and|to) (?P<high>-?\d{1,15})|"
    r"(?:(?:pick|choose|give me|tell me|generate|say) )?(?:a )?random number"
)
_SPELL = (
    r"(?:how (?:do you|do i|does one|would you|is|to|can i) )?(?:spell|spelled|spelt)(?: out)?(?: the word)? (\S+(?: \S+){0,2})|"
    r"how is (?:the word )?(\S+(?: \S+)?) (?:spelled|spelt)|(?:the )?spelling of (?:the word )?(\S+)"
)


def _read_chance(text: str) -> Callable[[], Answer] | None:
    if re.fullmatch(_COIN, text):
        return _flip
    if match := re.fullmatch(_DICE, text):
        amount = match["count"] or match["n"] or ("2" if text.endswith("dice") else "1")
        count = int(amount) if amount.isdecimal() else 2 if "of" in amount or amount == "some" else 1
        return partial(_roll, count, int(match["sides"] or match["d"] or 6))
    if match := re.fullmatch(_NUMBER, text):
        low, high = match["low"] or "1", match["high"] or "100"
        return partial(_pick, *sorted((int(low.replace("one", "1")), int(high))))
    return None


def _flip() -> Answer:
    side = secrets.choice(("heads", "tails"))
    return f"{side.capitalize()}.", {"result": side}


def _pick(low: int, high: int) -> Answer:
    if max(abs(low), abs(high)) > LARGEST:
        raise BadArguments(TOO_LARGE)
    picked = low + secrets.randbelow(high - low + 1)
    return f"{picked}.", {"result": picked}


def _roll(dice: int, sides: int) -> Answer:
    if not 1 <= dice <= MOST_DICE or not 2 <= sides <= MOST_SIDES:
        raise BadArguments(f"I roll up to {MOST_DICE} dice with 2 to {MOST_SIDES} sides.")
    rolled = [1 + secrets.randbelow(sides) for _ in range(dice)]
    together = f": {sum(rolled)} together" if dice > 1 else ""
    return f"{listed(list(map(str, rolled)))}{together}.", {"result": sum(rolled), "dice": rolled}


def _read_spelling(text: str) -> Callable[[], Answer] | None:
    match = re.fullmatch(_SPELL, text)
    return partial(_spell, next(filter(None, match.groups()))) if match else None


def _spell(word: str) -> Answer:
    figures = {str(value): name for name, value in NUMBER_WORDS.items()} | {"40": "forty"}
    word = figures.get(word, word)  # "four" has come as 4
    if len(word) > LONGEST_WORD:
        raise BadArguments("That word is too long to spell.")
    spelled = "; ".join(", ".join(part.upper()) for part in word.split())
    return f"{word[:1].upper()}{word[1:]}: {spelled}.", {"word": word, "letters": list(word.upper())}
