"""The English words of a question about the home: how it is asked, and what about."""

import re
from typing import Final

from home_words.command_words import OPPOSITE, STATES, any_of

# --- what is asked about

_PLACED: Final = {"up": "open", "down": "closed"}  # of what is moved
_SHOWN: Final = {said: _PLACED.get(state, state) for said, state in STATES.items() if state != "dark"}
ASKED: Final = {
    **_SHOWN,
    **{f"not {said}": OPPOSITE[state] for said, state in _SHOWN.items()},
    **dict.fromkeys(("offline", "unavailable", "dead", "unreachable"), "offline"),
    **dict.fromkeys(("not reachable", "not responding"), "offline"),
    **{state: state for state in ("playing", "paused", "cleaning", "docked")},
}
MEASURES: Final = {
    **dict.fromkeys(("temperature", "temp", "warm", "hot", "cold", "cool"), "temperature"),
    **dict.fromkeys(("humidity", "humid", "damp"), "humidity"),
    **dict.fromkeys(("power", "energy", "electricity", "consumption"), "power"),
    **dict.fromkeys(("power consumption", "energy consumption"), "power"),
    **dict.fromkeys(("battery", "battery level", "battery state"), "battery"),
    **dict.fromkeys(("light level", "illuminance", "bright", "dark"), "light"),
    **dict.fromkeys(("motion", "movement", "anyone", "anybody", "someone", "somebody"), "motion"),
}

_STATE: Final = rf"(?P<state>{'|'.join(sorted(ASKED, key=len, reverse=True))})"
_BE: Final = "(?:is|are)"
_NOW: Final = r"(?: (?:still|currently|really|already|now|right now|all|at the moment)){0,3}"
_IN: Final = r"(?: in (?P<place>.+)| anywhere| at all)?"
_THING: Final = "(?P<thing>.+?)"
_WHERE: Final = rf"(?:(?: (?:in|of|at|on|inside|for))? {_THING})?"
_WHO: Final = "(?:i|you|we|anyone|anybody|somebody|someone)"
_DONE: Final = "(?:(?:lock|unlock|open)(?:ed)?|closed?|(?:turn|switch)(?:ed)? (?:on|off))"
_HOW: Final = "(?:state|status|level|position|brightness|volume|speed)"
_WELL: Final = "(?:healthy|ok|okay|working|online|up|connected|running|fine)"
_NET: Final = "(?:the |my )?(?:z wave|zwave|smart home)(?: (?:network|system|hub|controller|stick))?"
_AT_HOME: Final = r"(?: (?:at home|(?:with|in|around) (?:the|my|our) (?:house|home|flat|place|devices)))?"
_THERE: Final = (
    "(?:are there|is there|do (?:i|we) have|have (?:i|you) got|do you (?:know(?: about)?|have|see)|"
    "can you (?:control|see|switch)|are (?:connected|available|installed|known)|exist|(?:i|we) have|there are|you know)"
)
_EVERY: Final = (
    r"(?: (?:all|every|each|any))?(?: of)?(?: (?:the|my|our|your))?(?: (?:connected|known|available))?"
)
_SHOW: Final = "(?:(?:list|show me|show|name|tell me|read me)(?: a list of)?|give me (?:a list of|all))"


_OF_A_PLACE: Final = ("bright", "dark")  # "how bright is the lamp" is no question for a sensor


def _measure(*measures: str) -> str:
    said = [word for word, measure in MEASURES.items() if measure in measures and word not in _OF_A_PLACE]
    return rf"(?P<measure>{any_of(' '.join(word.replace(' ', '_') for word in said))})"


_MEASURE: Final = _measure("temperature", "humidity", "power", "battery", "light")

_DANGER: Final = r"(?P<danger>smoke|fire|carbon monoxide|gas|(?:water )?leaks?|water|flooding|(?:smoke |fire |water |gas )?alarms?)"
_IN_PLACE: Final = r"(?: (?:in|on|at|under) (?P<place>.{1,60}))?"

# How each is asked; where several fit, what comes first is tried first.
_ASKING: Final = {
    "Alarms": (
        rf"(?:is|are) there (?:an? |any |some )?{_DANGER}(?: detected)?(?: anywhere| at all| in the house| at home| in here)?{_IN_PLACE}",
        rf"(?:is|was) (?:an? |any |some )?{_DANGER} (?:being )?(?:detected|found|noticed)(?: anywhere| at all)?{_IN_PLACE}",
        rf"(?:does|do) (?:anything|something|any pipe|any of (?:the|my) pipes|it) (?P<leaks>leak)(?: water)?(?: anywhere| at all)?{_IN_PLACE}",
        rf"(?:is|are) (?:anything|something|it|any pipes?|the (?:house|home|pipes?)) (?P<burns>leaking|burning|on fire|flooded|wet)(?: anywhere)?{_IN_PLACE}",
        r"(?:is|are) (?P<spot>.{1,60}?) (?P<burns>dry|wet|flooded|leaking|burning|on fire)",
        rf"(?:do you|can you) (?:see|smell|detect|notice) (?:an? |any )?{_DANGER}(?: anywhere)?{_IN_PLACE}",
    ),
    "Health": (
        # "Ok" at the end is cut off, as in "turn it on, ok".
        rf"{_BE} {_NET}(?: still)?(?: {_WELL})?",
        rf"is everything(?: (?:ok|okay|fine|alright|all right|in order|working))?{_AT_HOME}",
        rf"(?:is|are) (?:there )?(?:anything|something|any devices?) (?:broken|wrong|faulty|defective|not working){_AT_HOME}",
        rf"(?:what|which devices?) (?:is|are) (?:broken|faulty|defective|not working){_AT_HOME}",
        rf"(?:are there|do (?:i|we) have) (?:any )?(?:problems|faults|broken devices){_AT_HOME}",
        rf"(?:check|test|show|how is|what is) (?:{_NET}|home)(?: (?:health|status|state|doing))?",
    ),
    "ListRooms": (rf"(?:which|what|how many|{_SHOW}){_EVERY} (?P<sort>rooms|scenes)(?: {_THERE})?",),
    "Sensor": (
        rf"(?:what is|how is|tell me|check|get|read)(?: the)?(?: current)? {_MEASURE}{_WHERE}{_NOW}",
        rf"what is {_THING} {_MEASURE}",
        rf"how {_MEASURE} is it(?:(?: in)? {_THING})?{_NOW}",
        rf"how (?P<measure>{'|'.join(_OF_A_PLACE)}) is it(?:(?: in)? {_THING})?{_NOW}",
        rf"how {_MEASURE} is {_THING}",
        rf"how (?:full|empty|low|good|charged) is (?:the )?{_measure('battery')} (?:of|in|on) {_THING}",
        rf"how (?:full|empty|low|good|charged) is {_THING} {_measure('battery')}",
        rf"how much {_measure('battery')}(?: power| charge)? (?:does|has|is left (?:in|on|of)) {_THING}(?: have| got)?(?: left)?",
        rf"is it(?: too)? {_MEASURE} in {_THING}",
        rf"how much {_MEASURE} (?:does|is) {_THING} (?:us(?:e|ing)|consum(?:e|ing)|draw(?:ing)?)",
        rf"is (?:there (?:any )?)?{_measure('motion')}(?: moving| walking| about)? in {_THING}",
        rf"what (?:does|is) {_THING} (?:measure|measuring)",
        rf"read (?!me\b|us\b){_THING}",
    ),
    "WhichState": (
        rf"(?P<count>how many)(?: of)? {_THING} {_BE}{_NOW} {_STATE}{_NOW}{_IN}",
        rf"(?:(?:tell|show) me )?(?:which|what)(?: of)?(?: {_THING})? {_BE}{_NOW} {_STATE}{_NOW}{_IN}",
        rf"(?:which|what) rooms? (?:has|have|got|have got) {_THING}{_NOW} {_STATE}",
        rf"{_SHOW}{_EVERY} {_THING} (?:that|which) {_BE}{_NOW} {_STATE}{_IN}",
    ),
    "IsState": (
        rf"{_BE}(?: not)? (?P<any>there (?:any|an?|some) )?{_THING}{_NOW} {_STATE}{_NOW}{_IN}",
        rf"(?:tell me|check|see|find out|do you know) (?:if|whether|that) {_THING} {_BE}{_NOW} {_STATE}{_IN}",
        rf"did {_THING} get {_STATE}",
        rf"(?P<left>(?:(?:did|have|has) {_WHO}|who) (?:leave|left)) {_THING} {_STATE}{_IN}",
        rf"(?P<any>any) {_THING} {_STATE}{_IN}",
    ),
    "Tones": (
        rf"(?:what|which) (?:tones?|sounds?|melod(?:y|ies)) (?:does|do|can|has|have) {_THING}(?: (?:have|got|play|make|know))?",
        rf"(?:what|which tones?|which sounds?) can {_THING} (?:play|ring)",
    ),
    # One device, whatever it has to tell.
    "DeviceState": (
        rf"{_BE} {_THING} (?:half|halfway|partly|fully|completely|all the way) (?:open|closed|up|down|on)",
        rf"{_BE} {_THING} (?:on|off|open|closed|locked|unlocked) or (?:on|off|open|closed|shut|locked|unlocked)",
        rf"(?:(?:what is|give me|tell me) )?(?:the )?(?:current )?{_HOW} of {_THING}",
        rf"(?:what (?:does|temperature is|is)|how is) {_THING} (?:say|set to|set at|doing|at|state|status)",
        rf"how (?:bright|open|far open|fast) is {_THING}(?: (?:running|spinning|turning|going|set))?",
        rf"(?:what|which) (?:speed|level|position) (?:is|are|does|has) {_THING}(?: (?:at|on|set to|have|running at|run at))?{_NOW}",
        rf"{_BE} {_THING}(?: still)? (?:alive|reachable|responding|answering|online|working)",
        rf"(?:what|which) colou?r (?:is|are|does|do|has|have) {_THING}(?: (?:have|got|show|set to|showing))?{_NOW}",
        rf"(?:have|has|did) {_WHO} {_DONE} {_THING}",
        rf"(?:check|double check|check on|tell me about) {_THING}",
    ),
    "ListDevices": (
        rf"what (?:can you|can i|do i have|is there)(?: (?:control|switch|see))?{_IN}",
        r"what is (?:connected )?in (?P<place>.+)",
        rf"(?:which|what|(?P<count>how many))(?: connected)? {_THING} (?:{_THERE}{_IN}|are in (?P<inside>.+))",
        rf"(?:{_SHOW}|what is on (?:the|my|your) list of){_EVERY} {_THING}(?: {_THERE}| you can control)?{_IN}",
    ),
}
LOOKS: Final = tuple(
    (intent, re.compile(rf"^{pattern}$", re.DOTALL))
    for intent, patterns in _ASKING.items()
    for pattern in patterns
)
