"""The English words of keeping house: batteries, energy, codes, names."""

import re
from typing import Final

_THING: Final = r"(?P<thing>.+?)"
_THE: Final = r"(?:the |my |our |all |all the )?"
_DAY: Final = r"(?P<day>today|yesterday|(?:on |last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_ENERGY: Final = r"(?:energy|power|electricity|current|kilowatt hours)"
_USE: Final = r"(?:use|consume|need|draw|burn)d?"
_LOW: Final = r"(?:low|empty|flat|weak|dying|dead|running (?:low|out)|(?:almost|nearly) (?:empty|flat|dead))"
_QUIET: Final = r"(?:stop|silence|mute|quiet|end|dismiss|acknowledge|(?:turn|switch|shut) off)"

# How each is said; where several fit, what comes first is tried first.
_SAID: Final = {
    "QuietAlarm": (
        rf"{_QUIET} {_THE}(?P<danger>.+) (?:alarm|detector|alert|warning|siren)s?",
        rf"(?:turn|switch|shut) {_THE}(?P<danger2>.+) (?:alarm|detector)s? off",
    ),
    "Batteries": (
        rf"(?:which|what|are|are there|do we have|is|tell me which|show me which)(?: any| the| of the| all the)?"
        rf" batter(?:y|ies)(?: (?:are|is|that are))? {_LOW}",
        r"(?:which|what|do any)(?: devices?| sensors?)? needs? (?:a )?(?:new )?batter(?:y|ies)",
        r"(?:which|what|do any) batter(?:y|ies)(?: do i)? (?:need|must|should)s? .{1,40}",
        r"(?:which|what|whose) batter(?:y|ies) (?:is|are|is the|are the) (?:lowest|emptiest|weakest|worst)",
        r"does (?:anything|something|any device|any sensor|any of (?:the|my|our) (?:devices|sensors)) need (?:a )?(?:new )?batter(?:y|ies)",
        rf"(?:check|read|show(?: me)?|list|tell me about|how are|how full are){' ' + _THE}?batteries",
        r"(?:(?:give|tell) me (?:a |the )?)?battery (?:report|check|levels|status)",
    ),
    "Energy": (
        rf"how much {_ENERGY} (?:did|has|have|was) (?:{_THING} )?(?:{_USE}|used|been used)(?: {_DAY})?(?: so far)?",
        rf"how much (?:did|has|have) {_THING} {_USE} {_DAY}",
        rf"(?:what (?:is|was)|tell me|show me|give me) (?:the )?{_ENERGY} (?:consumption|use|usage)"
        rf"(?: (?:of|for) {_THING})? {_DAY}",
        rf"(?:what (?:is|was)|tell me|show me|give me) {_DAY}s {_ENERGY} (?:consumption|use|usage)(?: (?:of|for) {_THING})?",
    ),
    "ListScenes": (
        r"(?:which|what|how many|list|show(?: me)?|tell me)(?: all)?(?: the| my| our| which| your)? scenes"
        r"(?: (?:are there|there are|do (?:i|we|you) (?:have|know)|you know|exist|can you start))?",
    ),
    "SceneMembers": (
        r"what (?:does|would) (?:the )?(?:scene (?P<scene>.+?)|(?P<before>.+?) scene) do",
        r"(?:what|which devices?|who) (?:is|are|belongs?) (?:in|part of|to) (?:the )?"
        r"(?:scene (?P<scene2>.+)|(?P<before2>.+) scene)",
    ),
    "Codes": (
        rf"who has (?:an? |the )?(?:user |door |access )?codes?(?: (?:for|to|of) {_THING})?",
        rf"(?:which|what|how many)(?: user| door| access)? codes (?:are there|do we have|are set|exist)"
        rf"(?: (?:for|on|in|of) {_THING})?",
        rf"how many (?:user |door |access )?codes does {_THING} have",
        rf"(?:list|show(?: me)?) (?:the |all |all the )?(?:user |door |access )?codes(?: (?:for|on|of) {_THING})?",
        rf"who can (?:open|unlock) {_THING} with a code",
    ),
    "CodeDigits": (
        r"(?:what is|tell me|say|give me|read) (?:the |my |our |annas |his |her )?(?:\w+ )?"
        r"(?:code|pin|pin code|door code|user code|access code)(?: (?:for|of|to) .{1,60})?",
    ),
    "Rename": (
        rf"rename {_THING} (?:to|into|as) (?P<name>.+?)(?: in (?:the )?room (?P<room>.+))?",
        rf"(?:change|set) the name of {_THING} to (?P<name2>.+)",
        rf"give {_THING} the name (?P<name3>.+)",
        rf"(?:from now on )?call {_THING} the (?P<name4>.+)",
        rf"(?:move|put) {_THING} (?:to|into|in) (?:the )?room (?P<room2>.+)",
        rf"(?:change|set) the room of {_THING} to (?:the )?(?P<room3>.+)",
    ),
    "MoveRoom": (rf"move {_THING} (?:to|into) (?:the )?(?P<room>.+)",),
    "Ping": (rf"ping {_THING}", rf"(?:can you reach|try to reach|see if you can reach) {_THING}"),
}  # fmt: skip
HOUSE: Final = tuple(
    (intent, re.compile(rf"^{pattern}$", re.DOTALL))
    for intent, patterns in _SAID.items()
    for pattern in patterns
)
# Who uses energy when no device is named.
EVERYBODY: Final = frozenset(
    "we|i|you|they|everything|all|everyone|everybody|the house|the home|our house|our home|my house|my home|"
    "the whole house|the whole home|all devices|all the devices".split("|")
)
