"""The sentences of home-assistant-intents, filled with the live names, and read as our own frames."""

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.ha_frames import to_frame
from voice_gateway.brain.local.home import Device, Home
from voice_gateway.brain.local.normalise import plain_words

if TYPE_CHECKING:
    from hassil.intents import Intents

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

_loading = threading.Lock()


def match_ha(text: str, home: Home, room: str | None, language: str) -> Iterator[Frame]:
    from hassil import recognize_all
    from hassil.intents import SlotList, TextSlotList

    intents = load(language)
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
        frame = to_frame(result)
        # "The bedroom one" is one of several, and no level of one percent.
        if frame is not None and not (frame.slots.get("level") == 1 and text.endswith(" one")):
            yield frame


def load(language: str) -> "Intents | None":
    with _loading:
        return _load(language)


@lru_cache(maxsize=4)
def _load(language: str) -> "Intents | None":
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
