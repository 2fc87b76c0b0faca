"""What a call risks, and whether it needs the user's yes first: "why did it refuse to unlock?"."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any

from home_words.kinds import HomeDevice
from home_words.names import plain_words
from home_words.risk import HARMLESS, is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.tools.own_words import asked_for, name_words
from voice_gateway.turn import ALLOWED, Autonomy, Decision, ToolCall, ToolTraits, Verdict, Words

log = logging.getLogger(__name__)

# Every device that a name could mean to its server; empty when nobody knows.
DevicesNamed = Callable[[str], Sequence[HomeDevice]]
TIMERS = frozenset({"set_timer", "cancel_timer"})
VOLUME = "control_speaker_volume"
THERMOSTAT = "set_zwave_thermostat"


class Fit(IntEnum):
    """How far a call is what the words mean."""

    FAR = 0  # they do not speak of it
    NEAR = 1  # they speak of what it is about, and want something
    MEANT = 2  # thing, direction and value stand in them, and no other time


# Of a call and the devices that it would reach.
Fits = Callable[[ToolCall, ToolTraits, Sequence[HomeDevice]], Fit]
# Asked at each call: what a model has read grows while a turn goes on.
Heard = Callable[[], bool]


class Tier(StrEnum):
    READ = "read"
    ACT = "act"
    SENSITIVE = "sensitive"


SENSITIVE_WORDS = re.compile(r"\b(unlock|disarm)", re.IGNORECASE)
# How the name of a tool begins that only looks, and words that no such name has.
LOOKING_WORDS = frozenset(
    "get list read show find search query fetch check lookup describe count status is has view tell".split()
)
ACTING_WORDS = frozenset(
    "set update delete remove add create write send post put open close start stop run execute turn switch "
    "toggle enable disable activate lock unlock arm disarm buy order pay play cancel reset clear control "
    "move make".split()
)
DEVICE_KEYS = re.compile(r"name|device|entity|target|door|^id$", re.IGNORECASE)
# A scene of our own server is looked into there: none is started that opens anything, and one of which not
# all is known only when it is called again with `confirmed`.
HOME_TOOLS = frozenset({"set_zwave_thermostat", "activate_zwave_scene"})
ACTION_KEYS = ("action", "state", "command", "service")
OPENING_WORDS = frozenset({"open", "unlock", "toggle"})
LONGEST_NAME = 100  # characters
GUARDED_WORDS = re.compile(r"\b(garage|gate|lock|alarm|safe)", re.IGNORECASE)

WAITING = Verdict(
    Decision.ASK,
    "this needs the user's confirmation, and the user is being asked; do not say that it was done",
    "this needs your yes first",
)
NOT_SEARCHED = Verdict(
    Decision.REFUSED,
    "the user neither asked about the world nor for a search, so nothing is sent; answer by yourself",
    "you did not ask me to search, so I sent nothing",
)
FORBIDDEN = Verdict(
    Decision.REFUSED,
    "the user did not ask for an action, so nothing may be changed in this turn",
    "you did not ask for an action, so I changed nothing",
)
WRONG_DOOR = Verdict(Decision.REFUSED, "this is not allowed from here")


def tier(
    call: ToolCall, traits: ToolTraits, settings: PermissionSettings, devices_named: DevicesNamed
) -> Tier:
    """From configuration, then our own Z-Wave tools by action and device kind, then a server's own hints."""
    names = {traits.original_name or call.name, call.name}
    if names & set(settings.trusted_tools):
        return Tier.READ if traits.read_only else Tier.ACT
    if names & set(settings.sensitive_tools):
        return Tier.SENSITIVE
    args = call.args if isinstance(call.args, Mapping) else {}
    return _own_tier(traits.original_name or call.name, args, traits, of_home(call, traits, devices_named))


def of_home(call: ToolCall, traits: ToolTraits, devices_named: DevicesNamed) -> DevicesNamed:
    """Those of a second home, whose tools go by `server__tool`, nobody knows: its node 15 is another one."""
    return devices_named if call.name == (traits.original_name or call.name) else lambda _name: ()


def _own_tier(name: str, args: Mapping[str, Any], traits: ToolTraits, devices_named: DevicesNamed) -> Tier:
    if name == "control_zwave_lock":
        return Tier.ACT if args.get("action") == "lock" else Tier.SENSITIVE
    if name == "control_zwave_device":
        return _device_tier(args, devices_named)
    if name in HOME_TOOLS:
        unknown = "scene" in name and (traits.stranger or bool(args.get("confirmed")))
        return Tier.SENSITIVE if unknown else Tier.ACT
    if traits.source == "builtin":
        return _builtin_tier(name, args, traits)
    if _only_looks(name, traits):
        return Tier.READ
    return Tier.SENSITIVE if traits.destructive or _sounds_sensitive(name, args) else Tier.ACT


def _builtin_tier(name: str, args: Mapping[str, Any], traits: ToolTraits) -> Tier:
    """A reminder to unlock the door unlocks nothing."""
    if traits.read_only or (name == "control_speaker_volume" and args.get("action") == "get"):
        return Tier.READ
    return Tier.SENSITIVE if traits.destructive or _sounds_sensitive(name, {}) else Tier.ACT


def _only_looks(name: str, traits: ToolTraits) -> bool:
    """Names first: no hint makes a look of `unlock_door`; of a stranger hint and name must say so."""
    if not traits.read_only or _sounds_sensitive(name, {}):
        return False
    words = name_words(name)
    by_name = bool(words) and words[0] in LOOKING_WORDS and not ACTING_WORDS & set(words)
    return by_name or not traits.stranger


def _device_tier(args: Mapping[str, Any], devices_named: DevicesNamed) -> Tier:
    """By the device that its server would take, however it is called: "node 15" may be the garage door."""
    action, said = str(args.get("action", "")), str(args.get("deviceName", ""))
    found = devices_named(said)
    if not found:
        return Tier.ACT if action in HARMLESS else Tier.SENSITIVE
    return Tier.SENSITIVE if any(_is_risky(one, said, action) for one in found) else Tier.ACT


def _is_risky(device: HomeDevice, said: str, action: str) -> bool:
    """ "Relay 2" in the room "Gate" drives a gate, and so does what is called one beside its own name."""
    full = f"{device.room} {device.name}"
    own = set(plain_words(full))
    beside = " ".join(word for word in plain_words(said) if word not in own)
    return is_sensitive(device.kind, (device.name, full, beside), action)


def is_search(traits: ToolTraits, name: str) -> bool:
    """It sends the user's words to strangers."""
    words = frozenset(name_words(traits.original_name or name))
    return "search" in words and bool(words & {"web", "internet", "online", "google"})


def _sounds_sensitive(name: str, args: Mapping[str, Any]) -> bool:
    words = " ".join(name_words(name))
    values = " ".join(value for value in args.values() if isinstance(value, str) and len(value) < 200)
    if SENSITIVE_WORDS.search(words) or SENSITIVE_WORDS.search(values):
        return True
    both = f"{words} {values}"
    opens = re.search(r"\bopen", both, re.IGNORECASE) and GUARDED_WORDS.search(both)
    # What is in a scene of a foreign server is not known.
    return bool(opens or re.search(r"\bscenes?\b", words)) or _reaches_guarded(name_words(name), args)


def _reaches_guarded(words: Sequence[str], args: Mapping[str, Any]) -> bool:
    """A foreign tool that names its device otherwise: `HassTurnOn(name="Garage Door")`."""
    named = [
        value
        for key, value in args.items()
        if DEVICE_KEYS.search(key) and isinstance(value, str) and len(value) <= LONGEST_NAME
    ]
    given = {word for key in ACTION_KEYS if key in args for word in plain_words(str(args[key]))}
    done = given or set(words)
    plain = () if done & OPENING_WORDS else ("close", "stop", "lock", "off", "on")
    action = next((word for word in plain if word in done), "")  # the riskiest where nobody knows
    return any(is_sensitive("switch", (one,), action) for one in named)


COOLEST, WARMEST = 10.0, 26.0  # what a heating may be set to without harm, in degrees Celsius
FAHRENHEIT_FROM = 50.0  # whoever says no unit and so high a number counts in Fahrenheit
REVERSIBLE = frozenset({"control_zwave_device", VOLUME, *TIMERS})


def is_reversible(call: ToolCall, traits: ToolTraits, level: Tier) -> bool:
    """Whether it does no harm until somebody takes it back: a light, a plug, a blind, the volume, a timer."""
    name = traits.original_name or call.name
    if level is not Tier.ACT or traits.stranger:
        return False
    if name != THERMOSTAT:
        return name in REVERSIBLE
    args = call.args if isinstance(call.args, Mapping) else {}
    try:
        degrees = float(args.get("temperature", WARMEST))
    except (TypeError, ValueError):
        return False
    unit = str(args.get("unit") or "").upper() or ("F" if degrees >= FAHRENHEIT_FROM else "C")
    celsius = (degrees - 32) / 1.8 if unit == "F" else degrees
    return COOLEST <= celsius <= WARMEST


@dataclass
class TurnGate:
    """Judges the calls of one turn, and remembers those the user must be asked about."""

    door: str
    settings: PermissionSettings
    devices_named: DevicesNamed
    read_only: bool = False  # nothing may be changed in this turn
    words: Words = Words.WISH
    unspoken_of: frozenset[str] = frozenset()  # tools: nothing was said of what they are for
    ask_first: bool = False  # every act is asked about
    confirmed: bool = False  # the user has just said yes to exactly these calls …
    agreed_to: Tier = Tier.SENSITIVE  # … and was asked for no more than this
    said: str = ""  # the user's own words
    fits: Fits = lambda _call, _traits, _devices: Fit.FAR  # whether a call is what they mean
    autonomy: Callable[[], Autonomy] = lambda: Autonomy.ASK  # of the model; known once it has answered
    by_model: bool = False  # the calls come from a model, which may have them from whatever it has read
    heard_outside: Heard = lambda: False  # whether it has read answers with words from outside the house
    told_by_strangers: Heard = lambda: False  # whether it has read descriptions of untrusted servers
    asked: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)
    _together: Fit | None = None

    def asking(self) -> "TurnGate":
        """For calls that were understood, but not for sure: the user is asked about each act of them."""
        return replace(self, ask_first=True)

    def __call__(self, call: ToolCall, traits: ToolTraits) -> Verdict:
        level = tier(call, traits, self.settings, self.devices_named)
        verdict = self._verdict(call, traits, level)
        if verdict.decision is not Decision.ALLOWED:
            self.refused.append(call)
        facts = {"tool": call.name, "tier": level, "decision": verdict.decision, "from_door": self.door}
        log.info("permission decided", extra=facts)
        return verdict

    def _verdict(self, call: ToolCall, traits: ToolTraits, level: Tier) -> Verdict:
        if level is Tier.READ:
            unasked = self.by_model and is_search(traits, call.name) and call.name in self.unspoken_of
            return NOT_SEARCHED if unasked else ALLOWED
        if self.read_only or (self.by_model and not self._may_be_meant(call, traits)):
            return FORBIDDEN
        if level is Tier.SENSITIVE and self.door not in self.settings.sensitive_doors:
            return WRONG_DOOR
        agreed = self.confirmed and (level is not Tier.SENSITIVE or self.agreed_to is Tier.SENSITIVE)
        if agreed or not self._needs_yes(call, traits, level):
            return ALLOWED
        if call not in self.asked:
            self.asked.append(call)
        return WAITING

    def _may_be_meant(self, call: ToolCall, traits: ToolTraits) -> bool:
        """Nothing is done, or asked about, after plain talk. Who may only look needs a plain wish; who must
        ask does not ask about what doubtful words do not speak of."""
        if self.words is Words.TALK:
            return False
        plainly, autonomy = self.words is Words.WISH, self.autonomy()
        if autonomy is Autonomy.LOOK:
            return plainly and call.name not in self.unspoken_of
        if plainly or autonomy is Autonomy.ACT:
            return True
        return self._fit(call, traits) >= Fit.NEAR

    def _needs_yes(self, call: ToolCall, traits: ToolTraits, level: Tier) -> bool:
        if self.ask_first or (level is Tier.SENSITIVE and self.settings.confirm):
            return True
        if (traits.original_name or call.name) == THERMOSTAT and not is_reversible(call, traits, level):
            return not self._is_trusted(call, traits)
        return self.by_model and (
            self._is_not_the_users(call, traits) or self._is_doubtful(call, traits, level)
        )

    def _is_doubtful(self, call: ToolCall, traits: ToolTraits, level: Tier) -> bool:
        """No plain wish, or not plainly the call for it, and nobody vouches for the model."""
        if self._is_trusted(call, traits):  # the configuration has the last word
            return False
        autonomy, reversible = self.autonomy(), is_reversible(call, traits, level)
        if autonomy is Autonomy.LOOK or (autonomy is Autonomy.ACT and reversible):
            return False
        return self.words is not Words.WISH or self._fit(call, traits) < Fit.MEANT

    def consider(self, calls: Iterable[tuple[ToolCall, ToolTraits]]) -> None:
        """What a model calls at once is one wish: where its calls do not fit alike, it is asked about as a
        whole, so that a yes does all of it."""
        acting = [
            self._fits_alone(call, traits)
            for call, traits in calls
            if tier(call, traits, self.settings, self.devices_named) is not Tier.READ
        ]
        self._together = Fit.NEAR if len(set(acting)) > 1 else None

    def _fit(self, call: ToolCall, traits: ToolTraits) -> Fit:
        return self._together or self._fits_alone(call, traits)

    def _fits_alone(self, call: ToolCall, traits: ToolTraits) -> Fit:
        if call.name in self.unspoken_of:
            return Fit.FAR
        return self.fits(call, traits, self._devices(call, traits))

    def _devices(self, call: ToolCall, traits: ToolTraits) -> Sequence[HomeDevice]:
        args = call.args if isinstance(call.args, Mapping) else {}
        known = of_home(call, traits, self.devices_named)
        return known(str(args["deviceName"])) if "deviceName" in args else ()

    def _is_trusted(self, call: ToolCall, traits: ToolTraits) -> bool:
        return bool({traits.original_name or call.name, call.name} & set(self.settings.trusted_tools))

    def _is_not_the_users(self, call: ToolCall, traits: ToolTraits) -> bool:
        """A model's call that changes something, and that the user's own words may not be the reason for."""
        if self._is_trusted(call, traits):
            return False
        heard = self.heard_outside()
        if not traits.stranger and not heard and not self.told_by_strangers():
            return False
        by_name = traits.stranger and not heard
        return not asked_for(self.said, call, traits, self._devices(call, traits), by_name=by_name)
