"""Keeping house: what is said of it, and the call of the Z-Wave server that does it."""

from collections.abc import Callable, Iterator, Mapping

from home_words.house_words import EVERYBODY, HOUSE
from voice_gateway.brain.local.grammar import Frame, Slot
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    Meaning,
    NotHandled,
    Request,
    Step,
    home_unknown,
)
from voice_gateway.brain.local.place import plain, room_named
from voice_gateway.brain.local.plan.home_alarms import quiet_alarm
from voice_gateway.brain.local.plan.scene import scene_named, scenes_not_listed
from voice_gateway.brain.local.resolve import Resolver, Unclear, Unknown, anything
from voice_gateway.brain.local.wording import not_known, which
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.source import HomeSource
from voice_gateway.integrations.zwave import (
    BATTERIES,
    CODES,
    ENERGY,
    PING,
    RENAME,
    SCENES,
    ZwaveSource,
)

_MOST_WORDS = 6  # of a name that somebody gives
_MOVED = frozenset({"blind", "garage_door", "vacuum", "cover"})  # "move the blind to the …" moves a blind
NO_DIGITS = "The digits of a code are never told. I only know who has one."
NOT_ZWAVE = "That only works with Z-Wave devices."


def read_house(text: str) -> Iterator[Frame]:
    for intent, pattern in HOUSE:
        if found := pattern.match(text):
            slots: dict[str, Slot] = {
                key.rstrip("234"): value for key, value in found.groupdict().items() if value
            }
            yield Frame(intent, slots, len(text))


# --- who is asked


def _zwave(home: Home) -> list[ZwaveSource]:
    return [source for source in home.asked_sources if isinstance(source, ZwaveSource)]


def _of_all(frame: Frame, tool: str, context: Context, **args: str) -> Meaning:
    """A look that every Z-Wave home answers."""
    asked = _zwave(context.home)
    if not asked:
        return NotHandled("no Z-Wave home is there", spoken=None)
    requests = tuple(Request(source.offered(tool), args, source=source.name) for source in asked)
    return Step(frame.intent, requests, frame=frame)


def _with(
    frame: Frame,
    context: Context,
    tool: str,
    args: Mapping[str, str] | None = None,
    *,
    acts: bool = False,
    fits: Callable[[Device], bool] = anything,
) -> Meaning:
    """One device that is named; to be asked about where several could be meant."""
    if not context.home.devices:
        return home_unknown(context)
    found = Resolver(context.home, context.room, context.last, fits).resolve(frame.text("thing"))
    if isinstance(found, Unknown):
        near = found.near if len(found.phrase.split()) <= _MOST_WORDS else ()
        return not_known(found.phrase, found.note, near, frame)
    devices = (
        tuple(filter(fits, found.candidates)) or found.candidates
        if isinstance(found, Unclear)
        else found.devices
    )
    if len(devices) > 1:
        return Clarification(which(devices), frame, devices)
    (device,) = devices
    source: HomeSource = context.home.source_of(device)
    if not isinstance(source, ZwaveSource):
        return NotHandled("not a Z-Wave device", forbid=True, spoken=NOT_ZWAVE, understood=True)
    given = {"deviceName": context.home.address(device), **(args or {})}
    request = Request(source.offered(tool), given, device)
    return Step(frame.intent, (request,), acts=acts, frame=frame, devices=devices)


# --- looks


def _batteries(frame: Frame, context: Context) -> Meaning:
    return _of_all(frame, BATTERIES, context)


def _energy(frame: Frame, context: Context) -> Meaning:
    day = (frame.text("day") or "today").removeprefix("on ").removeprefix("last ")
    if frame.text("thing") in EVERYBODY or not frame.text("thing"):
        return _of_all(frame, ENERGY, context, day=day)
    return _with(frame, context, ENERGY, {"day": day})


def _list_scenes(frame: Frame, context: Context) -> Meaning:
    """Our own server tells them when it is asked; where others list theirs, all are told together."""
    if context.home.scenes_listed or len(_zwave(context.home)) != len(context.home.asked_sources):
        return NotHandled("every home lists its own")
    if any(source.offered(SCENES) not in context.tools for source in _zwave(context.home)):
        return scenes_not_listed(context.home)
    return _of_all(frame, SCENES, context)


def _scene_members(frame: Frame, context: Context) -> Meaning:
    said = plain(frame.text("scene") or frame.text("before"))
    name = scene_named(said, context.home) or said
    return _of_all(frame, SCENES, context, sceneName=name)


def _codes(frame: Frame, context: Context) -> Meaning:
    if frame.text("thing"):
        return _with(frame, context, CODES, fits=lambda device: device.kind == "lock")
    return _of_all(frame, CODES, context)


def _digits(frame: Frame, context: Context) -> Meaning:
    has_lock = any(device.kind == "lock" for device in context.home.devices)
    return Step(frame.intent, say=NO_DIGITS, frame=frame) if has_lock else NotHandled("no lock is there")


def _ping(frame: Frame, context: Context) -> Meaning:
    return _with(frame, context, PING)


# --- acts


def _rename(frame: Frame, context: Context) -> Meaning:
    name, room = _titled(frame.text("name")), frame.text("room")
    if len(name.split()) > _MOST_WORDS:
        return NotHandled("too long for a name")
    known = room_named(room, context.home) if room else ""
    given = {"newName": name} if name else {}
    given |= {"room": known or _titled(room)} if room else {}
    return _with(frame, context, RENAME, given, acts=True)


def _move_room(frame: Frame, context: Context) -> Meaning:
    """ "Move the lamp to the library": only where that is a room, and the lamp does not move by itself."""
    room = room_named(plain(frame.text("room")), context.home)
    if not room:
        return NotHandled("no room is named")
    meaning = _with(frame, context, RENAME, {"room": room}, acts=True)
    moved = isinstance(meaning, Step) and any(device.kind in _MOVED for device in meaning.devices)
    return NotHandled("it moves by itself") if moved else meaning


def _titled(said: str) -> str:
    """Names are written with capitals, and heard without."""
    return " ".join(word[:1].upper() + word[1:] for word in said.split())


KEEPING: dict[str, Callable[[Frame, Context], Meaning]] = {
    "QuietAlarm": quiet_alarm,
    "Batteries": _batteries,
    "Energy": _energy,
    "ListScenes": _list_scenes,
    "SceneMembers": _scene_members,
    "Codes": _codes,
    "CodeDigits": _digits,
    "Rename": _rename,
    "MoveRoom": _move_room,
    "Ping": _ping,
}
