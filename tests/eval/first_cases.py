"""Reads `first_minutes.txt` and judges what became of its sentences; the file says what the checks mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from voice_gateway.speaking.plain_text import spoken_text
from voice_gateway.turn import Reply, ToolOutcome

SEEN = Path(__file__).with_name("first_minutes.txt")
HELD_OUT = Path(__file__).with_name("first_minutes_held_out.txt")
SHORT_SECONDS, BRIEF_SECONDS = 3.0, 6.0
# Of the voice that comes with the gateway, fitted to what it took for fifteen of our replies.
START_SECONDS, PAUSE_SECONDS, LETTERS_PER_SECOND, LETTERS_OF_A_DIGIT = 0.25, 0.2, 19.0, 4
_CLOCK = re.compile(r"\b(\d{1,2}:\d\d) ?([AP]M)\b")
_FACTS = frozenset({"fact", "time", "date", "weekday", "year"})
_DATE = "{0:%B} {0.day}|{0.day}(?:st|nd|rd|th)?(?: of)? {0:%B}"


class Became(StrEnum):
    WELL = "well"
    MISSED = "missed"
    WRONG_ACT = "wrong act"
    UNTRUE = "untrue"
    SENT = "sent"  # words left the house, and nobody had asked for it

    @property
    def is_wrong(self) -> bool:
        return self not in (Became.WELL, Became.MISSED)


@dataclass(frozen=True)
class First:
    """One newcomer's words."""

    kind: str
    turns: tuple[str, ...]
    ways: tuple[tuple[tuple[str, str], ...], ...]  # any of these, each with (check, what it is about)
    held_out: bool = False

    @property
    def offered(self) -> str:
        """What a yes shall send, where a search may be offered."""
        found = [about for way in self.ways for check, about in way if check == "offer"]
        return found[0] if found else ""


@dataclass(frozen=True)
class Heard:
    """All that came of the last turn."""

    reply: Reply
    before: Mapping[str, str]
    after: Mapping[str, str]  # the state of each device
    sent: Sequence[str]  # what reached the search engine
    sent_after_yes: Sequence[str] = ()
    now: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def seconds(self) -> float:
        return spoken_seconds(self.reply.text)

    @property
    def acts(self) -> list[ToolOutcome]:
        return [one for one in self.reply.outcomes if one.ok and one.ran and not one.read_only]

    @property
    def quiet(self) -> bool:
        return not self.acts and not self.sent


def spoken_seconds(text: str) -> float:
    said = spoken_text(text)
    letters = len(said) + (LETTERS_OF_A_DIGIT - 1) * sum(one.isdigit() for one in said)
    pauses = len(re.findall(r"[.?!:] ", said))
    return START_SECONDS + PAUSE_SECONDS * pauses + letters / LETTERS_PER_SECOND


def read_first(path: Path) -> list[First]:
    lines = (line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    cases = []
    for line in lines:
        kind, words, right = line.split(" | ", 2)
        turns = tuple(turn.strip() for turn in words.split(" > "))
        ways = tuple(tuple(_check(one) for one in way.split(";")) for way in right.split(" || "))
        cases.append(First(kind, turns, ways, path == HELD_OUT))
    return cases


def _check(text: str) -> tuple[str, str]:
    name, _, about = text.strip().partition(" ")
    return name, about


def judge(case: First, heard: Heard) -> Became:
    names = {check for way in case.ways for check, _ in way}
    searching = any(check == "did" and "search" in about for way in case.ways for check, about in way)
    if heard.sent and not searching:
        return Became.SENT
    if not _acts_wanted(case, heard):
        return Became.WRONG_ACT
    if any(_way_holds(way, heard) for way in case.ways):
        return Became.WELL
    facts = [check for way in case.ways for check in way if check[0] in _FACTS]
    told = any(_holds(*fact, heard) for fact in facts)
    return Became.UNTRUE if facts and not told and _untrue(names, heard) else Became.MISSED


def _way_holds(way: Sequence[tuple[str, str]], heard: Heard) -> bool:
    """Where something shall be done, a short answer need not be quiet."""
    if any(check == "did" for check, _ in way):
        lengths = {"short": SHORT_SECONDS, "brief": BRIEF_SECONDS}
        return all(
            heard.seconds <= lengths[check] if check in lengths else _holds(check, about, heard)
            for check, about in way
        )
    return all(_holds(*check, heard) for check in way)


def _acts_wanted(case: First, heard: Heard) -> bool:
    """Every act is one that a way has, and no device has changed that none of them names."""
    about = [(check, text) for way in case.ways for check, text in way]
    named = {name for check, text in about if check == "home" for name in _states(text)}
    changed = {name for name, state in heard.after.items() if heard.before[name] != state}
    other = [one for one in heard.acts if not _of_home(one)]
    patterns = [text for check, text in about if check == "did"]
    return changed <= named and all(any(_made(pattern, one) for pattern in patterns) for one in other)


def _of_home(outcome: ToolOutcome) -> bool:
    return "deviceName" in outcome.args


def _made(pattern: str, outcome: ToolOutcome) -> bool:
    return bool(re.search(pattern, f"{outcome.name} {dict(outcome.args)}", re.IGNORECASE))


def _states(text: str) -> dict[str, str]:
    return dict(pair.strip().split("=", 1) for pair in text.split("&"))


def _holds(check: str, about: str, heard: Heard) -> bool:
    reply = heard.reply
    match check:
        case "short" | "brief":
            limit = SHORT_SECONDS if check == "short" else BRIEF_SECONDS
            return bool(reply.text) and heard.quiet and heard.seconds <= limit
        case "says" | "fact":
            return _has(_filled(about, heard.now), reply.text)
        case "not":
            return not _has(about, reply.text)
        case "did":
            return any(one.ok and _made(about, one) for one in reply.outcomes)
        case "home":
            return all(heard.after[name].startswith(state) for name, state in _states(about).items())
        case "asks":
            return reply.expects_answer and heard.quiet
        case "offer":
            asked = reply.expects_answer and "search" in reply.text.casefold() and heard.quiet
            sent = " ".join(heard.sent_after_yes)
            return asked and heard.seconds <= SHORT_SECONDS and _has(about, sent)
        case "time":
            return bool(_clocks(reply.text)) and _clocks(reply.text) <= _clocks_now(heard.now)
        case "date" | "weekday" | "year":
            form = {"date": _DATE, "weekday": "{0:%A}", "year": "{0:%Y}"}[check]
            return _has(form.format(heard.now), reply.text)
    raise ValueError(check)


def _untrue(names: set[str], heard: Heard) -> bool:
    """It tells a number, and not the right one."""
    if "time" in names:
        return bool(_clocks(heard.reply.text) - _clocks_now(heard.now))
    return heard.reply.ok and not heard.reply.expects_answer and bool(re.search(r"\d", heard.reply.text))


def _has(pattern: str, text: str) -> bool:
    return bool(re.search(pattern, text, re.IGNORECASE))


def _clocks(text: str) -> set[str]:
    return {f"{clock} {half}" for clock, half in _CLOCK.findall(text)}


def _clocks_now(now: datetime) -> set[str]:
    """A minute may have gone by."""
    return {f"{now - timedelta(minutes=ago):%I:%M %p}".lstrip("0") for ago in (0, 1)}


def _filled(pattern: str, now: datetime) -> str:
    tomorrow = now + timedelta(days=1)
    return pattern.replace("{month}", f"{now:%B}").replace("{weekday+1}", f"{tomorrow:%A}")
