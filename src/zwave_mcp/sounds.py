"""Sirens, doorbells and chimes: a tone that there is, and "playing" only when the device says so."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Final

from home_words.names import fold, loose_words
from home_words.phrases import capital, listed
from home_words.states import UNKNOWN
from zwave_mcp import wording
from zwave_mcp.confirm import Command, CommandOutcome, carry_out, look
from zwave_mcp.control import NotPossible, down, may_have_changed
from zwave_mcp.devices import SOUND_SWITCH, Device
from zwave_mcp.home import Home, HomeError, Value, is_number
from zwave_mcp.results import Facts, Outcome, Result, result
from zwave_mcp.states import state_of, state_text, tone_name
from zwave_mcp.undo import Before, before_sound
from zwave_mcp.view import Viewer, resolve_device

SOUNDERS: Final = ("chime", "siren")
_DEFAULT_TONE: Final = 255
_OFFERED: Final = 10  # tones that a refusal names


@dataclass(frozen=True, slots=True)
class Tone:
    id: int
    name: str
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Sound:
    action: str
    tone: str | None = None
    volume: int | None = None

    def requested(self) -> dict[str, Any]:
        asked = {"action": self.action, "tone": self.tone, "volume": self.volume}
        return {key: value for key, value in asked.items() if value is not None}


def tones_of(device: Device) -> tuple[Tone, ...]:
    """Those that it can play, as it calls them; "off" and "default" are none."""
    value = _tone_value(device)
    known = sorted(value.states.items(), key=lambda one: str(one[0]).zfill(4)) if value is not None else ()
    return tuple(
        Tone(number, *tone_name(text))
        for number, text in known
        if isinstance(number, int) and number not in (0, _DEFAULT_TONE) and text.strip()
    )


def own_tone(device: Device) -> str:
    """The tone that it plays when none is named; "" where it has not told."""
    value = _tone_value(device)
    if value is None:
        return ""
    where = replace(value.id, property="defaultToneId")
    number = next((one.value for one in device.node.values if one.id == where), None)
    return next((tone.name for tone in tones_of(device) if tone.id == number), "")


def own_tones(device: Device) -> tuple[str, ...]:
    """What it may play when none is named: any, where it has not told."""
    own = own_tone(device)
    return (own,) if own else tuple(tone.name for tone in tones_of(device))


def _tone_value(device: Device) -> Value | None:
    state = device.state_value
    return state if state is not None and state.id.command_class == SOUND_SWITCH else None


class Sounds:
    def __init__(self, home: Home, viewer: Viewer) -> None:
        self._home = home
        self._viewer = viewer

    async def play(self, asked: str, sound: Sound) -> Result:
        requested = sound.requested()
        view = await self._viewer.now()
        device = resolve_device(
            view, asked, requested, lambda hit: hit.kind in SOUNDERS, room_will_do=sound.action == "stop"
        )
        if isinstance(device, Result):
            return device
        was: Before | None = None
        try:
            command, tone = _command(device, sound)
            was = before_sound(view.names, device, sound.action)
            verdict = await self._carry_out(command, device, sound, tone)
        except NotPossible as reason:
            return result(str(reason), reason.outcome, Facts(requested, device, state_text(device)))
        except HomeError as error:
            return down(error, requested, device, was)
        state = state_of(device, verdict.value) if verdict.known else UNKNOWN
        more = was.facts() if may_have_changed(command, verdict) else {}
        facts = Facts(requested, device, state, more=more)
        return result(_sentence(device, sound, verdict, state), verdict.outcome, facts)

    async def _carry_out(
        self, command: Command, device: Device, sound: Sound, tone: Tone | None
    ) -> CommandOutcome:
        clock = asyncio.get_running_loop().time
        began = clock()
        if sound.action == "stop":
            await self._silence_others(device, command)
        verdict = await carry_out(self._home, command)
        # Silent when it was asked: a short tone may be over by then.
        short = tone is not None and tone.seconds is not None and tone.seconds <= clock() - began
        if verdict.outcome == "failed" and short:
            return CommandOutcome("unconfirmed", message="it is silent now")
        if verdict.outcome == "confirmed" and verdict.value == _DEFAULT_TONE:
            seen = await look(self._home, command)  # which tone is its own, it knows
            verdict = seen if seen.outcome == "confirmed" else verdict
        if verdict.outcome == "confirmed" and sound.volume is not None:
            return await self._loudness(command, verdict, sound.volume)
        return verdict

    async def _silence_others(self, device: Device, command: Command) -> None:
        """Each occasion of a doorbell has its own endpoint: those known to sound are stopped, too."""
        for value in device.values:
            other = value.id.command_class == SOUND_SWITCH and value.id.property == "toneId"
            if other and value.id != command.write and value.value not in (0, None):
                await self._home.write(value.id, 0)

    async def _loudness(self, command: Command, verdict: CommandOutcome, volume: int) -> CommandOutcome:
        read = next((one for one in command.device.values if _is_volume(one, command)), None)
        if read is not None:
            heard = Command(command.device, read.id, volume, read.id, lambda now: bool(now == volume))
            if (await look(self._home, heard)).outcome == "confirmed":
                return verdict
        return CommandOutcome("unconfirmed", verdict.value, verdict.known, message="how loud is not known")


def _is_volume(value: Value, command: Command) -> bool:
    where = value.id
    return (where.command_class, where.property) == (SOUND_SWITCH, "volume") and (
        where.endpoint == command.write.endpoint
    )


def _command(device: Device, sound: Sound) -> tuple[Command, Tone | None]:
    name, state, target = wording.the(device), device.state_value, device.target
    if device.kind not in SOUNDERS or state is None or target is None:
        raise NotPossible("unsupported", capital(f"{name} makes no sounds."))
    if sound.action == "stop":
        if sound.tone is not None or sound.volume is not None:
            raise NotPossible("invalid", "To stop a sound no tone and no volume are needed.")
        silent: Any = False if state.id.command_class != SOUND_SWITCH else 0
        return Command(device, target, silent, state.id, lambda now: bool(now == silent)), None
    if state.id.command_class != SOUND_SWITCH:
        if sound.tone is not None or sound.volume is not None:
            raise NotPossible("unsupported", capital(f"{name} has one sound only, and one volume."))
        return Command(device, target, True, state.id, lambda now: now is True), None
    tone = _wanted(device, sound.tone)
    number = tone.id if tone is not None else _DEFAULT_TONE
    options = None if sound.volume is None else {"volume": _volume(sound.volume)}

    def plays(now: Any) -> bool:
        return is_number(now) and (now == number if tone is not None else now > 0)

    return Command(device, target, number, state.id, plays, options=options), tone


def _volume(volume: int) -> int:
    if not 1 <= volume <= 100:  # 0 is no silence to it, but "as loud as usual"
        raise NotPossible("invalid", "The volume must be between 1 and 100 percent.")
    return volume


def _wanted(device: Device, asked: str | None) -> Tone | None:
    """By its number, its name, or words of it that no other has; None is its own default."""
    if asked is None or fold(asked) == "default":
        return None
    known = tones_of(device)
    named = [tone for tone in known if fold(tone.name) == fold(asked) or str(tone.id) == asked.strip()]
    said = loose_words(asked)
    found = named or [tone for tone in known if said and said <= loose_words(tone.name)]
    if len(found) == 1:
        return found[0]
    called = capital(wording.the(device))
    offered = listed([tone.name for tone in (found or known)[:_OFFERED]], "or" if found else "and")
    if found:
        raise NotPossible("invalid", f"Which tone of {wording.the(device)} do you mean: {offered}?")
    tail = f"; it has {offered}" if known else ""
    raise NotPossible("invalid", f"{called} has no tone {wording.quoted(asked)}{tail}.")


def _sentence(device: Device, sound: Sound, verdict: CommandOutcome, state: str) -> str:
    outcome: Outcome = verdict.outcome
    if outcome == "confirmed":
        loud = f" at {sound.volume} percent" if sound.volume is not None else ""
        now = "now " if sound.action == "stop" else ""
        return capital(f"{wording.the(device)} {wording.verb(device, 'is')} {now}{state}{loud}.")
    if outcome in ("unconfirmed", "working"):
        return wording.not_confirmed(device, verdict.message)
    simple = {"queued": wording.queued, "unreachable": wording.unreachable}.get(outcome)
    if simple is not None:
        return simple(device)
    return wording.failed(device, sound.action, state, verdict.message)
