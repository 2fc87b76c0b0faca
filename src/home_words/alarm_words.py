"""English for an alarm that was heard: what stops it while it sounds, and means nothing else then."""

import re
from typing import Final

_BEFORE: Final = r"(?:(?:ok|okay|yes|yeah|yep|alright|all right|please|hey|thanks|thank you|fine)[\s,.!]*)*"
_WHICH: Final = r"(?:smoke|fire|water|leak|flood|gas|heat|carbon monoxide|home|house)"
_ALARM: Final = rf"(?:(?:the|that|this|all|all the|my) )?(?:{_WHICH} )?(?:alarms?|alerts?|warnings?|noise|ringing|beeping)"
HEARD: Final = re.compile(
    rf"{_BEFORE}(?:"
    r"(?:i|we)(?: have|'ve| did)? (?:heard|hear|know|noticed|understand|understood|got)(?: (?:it|you|that|about it|about that))?|"
    rf"(?:i|we)(?: have|'ve)? (?:heard|hear|noticed) {_ALARM}|"
    rf"(?:stop|silence|mute|acknowledge|turn off|switch off|cancel|dismiss|confirm|quiet|end|shut off|clear) {_ALARM}|"
    rf"turn {_ALARM} off|"
    r"(?:stop|silence|quiet|acknowledge|acknowledged|enough|dismiss|understood|got it|shut up|ok|okay|thanks|thank you|alright)|"
    r"(?:stop|silence|dismiss|acknowledge) (?:it|that|this)|stop (?:telling|warning|shouting|ringing|beeping)(?: me| us)?|"
    r"(?:be|keep) quiet|that is enough|that's enough|(?:i am|i'm|we are|we're) (?:on it|coming|there|here|looking)|message received"
    r")(?:[\s,]*(?:please|now|thanks|thank you|jarvis|already|then))*[\s.!]*",
    re.IGNORECASE,
)


def means_heard(text: str) -> bool:
    return len(text) <= 80 and HEARD.fullmatch(text.strip()) is not None
