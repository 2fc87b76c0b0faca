"""How the user is asked about calls that wait: in everyday words, and in one question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from home_names.names import loose_words
from home_names.phrases import listed
from voice_gateway.languages import plainly, say
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.permission.risk import name_words
from voice_gateway.tools.permission.target import LOOK, Reach, Reaches
from voice_gateway.turn import ToolCall, ToolTraits

_DOING = {
    "on": "turn on", "off": "turn off", "colour": "change", "kelvin": "change", "speed": "set",
    "ring": "sound", "volume": "set the volume of", "next": "skip on", "previous": "go back on",
    "list": "write on", "dock": "send home",
}  # fmt: skip
_MOST_NAMED = 4  # devices that one call would reach
_LONGEST = 60  # characters of a value that are said


class _Act(NamedTuple):
    """ "dim", "the Floor Lamp", "to 40 percent"; an act without a thing is whole in `doing`."""

    doing: str
    thing: str = ""
    how: str = ""
    room: str = ""  # of the only device
    node: int | None = None


def question(
    calls: Sequence[ToolCall], traits: Callable[[str], ToolTraits], reaches: Reaches, *, pin: bool
) -> str:
    """ "Shall I unlock the front door?" """
    return say("confirm.pin" if pin else "confirm", what=described(calls, traits, reaches))


def described(calls: Sequence[ToolCall], traits: Callable[[str], ToolTraits], reaches: Reaches) -> str:
    """ "turn off the floor lamp and the desk lamp" """
    groups: dict[tuple[str, str], list[_Act]] = {}
    for call in calls:
        act = _act(call, traits(call.name), reaches)
        same = groups.setdefault((act.doing, act.how), [])
        if act not in same:
            same.append(act)
    things = {act: listed([_distinct(each, acts) for each in acts]) for act, acts in groups.items()}
    return listed([" ".join(filter(None, (doing, thing, how))) for (doing, how), thing in things.items()])


def _distinct(act: _Act, among: Sequence[_Act]) -> str:
    """The thing; of several devices with one name with its room, otherwise with its number."""
    twins = [other for other in among if other.thing == act.thing]
    if len(twins) == 1:
        return act.thing
    if act.room and len({twin.room for twin in twins}) == len(twins):
        return f"{act.thing} in the {act.room}"
    return act.thing if act.node is None else f"{act.thing}, node {act.node}"


def _act(call: ToolCall, traits: ToolTraits, reaches: Reaches) -> _Act:
    args = call.arguments
    name, reach = traits.original_name or call.name, reaches(call, traits)
    if traits.asked is not None:
        return _Act(traits.asked(args))
    if reach is not None and (act := _home_act(reach)):
        return act
    given = {key: _short(value) for key, value in args.items() if value not in (None, "")}
    if traits.trusted and (words := _own_words(name, given)):
        return _Act(" ".join(words.split()))
    # An untrusted title could say anything.
    title = (traits.title if traits.trusted else "") or " ".join(name_words(name))
    if traits.source != "builtin":
        title = f"use {title} of {traits.source}"
    facts = ", ".join(f"{' '.join(name_words(key))} {_short(value)}" for key, value in args.items())
    return _Act(f"{title} with {facts}" if facts else title)


def _home_act(reach: Reach) -> _Act | None:
    """None for a target that is not known well enough."""
    if reach.scene and not reach.devices:
        unseen = ", though I can't see all that it changes" if reach.unseen else ""
        return _Act(f"start {_short(reach.scene)}{unseen}")
    thing = _thing(reach)
    if reach.action in ("", LOOK) or not thing:
        return None
    thing = thing[4:] if thing.lower().startswith("the ") else thing
    doing, how = _DOING.get(reach.action, reach.action), _short(reach.how)
    act = _Act(doing, f"the {plainly(thing)}", how)
    if len(reach.devices) != 1:
        return act
    return act._replace(room=reach.devices[0].room, node=reach.devices[0].node_id)


def _thing(reach: Reach) -> str:
    names = list(dict.fromkeys(device.name for device in reach.devices))
    if len(names) == 1:
        return names[0].strip()
    named = loose_words(reach.said)
    if not reach.devices or any(named & loose_words(name) for name in names):
        return _short(reach.said)  # it could mean more than one
    if len(names) > _MOST_NAMED:
        return f"{', the '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and the ".join([", the ".join(names[:-1]), names[-1]])


# --- our own tools


def _own_words(name: str, args: Mapping[str, str]) -> str:
    """What a call of a built-in tool would do; empty for another tool."""
    action, items, level = args.get("action", ""), args.get("items", "it"), args.get("level")
    which, kind, to_do = args.get("name", ""), args.get("kind", "timer"), args.get("list", "shopping")
    match name, action:
        case "control_speaker_volume", _:
            doing = {"up": "turn up", "down": "turn down"}.get(action, action)
            how = f"{'to' if action == 'set' else 'by'} {level} percent" if level else ""
            words = f"{doing} the {'speaker' if 'mute' in action else 'volume'} {how}"
        case "manage_list", "add" | "remove":
            words = f"{action} {items} {'to' if action == 'add' else 'from'} the {to_do} list"
        case "manage_list", _:
            words = f"tick off {items}" if action == "complete" else f"{action} the {to_do} list"
        case "broadcast", _:
            words = f'tell everyone "{args.get("message", "")}"'
        case "cancel_timer", _:
            words = f"cancel {which} {kind}s" if which == "all" else f"cancel the {which} {kind}"
        case "extend_timer", _:
            words = f"add {args.get('duration', 'some time')} to the {which} {kind}"
        case "set_timer", _:
            words = _timer_words(args)
        case _:
            words = ""
    return words


def _timer_words(args: Mapping[str, str]) -> str:
    duration, at, named, message = (args.get(key, "") for key in ("duration", "at", "name", "message"))
    duration = f"{duration} seconds" if duration.isdecimal() else duration
    kind = args.get("kind") or ("alarm" if at else "timer")
    article = "an" if kind == "alarm" and not named else "a"
    if at != "now":
        if message:
            return f"remind you {f'in {duration}' if duration else at} to {message}"
        return f"set {article} {named} {kind} {f'for {duration or at}' if duration or at else ''}"
    # A routine's; its time is said beside it.
    if message:
        return f"remind you of “{message}”" if kind == "reminder" else f"ring an alarm and say “{message}”"
    return f"ring {'the' if named else article} {named} {kind}"


def _short(value: Any) -> str:
    return shorten(" ".join(str(value).split()), _LONGEST)
