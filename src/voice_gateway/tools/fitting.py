"""Whether a call is what the words mean: thing, direction and value stand in them, and no other time.

Erring costs a question, so only what plainly stands there counts; whose words they are is in `own_words`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from home_words.kinds import HomeDevice, classes_in
from home_words.names import loose_words, plain_words, words
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
    "thermostat": re.compile(r"\b(?:heat\w*|warm\w*|cool\w*|cold\w*|degrees|temperature|thermostat)\b"),
    "light": re.compile(r"\b(?:light\w*|lamps?|bright\w*|dark\w*|dim\w*)\b"),
}
_PARTS: Final = {"half": 50.0, "quarter": 25.0, "full": 100.0, "fully": 100.0, "maximum": 100.0, "max": 100.0}
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


def _plain(said: str) -> str:
    """In words as they are compared, with a comma where a part of the sentence ends."""
    pieces = re.split(r"[,;.!?]+(?=\s|$)", re.sub(r"(?<=\d)[.,](?=\d)", "decimal", said))
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
    """By its name, its kind or its room."""
    spoken = loose_words(part)
    if loose_words(device.name) <= spoken or (device.room and loose_words(device.room) <= spoken):
        return True
    sorts = list(classes_in(words(part)))
    if any(sort.has(device) for sort in sorts) or (not sorts and spoken & ALL):
        return True
    sensed = _SENSED.get("thermostat" if device.kind == "thermostat" else "")
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
    return all(_is_said(number, said) for number in wanted if number)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [float(value)]
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", str(value))]


def _is_said(number: float, said: set[float]) -> bool:
    hours = {other + 12 for other in said if other < 12}  # 7 in the evening is 19:00
    return number in hours or any(math.isclose(number, other * per) for other in said for per in _PER)
