"""Sentences to frames: our own (`sentences/en.yaml`) and those of home-assistant-intents, by hassil."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from home_words.names import plain_words
from voice_gateway.brain.local.home import Device, Home

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
    for result in recognize_all(text, load(language), language=language):
        slots = {name: _slot(entity.value) for name, entity in result.entities.items()}
        metadata = result.intent_data.metadata or {}
        slots |= {name: value for name, value in metadata.items() if isinstance(value, bool)}
        key = (result.intent.name, repr(sorted(slots.items())))
        if key not in frames or frames[key].literal < result.text_chunks_matched:
            frames[key] = Frame(result.intent.name, slots, result.text_chunks_matched)
    return sorted(frames.values(), key=lambda frame: -frame.literal)


def load(language: str) -> "Intents":
    """Parsed at its first use."""
    with _loading:
        return _load(language)


@lru_cache(maxsize=8)
def _load(language: str) -> "Intents":
    import yaml
    from hassil.intents import Intents

    # The C loader reads the file ten times faster; not every platform has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with _file(language).open("rb") as source:
        return Intents.from_dict(yaml.load(source, Loader=loader))


def _file(language: str) -> Any:
    return resources.files("voice_gateway.brain.local").joinpath("sentences", f"{language}.yaml")


def _slot(value: object) -> Slot:
    return (
        value.strip()
        if isinstance(value, str)
        else value
        if isinstance(value, int | float | bool)
        else str(value)
    )


# --- home-assistant-intents, filled with the live names

_KEPT = (
    "HassTurnOn", "HassTurnOff", "HassLightSet", "HassSetPosition", "HassGetState", "HassGetCurrentTime",
    "HassGetCurrentDate", "HassSetVolume", "HassSetVolumeRelative", "HassNevermind", "HassStartTimer",
    "HassClimateSetTemperature", "HassClimateGetTemperature", "HassCancelTimer", "HassCancelAllTimers",
    "HassTimerStatus", "HassMediaPlayerMute", "HassMediaPlayerUnmute",
)  # fmt: skip
_DOMAINS = {
    "dimmer": "light", "light": "light", "switch": "switch", "plug": "switch", "blind": "cover",
    "garage_door": "cover", "lock": "lock", "thermostat": "climate", "sensor": "sensor", "fan": "fan",
}  # fmt: skip
# One device's name alone, or a colour, is no wish: "the lamp" must not turn it on.
_LEFT_OUT = ("name_color", "area_color", "color_only", "floor_color", "name_script", "name_button")


def match_ha(text: str, home: Home, room: str | None, language: str) -> Iterator[Frame]:
    from hassil import recognize_all
    from hassil.intents import SlotList, TextSlotList

    intents = _load_ha(language)
    if intents is None:
        return
    padded = f" {text.casefold()} {' '.join(plain_words(text))} "
    # Only what is mentioned: the grammar's size does not depend on the home's.
    names = [
        (said, home.address(devices[0]), {"domain": _domain(devices[0])})
        for name, devices in home.by_name.items()
        if len(devices) == 1 and f" {name} " in padded
        for said in {name, devices[0].name.casefold()}
    ]
    rooms = [
        (said, name)
        for key, name in home.rooms.items()
        if f" {key} " in padded
        for said in {key, name.casefold()}
    ]
    lists: dict[str, SlotList] = {
        "name": TextSlotList.from_tuples(names, name="name", allow_template=False),
        "area": TextSlotList.from_tuples(rooms, name="area", allow_template=False),
        "floor": TextSlotList.from_tuples([], name="floor", allow_template=False),
        "zone": TextSlotList.from_tuples([], name="zone", allow_template=False),
    }
    context = {"area": room} if room else {}
    for result in recognize_all(text, intents, slot_lists=lists, intent_context=context, language=language):
        frame = _to_frame(result)
        # "The bedroom one" is one of several, and no level of one percent.
        if frame is not None and not (frame.slots.get("level") == 1 and text.endswith(" one")):
            yield frame


def _load_ha(language: str) -> "Intents | None":
    with _loading:
        return _parse_ha(language)


@lru_cache(maxsize=4)
def _parse_ha(language: str) -> "Intents | None":
    from hassil.intents import Intents
    from home_assistant_intents import get_intents

    content: dict[str, Any] | None = get_intents(language)
    if not content:
        return None
    kept = {name: _trimmed(content["intents"][name]) for name in _KEPT if name in content["intents"]}
    return Intents.from_dict({**content, "intents": kept})


def _trimmed(intent: dict[str, Any]) -> dict[str, Any]:
    data = []
    for block in intent["data"]:
        combination = (block.get("metadata") or {}).get("slot_combination", "")
        if combination in _LEFT_OUT or "floor" in combination or "command" in combination:
            continue
        sentences = [s for s in block["sentences"] if _wanted(s)]
        if sentences:
            data.append({**block, "sentences": sentences})
    return {**intent, "data": data}


def _wanted(sentence: str) -> bool:
    """Not a name alone, and nothing to be done later: a command with a time is none for now."""
    return sentence.replace("[<the>]", "").strip() != "{name}" and "timer_command" not in sentence


def _domain(device: Device) -> str:
    return "light" if device.is_light else _DOMAINS.get(device.kind, "other")


# --- what one of their sentences says, as a frame of ours

_NOUNS = {"light": "lights", "switch": "switches", "cover": "blinds", "lock": "locks"}


def _to_frame(result: "RecognizeResult") -> Frame | None:
    slots: dict[str, Any] = {name: entity.value for name, entity in result.entities.items()}
    build = _BUILDERS.get(result.intent.name)
    made = build(slots, result.response or "") if build else None
    if made is None:
        return None
    intent, filled = made
    return Frame(
        intent, {k: v for k, v in filled.items() if v not in (None, "")}, result.text_chunks_matched, False
    )


Built = tuple[str, dict[str, Slot | None]] | None


def _thing(slots: dict[str, Any]) -> str:
    name, area = slots.get("name"), slots.get("area")
    what = str(name or _NOUNS.get(str(slots.get("domain")), ""))
    if not what:
        return ""
    return f"{what} in {area}" if area else what


def _switch(on: bool) -> Any:
    def build(slots: dict[str, Any], response: str) -> Built:
        thing = _thing(slots)
        if not thing:
            return None
        if response.startswith("cover"):
            return ("Open" if on else "Close"), {"thing": thing}
        if response == "lock":
            return ("Lock" if on else "Unlock"), {"thing": thing}
        if response.startswith("scene"):
            return None
        if response == "light_all":
            thing = "all lights"
        return ("TurnOn" if on else "TurnOff"), {"thing": thing}

    return build


def _level(slot: str) -> Any:
    def build(slots: dict[str, Any], _response: str) -> Built:
        thing, level = _thing(slots), slots.get(slot)
        return ("SetLevel", {"thing": thing, "level": level}) if thing and isinstance(level, int) else None

    return build


def _state(slots: dict[str, Any], response: str) -> Built:
    state, thing = str(slots.get("state") or ""), _thing(slots)
    if response in ("one", "one_yesno") and thing:
        return ("IsState", {"thing": thing, "state": state}) if state else ("DeviceState", {"thing": thing})
    noun = _NOUNS.get(str(slots.get("domain")))
    if noun is None or not state:
        return None
    place = slots.get("area")
    if response in ("any", "all"):
        return "IsState", {"thing": f"{response} {noun}", "state": state, "place": place}
    return "WhichState", {"thing": noun, "state": state, "place": place}


def _timer(slots: dict[str, Any], _response: str) -> Built:
    parts = [f"{slots[unit]:g} {unit}" for unit in ("hours", "minutes", "seconds") if slots.get(unit)]
    return ("SetTimer", {"duration": " ".join(parts), "label": slots.get("name")}) if parts else None


def _relative(slots: dict[str, Any], _response: str) -> Built:
    step = slots.get("volume_step")
    if "name" in slots or "area" in slots:
        return None  # another loudspeaker than ours
    if isinstance(step, int):
        return "Volume", {"direction": "up" if step > 0 else "down", "amount": abs(step)}
    return ("Volume", {"direction": step}) if step in ("up", "down") else None


def _plain(intent: str, *unless: str) -> Any:
    return lambda slots, _response: None if any(name in slots for name in unless) else (intent, {})


def _volume(slots: dict[str, Any], _response: str) -> Built:
    return None if "name" in slots or "area" in slots else ("VolumeSet", {"level": slots.get("volume_level")})


def _place(slots: dict[str, Any]) -> str | None:
    return slots.get("name") or slots.get("area")


def _temperature(slots: dict[str, Any], _response: str) -> Built:
    return "SetTemperature", {"thing": _place(slots), "degrees": slots.get("temperature")}


def _warmth(slots: dict[str, Any], _response: str) -> Built:
    return "Sensor", {"thing": _place(slots), "measure": "temperature"}


def _cancel(slots: dict[str, Any], _response: str) -> Built:
    return ("CancelTimer", {"label": slots.get("name")}) if "area" not in slots else None


_BUILDERS: dict[str, Any] = {
    "HassTurnOn": _switch(True),
    "HassTurnOff": _switch(False),
    "HassLightSet": _level("brightness"),
    "HassSetPosition": _level("position"),
    "HassGetState": _state,
    "HassGetCurrentTime": _plain("Time"),
    "HassGetCurrentDate": _plain("Date"),
    "HassSetVolume": _volume,
    "HassSetVolumeRelative": _relative,
    "HassNevermind": _plain("NeverMind"),
    "HassClimateSetTemperature": _temperature,
    "HassClimateGetTemperature": _warmth,
    "HassStartTimer": _timer,
    "HassCancelTimer": _cancel,
    "HassCancelAllTimers": lambda _slots, _r: ("CancelTimer", {"label": "all"}),
    "HassTimerStatus": _plain("ListTimers"),
    "HassMediaPlayerMute": _plain("VolumeMute", "name"),
    "HassMediaPlayerUnmute": _plain("VolumeUnmute", "name"),
}  # fmt: skip
