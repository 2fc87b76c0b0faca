"""The call for one device: its tool and arguments, or what to say instead."""

import re

from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.home import Device, Home
from voice_gateway.brain.local.understanding import Context, Request
from voice_gateway.brain.local.wording import capital, the

STEP = 20  # points that "brighter" means
SMALL_STEP = 10  # "a bit brighter"

CONTROL, LOCK, THERMOSTAT, SCENE = (
    "control_zwave_device", "control_zwave_lock", "set_zwave_thermostat", "activate_zwave_scene",
)  # fmt: skip


def request_for(device: Device, frame: Frame, action: str, context: Context) -> Request | str:
    """The call for one device, or what to say instead."""
    name = context.home.address(device)
    if device.kind == "thermostat":
        return _thermostat(device, name, frame, action, context.home)
    if action in ("lock", "unlock"):
        return Request(LOCK, {"deviceName": name, "action": action}, device)
    if action in ("dim", "brighten"):
        return _dim(device, name, frame, context)
    return Request(CONTROL, {"deviceName": name, "action": action}, device)


def _dim(device: Device, name: str, frame: Frame, context: Context) -> Request | str:
    level = frame.number("level")
    if level is not None and not 0 <= level <= 100:
        return "I can set that from 0 to 100 percent."
    wanted = round(level) if level is not None else _stepped(device, frame, context.home)
    if isinstance(wanted, str):
        return wanted
    return Request(CONTROL, {"deviceName": name, "action": "dim", "level": wanted}, device)


def _thermostat(device: Device, name: str, frame: Frame, action: str, home: Home) -> Request | str:
    if action in ("on", "off"):
        return Request(THERMOSTAT, {"deviceName": name, "mode": "off" if action == "off" else "heat"}, device)
    if mode := frame.text("mode"):
        return Request(THERMOSTAT, {"deviceName": name, "mode": mode}, device)
    degrees = frame.number("degrees")
    if frame.intent in ("Warmer", "Cooler"):
        degrees = _warmed(home.state_of(device), frame)
    if degrees is None:
        return f"I don't know what {the(device)} is set to. Tell me a temperature."
    args = {"deviceName": name, "temperature": int(degrees) if degrees == int(degrees) else degrees}
    if unit := frame.text("unit"):
        args["unit"] = unit
    return Request(THERMOSTAT, args, device)


def _warmed(state: str, frame: Frame) -> float | None:
    """One degree more or less than it is set to: "heat, set to 21 °C, now 20.5 °C"."""
    match = re.search(r"(-?\d+(?:\.\d+)?) ?°", state)
    step = frame.number("amount") or 1
    return (float(match[1]) + (step if frame.intent == "Warmer" else -step)) if match else None


def known_level(state: str) -> int | None:
    """The percent that a state tells: "on, 40 %", "off", "50 % open"."""
    if state == "off":
        return 0
    match = re.search(r"(\d+) ?%", state)
    return int(match[1]) if match else None


def _stepped(device: Device, frame: Frame, home: Home) -> int | str:
    now = known_level(home.state_of(device))
    if now is None:
        return f"I don't know how bright {the(device)} is. Tell me a percentage."
    amount, share = frame.number("amount"), frame.number("share")
    step = int(amount) if amount is not None else SMALL_STEP if frame.slots.get("small") else STEP
    if share is not None:  # "by half" counts from what it is
        step = round(now * share / 100)
    wanted = now + step if frame.intent == "Brighter" else now - step
    if frame.intent == "Brighter" and share is not None and now == 0:
        return f"{capital(the(device))} is off. Tell me a percentage."
    if frame.intent == "Brighter" and now >= 100:
        return f"{capital(the(device))} is already at full brightness."
    if frame.intent == "Dimmer" and now <= 1:
        return f"{capital(the(device))} is already {'off' if now == 0 else 'as dim as it gets'}."
    return max(1, min(100, wanted))  # dimmer is never off
