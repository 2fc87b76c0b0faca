"""What stands around a command in English: exceptions beside it, conditions of now, reasons and talk."""

import re

from home_words.command_words import PLAIN_VERB, STATE, VERBS

STAYS = re.compile(
    r"^(?:(?:but|only|just|and|except) ){0,8}(?P<thing>.{1,400}?) (?:(?:can|should|may|must|will|is to|are to) )?"
    r"(?:stays?|remains?|keeps?)(?: \w++)*+$"
)
EXCEPT_FIRST = re.compile(
    rf"^(?:except(?: for)?|apart from|aside from|besides|with the exception of|excluding|rather than|instead of) (?P<thing>.+?) "
    rf"(?P<order>(?:{PLAIN_VERB}) .+)$"
)
# "In the office, where I work, turn off the lamp".
PLACE_FIRST = re.compile(
    rf"^(?:in|at|on) (?P<place>(?:the|my|our) \w+(?: \w+)?)(?: where (?:\w+ ){{1,4}}?\w+)? (?P<order>(?:{PLAIN_VERB}) .+)$"
)
BUT_LEAVE = re.compile(
    r"(?<!\s)\s+(?:(?:but|and|just|only) ){1,8}(?=(?:leave|keep|spare|not|do not touch)\b)"
)
BUT_STAYS = re.compile(
    r"^(?P<order>.{1,400}?) (?:but|and|only|just) (?P<thing>.{1,400}? (?:can |should |may )?(?:stay|stays|remain|remains)\b.*)$"
)
NOT_THE = re.compile(
    r"^(?:(?:but|and|just|only) )*not (?P<thing>(?:the|my|our|in|that|those) .+?)(?: though| please)?$"
)

# "If it is on": how it is now, and no event.
IS = (
    rf"(?P<thing>.{{1,400}}?) (?:is|are) (?P<not>not )?(?:(?:still|already|currently|now|really|left) )*(?P<state>{STATE})"
    r"(?: (?:already|now|right now|at the moment|still|anyway))*"
)
MEASURED = (
    r"(?P<where>.{0,100}?)(?:it|the temperature) is (?P<than>below|under|less than|colder than|cooler than|lower than|above|over|"
    r"more than|warmer than|hotter than|higher than) (?P<degrees>-?\d+(?:\.\d+)?)(?: degrees)?(?: in (?P<place>.{1,100}?))?"
)
IF = r"(?P<if>if|unless|in case|only if|provided)"
CONDITIONS = tuple(
    re.compile(pattern)
    for one in (IS, MEASURED)
    for pattern in (
        rf"^{IF} {one}(?: then)? (?P<order>(?:please |you can |then )*(?:{PLAIN_VERB}|start|make).+)$",
        rf"^(?P<order>.{{1,400}}?) {IF} {one}$",
    )
)

# --- talk

BLOCKS = re.compile(
    r"\b(?:said|says|say|saying|told|tells?|telling|asked|yelled|shouted|screamed|whispered|wrote|writes|reads|goes|quote|"
    r"sings?|sang|singing|song|lyrics|typed|called|titled|imagine|pretend|suppose|wonder(?:ing)?|what if|would|might|"
    r"used to|wanted|dream\w*|story|sign|label|spell|translate|repeat|example|never|according|mentioned|suggested|"
    r"thinks|thought|claims?|heard|whether|leaflet|manual|instructions?|recipe|phrase|word|words|must not|should not)\b|"
    r"^(?:if|when|whenever|once|after|before|until|till|as soon|while|unless|tomorrow|tonight|later|in \d|at \d|every|on \w+day|"
    r"what (?!an?\b)|which|who|why|how|did|do|does|should|is|are|was|were|not|do not|never|one day|someday|next|by then|"
    r"remind|wake|set an? (?:timer|alarm|reminder))\b|"
    r"\b(?:later|tomorrow|tonight|in (?:a|an|\d+) (?:minutes?|hours?|moment|while)|yesterday|last (?:night|week|year|winter))\b"
)
OPEN_END = re.compile(
    r"\b(?:to|not|you|can|will|would|should|could|may|might|must|shall|and|or|who|that|the|a|an|my|our|your|of|in|on|at|with|"
    r"for|is|are|am|be|been|was|were|just|already|never|always|him|her|them|us|i|he|she|we|they|let|please|by|from|"
    r"do|does|did|has|have|had|if|when|than|as|like|ever|how|what|where|why|which|then|into|about|someone|somebody|"
    rf"people|folks|{'|'.join(VERBS)}|\w{{2,}}ed)$"
)
# A clause with its own verb, where nothing parts it from the order: "I am going to bed turn everything off".
WHOLE = re.compile(
    r"^(?:(?:oh|ugh|well|okay|so|quick|hey|sorry|god|dear|since|as|because|hurry|look|listen|right|brr|phew) )*"
    r"(?:i|we|he|she|it|they|there|this|that|nobody|everyone|everybody|somebody|someone|(?:the|my|our|your) \w+(?: \w+)?|\w+s?)"
    r" (?:just |really |already |all |finally )*"
    r"(?:am|is|are|have|has|can|can not|could not|do not|feel|feels|need|needs|want|hurt|hurts|keep|keeps|start|starts|go|goes|"
    r"look|looks|smell|smells|fell|got|gets|like|likes|love|loves|hate|hates|leave|leaves)\b"
)
NEGATED = re.compile(
    r"\bnot\b(?! (?:see|read|hear|find|sleep|work|stand)\b)|\bto (?!bed|sleep|work|school|town|the|my|our)\w+"
)
JOINT = re.compile(
    r"(?:^|(?<!\s)\s+)(?:so|because|since|as|cause)\s+(?=(?:i|we|he|she|it|they|there|the|my|our|nobody|everyone|please|"
    rf"could|can|would|that|you|\w+s (?:are|is)|{PLAIN_VERB})\b)"
)
TALK_BEGINS = re.compile(
    r"^(?:i|we|it|he|she|they|there|my|our|nobody|everyone|what an?|thank|good (?:morning|evening|afternoon|night)|the \w+ (?:is|are))\b"
)
INTERJECTION = re.compile(
    r"^(?:ugh|oh|hey|wow|brr|right|so|well|quick|hurry|god|dear|please|fast|thanks|now|phew|listen|look|ah)(?: \w+)?$"
)
CALLS = re.compile(
    r"^(?:while you are at it |and |to |also |then |please |you know |i mean |sorry to bother you.*? but |"
    r"(?:yes|oh|ah|hey|well|so|ugh|listen|quick|dear|darling|sweetheart|honey|look|right|okay|ok|alright) )+"
)


SUBJECT = re.compile(r"^(?:i|we|it|he|she|they|there|my|our|nobody|everyone)\b")
DESIRED = re.compile(
    r"\b(?:could do with|could use|needs?|wants?|would (?:like|love)|fancy|chance of|asks? for|"
    r"(?:can|could|may) (?:i|we) (?:have|get))\b"
)
POINTING = re.compile(r"\b(?:it|them|that)\b")
INSIDE = re.compile(r"\b(?:the|an?|my|our|your|his|her|this|that|like|likes|love|loves|has|have)(?: \w+)?$")
BEGINS = re.compile(
    rf"^(?:please |could you |can you )*(?:{PLAIN_VERB}|start|make|stop|\w+(?: \w+){{0,3}} (?:on|off|open|closed|up|down|to \d+)\b|\d+ degrees (?:more|less|warmer|cooler|colder))"
)


THING = re.compile(r"(?:the|some|my|our|a bit of) ")
ABOVE = frozenset({"above", "over", "more than", "warmer than", "hotter than", "higher than"})
# When: a time, an event, a condition, as patterns for one end of a clause.
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?)"
WHEN = (
    (
        "time",
        rf"(?:in|for) (?:half )?(?:an?|\d+|a few|a couple of) {_UNIT}|(?:at|by|around|until|before|after) (?:\d+(?::\d\d)?(?: (?:am|pm|oclock))?|noon|midnight|dawn|dusk|sunset|sunrise|bedtime|dinner|lunch)|(?:tomorrow|tonight|later|every (?:\w+day|morning|evening|night|day)|on \w+day)(?: (?:morning|evening|night|at \d+))*",
    ),
    ("event", r"(?:when|whenever|once|as soon as|after|before|until) .+?"),
    ("condition", r"(?:if|unless|in case|while|as long as) .+?"),
)
# Behind these comes what something is like: "it is a bit dim", "the door is open" order nothing.
UNFINISHED = re.compile(
    r"\b(?:is|are|was|were|am|be|been|being|looks?|looked|seems?|seemed|feels?|felt|stays?|stayed|gets?|got|"
    r"getting|a bit|a little|rather|quite|very|too|pretty|really|slightly|somewhat|fairly|still|already)$"
)
