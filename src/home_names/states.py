"""What a device is doing, in the few fixed words of docs/zwave.md: how they are written, read and said."""

import re
from typing import Final

from home_names.units import UNITS

UNKNOWN: Final = "unknown"
_BEHIND_A_NUMBER: Final = {
    **{unit: UNITS[unit] for unit in ("°C", "°F", "%", "W", "kWh", "V", "lx")},
    # A sensor's own "A" is always an ampere; in a sentence it may be a word.
    "A": ("ampere", "amperes"),
    "Lux": UNITS["lx"],
    "K": ("kelvin", "kelvin"),  # of a light
}
_UNIT: Final = re.compile(
    rf"(?<![\w.])(-?\d+(?:\.\d+)?) ?({'|'.join(sorted(_BEHIND_A_NUMBER, key=len, reverse=True))})(?!\w)"
)
_DOES: Final = {"heat": "heating", "cool": "cooling", "auto": "on auto", "eco": "saving energy"}
_HEATING: Final = re.compile(rf"({'|'.join(_DOES)})(?=,|$)")
_LEVEL: Final = re.compile(r"(?<!\d)(\d+) ?%")
_NOW: Final = re.compile(r"\bnow (-?\d+(?:\.\d+)?) ?°")
_DEGREES: Final = re.compile(r"(?<!now )(?<!now -)(-?(?<!\d)\d+(?:\.\d+)?) ?°")


def parts_of(state: str) -> tuple[str, ...]:
    """All that it says, each for itself: of "open, 21.4 °C" the door and the temperature."""
    return tuple(part.strip() for part in re.split(r"[,;]", state))


def dimmed(percent: int) -> str:
    return "off" if percent == 0 else f"on, {percent} %"


def opened(percent: int) -> str:
    return {0: "closed", 100: "open"}.get(percent, f"{percent} % open")


def level_of(state: str) -> int | None:
    """The percent that a state tells: "on, 40 %", "off", "50 % open"."""
    match = _LEVEL.search(state)
    return 0 if state == "off" else int(match[1]) if match else None


def degrees_of(state: str) -> float | None:
    """What it is set to: "heat, set to 21 °C, now 20.5 °C"."""
    match = _DEGREES.search(state)
    return float(match[1]) if match else None


def measured_of(state: str) -> float | None:
    """What it measures: "heat, set to 21 °C, now 20.5 °C"."""
    match = _NOW.search(state)
    return float(match[1]) if match else None


def spoken_units(text: str) -> str:
    """The text with its units written out: "21.4 degrees Celsius"."""
    return _UNIT.sub(lambda match: f"{match[1]} {_BEHIND_A_NUMBER[match[2]][match[1] != '1']}", text)


def spoken_state(state: str) -> str:
    """A state as it is said: "on at 40 percent"; of a thermostat without "Celsius"."""
    if (doing := _HEATING.match(state)) is not None:
        return f"{_DOES[doing[1]]}{spoken_units(state[doing.end(1) :])}".replace(" Celsius", "")
    return spoken_units(re.sub(r"^on, (\d+ ?%)(?=$|,)", r"on at \1", state))
