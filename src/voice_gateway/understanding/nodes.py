"""What a reading is made of: frozen dataclasses that templates fill and planners read.

A rule whose name is one of these classes (`Which`, or `Which.row` for a second rule of the same class) builds
a node. A field whose type is a tuple collects every value that a template binds to it, in order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeGuard, TypeVar, cast, dataclass_transform, get_origin, get_type_hints

from voice_gateway.integrations.device import Device

Key = tuple[Any, ...]  # `Device.key`
_TYPES: Final[dict[str, type["Node"]]] = {}


def harmless(default: Any) -> Any:
    """A field that says how something was said: an act may ignore it."""
    return field(default=default, metadata={"harmless": True})


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Node:
    """Base of all nodes, all frozen dataclasses; a field that has its default was not said."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)
        _TYPES[cls.__name__] = cls


class Name(Node):
    """Devices of the home that one name may mean."""

    keys: tuple[Key, ...] = ()
    how: str = "exact"  # exact, part (of the name), misheard
    text: str = ""


class Place(Node):
    room: tuple[str, ...] = ()
    floor: str = ""
    here: bool = False
    there: bool = False  # where the last devices are
    everywhere: bool = False
    unknown: str = ""


class Item(Node):
    """One device, or one set of devices, in the words of the utterance."""

    name: Name | None = None
    kind: str = ""
    plural: bool = harmless(False)
    quant: str = harmless("")  # all, both, every, any
    number: float | None = None  # "the two lamps"
    definite: bool = harmless(False)  # "the lights", "my lights"
    place: tuple[Place, ...] = ()
    room: str = ""  # "the kitchen lights", or the room alone
    alone: bool = harmless(False)  # a room with no word for a device
    state: str = ""  # only those that are so: "the lights that are on"
    pronoun: bool = False
    everything: str = ""  # all, else
    other: bool = False
    nth: float | None = None  # "the last one", of the last devices
    like: bool = False  # "the bedroom one": the kind of the last devices
    unknown: str = ""


class Which(Node):
    item: tuple[Item, ...] = ()
    without: tuple[Item, ...] = ()
    state: str = ""
    either: bool = False
    one: bool = False
    some: bool = False


class Value(Node):
    number: float | None = None  # without a unit
    percent: float | None = None
    level: float | None = None  # a share: "half", "a quarter"
    degrees: float | None = None
    unit: str = ""  # C, F
    mode: str = ""
    colour: str = ""
    kelvin: float | None = None
    closed: bool = False  # the percentage counts from closed
    negative: bool = False


class Amount(Node):
    """How much more or less."""

    number: float | None = None
    percent: float | None = None
    degrees: float | None = None
    share: float | None = None
    factor: float | None = None
    small: bool = False
    large: bool = False


class Length(Node):
    """One part of a span: "two and a half hours"."""

    number: float = 1.0
    unit: float = 0.0  # seconds; a month and a year follow the calendar
    plus: float = 0.0  # "2 hours and a half"


class Clock(Node):
    """A time of day: "a quarter to 8" is 15 minutes before 8."""

    hour: float | None = None
    minute: float = 0.0
    before: float = 0.0
    half: str = ""  # am pm morning afternoon evening night
    named: bool = False  # noon is 12, midnight 24
    text: str = ""  # as a clock shows it: "07:30"


class Day(Node):
    ahead: float | None = None  # days from today
    weekday: float | None = None  # Monday is 0
    weeks: float = 0.0  # behind it: "a week from Sunday"
    next: bool = False
    week: bool = False  # "Friday next week"
    date: float | None = None
    month: float | None = None
    year: float | None = None
    feast: float | None = None  # 12.24 is Christmas Eve, 100 Easter, 101 the day behind it, 200 Thanksgiving


class Repeat(Node):
    daily: bool = False
    days: tuple[str, ...] = ()  # week, weekend
    weekday: tuple[float, ...] = ()
    first: float | None = None  # "from Monday to Friday"
    last: float | None = None
    number: float | None = None  # "every 2 hours"
    unit: float = 0.0
    monthly: bool = False
    date: float | None = None  # of a month; -1 is the last
    nth: float | None = None  # "the first Monday of each month"
    yearly: bool = False
    without: tuple[str, ...] = ()
    without_day: tuple[float, ...] = ()
    part: str = ""


class Sun(Node):
    event: str = ""  # sunrise sunset dawn dusk
    ahead: tuple[Length, ...] = ()
    before: bool = False


class Event(Node):
    """Something happens, or a device or a measure becomes something."""

    which: Which | None = None
    becomes: str = ""  # a state, motion, no motion, doorbell, button …
    measure: str = ""
    below: float | None = None
    above: float | None = None
    held: tuple[Length, ...] = ()
    once: bool = False
    button: float | None = None
    times: float | None = None
    holds: bool = False
    user: float | None = None
    danger: str = ""
    is_so: bool = False  # "is open", not "opens"


class When(Node):
    """A moment, a repetition or an event, and on what condition it counts."""

    clock: tuple[Clock, ...] = ()
    part: tuple[str, ...] = ()  # morning afternoon evening night noon tonight
    today: bool = False
    day: tuple[Day, ...] = ()
    repeat: tuple[Repeat, ...] = ()
    after: tuple[Length, ...] = ()
    during: tuple[Length, ...] = ()  # "for 10 minutes"
    until: tuple["When", ...] = ()
    sun: tuple[Sun, ...] = ()
    since: Clock | None = None  # "after 10 pm"
    before: Clock | None = None
    since_sun: str = ""
    before_sun: str = ""
    between: tuple[Clock, ...] = ()
    event: tuple[Event, ...] = ()
    condition: tuple["Condition", ...] = ()
    hours: str = ""  # dark light: only then
    vague: bool = False
    past: bool = False  # so long ago


class Condition(Node):
    """What must hold now."""

    which: Which | None = None
    state: str = ""
    negated: bool = False
    unless: bool = False
    below: float | None = None
    above: float | None = None
    place: tuple[Place, ...] = ()


class Command(Node):
    """An act on devices."""

    do: str = ""  # on off toggle open close up down lock unlock stop start set change scene ...
    which: Which | None = None
    value: Value | None = None
    amount: Amount | None = None
    way: float = 0.0  # +1 more, -1 less
    of: str = ""  # what is changed: light, heat, volume, speed
    place: tuple[Place, ...] = ()
    without: tuple[Item, ...] = ()
    aside: tuple[Item, ...] = ()  # named before the order: "the bedside lamp, switch it on"
    scene: str = ""
    text: str = ""  # what shall be played, or the room to clean
    lights: bool = False  # no device was named, and lights are meant
    sweep: bool = False  # the whole house was meant: "lock up"
    at: bool = False  # "the lamp at 20", without a verb: it could be a time
    bare: bool = False  # only the value or the name was said
    polite: bool = harmless(False)
    hint: bool = False  # to be confirmed: "we should turn off the heating"
    condition: Condition | None = None
    fix: tuple["Command", ...] = ()  # "off, no wait, on"
    instead: tuple[Item, ...] = ()  # "rather than the floor lamp"


class Topic(Node):
    """A thing that is named before the words about it: "the heating, what is it set to"."""

    which: Which | None = None


class Look(Node):
    """A question about the home."""

    ask: str = ""  # is any all which count list measure most sum where about danger rooms scenes health
    which: Which | None = None
    item: Item | None = None  # "the floor lamp's battery"
    danger: str = ""  # smoke, gas, water …
    players: bool = False  # of players, where no device is named
    told: bool = False  # the answer is no yes or no
    outside: bool = False
    either: tuple[str, ...] = ()  # "open or closed"
    state: str = ""
    measure: str = ""
    sense: str = ""  # what a sensor tells with yes or no: plug, running, battery (low), presence …
    text: str = ""  # where a person may be
    negated: bool = False
    place: tuple[Place, ...] = ()


class ToolUse(Node):
    """Words to a tool of another server."""

    tool: str = ""
    value: str = ""
    look: bool = False  # asked as a question


class Past(Node):
    """A question about what was."""

    ask: str = ""  # when since ever often
    which: Which | None = None
    state: str = ""
    span: str = ""  # today, yesterday, night …
    place: tuple[Place, ...] = ()


class Everyday(Node):
    """A call of one of the gateway's own tools; text fields are as they were said."""

    tool: str = ""
    action: str = ""
    kind: str = ""
    level: float | None = None
    span: tuple[Length, ...] = ()
    name: str = ""
    number: float | None = None
    message: str = ""
    query: str = ""
    items: str = ""
    list: str = ""
    day: str = ""
    place: str = ""
    about: str = ""
    part: str = ""
    weekday: str = ""
    also: str = ""
    missing: str = ""
    asked: str = ""
    confirm: bool = False
    latest: bool = False
    ahead: bool = False
    it: bool = False
    snooze: bool = False
    clock: Clock | None = None
    when: When | None = None
    more: When | None = None  # the other half of the time
    of: tuple[Length, ...] = ()  # "the 10 minute timer"
    other: tuple["Everyday", ...] = ()  # several timers at once
    polite: bool = harmless(False)
    condition: Condition | None = None


class Intent(Node):
    """A sentence of home-assistant-intents; `plan/intents.py` says which of our nodes it is."""

    intent: str = ""
    domain: tuple[str, ...] = ()  # of the device that is named
    here: bool = False  # only in a room that is known
    response: str = ""  # of the package: which of its replies belongs to the sentence
    polite: bool = harmless(False)
    slot: tuple[tuple[str, Any], ...] = ()


class Later(Node):
    """Steps that are done then, or again and again; or words that are said then."""

    when: When | None = None
    more: When | None = None  # the other half of the time: "tomorrow turn on the lamp at 8"
    step: tuple[Node, ...] = ()
    say: tuple[str, ...] = ()
    news: bool = False  # what happened is said
    which: Which | None = None  # "keep the lamp on until 8", "turn off at 9 the lamp"
    do: str = ""
    value: Value | None = None
    hold: bool = False  # on now, and off then


class Same(Node):
    """The last command, or question, for other devices: "and the bedroom"."""

    which: Which | None = None
    hint: bool = False
    again: bool = False  # once more, with the same devices
    one: bool = False  # "one more": a degree, or the last change again
    exactly: bool = False  # "the same": as it is now, not once more what was done
    back: bool = False  # the other way: "too much"
    way: float = 0.0  # "too bright"
    of: str = ""
    amount: Amount | None = None
    text: str = ""  # one more thing for the list, or the name of one more timer
    span: tuple[Length, ...] = ()
    number: float | None = None  # of the last question, one part: "and of 300", "and tomorrow", "and outside"
    day: str = ""
    also: str = ""
    place: str = ""
    outside: bool = False


class Chat(Node):
    """Talk, or a question about the gateway itself; `soft` is what a model would say better."""

    about: str = ""
    name: str = ""
    query: str = ""
    soft: bool = False


class Situation(Node):
    """How it is, said by somebody who wishes that it were otherwise."""

    what: str = ""
    place: str = ""  # in words
    room: str = ""
    item: str = ""


class Taught(Node):
    """A sentence of the user's own, which stands for an order."""

    order: str = ""


class Undo(Node):
    count: float = 1.0
    sure: bool = harmless(False)  # a yes was said to it
    that: bool = False  # "cancel that": what was just done, if anything was
    dismiss: bool = False  # "never mind that": also where nothing was done


class Correct(Node):
    """A command with only the fields that replace those of the last one: "no, I meant the desk lamp"."""

    fix: Command | None = None
    only: bool = False  # "I only meant the hall light": nothing else stays done
    wrong: Which | None = None  # "not the big light, the night light"
    number: float | None = None  # without a unit: a value, or the length of a timer
    when: When | None = None
    span: tuple[Length, ...] = ()
    text: str = ""  # of a list: what was meant, and what was not
    old: str = ""


class Talk(Node):
    """Words beside an order that take nothing of it back."""

    text: str = ""


class Remark(Node):
    """Words between pauses that are no part of an order."""

    text: str = ""


class Denied(Node):
    """A part that says what must not happen."""

    which: Which | None = None
    command: Command | None = None


class Answer(Node):
    """An answer to a question of ours."""

    kind: str = ""  # yes okay no all any other here but not several nth room name value at span text half
    ordinal: float | None = None
    count: float = 1.0
    part: tuple["Answer", ...] = ()
    room: str = ""
    name: Name | None = None
    value: Value | None = None
    command: Command | None = None
    at: str = ""  # am pm
    when: When | None = None
    span: tuple[Length, ...] = ()
    text: str = ""


class WhyQuestion(Node):
    """A question about what the gateway did, or why; it is read apart from an utterance."""

    ask: str = ""  # what (was asked or done); else why
    ours: bool = False  # about an act of the gateway
    negated: bool = False
    thing: str = ""  # that it names; empty: the last act
    became: str = ""  # the thing's state
    deed: str = ""
    rest: str = ""


class Utterance(Node):
    """The whole of what was said: steps in their order, and what stands around them."""

    step: tuple[Node, ...] = ()
    talk: tuple[Talk, ...] = ()
    remark: tuple[Remark, ...] = ()
    denied: tuple[Denied, ...] = ()
    then: bool = False
    polite: bool = harmless(False)


N = TypeVar("N", bound=Node)


def node_types() -> Mapping[str, type[Node]]:
    """Every node class by its name."""
    return _TYPES


_FIELDS: dict[Any, Mapping[str, bool]] = {}


def field_types(kind: type[Node]) -> Mapping[str, bool]:
    """The fields of a node class, and whether each collects several values."""
    if kind not in _FIELDS:
        hints = get_type_hints(kind)
        _FIELDS[kind] = {known.name: get_origin(hints[known.name]) is tuple for known in fields(kind)}
    return _FIELDS[kind]


# --- reading a node without dropping a part of it


class Unread(Exception):
    """A planner did not look at a field that was said; the reading must not act."""


class _Opened:
    """A node whose fields are counted as they are read."""

    def __init__(
        self, node: Node, parts: Mapping[str, Any] | None = None, read: set[str] | None = None
    ) -> None:
        self._node, self._read = node, set[str]() if read is None else read
        fresh = {name: _opened(getattr(node, name)) for name in field_types(type(node))}
        self._parts = {**fresh, **(parts or {})}

    def __getattr__(self, name: str) -> Any:
        self._read.add(name)
        return self._parts[name]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._node)

    def __hash__(self) -> int:
        return hash(self._node)

    def __eq__(self, other: object) -> bool:
        return bool(self._node == bare(other))


def _is_opened(value: object) -> TypeGuard[_Opened]:
    return type(value) is _Opened


def _openers(value: Any) -> list[_Opened]:
    return [part for part in (value if isinstance(value, tuple) else (value,)) if _is_opened(part)]


def _opened(value: Any) -> Any:
    if isinstance(value, Node) and not _is_opened(value) and not isinstance(value, Name):
        return _Opened(value)
    return tuple(map(_opened, value)) if isinstance(value, tuple) else value


def opened(node: N) -> N:
    """The same node; `unread` later tells which of its fields nobody looked at."""
    return cast(N, _Opened(node))


def bare(value: Any) -> Any:
    """Without the counting; nothing is marked as read."""
    if isinstance(value, tuple):
        return tuple(map(bare, value))
    return value._node if _is_opened(value) else value


def altered(node: N, **changes: Any) -> N:
    """The same node with other values; what is replaced counts as read."""
    if not _is_opened(node):
        return replace(node, **changes)
    node._read.update(changes)
    kept = {id(part._read) for value in changes.values() for part in _openers(value)}
    for part in (part for name in changes for part in _openers(node._parts[name])):
        if id(part._read) not in kept:
            closed(cast(Node, part))  # what is replaced need not be read
    parts = {name: part for name, part in {**node._parts, **changes}.items() if _openers(part)}
    plain = replace(node._node, **{name: bare(value) for name, value in changes.items()})
    return cast(N, _Opened(plain, parts, node._read))


def closed(node: N) -> N:
    """The node itself, with all its parts counted as read: for what is kept or handed on whole."""
    if not _is_opened(node):
        return node
    node._read.update(node._parts)
    for part in (part for value in node._parts.values() for part in _openers(value)):
        closed(cast(Node, part))
    return cast(N, node._node)


def unread(node: Node) -> list[str]:
    """Fields that were said and that no planner has read, as paths."""
    if not _is_opened(node):
        return []
    left, plain = list[str](), node._node
    for known in fields(plain):
        if getattr(plain, known.name) == known.default:
            continue
        if known.name in node._read:
            left += [path for part in _openers(node._parts[known.name]) for path in unread(cast(Node, part))]
        elif not known.metadata.get("harmless"):
            left.append(f"{type(plain).__name__}.{known.name}")
    return left


# --- in a conversation's state


def to_json(value: Any) -> Any:
    """A node as plain JSON, with only what was said; devices by their keys."""
    value = bare(value)
    if isinstance(value, Node):
        known = ((field, getattr(value, field.name)) for field in fields(value))
        given = {field.name: to_json(part) for field, part in known if part != field.default}
        return {"class": type(value).__name__, **given}
    if isinstance(value, Device):
        return {"device": value.key}
    return [to_json(part) for part in value] if isinstance(value, tuple) else value


def from_json(value: Any, find: Callable[[Key], Device | None] = lambda _key: None) -> Any:
    """What `to_json` wrote; a device that `find` does not know any more is left out of its tuple."""
    if isinstance(value, list):
        parts = ((part, from_json(part, find)) for part in value)
        return tuple(read for part, read in parts if read is not None or part is None)
    if not isinstance(value, dict):
        return value
    if "device" in value:
        return find(tuple(value["device"]))
    given = {name: from_json(part, find) for name, part in value.items() if name != "class"}
    return node_types()[value["class"]](**given)
