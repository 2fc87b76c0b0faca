"""How English wraps a wish that is no order: an opening, small words, and the plain clause inside.

Words stand in classes, and patterns are made of the classes: another language is another such page.
"""

import re
from typing import Final

from home_words.command_words import OPPOSITE, PLAIN_VERB, STATE, STATES, VERBS, any_of

# --- classes of words

WHO: Final = r"(?:i|we|you|he|she|they|me|(?:my |the |our )?[a-z]+)"
_FILL: Final = any_of(
    "please kindly just maybe perhaps possibly really quickly now also as_well go_ahead_and"
)
_CAN: Final = any_of("can could may might will would shall should")
_GO: Final = r"(?:(?:be|go|come|get|stand)(?: (?:switched|turned|put|set))?)"
_WANT: Final = any_of(
    "want wants need needs would_like would_love would_prefer would_appreciate would_rather_have would_kill_for "
    "could_do_with could_use fancy fancies ask_for asks_for am_asking_for is_asking_for are_asking_for call_for "
    "calls_for would_be_happy_with would_be_glad_of would_be_happy_for would_be_grateful_for"
)
_ON: Final = "|".join(word for word, state in STATES.items() if state in ("on", "open", "up", "unlocked"))
_ANY_MORE: Final = rf"(?: (?:{any_of('anymore any_more any_longer right_now at_the_moment now today all_the_time for_now')}))"
_VERY: Final = any_of("a_bit a_little too so really very pretty quite way much far rather pitch getting")

# --- wishes that are no orders: how they begin, and the small words between that and what is wished for

POLITE: Final = re.compile(
    rf"^(?:(?:would|do) you mind|(?:would you )?be so kind(?: as to| and)|(?:can|could|would|will)(?: not)? (?:you|somebody|someone|anyone)|"
    rf"i (?:would like|want|need) you to|i (?:would like|want) to|i would appreciate it if you could|let us|help (?:me|us)(?: to)?|try(?: to)?|do(?= (?:{PLAIN_VERB})\b)) "
    rf"(?:(?:{_FILL}) )*(?=\S)"
)
_OPENINGS: Final = "|".join(
    (
        rf"(?:it (?:would|will|might) be|would it be) (?:(?:{_VERY}|just) )*"
        r"(?:nice|great|good|lovely|fine|better|best|cool|awesome|perfect|wonderful|kind|helpful|super|ideal)(?: of you)?",
        r"(?:(?:is there|there is) )?(?:any|a|some) chance",
        r"(?:is it|would it be|are you|would you be) (?:possible|able|ok|okay|alright|so kind)",
        r"(?:i|we) (?:was|were|am|are) wondering",
        r"(?:do|would) you think",
        r"(?:i|we) would (?:(?:appreciate|love|like) it|be (?:happy|glad|grateful|delighted|thankful))",
        r"(?:how|what) about|why (?:not|do not)|(?:i|we) wish|(?:it is )?(?:about |high )?time",
        r"do me a favou?r|be (?:a (?:dear|darling|love|star|good \w+)|so good)",
        r"(?:may|can|could|might) i ask",
        r"(?:can|could|may|might|shall|should) (?:i|we)(?: please)?(?= (?:have|get|see))|(?:shall|can|could) we",
        r"you (?:may|can|could|might|should)(?: as well)?|let (?:me|us)(?= (?:have|get))",
    )
)
_LINKS: Final = (
    r"(?:(?:if|whether|to|for|of|with|when|and|as|(?:you|we|someone|somebody)(?: (?:could|can|would|will|might|should))?|"
    rf"have|having|get|getting|see|seeing|that(?= (?:the|my|our|all|you|we))|{_FILL}) ){{0,6}}"
)
_NO_NEED: Final = rf"{WHO} (?:do|does) not (?:want|need)|(?:there is )?no (?:more )?need (?:for|of)"
_OVER: Final = (
    rf"{WHO} no longer (?:want|need)s?|nobody (?:wants|needs|uses|is using)|"
    r"(?:(?:i|we) (?:am|are|have) )?(?:all )?(?:done|finished|through) with|"
    r"(?:(?:i|we) (?:think|guess|believe) )?(?:i|we) can do without"
)
_THING: Final = r"(?:the|my|our|any|all|it|them|those|everything)\b.{0,400}?"
_DESIRE: Final = rf"(?:{WHO} (?:{_FILL} )*)?(?:{_WANT})(?: to (?:have|see|get)| you to)?"
WANTED: Final = re.compile(
    rf"(?:{_DESIRE}|(?:any|a|some) chance of|(?:can|could|may) (?:i|we) (?:have|get)) (?:the|some|my|our|a bit of)\b"
)
# (what it looks like, the plain clause inside it); "{not}" is the opposite of what is not wanted. The first counts.
WRAPPED: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(rf"^{pattern}$"), clause)
    for pattern, clause in (
        (rf"(?:{_NO_NEED}) (?P<x>{_THING})(?: to)?(?: {_GO})? (?P<not>{_ON}){_ANY_MORE}*", "{x} {not}"),
        (rf"(?:{_NO_NEED}) (?P<x>{_THING}){_ANY_MORE}+", "{x} off"),
        (rf"(?:{_OVER}) (?P<x>{_THING}){_ANY_MORE}*", "{x} off"),
        (
            rf"(?P<x>.+?) (?:needs? not(?: to)?|(?:have|has|ought) not to|(?:do|does) not (?:need|have) to|"
            rf"no longer (?:needs?|has|have) to) {_GO} (?P<not>{_ON}){_ANY_MORE}*",
            "{x} {not}",
        ),
        (
            rf"(?P<x>.+?) (?:is|are) (?:not|no longer) (?:needed|wanted|required|in use|being used){_ANY_MORE}*",
            "{x} off",
        ),
        (r"let there be (?:some |a bit of )?(?P<x>light\b.*)", "some {x}"),
        (rf"(?:{_OPENINGS}) {_LINKS}(?P<x>.+)", "{x}"),
        (rf"(?:{_CAN}) (?P<x>(?:the|my|our|all|both) .+?) (?:please )?{_GO} (?P<y>.+)", "{x} {y}"),
        (
            r"(?:make sure|see to it|ensure|see|take care)(?: that)? (?P<x>.+? (?:is|are|gets?|goes) .+)",
            "{x}",
        ),
        (
            rf"(?:i|we) (?:said|told you to|asked you to|asked for|meant) (?:please )?(?P<x>(?:{PLAIN_VERB}) .+)",
            "{x}",
        ),
        (
            r"(?P<s>(?:the|our|my) \w+(?: \w+)?) (?:could (?:do with|use)|needs?) "
            r"(?P<x>(?:some|more|less|a bit|a little|\d+ degrees)\b.+)",
            "{x} in {s}",
        ),
        (rf"{_DESIRE} (?P<x>(?!to |you ).+)", "{x}"),
        (
            r"(?P<x>.+?) (?:should|must|ought to|(?:has|have|needs?|is|are|wants?) to|can|could|may|might|had better)"
            rf"(?: (?:{_FILL}))* {_GO} (?P<y>.+)",
            "{x} {y}",
        ),
        (rf"(?P<x>.+?) (?:should|must|needs? to|has to|can|could) (?P<y>{PLAIN_VERB})", "{y} {x}"),
    )
)
# Who only suggests or complains wants to be helped, and is asked how.
_PLACE: Final = r"(?: here(?= in))?(?P<p>(?: (?:(?:in|over) )?here| in (?:the |my |our )?\w+(?: \w+)?)?)"
HINTS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(rf"^{pattern}$"), clause)
    for pattern, clause in (
        (
            rf"we (?:should|could|ought to|had better) (?:(?:{_FILL}|probably) )*(?P<x>(?:{PLAIN_VERB}) .+)",
            "{x}",
        ),
        (r"no (?:more )?(?P<x>lights?\b.*)", "{x} off"),
        (rf"{WHO} (?:do|does) not like (?P<x>{_THING})(?: being)? (?P<not>{_ON}){_ANY_MORE}*", "{x} {not}"),
        (rf"(?P<x>(?:the|my|our) .+?) (?:is|are) (?:(?:{_VERY}) )*too bright", "{x} darker"),
        (rf"(?P<x>(?:the|my|our) .+?) (?:is|are) (?:(?:{_VERY}) )*too (?:dim|dark)", "{x} brighter"),
        (rf"(?:it is )?(?:(?:{_VERY}) )*too bright{_PLACE}", "less light{p}"),
        *(
            (
                rf"(?:(?:it|i|we) (?:is|am|are) |(?=too |pitch ))(?:(?:{_VERY}) )*(?:{felt}){_PLACE}",
                f"{helps}{{p}}",
            )
            for felt, helps in (
                ("dark|dim|gloomy", "some light"),
                ("cold|chilly|freezing|cool", "1 degree warmer"),
                ("hot|warm|boiling|stuffy", "1 degree cooler"),
            )
        ),
    )
)
_IS: Final = re.compile(
    rf"^(?P<x>.+?)(?<! that)(?<! which)(?<!whatever)(?<!what)(?<!whichever) (?:is|are|was|were|to be|be|gets?|goes|went|(?:could|would) be) "
    rf"(?P<y>(?:\w+ )?(?:{STATE})\b.*|(?:to|at|on|set to) .+)$"
)
_DONE: Final = re.compile(r" (?:switched|turned|put|set|dimmed|brought)\b")
_END: Final = re.compile(r"(?<!\ba)(?: (?:a bit|now|please|then|though|instead))$")


def infinitive(verb: str) -> str:
    """ "switching" is "switch", "dimming" "dim", "closing" and "closed" "close"."""
    stem = re.sub(r"(?:ing|e?d|es)$", "", verb)
    known = (one for one in (verb, stem, f"{stem}e", stem[:-1]) if one in VERBS or one in ("tell", "mute"))
    return next(known, verb)


def unwrapped(clause: str, wrapped: tuple[tuple[re.Pattern[str], str], ...] = WRAPPED) -> str | None:
    """The plain clause of a wish that is no order; None when it is no such wish."""
    for pattern, plain in wrapped:
        if found := pattern.match(clause):
            parts = {name: value or "" for name, value in found.groupdict().items()}
            if "not" in parts:
                parts["not"] = OPPOSITE[STATES[parts["not"]]]
            inner = " ".join(plain.format(**parts).split())
            return settled(unwrapped(inner) or inner)
    return None


def settled(clause: str) -> str:
    """As an order, or a thing with its state behind it: "the blinds were shut" is "the blinds shut"."""
    clause = re.sub(r"^(?=(?:it|them|those|these) )", "make ", re.sub(r"^(?:to|please|kindly) ", "", clause))
    first, _, rest = clause.partition(" ")
    clause = f"{infinitive(first)} {rest}".strip()
    if told := _IS.match(clause):
        clause = f"{told['x']} {told['y']}"
    return clause if clause.split()[0] in VERBS else _END.sub("", _DONE.sub("", clause))
