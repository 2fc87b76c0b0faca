"""Text as it is written becomes text as it is said: no Markdown, no addresses, units and times in words."""

import html
import re
from collections.abc import Callable

from voice_gateway.speaking.units import spoken_numbers, spoken_ranges

CODE = "There is some code, which I leave out."
_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_URL = re.compile(r"\b(?:https?|ftp)://([^\s/<>\"']+)[^\s<>\"']*", re.IGNORECASE)
_BARE_URL = re.compile(r"\bwww\.([^\s/<>\"']+)[^\s<>\"']*", re.IGNORECASE)
_EMAIL = re.compile(r"\b([\w.+-]{1,64})@([\w-]+(?:\.[\w-]+)+)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_TABLE_RULE = re.compile(r"^(?=[\s:|]*-[^|]*\|)[\s:|-]*$")
_BULLET = re.compile(r"^\s*(?:[-*+•‣◦]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
_NUMBERED = re.compile(r"^\s*(\d{1,3})[.)]\s+")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|~~|___|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_UNDERSCORED = re.compile(r"(?<!\w)_(?=\S)(.{1,200}?)(?<=\S)_(?!\w)")
_SNAKE = re.compile(r"(?<=\w)_+(?=\w)")
_MARKED = re.compile(r"^\s*(?:#{1,6}\s|[-*+•‣◦]\s|\[[ xX]\]\s|\d{1,3}[.)]\s|\||```|~~~|$)")
_ITEM = re.compile(r"^\s*(?:[-*+•‣◦]|\d{1,3}[.)])\s")
_UNENDED = re.compile(
    r"\b(?:the|an?|is|are|was|were|and|or|but|of|to|at|for|with|by|from|about|than)$", re.IGNORECASE
)
LONG_LINE = 60  # characters: a line that long and without an end was broken by whoever wrote it
_END = re.compile(r"[.!?…:;,][\"'”’)]*$")
# Pictures, arrows drawn as pictures, and what joins and colours them.
_PICTURES = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200b-\u200f\u2060\ufeff\u20e3]"
)
_LEFT_OVER = re.compile(r"[*`#|<>\[\]{}_~^\\]+")
_WIDE = re.compile(r"[^\S\n]{3,}")
_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"(?<!\s)\s+([.,!?;:])(?=\s|$)")

_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\be\.\s?g\.,?", "for example"),
        (r"\bi\.\s?e\.,?", "that is"),
        (r"\betc\.", "et cetera"),
        (r"\bvs\.", "versus"),
        (r"\bapprox\.", "about"),
        (r"\bno\.\s?(?=\d)", "number "),
        (r"\b24/7\b", "24 7"),
        (r"\s?±\s?(?=\d)", " plus or minus "),
        (r"(?<=\d)x(?=\d)", " by "),
        (r"\b(\d+)x(?=\s|$|[.,;)])", r"\1 times"),
        (r"\band/or\b", "or"),
        (r"(?<!\s)\s*(?:→|⇒|=>|->)\s*", " to "),
        (r"(?<!\s)\s*≈\s*|(?<!\w)~(?=\s?\d)", " about "),
        (r"(?<!\s)\s*(?:≥|>=)\s*", " at least "),
        (r"(?<!\s)\s*(?:≤|<=)\s*", " at most "),
        (r"(?<=\d)\s*>\s*(?=\d)", " is more than "),
        (r"(?<=\d)\s*<\s*(?=\d)", " is less than "),
        (r"(?<!\s)\s+[×x]\s+(?=[$€£]?\d)|(?<=\d)\s+\*\s+(?=\d)|(?<=\d)\s*×\s*(?=\d)", " times "),
        (r"(?<=\d)\s+\+\s+(?=\d)", " plus "),
        (r"(?<=\d)\s+[-−]\s+(?=\d)", " minus "),
        (r"(?<=[\w%°)])\s*=\s*(?=[\w$€£(−-])", " equals "),
        (r"(?<=\d)\^(?=\d)", " to the power of "),
        (r"\btbsp\b\.?", "tablespoons"),
        (r"\btsp\b\.?", "teaspoons"),
        (r"(?<!\s)\s*&\s*", " and "),
        (r"#(?=\d)", "number "),
        (r"\s[—–]\s|—", ", "),
    )
)


def spoken_text(text: str) -> str:
    """One line, ready for a voice. What cannot be said (code, pictures) is left out or named."""
    text = _WIDE.sub("  ", _FENCE.sub(f"\n{CODE}\n", html.unescape(text)))
    lines = [
        _line(line)
        for line in _unwrapped(text.splitlines())
        if not _RULE.match(line) and not _TABLE_RULE.match(line)
    ]
    said = [line for line in lines if line]
    return _tidy(" ".join(map(_closed, said) if len(said) > 1 else said))


def _unwrapped(lines: list[str]) -> list[str]:
    """Lines that only the width of a page has broken are one again: no pause belongs there."""
    whole: list[str] = []
    before = ""
    for line in lines:
        if whole and _goes_on(before, whole[-1][:LONG_LINE], line):
            whole[-1] += f" {_QUOTE.sub('', line).strip()}"
        else:
            whole.append(line)
        before = line
    return whole


def _goes_on(before: str, begun: str, line: str) -> bool:
    """`begun` is how the paragraph or the entry of a list began, `before` its last line."""
    last, follows, first = before.rstrip(), _QUOTE.sub("", line), _QUOTE.sub("", begun).strip()
    if not last.strip(" >") or _MARKED.match(follows) or before.endswith(("  ", "\\")):
        return False
    if first.startswith(("#", "|")) or first == CODE or _RULE.match(before) or _RULE.match(line):
        return False
    if _UNENDED.search(last) or len(last) >= LONG_LINE:
        return True
    if _ITEM.match(begun):
        return line[:1].isspace()
    # A list without marks may be in small letters all through; a sentence begins with a large one.
    return follows.strip()[:1].islower() and not first[:1].islower()


def _line(line: str) -> str:
    line = _QUOTE.sub("", line)
    line = _HEADING.sub("", line)
    line = _BULLET.sub("", line)
    line = _NUMBERED.sub(lambda found: f"{found[1]}, ", line)
    if line.count("|") >= 2 and line.strip().startswith("|"):
        line = ", ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip())
    return _inline(line).strip()


def _inline(text: str) -> str:
    text = _repeated(_SPACES.sub(" ", text), lambda old: _LINK.sub(lambda found: f" {found[1]} ", old))
    text = _URL.sub(_host, text)
    text = _BARE_URL.sub(_host, text)
    text = _EMAIL.sub(lambda found: f"{_dots(found[1])} at {_dots(found[2])}", text)
    text = _TAG.sub(" ", text)
    text = _repeated(text, lambda old: _EMPHASIS.sub(r"\2", old))
    text = _UNDERSCORED.sub(r"\1", text)
    text = spoken_ranges(_SNAKE.sub(" ", text.replace("`", "")))
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return spoken_numbers(_PICTURES.sub(" ", text))


def _repeated(text: str, change: Callable[[str], str]) -> str:
    """Marks within marks need as many passes as they are deep; nobody writes deeper than four."""
    for _ in range(4):
        changed = change(text)
        if changed == text:
            break
        text = changed
    return text


def _host(found: re.Match[str]) -> str:
    address = found[1].rpartition("@")[2].partition(":")[0].rstrip(".,;:!?)")
    stop = found[0][len(found[0].rstrip(".,;:!?)")) :]
    return _dots(address.removeprefix("www.")) + stop


def _dots(address: str) -> str:
    return address.replace(".", " dot ")


def _closed(line: str) -> str:
    """A line of a list or a heading ends like a sentence, so that the voice pauses."""
    return line if _END.search(line) else f"{line}."


def _tidy(text: str) -> str:
    text = _LEFT_OVER.sub(" ", text)
    text = "".join(character if character.isprintable() else " " for character in text)
    return _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text)).replace("( ", "(").strip()
