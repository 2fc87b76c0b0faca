"""Sentences about acts in Home Assistant, and its errors in plain words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from home_names import wording
from home_names.phrases import capital, with_article
from home_names.states import spoken_state
from home_names.wording import in_room, quoted, the, verb
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant.effects import TOOLS, Seen, Verdict
from voice_gateway.integrations.home_assistant.entities import BUTTONS, SCENE, TODO, device_of
from voice_gateway.turn import OutcomeStatus


def cannot(device: Device, action: str) -> str:
    if action == "dim" and device.kind in ("blind", "garage_door", "valve"):
        return capital(f"{the(device)} cannot be set to a position; it can be opened and closed.")
    only = "; it can only be turned on and off" if device.kind in ("light", "switch", "plug") else ""
    only = "; it only measures" if device.kind == "sensor" else only
    return capital(f"{the(device)} cannot be {wording.passive(action)}{only}.")


def twins(device: Device) -> str:
    """Two devices that no call can tell apart."""
    place = in_room(device.room) if device.room else "and this one has no area"
    several = f"Home Assistant has several devices called {quoted(device.name)} {place}"
    return f"{several}, so I cannot tell it which one; another name or an alias there would help."


def gone(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} no longer in Home Assistant's list of devices.")


def sentence(verdict: Verdict, degrees: str) -> str:  # noqa: PLR0911 (one for each outcome)
    """The outcome for one entity."""
    effect, domain = verdict.effect, verdict.effect.before.domain
    device = device_of(verdict.now or effect.before, "", degrees)
    if verdict.seen is Seen.JAMMED:
        return wording.jammed(device, effect.action)
    if verdict.outcome is OutcomeStatus.WORKING:
        percent = None if effect.level is None or effect.action != "dim" else round(effect.level)
        return wording.doing(device, effect.action, percent)
    if verdict.outcome is OutcomeStatus.UNSUPPORTED:  # it may be able to, only not in this state
        state = wording.is_state(device, device.state)
        return state if device.can(effect.action) else cannot(device, effect.action)
    if verdict.outcome is OutcomeStatus.UNREACHABLE:
        return wording.unreachable(device)
    if verdict.outcome is OutcomeStatus.FAILED:
        return wording.failed(device, effect.action, device.state)
    stateless = domain in (SCENE, TODO, *BUTTONS)
    if verdict.outcome is OutcomeStatus.CONFIRMED and stateless:
        return f"{capital(the(device))}: {effect.action} {effect.value}".strip() + "."
    if verdict.outcome is OutcomeStatus.CONFIRMED:
        return wording.done(device, effect.action, device.state)
    if verdict.seen is Seen.HIDDEN:
        return f"I have asked {the(device)}; Home Assistant does not show it."
    listed = verdict.now is not None
    why = f"it is {spoken_state(device.state)}" if listed else "Home Assistant no longer lists it"
    return wording.not_confirmed(device, "" if stateless and listed else why)


def started(script: str) -> str:
    """Home Assistant answers the same for a script that failed in its first step."""
    return f"I have started {quoted(script)}, I can't see whether everything in it happened."


# --- Home Assistant's errors in plain words: its own are for programmers, some a page of Python


EXPOSE: Final = "in Home Assistant under Settings, Voice assistants, Expose"

_REASON: Final = re.compile(r"no_match_reason=<MatchFailedReason\.([A-Z_]+)")
_ARGUMENTS: Final = "Home Assistant cannot use what it was given for that."
# Of its other errors: what they begin with, the outcome, and the sentence.
_FIXED: Final = (
    (r"Service handler cannot target all", "INVALID", "It must be said which device or area is meant."),
    (r"Error handling HassClimateSetTemperature", "FAILED", "Home Assistant could not set that temperature."),
    (r"(?:Input validation error|Received invalid slot info|expected )", "INVALID", _ARGUMENTS),
    (r".{0,80} @ data\[", "INVALID", _ARGUMENTS),
    (r"Failed to call \w{1,40} for: \[", "UNSUPPORTED", "The device cannot do that."),
    (r"Item '.{1,200}' not found on list", "NOT_FOUND", "That is not on the list."),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call did nothing, as far as Home Assistant says."""

    status: OutcomeStatus
    sentence: str
    reason: str = ""  # Home Assistant's own word, where a caller can do something about it: NAME, AREA, …


def explain(text: str, tool: str, args: Mapping[str, Any]) -> Failure:
    """`text` is the server's error, `args` the arguments of the call."""
    error = text.removeprefix("Error calling tool: ").strip()
    if reason := _REASON.search(error):
        return _no_match(reason[1], args)
    if error.startswith("Tool ") and error.endswith(" not found"):
        return Failure(OutcomeStatus.UNSUPPORTED, not_offered(tool))
    for pattern, status, sentence in _FIXED:
        if re.match(pattern, error, re.DOTALL):
            return Failure(OutcomeStatus[status], sentence)
    return Failure(OutcomeStatus.FAILED, "Home Assistant could not do that.")


def not_offered(tool: str) -> str:
    phrase = TOOLS[tool].phrase if tool in TOOLS else "do that"
    return f"This Home Assistant does not offer a way to {phrase}."


def _no_match(reason: str, args: Mapping[str, Any]) -> Failure:
    name, area, floor = (_given(args, key) for key in ("name", "area", "floor"))
    what = quoted(name) if name else "a device"
    where = f" in {with_article(area or floor)}" if area or floor else ""
    sentences = {
        "INVALID_AREA": f"Home Assistant has no area called {quoted(area)}.",
        "INVALID_FLOOR": f"Home Assistant has no floor called {quoted(floor)}.",
        "ASSISTANT": f"{what} is not shared with voice assistants; that is set {EXPOSE}.",
        "DUPLICATE_NAME": f"Home Assistant has several devices called {what}; it needs to know the area.",
        "MULTIPLE_TARGETS": "Home Assistant has several such devices; it needs to know which one.",
        **dict.fromkeys(("FEATURE", "STATE"), f"{capital(what)} cannot do that as it is now."),
    }
    status = {
        **dict.fromkeys(("DUPLICATE_NAME", "MULTIPLE_TARGETS"), OutcomeStatus.AMBIGUOUS),
        **dict.fromkeys(("FEATURE", "STATE"), OutcomeStatus.UNSUPPORTED),
    }.get(reason, OutcomeStatus.NOT_FOUND)
    called = f" called {what}" if name else ""
    return Failure(
        status, sentences.get(reason, f"Home Assistant has no such device{called}{where}."), reason
    )


def _given(args: Mapping[str, Any], key: str) -> str:
    return " ".join(str(args.get(key) or "").split())
