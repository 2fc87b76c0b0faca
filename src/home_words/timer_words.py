"""English of timers, alarms and reminders: how they are set, asked for, ended and given more time."""

from typing import Final

from home_words.lazy_pattern import LazyPattern

# Without any of these nothing is said of them.
SPEAKS_OF: Final = (
    "timer", "alarm", "remind", "wake", "snooze", "countdown", "forget", "get me up", "get us up",
    "minute", "hour", "second", "left", "to go", "remaining", "longer",
)  # fmt: skip
RINGING: Final = "ringing"  # instead of a name: whatever rings
# "10 minute pizza": a length of time, and what it is for.
LABELLED: Final = LazyPattern(
    r"^((?:\d+(?:\.\d+)?|an?|half an?) (?:second|minute|hour)) (?!and\b|or\b|to\b)(\D+)$"
)
ARTICLE: Final = LazyPattern(r"^(?:(?:the|my|our|a|an|that|this|another|new) )+")
_KIND: Final = r"(?P<kind>timer|alarm(?: clock)?|reminder|countdown)"
_KINDS: Final = r"(?P<kind>timers?|alarms?(?: clocks?)?|reminders?|countdowns?)"
_MY: Final = r"(?:(?:the|my|our|that|this|all|all of|all the|all my|of my|of the) )*"
BARE_TIMER: Final = LazyPattern(
    r"^(?P<label>(?!set|start|create|make|begin|run|put|cancel|stop|delete|remove|end|clear|add|give|the|my|a|an|how|what|is|new|extend)"
    r"[a-z]+(?: [a-z]+)?) timer (?:for |of )?(?P<duration>.+)$"
)
REMIND: Final = LazyPattern(
    r"^(?:(?P<before>.{1,60}?) )??(?:remind (?:me|us)|(?:(?:set|create|make|add|give me|i need|i want) )?(?:(?:a|an|another|new) )+"
    r"reminder(?: for me)?|(?:set|create|add) reminder|do not let (?:me|us) forget)(?: (?P<rest>.+))?$"
)
MATTER: Final = LazyPattern(r"^(?:to|that|about) (?=\S)")
TELLS_TIME: Final = LazyPattern(r"\b(?:is|are|starts|begins|leaves|opens|closes|ends|arrives|comes)$")
ALARM: Final = LazyPattern(
    r"^(?:(?P<before>.{1,60}?) )??(?:wake (?:me|us)(?: up)?|get (?:me|us) up|"
    r"(?:set|create|make|start|add|put on|give me|i need|i want) (?:(?:the|my|a|an|another|new) )*"
    r"(?:(?P<label>[a-z]+(?: [a-z]+)?) )?alarm(?: clock)?|(?:an )?alarm(?= (?:for|at|in|\d)))(?: (?P<rest>.+))?$"
)
SHORT_ALARM: Final = LazyPattern(
    r"^(?:set|create|make|give me|i need) (?:an?|my|the) (?P<when>.+?) (?:wake up )?(?:alarm(?: clock)?|wake up call)$"
)
REPEATED: Final = LazyPattern(r"^(?:daily|nightly|every ?day|weekday|work(?:ing)? ?day|week ?end)$")
CALLED: Final = LazyPattern(r"^(?P<when>.*?) ?\b(?:called|named|labell?ed) (?P<label>.+)$")
ASKS_FOR: Final = tuple(
    LazyPattern(pattern)
    for pattern in (
        rf"^(?:list|show(?: me)?|tell me|read(?: me| out)?|check|give me|what are|which are|any|what about) {_MY}(?:any )?{_KINDS}$",
        rf"^{_MY}(?P<kind>timers|alarms|reminders|timers? status|alarms? status)$",
        rf"^(?:what|which|how many)(?: other)? {_KINDS}(?: (?:are|is|do|have|did|i|we|there|set|running|active|on|left|got|for|today|"
        r"tomorrow|you|right now|now))*$",
        rf"^(?:are there|is there|do i have|have i got|did i set|do we have|have i set) (?:any |an? |my |the )?{_KINDS}"
        r"(?: (?:set|running|on|active|left|going|for (?:today|tomorrow|me)))*$",
        rf"^(?:what (?:is|are)|how (?:is|are)) (?:the status of )?{_MY}(?:(?P<label>.+?) )?{_KINDS}(?: (?:status|at|doing|set (?:for|to)))?$",
        rf"^(?:the )?status of {_MY}(?:(?P<label>.+?) )?{_KINDS}$",
        rf"^(?:when|what time) (?:is|are|does|do|will|did i set) {_MY}(?:next )?(?:(?P<label>.+?) )?{_KINDS}"
        r"(?: (?:set|for|at|end|ends|ring|go off|going|to|be|done|up|due|tomorrow|today|over))*$",
        rf"^(?:is|are) {_MY}(?:(?P<label>.+?) )?{_KINDS} (?:still )?(?:running|set|on|active|going|done)$",
        rf"^how (?:long|much time|much longer|many minutes) (?:is |are |do i have |have i got )?(?:still )?(?:left |to go |remaining )?"
        rf"(?:on|for|of|in|until|till|before) {_MY}(?:(?P<label>.+?) )?{_KINDS}(?: (?:ends?|rings?|is done|is up|is over|goes off|go off|left))*$",
        rf"^how (?:long|much time|many minutes) (?:do|does|has|have|is) {_MY}(?:(?P<label>.+?) )?{_KINDS} (?:have |got )?(?:left|to go|remaining)$",
        rf"^how (?:long|much longer|much time|many minutes) (?:do|does|will|is|are) {_MY}(?:(?P<label>.+?) )?{_KINDS} "
        r"(?:still )?(?:run|go|last|take|need|have|be)(?:ning|ing)?(?: (?:on|for|still|left))*$",
        r"^how (?:much|many minutes) longer (?:on|for) (?:the|my|our) (?P<label>.+?)(?: (?:is|are) (?:done|ready|up))?$",
        r"^(?:how (?:long|much(?: more)? time|many(?: more)? minutes) |time )?(?:is |are |do i have |have i got |there )*(?:still )?(?:left|to go|remaining)"
        r"(?: (?:on|for|of|until) (?:(?:the|my) )?(?:(?P<label>(?!timer$).+?))??(?: ?timer)?)?$",
        rf"^(?:how much(?: time)?|what) is (?:still )?left (?:on|of|for) {_MY}(?:(?P<label>.+?) )?{_KINDS}$",
    )
)
_CANCEL: Final = r"(?:cancel|stop|delete|remove|end|clear|turn off|switch off|shut off|dismiss|get rid of|forget|kill|erase)"
CANCEL_ALL: Final = LazyPattern(
    rf"^{_CANCEL} (?:all|every|each)?(?: of)?(?: ?(?:the|my|our|those|these|single))?(?: ?(?:active|running|set|pending))? ?"
    r"(?P<kinds>(?:(?:timers|alarms|reminders)(?: and (?:the |my )?| or )?)+)$"
)
CANCEL_EVERY: Final = LazyPattern(
    rf"^{_CANCEL} (?:all|every|each)(?: single)? (?:the |my )?(?P<kinds>timer|alarm|reminder)$"
)
CANCEL_BOTH: Final = LazyPattern(rf"^{_CANCEL} both(?: of)? (?:the |my )?(?P<kinds>timers|alarms|reminders)$")
CANCEL_ONE: Final = tuple(
    LazyPattern(rf"^{_CANCEL} {rest}$")
    for rest in (
        rf"(?:(?:the|my|our|that|this) )*{_KIND}",
        rf"(?:(?:the|my|our|that|this) )*{_KIND} (?:called|named|for|to|about|(?<!timer )at|that says|set for|with) (?P<label>.+)",
        rf"(?:(?:the|my|our|that|this) )*(?P<label>.+?) {_KIND}",
    )
)
_UNIT: Final = r"(?:seconds?|minutes?|hours?)"
_MORE: Final = rf"(?P<more>(?:\d+(?:\.\d+)?|an?|half an|another|a few|a couple of|another \d+) (?:more |extra |additional )?{_UNIT}(?: and a half)?)"
_WHICH: Final = rf"(?:(?:the|my|our|that|this) )*(?:(?P<label>.+?) )?{_KIND}"
EXTEND: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"(?:add|put|give)(?: me| it)? {_MORE}(?: more| extra)? (?:to|on|onto|for|in) {_WHICH}",
        rf"(?:give|grant) {_WHICH} {_MORE}(?: more| extra)?",
        rf"(?:extend|prolong|lengthen|increase) {_WHICH} (?:by|for) {_MORE}",
        rf"(?:make|let|set|keep) {_WHICH} (?:run |go |be |last |going )?(?:for )?{_MORE} (?:more|longer)",
        rf"{_MORE}(?: more| extra)? (?:to|on|onto|for) {_WHICH}",
        r"(?:(?:add|give me|i need|i want|let me (?:sleep|rest)|just) )?(?P<more>(?:\d+(?:\.\d+)?|a few|a couple) more"
        rf" {_UNIT}|another \d+ {_UNIT})(?: of sleep)?",
        rf"add {_MORE}",
        rf"(?:give|grant) (?:the|my|our) (?P<label>.+?) (?P<more>(?:\d+(?:\.\d+)?|a few|a couple of) more {_UNIT}|another (?:\d+ )?{_UNIT})",
        rf"(?:let me sleep|sleep) (?:for )?{_MORE} (?:longer|more)",
    )
)
LESS: Final = LazyPattern(rf"^(?:take|remove|subtract|cut|knock) {_MORE} (?:off|from|off of) {_WHICH}$")
SNOOZE: Final = LazyPattern(
    rf"^(?:snooze|hit snooze|press snooze)(?: (?:it|that|(?:the |my )?{_KIND}))?(?: (?:for|by) (?P<more>.+))?$"
)
ADVERB: Final = LazyPattern(r"\b(?:more|extra|additional|another)\b")
