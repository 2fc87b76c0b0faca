"""What an utterance is: a wish, a question about the home, talk, or words of command that never act."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from home_names.kinds import device_class
from home_names.names import name_key, plain_words, singular
from home_words import clause_words as around
from home_words.command_words import STATES, VERBS
from home_words.wish_words import unwrapped
from voice_gateway.brain.local.normalise import NormalisedText, normalise
from voice_gateway.integrations.home import Home
from voice_gateway.tools.traits import traits
from voice_gateway.turn import Words

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# --- what holds words of command, and is no command


class NotACommand(StrEnum):
    """Why words that could be a command are never carried out."""

    QUESTION = "a question"
    NEGATION = "a negation"
    CONDITION = "a condition, or a time that is not now"
    REPORTED = "something somebody said"
    STATEMENT = "a statement"


# What is looked for, in this order.
_MOODS = (
    (around.DENIED, NotACommand.NEGATION),
    (around.SAYING, NotACommand.REPORTED),
    (around.ASKED, NotACommand.QUESTION),
    (around.LATER, NotACommand.CONDITION),
    (around.STATED, NotACommand.STATEMENT),
)


def worded_as_question(text: str) -> bool:
    """By its first words: what is heard has no question mark."""
    return bool(around.ASKED.match(text))


def not_a_command(text: str) -> NotACommand | None:
    """What keeps this text from acting; `text` is plain and its politeness is gone."""
    text = around.POINTED.sub(r"\1 it", text)
    moods = (mood for pattern, mood in _MOODS if pattern.search(text))
    first = next(moods, None)
    if first is NotACommand.CONDITION and around.FOR_LATER.match(text):
        return next(moods, None)
    return first


# --- whether the next stage may act

# What an assistant is told to do, with the home's own verbs.
_DEEDS = frozenset(
    """mute unmute remind wake cancel add play prepare send create delete remove pause resume skip arm disarm
    fill end finish schedule write save book reset restart reboot execute use""".split()
).union(verb for verb in VERBS if " " not in verb) - {"have", "let", "lose", "take", "knock"}
_SUBJECTS = frozenset(
    """volume sound loudness brightness speaker timer timers alarm reminder scene scenes light lights lamp
    lamps heating temperature thermostat louder quieter brighter darker dimmer warmer cooler it them
    everything all""".split()
)
# Words in names that are said of other things too.
_DULL = frozenset(
    """get set list control check show the a an of to for and my new zwave device front back left right
    side top bottom upper lower main big small old first second one on off""".split()
)


_ALONE = frozenset({"remind", "wake"})  # these say what they are about
_LOUD = frozenset("volume sound loudness speaker louder quieter softer music".split())
# What only somebody with hands could do, or what a model would do by halves: "start with the kitchen",
# "switch the floor lamp with the desk lamp", "put the lamp in the bedroom", "delete all my reminders".
_FOR_HANDS = re.compile(
    r"\bwith\b|\b(?:all|every|both)\b.{0,400}\bremind|"
    r"^(?:put|move|bring|take|carry|send|get|give) .*\b(?:in|into|to|under|behind|beside|onto) "
    r"(?:the|my|our|a) "
)
_POINTED_AT = re.compile(r"\b(?:the|my|our|your|this|that) (\w+)")


def asks_for_action(said: NormalisedText, home: Home, tools: Iterable["BaseTool"]) -> bool:
    """It is put as a request, and it names something that a tool could act on.

    A small model that hears anything else still likes to call a tool: "light of my life" changed the volume.
    """
    words = [singular(word) for word in said.text.split()]
    if not words or said.question:
        return False
    offered = _tool_words(tools)
    if words[0] in offered or words[0] in _ALONE:
        return True
    if not said.polite and words[0] not in _DEEDS:
        return False
    if _FOR_HANDS.search(said.text):
        return False
    things = _SUBJECTS | offered | _name_words(home.spoken_names)
    named = {word for word in words[1:] if word in things or device_class(word)}
    if named <= _LOUD and _points_elsewhere(said.text):
        return False
    return bool(named)


# What is said when one of these is meant. A small model that does not understand likes to call one of them.
_MEANT_BY = {
    "control_speaker_volume": re.compile(
        r"\b(?:volume|sound|speaker|loud|quiet|soft|mute|unmute|silen|music|audio|nois|hear|whisper|"
        r"(?:up|down|higher|lower)\b)"
    ),
    "set_timer": re.compile(
        r"\b(?:timer|alarm|remind|wake|minute|hour|second|day|week|o'?clock|later|tonight|tomorrow|morning|"
        r"evening|noon|midnight|when|until|half|quarter|\d)"
    ),
    "make_routine": re.compile(
        r"\b(?:minute|hour|second|day|week|month|o'?clock|later|tonight|tomorrow|morning|evening|noon|midnight|"
        r"when|whenever|every|each|once|until|as soon|sun|half|quarter|if|\d)"
    ),
    "cancel_routine": re.compile(r"\b(?:routine|plan|schedul|automation|it|that|all|vacation|holiday)"),
    "cancel_timer": re.compile(r"\b(?:timer|alarm|remind|it|that|them|all|stop|cancel)"),
    "manage_list": re.compile(r"\b(?:list|shopping|grocer|buy|to do|todo|task|add|tick|cross)"),
    "broadcast": re.compile(
        r"\b(?:everyone|everybody|family|house|kids|children|all|announce|broadcast|tell)"
    ),
    "get_weather": re.compile(
        r"\b(?:weather|forecast|rain|umbrella|snow|sun|outside|outdoors|wind|cold|warm|hot|coat|jacket|cloud|"
        r"storm|degrees|temperature)"
    ),
    "extend_timer": re.compile(r"\b(?:timer|alarm|remind|snooze|more|longer|minute|hour|second|extend|add)"),
}


def not_spoken_of(said: NormalisedText) -> frozenset[str]:
    """Tools that nothing in these words speaks of."""
    return frozenset(name for name, words in _MEANT_BY.items() if not words.search(said.text))


def _points_elsewhere(text: str) -> bool:
    """The loudness of "the tv" is not ours."""
    return any(singular(word) not in _LOUD for word in _POINTED_AT.findall(text))


def _name_words(names: Iterable[str]) -> set[str]:
    return {singular(word) for name in names for word in plain_words(name)} - _DULL


def _tool_words(tools: Iterable["BaseTool"], *, looking: bool = False) -> set[str]:
    """What the tools of other servers are about, by their names and titles; with `looking` of all of them."""
    words: set[str] = set()
    for tool in tools:
        known = traits(tool)
        if (known.side_effects or looking) and known.source != "builtin" and "zwave" not in tool.name:
            name = re.sub(r"[_-]", " ", known.original_name or tool.name)
            words |= {singular(word) for word in plain_words(f"{name} {known.title}")}
    return words - _DULL


# --- what a whole utterance is


class SpeechAct(StrEnum):
    """What an utterance is about, as far as its words alone tell."""

    HOME = "home"  # something shall be done, or told of what only a tool can know
    TALK = "talk"  # plainly neither: a greeting, a story, general knowledge
    UNCLEAR = "unclear"  # none of these for sure, or in a language whose words are not known here


# What an assistant is told to do beyond the deeds above, whether a tool for it is there or not.
ORDERS = _DEEDS | frozenset(
    """order buy text message email call notify note record clear undo redo clean vacuum mop tidy water
    charge feed leave keep try secure snooze silence connect pair fix preheat cook
    display print post share lend find search google""".split()
)
_OPENING = re.compile(
    r"^(?:(?:no|yes|yeah|but|sorry|wait|listen|you (?:must|should|may|have to|need to)|we (?:should|must)|"
    r"slowly|try to|remember to) )+(?=\S)"
)
_FURTHER = re.compile(r"\b(?:and|but|then) (\w+) \w")
# A message, a short word, a complaint, the time: each wants something that only a tool can do or know.
_WANTED = re.compile(
    r"^(?:tell (?!me\b|us\b)\w+|let me know\b|tell me (?:when|once|as soon)\b|write down\b|"
    r"do (?:the|my|our|your|it|that|this|something|an?)\b|"
    r"(?:yes|yeah|yep|sure|okay|ok|go ahead|go on|please do)$|"
    r"(?:(?:a (?:bit|little)|much|\d+ \w+) )?(?:louder|quieter|softer|brighter|darker|dimmer|warmer|cooler|"
    r"hotter|colder|higher|faster|slower|again|lights? (?:on|off|out)|max|volume)\b|"
    r"(?:(?:tell me|do you know|do you have|what is|what|check) )+(?:the )?(?:current |local )?"
    r"(?:time|date|day|hour)(?: is it| it is| now| today)*$|"
    r"what (?:day|date|year|month|time) (?:is|will|was)\b|how late is it|"
    r"how (?:much time|long) .*\bleft\b|is it (?:late|noon|\d+))|"
    r"\btoo (?:loud|quiet|bright|dark|dim|hot|cold|warm|cool|noisy|stuffy)\b|"
    r"\bwrong (?:lamp|light|room|device|door)\b|"
    r"\bstill (?:on|off|open|closed|locked|unlocked|running|dark|playing|not)\b|"
    r"\b(?:it|i|we|here|room) (?:is|am|are) (?:\w+ )?"
    r"(?:freezing|cold|chilly|dark|stuffy|boiling|hot|loud|warm|sunny|bright)\b|"
    r"\b(?:does|did|is|are|has) not (?:work|turn|react|change|respond)"
)
# These want words, not deeds.
_TELLING = re.compile(
    r"^(?:tell (?:me|us) (?:a|an|another|about|something|how|why|more)|explain|describe|define|translate|"
    r"spell|recommend|suggest|talk|speak|guess|help me (?:with|understand|learn)|"
    r"chat|sing|recite|compose|imagine|invent|make (?:up|me (?:laugh|smile))|"
    r"say|(?:write|give me|read me|play)\b.* (?:joke|story|poem|haiku|song|tale|riddle|limerick|rhyme|fable|"
    r"recipe|tips?|ideas?|advice|letter|essay|game|quote|proverb|compliment|fact))\b"
)
# Asked of things in general: how they work, what they are, who made them.
_GENERAL = re.compile(
    r"^(?:how (?:do|can|could|should|to|would|does|did|long does|tall is|old is)|"
    r"why (?:do|does|should|would)|what (?:if|is an?|are|is the difference)|can an?|is \w+ or|"
    r"are you (?:an?|real|human|alive)|can \w+s (?=\w+$)|do you (?:like|love|enjoy|believe|dream|feel))\b"
)
_HISTORY = re.compile(r"(?:who|(?:when|where) (?:was|were)\b.*) \w+ed\b")
_ASKING = re.compile(
    r"^(?:(?:can you |could you )?(?:check|see)|any|anything|everything|status|state of|show|list|display|"
    r"name|give me|read|if|whether|how late|stop$)\b"
)
_POINTING = frozenset("it they them that this those these".split())
_IS_IT_SO = re.compile(r"^(?:did|have|has|had|are|were|is|was|will|does|do)\b")
# Who is here and what happened: no tool may know it, and a model knows it even less.
_OF_US = re.compile(
    r"(?:is|are|was|were|did|has|have|where|when|who|how (?:many|much|long))\b.*"
    r"\b(?:here|there$|we|my|our|someone|somebody|anyone|anybody|everyone|everybody|nobody)\b|"
    r"what happened\b|who (?:came|left|rang|knocked)\b|what (?:did|have|are|were|will) (?:you|i|we)\b"
)
# What a home has, or an assistant takes care of, whether this one has it or not.
_THINGS = (_SUBJECTS - {"it", "them", "all"}) | frozenset(
    """chandelier sconce lantern window awning gate deadbolt latch heater radiator humidity conditioner boiler
    furnace humidifier dehumidifier purifier fan ventilator audio loudspeaker music radio playlist podcast tv
    television countdown routine automation motion battery consumption detector vacuum robot hoover mop washer
    washing laundry sprinkler pump irrigation siren bell doorbell dryer dishwasher kettle oven stove fridge
    freezer camera calendar appointment appliance machine house home room kitchen bedroom bathroom hallway
    hall office study garden basement cellar attic nursery porch patio balcony terrace corridor lounge
    upstairs downstairs power internet wifi router""".split()
)
_STATES = (STATES.keys() - {"up", "down", "out", "going"}) | set(
    "muted playing armed disarmed finished done ready asleep".split()
)
_DEFINITE = frozenset(
    "the my our all any anyone anybody every which that this those these many we no".split()
)
# How talk begins. What begins otherwise may be an order whose verb is not known here.
_TALK_BEGINS = re.compile(
    r"^(?:what|who|whose|how|why|where|when|which|is|are|was|were|do|does|did|has|have|can|could|would|should|"
    r"i|you|he|she|we|they|my|your|his|her|our|their|it|that|this|there|the|some|people|hello|hi|hey|thanks|"
    r"thank|good|bye|goodbye|nice|great|wow|never mind|happy|merry|let us)\b"
)
# Words that are English, and hardly anything else; and others that are English among them.
_ENGLISH = frozenset(
    """the my your you are what who how why where when which tell this that there and with not does have
    about like they she today tonight day night love much many know because very really just never some
    story joke birthday morning goodbye bye hello thanks thank good nice great it would could should did were
    our their been be better going think feel bought always merry happy new year""".split()
)
_MORE_ENGLISH = frozenset(
    "i a is am do was has had in on of to for at by me we us he his her can will or if so no up".split()
)


def classify(text: str, names: Iterable[str], tools: Iterable["BaseTool"]) -> SpeechAct:
    """What the user's words are about, where `names` are those of the devices and rooms of this home.

    When in doubt it is not TALK, which alone leaves a model's words alone.
    """
    said, names = normalise(text), list(names)
    plain = _OPENING.sub("", said.text)
    words = [singular(word) for word in plain.split()]
    if not words:
        return SpeechAct.UNCLEAR
    things = (_THINGS | _tool_words(tools, looking=True) | _name_words(names)) - _DULL
    named = [place for place, word in enumerate(words) if word in things or device_class(word)]
    definite = any(_DEFINITE & set(_phrase_before(words, at)) for at in named)
    definite |= bool(named and {"we", "here"} & set(words)) or "at home" in plain
    orders_more = any(verb in _DEEDS for verb in _FURTHER.findall(plain))
    general = _GENERAL.match(plain) and not definite and not _SUBJECTS & set(words)
    if general or (_TELLING.match(plain) and not orders_more):
        known = named if not general else [name for name in names if " " in name and name_key(name) in plain]
        return SpeechAct.UNCLEAR if known else _talk(plain)
    if orders_more or _WANTED.search(plain) or (words[0] in ORDERS and not _ASKING.match(plain)):
        return SpeechAct.HOME
    if said.question or worded_as_question(plain) or _ASKING.match(plain):
        return _asked(said, plain, words, bool(named), definite)
    # "Kitchen light", "some music in the bathroom": a thing, and nothing told of it.
    told = around.SPOKEN.match(plain) or not_a_command(plain) not in (None, NotACommand.CONDITION)
    short = len(words) <= 7 and not told
    if named and (short or said.polite or unwrapped(plain)):
        return SpeechAct.HOME
    return SpeechAct.UNCLEAR if named else _talk(plain)


def _phrase_before(words: Sequence[str], at: int) -> Sequence[str]:
    """What stands before a thing and belongs to it: not "the speed of" before "light"."""
    before = words[max(0, at - 3) : at]
    return before[before.index("of") + 1 :] if "of" in before else before


def _asked(said: NormalisedText, plain: str, words: Sequence[str], named: bool, definite: bool) -> SpeechAct:
    """A question about this home and what was done there, or one about the world."""
    state, deed = bool(_STATES & set(words)), bool(ORDERS & set(words))
    history = _HISTORY.match(plain) and not state and not (_DEEDS - _THINGS) & set(words)
    if named and not history and (definite or state or said.polite or unwrapped(plain)):
        return SpeechAct.HOME
    yes_or_no, pointing = _IS_IT_SO.match(plain), len(words) <= 5 and not _POINTING.isdisjoint(words)
    if yes_or_no and (deed or pointing):
        return SpeechAct.HOME  # "did you order the pizza", "did it work"
    unsure = named or pointing or (state and yes_or_no) or (_OF_US.match(plain) and not history)
    return SpeechAct.UNCLEAR if unsure else _talk(plain)


def _talk(plain: str) -> SpeechAct:
    """Plainly talk only if most of it is English that is known here, and not of this room: "it feels like a
    sauna in here" may be a complaint."""
    if "in here" in plain:
        return SpeechAct.UNCLEAR
    opening = _TELLING.match(plain) or _GENERAL.match(plain)
    words = plain[opening.end() if opening else 0 :].split()
    known = sum(word in _ENGLISH for word in words) + plain.startswith(("i am ", "i will ", "i can "))
    known += len(opening[0].split()) if opening else 0
    more = sum(word in _MORE_ENGLISH or word.isdecimal() for word in words)
    share = 3 if plain.startswith(("wh", "how ")) else 2  # no other language begins so
    mostly = known and share * (known + more) >= len(plain.split())
    return SpeechAct.TALK if mostly and (opening or _TALK_BEGINS.match(plain)) else SpeechAct.UNCLEAR


def words_of(text: str, home: Home, tools: Iterable["BaseTool"], *, forbidden: bool) -> Words:
    """What words are that were not carried out here; `forbidden` ones are no plain wish."""
    if not forbidden:
        return Words.WISH
    names = home.spoken_names
    return Words.TALK if classify(text, names, tools) is SpeechAct.TALK else Words.DOUBTFUL
