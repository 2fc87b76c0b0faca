"""Whether a call is what the words mean: thing, direction and value stand in them, and no other time.

Erring costs a question, so only what plainly stands there counts; whose words they are is in `own_words`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.kinds import HomeDevice, classes_in, is_light
from home_words.names import loose_words, plain_words, words
from home_words.question import is_question
from home_words.resolver import ALL
from voice_gateway.tools.own_words import name_words
from voice_gateway.turn import ToolCall, ToolTraits

TIMERS: Final = frozenset({"set_timer", "cancel_timer"})
VOLUME: Final = "control_speaker_volume"
THERMOSTAT: Final = "set_zwave_thermostat"

# Which words say the direction of an action. "The light on the desk" says nothing of on.
_DIRECTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    action: re.compile(rf"\b(?:{said})\b")
    for action, said in {
        "on": r"(?:turn|switch|put|power|flip|get)(?:ing|ed)? on|on(?! (?:the|my|our|a|this|that)\b)|start|"
        r"enable|activate|light up|brighter|some (?:more )?lights?|more light",
        "off": r"off|out|kill|disable|deactivate|shut down|cut|douse|extinguish",
        "open": r"open|opened|raise|raised|lift|up",
        "close": r"close|closed|shut|lower|lowered|down|draw|drawn",
        "dim": r"dim|dimmed|dimmer|bright|brighter|darker|brightness|percent|half|"
        r"quarter|full|level|set|make",
        "stop": r"stop|halt|hold",
        "toggle": r"toggle|flip",
        "lock": r"lock|locked|secure",
        "unlock": r"unlock|unlocked",
        "up": r"up|louder|raise|increase|higher|more volume|turn up",
        "down": r"down|quieter|softer|lower|decrease|less volume|turn down",
        "set": r"volume|sound|loudness",
        "mute": r"mute|muted|silence|silent|sound off|shut up",
        "unmute": r"unmute|unmuted|sound on",
    }.items()
}
_NEXT: Final = re.compile(r",|\b(?:and|then|also|plus)\b")
_EXCEPT: Final = re.compile(
    r"\b(?:but|except|excluding|apart from|other than|besides|not|without|leave|keep)\b"
)
_POINTING: Final = frozenset("it them that those these this both again too there other one".split())
_LATER: Final = re.compile(
    r"\b(?:if|when|whenever|unless|until|till|once|while|after|before|during|as soon as|in case|tomorrow|"
    r"tonight|later|soon|every|always|daily|otherwise|sunset|sunrise|midnight|noon|dawn|dusk|"
    r"(?:in|for) (?:\d+|an?|half an|some|a few|a couple of) (?:second|minute|hour|day|week|moment|while)s?|"
    r"(?:this|next|in the|at) (?:morning|evening|afternoon|night|weekend|week)|"
    r"(?:at|by|around|from) \d{1,2}(?: \d\d)?(?: ?(?:am|pm|oclock)|$)|\d+ ?(?:am|pm)|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
)
# What a thing is spoken of by, where it is not named itself.
_SENSED: Final[Mapping[str, re.Pattern[str]]] = {
    kind: re.compile(rf"\b(?:{said})\b")
    for kind, said in {
        "thermostat": r"heat\w*|warm\w*|cool\w*|cold\w*|hot|freez\w*|chilly|degrees|temperature|stuffy",
        "light": r"light\w*|lit|bright\w*|dark\w*|dim\w*|gloomy|glare|glow\w*|see",
        "blind": r"sun\w*|glare|dazzl\w*|bright|dark|shade\w*|privacy|window\w*",
    }.items()
}
# Who says one of these may want something; a mere statement has none of them.
_WANTED: Final = re.compile(
    r"\b(?:please|want\w*|need\w*|like|likes|love|nice|lovely|great|good|better|best|could|would|should|can|may|"
    r"might|mind|chance|how about|what about|why not|any|anymore|too|more|less|bit|little|wish\w*|hope|time|"
    r"prefer|rather|enough|let|shall|must|ought|no|not|never|dont|cant|wont|isnt|arent|doesnt|forgot|forget|"
    r"remember|still|again|make|set|put|get|give|take|have|brew|keep|leave|off|on|open|shut|close|closed|up|"
    r"down|cold|freezing|dark|hot|warm|chilly|stuffy|bright|ask\w*|said|says|told|tell\w*|done|finished|undo|"
    r"revert|back|wrong|meant|instead|into|\d+)\b|"
    # "Boil the kettle": an order begins with its verb.
    r"^(?!(?:the|a|an|my|our|your|his|her|its|i|you|he|she|we|they|it|in|at|of|with|from|is|are|was)\b)"
    r"\w+ (?:the|my|our|some|it|them|that|those)\b"
)
_WHATEVER: Final = frozenset(
    "all everything everywhere every whatever whichever anything rest other stuff".split()
)
_DULL: Final = loose_words("light lamp door room main new old big small switch plug")
_IN: Final = re.compile(r"\bin (?:the |my |our )?(\w+)")
# A deed and no device: where an order begins, before its particle or article, and in "switch floor lamp off".
_AS_VERB: Final = re.compile(
    r"(?:^|\b(?=\w+ (?:on|off|the|my|our|it|that|all|up|in)\b))(?:switch|lock|heat|plug|cover|shade)\b|"
    r"(?<!\bthe )(?<!\bmy )(?<!\bour )(?<!\bthat )(?<!\ba )\bswitch(?= (?:\w+ ){1,5}(?:on|off)\b)|"
    r"(?<=\bplease )(?:switch|lock|heat|plug|cover|shade)\b"
)
_HERE: Final = frozenset("here there house home whole total general all every it half".split())
_ANY: Final = frozenset(
    "the my our all every both those these this that some any a an of other each with for and no need more "
    "whichever "
    "turn switch kill cut put have get want like please dim set make shut off on out , are is".split()
)
_PARTS: Final = {"half": 50.0, "quarter": 25.0, "full": 100.0, "fully": 100.0, "maximum": 100.0, "max": 100.0}
_MEASURED: Final = re.compile(rf"\d (?:percent|degrees)|\b(?:{'|'.join(_PARTS)})\b")
_PER: Final = (1, 60, 3600)  # a tool may count the minutes that were said in seconds
_VALUES: Final = ("level", "temperature", "duration", "at")


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A device that nobody has listed: by the name that the call has for it."""

    name: str
    room: str = ""
    kind: str = "other"
    node_id: int | None = None


def fits(said: str, call: ToolCall, traits: ToolTraits, devices: Sequence[HomeDevice], before: str) -> bool:
    """`devices` are those that it would reach, `before` is what was said in the conversation until now."""
    args: Mapping[str, Any] = call.args if isinstance(call.args, Mapping) else {}
    plain = _plain(said)
    name = traits.original_name or call.name
    if name in TIMERS:
        return _values_fit(args, plain)
    if _LATER.search(plain):
        return False
    if "deviceName" in args:
        return _device_fits(plain, args, devices or (_Unknown(str(args["deviceName"])),), before)
    if "sceneName" in args:
        return bool(wanted := loose_words(str(args["sceneName"]))) and wanted <= loose_words(said)
    if name == VOLUME:
        return _directed(plain, str(args.get("action", ""))) and _values_fit(args, plain)
    return bool(loose_words(" ".join(_about(name))) & loose_words(said))


def speaks_of(
    said: str, call: ToolCall, traits: ToolTraits, devices: Sequence[HomeDevice], before: str
) -> bool:
    """Whether the words, or those before, are about what the call is for, and want something: a proposal
    that has nothing to do with them is none."""
    args: Mapping[str, Any] = call.args if isinstance(call.args, Mapping) else {}
    plain, name = _plain(said), traits.original_name or call.name
    if name == VOLUME or name in TIMERS:
        return True  # what is not spoken of is known by the words for it
    wanted = _WANTED.search(plain) or is_question(said) or _directed(plain, str(args.get("action", "")))
    if not wanted:
        return False
    if "deviceName" in args:
        named = devices or (_Unknown(str(args["deviceName"])),)
        return any(_is_near(plain, one) or _follows(plain, one, before) for one in named)
    about = str(args["sceneName"]) + " scene" if "sceneName" in args else " ".join(_about(name))
    return not loose_words(about).isdisjoint(loose_words(said))


def _is_near(plain: str, device: HomeDevice) -> bool:
    """By less than `_names`: "brew some coffee" is for the Coffee Maker, "whatever is on" for any."""
    spoken = loose_words(plain)
    own = loose_words(device.name) - _DULL
    return (
        _names(plain, device)
        or _senses(plain, device)
        or not own.isdisjoint(spoken)
        or not _WHATEVER.isdisjoint(spoken)
    )


def _plain(said: str) -> str:
    """In words as they are compared, with a comma where a part of the sentence ends."""
    pieces = re.split(r"(?<![,;.!?])[,;.!?]+(?=\s|$)", re.sub(r"(?<=\d)[.,](?=\d)", "decimal", said))
    plain = " , ".join(" ".join(plain_words(piece)) for piece in pieces if piece.strip())
    return plain.replace("decimal", ".")


def _about(name: str) -> list[str]:
    return [word for word in name_words(name) if len(word) > 2 and word not in ("the", "for", "mcp", "run")]


def _device_fits(plain: str, args: Mapping[str, Any], devices: Sequence[HomeDevice], before: str) -> bool:
    """In the part of the sentence that names it, with the direction and the value of that part."""
    main, *rest = _EXCEPT.split(plain)
    if any(_names(part, one) for part in rest for one in devices):
        return False
    parts = [part.strip() for part in _NEXT.split(main) if part.strip()]
    return bool(parts) and all(
        any(_part_fits(parts, at, args, one, before) for at in range(len(parts))) for one in devices
    )


def _part_fits(
    parts: Sequence[str], at: int, args: Mapping[str, Any], device: HomeDevice, before: str
) -> bool:
    if not _names(parts[at], device) and not _follows(parts[at], device, before):
        return False
    action = args.get("action")
    if action is not None and not _directed(_nearest(parts, at, _ANY_DIRECTION), str(action)):
        return False
    if (mode := args.get("mode")) is not None and not loose_words(str(mode)) <= loose_words(parts[at]):
        return False
    return _values_fit(args, _nearest(parts, at, _ANY_VALUE))


_ANY_DIRECTION: Final[re.Pattern[str]] = re.compile("|".join(one.pattern for one in _DIRECTIONS.values()))
_ANY_VALUE: Final[re.Pattern[str]] = re.compile(rf"\d|\b(?:{'|'.join(_PARTS)})\b")


def _nearest(parts: Sequence[str], at: int, wanted: re.Pattern[str]) -> str:
    """The part itself, or else the one before or behind it that says it: "the fan and the lamp off"."""
    places = (at, *range(at - 1, -1, -1), *range(at + 1, len(parts)))
    return next((parts[place] for place in places if wanted.search(parts[place])), parts[at])


def _names(part: str, device: HomeDevice) -> bool:
    """By its name, its kind or its room, and by no other: "the floor lamp" is not just any lamp."""
    spoken, own = loose_words(part), loose_words(f"{device.room} {device.name}")
    if loose_words(device.name) <= spoken:
        return True
    if any(not loose_words(place) <= own for place in _IN.findall(part) if place not in _HERE):
        return False
    sorts = list(classes_in(words(_AS_VERB.sub(" ", part))))
    if sorts:
        return any(sort.has(device) and _is_any(part, sort.noun, own) for sort in sorts)
    if (device.room and loose_words(device.room) <= spoken) or spoken & ALL:
        return True
    return device.kind == "thermostat" and _senses(part, device)


def _is_any(part: str, noun: str, own: frozenset[str]) -> bool:
    """Whether the word before a kind says nothing of another device."""
    before = f" {part}".partition(f" {noun}")[0].split()[-1:]
    said = "".join(before)
    return (
        not said
        or said in _ANY
        or said.isdecimal()
        or bool(loose_words(said) <= own)
        or bool(_ANY_DIRECTION.fullmatch(said))
    )


def _senses(part: str, device: HomeDevice) -> bool:
    """ "It is dark in here" speaks of lights."""
    kind = "light" if is_light(device.kind, device.name) else device.kind
    sensed = _SENSED.get(kind)
    return bool(sensed and sensed.search(part))


def _follows(part: str, device: HomeDevice, before: str) -> bool:
    """ "Make it brighter": of what was spoken of before, and nothing else is named."""
    spoken = frozenset(part.split())
    points = bool(spoken & _POINTING) or not list(classes_in(words(part)))
    name = loose_words(device.name)
    return points and bool(name) and name <= loose_words(before)


def _directed(part: str, action: str) -> bool:
    known = _DIRECTIONS.get(action)
    return bool(known.search(part)) if known else action in part.split()


def _values_fit(args: Mapping[str, Any], part: str) -> bool:
    """What nobody said is no value: 40 percent, "3 hours", 21 degrees."""
    said = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", part)}
    said |= {value for word, value in _PARTS.items() if re.search(rf"\b{word}\b", part)}
    wanted = [number for key in _VALUES if key in args for number in _numbers(args[key])]
    if not wanted and _MEASURED.search(part):
        return False  # "cut it in half" is no off
    return all(_is_said(number, said) for number in wanted if number)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [float(value)]
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", str(value))]


def _is_said(number: float, said: set[float]) -> bool:
    hours = {other + 12 for other in said if other < 12}  # 7 in the evening is 19:00
    return number in hours or any(math.isclose(number, other * per) for other in said for per in _PER)
