"""Follow-ups: the answer to a question of ours, "and the bedroom", which timer "it" is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from home_names.kinds import device_class
from home_names.names import name_key, plain_words
from home_words.list_words import list_name
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Request, Step, TimerChoice
from voice_gateway.brain.local.memory import Memory
from voice_gateway.brain.local.normalise import NormalisedText
from voice_gateway.brain.local.place import room_named
from voice_gateway.brain.local.plan.when import as_clock, is_clock, is_duration, read_when
from voice_gateway.brain.local.resolve import Found, Resolver
from voice_gateway.brain.local.speech_act import not_a_command
from voice_gateway.brain.local.wording import MOST_CHOICES, rooms_asked, which
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import build_home
from voice_gateway.tools.builtin.durations import parse_span
from voice_gateway.turn import OutcomeStatus, ToolOutcome

# --- the words in which a question is answered

YES = re.compile(
    r"^(?:yes |yeah |yep |sure |ok |okay )?(?:yes|yeah|yep|yup|sure|correct|right|exactly|of course|do it|"
    r"do that|go ahead|please do|that one|i do|affirmative|ok|okay|why not)$"
)
NO = re.compile(
    r"^(?:no|nope|nah|neither|none|none of them|no do not|do not|never mind|forget it|cancel|stop|leave it|"
    r"no thanks|no thank you|negative|nothing)$"
)
ALL = re.compile(
    r"^(?:both|both of them|all|all of them|all of those|every one|each one|everything|them all|"
    r"all (?:2|3|4|5)(?: of them)?)$"
)
ORDINALS = {
    f"{word}{one}": place
    for place, word in [*enumerate(("first", "second", "third", "fourth", "fifth")), (-1, "last")]
    for one in ("", " one")
}
WONT = "Okay, I won't."

# Said when nothing was asked. A later stage may have asked something, so it is passed on first.
_FINE = re.compile(r"^(?:ok|okay|alright|all right|right|fine|good|cool|i see|got it|very well)$")


def reply_to_nothing(text: str) -> str | None:
    """A short word to an answer that answers nothing."""
    if _FINE.match(text):
        return "All right."
    return "I haven't asked you anything." if YES.match(text) else None


# --- which device is meant

QUESTION_SECONDS = 60.0  # an answer later than this answers nothing

_CHOSEN = re.compile(
    r"^(?:no )?(?:i (?:mean|meant|want|would like) )?(?:yes )?(?:only )?(?:the )?(?:one |ones )?"
    r"(?:in |on |at |from |with )?(?:the )?"
)
_NUMBERED = re.compile(r"^(?:node |number |node number |outlet |socket |plug )?(?=\d+$)")
_BEING = re.compile(r"^(?:that|which|whats?) ?(?:is|s)? (on|off|open|closed|locked|unlocked)(?: now)?$")
_ALSO = re.compile(
    r"^(?:and|also|what about|how about|and what about|(?:do )?the same (?:for|in|with|to)|same (?:for|in)) "
    r"(?=\S)|^(?:no|sorry|no sorry|i meant) (?:i (?:mean|meant|said) )?(?=(?:the|my|our) )"
)


_ASKING = re.compile(r"^(?:and )?(?:what|how) about |^(?:no|sorry|i meant) ")


def resolve_answer(
    said: NormalisedText, asked: Clarification, context: Context
) -> Step | Clarification | Frame | None:
    """The answer to our question: a clear frame, the question again, or None: it was no answer."""
    if NO.match(said.text) or NO.match(said.whole):
        return Step("No", say=WONT)
    if asked.slot:
        return _filled(said.text, asked, context)
    if YES.match(said.text) or YES.match(said.whole):
        return asked if asked.timers else _agreed(asked, context)
    return _picked_timer(said, asked) if asked.timers else _picked(said, asked, context)


def _filled(text: str, asked: Clarification, context: Context) -> Frame | None:
    """The wish with what was missing."""
    if asked.slot == "without":
        return _left_out(text, asked, context)
    if asked.slot == "half":
        return _half_of_day(text, asked)
    if asked.slot == "items":
        return Frame(asked.frame.intent, {**asked.frame.slots, "items": text})
    if asked.slot == "list":
        return Frame(
            asked.frame.intent, {**asked.frame.slots, "list": list_name(re.sub(r"^(?:on|to) ", "", text))}
        )
    if asked.slot == "message":  # whatever is said is what to be reminded of
        matter = re.sub(r"^(?:to|that|about) ", "", text)
        return Frame(asked.frame.intent, {**asked.frame.slots, "message": matter})
    return _when(text, asked)


def _agreed(asked: Clarification, context: Context) -> Clarification | Frame | None:
    if asked.frame.intent in ("Scene", "Search"):
        return asked.frame
    return for_devices(asked, asked.candidates, context) if asked.confirm else asked


def _picked(said: NormalisedText, asked: Clarification, context: Context) -> Clarification | Frame | None:
    text = said.text
    enough = len(asked.candidates) == 2 if text.startswith("both") else len(asked.candidates) > 1
    if ALL.match(text) and enough and not asked.confirm:
        return for_devices(asked, asked.candidates, context)
    words = _CHOSEN.sub("", text).strip()
    if words not in ORDINALS:
        words = re.sub(r" ones?$", "", words)
    if being := _being(words, asked, context):
        return _narrowed(being, asked, context)
    if not words or len(words.split()) > 5 or not_a_command(text) or said.question:
        return None
    return _called(words, asked, context)


def _called(words: str, asked: Clarification, context: Context) -> Clarification | Frame | None:
    if words in ORDINALS:
        return _counted(ORDINALS[words], asked, context)
    # "The kitchen and the office one": each must be clear.
    parts = re.split(r" and (?:the )?", words)
    inside = [_in_home(part, asked) or _in_room(room_named(part, context.home), asked) for part in parts]
    if len(parts) == 1 and inside[0]:
        return _narrowed(inside[0], asked, context)
    meant = [one or _named(part, asked) for one, part in zip(inside, parts, strict=True)]
    if len(parts) == 1:
        return for_devices(asked, meant[0], context) or _of_class(words, asked, context)
    clear = all(len(one) == 1 for one in meant)
    return for_devices(asked, [one[0] for one in meant], context) if clear else None


def _counted(place: int, asked: Clarification, context: Context) -> Clarification | Frame | None:
    """ "The second one" is the second that was named: a room, where rooms were asked for."""
    rooms = [] if asked.confirm else rooms_asked(asked.candidates)
    shown = len(rooms or asked.candidates)
    if not -shown <= place < (shown if rooms else min(shown, MOST_CHOICES)):
        return None
    if rooms:
        return _narrowed(_in_room(rooms[place], asked), asked, context)
    return for_devices(asked, (asked.candidates[place],), context)


def _in_home(said: str, asked: Clarification) -> tuple[Device, ...]:
    """ "The one of ha", where devices of several homes were asked about."""
    words = re.sub(r"^(?:of|from) (?:the )?", "", said)
    found = tuple(device for device in asked.candidates if device.source and name_key(device.source) == words)
    return found if len(found) < len(asked.candidates) else ()


def _being(said: str, asked: Clarification, context: Context) -> tuple[Device, ...]:
    """ "The one that is on"."""
    state = _BEING.match(said)
    return tuple(one for one in asked.candidates if state and context.home.is_so(one, state[1]))


def _in_room(room: str | None, asked: Clarification) -> tuple[Device, ...]:
    return tuple(device for device in asked.candidates if room and name_key(device.room) == name_key(room))


def _named(words: str, asked: Clarification) -> tuple[Device, ...]:
    found = Resolver(build_home(asked.candidates)).resolve(words)
    if isinstance(found, Found):
        return found.devices
    # "Number 2" is the Power Strip 2, as we offered it, before it is a node.
    called = tuple(one for one in asked.candidates if one.name.endswith(f" {_NUMBERED.sub('', words)}"))
    if len(called) == 1 and not words.startswith("node "):
        return called
    return build_home(asked.candidates).names.exact(_NUMBERED.sub("node ", words))


def _of_class(words: str, asked: Clarification, context: Context) -> Clarification | Frame | None:
    """ "The lights": those of what we asked about; "the light" is one of them."""
    sort = device_class(words)
    members = sort.among(asked.candidates) if sort is not None else ()
    if sort is not None and sort.plural:
        return for_devices(asked, members, context)
    return _narrowed(members, asked, context) if len(members) < len(asked.candidates) else None


def _narrowed(
    devices: tuple[Device, ...], asked: Clarification, context: Context
) -> Clarification | Frame | None:
    """The wish for these, or the question again where a room has several of them."""
    if len(devices) > 1:
        return replace(asked, text=which(devices, context.home), candidates=devices)
    return for_devices(asked, devices, context)


def _left_out(text: str, asked: Clarification, context: Context) -> Frame | None:
    """What shall be left as it is, said again."""
    words = re.sub(r"^(?:(?:i (?:mean|meant)|leave|only|just) )+", "", text)
    known = room_named(words, context.home) or isinstance(Resolver(context.home).resolve(words), Found)
    return Frame(asked.frame.intent, {**asked.frame.slots, "without": words}) if known else None


def _when(text: str, asked: Clarification) -> Frame | None:
    when, intent = as_clock(re.sub(r"^(?:for|in|at) ", "", text)), asked.frame.intent
    if is_duration(when):
        return Frame(intent, {**asked.frame.slots, "duration": when})
    day = asked.frame.text("clock")  # "tomorrow": the hour was missing
    clock = f"{day} {when}" if day and is_clock(f"{day} {when}") else read_when(text).at or when
    known = is_clock(clock) or (intent == "Remind" and is_clock(clock, day_alone=True))
    return Frame(intent, {**asked.frame.slots, "clock": clock}) if known else None


_HALVES = {
    "am": r"\b(?:am|morning|night|midnight|early)\b",
    "pm": r"\b(?:pm|afternoon|noon|midday|day|lunch|lunchtime)\b",
}


def _half_of_day(text: str, asked: Clarification) -> Frame | None:
    """ "In the afternoon", or the whole time once more."""
    for half, words in _HALVES.items():
        if re.search(words, text):
            return Frame(
                asked.frame.intent, {**asked.frame.slots, "clock": f"{asked.frame.text('clock')} {half}"}
            )
    return _when(text, asked)


def for_devices(asked: Clarification, devices: Sequence[Device], context: Context) -> Frame | None:
    """The same wish for exactly these devices, and for those that were clear before."""
    if not devices:
        return None
    names = " and ".join(context.home.called(device) for device in (*asked.clear, *devices))
    slots = {name: value for name, value in asked.frame.slots.items() if name != "place"}
    return Frame(asked.frame.intent, {**slots, "thing": names}, asked.frame.literal)


def asks_first(said: NormalisedText) -> bool:
    """ "What about the bedroom" and "no, the bedroom" never act by themselves: it is asked what was meant."""
    return said.question or bool(_ASKING.match(said.whole))


def repeated_wish(said: NormalisedText, memory: Memory, context: Context) -> Frame | None:
    """ "And the bedroom": the last wish once more, for something else."""
    match = _ALSO.match(said.whole)
    if match is None or memory.frame is None or "thing" not in memory.frame.slots:
        return None
    rest = re.sub(r"^(?:in|for|on|with) | too(?: please)?$| please$", "", said.whole[match.end() :])
    room = context.home.rooms.get(name_key(re.sub(r"^(?:the|my|our) ", "", rest)))
    slots = {name: value for name, value in memory.frame.slots.items() if name != "place"}
    if room is None:
        return Frame(memory.frame.intent, {**slots, "thing": rest})
    kinds = {"lights" if device.is_light else f"{device.kind}s" for device in memory.last}
    if kinds not in ({"lights"}, {"blinds"}):
        return None
    return Frame(memory.frame.intent, {**slots, "thing": f"{kinds.pop()} in {room}"})


# --- which timer is meant

CANCEL = "cancel_timer"
IT_SECONDS = 120.0  # so long "cancel it" means the timer that was set last

_CANCEL_IT = re.compile(
    r"^(?:cancel|(?:cancel|stop|delete|remove) it|(?:cancel|delete|remove) (?:that|this)(?: one| timer)?|"
    r"(?:cancel|stop|delete|remove) (?:it|that|this) (?:timer|alarm|reminder))$"
)
_TURN_IT_OFF = re.compile(r"^(?:turn|switch) (?:it|that) off$")
_BEFORE = re.compile(
    r"^(?:(?:no|yes) )?(?:i (?:mean|meant|want) )?(?:(?:cancel|stop|delete|remove) )?(?:the |my )?"
    r"(?:(?:one|timer|reminder) (?:for |with |of |called |named |to |about )?)?(?:the |my )?"
)
_BEHIND = re.compile(r"(?:^| )(?:one|ones|timer|timers|alarm|reminder)$")


def timer_question(step: Step, outcomes: Sequence[ToolOutcome], text: str) -> Clarification | None:
    """What the timers' own tool could not decide is a question that waits for its answer."""
    for outcome in outcomes if step.intent == "CancelTimer" else ():
        choices = _choices(outcome.facts.get("timers"))
        if outcome.status is OutcomeStatus.AMBIGUOUS and step.frame is not None and len(choices) > 1:
            return Clarification(text, step.frame, timers=choices)
    return None


def _choices(timers: object) -> tuple[TimerChoice, ...]:
    """As `cancel_timer` tells of them."""
    known = [one for one in timers if isinstance(one, Mapping)] if isinstance(timers, list) else []
    return tuple(
        TimerChoice(
            int(one["id"]),
            " ".join(plain_words(f"{one.get('name') or ''} {one.get('message') or ''} {_clock_words(one)}")),
            int(one.get("seconds") or 0),
        )
        for one in known
        if isinstance(one.get("id"), int)
    )


def _clock_words(timer: Mapping[str, object]) -> str:
    """An alarm goes by its time: "7", "7 30"."""
    hours, _, minutes = str(timer.get("due") or "")[11:16].partition(":")
    if timer.get("kind") != "alarm" or not hours.isdecimal():
        return ""
    return f"{int(hours) % 12 or 12} {minutes if minutes != '00' else ''} {'am' if int(hours) < 12 else 'pm'}"


def _picked_timer(said: NormalisedText, asked: Clarification) -> Step | Clarification | None:
    """The timers that the answer means; the question again; None when it was no answer."""
    both = said.text.startswith("both")
    if ALL.match(said.text) and (not both or len(asked.timers) == 2):
        return _cancelled(asked, asked.timers)
    words = _BEHIND.sub("", _BEFORE.sub("", said.text)).strip()
    if not words or said.question or not_a_command(words):
        return None
    meant = _meant(words, asked.timers)
    if len(meant) > 1:
        return replace(asked, timers=meant)
    return _cancelled(asked, meant) if meant else None


def _meant(words: str, choices: Sequence[TimerChoice]) -> tuple[TimerChoice, ...]:
    place = ORDINALS.get(words)
    if place is not None:
        return (choices[place],) if -len(choices) <= place < len(choices) else ()
    span = parse_span(f"{words} minutes" if words.isdecimal() else words)
    long = [choice for choice in choices if span is not None and choice.seconds == span.total_seconds]
    wanted = set(plain_words(words))
    named = [choice for choice in choices if wanted and wanted <= set(choice.called.split())]
    return tuple(long or named)


def _cancelled(asked: Clarification, choices: Sequence[TimerChoice]) -> Step:
    requests = tuple(Request(CANCEL, {"name": str(choice.id)}) for choice in choices)
    return Step("CancelTimer", requests, acts=True, frame=asked.frame)


def just_set(step: Step, outcomes: Sequence[ToolOutcome]) -> str | None:
    """How its own tool knows the timer that this step has set; "" when "it" is now something else."""
    if step.intent in ("SetTimer", "SetAlarm", "Remind") and len(outcomes) == 1 and outcomes[0].ok:
        args = step.requests[0].args
        return str(outcomes[0].facts.get("id") or args.get("name") or args.get("duration") or "")
    return "" if step.acts or step.devices else None


def cancel_it(said: NormalisedText, timer: str, *, alone: bool) -> Step | None:
    """`alone`: nothing else was talked of that could be turned off."""
    meant = _CANCEL_IT.match(said.text) or (alone and _TURN_IT_OFF.match(said.text))
    if not timer or not meant or said.question:
        return None
    return Step("CancelTimer", (Request(CANCEL, {"name": timer}),), acts=True)
