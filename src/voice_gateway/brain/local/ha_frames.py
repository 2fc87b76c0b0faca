"""What a sentence of home-assistant-intents says, as one of our own frames."""

from typing import TYPE_CHECKING, Any

from voice_gateway.brain.local.grammar import Frame, Slot

if TYPE_CHECKING:
    from hassil.recognize import RecognizeResult

_NOUNS = {"light": "lights", "switch": "switches", "cover": "blinds", "lock": "locks"}


def to_frame(result: "RecognizeResult") -> Frame | None:
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
        return ("VolumeUp" if step > 0 else "VolumeDown"), {"amount": abs(step)}
    return {"up": ("VolumeUp", {}), "down": ("VolumeDown", {})}.get(str(step))


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
