"""Speech that never acts: questions, negations, conditions, reported speech, statements of what is or was."""

import re
from enum import StrEnum


class SpeechAct(StrEnum):
    QUESTION = "a question"
    NEGATION = "a negation"
    CONDITION = "a condition, or a time that is not now"
    REPORTED = "something somebody said"
    STATEMENT = "a statement"


_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|moments?|while|bit|sec|jiffy|tick)"
_AMOUNT = r"(?:\d+(?:\.\d+)?|a|an|one|half an?|a few|a couple of|some|another|the next)"
_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?"

_NEGATION = re.compile(
    r"\b(?:not|never|no|nothing|none|nobody|neither|nor|without|except|excluding|apart from|other than|"
    r"besides|but|instead|rather|anything else|stop (?!everything|anything)\w+ing|avoid|refrain|"
    r"forbid|no need)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|until|till|once|while|after|before|during|as soon as|in case|as long as|"
    r"by the time|provided|assuming|otherwise|tomorrow|tonight|later|soon|yesterday|eventually|someday|"
    r"always|automatically|regularly|daily|nightly|overnight|weekdays|weekends|sundown|sunup|nightfall|"
    rf"every (?:\d+ )?(?:{_UNIT}|{_DAY}|morning|evening|afternoon|night|time|weekday|weekend)|"
    rf"in {_AMOUNT} {_UNIT}|for {_AMOUNT} {_UNIT}|half an hour|{_AMOUNT} {_UNIT} (?:from now|ago)|on {_DAY}|"
    r"(?:this|next|last|in the|at the) (?:morning|evening|afternoon|night|weekend|week|month|year|end)|"
    r"(?:at|by|around|about|from|towards) (?:noon|midnight|night|dawn|dusk|sunset|sunrise|half past|quarter)|"
    r"(?<!to )around (?:[01]?\d|2[0-4])(?::\d\d)?(?: oclock| am| pm|$)|"
    # "ten thirty" is written 1030, "seven thirty" 7 30.
    r"at (?:[01]\d|2[0-3])[0-5]\d(?! percent| degrees)|at \d{1,2} [0-5]\d(?! percent| degrees)|"
    r"at (?:[01]?\d|2[0-4])(?::\d\d)?(?: oclock| am| pm| in the|(?= tomorrow| today| tonight)|$)|"
    r"\d+ ?(?:am|pm)|\d+:\d\d)\b"
)
# A timer or a reminder is meant for later: a time in it is no condition.
_FOR_LATER = re.compile(
    r"^(?:remind|wake|(?:set|start|create|make) (?:a|an|the|my|another)? ?.*(?:timer|alarm|reminder))\b"
)
_SHOULD = re.compile(r"^(?:should|were|had) (?:it|the|i|we|you|he|she|they|anyone|somebody|someone)\b")
_REPORTED = re.compile(
    r"\b(?:said|says|say|saying|told|tells|telling|asked|asks|asking|wants|wanted|heard|hears|yelled|yells|"
    r"shouted|shouts|screamed|whispered|wrote|writes|reads|mentioned|suggested|suggests|thinks|thought|claims|"
    r"claimed|goes|quote|unquote|sings|sang|song|lyrics|ordered|insists|insisted|begged|reminded|reminds|"
    r"called|titled|entitled|translate|spell|pronounce|repeat after|they want|he want|she want|"
    r"tell (?!me\b|us\b)\w+|ask (?!me\b|us\b)\w+)\b"
)
_STATEMENT = re.compile(
    r"\b(?:is|are|was|were|am|been|being|has|have|had|did|does|will|would|should|could|might|must|shall|"
    r"turned|switched|opened|closed|locked|unlocked|dimmed|muted|left|went|got|gets|takes|took|broke|broken|"
    r"going to|love|loves|hate|hates|hope|hopes|wish|wishes|guess|remember|remembered|forgot|used to|because|"
    r"that|pretend|imagine|suppose|turning|switching|opening|closing|locking|unlocking|dimming|starts|started|"
    r"made|stopped|came|sat|built)\b"
)
_SUBJECT = re.compile(
    r"^(?:i|you|he|she|we|they|it|there|too|someone|somebody|everyone|everybody|people|who(?:ever)?|"
    r"(?:my|your|his|her|our|their) \w+ (?:\w+s|\w+ed)\b)\b"
)
_QUESTION = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|"
    r"will|would|should|may|might|shall|must|tell me|do you know|i wonder|any idea)\b"
)


# "Turn that off", "turn off that lamp": it points at something, and tells of nothing.
_POINTED = re.compile(
    r"^((?:turn|switch|put|dim|open|close|shut|lock|unlock|stop|set|make)(?: on| off| up| down)?) that\b"
)
_SOMEBODY = re.compile(r"\b(?:i|he|she|they|we|who|someone|somebody|nobody|everyone|everybody) \w+")


def question(text: str) -> bool:
    return bool(_QUESTION.match(text))


def guard(text: str) -> SpeechAct | None:
    """What keeps this text from acting; `text` is plain and its politeness is gone."""
    text = _POINTED.sub(r"\1 it", text)
    if _SHOULD.match(text):
        return SpeechAct.CONDITION
    checks = (
        (_NEGATION, SpeechAct.NEGATION),
        (_REPORTED, SpeechAct.REPORTED),
    )
    for pattern, kind in checks:
        if pattern.search(text):
            return kind
    if question(text):
        return SpeechAct.QUESTION
    if _CONDITION.search(text) and not _FOR_LATER.match(text):
        return SpeechAct.CONDITION
    if _SUBJECT.match(text) or _SOMEBODY.search(text) or _STATEMENT.search(text):
        return SpeechAct.STATEMENT
    return None
