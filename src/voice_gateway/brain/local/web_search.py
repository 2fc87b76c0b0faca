"""Whether words may go to a search engine: a question about the world, or a search that was asked for."""

import re
from collections.abc import Iterable
from typing import Final

from home_names.names import name_key, plain_words
from home_names.phrases import is_question
from voice_gateway.brain.local.normalise import normalise

_CLAUSE: Final = re.compile(r"(?<![,;:!])[,;:!]+\s|(?<=[.?])\s+|\b(?:and|but)\b(?= )")
_BEFORE: Final = re.compile(
    r"^(?:(?:please|kindly|just|quickly|now|so|and|then|go|go and|go ahead and|can you|could you|would you|"
    r"will you|i want you to|i need you to|i would like you to|let us|try to|i want to|i would like to) )+"
)
_ABOUT: Final = r"(?:i|you|we|he|she|they|it|my|your|our)"
_SEARCH: Final = re.compile(
    r"^(?:(?:search|browse|check|look|find|read)\b.* "
    r"(?:online|on the (?:web|internet|net)|on wikipedia|on google)\b"
    r"|(?:search|browse)(?: the (?:web|internet|net))?(?: for| about) \w"
    r"|(?:do|run|start) a (?:web |google )?search"
    r"|search the (?:web|internet|net)\b|web search\b|find out \w|research \w"
    rf"|look up (?!(?:when|while|if|as|once|where|who|what|how|why|because) {_ABOUT}\b)"
    r"(?!(?:at|to|from|and|here|there|now|please|into|as|once|before|after|because|in|on|or|again|while|if|with|"
    rf"then|you|me|dear|man)\b)\w|look (?:it|this|that|the|a|an)\b.* up$)"
)
# "Google is evil" tells something of a company; "google who won" asks for a search.
_GOOGLE: Final = re.compile(
    r"^google (?:(?:who|what|when|where|why|how|which|for|if|whether|the|a|an|some|my) \w|"
    r"(?!(?:and|or|but|it)\b)(?!.*\b(?:is|are|was|were|has|had|have|does|did|will|would|can|could|may|should|must|"
    r"never|always|sucks?|owns?|knows?|says?|makes?|made|bought|sold|wants?|sees|hears|listens|spies|lies)\b)\w)"
)
_TO_BE_TOLD: Final = re.compile(
    r"^(?:(?:tell me|do you know|can you tell me|could you tell me|any idea|i wonder|i want to know|"
    r"i would like to know|i am wondering|let me know|remind me again) )+"
    r"(?=(?:about|more about|something about|who|what|when|where|why|how|which|if|whether|the)\b)"
)
_QUESTION: Final = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|"
    r"will|would|should|explain)\b"
)
# Of the one who speaks, or of us: nobody out there knows it.
_OURS: Final = re.compile(
    r"\b(?:you|your|yours|yourself)\b|^\w+ not\b|"
    r"^(?:is|are|was|were|do|does|did|will|can)\b.* (?:on|off|open|closed|locked|unlocked)$|"
    r"^(?:did|do|does|am|are|was|were|have|has|had|is|where|when|shall|should|can|"
    r"could|may|will|would) (?:\w+ )?(?:i|we|my|our|me|us)\b|"
    r"^(?:what a|what an|what the|how (?:nice|sweet|cute|dare|funny|lovely|about)|who (?:cares|knows|asked)|"
    r"what is up|how is (?:it|everything|life)|is it me|what is wrong with)\b"
)
_NEWS: Final = re.compile(
    r"^(?:(?:the|todays|latest|current|any|some|local|world) )*(?:\w+ ){0,2}"
    r"(?:weather|forecast|news|headlines|scores?|traffic)"
    r"(?: (?:in|for|on|about|today|tomorrow|of|this|at|from)\b.*)?$"
)


_ENGLISH: Final = frozenset(
    "a the is are was were do does did has have had what who when where why how which of you i my it".split()
)


def speaks_of_search(text: str, home_names: Iterable[str]) -> bool:
    """When in doubt nothing is sent: not "google is evil", nor "look up when I talk to you"."""
    names = list(home_names)
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    return any(_speaks_of_search(clause, names) for clause in clauses)


def _speaks_of_search(text: str, home_names: Iterable[str]) -> bool:
    said = normalise(text).text
    plain = _BEFORE.sub("", said)
    if _SEARCH.match(plain) or _GOOGLE.match(plain):
        return True
    words = f" {' '.join(plain_words(text))} "
    if any(f" {name_key(name)} " in words for name in home_names):
        return False
    if _NEWS.match(plain) and " is " not in plain:
        return True
    told = _TO_BE_TOLD.sub("", said)
    if told == said and not _ENGLISH & set(said.split()):
        return is_question(text)
    return bool((told != said or _QUESTION.match(said)) and not _OURS.search(told))
