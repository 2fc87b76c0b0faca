"""What is said when nobody had an answer: short, kind, and different for each reason."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from home_words.clause_words import UNFINISHED
from voice_gateway.brain.local.normalise import NormalisedText
from voice_gateway.brain.local.small_talk import Remark, remark
from voice_gateway.brain.local.speech_act import ORDERS, worded_as_question


class Reason(StrEnum):
    NOT_UNDERSTOOD = "not understood"
    HALF = "half a sentence"
    NO_TOOL = "no tool for it"
    NOT_KNOWN = "no tool that knows it"
    NEEDS_MODEL = "needs a model"
    SEARCH = "could be searched for"
    REMARK = "a remark"


@dataclass(frozen=True, slots=True)
class Fallback:
    reason: Reason
    text: str
    query: str = ""  # what a yes searches for


_REPLIES: Final = {
    Reason.NOT_UNDERSTOOD: "Sorry, I did not understand that.",
    Reason.HALF: "I think there was more to come. What shall I do?",
    Reason.NO_TOOL: "I have no tool for that.",
    Reason.NOT_KNOWN: "I have no tool that knows that.",
    Reason.NEEDS_MODEL: "That needs a language model. Ask how to add one.",
    Reason.SEARCH: "I don't know that. Shall I search the web?",
}
_HUMAN: Final = {
    Remark.PRAISE: "Thank you!",
    Remark.WISHES: "Thank you, the same to you!",
    Remark.COMPLAINT: "I'm sorry. Please say it another way.",
    Remark.FEELINGS: "I'm only a program, but thank you.",
    Remark.ARRIVED: "Welcome home!",
    Remark.BIRTHDAY: "Happy birthday!",
    Remark.BAD_NEWS: "I'm sorry to hear that.",
    Remark.GOOD_NEWS: "That's nice to hear!",
    Remark.STATEMENT: "I see.",
}
# What only a model can make up.
_MADE_UP: Final = re.compile(
    r"\b(?:jokes?|story|stories|poem|haiku|song|riddle|rap|essay|letter|recipe|rhyme|compliment|advice|"
    r"opinion|tale|"
    r"fun fact|something (?:funny|nice|interesting)|translate|explain|sing|laugh|talk about|chat|define|"
    r"describe|"
    r"conversation|recommend|suggest)\b"
)
_CUT_OFF: Final = re.compile(
    r"(?:^|.* )(?:the|a|an|my|to|and|or|of|for|in|with|is|what is|can you|could you|would you|will you|"
    r"if)$|"
    r"(?:(?:can|could|would|will) you |please |maybe |perhaps |just )*(?:please|maybe|perhaps|just)$"
)
# Nobody out there knows it.
_OF_US: Final = re.compile(r"\b(?:i|my|me|we|our|us|you|your|here|this)\b")
_HOW_TO: Final = re.compile(r"^how (?:do|can|could|should|would) (?:i|we|you)\b")  # anybody, that is
_FOR_ME: Final = re.compile(
    r"\w+ (?:my|me|our|us)\b|(?:take|do|give|bring|fetch|get|build|draw|read|cook|wash|drive|teach|pick|"
    r"throw|hold|hide|"
    r"connect|download|install|update|speak|dance|watch|show)\b(?! (?:is|are|was)\b)"
)  # "fold my laundry"
FEWEST_WORDS: Final = 3  # different ones, of what may be worth a search
_TO_YOU: Final = {
    "my": "your", "me": "you", "our": "your", "us": "you", "i": "you", "mine": "yours",
    "myself": "yourself", "am": "are", "your": "my", "yourself": "myself",
}  # fmt: skip
LONGEST_ECHO: Final = 24  # letters of an order that are said back


def fallback(
    said: NormalisedText, *, search: Callable[[], str], model: bool, english: bool = True
) -> Fallback:
    """`search` gives what could be searched for, "" where nothing may leave the house for these words."""
    asks = said.question or (worded_as_question(said.text) and not said.polite)
    kind, name = remark(said.text, question=asks)
    if kind is not None and kind is not Remark.STATEMENT:
        return Fallback(Reason.REMARK, f"Nice to meet you, {name.title()}." if name else _HUMAN[kind])
    if english and _is_half(said):
        return _of(Reason.HALF)
    if _MADE_UP.search(said.text):
        return _of(Reason.NOT_UNDERSTOOD if model else Reason.NEEDS_MODEL)
    told = Fallback(Reason.REMARK, _HUMAN[kind]) if kind else _of(Reason.NOT_UNDERSTOOD)
    order = said.polite or said.text.partition(" ")[0] in ORDERS or (not kind and _FOR_ME.match(said.text))
    no_tool = Fallback(Reason.NO_TOOL, _no_tool(said.text)) if order and said.text else told
    return _unanswered(said.text, search, asks=asks, model=model) or no_tool


def _unanswered(text: str, search: Callable[[], str], *, asks: bool, model: bool) -> Fallback | None:
    """A question: searched for after a yes, or one for a model."""
    about_us = _OF_US.search(_HOW_TO.sub("", text)) is not None
    worth_it = len(set(text.split())) >= FEWEST_WORDS
    if worth_it and not about_us and (query := search()):
        return Fallback(Reason.SEARCH, _REPLIES[Reason.SEARCH], query)
    if asks and worth_it:
        return _of(Reason.NOT_KNOWN if about_us or model else Reason.NEEDS_MODEL)
    return None


def _of(reason: Reason) -> Fallback:
    return Fallback(reason, _REPLIES[reason])


AGAIN: Final = re.compile(
    r"(?:(?:say|repeat|tell me) (?:that|it)(?: again| once more)?|repeat|again|pardon(?: me)?|huh|"
    r"come again|"
    r"what(?: did you (?:just )?say)?|sorry what|i did not (?:hear|get|catch) (?:you|that|it))"
)


def _is_half(said: NormalisedText) -> bool:
    return bool(_CUT_OFF.match(said.whole) or (" " in said.text and UNFINISHED.search(said.text)))


def _no_tool(order: str) -> str:
    echo = " ".join(_TO_YOU.get(word, word) for word in order.split())
    return f"I have no tool to {echo}." if len(echo) <= LONGEST_ECHO else _REPLIES[Reason.NO_TOOL]
