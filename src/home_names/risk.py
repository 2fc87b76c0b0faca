"""What an action on a device risks: the one judgement for the gateway's gate, the server's scenes and groups.

Z-Wave knows a relay, and people know what hangs on it: a gate, a siren, a valve. Only its name tells.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from home_names.names import fold

RELAYS: Final = frozenset({"switch", "plug", "dimmer", "other"})
MOVERS: Final = frozenset({"blind", "cover"})
# Some servers have kinds of their own for what ours knows by name.
WAYS_IN: Final = frozenset({"lock", "garage_door", "gate", "door", "valve"})
SOUNDING: Final = frozenset({"siren"})
ARMED: Final = frozenset({"alarm"})
# No action of these opens a way in. An unknown kind counts as a relay, and its word as one more name.
_HARMLESS_KINDS: Final = frozenset(
    {"chime", "light", "fan", "thermostat", "sensor", "media_player", "vacuum", "scene", "list"}
)
_KNOWN_KINDS: Final = RELAYS | MOVERS | WAYS_IN | SOUNDING | ARMED | _HARMLESS_KINDS

# No action of these can let anybody in. "off" closes a relay that holds a gate open.
HARMLESS: Final = frozenset({"close", "stop", "lock"})
CLOSING: Final = HARMLESS | {"off"}
UNLOCK: Final = "unlock"  # sensitive for every kind

# Names are given in every language. What one of these says opens a way in …
_GATE: Final = re.compile(
    r"\b(?:gates?(?![a-z])|garage (?:doors?|openers?|motor|drive)|door openers?|barrier|"
    r"turnstile|bollard|"
    r"(?:garagen|hof|garten|einfahrts?|roll|schiebe|flügel)?tor(?:e|schalter|öffner|antrieb|relais|motor)?\b|"
    r"schranke\b|türöffner|portail|portillon|barrière|portón|portao|portão|cancello|cancelletto|"
    r"poort(?:je)?\b|slagboom|garagedeur|deuropener|grind(?:en)?\b|garageport|garasjeport|bom\b|"
    r"brama|bramk|szlaban|brán|vrata|vrátka|portti|kapu|garaj kapı|bahçe kapı|ворот|калитк|шлагбаум)"
)
# … and so does a door, when the name ends with it: a "Door Lamp" is a lamp.
_DOOR: Final = re.compile(
    r"(?:tür|deur|dörr|dør|\b(?:doors?|portes?|puertas?|portas?|drzwi|ovi|dveře|ajtó|kapı|дверь))"
    r"(?: (?:opener|strike|release|relay|motor|switch|buzzer|latch|bolt|lock|control|drive|operator|relais|"
    r"open|opens|button|öffnen|auf|ouvrir|abrir|aprire|openen)){0,2}"
    r"(?: \d+)?$"
)
# A relay that holds a lock: its wiring decides which of on and off opens it.
_LOCK: Final = re.compile(
    r"(?:schloss|schloß|deurslot|lukko|\b(?:(?:mag|pad)?locks?|deadbolt|bolt|latch|strike|safe|tresor|serrures?|"
    r"gâche|cerradura|serratura|fechadura|slot|lås|zamek|zámek|kilit|замок))"
    r"(?: (?:opener|release|relay|motor|switch|control|drive|relais))?(?: \d+)?$"
)
# What is called by what it does: a button "Front Door Unlock".
_UNLOCKS: Final = re.compile(
    r"\b(?:unlock|unlatch|disarm|unbolt|déverrouill|désarm|desbloque|desarm|sblocc|disinserisci|ontgrendel)|"
    r"entriegel|entsperr|aufschliess|aufsperr|entschärf"
)
_VALVE: Final = re.compile(
    r"ventil\b|vanne\b|valvola\b|\b(?:valves?\b|stopcock|water main|gas main|absperrhahn|haupthahn|"
    r"válvula|klep\b|hoofdkraan|zawór|клапан)"
)
_SIREN: Final = re.compile(r"siren|sirèn|hupe\b|\b(?:horns?\b|klaxon|strobe|syren|сирен)")
_ALARM: Final = re.compile(r"alarm|\b(?:security|allarme|тревог|сигнализац)")
_MOTOR: Final = re.compile(r"\b(?:garage|einfahrt)\b")
_SHADES: Final = re.compile(
    r"blind|curtain|shade|shutter|drape|awning|rollo|jalousie|vorhang|markise|store\b|volet"
)
_HUMP: Final = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")


@lru_cache(maxsize=16_384)
def _form(text: str) -> str:
    """As the rules read it: "RelayGate", "relay_gate" and full-width letters are the same words."""
    return fold(_HUMP.sub(" ", text))


def is_called_door(name: str) -> bool:
    """Whether a name ends with a word for a door ("Balkontür"); a "Door Lamp" is a lamp."""
    return _DOOR.search(_form(name)) is not None


def is_loud(name: str) -> bool:
    """A device or a tone that people run from: a siren, an alarm, a horn."""
    form = _form(name)
    return bool(_SIREN.search(form) or _ALARM.search(form))


def drives_a_gate(name: str) -> bool:
    """A motor that is a gate looks like a blind to Z-Wave; only its name tells."""
    form = _form(name)
    door = _DOOR.search(form) and not _SHADES.search(form)
    return bool(door or _GATE.search(form) or _MOTOR.search(form))


def has_shades(name: str) -> bool:
    return bool(_SHADES.search(_form(name)))


def is_sensitive(kind: str, names: Iterable[str], action: str) -> bool:
    """Whether this needs the user's own yes. `names`: all that tells what the device is, its room too."""
    known = tuple(names)
    if action in HARMLESS:
        return False
    if action == UNLOCK:
        return True
    if kind not in _KNOWN_KINDS:
        kind, known = "other", (*known, kind)
        if action not in CLOSING and any(map(drives_a_gate, known)):
            return True
    forms = [_form(name) for name in known]
    held = (_SIREN, _LOCK, _UNLOCKS)
    # A chime rings, unless it or its tone is called by what makes people run.
    loud = kind in SOUNDING or (kind == "chime" and any(map(is_loud, known)))
    if loud or (kind in RELAYS and any(_any(rule, forms) for rule in held)):
        return True
    if action != "on" and (kind in ARMED or _any(_ALARM, forms)):
        return True  # an alarm that is turned off may let a burglar in
    return action not in CLOSING and _opens(kind, known)


def _opens(kind: str, names: tuple[str, ...]) -> bool:
    if kind in MOVERS:
        return any(map(drives_a_gate, names))
    forms = [_form(name) for name in names]
    by_name = kind in RELAYS and any(_any(rule, forms) for rule in (_GATE, _DOOR, _VALVE))
    return by_name or kind in WAYS_IN | ARMED


def is_guarded(kind: str, names: Iterable[str]) -> bool:
    """Whether any action on it is sensitive."""
    known = tuple(names)
    return any(is_sensitive(kind, known, action) for action in ("on", "off", "open", "toggle"))


def _any(rule: re.Pattern[str], forms: Iterable[str]) -> bool:
    return any(map(rule.search, forms))
