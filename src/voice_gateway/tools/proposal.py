"""How the user is asked about calls that wait: in words that a person would use, and in one question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from voice_gateway.tools.masking import shorten
from voice_gateway.tools.tier import DevicesNamed, of_home
from voice_gateway.turn import ToolCall, ToolTraits

_SWITCHING = {"on": "turn on", "off": "turn off"}
_VOLUME = {"up": "turn up", "down": "turn down"}
_LONGEST = 60  # characters of a value that are said


class _Wish(NamedTuple):
    """ "dim", "the Floor Lamp", "to 40 percent"; what has no thing is whole in `doing`."""

    doing: str
    thing: str = ""
    how: str = ""


def question(
    calls: Sequence[ToolCall],
    traits: Callable[[str], ToolTraits],
    devices_named: DevicesNamed,
    *,
    pin: bool,
    plain: bool = False,
) -> str:
    """ "Unlock the front door? Say yes to confirm."

    What can be taken back (`plain`) is asked in one breath: "Turn off the Floor Lamp and the Desk Lamp?"
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for call in calls:
        wish = _wish(call, traits(call.name), devices_named, lower=not plain)
        things = groups.setdefault((wish.doing, wish.how), [])
        if wish.thing not in things:
            things.append(wish.thing)
    wishes = [" ".join(filter(None, (doing, _listed(them), how))) for (doing, how), them in groups.items()]
    joined = _listed(wishes)
    asked = f"{joined[0].upper()}{joined[1:]}?"
    if plain:
        return asked
    return f"{asked} Say yes and your PIN to confirm." if pin else f"{asked} Say yes to confirm."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _wish(call: ToolCall, traits: ToolTraits, devices_named: DevicesNamed, *, lower: bool) -> _Wish:
    args: Mapping[str, Any] = call.args if isinstance(call.args, Mapping) else {}
    name = traits.original_name or call.name
    if "deviceName" in args and ("action" in args or name == "set_zwave_thermostat"):
        said = str(args["deviceName"])
        names = {device.name for device in of_home(call, traits, devices_named)(said)}
        device = (names.pop() if len(names) == 1 else said).strip()
        device = device[4:] if device.lower().startswith("the ") else device
        return _device_wish(args, f"the {device.lower() if lower else device}")
    if not traits.stranger and (words := _own_words(name, args)):
        return _Wish(words)
    # A stranger's title could say anything.
    title = ("" if traits.stranger else traits.title) or name
    title = title.replace("_", " ").strip()
    facts = ", ".join(f"{key} {_short(value)}" for key, value in args.items())
    return _Wish(f"{title} with {facts}" if facts else title)


def _device_wish(args: Mapping[str, Any], thing: str) -> _Wish:
    if "action" not in args:
        degrees = [f"{_short(args['temperature'])} degrees"] if args.get("temperature") is not None else []
        modes = [_short(args["mode"])] if args.get("mode") else []
        return _Wish("set", thing, f"to {' and '.join(degrees + modes)}" if degrees or modes else "")
    action = str(args["action"])
    level = args.get("level")
    how = "" if level is None else f"to {_short(level)} percent"
    return _Wish(_SWITCHING.get(action, action), thing, how)


def _own_words(name: str, args: Mapping[str, Any]) -> str:
    """For the tools that we know."""
    if name == "activate_zwave_scene":
        unknown = ", of which not all is known" if args.get("confirmed") else ""
        return f"start the scene {_short(args.get('sceneName', ''))}{unknown}"
    if name == "control_speaker_volume":
        level, action = args.get("level"), str(args.get("action", ""))
        how = "" if level is None else f" {'to' if action == 'set' else 'by'} {_short(level)} percent"
        thing = "speaker" if "mute" in action else "volume"
        return f"{_VOLUME.get(action, action)} the {thing}{how}"
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


def _timer_words(args: Mapping[str, Any]) -> str:
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
