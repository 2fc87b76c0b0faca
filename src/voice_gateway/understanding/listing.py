"""Questions about all devices: which are on, how many there are, whether anything is open or wet."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from home_names.kinds import DeviceClass, Sort
from home_names.resolver import number_of
from home_names.states import UNKNOWN, parts_of
from voice_gateway.integrations.device import Device, has_state
from voice_gateway.integrations.listed import read_devices
from voice_gateway.languages import capital, current, has, listed, plainly, say, the
from voice_gateway.languages.outcomes import own_text, state_words
from voice_gateway.turn import ToolOutcome
from voice_gateway.understanding.templates import language

DANGERS: Final = ("smoke", "carbon_monoxide", "carbon_dioxide", "gas", "heat", "water")
MOST_REMEMBERED: Final = 8  # devices that "them" can mean afterwards
OPPOSITE: Final[Mapping[str, str]] = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
}  # fmt: skip
_OPENINGS: Final = ("door", "window")
_BARRED: Final = frozenset({"open", "closed", "locked", "unlocked"})


@dataclass(frozen=True, slots=True)
class DeviceQuery:
    """What to pick from a list of all devices, and how to tell of it."""

    mode: str  # "which", "any", "all", "list", "count", "rooms", "alarm"
    sort: Sort = "device"
    noun: str = "device"  # a meaning of the list `kinds`; "all": everything; or a danger
    rooms: tuple[str, ...] = ()
    floor: str = ""  # the rooms are all of this floor
    state: str = ""

    @property
    def any_sort(self) -> bool:
        return self.sort in ("all", "device")


def answer(query: DeviceQuery, sources: Sequence[str], outcomes: Sequence[ToolOutcome]) -> str:
    """The answer from the lists, and which home could not be asked."""
    failed = list(dict.fromkeys(own_text(outcome) for outcome in outcomes if not outcome.ok))
    if not any(outcome.ok for outcome in outcomes):
        return " ".join(failed[:1])
    return " ".join([_answer(query, sources, outcomes), *failed])


def shown(query: DeviceQuery, sources: Sequence[str], outcomes: Sequence[ToolOutcome]) -> tuple[Device, ...]:
    """The devices that "them" means afterwards: those in the state, or all if all were asked about."""
    asked = _chosen(query, _listed(sources, outcomes))
    if query.mode != "all":
        asked = [device for device in asked if device.available and has_state(device, query.state)]
    return tuple(asked) if len(asked) <= MOST_REMEMBERED else ()


def _listed(sources: Sequence[str], outcomes: Sequence[ToolOutcome]) -> list[Device]:
    pages = zip(sources, outcomes, strict=False)
    return [device for source, page in pages for device in read_devices(page.structured, source)]


def _answer(query: DeviceQuery, sources: Sequence[str], outcomes: Sequence[ToolOutcome]) -> str:
    devices = _listed(sources, outcomes)
    if query.mode == "rooms":
        rooms = dict.fromkeys(plainly(device.room) for device in devices if device.room)
        return say("look.rooms" if rooms else "look.no_rooms", names=[*rooms], count=len(rooms))
    if query.mode == "alarm":
        return told_of_danger(query, devices)
    chosen = _told_apart(_chosen(query, devices), devices)
    return _by_state(query, chosen) if query.state else _all(query, chosen)


def _told_apart(chosen: Sequence[Device], devices: Sequence[Device]) -> list[Device]:
    """The devices, with their room in the name if another has that name, and with their number if needed."""
    names = Counter(device.name.casefold() for device in devices)
    places = Counter((device.name.casefold(), device.room.casefold()) for device in devices)
    named = []
    for device in chosen:
        room = where((device.room,)) if device.room and names[device.name.casefold()] > 1 else ""
        twin = places[device.name.casefold(), device.room.casefold()] > 1 and device.node_id is not None
        named.append(replace(device, name=f"{device.name}{room}{f' ({number_of(device)})' if twin else ''}"))
    return named


def _chosen(query: DeviceQuery, devices: Sequence[Device]) -> list[Device]:
    """The devices that a question is about: "is anything open" means what can be open, so no switch."""
    sort = DeviceClass(query.sort, query.noun, plural=True)

    def is_meant(device: Device) -> bool:
        opening = query.state in ("open", "closed")
        if query.any_sort and query.state in ("locked", "unlocked"):
            return device.kind == "lock"
        if query.any_sort and opening:
            return _opens(device)
        if opening and query.sort in _OPENINGS and not (_opens(device) or _is_unsure(device)):
            return False
        return sort.has(device) or (query.sort in _OPENINGS and query.sort in device.watches)

    return [device for device in devices if is_in(device, query.rooms) and is_meant(device)]


def is_in(device: Device, rooms: Sequence[str]) -> bool:
    """Whether a device is in one of these rooms; True if none is named."""
    return not rooms or device.room.casefold() in {room.casefold() for room in rooms}


def _opens(device: Device) -> bool:
    return device.is_cover or has_state(device, "open") or has_state(device, "closed")


def _is_unsure(device: Device) -> bool:
    """Whether a contact has reported nothing, so that it may be open."""
    return device.kind == "sensor" and device.state in ("", UNKNOWN)


def where(rooms: Sequence[str], floor: str = "") -> str:
    """The place with a space before it (" in the kitchen", " upstairs"); empty for the whole home."""
    if not floor:
        return say("look.where", room=listed([plainly(room) for room in rooms])) if rooms else ""
    words, groups = floor.casefold().split(), language(current()).groups
    ways = {"look.where_there": "floor_adverbs", "look.where_on": "floor_words"}
    key = next((key for key, group in ways.items() if words[-1] in groups[group]), "look.where")
    return say(key, room=" ".join(words))


def _noun(query: DeviceQuery) -> str:
    """The word for several of its kind: "windows"."""
    if has(key := f"noun.{query.noun}"):
        return say(key)
    words = (
        " ".join(span) for span, kind in language(current()).lists["kinds"].items() if kind == query.noun
    )
    return next(words, query.noun)


def _about(query: DeviceQuery) -> dict[str, Any]:
    return {"where": where(query.rooms, query.floor), "noun": _noun(query), "state": state_words(query.state)}


def _all(query: DeviceQuery, chosen: Sequence[Device]) -> str:
    facts = {"count": len(chosen), **_about(query)}
    if not chosen:
        return say("look.no_devices", **facts)
    names = [plainly(device.name) for device in chosen]
    most = MOST_REMEMBERED if query.mode == "list" else 0
    return say("look.listed", names=listed(names) if len(names) <= most else names, **facts)


def _by_state(query: DeviceQuery, members: Sequence[Device]) -> str:
    reached = [device for device in members if device.available or query.state == "offline"]
    opening = query.state in ("open", "closed") and query.sort in _OPENINGS
    known = [device for device in reached if not (opening and _is_unsure(device))]
    hits = [device for device in known if has_state(device, query.state)]
    whole = query.any_sort or query.noun == "all"  # "is the house locked"
    unseen = not members and (opening or (query.state in _BARRED and (whole or query.sort == "lock")))
    if unseen or (not members and not whole):
        return say("look.unwatched" if unseen else "look.no_devices", **_about(query))
    silent = [device.name for device in members if device not in reached]
    mute = [device.name for device in reached if device not in known]
    return " ".join([_of_known(query, known, hits, certain=not mute), *_not_known(silent, mute)])


def _not_known(silent: Sequence[str], mute: Sequence[str]) -> list[str]:
    """What is said of devices that do not answer, and of those that have reported nothing."""
    both = {"look.unreachable": silent, "look.mute": mute}
    return [say(key, things=list(dict.fromkeys(names))) for key, names in both.items() if names]


def _of_known(query: DeviceQuery, known: Sequence[Device], hits: Sequence[Device], *, certain: bool) -> str:
    whole, facts = query.any_sort or query.noun == "all", _about(query)
    rest = [device for device in known if device not in hits]
    if query.mode == "all" and known and not rest and query.noun != "door":
        return say("look.everything" if whole else "look.all", **facts)
    if not known and not certain:
        return say("look.not_known")
    against = OPPOSITE.get(query.state, "")
    if query.mode == "all" and rest and all(has_state(device, against) for device in rest):
        return say("look.no", things=[device.name for device in rest], state=state_words(against), where="")
    if not hits:
        lead = "no_none" if query.mode in ("any", "all") else "none"
        return say(f"look.{lead}.{'things' if whole else 'kind'}", **facts)
    keys = {"any": "yes", "all": "some" if rest else "yes", "count": "count"}
    facts |= {"things": [device.name for device in hits], "count": len(hits), "where": ""}
    return say(f"look.{keys.get(query.mode, 'which')}", **facts)


# --- smoke, gas and water


def told_of_danger(query: DeviceQuery, devices: Sequence[Device]) -> str:
    """`query.noun` is one of DANGERS; empty: any. Only what watches for it can say no."""
    wanted = (query.noun,) if query.noun else DANGERS
    here = [device for device in devices if is_in(device, query.rooms)]
    watching = [(device, danger) for device in here for danger in wanted if device.watches_for(danger)]
    facts = {"danger": say(f"danger.{query.noun or 'any'}"), "where": where(query.rooms, query.floor)}
    if not watching:
        return say("danger.unwatched", **facts)
    reports = [(device, danger, _detects(device, danger)) for device, danger in watching if device.available]
    silent = {device.name: None for device, _ in watching if not device.available}
    unsure = [device.name for device, _, detected in reports if detected is None]
    asked = query.state != "told"  # so that yes or no answers it
    places = [
        say("danger.at", danger=say(f"danger.{danger}"), place=_place(device))
        for device, danger, detected in reports
        if detected
    ]
    if places:
        text = say("danger.yes" if asked else "danger.found", places=places)
    elif len(silent) + len(unsure) >= len(watching):
        text = say("look.not_known")
    else:
        text = say("danger.no" if asked else "danger.none", **facts)
    return " ".join([capital(text), *_not_known(list(silent), unsure)])


def _detects(device: Device, danger: str) -> bool | None:
    """Whether it reports this danger; None if its state says nothing about it."""
    parts, words = said_by(device), danger.replace("_", " ")
    calm = "dry" if danger == "water" else f"no {words}"
    return True if f"{words} detected" in parts else False if calm in parts else None


def said_by(device: Device) -> list[str]:
    """Each part of its state and readings."""
    return [part for text in (device.state, *device.readings) for part in parts_of(text)]


def _place(device: Device) -> str:
    return where((device.room,)).strip() if device.room else say("danger.by", name=the(device.name))
