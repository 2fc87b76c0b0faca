"""How English wraps a wish that is no order: each opening becomes the plain clause inside it."""

import re
from typing import Final

from home_words.command_words import OPPOSITE, PLAIN_VERB, STATE, STATES, VERBS

_SOMEBODY: Final = r"(?:i|we|you|he|she|they|(?:my |the |our )?[a-z]+)"
_LIKE: Final = (
    r"(?:want|wants|need|needs|would (?:like|love|prefer|appreciate|rather have)|could (?:do with|use)|fancy|fancies|"
    r"would be (?:happy|glad|grateful) (?:for|with)|(?:is|are|am) asking for|asks? for|calls? for|would kill for)"
)
_NICE: Final = (
    r"(?:nice|great|good|lovely|fine|better|best|cool|awesome|perfect|wonderful|kind|helpful|super|ideal)"
)
_YOU: Final = (
    r"(?:you (?:could|would|can|will|might|should|please)|we (?:could|can)|somebody could|someone could)"
)
_ANY_MORE: Final = r"(?: (?:any ?more|any longer|right now|at the moment|now|today|all the time|for now))*"
_ON: Final = "|".join(word for word, state in STATES.items() if state in ("on", "open", "up", "unlocked"))
_GO: Final = r"(?:be|go|come|get|stand|be (?:switched|turned|put))"
_PARTICIPLE: Final = {
    "switched": "", "turned": "", "put": "", "set": "", "dimmed": "", "brought": "", "opened": "open",
    "raised": "open", "lowered": "closed", "drawn": "closed",
}  # fmt: skip

# (what it looks like, the plain clause): "{…}" is a group of the pattern. The first that fits counts.
OPENINGS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), clause)
    for pattern, clause in (
        # what is not wanted any longer
        (
            rf"^(?P<x>.+?) (?:need|needs|have|has|ought) not (?:to )?{_GO} (?P<not>{_ON}){_ANY_MORE}$",
            "{x} {not}",
        ),
        (rf"^(?P<x>.+?) (?:does|do) not (?:need|have) to {_GO} (?P<not>{_ON}){_ANY_MORE}$", "{x} {not}"),
        (rf"^(?P<x>.+?) no longer (?:needs?|has|have) to {_GO} (?P<not>{_ON}){_ANY_MORE}$", "{x} {not}"),
        (
            rf"^{_SOMEBODY} (?:do|does) not (?:want|need|like) (?P<x>.+?) (?P<not>{_ON}){_ANY_MORE}$",
            "{x} {not}",
        ),
        (
            rf"^(?:{_SOMEBODY} (?:do|does) not (?:want|need)|{_SOMEBODY} no longer (?:want|need)s?|"
            r"(?:there is )?no (?:more )?need (?:for|of)|nobody (?:wants|needs|uses|is using)) "
            r"(?P<x>(?:the|my|our|any|all) .{1,400}?)(?: (?:any ?more|any longer|right now|at the moment|now|for now))+$",
            "{x} off",
        ),
        (r"^nobody (?:wants|needs|uses|is using) (?P<x>(?:the|my|our|any|all) .+)$", "{x} off"),
        (
            rf"^(?P<x>.+?) (?:is|are) (?:not|no longer) (?:needed|wanted|required|in use|being used){_ANY_MORE}$",
            "{x} off",
        ),
        (
            r"^(?:(?:i|we) (?:am|are|have) )?(?:all )?(?:done|finished|through) with (?P<x>(?:the|my|our) .+)$",
            "{x} off",
        ),
        (
            r"^(?:(?:i|we) (?:think|guess|believe) )?(?:i|we) can do without (?P<x>(?:the|my|our) .{1,400}?)(?: now| any ?more)*$",
            "{x} off",
        ),
        # a wish put as a question or a remark
        (
            rf"^(?:(?:it )?(?:would|will|might) be|would it be) (?:so |very |really |just )?{_NICE}"
            rf"(?: of you)?,? (?:if|to have|to get|having|when|to see|with) (?:{_YOU} )?(?P<x>.+)$",
            "{x}",
        ),
        (
            rf"^(?:is there |there is )?(?:any|a|some) chance (?:of|that|for|to (?:get|have)|{_YOU}) (?:{_YOU} )?(?P<x>.+)$",
            "{x}",
        ),
        (
            r"^(?:is it|would it be|are you|would you be) (?:possible|able|ok|okay|alright|so kind as) "
            r"(?:to|for you to|if you) (?:have |get )?(?P<x>.+)$",
            "{x}",
        ),
        (rf"^(?:i|we) (?:was|were|am|are) wondering (?:if|whether) {_YOU} (?P<x>.+)$", "{x}"),
        (rf"^(?:do|would) you think {_YOU} (?P<x>.+)$", "{x}"),
        (rf"^(?:i|we) would (?:appreciate|love|like) it if {_YOU} (?P<x>.+)$", "{x}"),
        (r"^(?:can|could|may|might|shall|should) (?:i|we) (?:please )?(?:have|get|see) (?P<x>.+)$", "{x}"),
        (
            rf"^(?:can|could|may|should|shall|would) (?P<x>(?:the|my|our|all|both) .+?) (?:please )?{_GO} (?P<y>.+)$",
            "{x} {y}",
        ),
        (r"^(?:how|what) about (?:having |getting |we |you |if (?:we|you) )?(?P<x>.+)$", "{x}"),
        (rf"^(?:shall|can|could) we (?:please |just |maybe )*(?P<x>(?:{PLAIN_VERB}) .+)$", "{x}"),
        (r"^(?:may|can|could|might) i ask you to (?P<x>.+)$", "{x}"),
        (
            r"^(?:i|we) would be (?:happy|glad|grateful|delighted|thankful) if (?:you|somebody) (?:could |would )?(?P<x>.+)$",
            "{x}",
        ),
        (r"^(?:i|we) wish (?P<x>.+)$", "{x}"),
        (r"^why (?:do not (?:you|we)|not) (?P<x>.+)$", "{x}"),
        (r"^let there be (?:some |a bit of )?(?P<x>light\b.*)$", "some {x}"),
        (r"^let (?:there be|us have|me have|us get) (?P<x>.+)$", "{x}"),
        (r"^(?:it is |is it not )?(?:about |high )?time (?:to|for|we|you) (?P<x>.+)$", "{x}"),
        (rf"^{_YOU.replace('|', '|', 1)} (?:as well |now |also |just )*(?P<x>(?:{PLAIN_VERB}) .+)$", "{x}"),
        (r"^you may (?:as well |now )?(?P<x>.+)$", "{x}"),
        (
            r"^(?:do me a favou?r|be a (?:dear|darling|love|star|good \w+)|be so (?:good|kind)) (?:and|as to) (?P<x>.+)$",
            "{x}",
        ),
        (
            r"^(?:make sure|see to it|ensure|see|take care)(?: that)? (?P<x>.+? (?:is|are|gets?|goes) .+)$",
            "{x}",
        ),
        (
            rf"^(?:i|we) (?:said|told you to|asked you to|asked for|meant) (?:please )?(?P<x>(?:{PLAIN_VERB}) .+)$",
            "{x}",
        ),
        # a wish for a state
        (
            r"^(?P<s>(?:the|our|my) \w+(?: \w+)?) (?:could (?:do with|use)|needs?) "
            r"(?P<x>(?:some|more|less|a bit|a little|\d+ degrees)\b.+)$",
            "{x} in {s}",
        ),
        (
            rf"^(?:{_SOMEBODY} (?:really |just |kindly )?{_LIKE}|could (?:do with|use)) (?:to (?:have|see|get) )?(?P<x>(?!to |you ).+)$",
            "{x}",
        ),
        (r"^(?:have|get) (?P<x>(?:the|my|our|all|both|some) .+)$", "{x}"),
        (r"^me (?:want|need) (?P<x>.+)$", "{x}"),
        (
            rf"^(?P<x>.+?) (?:should|must|ought to|has to|have to|needs? to|can|could|may|might|is to|are to|wants? to|had better)"
            rf"(?: now| please| really| just)? {_GO} (?P<y>.+)$",
            "{x} {y}",
        ),
        (rf"^(?P<x>.+?) (?:should|must|needs? to|has to|can|could) (?P<y>{PLAIN_VERB})$", "{y} {x}"),
    )
)
_BE: Final = re.compile(
    rf"^(?P<x>.+?) (?:is|are|was|were|to be|be|gets?|goes|could be|would be|went) (?P<y>(?:\w+ )?(?:{STATE})\b.*|(?:to|at|on|set to) .+)$"
)
_DONE: Final = re.compile(rf"\b({'|'.join(_PARTICIPLE)})\b(?= |$)")
_GERUND: Final = re.compile(r"^([a-z]+?)(?:ing|e?d)\b")
_PLACE: Final = r"(?P<p>(?: in (?:the |my |our )?\w+(?: \w+)?| here| in here| over here)?)"
# Who complains wants to be helped, and is asked how.
COMPLAINTS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), clause)
    for pattern, clause in (
        (
            rf"^it is (?:a bit |a little |\w+ )?(?:too |so |really |very |pretty |quite )?(?:dark|dim|gloomy){_PLACE}$",
            "some light{p}",
        ),
        (rf"^it is (?:way |much |a bit |far )?too bright{_PLACE}$", "less light{p}"),
        (
            rf"^it is (?:a bit |a little |\w+ )?(?:too |so |really |very |pretty |quite )?(?:cold|chilly|freezing|cool){_PLACE}$",
            "1 degree warmer{p}",
        ),
        (
            rf"^it is (?:a bit |a little |\w+ )?(?:too |so |really |very |pretty |quite )?(?:hot|warm|boiling|stuffy){_PLACE}$",
            "1 degree cooler{p}",
        ),
        (
            r"^(?:i|we) (?:am|are) (?:too |so |really |very |pretty |quite )?(?:cold|freezing|chilly)(?P<p>)$",
            "1 degree warmer",
        ),
        (
            rf"^we (?:should|could|ought to|had better) (?:really |maybe |probably )*(?P<x>(?:{PLAIN_VERB}) .+)$",
            "{x}",
        ),
        (r"^no (?:more )?(?P<x>lights?\b.*)$", "{x} off"),
        (r"^(?P<x>(?:the|my|our) .+?) (?:is|are) (?:way |much |a bit |far )?too bright$", "{x} darker"),
        (
            r"^(?P<x>(?:the|my|our) .+?) (?:is|are) (?:way |much |a bit |far )?too (?:dim|dark)$",
            "{x} brighter",
        ),
    )
)


def _infinitive(found: re.Match[str]) -> str:
    """ "switching" is "switch", "dimming" "dim", "closing" "close"."""
    stem = found[1]
    for verb in (stem, f"{stem}e", stem[:-1]):
        if verb in VERBS:
            return verb
    return found[0]


def unwrapped(clause: str) -> str | None:
    """The plain clause of a wish that is no order; None when it is no such wish."""
    for pattern, plain in OPENINGS:
        if found := pattern.match(clause):
            parts = {name: value or "" for name, value in found.groupdict().items()}
            if "not" in parts:
                parts["not"] = OPPOSITE[STATES[parts["not"]]]
            inner = " ".join(plain.format(**parts).split())
            return settled(unwrapped(inner) or inner)
    return None


def helped(clause: str) -> str | None:
    """What would help who complains."""
    for pattern, plain in COMPLAINTS:
        if found := pattern.match(clause):
            return plain.format(**{name: value or "" for name, value in found.groupdict().items()})
    return None


def settled(clause: str) -> str:
    """As an order, or a thing with its state behind it: "the blinds were shut" is "the blinds shut"."""
    clause = re.sub(r"^(?=(?:it|them|those|these) )", "make ", clause)
    clause = _GERUND.sub(_infinitive, re.sub(r"^(?:to|please|kindly) ", "", clause))
    if (told := _BE.match(clause)) and not re.search(r"\b(?:that|which|whatever|what|whichever)$", told["x"]):
        clause = f"{told['x']} {told['y']}"
    if clause.split()[0] not in VERBS:
        clause = " ".join(_DONE.sub(lambda found: _PARTICIPLE[found[1]], clause).split())
        clause = (
            re.sub(r" (?:a bit|now|please|then|though|instead)$", "", clause)
            if not clause.endswith("a bit")
            else clause
        )
    return clause
