"""How the user is asked about calls that wait: in words that a person would use, and in one question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from home_words.names import loose_words
from home_words.phrases import listed
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.reach import LOOK, Reach, Reaches
from voice_gateway.turn import ToolCall, ToolTraits

_DOING = {
    "on": "turn on", "off": "turn off", "colour": "change", "kelvin": "change", "speed": "set",
    "ring": "sound", "volume": "set the volume of", "next": "skip on", "previous": "go back on",
    "list": "write on", "dock": "send home",
}  # fmt: skip
_MOST_NAMED = 4  # devices that one call would reach
_VOLUME = {"up": "turn up", "down": "turn down"}
_USE = "use "  # how a tool of another server is asked about
_LONGEST = 60  # characters of a value that are said


class _Wish(NamedTuple):
    """ "dim", "the Floor Lamp", "to 40 percent"; what has no thing is whole in `doing`."""

    doing: str
    thing: str = ""
    how: str = ""
    room: str = ""  # of the one device that is meant
    node: int | None = None


def question(
    calls: Sequence[ToolCall],
    traits: Callable[[str], ToolTraits],
    reaches: Reaches,
    *,
    pin: bool,
    plain: bool = False,
) -> str:
    """ "Unlock the front door? Say yes to confirm."

    What can be taken back (`plain`) is asked in one breath: "Turn off the Floor Lamp and the Desk Lamp?"
    """
    joined = described(calls, traits, reaches, lower=not plain)
    if joined.startswith(_USE) and not pin:
        return f"Shall I {joined}?"
    asked = f"{joined[0].upper()}{joined[1:]}?"
    if plain:
        return asked
    return f"{asked} Say yes and your PIN to confirm." if pin else f"{asked} Say yes to confirm."


def described(
    calls: Sequence[ToolCall],
    traits: Callable[[str], ToolTraits],
    reaches: Reaches,
    *,
    lower: bool = False,
) -> str:
    """ "turn off the Floor Lamp and the Desk Lamp" """
    groups: dict[tuple[str, str], list[_Wish]] = {}
    for call in calls:
        wish = _wish(call, traits(call.name), reaches, lower=lower)
        same = groups.setdefault((wish.doing, wish.how), [])
        if wish not in same:
            same.append(wish)
    wishes = [
        " ".join(filter(None, (doing, listed([_told_apart(one, them) for one in them]), how)))
        for (doing, how), them in groups.items()
    ]
    return listed(wishes)


def _told_apart(wish: _Wish, among: Sequence[_Wish]) -> str:
    """Of several devices with one name each is asked about: by its room, else by its number."""
    twins = [one for one in among if one.thing == wish.thing]
    if len(twins) == 1:
        return wish.thing
    if wish.room and len({one.room for one in twins}) == len(twins):
        return f"{wish.thing} in the {wish.room}"
    return wish.thing if wish.node is None else f"{wish.thing}, node {wish.node}"


def _wish(call: ToolCall, traits: ToolTraits, reaches: Reaches, *, lower: bool) -> _Wish:
    args = call.arguments
    name, reach = traits.original_name or call.name, reaches(call, traits)
    if traits.asked is not None:
        return _Wish(traits.asked(args))
    if reach is not None and (wish := _home_wish(reach, lower=lower)):
        return wish
    if not traits.stranger and (words := _own_words(name, args)):
        return _Wish(words)
    # A stranger's title could say anything.
    title = ("" if traits.stranger else traits.title) or name
    title = title.replace("_", " ").strip()
    if traits.source != "builtin":
        title = f"{_USE}{title} of {traits.source}"
    facts = ", ".join(f"{key} {_short(value)}" for key, value in args.items())
    return _Wish(f"{title} with {facts}" if facts else title)


def _home_wish(reach: Reach, *, lower: bool) -> _Wish | None:
    """None for what says too little of itself."""
    if reach.scene and not reach.devices:
        unseen = ", of which not all is known" if reach.unseen else ""
        return _Wish(f"start the scene {_short(reach.scene)}{unseen}")
    thing = _thing(reach)
    if reach.action in ("", LOOK) or not thing:
        return None
    thing = thing[4:] if thing.lower().startswith("the ") else thing
    doing, how = _DOING.get(reach.action, reach.action), _short(reach.how)
    wish = _Wish(doing, f"the {thing.lower() if lower else thing}", how)
    if len(reach.devices) != 1:
        return wish
    return wish._replace(room=reach.devices[0].room, node=reach.devices[0].node_id)


def _thing(reach: Reach) -> str:
    names = list(dict.fromkeys(device.name for device in reach.devices))
    if len(names) == 1:
        return names[0].strip()
    named = loose_words(reach.said)
    if not reach.devices or any(named & loose_words(name) for name in names):
        return _short(reach.said)  # more than one could be meant by it
    shown = names[:_MOST_NAMED]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return (
        f"{', the '.join(shown)}{more}" if more else " and the ".join([", the ".join(shown[:-1]), shown[-1]])
    )


def _own_words(name: str, args: Mapping[str, Any]) -> str:
    """For the tools that we know."""
    if name == "control_speaker_volume":
        level, action = args.get("level"), str(args.get("action", ""))
        how = "" if level is None else f" {'to' if action == 'set' else 'by'} {_short(level)} percent"
        thing = "speaker" if "mute" in action else "volume"
        return f"{_VOLUME.get(action, action)} the {thing}{how}"
    if (told := _TOLD.get(name)) is not None:
        return told(args)
    if name == "broadcast":
        return f'tell everyone "{_short(args.get("message") or "")}"'
    kind = str(args.get("kind") or "timer")
    if name == "cancel_timer":
        which = _short(args.get("name") or "")
        return (
            f"cancel {which} {kind}s" if which == "all" else f"cancel the {which} {kind}".replace("  ", " ")
        )
    if name == "extend_timer":
        which, more = _short(args.get("name") or ""), _short(args.get("duration") or "some time")
        return f"add {more} to the {which} {kind}".replace("  ", " ")
    return _timer_words(args) if name == "set_timer" else ""


def _list_words(args: Mapping[str, Any]) -> str:
    which, items = f"the {_short(args.get('list') or 'shopping')} list", _short(args.get("items") or "it")
    action = str(args.get("action", ""))
    ways = {"add": f"add {items} to {which}", "remove": f"remove {items} from {which}"}
    return ways.get(action, f"tick off {items}" if action == "complete" else f"{action} {which}")


_TOLD: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "manage_list": _list_words,
}


def _ringing_words(args: Mapping[str, Any]) -> str:
    kind, named = str(args.get("kind") or "alarm"), _short(args.get("name") or "")
    if message := _short(args.get("message") or ""):
        return f"remind you of “{message}”" if kind == "reminder" else f"ring an alarm and say “{message}”"
    return f"ring the {named} {kind}" if named else f"ring an {kind}" if kind == "alarm" else f"ring a {kind}"


def _timer_words(args: Mapping[str, Any]) -> str:
    if args.get("at") == "now":  # a routine's: when it comes is told beside it
        return _ringing_words(args)
    duration, at = _short(args.get("duration") or ""), _short(args.get("at") or "")
    duration = f"{duration} seconds" if duration.isdecimal() else duration
    named = _short(args.get("name") or "")
    if message := _short(args.get("message") or ""):
        return " ".join(filter(None, ("remind you", f"in {duration}" if duration else at, f"to {message}")))
    when = " for ".join(["", duration or at]) if duration or at else ""
    kind = str(args.get("kind") or ("alarm" if at else "timer"))
    article = "an" if kind == "alarm" and not named else "a"
    return f"set {article} {named} {kind}{when}".replace("  ", " ")


def _short(value: Any) -> str:
    return shorten(" ".join(str(value).split()), _LONGEST)
