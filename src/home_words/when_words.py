"""English for later: spans, clock times, days, parts of a day, every so often, the sun, and what happens."""

import re
from typing import Final

from home_names.calendar_words import MONTHS, ORDINALS, WEEKDAYS
from home_words.command_words import any_of

# Hours at which a part of the day begins for who names no other.
PART_HOURS: Final = {"morning": 8, "noon": 12, "afternoon": 15, "evening": 19, "night": 22, "tonight": 21}

# Days that have a name instead of a date: their month and day.
FEASTS: Final = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26), "new years eve": (12, 31),
    "new years day": (1, 1), "new years": (1, 1), "valentines day": (2, 14), "halloween": (10, 31),
}  # fmt: skip

# --- pieces

UNIT: Final = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?)"
_NUMBER: Final = r"\d{1,9}(?:\.\d{1,9})?"
SPAN: Final = (
    rf"(?:(?:an? )?(?:half|(?:\d )?quarters?)(?: of)?(?: an?)? (?:hour|minute|day)|(?:{_NUMBER} ?|(?:an?|one|a couple(?: of)?|a few) )(?:and a half )?{UNIT}"
    rf"(?:(?: and)? (?:an? )?(?:half|quarter|{_NUMBER} {UNIT})){{0,3}})"
)
_DAY_NAME: Final = rf"(?:{'|'.join(WEEKDAYS)})"
_DAY_NAMES: Final = rf"{_DAY_NAME}s?(?:(?: and| or|,)? (?:on )?{_DAY_NAME}s?){{0,7}}"
_MONTH: Final = rf"(?:{'|'.join(MONTHS)})"
_ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|(?:20 |30 )?(?:{'|'.join(ORDINALS)}))"
_DATE: Final = rf"(?:\d{{1,2}}|{_ORDINAL})"
_PART: Final = r"(?:morning|afternoon|evening|night|noon)"
_HALF_DAY: Final = r"(?:(?: ?[ap]m|(?: oclock)?(?: in the (?:morning|afternoon|evening)| at night| tonight)?)(?: sharp| on the dot| exactly| precisely)?)"
_WITHOUT_UNIT: Final = rf"(?! ?(?:percent|degrees|{UNIT})\b)"
CLOCK: Final = (
    rf"(?:(?:half|quarter|an? quarter|\d{{1,2}}(?: minutes?)?) (?:past|to|after|before) (?:\d{{1,2}}|noon|midnight)|half \d{{1,2}}|"
    rf"(?:[01]\d|2[0-3])[0-5]\d hours|"
    rf"\d{{1,2}}(?::\d\d(?::\d\d)?| [0-5]\d| (?:oh|o|0) ?\d)?|(?:[01]?\d|2[0-3])[0-5]\d){_HALF_DAY}{_WITHOUT_UNIT}|noon|midday|midnight"
)
_SURE_CLOCK: Final = r"(?:\d{1,2}(?::\d\d| [0-5]\d)? ?[ap]m|\d{1,2}:\d\d|\d{1,2} oclock|noon|midnight)(?: in the (?:morning|afternoon|evening)| at night)?"
_SUN: Final = r"(?P<sun>sunset|sundown|sunrise|sunup|dusk|dawn|nightfall|daybreak)"
SUN_NAMES: Final = {
    "sundown": "sunset", "nightfall": "dusk", "sunup": "sunrise", "daybreak": "dawn", "sets": "sunset", "goes down": "sunset",
    "rises": "sunrise", "comes up": "sunrise", "is up": "sunrise", "is down": "sunset", "dark": "dusk", "light": "dawn",
}  # fmt: skip

# --- phrases: each stands by itself, and several in any order make one "when"

PHRASES: Final = tuple(
    (kind, re.compile(rf"(?:and |only |but |but only |just |starting |beginning )?(?:{pattern})(?= |$)"))
    for kind, pattern in (
        ("sun", rf"(?:(?P<ahead>{SPAN}) (?P<side>before|after)|(?:at|by|on|around|from)|(?P<bare_side>before|after)) (?:the )?{_SUN}"),
        ("sun", r"(?:(?P<ahead>" + SPAN + r") (?P<side>before|after) |when |once |as soon as |whenever |if )the sun (?P<sun>sets|goes down|rises|comes up|is up|is down)"),
        ("sun", r"(?:when|once|as soon as|whenever|if) it (?:gets|becomes|turns|is getting) (?P<sun>dark|light)(?: outside)?"),
        ("between", rf"(?:between|from) (?P<from>{CLOCK}) (?:and|to|until|till|through) (?P<to>{CLOCK})"),
        ("days", r"(?:from |every |each )?(?P<first>" + _DAY_NAME + r") (?:to|through|until|till) (?P<last>" + _DAY_NAME + r")"),
        ("monthly", rf"(?:(?:every|each|once a) month|monthly)(?: on)?(?: the)? (?P<date>{_DATE}|last day)(?: day)?"),
        ("monthly", rf"(?:on |every |each )?(?:the )?(?P<date>{_DATE}|last day)(?: day)? of (?:(?:the|every|each|any) ){{1,3}}month"),
        ("monthly", r"at the (?P<date>end) of (?:every|each) month"),
        ("monthly", rf"(?:on |every |each )?(?:the )?(?P<nth>first|second|third|fourth|last) (?P<weekday>{_DAY_NAME})(?: (?P<part>{_PART}))?(?: of (?:(?:the|every|each|any) ){{1,3}}month| (?:every|each) month)"),
        ("yearly", r"(?:every|each|once a) year|yearly|annually"),
        ("often", rf"(?:every|each)(?: single| and every)? (?P<amount>\d{{1,9}}|other|second|third|half(?: an?)?|quarter(?:(?: of)? an)?|couple of)? ?(?P<unit>{UNIT})(?: of the week)?|once (?:an?|every|each) (?P<per>hour|week|month)|(?P<word>hourly|weekly)"),
        ("every", rf"(?:on )?(?:every|each|all)(?: single| and every)? (?P<what>weekdays?|work(?:ing)? ?days?|week ?ends?|{_DAY_NAMES})(?: (?P<part>{_PART}))?"),
        ("turn", rf"(?:on )?(?:every|each) (?P<amount>other|second|third) (?P<weekday>{_DAY_NAME})s?(?: (?P<part>{_PART}))?"),
        ("every", rf"(?:in the )?(?:every|each)(?: single)? (?P<part>{_PART})"),
        ("every", r"(?P<word>daily|nightly|every ?day|once a day|day after day|always)"),
        ("every", rf"(?:on )?(?:my |the )?(?P<what>weekdays|work(?:ing)? ?days|week ?ends|{_DAY_NAME}s(?:(?: and| or)? {_DAY_NAME}s){{0,7}})(?: (?P<part>{_PART})s?)?"),
        ("every", rf"on an? (?P<what>weekday|work(?:ing)? ?day|{_DAY_NAME})(?: (?P<part>{_PART}))?|(?P<week>during the week)"),
        ("except", rf"(?:except|but not|not|excluding|apart from)(?: for)?(?: on)?(?: the)? (?P<what>weekdays|week ?ends?|{_DAY_NAMES})"),
        ("every", rf"(?:in the |on )?(?P<part>{_PART})s"),
        ("every", rf"(?:on )?(?P<what>weekday|week ?end|{_DAY_NAME}) (?P<part>{_PART})s"),
        ("from", rf"(?P<amount>\d{{1,9}}|an?|one) (?P<unit>day|week)s? (?:from|after|on) (?:(?P<day>today|tomorrow)|(?:the )?(?P<weekday>{_DAY_NAME}))(?: (?:in the )?(?P<part>{_PART}))?"),
        ("day", rf"(?:for |on |first thing )?(?P<day>(?:the )?day after tomorrow|tomorrow|today|tonight|this {_PART})(?: (?:in the )?(?P<part>{_PART}))?"),
        ("date", rf"(?:on )?(?:the )?(?P<date>{_DATE})(?: of)? (?P<month>{_MONTH})(?: (?P<year>\d{{4}}))?"),
        ("date", rf"(?:on )?(?P<month>{_MONTH})(?: the)? (?P<date>{_DATE})(?: (?P<year>\d{{4}}))?"),
        ("date", rf"(?:on |at )?(?P<feast>{'|'.join(FEASTS)})(?: (?P<part>{_PART}))?"),
        ("date", r"(?:on )?(?P<iso>\d{4} \d{1,2} \d{1,2})"),
        ("date", rf"on the (?P<date>{_ORDINAL})"),
        ("weekday", rf"(?:on |this |(?P<next>next |the next |on next )|coming |this coming )?(?P<weekday>{_DAY_NAME})(?: (?P<week>next week))?(?: the (?P<date>{_ORDINAL}))?(?: (?P<part>{_PART}))?"),
        ("week", r"(?:in |on |at )?(?P<far>next week|next month|(?:the|this|next) week ?end)"),
        ("in", rf"(?:in|after|within) (?:about |exactly |another |the next |just )?(?P<span>{SPAN})(?: or so)?|(?P<later>{SPAN})(?: or so)? (?:from now|later)"),
        ("for", rf"for (?:about |exactly |another |the next |only |just )?(?P<span>{SPAN})(?: or so)?"),
        ("after", rf"(?P<side>after|before) (?P<clock>{CLOCK})"),
        ("until", rf"(?:until|till) (?:(?P<sun_end>(?:the )?(?:sunset|sunrise|dawn|dusk|sundown|sunup))|(?P<clock_end>{CLOCK})(?P<clock_day> (?:today|tonight|(?:on )?{_DAY_NAME}|tomorrow)(?: {_PART})?)?|(?P<day_end>tomorrow(?: {_PART})?|tonight|{_DAY_NAME}(?: {_PART})?|(?:the )?{_DATE}(?: of)? {_MONTH}|{_MONTH} {_DATE})(?P<day_clock> (?:at )?(?:{CLOCK}))?)"),
        ("clock", rf"(?:at|around|about|by|for|exactly at|at exactly|at about) (?P<clock>{CLOCK})|(?P<sure>{_SURE_CLOCK})"),
        ("part", r"(?:(?:later |first thing )?in the (?P<part>morning|afternoon|evening)|at (?P<night>night)(?! ?light)|(?P<overnight>overnight))"),
        ("vague", r"(?P<vague>later(?: on)?|soon|eventually|some ?day|some ?time|in a (?:bit|while|moment|minute or 2)|after (?:lunch|dinner|breakfast|work)|at (?:bedtime|lunchtime|dinnertime))"),
    )
)  # fmt: skip

# --- what happens

HAPPENING: Final = re.compile(
    rf"^(?:(?P<span>{SPAN}) after(?! (?:{CLOCK}|(?:the )?sun)\b)|every time|each time|any ?time|the next time|next time|the moment|the minute|as soon as|as and when|whenever|when ever|when|once|if|in case(?: of)?|upon|should|on(?= (?:motion|movement)\b))(?: that)? (?=\S)"
)
NEXT_TIME: Final = re.compile(r"^(?:the )?next time\b")
_FOR: Final = (
    rf"(?: (?:for (?:more than |longer than |over |at least )?|(?:longer|more) than )(?P<held>{SPAN}))?"
)
_SOMEBODY: Final = r"(?:someone|somebody|anyone|anybody|a person|people|i|we|you)"
_BE: Final = r"(?:is|are|gets?|becomes?|has been|have been|was|were|turns?|goes|comes|stays?|remains?|is left|are left|is being)"
_MORE: Final = r"(?: (?:again|by hand|manually|by someone|by somebody|now|ever)){0,3}"
BECOMES: Final = {
    "opens": "open", "open": "open", "opened": "open", "closes": "closed", "closed": "closed", "close": "closed", "shuts": "closed",
    "shut": "closed", "locks": "locked", "locked": "locked", "unlocks": "unlocked", "unlocked": "unlocked", "on": "on", "off": "off",
    "raised": "open", "lowered": "closed", "starts": "on", "stops": "off", "started": "on", "stopped": "off", "finishes": "off",
    "running": "on", "done": "off", "finished": "off", "lit": "on", "up": "open", "down": "closed",
}  # fmt: skip
STATE: Final = any_of(
    "open opened closed shut locked unlocked on off raised lowered running done finished started stopped lit up down"
)
_VERBS: Final = any_of("opens closes shuts locks unlocks starts stops finishes open close")
_NUMBER_OF: Final = r"(?P<number>-?\d{1,9}(?:\.\d{1,9})?)(?: ?(?:degrees|percent|(?P<watts>watts?|w)|(?P<lux>lux|lx)))?(?: (?:celsius|fahrenheit))?"
_BELOW: Final = (
    r"(?:(?P<below>below|under|beneath|colder than|cooler than|less than|lower than|down to)|(?P<above>above|over|warmer than|hotter than|more than|higher than|up to)) "
    + _NUMBER_OF
)
_MEASURE: Final = r"(?P<measure>temperature|humidity|brightness|light level|battery(?: level)?|charge|power(?: consumption)?)"
_COMES: Final = (
    r"(?:is|gets|goes|falls|drops|dips|sinks|rises|climbs|becomes|runs|has been|stays|reads|shows|reaches|"
    r"(?P<draws>uses|draws|consumes|takes|pulls|needs))(?: using| drawing| consuming)?(?: to)?"
)
_REACHES: Final = rf"(?:(?:reaches|hits|exceeds|(?:gets|climbs|rises|goes) (?:up )?to)|(?P<below>(?:falls|drops|sinks|cools)(?: down)? to)) {_NUMBER_OF}"
EVENTS: Final = tuple(
    (kind, re.compile(rf"^{pattern}$"))
    for kind, pattern in (
        ("measure", rf"(?:the )?{_MEASURE} (?:(?:in|of|at|from|on) )?(?P<thing>.{{1,99}}?)(?: battery)? {_COMES} {_BELOW}{_FOR}"),
        ("measure", rf"(?P<thing>.{{1,99}}?)(?:s|')? {_MEASURE} {_COMES} {_BELOW}{_FOR}"),
        ("measure", rf"it {_COMES} {_BELOW}(?: (?:in|at) (?P<thing>.{{1,99}}?))?{_FOR}"),
        ("measure", rf"(?P<thing>.{{1,99}}?) {_COMES} {_BELOW}{_FOR}"),
        ("measure", rf"(?:the )?{_MEASURE} (?:in|of|at) (?P<thing>.{{1,99}}?) {_REACHES}{_FOR}"),
        ("measure", rf"(?P<thing>.{{1,99}}?)(?: {_MEASURE})? {_REACHES}{_FOR}"),
        ("battery", r"(?:the )?battery (?:of|in|from) (?P<thing>.{1,99}?) (?:is|gets|runs) (?:low|empty|flat|almost empty)"),
        ("battery", r"(?P<thing>.{1,99}?) (?:battery )?(?:is|gets|runs) (?:low on battery|low|out of battery)"),
        ("still", rf"(?:there is |there has been )?(?:no|nothing|nobody|no one|no more|not anybody|not anyone)(?: (?:more )?motion| (?:more )?movement| moves)?(?: (?:is |was |has been |have been )?(?:detected|seen|moving|moves|moved))?(?: is| was| has been)?(?: (?:in|at|on|by) (?P<thing>.{{1,99}}?))?{_FOR}"),
        ("still", rf"(?:the )?(?:motion|movement) (?:stops|ends|is over)(?: (?:in|at|on|by) (?P<thing>.{{1,99}}?))?{_FOR}"),
        ("motion", rf"(?:there is |there s )?(?:any |some )?(?:motion|movement)(?: (?:is |gets )?(?:detected|seen|noticed|sensed))?(?: (?:in|at|on|by|near) (?P<thing>.{{1,99}}?))?{_FOR}"),
        ("still", rf"(?P<thing>.{{1,99}}?) (?:(?:detects|sees|senses|notices|reports|has(?: seen| detected)?) no(?: more)?|(?:does not|has not) (?:detect|see|sense|notice|report|detected|seen|sensed|noticed)(?: any)?) (?:motion|movement|one|body){_FOR}"),
        ("motion", rf"(?P<thing>.{{1,99}}?) (?:detects|sees|senses|notices|reports|has|registers) (?:any |some |a )?(?:motion|movement|somebody|someone|person){_FOR}"),
        ("motion", rf"(?P<thing>.{{1,99}}?) (?:is|gets|has been) (?:triggered|tripped|activated|set off){_FOR}"),
        ("motion", rf"{_SOMEBODY} (?:moves|walks|comes|is moving|goes|walk|come|go|enters?|is)(?: (?:around|by|past))?(?: (?:in|into|at|through|to) )?(?P<thing>.{{1,99}}?){_FOR}"),
        ("state", rf"{_SOMEBODY} (?P<verb>{_VERBS}|unlock|lock|shut|start|stop) (?P<thing>.{{1,99}}?){_MORE}{_FOR}"),
        ("state", rf"{_SOMEBODY} (?:turns?|switche?s?|puts?) (?P<state>on|off) (?P<thing>.{{1,99}}?){_MORE}{_FOR}"),
        ("state", rf"{_SOMEBODY} (?:turns?|switche?s?|puts?) (?P<thing>.{{1,99}}?) (?P<state>on|off){_MORE}{_FOR}"),
        ("state", rf"(?P<thing>.{{1,99}}?) {_BE} (?:being )?(?:(?:turned|switched|put|still|left|kept|been|fully|suddenly) ){{0,4}}(?P<state>{STATE}){_MORE}{_FOR}"),
        ("state", rf"(?P<thing>.{{1,99}}?) (?:turns|switches|goes|comes) (?P<state>on|off){_MORE}{_FOR}"),
        ("state", rf"(?P<thing>.{{1,99}}?) (?:is |gets )?(?P<state>unlocked|locked|opened|closed){_MORE}{_FOR}"),
        ("state", rf"(?P<thing>.{{1,99}}?) (?P<verb>{_VERBS}){_MORE}{_FOR}"),
    )
)  # fmt: skip
# Waiting is a time in front of what is to be done then.
WAITING: Final = re.compile(
    rf"^(?:wait|give (?:me|us|it))(?: for)?(?: about| another)? (?P<span>{SPAN}) (?:(?:and|then|before you|until you) )*(?=\S)"
)
# How long it lasts says already that it ends.
ENDS_THEN: Final = re.compile(
    rf"(?<= )(?P<while>for (?:\w+ )?{SPAN}) (?:(?:and|then|after that) )+(?:turn|switch) (?:it|them) (?:back )?(?:on|off)(?: again)?$"
)
# What is made, in front of it.
ASKED_FOR: Final = re.compile(
    r"^(?:(?:make|create|add|set up|build|write|i want|i need|i would like|set) (?:me )?(?:an?|another) (?:new )?(?:routine|automation|rule|schedule)"
    r"(?: (?:that|which|to|where|so that|and|for))?|(?:schedule|plan)(?: it)?(?: to| that)) "
)
# "Schedule the lamp to turn on", "have the door locked": the order stands behind the thing.
_SHALL: Final = r"(?:to|should|must|shall|will|has to|needs to|is to|are to)"
ARRANGED: Final = re.compile(
    r"^(?:(?:schedule|program|plan|set|have|get|let|make(?! sure)|(?:i|we) (?:want|need|would like)) |(?=(?:the|my|our|all|both) ))"
    rf"(?P<thing>.{{1,99}}?) (?:(?:{_SHALL} )?(?:be )?(?:turn|switch|go|come|be|power)(?:e?s|ed)? (?P<state>on|off)|"
    rf"{_SHALL} (?P<verb>start|stop|lock|unlock|open|close|shut)|(?P<does>locks|unlocks|opens|closes|shuts))$"
)
# "When it is dark and the door opens": what holds already stands in front of what happens.
HOLDING: Final = re.compile(
    rf"^(?P<word>when|whenever|if|while|as long as) (?P<so>it is (?:not )?(?:dark|light|night|day)(?: outside)?|(?:the|my|our) (?:(?! and ).){{1,99}}? (?:is|are) (?:not )?(?:{STATE})) and (?:(?:when|if|then) )?(?=\S)"
)
# No motion for so long, said the other way round.
STILL_FOR: Final = re.compile(
    rf"^after (?P<span>{SPAN}) (?:without(?: any)?|with no|of no) (?P<what>motion|movement)(?P<where>(?: (?:in|at|on|by) (?:the )?\w+)?)(?= )"
)
# A condition beside what starts it.
_ONLY: Final = (
    r"(?: ?(?:but |and )?(?P<if>only (?:if|when|while)|if|while|as long as|unless|provided)(?: that)? )"
)
BESIDE: Final = re.compile(
    rf"{_ONLY}(?P<thing>.{{1,99}}?) (?:is|are|was) (?P<not>not )?(?:still |also )?(?P<state>{STATE})$"
)
# "When the door opens and the lamp is off": what is behind "and" is how it must be then.
ALSO: Final = re.compile(
    rf" and (?:(?:if|when|while) )?(?P<thing>(?:(?! and ).){{1,99}}?) (?:is|are) (?P<not>not )?(?:still |also )?(?P<state>{STATE})$"
)
AT_DARK: Final = re.compile(
    rf"(?:{_ONLY}|(?: and )(?=it is ))(?:it is |it s )?(?P<not>not )?(?:already |still )?(?P<dark>dark|night|light|day(?:light)?)(?: outside)?$"
)
