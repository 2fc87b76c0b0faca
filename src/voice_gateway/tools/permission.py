"""What a call risks, and whether it needs the user's yes first: "why did it refuse to unlock?"."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from home_words.risk import HARMLESS, is_sensitive
from voice_gateway.config import PermissionSettings
from voice_gateway.turn import ALLOWED, Decision, ToolCall, ToolTraits, Verdict

log = logging.getLogger(__name__)


class NamedDevice(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def room(self) -> str: ...


# Every device that a name could mean to its server; empty when nobody knows.
DevicesNamed = Callable[[str], Sequence[NamedDevice]]


class Tier(StrEnum):
    READ = "read"
    ACT = "act"
    SENSITIVE = "sensitive"


SENSITIVE_WORDS = re.compile(r"\b(unlock|disarm)", re.IGNORECASE)
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
    return _own_tier(traits.original_name or call.name, args, traits, devices_named)


def _own_tier(name: str, args: Mapping[str, Any], traits: ToolTraits, devices_named: DevicesNamed) -> Tier:
    if name == "control_zwave_lock":
        return Tier.ACT if args.get("action") == "lock" else Tier.SENSITIVE
    if name == "control_zwave_device":
        return _device_tier(args, devices_named)
    if traits.read_only or (name == "control_speaker_volume" and args.get("action") == "get"):
        return Tier.READ
    return Tier.SENSITIVE if traits.destructive or _sounds_sensitive(name, args) else Tier.ACT


def _device_tier(args: Mapping[str, Any], devices_named: DevicesNamed) -> Tier:
    """By the device that its server would take, however it is called: "node 15" may be the garage door."""
    action, said = str(args.get("action", "")), str(args.get("deviceName", ""))
    found = devices_named(said)
    if not found:
        return Tier.ACT if action in HARMLESS else Tier.SENSITIVE
    # "Relay 2" in the room "Gate" drives a gate, and so does what the user calls one.
    risky = (is_sensitive(one.kind, (said, one.name, f"{one.room} {one.name}"), action) for one in found)
    return Tier.SENSITIVE if any(risky) else Tier.ACT


def _sounds_sensitive(name: str, args: Mapping[str, Any]) -> bool:
    words = name.replace("_", " ").replace("-", " ")
    values = " ".join(value for value in args.values() if isinstance(value, str) and len(value) < 200)
    if SENSITIVE_WORDS.search(words) or SENSITIVE_WORDS.search(values):
        return True
    both = f"{words} {values}"
    return bool(re.search(r"\bopen", both, re.IGNORECASE) and GUARDED_WORDS.search(both))


@dataclass
class TurnGate:
    """Judges the calls of one turn, and remembers those the user must be asked about."""

    door: str
    settings: PermissionSettings
    devices_named: DevicesNamed
    forbid_side_effects: bool = False
    forbid_tools: frozenset[str] = frozenset()  # those that may not act in this turn
    confirmed: bool = False  # the user has just said yes to exactly these calls
    asked: list[ToolCall] = field(default_factory=list)
    refused: bool = False

    def __call__(self, call: ToolCall, traits: ToolTraits) -> Verdict:
        level = tier(call, traits, self.settings, self.devices_named)
        verdict = self._verdict(call, level)
        self.refused |= verdict.decision is not Decision.ALLOWED
        facts = {"tool": call.name, "tier": level, "decision": verdict.decision, "from_door": self.door}
        log.info("permission decided", extra=facts)
        return verdict

    def _verdict(self, call: ToolCall, level: Tier) -> Verdict:
        forbidden = self.forbid_side_effects or call.name in self.forbid_tools
        if forbidden and level is not Tier.READ:
            return FORBIDDEN
        if level is not Tier.SENSITIVE:
            return ALLOWED
        if self.door not in self.settings.sensitive_doors:
            return WRONG_DOOR
        if self.confirmed or not self.settings.confirm:
            return ALLOWED
        if call not in self.asked:
            self.asked.append(call)
        return WAITING


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
        names = {device.name for device in devices_named(said)}
        device = (names.pop() if len(names) == 1 else said).strip().lower().removeprefix("the ")
        action = {"on": "turn on", "off": "turn off"}.get(str(args["action"]), str(args["action"]))
        return f"{action} the {device}"
    title = (traits.title or traits.original_name or call.name).replace("_", " ").strip()
    facts = ", ".join(f"{key} {value}" for key, value in args.items())
    return f"{title} with {facts}" if facts else title
