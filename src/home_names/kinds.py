"""Kinds of devices, the words for them ("lights", "blinds", "everything"), and what a name adds to a kind."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, Protocol, TypeVar

from home_names.names import plain, plain_words, singular
from home_names.risk import drives_a_gate, has_shades, is_called_door, is_guarded

# What a Z-Wave network has; other homes also have valve, media_player, vacuum and alarm.
Kind = Literal[
    "switch", "plug", "dimmer", "light", "fan", "blind", "garage_door", "lock", "thermostat", "chime",
    "siren", "sensor", "group", "other",
]  # fmt: skip
Sort = Literal[
    "light", "dimmer", "cover", "lock", "plug", "switch", "thermostat", "sensor", "garage", "door", "all",
    "device", "fan", "vacuum", "media_player", "chime", "siren", "window",
]  # fmt: skip

# What "everything" means: no locks, doors, blinds. A light only switches, a dimmer dims.
SWITCHED: Final = frozenset({"switch", "plug", "dimmer", "light", "fan"})
_MAY_BE_LIT: Final = frozenset({"switch", "plug", "dimmer", "light"})
COVERS: Final = frozenset({"blind", "garage_door"})
# Ways into the house: a vague or misheard name never opens them.
ENTRANCES: Final = frozenset({"lock", "garage_door"})

# What a name says of its device in the languages that names are given in: a whole word, or with "*" its
# beginning, its end or a part of it.
_LIGHTS: Final = """
*light* *lamp* *bulb* *chandelier* *lantern* *leucht* *licht* lumi* *spot* *sconce* led leds glow*
"""
_MORE_LIGHTS: Final = """
illumin* *luchter* *ljus* *belysning* lys lysene lysekron* lyslenke* *lys *lyset
valo valon *valo *valot *valais*
luz luces iluminación* bombilla* foco focos candeeiro* luminária* lustre* abajur* llum llums
éclairage* ampoule* plafonnier* applique* veilleuse* luce luci faretto faretti plafoniera* abat-jour
światł* oświetl* żarówk* kinkiet* żyrandol* světlo světla světel svítidl* osvětl* žárovk* lustr
svetiel svjetl* rasvjet* fény fények fényfüzér világít* csillár* ışık* ışığ* ampul* avize* aydınlatma* veioz*
свет света светы светильник*
світл* подсвет* освещ* освітл* ламп* люстр* торшер* бра φως φώτα φωτισμ* φωτιστικ* λάμπ*
*灯* *燈* *照明* *ライト* *ランプ* *조명* *전등* *램프*
"""
_FANS: Final = """
fan fans *ventilator* *lüfter* *ventilateur* ventilador* ventilatore ventilatori *fläkt *fläkten
*vifte *viften *tuuletin wentylator* větrák* vantilatör* pervane вентилятор* ανεμιστήρ*
*风扇* *風扇* *扇風機* *선풍기*
"""
# What hangs on a dimmer and is no lamp.
_MACHINES: Final = """
heater heaters pump pumps motor motors valve valves humidifier* dehumidifier*
*pumpe *pumpen *heizung *heizstrahler *heizer pompe pompes pompa pompy bomba bombas *pumppu *pump
čerpadl* насос* chauffage* radiateur* calefact* calefacci* radiador* riscaldamento* *verwarming *kachel
*lämmitin *värmare grzejnik* topení* fűtés* ısıtıcı* обогрев* отоплен*
"""
_WINDOWS: Final = """
window windows skylight* *fenster *fönster *fönstret *ikkuna *vindu *vindue *vinduet *raam velux
fenêtre* ventana* janela* finestra finestre okno okna okien* ablak* *ablak pencere* fereastr* prozor*
окно окна вікно вікна παράθυρ* *窓* *窗* *창문*
"""
_SHADES: Final = """
persiana* cortina* estor* toldo* tenda tende tapparell* *gordijn* *luik rolet* żaluzj* žaluzi* závěs*
*verho* *gardin* *persienn* *rullo* perde* panjur* redőny* függöny* штор* жалюзи
"""


@cache
def _says(words: str) -> re.Pattern[str]:
    """Finds any of these words in a name as `plain` writes it."""
    return re.compile(
        "|".join(
            rf"{'' if word.startswith('*') else chr(92) + 'b'}{re.escape(plain(word))}"
            rf"{'' if word.endswith('*') else chr(92) + 'b'}"
            for word in words.split()
        )
    )


class HomeDevice(Protocol):
    """What must be known of a device to tell which one is meant; gateway and server have more."""

    @property
    def name(self) -> str: ...
    @property
    def room(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def node_id(self) -> int | None: ...


D = TypeVar("D", bound=HomeDevice)


def is_fan(name: str) -> bool:
    """By its name alone: a "Ceiling Fan" on a dimmer, and not the "Ceiling Fan Light"."""
    return bool(_says(_FANS).search(plain(name))) and not _says(_LIGHTS + _MORE_LIGHTS).search(plain(name))


def mover_kind(name: str) -> Kind:
    """A motor that is a gate looks like a blind to Z-Wave; only its name tells."""
    return "garage_door" if drives_a_gate(name) else "blind"


@lru_cache(maxsize=16_384)
def is_light(kind: str, name: str) -> bool:
    """A dimmer is one unless its name says otherwise; a switch only when its name says so.

    A "Ceiling Fan" on a dimmer is a fan (Z-Wave has no other sort of fan): "all lights off" must not stop
    it, nor "the light" start it. A "Ceiling Fan Light" is the light of one.
    """
    called = plain(name)
    if _says(_LIGHTS + _MORE_LIGHTS).search(called):
        # Words of many languages may lie: what opens a gate or wakes the house is no lamp by one of them.
        # Nor is a heater or a pump a lamp because of a person's name in it.
        doubtful = _says(_MACHINES).search(called) or is_guarded(kind, (name,))
        sure = _says(_LIGHTS).search(called) or not doubtful
        return kind in _MAY_BE_LIT and bool(sure)
    return kind == "light" or (kind == "dimmer" and not _says(_FANS + _MACHINES).search(called))


# The words for each sort; "_" is a space, and an s may follow.
_WORDS: Final[dict[Sort, str]] = {
    "light": "light lighting lamp bulb", "dimmer": "dimmer", "plug": "plug outlet socket",
    "cover": "blind roller_blind shutter shade curtain drape awning cover", "lock": "lock door_lock",
    "switch": "switch switches", "thermostat": "thermostat heating heat climate temperature",
    "sensor": "sensor", "fan": "fan", "chime": "chime doorbell door_bell bell gong", "siren": "siren",
    "vacuum": "vacuum vacuum_cleaner robot_vacuum hoover", "media_player": "player media_player",
    "garage": "garage", "door": "door", "all": "everything every_thing anything all",
    "device": "device things gadget appliances",
}  # fmt: skip
_NOUNS: Final[dict[str, Sort]] = {
    f"{noun.replace('_', ' ')}{ending}": sort
    for sort, nouns in _WORDS.items()
    for noun in nouns.split()
    for ending in ("", "s")
}
_TWO_WORDS: Final = {frozenset(noun.split()): noun for noun in _NOUNS if " " in noun}
_PLURAL_ANYWAY: Final = frozenset({"everything", "anything", "all", "lighting", "every thing"})
_ONE_THING: Final = frozenset({"thermostat", "heating", "heat", "climate", "temperature"})  # of the only one
_PARTICULAR: Final = frozenset("lamp bulb shutter shade curtain drape awning outlet socket".split())


# No word for commands: what a window is that can be moved, its own name says.
WINDOW: Final[Sort] = "window"
_UNNAMED: Final = re.compile(r"node \d+(?: \d+)?", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def _swept(kind: str, name: str, room: str) -> bool:
    """Whether "everything" includes a device: no siren, alarm or relay that opens a gate, and no device
    without a name, which may be a pump."""
    named = kind in SWITCHED and not _UNNAMED.fullmatch(name)
    return named and not is_guarded(kind, (name, f"{room} {name}"))


@lru_cache(maxsize=16_384)
def _is_window(name: str) -> bool:
    """A window with a motor opens to the rain: "the blinds" are not it, unless it is the window's blind."""
    called = plain(name)
    return bool(_says(_WINDOWS).search(called)) and not has_shades(name) and not _says(_SHADES).search(called)


def _is_switched_vacuum(device: HomeDevice) -> bool:
    """Z-Wave has no such kind: what is switched and called so is one, but not its light."""
    called = "vacuum" in map(singular, plain_words(device.name))
    return called and device.kind in SWITCHED and not is_light(device.kind, device.name)


_MEMBERS: Final[dict[str, Callable[[HomeDevice], bool]]] = {
    "fan": lambda device: device.kind == "fan" or (device.kind in SWITCHED and is_fan(device.name)),
    "vacuum": lambda device: device.kind == "vacuum" or _is_switched_vacuum(device),
    "light": lambda device: is_light(device.kind, device.name),
    "cover": lambda device: device.kind == "blind" and not _is_window(device.name),
    "garage": lambda device: device.kind == "garage_door",
    "door": lambda device: (
        device.kind in ENTRANCES or "door" in device.name.casefold() or is_called_door(device.name)
    ),
    WINDOW: lambda device: _is_window(device.name),
    "all": lambda device: _swept(device.kind, device.name, device.room),
    "device": lambda device: True,
}


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A word that means a sort of device rather than one of them."""

    sort: Sort
    noun: str  # as it was said
    plural: bool

    def has(self, device: HomeDevice) -> bool:
        test = _MEMBERS.get(self.sort)
        return test(device) if test else device.kind == self.sort

    def among(self, devices: Iterable[D]) -> tuple[D, ...]:
        """The members of the class; of a particular word ("lamp") only those that are called so, if any."""
        members = tuple(device for device in devices if self.has(device))
        word = singular(self.noun)
        if word not in _PARTICULAR:
            return members
        called = (d for d in members if word in map(singular, plain_words(d.name)))
        return tuple(called) or members


def device_class(noun: str) -> DeviceClass | None:
    """The sort of device that a word means."""
    sort = _NOUNS.get(noun)
    if sort is None:
        return None
    plural = noun in _PLURAL_ANYWAY or (noun.endswith("s") and noun not in _ONE_THING)
    return DeviceClass(sort, noun, plural)


def classes_in(words: frozenset[str]) -> Iterator[DeviceClass]:
    """Every sort that these words name. One of them may be meant for a room: "the lights in the garage"."""
    pairs = [noun for parts, noun in _TWO_WORDS.items() if parts <= words]
    for noun in pairs or sorted(word for word in words if word in _NOUNS):
        sort = device_class(noun)
        if sort is not None:
            yield sort
