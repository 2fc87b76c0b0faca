"""Words that mean a sort of device rather than one of them: "the light", "all blinds"."""

from collections.abc import Callable
from typing import Final

from zwave_mcp.devices import Device
from zwave_mcp.folding import singular

Fits = Callable[[Device], bool]


def _light(device: Device) -> bool:
    return device.is_light


def _of(*kinds: str) -> Fits:
    return lambda device: device.kind in kinds


def _any(device: Device) -> bool:
    return True


NOUNS: Final[dict[str, Fits]] = {
    **dict.fromkeys(("light", "lamp", "lighting"), _light),
    **dict.fromkeys(("dimmer",), _of("dimmer")),
    **dict.fromkeys(("blind", "shade", "curtain", "shutter", "drape", "cover"), _of("blind")),
    **dict.fromkeys(("plug", "outlet", "socket"), _of("plug")),
    **dict.fromkeys(("switch", "switche"), _of("switch", "plug")),
    **dict.fromkeys(("thermostat", "heating"), _of("thermostat")),
    **dict.fromkeys(("sensor",), _of("sensor")),
    **dict.fromkeys(("lock",), _of("lock")),
    **dict.fromkeys(("everything", "thing"), _any),
}

ALL: Final = frozenset({"all", "every", "everything", "everywhere", "both", "each"})


def noun_in(words: frozenset[str]) -> str | None:
    """The one word that names a sort of device; None when there is none or more than one."""
    found = [word for word in words if singular(word) in NOUNS]
    return found[0] if len(found) == 1 else None


def fits(word: str) -> Fits:
    return NOUNS[singular(word)]


def is_plural(word: str) -> bool:
    return singular(word) != word
