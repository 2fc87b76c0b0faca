"""The words by which people take back what was just done, or say what they meant instead."""

import re
from typing import Final

_ACT: Final = r"(?:one|thing|action|act|command|change|step|request|order|move)s?"
_IT: Final = (
    r"(?:(?:it|that|this|them|those)(?: all| both)?|(?:every|all )?(?:the |those )?things?|everything|"
    rf"(?:all|both)(?: of)?(?: (?:it|that|this|them|(?:my|your|the|those) {_ACT}))?|those)"
)
_LAST: Final = (
    rf"(?:the|that|my|your) (?:very )?(?:last|previous|latest) "
    rf"(?:{_ACT}|(?:\d+|couple(?: of)?)(?: {_ACT})?)"
)
# How many acts that is: "the last 2 things", "both", "everything"; else it is one.
HOW_MANY: Final = re.compile(
    r"\b(?:(?:last|previous|latest) (?P<count>\d+)|(?P<times>\d+) times|(?P<two>both|couple|twice)|"
    r"everything|all)\b"
)
_DID: Final = r"(?:what|everything|all)(?: that)? (?:you|i|we)(?: have)?(?: just)? (?:did|done|changed|said)"
_WAS: Final = (
    r"(?:(?:to )?(?:(?:how|what|where|the way|as|like|exactly as|just as) )+"
    r"(?:it|that|they|things|everything|all|these|those) (?:was|were|had been|used to be)"
    r"(?: (?:before|at first))?|(?:to )?(?:as|like) before|to (?:before|normal|the way before))"
)
_PUT: Final = r"(?:put|set|turn|change|switch|move|bring|get|take|roll|make|return|restore)"

# Said behind a regret or alone, and nothing else: "put it back on the shelf" is about a shelf.
UNDO: Final = re.compile(
    rf"(?:(?:undo|revert|reverse|roll back|rollback)(?: (?:{_IT}|{_LAST}|{_DID}))?"
    rf"|{_PUT} (?:{_IT}|{_LAST}) back(?: again)?(?: {_WAS})?|{_IT} back {_WAS}"
    rf"|(?:{_PUT}|leave|have|(?:i )?want) {_IT}(?: be)? (?:back )?{_WAS}"
    rf"|(?:go )?(?:back )?{_WAS}|(?:go )?back to (?:how|what|the way) {_IT} (?:was|were)"
    rf"|take back (?:{_IT}|{_LAST})|restore (?:it|that|them|{_LAST}))(?: again| instead| twice| \d+ times)?"
)

# The same of one device: "put the lamp back", "undo the floor lamp", "the blinds as they were before".
UNDO_ONE: Final = re.compile(
    rf"(?:(?:undo|revert) (?:the|my|our) (?P<undone>\w[\w ]{{0,60}})"
    rf"|(?:put|set|turn|change|switch|bring) (?:the|my|our) (?P<put>\w[\w ]{{0,60}}?) back"
    rf"(?: again)?(?: {_WAS})?"
    rf"|(?:(?:put|set|leave|make) )?(?:the|my|our) (?P<was>\w[\w ]{{0,60}}?) (?:back )?{_WAS})"
)

# What is said before it, and changes nothing: "oh no, …", "that was wrong, …".
_SIGH: Final = (
    r"(?:oh|ah|no|nope|nah|oops|whoops|ouch|sorry|wait|stop|hang on|hold on|hm+|damn|dear|my bad|"
    r"my mistake|never mind|actually|well|please|quick(?:ly)?|okay|ok|forget it|not good)"
)
_ONE: Final = r"(?:one|lamp|light|room|device|thing)"
_WRONG: Final = (
    rf"(?:(?:that|this|it) (?:was|is)(?: all)? (?:wrong|a mistake|the wrong {_ONE}|a bad idea|"
    r"not (?:right|what i (?:meant|wanted|said|asked(?: for)?))|too (?:much|bright|dark|loud|warm|cold))|"
    rf"(?:i )?(?:did not|do not) (?:mean|want|like) (?:that|it|this)|that is not it|wrong(?: {_ONE})?|"
    r"i (?:made a mistake|changed my mind))"
)
REGRET: Final = re.compile(rf"(?:{_SIGH}|{_WRONG})(?: (?:{_SIGH}|{_WRONG}))*")

# How a correction begins, and how it may end. What is between them is what was meant.
CORRECTION: Final = re.compile(
    rf"(?:(?:{_SIGH} )*(?:{_WRONG} )?(?:not (?:that|this|the) {_ONE} (?:but )?)?"
    r"(?:i (?:meant|mean|said|wanted|was (?:talking about|thinking of))|make (?:that|it)|(?:but )?rather|"
    r"better|let us (?:say|make it)) (?:to say )?"
    rf"|(?:{_SIGH} )*(?:{_WRONG}|not (?:that|this) {_ONE}) (?:but )?(?:take )?"
    r"|(?P<bare>(?:no|nope|nah|oops|whoops|sorry|wait|actually)(?: (?:no|sorry|wait|oops|actually))* ))"
)
BEHIND: Final = re.compile(
    r" (?:(?P<meant>i (?:mean|meant|said))|instead|rather|please|not that(?: one)?|sorry)$"
)
ALSO: Final = re.compile(r"\b(?:too|also|as well|both)\b")  # nothing is put back for this
# "The other one", "the other lamp"
OTHER: Final = re.compile(r"(?:the )?other(?: (?:one|(?P<noun>[a-z]+)))?")
