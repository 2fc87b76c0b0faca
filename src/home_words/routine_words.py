"""English for what is planned: asking for it, cancelling, skipping, moving and pausing it."""

import re
from typing import Final

_ROUTINES: Final = r"(?:routines?|automations?|plans?|schedules?|scheduled (?:commands?|things?|actions?))"
LISTING: Final = re.compile(
    rf"^(?:(?:what|which|show|list|tell me|read|are there|do i have|do you have|give me|how many)\b.*\b{_ROUTINES}\b.*|"
    r"what (?:is|have (?:you|i|we)|do (?:you|i|we) have|did (?:i|we|you)|are you|else is) (?:planned|scheduled|coming up|going to do|plan)\b.*|"
    r"what (?:will you|are you going to) do (?:later|tonight|tomorrow|today|next)|is anything (?:planned|scheduled).*)$"
)
_WHICH: Final = rf"(?:(?:all|every|each)(?: of)?(?: the| my| our)? {_ROUTINES}|(?:the|my|that|this|our) (?:(?P<name>.+?) )?{_ROUTINES}(?: (?:for|about|with|that turns \w+) (?P<about>.+))?)"
# "Keep the lamp on": what holds for a while, and the orders that make it so.
HELD: Final = re.compile(
    r"^(?:leave|keep|have|hold|let) (?P<thing>.{1,99}?) (?:stay |remain |be )?(?P<state>on|off|open|closed|locked)$"
)
HELD_ORDERS: Final = {
    "on": "turn on", "off": "turn off", "open": "open", "closed": "close", "locked": "lock", "unlocked": "unlock",
}  # fmt: skip
# "The 11 pm one", "the one for the lamp": without a word for it, so only behind verbs that mean nothing else.
_ONE: Final = (
    r"(?:the|my|that) (?:(?P<which>.{1,60}?) one|one (?:at|for|about|with|on|in) (?P<whose>.{1,60}?))"
)
ENDING: Final = re.compile(
    rf"^(?:(?:cancel|delete|remove|forget|drop|stop|end|clear|scrap) (?:{_WHICH}|(?P<all>(?:everything|all)(?: that)?(?: is| i have)? (?:planned|scheduled)))|"
    rf"(?:cancel|delete|forget|scrap) {_ONE})$"
)
_DAY: Final = r"(?P<day>tomorrow|today|tonight)"
SKIPPING: Final = re.compile(
    rf"^(?:(?:skip|leave out|omit|not) (?:{_WHICH}|{_ONE}|(?P<it>it|that|this time))(?: (?:for )?(?:{_DAY}|once|this time|1 time|the next time|next time)){{0,3}}|"
    rf"(?:not|skip|do not do (?:it|that)) (?P<only>tomorrow|today|tonight))$"
)
MOVING: Final = re.compile(
    rf"^(?:(?:move|shift|change|reschedule|postpone|put|set) {_WHICH}|(?:move|shift|change|reschedule|postpone|push) {_ONE}) (?:back )?(?:to |until )?(?P<when>.+)$"
)
PAUSING: Final = re.compile(
    rf"^(?:(?P<off>pause|suspend|disable|turn off|switch off|stop for now)|(?P<on>resume|unpause|enable|continue|restart|turn on|switch on|go on with)) {_WHICH}$"
)
VACATION: Final = re.compile(
    r"^(?:(?P<off>(?:we|i) (?:are|am) (?:going |off |away )?(?:on|to) (?:vacation|holidays?)|(?:turn on |start |activate )?vacation mode(?: on)?)|"
    r"(?P<on>(?:we|i) (?:are|am) back (?:from (?:vacation|holidays?)|home from (?:vacation|holidays?))|(?:turn off|end|stop) vacation mode|vacation mode off))$"
)
