"""Prepares text for a voice: no Markdown, no addresses; units, times and dates in words."""

import calendar
import html
import re
from collections.abc import Callable

from home_names.units import UNITS

CODE = "There is some code, which I leave out."
_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_URL = re.compile(r"\b(?:https?://|ftp://|www\.)([^\s/<>\"']+)[^\s<>\"']*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_RULE = re.compile(r"^\s*(?:(?:[-*_=]\s*){3,}|(?=[\s:|]*-[^|]*\|)[\s:|-]*)$")
_PREFIX = re.compile(r"^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+•‣◦]\s+)?(?:\[[ xX]\]\s+)?")
_NUMBERED = re.compile(r"^\s*(\d{1,3})[.)]\s+")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|~~|___|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_END = re.compile(r"[.!?…:;,][\"'”’)]*$")
_PICTURES = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200b-\u200f\u2060\ufeff\u20e3]"
)
_MARKS = re.compile(r"[*`#|<>\[\]{}_~^\\]+")
_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"(?<!\s)\s([.,!?;:])(?=\s|$)")

_NUMBER = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,15})?"  # longer ones are codes
_UNIT_NAMES = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"({_NUMBER})\s?({_UNIT_NAMES})(?:/(kWh|h|day|month|min|s))?(?![\w°/])")
_PER = {"h": "hour", "min": "minute", "s": "second", "kWh": "kilowatt hour"}
_MONEY = re.compile(rf"([$€£])\s?({_NUMBER})(\s(?:thousand|million|billion)\b)?|({_NUMBER})\s?([€£])")
_MONEY_NAMES = {"$": "dollar", "€": "euro", "£": "pound"}
_RANGE = re.compile(
    rf"(?<![\w.,/:–-])([$€£]?{_NUMBER}(?:\s?(?:{_UNIT_NAMES}))?)(?:\s?–\s?(?=[-−]?[$€£]?\d)"
    rf"|-(?=\d{{1,3}}(?![\w–-]|\.\d\.))|\s-\s(?=\d{{1,3}}\s?(?:{_UNIT_NAMES})(?!\w)))"
)
_MINUS = re.compile(r"(?<![\w.)\]/-])[-−](?=[$€£]?\d)")
_DATE = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:T(?=\d\d:\d\d)|\b)")
_TIME = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"
    r"(?:\s?([ap])(?:\.m\.|m\b))?(?![\d:])",
    re.IGNORECASE,
)
_TIME_RANGE = re.compile(r"(?<![\dT:.])(\d{1,2}:\d\d(?:\s?[ap]m)?)\s?[-–]\s?(?=\d{1,2}:\d\d)", re.IGNORECASE)
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\be\.\s?g\.,?", "for example"),
        (r"\bi\.\s?e\.,?", "that is"),
        (r"\betc\.", "et cetera"),
        (r"\bno\.\s?(?=\d)|#(?=\d)", "number "),
        (r"\band/or\b", "or"),
        (r"(?<=\d)\s?[×x]\s?(?=\d)|(?<=\d)\s\*\s(?=\d)", " times "),
        (r"(?<=\d)\s+\+\s+(?=\d)", " plus "),
        (r"(?<=\d)\s+[-−]\s+(?=\d)", " minus "),
        (r"(?<=[\w%°)])\s*=\s*(?=[\w$€£(−-])", " equals "),
        (r"\s?±\s?(?=\d)", " plus or minus "),
        (r"(?<!\w)[~≈]\s?(?=\d)", "about "),
        (r"\s?(?:→|⇒|=>|->)\s?", " to "),
        (r"\s?&\s?", " and "),
        (r"(?<=\w)_+(?=\w)", " "),
        (r"\s[—–]\s|—", ", "),
        (r"(?<=\w)–(?=\w)", " to "),
    )
)


def spoken_text(text: str) -> str:
    """One line, ready for a voice. Code is named, pictures are left out."""
    text = _FENCE.sub(f"\n{CODE}\n", html.unescape(text))
    lines = [_line(line) for line in text.splitlines() if not _RULE.match(line)]
    spoken = [line for line in lines if line]
    if len(spoken) > 1:  # a line of a list or a heading ends like a sentence, so that the voice pauses
        spoken = [line if _END.search(line) else f"{line}." for line in spoken]
    text = _MARKS.sub(" ", " ".join(spoken))
    text = "".join(character if character.isprintable() else " " for character in text)
    return _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text)).strip()


def _line(line: str) -> str:
    line = _NUMBERED.sub(r"\1, ", _PREFIX.sub("", line, count=1))
    if line.strip().startswith("|") and line.count("|") >= 2:  # a row of a table
        line = ", ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip())
    line = _repeat(_SPACES.sub(" ", line), lambda old: _LINK.sub(r" \1 ", old))
    line = _TAG.sub(" ", _URL.sub(_host, line).replace("`", ""))
    line = _repeat(line, lambda old: _EMPHASIS.sub(r"\2", old))
    line = _RANGE.sub(r"\1 to ", _TIME.sub(_time, _TIME_RANGE.sub(r"\1 to ", _DATE.sub(_date, line))))
    for pattern, words in _WORDS:
        line = pattern.sub(words, line)
    line = _MONEY.sub(_money, _MINUS.sub("minus ", _PICTURES.sub(" ", line)))
    return _UNIT.sub(_unit, line).replace("°", " degrees").strip()


def _repeat(text: str, change: Callable[[str], str]) -> str:
    """Applies the change to four levels of nesting."""
    for _ in range(4):
        text = change(text)
    return text


def _host(match: re.Match[str]) -> str:
    address = match[1].rpartition("@")[2].partition(":")[0].rstrip(".,;:!?)")
    stop = match[0][len(match[0].rstrip(".,;:!?)")) :]
    return address.removeprefix("www.").replace(".", " dot ") + stop


def _unit(match: re.Match[str]) -> str:
    unit = UNITS[match[2]][0 if match[1] == "1" else 1]
    return f"{match[1]} {unit}" + (f" per {_PER.get(match[3], match[3])}" if match[3] else "")


def _money(match: re.Match[str]) -> str:
    amount, sign = (match[2] + (match[3] or ""), match[1]) if match[1] else (match[4], match[5])
    return f"{amount} {_MONEY_NAMES[sign]}{'' if amount == '1' else 's'}"


def _date(match: re.Match[str]) -> str:
    month = calendar.month_name[int(match[2])]
    return f"{month} {int(match[3])}, {match[1]}" + (" at " if match[0].endswith("T") else "")


def _time(match: re.Match[str]) -> str:
    """On the twelve-hour clock. "7:30" alone gets no half of the day, because it may be either."""
    hour, minute, half = int(match[1]), int(match[2]), f"{match[3] or ''}m".upper()
    if half == "M":
        half = "" if 0 < hour <= 12 and not match[1].startswith("0") else "PM" if hour >= 12 else "AM"
    if not minute:
        half = half or "o'clock"
        return f"{hour % 12 or 12} {half}"
    return f"{hour % 12 or 12} {'oh ' if minute < 10 else ''}{minute} {half}".strip()
