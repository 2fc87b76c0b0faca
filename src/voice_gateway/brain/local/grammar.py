"""Sentences to frames: our own (`sentences/en.yaml`) and those of home-assistant-intents, by hassil."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from home_names.colours import rgb_of
from home_names.names import plain_words
from home_words.more_colours import COLOURING, MORE_COLOURS
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home

if TYPE_CHECKING:
    from hassil.intents import Intents
    from hassil.recognize import RecognizeResult

Slot = str | int | float | bool

_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading of a sentence: an intent and the words, or numbers, in its slots."""

    intent: str
    slots: Mapping[str, Slot] = field(default_factory=dict)
    literal: int = 0  # characters of the template's own words: the more, the surer
    own: bool = True  # from our own sentences

    def __str__(self) -> str:
        return f"{self.intent} ({', '.join(f'{name} {value}' for name, value in self.slots.items())})"

    def text(self, slot: str) -> str:
        value = self.slots.get(slot)
        return str(value).strip() if value is not None else ""

    def number(self, slot: str) -> float | None:
        value = self.slots.get(slot)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


@lru_cache(maxsize=16)
def has_own_sentences(language: str) -> bool:
    return bool(_file(language).is_file())


def match(text: str, language: str = "en") -> list[Frame]:
    """Every reading of the whole text, the surest first."""
    from hassil import recognize_all

    frames: dict[tuple[str, str], Frame] = {}
    with _loading:
        intents = _parse(language)
    for result in recognize_all(text, intents, language=language):
        slots = {name: _slot(entity.value) for name, entity in result.entities.items()}
        metadata = result.intent_data.metadata or {}
        slots |= {name: value for name, value in metadata.items() if isinstance(value, bool)}
        key = (result.intent.name, repr(sorted(slots.items())))
        if key not in frames or frames[key].literal < result.text_chunks_matched:
            frames[key] = Frame(result.intent.name, slots, result.text_chunks_matched)
    return sorted(frames.values(), key=lambda frame: -frame.literal)


@lru_cache(maxsize=8)
def _parse(language: str) -> "Intents":
    import yaml
    from hassil.intents import Intents

    # The C loader reads the file ten times faster; not every platform has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with _file(language).open("rb") as source:
        return Intents.from_dict(yaml.load(source, Loader=loader))


def _file(language: str) -> Any:
    return resources.files("voice_gateway.brain.local").joinpath("sentences", f"{language}.yaml")


def _slot(value: object) -> Slot:
    return value if isinstance(value, int | float | bool) else str(value).strip()


# --- home-assistant-intents, filled with the live names

_DOMAINS = {
    "dimmer": "light", "light": "light", "switch": "switch", "plug": "switch", "blind": "cover",
    "garage_door": "cover", "lock": "lock", "thermostat": "climate", "sensor": "sensor", "fan": "fan",
}  # fmt: skip
_OUR_DOMAINS = {*_DOMAINS.values(), "other"}
# What is not ours to do, and commands for later: what their templates combine.
_LEFT_OUT = ("script", "button", "floor", "command")


def match_ha(text: str, home: Home, room: str | None, language: str) -> Iterator[Frame]:
    from hassil import recognize_all
    from hassil.intents import SlotList, TextSlotList

    with _loading:
        intents = _parse_ha(language)
    if intents is None:
        return
    padded = f" {text.casefold()} {' '.join(plain_words(text))} "
    # Only what is mentioned: the grammar's size does not depend on the home's.
    named = [
        (key, devices[0])
        for key, devices in home.by_name.items()
        if len(devices) == 1 and f" {key} " in padded
    ]
    rooms = [(key, room) for key, room in home.rooms.items() if f" {key} " in padded]
    entries: dict[str, list[Any]] = {
        "name": [
            (said, home.called(device), {"domain": _domain(device)})
            for key, device in named
            for said in {key, device.name.casefold()}
        ],
        "area": [(said, room) for key, room in rooms for said in {key, room.casefold()}],
        "floor": [],
        "zone": [],
    }
    lists: dict[str, SlotList] = {
        name: TextSlotList.from_tuples(values, name=name, allow_template=False)
        for name, values in entries.items()
    }
    context = {"area": room} if room else {}
    for result in recognize_all(text, intents, slot_lists=lists, intent_context=context, language=language):
        if frame := _to_frame(result):
            yield frame


@lru_cache(maxsize=4)
def _parse_ha(language: str) -> "Intents | None":
    from hassil.intents import Intents
    from home_assistant_intents import get_intents

    content: dict[str, Any] | None = get_intents(language)
    if not content:
        return None
    verbs = COLOURING.get(language, "")
    kept = {
        name: _trimmed(name, content["intents"][name], verbs)
        for name in _BUILDERS
        if name in content["intents"]
    }
    return Intents.from_dict({**content, "intents": kept, "lists": _with_colours(content["lists"], language)})


def _with_colours(lists: dict[str, Any], language: str) -> dict[str, Any]:
    more = [{"in": said, "out": colour} for said, colour in MORE_COLOURS.get(language, {}).items()]
    known = lists.get("color", {}).get("values", [])
    return {**lists, "color": {"values": [*known, *more]}}


def _trimmed(name: str, intent: dict[str, Any], verbs: str) -> dict[str, Any]:
    data = []
    for block in intent["data"]:
        combination = (block.get("metadata") or {}).get("slot_combination", "")
        sentences = [sentence for sentence in block["sentences"] if _wanted(sentence)]
        if verbs and ("color" in combination or "temperature" in combination):
            sentences = [sentence.replace("<setze>", f"(<setze>|{verbs})") for sentence in sentences]
        if sentences and _makes_something(name, block, combination):
            data.append({**block, "sentences": sentences})
    return {**intent, "data": data}


def _makes_something(intent: str, block: dict[str, Any], combination: str) -> bool:
    """Whether a frame may come of it: what would only be dropped later is not worth parsing."""
    if any(word in combination for word in _LEFT_OUT):
        return False
    domains = (block.get("requires_context") or {}).get("domain")
    if isinstance(domains, list) and _OUR_DOMAINS.isdisjoint(domains):
        return False  # no name is of these
    filled = {*combination.split("_"), *(block.get("slots") or {})}
    if intent in _OUR_OWN_VOLUME:
        return not filled & {"name", "area"}
    domain = (block.get("slots") or {}).get("domain")
    named = not combination or filled & {"name", "class", "device_class"}
    return intent not in _OF_THINGS or not isinstance(domain, str) or domain in _NOUNS or bool(named)


def _wanted(sentence: str) -> bool:
    """Not a name alone, and nothing to be done later: a command with a time is none for now."""
    return sentence.replace("[<the>]", "").strip() != "{name}" and "timer_command" not in sentence


def _domain(device: Device) -> str:
    return "light" if device.is_light else _DOMAINS.get(device.kind, "other")


# --- what one of their sentences says, as a frame of ours

_NOUNS = {"light": "lights", "switch": "switches", "cover": "blinds", "lock": "locks"}
_OF_THINGS = {"HassTurnOn", "HassTurnOff", "HassGetState"}  # nothing, where there is no word for it
_OUR_OWN_VOLUME = {"HassSetVolume", "HassSetVolumeRelative", "HassMediaPlayerMute", "HassMediaPlayerUnmute"}
# A window is not the blind before it. Of other classes nobody here knows which devices are meant.
_CLASSES = {
    **dict.fromkeys(("blind", "shade", "shutter", "curtain", "awning"), "blinds"),
    "window": "windows", "door": "doors", "garage": "garage doors",
}  # fmt: skip
Built = tuple[str, dict[str, Slot | None]] | None
Slots = dict[str, Any]


def _to_frame(result: "RecognizeResult") -> Frame | None:
    slots: Slots = {name: entity.value for name, entity in result.entities.items()}
    build = _BUILDERS.get(result.intent.name)
    made = build(slots, result.response or "") if build else None
    if made is None:
        return None
    filled = {name: value for name, value in made[1].items() if value not in (None, "")}
    return Frame(made[0], filled, result.text_chunks_matched, False)


def _noun(slots: Slots) -> str:
    sort = slots.get("device_class")
    return _CLASSES.get(str(sort), "") if sort else _NOUNS.get(str(slots.get("domain")), "")


def _thing(slots: Slots) -> str:
    what = str(slots.get("name") or _noun(slots))
    return f"{what} in {slots['area']}" if what and slots.get("area") else what


def _place(slots: Slots) -> str | None:
    return slots.get("name") or slots.get("area")


def _switched(slots: Slots, response: str, on: bool) -> Built:
    thing = "all lights" if response == "light_all" else _thing(slots)
    ways = {"cover": ("Close", "Open"), "lock": ("Unlock", "Lock")}
    intent = ways.get(response.partition("_")[0], ("TurnOff", "TurnOn"))[on]
    return (intent, {"thing": thing}) if thing and not response.startswith("scene") else None


def _leveled(slots: Slots, level: object) -> Built:
    thing = _thing(slots)
    if not thing or not isinstance(level, int | float):
        return None
    return "SetLevel", {"thing": thing, "level": level}


def _lit(slots: Slots) -> Built:
    """A colour, a white in kelvin, or a brightness; of a room those of its lights that have it."""
    colour, kelvin = str(slots.get("color") or ""), slots.get("temperature")
    if not colour and kelvin is None:
        return _leveled(slots, slots.get("brightness"))
    thing = _thing(slots) or (f"lights in {slots['area']}" if slots.get("area") else "")
    if colour:
        return ("SetColour", {"thing": thing, "colour": colour}) if thing and rgb_of(colour) else None
    return ("SetKelvin", {"thing": thing, "kelvin": kelvin}) if thing else None


def _state(slots: Slots, response: str) -> Built:
    state, thing = str(slots.get("state") or ""), _thing(slots)
    if response in ("one", "one_yesno") and thing:
        return ("IsState" if state else "DeviceState"), {"thing": thing, "state": state}
    noun = _noun(slots)
    if not noun or not state:
        return None
    some = response in ("any", "all")
    thing = f"{response} {noun}" if some else noun
    return ("IsState" if some else "WhichState"), {"thing": thing, "state": state, "place": slots.get("area")}


def _timer(slots: Slots) -> Built:
    parts = [f"{slots[unit]:g} {unit}" for unit in ("hours", "minutes", "seconds") if slots.get(unit)]
    return ("SetTimer", {"duration": " ".join(parts), "label": slots.get("name")}) if parts else None


def _relative(slots: Slots) -> Built:
    step = slots.get("volume_step")
    if isinstance(step, int):
        return "Volume", {"direction": "up" if step > 0 else "down", "amount": abs(step)}
    return ("Volume", {"direction": step}) if step in ("up", "down") else None


def _made(intent: str, **slots: Slot | None) -> Built:
    return intent, slots


def _ours(slots: Slots, made: Built) -> Built:
    """Not another loudspeaker's, nor another room's."""
    return None if "name" in slots or "area" in slots else made


_BUILDERS: dict[str, Callable[[Slots, str], Built]] = {
    "HassTurnOn": lambda slots, response: _switched(slots, response, on=True),
    "HassTurnOff": lambda slots, response: _switched(slots, response, on=False),
    "HassLightSet": lambda slots, _: _lit(slots),
    "HassSetPosition": lambda slots, _: _leveled(slots, slots.get("position")),
    "HassGetState": _state,
    "HassGetCurrentTime": lambda *_: _made("Time"),
    "HassGetCurrentDate": lambda *_: _made("Date"),
    "HassSetVolume": lambda slots, _: _ours(slots, _made("VolumeSet", level=slots.get("volume_level"))),
    "HassSetVolumeRelative": lambda slots, _: _ours(slots, _relative(slots)),
    "HassNevermind": lambda *_: _made("NeverMind"),
    "HassClimateSetTemperature": lambda slots, _: _made(
        "SetTemperature", thing=_place(slots), degrees=slots.get("temperature")
    ),
    "HassClimateGetTemperature": lambda slots, _: _made("Sensor", thing=_place(slots), measure="temperature"),
    "HassStartTimer": lambda slots, _: _timer(slots),
    "HassCancelTimer": lambda s, _: None if "area" in s else _made("CancelTimer", label=s.get("name")),
    "HassCancelAllTimers": lambda *_: _made("CancelTimer", label="all"),
    "HassTimerStatus": lambda *_: _made("ListTimers"),
    "HassMediaPlayerMute": lambda slots, _: _ours(slots, _made("VolumeMute")),
    "HassMediaPlayerUnmute": lambda slots, _: _ours(slots, _made("VolumeUnmute")),
}
