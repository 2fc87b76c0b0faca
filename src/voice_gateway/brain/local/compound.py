"""Orders said in one breath: which are needed, whether they contradict each other, and what is for later."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from home_words.clause_words import BY_THEN
from home_words.command_words import PLAIN_VERB
from voice_gateway.brain.local.meaning import Request, Step
from voice_gateway.brain.local.normalise import NormalisedText

_WHAT_THEN = re.compile(rf"{BY_THEN.pattern} (?:please )?(?:{PLAIN_VERB})\b")
# What a device can be told beside on or off, open or closed: a lamp can be red and at 40 percent.
_BESIDE = {
    "colour": "colour", "kelvin": "colour", "volume": "volume", "mute": "sound", "unmute": "sound",
    "next": "track", "previous": "track",
}  # fmt: skip


def for_later(steps: Sequence[Step], said: NormalisedText) -> bool:
    """ "… and then …" belongs to the time of a timer or a reminder before it."""
    if any(_WHAT_THEN.search(step.frame.text("message")) for step in steps if step.frame):
        return True
    timed = [at for at, step in enumerate(steps[:-1]) if step.intent in ("SetTimer", "SetAlarm", "Remind")]
    return bool(timed and BY_THEN.search(said.whole) and any(step.devices for step in steps[timed[0] :]))


def needed(steps: Sequence[Step], denied: Sequence[Request]) -> list[Step]:
    """Without what is denied, and "on" where a level says it: "turn on the lamp and dim it to 35"."""
    asked = [request for step in steps for request in step.requests]
    lit = {one.device.key for one in asked if one.device and one.wish and one.wish.level}

    def is_needed(request: Request) -> bool:
        on = request.device and request.wish and request.wish.action == "on" and request.device.key in lit
        return not on and request not in denied

    kept = [replace(step, requests=tuple(filter(is_needed, step.requests))) for step in steps]
    return [left for left, step in zip(kept, steps, strict=True) if left.requests or not step.requests]


def at_odds(steps: Sequence[Step]) -> bool:
    """Two of them want one device to be different things."""
    wanted: dict[object, Mapping[str, object]] = {}
    for request in (request for step in steps if step.acts for request in step.requests):
        if request.device is None or request.wish is None:
            continue
        beside = _BESIDE.get(request.wish.action, request.wish.setpoint)
        key, wish = (request.device.key, beside), request.wish.said
        if request.device.kind == "thermostat" and (action := wish.pop("action")) == "off":
            wish["mode"] = action
        if key in wanted and _differ(wanted[key], wish):
            return True
        wanted[key] = wish
    return False


def _differ(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """The heating can be on and at 21 degrees, but not off."""
    together = {**one, **other}
    both = one != other and together.get("mode") == "off"
    return both or any(one.get(key, value) != value for key, value in other.items())
