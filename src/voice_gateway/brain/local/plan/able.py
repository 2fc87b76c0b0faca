"""What an action is for a device: "on" of a chime rings it, "close" of a relay that holds a valve is off."""

from home_names.kinds import device_class
from home_names.names import plain_words
from home_names.risk import is_valve
from voice_gateway.integrations.device import Device

# What some kinds do when they are told what is no action of theirs; "brighten" is more or less of a level.
_INSTEAD = {
    ("vacuum", "on"): "start",
    ("vacuum", "off"): "dock",
    ("valve", "on"): "open",
    ("valve", "off"): "close",
    **{(kind, "stop"): "off" for kind in ("fan", "switch", "plug")},
    **{(kind, on): "ring" for kind in ("chime", "siren") for on in ("on", "start", "play")},
    **{(kind, off): "stop" for kind in ("chime", "siren") for off in ("off", "pause", "mute")},
    ("media_player", "stop"): "pause",
    ("media_player", "start"): "play",
}
_RELAYS = ("switch", "plug")
_TURNED = {"open": "on", "close": "off"}  # of a relay that holds a valve
LEVELS = ("dim", "speed", "volume")  # what is set to a percentage


def done_by(device: Device, action: str, *, by_name: bool = True) -> str:
    """What this action is for this device; "" when it can do nothing of the kind. Who closes everything
    does not mean the relays that hold a valve: those are called by their names."""
    if action in ("dim", "brighten"):
        level = next((one for one in LEVELS if device.can(one)), "")
        return "" if action == "brighten" and device.is_cover else level
    meant = next(
        (one for one in (_INSTEAD.get((device.kind, action)), action) if one and device.can(one)), ""
    )
    return meant or (_TURNED.get(action, "") if by_name and _holds_valve(device) else "")


def _holds_valve(device: Device) -> bool:
    """By its name; a "Valve Garden" is one, a "Valve Lamp" is a lamp."""
    noun = next((word for word in reversed(plain_words(device.name)) if not word.isdecimal()), "")
    sort = device_class(noun)
    other = sort is not None and sort.sort not in ("valve", *_RELAYS)
    return device.kind in _RELAYS and is_valve(device.name) and not other
