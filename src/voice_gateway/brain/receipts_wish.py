"""What the user's words ask for: something to be done, how it is at home, or neither."""

import re
from enum import StrEnum

from voice_gateway.brain.receipts_verbs import STATES
from voice_gateway.brain.receipts_words import ROOMS, is_thing

_POLITE = (
    r"(?:(?:hey|ok|okay|please|now|just|and|then|also|no|yes|so|but|right|alright|well|sorry|wait|can you|"
    r"could you|would you|will you|would you mind|i want you to|i need you to|i would like you to|i want to|"
    r"go ahead and|jarvis|computer|you must|you should|you may|let us|we should|kindly|quickly) )*"
)
# What one tells an assistant to do. "Tell me", "explain", "write" and the like want words, not deeds.
_ORDERS = (
    r"(?:turn(?:ing)?|switch(?:ing)?|set|dim|brighten|open|close|shut|lock|unlock|start|stop|mute|unmute|"
    r"activate|deactivate|cancel|add|remind|wake|raise|lower|increase|decrease|make(?! me (?:laugh|smile)| "
    r"up )|put|bring|change|adjust|enable|disable|arm|disarm|play|pause|resume|skip|record|save|schedule|"
    r"order|book|buy|send|text|message|email|call|notify|note|write down|delete|remove|clear|undo|redo|reset|"
    r"restart|reboot|run|trigger|launch|vacuum|clean|tidy|mop|water|brew|charge|feed|heat|warm|cool|light|"
    r"illuminate|kill|move|roll|pull|draw|lift|drop|crank|power|flip|toggle|leave|keep|try|secure|snooze|"
    r"silence|connect|pair|tell (?!me\b|us\b)\w+|let me know|tell me (?:when|once|as soon)|fix)"
)
_ORDER = re.compile(rf"{_POLITE}{_ORDERS}\b(?! up$| down$)(?: .+|$)")
_FURTHER = re.compile(rf".*\b(?:and|but|then) {_ORDERS}\b .+")
_SHORT = re.compile(
    rf"{_POLITE}(?:a (?:bit|little) |much |\d+ \w+ )?(?:louder|quieter|softer|brighter|darker|dimmer|warmer|"
    r"cooler|hotter|colder|higher|faster|slower|mute|unmute|stop|undo|undo that|again|lock up|lights out|"
    r"max|volume)\b.*"
)
# A complaint wants to be helped with.
_COMPLAINT = re.compile(
    r".*(?:\btoo (?:loud|quiet|bright|dark|dim|hot|cold|warm|cool|noisy|stuffy)\b|\bstill (?:on|off|open|"
    r"closed|locked|unlocked|running|dark|playing|not)\b|\b(?:it is|it's|its|i am|i'm|we are|here) (?:\w+ "
    r")?(?:freezing|cold|dark|stuffy|boiling|hot|loud)\b|\bwrong (?:lamp|light|room|one|device|door)\b|"
    r"\b(?:did|does|do|is|are|has) not (?:work|on|off|turn|react|change)).*"
)
_ORDERED = (_ORDER, _FURTHER, _SHORT, _COMPLAINT)
_FORBIDS = re.compile(rf"{_POLITE}(?:do not|don't|dont|never|stop asking)\b.*")
_ADVICE = re.compile(
    rf"{_POLITE}(?:how (?:do|can|could|should|to|would|does|did)|why|who|what if|what (?:do|does) .+ (?:mean|"
    r"do|cost|look)|explain|tell me (?:a|an|about|something|how|why)|(?:write|sing|recite|compose|make up|"
    r"invent|give me|read me|say)\b.* (?:joke|story|poem|haiku|song|tale|riddle|limerick|rhyme|fable|recipe|"
    r"tips?|ideas?|advice))\b.*"
)
_VERBAL = frozenset(
    "is are was were am do does did have has had will would can could should i you he she we they".split()
)

_QUESTION = re.compile(
    r"(?:(?:hey|ok|okay|please|and|so|tell me|do you know|can you check|check|can you tell me|can you see|i "
    r"wonder|could you check|could you tell me|let me know) )*(?:is|are|was|were|did|do|does|has|have|had|if|"
    r"whether|what is|what are|which (?:\w+ ){0,3}(?:is|are|have|has|do|does|needs?)|are all|any|how is|how "
    r"are|where is|how (?:warm|cold|hot|bright|loud|many|humid|much|long|is)|what|check|when (?:does|do|is|"
    r"will)|anything|status of|state of|why is|why are) .+"
)
_TELL = re.compile(rf"{_POLITE}(?:show|list|give me|read|display|name|describe|stop(?: it| that)?$)\b")
_DEFINITE = frozenset("the my our all any every which that this those these many we".split())
_ALL = re.compile(r"\b(?:everything|anything)\b.*\b(?:home|house|ok|okay|fine|locked|off|on|closed|open)\b")
_CLOCK = re.compile(
    rf"{_POLITE}(?:(?:tell me |do you know |do you have |what is |what |whats |check )+(?:the )?(?:current |"
    r"local )?(?:time|date|day|hour)(?: is it| it is| now| today| please)*|how late is it.*|what day .*|is "
    r"it (?:late|noon|\d+).*)"
)


class Wish(StrEnum):
    ACT = "act"
    LOOK = "look"
    CLOCK = "clock"
    TALE = "tale"  # words: a story, an explanation, advice
    NONE = ""


def wish_in(said: str) -> Wish:
    """`said` is in lower case, without signs and contractions."""
    if not said or _FORBIDS.fullmatch(said):
        return Wish.NONE
    if _ADVICE.fullmatch(said) and not said.startswith("why is"):
        return Wish.TALE
    if _CLOCK.fullmatch(said):
        return Wish.CLOCK
    asks = bool(_TELL.match(said))
    if not asks and any(order.fullmatch(said) for order in _ORDERED):
        return Wish.ACT
    if asks or _QUESTION.fullmatch(said):
        return Wish.LOOK if _of_this_home(said) else Wish.NONE
    words = said.split()
    fragment = len(words) <= 7 and not _VERBAL & set(words) and any(map(is_thing, words))
    return Wish.ACT if fragment else Wish.NONE


def _of_this_home(said: str) -> bool:
    """Whether a thing is meant that stands here ("the lamp", "kitchen light on"), and not any ("a lamp")."""
    words = said.split()
    things = [place for place, word in enumerate(words) if is_thing(word)]
    definite = any(_DEFINITE & set(words[max(0, place - 3) : place]) for place in things)
    definite |= bool(things) and "we" in words
    placed = bool(things) and any(word in ROOMS or word in STATES for word in words)
    return definite or (placed and not {"a", "an"} & set(words)) or bool(_ALL.search(said))
