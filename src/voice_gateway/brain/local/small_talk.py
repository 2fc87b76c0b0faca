"""What people say to an assistant that is no wish: greetings, thanks, questions about itself, remarks."""

import re
from enum import StrEnum
from typing import Final


class SmallTalk(StrEnum):
    """Said before any model is asked: what is asked of this gateway itself a model could only make up."""

    HELLO = "hello"
    HOW_ARE_YOU = "how are you"
    THERE = "are you there"
    NICE = "nice to meet you"
    THANKS = "thanks"
    BYE = "bye"
    NAME = "what is your name"
    KIND = "are you a robot"
    MAKER = "who made you"
    WHERE = "where are you"
    LISTENS = "do you listen"
    KEEPS = "what do you keep"
    KNOWS = "what do you know about me"
    SENDS = "what do you send"
    ABILITIES = "what can you do"
    ADD_MODEL = "how do I add a model"


class Remark(StrEnum):
    """Said only when no model is there to say it better."""

    PRAISE = "praise"
    WISHES = "good wishes"
    COMPLAINT = "a complaint"
    FEELINGS = "asked how a program feels"
    ARRIVED = "somebody is home"
    NAME = "somebody's name"
    BIRTHDAY = "a birthday"
    BAD_NEWS = "bad news"
    GOOD_NEWS = "good news"
    STATEMENT = "a statement"


_OTHERS: Final = r"(?:alexa|siri|google(?: assistant| home)?|cortana|bixby|jarvis|echo|chat ?gpt|hal)"
_SOMEBODY: Final = r"(?:you|anybody|anyone|somebody|someone|they|people|(?:my|your|the) \w+)"
_TAIL: Final = (
    r"(?: (?:then|there|today|now|right now|exactly|really|actually|anyway|please|my friend|buddy)){0,4}"
)
_MINE: Final = r"(?:me|us|my|our|i|we|everything|anything|this|it|that)"
_HEARING: Final = (
    r"(?:listen|listens|listening|listened|hear|hears|hearing|eavesdrop\w*|spy|spying|overhear\w*|watch\w*)"
)
_KEEPING: Final = (
    r"(?:record|records|recording|recorded|tape|taping|save|saved|saving|store|stored|storing|keep|"
    r"keeps|kept|log|logging|remember|logged)"
)
_SENDING: Final = (
    r"(?:send|sends|sending|sent|go|goes|going|upload\w*|share\w*|sharing|sell\w*|leave|leaves|"
    r"transmit\w*|pass)"
)
_OUTSIDE: Final = r"(?:internet|cloud|online|server|servers|outside|amazon|google|company|companies|web|home)"

_TALK: Final = {
    SmallTalk.HOW_ARE_YOU:
    rf"how (?:are|have) you(?: been| doing| feeling)?{_TAIL}|how do you do|how is (?:it|life|everything|"
    rf"your day)(?: going)?{_TAIL}|"
    rf"what is (?:going on|new|happening|up)(?: with you)?{_TAIL}|are you (?:okay|ok|all right|well|"
    rf"good|fine){_TAIL}",
    SmallTalk.THERE:
    rf"(?:(?:are|is) )?(?:you|anybody|anyone|somebody|someone)(?: still| even)? (?:there|home|here|"
    rf"awake|alive|ready|on|up|working|listening)(?: to me)?{_TAIL}|"
    rf"(?:can|do) you hear (?:me|us)\b.*|(?:is|does) (?:this|it|that)(?: thing)? (?:on|work|working|"
    rf"even work)\b.*|(?:testing|test)(?: testing| test){0,9}(?: [\d ]+)?|"
    rf"(?:(?:hey|hi|hello|ok|okay|yo) )?(?:{_OTHERS}|computer|assistant)",
    SmallTalk.NICE:
    r"(?:it is |i am )?(?:so |very )?(?:nice|good|great|lovely|pleased|glad|happy|"
    r"delighted) (?:to )?(?:meet|meeting|see|seeing|have|having) you\b.*",
    SmallTalk.THANKS:
    r"(?:thank you|thanks|thank|many thanks|cheers|much appreciated|i appreciate)\b.*|"
    r"(?:great|perfect|nice|good job|well done|awesome)",
    SmallTalk.BYE:
    r"(?:good ?bye|bye|bye bye|see you|see ya|farewell|good night|"
    r"sleep (?:well|tight)|sweet dreams|talk to you later|until (?:later|tomorrow))"
    r"(?: (?:then|and|sleep|well|tight|you|my|dear|to|all|good|night|for now))*(?: \w+){0,2}",
    SmallTalk.HELLO:
    r"(?:good (?:morning|afternoon|evening|day)|hello|hi|hiya|howdy|greetings|welcome|hallo|hey)"
    r"(?: (?:there|to|you|all|my|dear|again|and|welcome|old))*(?: \w+)?",
    SmallTalk.NAME:
    rf"(?:what|who|how) (?:is|are|was) (?:your|you)(?: (?:own|real|full))?(?: (?:name|called))?{_TAIL}|"
    rf"(?:what|who)(?: \w+)? are you(?: supposed to be| meant to be)?{_TAIL}|"
    r"do you have (?:a|any) name|(?:what|how) (?:should|shall|can|do|may|must) (?:i|we) call you|"
    r"what are you called|"
    r"(?:introduce|describe) yourself\b.*|tell (?:me|us)(?: a (?:bit|little)| something|"
    r" more)? about yourself|who (?:am i|are we) (?:talking|speaking) (?:to|with)|"
    rf"(?:are|is) (?:you|this|that)(?: \w+){{0,3}} {_OTHERS}{_TAIL}|what kind of (?:assistant|thing|"
    rf"robot|computer|program) are you",
    SmallTalk.KIND:
    r"are you(?: \w+){0,2} (?:robot|person|human|human being|machine|computer|program|ai|real|alive|"
    r"man|woman|boy|girl|bot|people|animal|model)\b.*",
    SmallTalk.MAKER:
    r"who (?:made|makes|built|created|invented|programmed|wrote|owns|designed|developed) you\b.*|"
    r"(?:where|which country) (?:do|are) you (?:come )?from|"
    r"who is your (?:maker|creator|owner|boss|father|mother|inventor|master)",
    SmallTalk.WHERE:
    rf"where (?:do you (?:live|run|sit|stay)|are you(?: located| running)?){_TAIL}",
    SmallTalk.KNOWS:
    r"what (?:do|did|have) you (?:know|remember|learn(?:ed)?|store|keep|save|have|"
    r"collect)(?: \w+)?(?: (?:about|of|on|from) (?:me|us|our|my)\b.*)|"
    r"do you know (?:who i am|my name|me|anything about (?:me|us))|who am i|what is my name",
    SmallTalk.SENDS:
    rf"(?:do|does|did|is|are|will|can|where|what|who|how|which)\b(?=.*\b{_SENDING}\b)(?=.*\b(?:"
    rf"{_OUTSIDE}|data|voice|words)\b).*|"
    rf"(?:where|what|who)\b(?=.*\b(?:my|our) (?:data|voice|words|recordings|information|privacy)\b).*|"
    rf"are you (?:connected to|on|using) the (?:internet|cloud|web)|"
    rf"do you (?:use|need)(?: the| an?)? (?:internet|cloud)\b.*|(?=.*\b(?:my|our) (?:data|"
    rf"voice)\b)(?=.*\b(?:go|goes|sent|safe|private|secure)\b).*|is (?:this|it) (?:private|safe|secure)|"
    r"(?:what|how)(?: is| about| do you (?:do|handle))?(?: \w+)? (?:my |our )?privacy\b.*",
    SmallTalk.KEEPS:
    rf"(?:are|do|does|did|will|is|what|how long|can|have) (?:you|this|it|that|anything|all|"
    rf"everything)\b(?:.*\b{_KEEPING}|(?=.*\b{_KEEPING}\b)(?=.*\b{_MINE}\b).*)|"
    rf"(?:is|are) (?:this|it|that|what|we|my|our|all|everything)\b(?=.*\b{_KEEPING}\b).*",
    SmallTalk.LISTENS:
    rf"(?!.*\b(?:music|radio|songs?|podcasts?|tv|movies?|films?|doorbell|noise|dog|baby|news)\b)(?:are|"
    rf"is|do|does|can|will|could|did|who|has|when)(?: \w+)? ?{_SOMEBODY}\b(?=.*\b{_HEARING}\b).*|(?:is|are|"
    rf"who is) (?:this|it|there)? ?(?=.*\b{_HEARING}\b).*",
    SmallTalk.ADD_MODEL:
    r"(?:how|where) (?:do|can|could|should|would) (?:i|we|you)(?: \w+)? (?:add|get|install|use|set up|"
    r"connect|enable|choose|have)(?: \w+){0,2} (?:model|llm|ollama|anthropic)\b.*|"
    r"(?:add|install|set up|connect)(?: a| the)?(?: language)? model",
    SmallTalk.ABILITIES:
    r"what (?:else )?(?:can|could|do) (?:you|i|we)(?: \w+)? (?:do|say|ask|tell|use)\b(?: (?:you|for|to|"
    r"with|here|now|then|me|us|this|of|it|about)\b){0,9}|what are you (?:good for|able to do|capable of|for)|"
    r"what (?:commands|things|questions|words|sentences|languages)\b(?=.*\b(?:you|say|ask|there)\b).*|"
    r"(?:show|tell|give) (?:me|us)(?: some| a few)? (?:examples|ideas|commands|what you can do)|"
    r"(?:so )?how (?:does (?:this|it|that)(?: thing)? work|do you work|do (?:i|we) (?:use|talk to|"
    r"operate) (?:you|this|it))|how (?:can|could) you help\b.*|what do you (?:do|understand|offer)|"
    r"what are your (?:skills|abilities|features|functions)|help(?: me| us)?|i need help|"
    r"can you help(?: me| us)?",
}  # fmt: skip

_REMARKS: Final = {
    Remark.COMPLAINT:
    r"\b(?:stupid|dumb|useless|idiot|moron|annoying|terrible|awful|horrible|hopeless|rubbish|garbage|"
    r"suck|sucks|hate you|hate this|crap|pathetic|slow|broken)\b|"
    r"\b(?:is|was|are|got|did)(?: it| that)? (?:all |so |very |just |completely )?wrong\b|^wrong\b|"
    r"not what i (?:said|meant|asked|wanted)|"
    r"\b(?:do|did|can|does|would|could) (?:you )?not (?:you )?(?:understand|listen|hear|work|get|help|"
    r"know)\b|never (?:listen|understand|work|works|hear|help)|misunderst|fed up|shame on",
    Remark.WISHES: r"^(?:merry|happy) (?:\w+ )?\w+$|^(?:congratulations|good luck|bless you|cheers)\b",
    Remark.PRAISE:
    r"\b(?:you|that|this|it)(?: \w+){0,3} (?:awesome|great|amazing|wonderful|fantastic|brilliant|clever|"
    r"smart|cool|good|nice|perfect|excellent|cute|funny|sweet|best|helpful|impressive|lovely)\b|"
    r"^(?:good|great|nice|well|excellent|fantastic|amazing|awesome|wow|brilliant|impressive|lovely|"
    r"perfect)(?: \w+){0,2}$|(?:love|like) you\b(?!.{0,99}\?)|proud of you",
    Remark.ARRIVED:
    r"^(?:i am|we are|i have|we have)(?: finally| just)?(?: come)? (?:home|back|back home|here)\b",
    Remark.NAME:
    r"^(?:my name is|i am called|you can call me|call me|people call me) (?P<name>\w+(?: \w+)?)$",
    Remark.BIRTHDAY:
    r"\bmy (?:\w+ )?birthday\b",
    Remark.BAD_NEWS:
    r"\b(?:tired|exhausted|sleepy|sick|ill|sad|lonely|stressed|bored|unhappy|hurts?|hurting|pain|"
    r"headache|hungry|thirsty|worried|scared|afraid|angry|lost|died|broke|bad day|long day|hard day|"
    r"awful day)\b",
    Remark.GOOD_NEWS:
    r"\b(?:happy|excited|glad|won|engaged|married|baby|holiday|vacation|passed|great day|good day|"
    r"wonderful day|best day)\b",
}  # fmt: skip
_FEELINGS: Final = (
    r"(?:do|can|are|have|did|will|would|what|who|how|why) (?:is |do )?(?:you|your)\b(?=.*\b(?:love|like|"
    r"hate|feel|feelings|friend|friends|favou?rite|dream|dreams|sleep|eat|drink|happy|sad|"
    r"married|single|old|age|birthday|family|children|girlfriend|boyfriend|think|believe|afraid|scared|"
    r"bored|tired|angry|better|smart|intelligent|stupid|clever|male|female|gender)\b).*|"
    r"how (?:old|tall|smart|clever|big|heavy|strong) are you"
)
_COMPILED: Final = [(kind, re.compile(rf"^(?:{pattern})$")) for kind, pattern in _TALK.items()]
_OF_REMARKS: Final = [(kind, re.compile(pattern)) for kind, pattern in _REMARKS.items()]
_OF_FEELINGS: Final = re.compile(rf"^(?:{_FEELINGS})$")
_TELLS: Final = re.compile(
    r"^(?:i|we|he|she|they|it|this|that|there|you|my|our|your|his|her|their|the|an?|some|somebody|"
    r"someone|everybody|nobody|people|today|"
    r"tomorrow|yesterday|just|mum|dad|mom|grandma|grandpa)\b(?=.* \w+)|"
    r"^\w+(?: \w+)? (?:is|are|was|were|has|had) \w+"
)
LONGEST, MOST_WORDS = 100, 14  # letters and words: more is a story, and none of these


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST and len(text.split()) <= MOST_WORDS


def small_talk(text: str) -> SmallTalk | None:
    """`text` is plain, without politeness; the whole of it is meant."""
    if not _is_short(text):
        return None
    return next((kind for kind, pattern in _COMPILED if pattern.fullmatch(text)), None)


def remark(text: str, *, question: bool) -> tuple[Remark | None, str]:
    """What a remark is, and whose name it tells; questions are none, but for those about our heart."""
    if not _is_short(text):
        return None, ""
    if _OF_FEELINGS.fullmatch(text):
        complains = text.startswith("why") and _OF_REMARKS[0][1].search(text)
        return (Remark.COMPLAINT if complains else Remark.FEELINGS), ""
    for kind, pattern in _OF_REMARKS:
        if (found := pattern.search(text)) and (kind is Remark.COMPLAINT or not question):
            return kind, found.groupdict().get("name", "")
    return (Remark.STATEMENT if _TELLS.match(text) and not question else None), ""
