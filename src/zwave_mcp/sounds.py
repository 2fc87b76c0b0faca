"""Sirens, doorbells and chimes: plays a tone that exists, and reports "playing" only when the device says
so."""

import asyncio
from typing import Any, Final

from home_names import wording
from home_names.names import fold, loose_words
from home_names.phrases import capital, listed
from home_names.states import UNKNOWN
from zwave_mcp import sentences
from zwave_mcp.confirm import Command, CommandOutcome, carry_out, look
from zwave_mcp.control import answering, may_have_changed
from zwave_mcp.devices import CC, SOUNDERS, Device, Viewer
from zwave_mcp.home import Home, is_number
from zwave_mcp.results import Result, before_sound, refused, resolve_device, result
from zwave_mcp.states import DEFAULT_TONE, Tone, state_of, tones_of

_OFFERED: Final = 10  # tones that a refusal names


async def play(
    home: Home, viewer: Viewer, asked: str, action: str, *, tone: str | None = None, volume: int | None = None
) -> Result:
    """`action` is play or stop."""
    view = await viewer.now(0)
    device = resolve_device(view, asked, lambda hit: hit.kind in SOUNDERS, room_will_do=action == "stop")
    before = before_sound(view.names, device, action)
    with answering(device, before):
        command, wanted = _command(device, action, tone, volume)
        verdict = await _carry_out(home, command, wanted, action, volume)
    outcome = verdict.outcome
    state = state_of(device, verdict.value) if verdict.known else UNKNOWN
    more = before.facts() if may_have_changed(command, verdict) else {}
    sentence = sentences.unsuccessful(device, outcome, action, state, verdict.message)
    if outcome == "confirmed":
        loud = f" at {volume} percent" if volume is not None else ""
        now = "now " if action == "stop" else ""
        sentence = capital(f"{wording.the(device)} {wording.verb(device, 'is')} {now}{state}{loud}.")
    return result(sentence, outcome, device, state=state, more=more)


async def _carry_out(
    home: Home, command: Command, tone: Tone | None, action: str, volume: int | None
) -> CommandOutcome:
    clock = asyncio.get_running_loop().time
    began = clock()
    if action == "stop":  # each endpoint of a doorbell may sound
        for value in command.device.values:
            tones = value.id.command_class == CC.SOUND_SWITCH and value.id.property == "toneId"
            if tones and value.id != command.write and value.value not in (0, None):
                await home.write(value.id, 0)
    verdict = await carry_out(home, command)
    # A short tone may be over when the device is polled.
    short = tone is not None and tone.seconds is not None and tone.seconds <= clock() - began
    if verdict.outcome == "failed" and short:
        return CommandOutcome("unconfirmed", message="it is silent now")
    if verdict.outcome == "confirmed" and verdict.value == DEFAULT_TONE:  # only the device knows its own tone
        seen = await look(home, command)
        verdict = seen if seen.outcome == "confirmed" else verdict
    if verdict.outcome != "confirmed" or volume is None:
        return verdict
    for value in command.device.values:
        if value.id.property == "volume" and value.id.endpoint == command.write.endpoint:
            heard = Command(command.device, value.id, volume, value.id, lambda now: bool(now == volume))
            if (await look(home, heard)).outcome == "confirmed":
                return verdict
    return CommandOutcome("unconfirmed", verdict.value, verdict.known, message="how loud is not known")


def _command(
    device: Device, action: str, asked: str | None, volume: int | None
) -> tuple[Command, Tone | None]:
    name, state, target = wording.the(device), device.state_value, device.target
    if device.kind not in SOUNDERS or state is None or target is None:
        raise refused("unsupported", capital(f"{name} makes no sounds."), device)
    switch = state.id.command_class != CC.SOUND_SWITCH
    if action == "stop" or switch:
        if asked is not None or volume is not None:
            if action == "stop":
                raise refused("invalid", "To stop a sound no tone and no volume are needed.", device)
            raise refused("unsupported", capital(f"{name} has one sound only, and one volume."), device)
        value: Any = action != "stop" if switch else 0
        return Command(device, target, value, state.id, lambda now: bool(now == value)), None
    tone = _tone(device, asked)
    number = tone.id if tone is not None else DEFAULT_TONE
    options = None if volume is None else {"volume": volume}

    def plays(now: Any) -> bool:
        return is_number(now) and (now == number if tone is not None else now > 0)

    return Command(device, target, number, state.id, plays, options=options), tone


def _tone(device: Device, asked: str | None) -> Tone | None:
    """By number, by name, or by words of the name that no other tone has; None is the device's own
    default."""
    if asked is None or fold(asked) == "default":
        return None
    known = tones_of(device)
    hits = [tone for tone in known if fold(tone.name) == fold(asked) or str(tone.id) == asked.strip()]
    words = loose_words(asked)
    hits = hits or [tone for tone in known if words and words <= loose_words(tone.name)]
    if len(hits) == 1:
        return hits[0]
    offered = listed([tone.name for tone in (hits or known)[:_OFFERED]], "or" if hits else "and")
    if hits:
        raise refused("invalid", f"Which tone of {wording.the(device)} do you mean: {offered}?", device)
    tail = f"; it has {offered}" if known else ""
    name = capital(wording.the(device))
    raise refused("invalid", f"{name} has no tone {wording.quoted(asked)}{tail}.", device)
