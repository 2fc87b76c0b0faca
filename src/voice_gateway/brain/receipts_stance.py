"""How a clause stands to what it speaks of: asked, offered, refused, asked of the user, or asserted."""

import re
from collections.abc import Sequence

from voice_gateway.brain.receipts_verbs import STATES
from voice_gateway.brain.receipts_words import is_thing

# Courtesy says neither yes nor no, whatever words it is made of.
_COURTESY = re.compile(
    r"\b(?:(?:no|not a|without(?: a| any)?) (?:problem|worries|worry|trouble|need|doubt|sweat|hurry|issue|"
    r"errors?)s?|sorry about that|sorry for (?:that|the \w+)|sorry to (?:hear|keep) \w+|my (?:bad|apologies|"
    r"mistake)|why not|thank you(?: for your patience)?|thanks(?: for \w+)?|i apologi[sz]e(?: for [\w ]+)?|i "
    r"understand(?: that)?(?: you [\w ]+)?|(?:that|this) (?:is|sounds) (?:a )?(?:good|great|nice|lovely|"
    r"fine)(?: idea| question)?|as you wish|sounds (?:good|great)|you bet|you got it|roger that|let us see|"
    r"do not worry|never mind)\b"
)
# "No longer running" and "will not bother you any more" say that it was done.
_NO_MORE = re.compile(r"\bno (?:longer|more)\b|\bwill not\b(?=.*\b(?:any more|anymore)\b)")
_SOCIAL = frozenset(
    "okay ok sure certainly absolutely yes yeah yep yup alright all right great perfect well oh ah hmm hm um "
    "so of course thing problem got it gotcha understood very excellent good news hey hi hello there sir "
    "madam please now then and my pleasure welcome thanks thank you with haha ha wow right roger k kay cool "
    "nice fine indeed too for asking question idea enjoy have a day night evening morning cheers bye goodbye "
    "again anytime easy here we go let's lets see the as always also finally".split()
)
_REFUSING = frozenset(
    "not no never only nothing none nobody cannot unable neither nor without impossible unknown unsupported "
    "unavailable failed fails fail wrong mistake error trouble sorry afraid unfortunately apologies regret "
    "misunderstood misheard unclear unsure beyond missing lack lacks".split()
)
# "There is no heater": a device; but "there is nobody in the hallway" somebody would have to see.
_ABSENT = re.compile(r"\bthere (?:is|are) (?:no|not an?y?) (?!one\b|motion\b|light (?:on|in)\b)\w+")
_OFFERING = frozenset("can could would may might shall".split())
_WARRANT = re.compile(
    r"\bi (?:can|could|would|may) (?:confirm|assure|see|tell|say|guess|think|report|promise|verify)\b(?! no)"
)
_OFFER = re.compile(
    r"\b(?:happy to|glad to|ready to|like me to|want me to|let me know|let me (?:check|see|look|find|think|"
    r"ask)|i (?:need|wonder|want to be|want to make|want to know|require)|one moment|(?:a|one) (?:second|"
    r"moment|sec)|hold on|hang on|just say|say the word|which|what|whether|depends|i will (?:need|check|have "
    r"to|look|find out)|say yes|confirm)\b"
)
_TO_USER = re.compile(
    r"(?:then |first |also |just |or |maybe |perhaps )*(?:(?:you (?:can|could|may|might|need|must|should(?! "
    r"(?:now )?(?:have|see|hear|feel|notice|find|be(?! able)))|want|would|asked|said|mean|meant|did|do|have "
    r"to|are asking|will (?:have|need)))|please|say|tell|try|check|repeat|ask|wait|specify|choose|pick|name|"
    r"use|plug|unplug|press|hold|make sure|have you|go to|visit|look|consider using|contact|feel free|give "
    r"me|be more|rephrase|speak|provide)\b(?! it (?:is )?(?:done|sorted))"
)
_SELF = re.compile(
    r"(?:well |and |but |so |because |as )*(?:i (?:just |really |also |still |only )*(?:think|understand|see|"
    r"know|hear|heard|wonder|hope|wish|guess|believe|apologi[sz]e|appreciate|said|thought|assumed|forgot|"
    r"misunderstood|misheard|meant|made a mistake|need|want|like|love|prefer|work|control|help|am (?:here|"
    r"an?|just|your|only|unable|happy|glad|listening|ready|all ears|always|doing (?:well|great|fine|good)|"
    r"fine|curious|designed|made|built|still learning|sorry))|my (?:name|job))\b"
)
_FINITE = frozenset("is are was were am has have had will been being did done".split())


def softened(text: str) -> str:
    """A clause without its courtesies; an empty one was nothing else."""
    rest = _COURTESY.sub(" ", _NO_MORE.sub(" ", text)).split()
    return "" if all(word in _SOCIAL for word in rest) else " ".join(rest)


def unasserted(text: str, *, of_state: bool) -> bool:
    """Whether a clause says of nothing how it is or that it was done. `of_state`: how it is was the "
    "question."""
    words = set(_NO_MORE.sub(" ", text).split())
    if words & (_REFUSING - {"only"} if of_state else _REFUSING) and (
        not of_state or words & {"i", "we", "me", "my", "sorry", "idea", "sure"} or _ABSENT.search(text)
    ):
        return True
    if (words & _OFFERING and not _WARRANT.search(text)) or _OFFER.search(text):
        return True
    seen = not words & {"said", "thought", "assumed", "meant"}
    of_home = of_state and seen and any(map(is_thing, words))  # "I see the kitchen light burning"
    return bool(_TO_USER.match(text) or (_SELF.match(text) and not of_home))


def only_social(clauses: Sequence[str]) -> bool:
    return not any(softened(clause) for clause in clauses)


def asserting(clauses: Sequence[str], *, of_state: bool) -> bool:
    """Whether one of the clauses of a sentence asserts something. One without a verb follows the one "
    "before."""
    free = invited = False
    for clause in clauses:
        text = softened(clause)
        if not text or (invited and text.startswith(("i will", "and i will"))):
            continue  # "Tell me the time and I will set it"
        invited = bool(_TO_USER.match(text))
        if unasserted(text, of_state=of_state):
            free = True
        elif not free or _finite(text):
            return True
    return False


def _finite(text: str) -> bool:
    words = text.split()
    return bool(_FINITE & set(words)) or (words[-1] in STATES and any(map(is_thing, words)))
