"""What a call risks, and whether it needs the user's yes first: "why did it refuse to unlock?"."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from home_words.kinds import HomeDevice
from home_words.names import plain_words
from home_words.risk import HARMLESS, is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.own_words import asked_for, name_words
from voice_gateway.turn import ALLOWED, Decision, ToolCall, ToolTraits, Verdict, Words

log = logging.getLogger(__name__)

# Every device that a name could mean to its server; empty when nobody knows.
DevicesNamed = Callable[[str], Sequence[HomeDevice]]
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
    return _own_tier(traits.original_name or call.name, args, traits, _of_home(call, traits, devices_named))


def _of_home(call: ToolCall, traits: ToolTraits, devices_named: DevicesNamed) -> DevicesNamed:
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
    confirmed: bool = False  # the user has just said yes to exactly these calls
    said: str = ""  # the user's own words
    by_model: bool = False  # the calls come from a model, which may have them from whatever it has read
    heard_outside: Heard = lambda: False  # whether it has read answers with words from outside the house
    told_by_strangers: Heard = lambda: False  # whether it has read descriptions of untrusted servers
    asked: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)

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
        forbidden = self.read_only or self.words is not Words.WISH or call.name in self.unspoken_of
        if forbidden and level is not Tier.READ:
            return FORBIDDEN
        sensitive = level is Tier.SENSITIVE
        if sensitive and self.door not in self.settings.sensitive_doors:
            return WRONG_DOOR
        needs_yes = (sensitive and self.settings.confirm) or self._is_not_the_users(call, traits, level)
        needs_yes |= self.ask_first and level is not Tier.READ
        if self.confirmed or not needs_yes:
            return ALLOWED
        if call not in self.asked:
            self.asked.append(call)
        return WAITING

    def _is_not_the_users(self, call: ToolCall, traits: ToolTraits, level: Tier) -> bool:
        """A model's call that changes something, and that the user's own words may not be the reason for."""
        trusted = {traits.original_name or call.name, call.name} & set(self.settings.trusted_tools)
        if not self.by_model or level is Tier.READ or trusted:
            return False
        heard = self.heard_outside()
        if not traits.stranger and not heard and not self.told_by_strangers():
            return False
        args = call.args if isinstance(call.args, Mapping) else {}
        known = _of_home(call, traits, self.devices_named)
        devices = known(str(args["deviceName"])) if "deviceName" in args else ()
        by_name = traits.stranger and not heard
        return not asked_for(self.said, call, traits, devices, by_name=by_name)


def question(
    calls: Sequence[ToolCall],
    traits: Callable[[str], ToolTraits],
    devices_named: DevicesNamed,
    *,
    pin: bool,
) -> str:
    """ "Unlock the front door? Say yes to confirm." """
    wishes = [_wish(call, traits(call.name), devices_named) for call in calls]
    joined = wishes[0] if len(wishes) == 1 else ", ".join(wishes[:-1]) + " and " + wishes[-1]
    ending = "Say yes and your PIN to confirm." if pin else "Say yes to confirm."
    return f"{joined[0].upper()}{joined[1:]}? {ending}"


def _wish(call: ToolCall, traits: ToolTraits, devices_named: DevicesNamed) -> str:
    args = call.args if isinstance(call.args, Mapping) else {}
    if "deviceName" in args and "action" in args:
        said = str(args["deviceName"])
        names = {device.name for device in _of_home(call, traits, devices_named)(said)}
        device = (names.pop() if len(names) == 1 else said).strip().lower().removeprefix("the ")
        action = {"on": "turn on", "off": "turn off"}.get(str(args["action"]), str(args["action"]))
        return f"{action} the {device}"
    if args.get("confirmed") and "sceneName" in args:
        return f"start the scene {args['sceneName']}, of which not all is known"
    # A stranger's title could say anything.
    title = ("" if traits.stranger else traits.title) or traits.original_name or call.name
    title = title.replace("_", " ").strip()
    facts = ", ".join(f"{key} {shorten(' '.join(str(value).split()), 60)}" for key, value in args.items())
    return f"{title} with {facts}" if facts else title
