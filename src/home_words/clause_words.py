"""English around a command: joints, corrections, exceptions, conditions, times, moods and talk."""

import re
from typing import Final

from home_words.command_words import MORE_WORD, PLAIN_VERB, STATE, VERB, VERBS, any_of

SUBJECT: Final = any_of(
    "i we he she it they there this that nobody somebody someone everybody everyone my our people"
)

# --- joints: where one clause ends and the next begins

JOINT: Final = re.compile(
    r"\b(?:(?:and|but|then|also|only|plus|so|because|after that|afterwards|by then)"
    rf"|(?:since|as|cause)(?= (?:{SUBJECT}|the|\w+s (?:are|is))\b))(?: (?:and|but|then|also|just|only|after that|afterwards|by then))*(?= |$)"
)
# Speech has no commas: a new clause begins at a verb, at somebody, and at a thing with a state or behind a value.
_VALUE_ENDS: Final = "|".join(
    rf"(?<={end} )" for end in (r"\d", *"on off up down open closed shut half full percent degrees".split())
)
BEGINS: Final = re.compile(
    rf"\b(?:(?<!not )(?<!never )(?<!dare )(?<!to )(?=(?:(?:please|could you|can you) ){{0,3}}(?:{PLAIN_VERB}|start|make|stop) \w)|"
    r"(?=(?:i|we|he|she|they|there|nobody|somebody|someone|everybody|everyone) \w)|"
    r"(?=(?:it|(?:my|our) \w+) (?:is|are|has|hurts?)\b)|"
    rf"(?=(?:\w+_|lights?|lamps?|blinds?|heating|\d+ degrees?) (?:{STATE}|{MORE_WORD})\b)|"
    rf"(?:{_VALUE_ENDS})(?=(?:the )?\w+_ ))"
)
# What is never a clause alone.
NO_CLAUSE: Final = re.compile(
    rf"{VERB.pattern}(?:on|off|up|down|out)?$|\b(?:all|other|every|both|some|any|no)$"
)
DENIAL: Final = re.compile(r"^(?:do not|never)(?: (?:you )?dare)?(?: to)? (?P<order>.+)$")
THING: Final = re.compile(r"^(?:the|my|our|all|both|every|whichever|whatever) ")
# What this begins belongs to the time that was named before.
BY_THEN: Final = re.compile(
    r"\b(?:then|afterwards?|by then|after that|thereafter|when (?:it|that) (?:rings|is done|is over))\b"
)
IT: Final = re.compile(r"\b(?:it|them|that|those)\b")
# "Off, no wait, on": what is behind this stands for what was before it.
REPAIR: Final = re.compile(
    r" (?:(?:(?:oh|ah|or|and|but|well) ){0,3}(?:no (?:wait|sorry|actually|no)|wait(?: no)?|sorry|actually(?: no)?|i mean(?:t)?|or rather|"
    r"rather|scratch that|correction|make that|hang on|hold on|oops|never mind|forget it|no(?=$| (?:the|my|our|to|on|off|at|in|tomorrow|\d)))"
    r"(?: (?:no|wait|sorry|actually|i mean(?:t)?|make that|make it|rather|never mind|forget it)){0,3})(?: |$)"
)

TAKEN_BACK: Final = re.compile(r"\b(?:no|wait|never mind|forget it|scratch that)\b")

# --- exceptions and conditions beside an order

_BUT: Final = r"(?:(?:but|and|just|only|except|please) ){0,6}"
LEFT: Final = tuple(
    re.compile(rf"^{_BUT}{pattern}$")
    for pattern in (
        r"(?:leav(?:e|ing)|keep(?:ing)?|spare|skip|(?:all|everything) (?:but|except)|do not (?:touch|include)) (?P<thing>.{1,400}?)"
        rf"(?: (?:{STATE}|alone|out|as (?:it|they|that) (?:is|are)|untouched|the way (?:it|they) (?:is|are)|be|though|please))*",
        r"not (?P<thing>(?:the|my|our|in|that|those) .+?)(?: though| please)?",
        r"(?P<thing>.{1,400}?) (?:(?:can|should|may|must|will|is to|are to) )?(?:stays?|remains?|keeps?)(?: \w++)*+",
    )
)
REST: Final = re.compile(
    r"\b(?:(?:all )?the (?:rest(?: of (?:it|them|the))?|others?)(?: ones?)?|everything else|all else|all other)(?: (?P<kind>\w+s\b))?"
)
# What is named first belongs behind the order: "in the office where I work turn …", "except for the hall turn …".
FIRST: Final = re.compile(
    r"^(?:(?P<place>(?:in|at|on) (?:the|my|our) \w+(?: \w+)?)(?: where (?:\w+ ){1,4}?\w+)?|(?:except(?: for)?|apart from|aside from|"
    r"besides|with the exception of|excluding|rather than|instead of) (?P<thing>.+?)) "
    rf"(?P<order>(?:{PLAIN_VERB}) .+)$"
)
_NOW: Final = any_of("still already currently now really left right_now at_the_moment anyway")
_SO: Final = (
    rf"(?P<thing>.{{1,400}}?) (?:is|are) (?P<not>not )?(?:(?:{_NOW}) )*(?P<state>(?!opened\b)(?:{STATE}))(?: (?:{_NOW}))*",
    r"(?:it|the temperature) is (?:(?P<above>above|over|(?:more|warmer|hotter|higher) than)|below|under|(?:less|colder|cooler|lower) than) "
    r"(?P<degrees>-?\d+(?:\.\d+)?)(?: degrees)?(?: in (?P<place>.{1,100}?))?",
)
_IF: Final = r"(?P<if>if|unless|in case|only if|provided)"
CONDITIONS: Final = tuple(
    re.compile(rf"^{pattern}$")
    for so in _SO
    for pattern in (
        rf"{_IF} {so} (?:(?:please|then|you can) )*(?P<order>(?:{PLAIN_VERB}|start|make)\b.+)",
        rf"(?P<order>.{{1,400}}?) (?:but )?{_IF} {so}",
    )
)

# --- when: a time, an event, a condition, as patterns for one end of a clause

_UNIT: Final = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|moments?|while|bit|sec|jiffy|tick)"
_AMOUNT: Final = r"(?:\d+(?:\.\d+)?|an?|one|half an?|a few|a couple of|some|another|the next)"
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_PART: Final = any_of(
    "morning evening afternoon night noon midnight dawn dusk sunset sunrise bedtime weekend"
)
_TIME: Final = (
    rf"(?:in|for) {_AMOUNT} {_UNIT}|half an hour|{_AMOUNT} {_UNIT} (?:from now|ago)|on {_DAY}|"
    rf"every (?:\d+ )?(?:{_UNIT}|{_DAY}|{_PART}|time|weekday)|(?:(?:next|last|in the|at the|at|by|around|about|from|towards|until|till|before|after) )"
    rf"(?:{_PART}|half past|quarter|week|month|year|end|dinner|lunch)|"
    r"(?:tomorrow|tonight|later|soon|yesterday|eventually|someday|always|automatically|regularly|daily|nightly|overnight|weekdays|"
    r"weekends|sundown|sunup|nightfall)(?: (?:morning|evening|night|at \d+))*|"
    # "ten thirty" is written 1030, "seven thirty" 7 30.
    r"(?:at|(?<!to )around) (?:[01]?\d|2[0-4])(?::\d\d)?(?: oclock| am| pm| in the|(?= tomorrow| today| tonight)|$)|"
    r"at (?:(?:[01]\d|2[0-3])[0-5]\d|\d{1,2} [0-5]\d)(?! percent| degrees)|\d+ ?(?:am|pm)|\d+:\d\d"
)
_EVENT: Final = any_of(
    "when whenever once after before until till during as_soon_as by_the_time while as_long_as"
)
_SUPPOSED: Final = any_of("if unless in_case provided assuming otherwise")
WHEN: Final = (("time", _TIME), ("event", rf"(?:{_EVENT}) .+?"), ("condition", rf"(?:{_SUPPOSED}) .+?"))

# --- moods: what keeps words of command from being a command

TIMED: Final = re.compile(rf"\b(?:{_TIME})\b")
EVENT: Final = re.compile(rf"^(?:{_EVENT}|{_SUPPOSED})\b")
LATER: Final = re.compile(rf"\b(?:this (?:{_PART}|week|month|year)|{_TIME}|{_EVENT}|{_SUPPOSED})\b")
DENIED: Final = re.compile(
    r"\b(?:not|never|no|nothing|none|nobody|neither|nor|without|except|excluding|apart from|other than|"
    r"besides|but|instead|rather|anything else|stop (?!everything|anything)\w+ing|avoid|refrain|forbid)\b"
)
SAYING: Final = re.compile(
    r"\b(?:sa(?:id|ys?|ying)|t(?:old|ells|elling)|ask(?:ed|s|ing)(?! for)|heard|yell(?:ed|s)|shout(?:ed|s)|screamed|"
    r"whispered|wrote|writes|typed|reads|mentioned|suggest(?:ed|s)|thinks|thought|claim(?:s|ed)|goes|quote|unquote|"
    r"sings?|sang|singing|(?<!next )(?<!previous )(?<!skip this )(?<!skip the )(?<!pause the )(?<!stop the )song|"
    r"lyrics|ordered|insist(?:s|ed)|begged|remind(?:ed|s)|called|(?:en)?titled|translate|spell|"
    r"pronounce|repeat|according|sign|label|leaflet|manual|instructions?|recipe|phrase|words?|story|example|"
    r"(?:tell|ask) (?!me\b|us\b)\w+)\b"
)
SUPPOSING: Final = re.compile(
    r"\b(?:imagine|pretend|suppose|wonder(?:ing)?|what if|would|might|used to|wanted|dream\w*|whether|never|(?:must|should) not|"
    r"one day|remind|wake|set an? (?:timer|alarm|reminder))\b|^next\b"
)
STATED: Final = re.compile(
    r"\b(?:is|are|was|were|am|been|being|has|have|had|did|does|will|would|should|could|might|must|shall|turned|switched|"
    r"(?:opened|closed|locked|unlocked)(?! ?$)|dimmed|muted|left|went|got|gets|takes|took|broken?|going to|loves?|hates?|hopes?|wish(?:es)?|"
    r"guess|remember(?:ed)?|forgot|used to|because|that|pretend|imagine|suppose|turning|switching|opening|closing|locking|unlocking|"
    r"dimming|starts|started|made|stopped|came|sat|built|wants?|wanted|hears)\b|"
    r"^(?:you|too|who(?:ever)?|(?:your|his|her|their|my|our) \w+ (?:\w+s|\w+ed))\b|"
    rf"^(?:{SUBJECT})\b(?! \w+$)|\b(?:i|he|she|they|we|who|someone|somebody|nobody|everyone|everybody) \w+"
)
ASKED: Final = re.compile(
    r"^(?:what(?! an? )|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do(?! not)|does|did|has|have|had|can|could|"
    r"will|would|should|may|might|shall|must|tell me|do you know|i wonder|any idea)\b"
)
# A timer or a reminder is meant for later: a time in it is no condition.
FOR_LATER: Final = re.compile(
    r"^(?:remind|wake|(?:set|start|create|make) (?:a|an|the|my|another)? ?.*(?:timer|alarm|reminder))\b"
)
# "Turn that off", "turn off that lamp": it points at something, and tells of nothing.
POINTED: Final = re.compile(rf"^((?:{PLAIN_VERB}|get|bring|stop|make)(?: on| off| up| down)?) that\b")

# --- talk beside an order

_OH: Final = any_of(
    "oh ugh hey wow brr well so quick hurry god dear please fast thanks now phew listen look ah right okay sorry since as because"
)
# Of itself it says something, and takes nothing of an order back.
TALK: Final = re.compile(
    rf"^(?:(?:{_OH}) )*(?:(?:{_OH})(?: \w+)?$|(?:what an?|to bother|thank|good (?:morning|evening|afternoon|night))\b|"
    rf"(?:i|we|he|she|it|they|there|this|that|nobody|somebody|someone|everyone|everybody|(?:the|my|our|your) \w+(?: \w+)?|\w+)"
    r" (?:(?:just|really|already|all|finally) )*(?:am|is|are|have|has|can|could not|do not|feel|need|want|hurt|keep|start|go|"
    r"look|smell|fell|got|get|like|love|hate|leave)(?:s|es)?\b)"
)
SPOKEN: Final = re.compile(rf"^(?:{SUBJECT}|you)\b")
# Where nothing parts it from the order, it may not end in the middle, deny anything or speak of a deed.
OPEN_END: Final = re.compile(
    rf"\b(?:{any_of('to not you and or who that the a an my our your of in on at with for by from if when than as like ever then into about')}|"
    rf"{any_of('is are am be been was were do does did has have had just already never always let please how what where why which')}|"
    rf"{any_of('looks looked seems seemed feels felt stays stayed gets got getting a_bit a_little rather quite very too pretty really')}|"
    rf"{any_of('slightly somewhat fairly still him her them us i he she we they someone somebody people folks being')}|"
    rf"can|could|may|might|will|would|shall|should|must|{'|'.join(VERBS)}|\w{{2,}}ed)$"
)
NEGATED: Final = re.compile(
    r"\bnot\b(?! (?:see|read|hear|find|sleep|work|stand)\b)|\bto (?!bed|sleep|work|school|town|the|my|our)\w+"
)
UNFINISHED: Final = re.compile(
    r"\b(?:and|or|the|an?|to|of|with|my|our|by|at|for|from|than|also|except|but|apart from|"
    r"and (?:could|can|would|will) you)$"
)
