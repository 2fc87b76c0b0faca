"""What is said of an act in Home Assistant: the sentences of every home, and those that only it needs."""

from collections.abc import Sequence
from typing import Final

from home_words import wording
from home_words.phrases import capital, listed
from home_words.states import spoken_state
from home_words.wording import quoted, the, verb
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home_assistant.confirm import Verdict
from voice_gateway.integrations.home_assistant.devices import BUTTONS, SCENE, TODO, device_of
from voice_gateway.integrations.home_assistant.live_context import Entity
from voice_gateway.turn import OutcomeStatus

_PASSIVE: Final = {
    "on": "turned on",
    "off": "turned off",
    "dim": "dimmed",
    "toggle": "switched",
    "open": "opened",
    "close": "closed",
    "stop": "stopped",
    "lock": "locked",
    "unlock": "unlocked",
    "set": "set to a temperature",
    "colour": "given a colour",
    "kelvin": "given a colour",
    "speed": "set to a speed",
    "volume": "made louder or quieter",
    "play": "played",
    "pause": "paused",
    "next": "told to skip",
    "previous": "told to go back",
    "mute": "muted",
    "unmute": "unmuted",
    "start": "started",
    "dock": "sent to a dock",
}
_HIDDEN: Final = {
    "colour": "shows no colours",
    "kelvin": "shows no colours",
    "mute": "does not show whether it is muted",
    "unmute": "does not show whether it is muted",
}


def cannot(device: Device, action: str) -> str:
    if action == "dim" and device.kind in ("blind", "garage_door", "valve"):
        return capital(f"{the(device)} cannot be set to a position; it can be opened and closed.")
    only = "; it can only be turned on and off" if device.kind in ("light", "switch", "plug") else ""
    only = "; it only measures" if device.kind == "sensor" else only
    return capital(f"{the(device)} cannot be {_PASSIVE.get(action, 'told to do that')}{only}.")


def not_playing(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} not playing.")


def is_off(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} off.")


def twins(device: Device) -> str:
    """Two that no call can tell apart."""
    place = f"in {the_room(device)}" if device.room else "and this one has no area"
    return (
        f"Home Assistant has several devices called {quoted(device.name)} {place}, so I cannot tell it which "
        "one; another name or an alias there would help."
    )


def the_room(device: Device) -> str:
    return device.room if device.room.casefold().startswith(("the ", "my ", "our ")) else f"the {device.room}"


def gone(device: Device) -> str:
    return capital(f"{the(device)} {verb(device, 'is')} no longer in Home Assistant's list of devices.")


def sentence(verdict: Verdict, degrees: str) -> str:
    """What became of one entity."""
    effect = verdict.effect
    device = device_of(verdict.now or effect.before, "", degrees)
    if verdict.jammed:
        return wording.jammed(device, effect.action)
    if verdict.outcome is OutcomeStatus.WORKING:
        percent = None if effect.level is None or effect.action != "dim" else round(effect.level)
        return wording.doing(device, effect.action, percent)
    if verdict.outcome is OutcomeStatus.FAILED:
        return wording.failed(device, effect.action, device.state)
    if verdict.outcome is OutcomeStatus.UNREACHABLE:
        return wording.unreachable(device)
    if verdict.outcome is OutcomeStatus.UNSUPPORTED:
        return cannot(device, effect.action)
    return _done(verdict, device) if verdict.outcome is OutcomeStatus.CONFIRMED else _open(verdict, device)


def _done(verdict: Verdict, device: Device) -> str:
    domain, effect = verdict.effect.before.domain, verdict.effect
    if domain == SCENE:
        return f"The scene {device.name} was started."
    if domain in BUTTONS:
        return f"{capital(the(device))} was pressed."
    if domain == TODO:
        what = quoted(effect.value)
        return (
            f"{what} is on {the(device)}." if effect.action == "add" else f"{what} is done on {the(device)}."
        )
    return wording.done(device, effect.action, device.state)


def _open(verdict: Verdict, device: Device) -> str:
    """Neither done nor failed, as far as anybody can see."""
    effect = verdict.effect
    if verdict.now is None:
        return wording.not_confirmed(device, "Home Assistant no longer lists it")
    if verdict.hidden:
        what = effect.value or (f"{effect.level:g} kelvin" if effect.action == "kelvin" else "it")
        shows = f"; Home Assistant {_HIDDEN[effect.action]}, so" if effect.action in _HIDDEN else ","
        return f"I have asked {the(device)} for {what}{shows} I can't see whether it happened."
    if effect.action in ("next", "previous"):
        return f"I have asked {the(device)} for it, I can't see whether it happened."
    if verdict.now.domain in (SCENE, TODO, *BUTTONS):
        return wording.not_confirmed(device)
    same = verdict.now.state == effect.before.state
    return wording.not_confirmed(device, f"it {'is still' if same else 'is'} {spoken_state(device.state)}")


def summary(verdicts: Sequence[Verdict], degrees: str) -> str:
    """Of several: those with one confirmed state in one sentence, every other in its own."""
    alike: dict[str, list[Device]] = {}
    others: list[str] = []
    for verdict in verdicts:
        now = verdict.now
        plain = verdict.outcome is OutcomeStatus.CONFIRMED and now is not None and _has_state(now)
        if plain and now is not None:
            device = device_of(now, "", degrees)
            alike.setdefault(spoken_state(device.state), []).append(device)
        else:
            others.append(sentence(verdict, degrees))
    told = [_alike(state, devices) for state, devices in alike.items()]
    return " ".join([*told, *others])


def _alike(state: str, devices: Sequence[Device]) -> str:
    called = [device.name for device in devices]
    names = [the(device, room=called.count(device.name) > 1) for device in devices]
    return capital(f"{listed(names)} {verb(devices[0], 'is') if len(devices) == 1 else 'are'} now {state}.")


def _has_state(entity: Entity) -> bool:
    return entity.domain not in (SCENE, TODO, *BUTTONS)


def started(script: str) -> str:
    """Home Assistant says the same of a script that failed in its first step."""
    return f"I have started {quoted(script)}, I can't see whether everything in it happened."
