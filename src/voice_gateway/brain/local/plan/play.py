"""Frames about what sounds: players, and what rings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from home_names.kinds import device_class
from home_names.names import loose_words, name_key
from home_names.phrases import capital, listed
from home_words import command_words as words
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, NotHandled, Step
from voice_gateway.brain.local.place import plain, room_named
from voice_gateway.brain.local.plan.act import DEVICE_ACTS, act
from voice_gateway.brain.local.plan.builtin import volume_step
from voice_gateway.brain.local.resolve import IT, Found, Resolver
from voice_gateway.brain.local.wording import BUTTON, the, which
from voice_gateway.integrations.device import Device, is_button

# --- what plays


_PLAYING = {
    "Pause": "pause", "Play": "play", "Next": "next", "Previous": "previous", "Mute": "mute",
    "Unmute": "unmute", "PlayerVolume": "volume", "PlayerLouder": "volume", "PlayerQuieter": "volume",
}  # fmt: skip
_OWN = frozenset({"Mute", "Unmute", "PlayerVolume", "PlayerLouder", "PlayerQuieter"})


def _playing(action: str) -> Callable[[Frame, Context], Meaning]:
    """ "Pause", "next song in the kitchen", "mute the tv": of the player that is named, or that plays."""

    def plan(frame: Frame, context: Context) -> Meaning:
        if action in ("play", "pause", "mute") and (rung := ringing(frame, context, action)) is not None:
            return rung
        players = [device for device in context.home.devices if device.can(action)]
        said = frame.text("thing")
        about_one = said in IT and all(device.can(action) for device in context.last) and bool(context.last)
        if not players or (frame.intent in _OWN and words.OWN_SOUND.fullmatch(said) and not about_one):
            return NotHandled("nothing here plays, or our own sound is meant")
        music, room = words.MUSIC.fullmatch(plain(said)), room_named(said, context.home)
        if about_one or not (music or room):
            meaning = act(frame, context, action)
            unknown = isinstance(meaning, NotHandled) and not meaning.understood
            return NotHandled("nothing of that name plays") if unknown else meaning
        where = room or (music and music["where"] and room_named(music["where"], context.home))
        if music and music["where"] and not where:
            return act(replace(frame, slots={**frame.slots, "thing": music["where"]}), context, action)
        return _of_players(frame, context, action, players, where or "")

    return plan


def _louder(frame: Frame, context: Context) -> Meaning:
    """ "Louder", after something that plays: that, and not our own voice."""
    if frame.text("thing") and context.last and all(device.can("volume") for device in context.last):
        intent = "PlayerLouder" if frame.text("direction") == "up" else "PlayerQuieter"
        return _playing("volume")(replace(frame, intent=intent), context)
    return volume_step(frame, context)


def _of_players(frame: Frame, context: Context, action: str, players: Sequence[Device], room: str) -> Meaning:
    """In the room that was named, or the door's; of several those that play, or that wait to."""
    home = context.home
    here = [device for device in players if name_key(device.room) == name_key(room or context.room or "")]
    if room and not here:  # one may be called like a room, and be in none
        here = [device for device in players if name_key(device.name) == name_key(room)]
    if room and not here:
        return NotHandled("nothing there plays", spoken=f"I know nothing that plays in the {room}.")
    chosen = here or list(players)
    wanted = ("paused",) if action == "play" else ("playing", "buffering")
    active = [device for device in chosen if home.state_of(device).startswith(wanted)]
    if len(active or chosen) > 1:
        return Clarification(which(tuple(active or chosen)), frame, tuple(active or chosen))
    thing = home.called((active or chosen)[0])
    return act(replace(frame, slots={**frame.slots, "thing": thing}), context, action)


def _stop(frame: Frame, context: Context) -> Meaning:
    """ "Stop the music" pauses it."""
    said = plain(frame.text("thing"))
    if said and said not in IT and words.MUSIC.fullmatch(said):
        return _playing("pause")(replace(frame, intent="Pause"), context)
    return act(frame, context, "stop")


def _stop_that(frame: Frame, context: Context) -> Meaning:
    """ "Stop!", after talk of a gate that may move, or a siren that may sound; else only our talk is meant.
    Where it is by now only it knows itself, and to stop what rests does no harm."""
    if context.topic != "device" or not context.last or not all(_can_go_on(one) for one in context.last):
        return Step("NeverMind", frame=frame, say="Okay.")
    return act(replace(frame, intent="Stop", slots={"thing": "it"}), context, "stop")


def _can_go_on(device: Device) -> bool:
    return device.can("stop") and (device.is_cover or device.kind in ("chime", "siren"))


# --- what rings

_WITH_TONE = (
    re.compile(r"(?P<tone>.{1,60}?) (?:on|with|through|over|from|at) (?P<thing>(?:the|my|our) .+)"),
    re.compile(r"(?P<thing>.{1,60}?) (?:with|using|to) (?P<tone>.+)"),
)
_TONE = re.compile(r"^(?:the|a|some) | (?:tone|sound|melody)$|^(?:tone|sound) ")


def ringing(frame: Frame, context: Context, action: str) -> Meaning | None:
    """ "Play Westminster on the door chime": of what rings, by name or sort; None: of something else."""
    said = frame.text("thing")
    rings = any(device.can("ring") or is_button(device) for device in context.home.devices)
    if not rings or said in ("", *IT):
        return None
    parted = (pattern.fullmatch(said) for pattern in _WITH_TONE)
    ways = [(said, ""), *((found["thing"], found["tone"]) for found in parted if found)]
    for thing, named in ways:
        found = Resolver(context.home, context.room, context.last).resolve(thing)
        devices = found.devices if isinstance(found, Found) else getattr(found, "candidates", ())
        told = replace(
            frame, slots={**frame.slots, **({"tone": tone} if (tone := _TONE.sub("", named)) else {})}
        )
        if action in ("ring", "play") and devices and all(_is_bell_button(one, thing) for one in devices):
            return _rung_for(devices[0], told, context, action)
        if devices and all(device.can("ring") for device in devices):
            return _rung(devices, thing, told, context, action)
    return None


def _rung(devices: Sequence[Device], thing: str, frame: Frame, context: Context, action: str) -> Meaning:
    tone = frame.text("tone")
    if len(devices) == 1 and _is_missing(tone, devices[0].tones):
        has = f'{capital(the(devices[0]))} has no tone "{tone}"'
        said = f"{has}; it has {listed(devices[0].tones)}."
        return Step(frame.intent, frame=frame, say=said, devices=tuple(devices))
    return act(replace(frame, intent="Ring", slots={**frame.slots, "thing": thing}), context, action)


def _rung_for(button: Device, frame: Frame, context: Context, action: str) -> Meaning:
    """The button at the door has no voice: the only chime there is rings for it."""
    chimes = tuple(device for device in context.home.devices if device.kind == "chime")
    if not chimes:
        said = f"{capital(the(button))} {BUTTON}. I know nothing that could ring."
        return Step(frame.intent, frame=frame, say=said, devices=(button,))
    if len(chimes) > 1:
        return Clarification(which(chimes), replace(frame, intent="Ring"), chimes)
    return _rung(chimes, context.home.called(chimes[0]), frame, context, action)


def _is_bell_button(device: Device, said: str) -> bool:
    """By what it tells; one that was never interviewed tells nothing, and is called so."""
    sort = device_class(plain(said))
    called = device.kind in ("sensor", "other") and sort is not None and sort.sort == "chime"
    return not device.can("ring") and ("doorbell" in device.events or called)


def _is_missing(tone: str, tones: Sequence[str]) -> bool:
    """Found here, so that nobody is asked for a yes to it; tones are numbered from 1 on."""
    words = loose_words(tone)
    numbered = tone.isdecimal() and 1 <= int(tone) <= len(tones)
    known = numbered or words == {"default"} or any(words <= loose_words(one) for one in tones)
    return bool(tone and tones) and not known


def _ring(frame: Frame, context: Context) -> Meaning:
    rung = ringing(frame, context, "ring")
    return rung if rung is not None else NotHandled("nothing of that name rings")


HOME_ACTS: dict[str, Callable[[Frame, Context], Meaning]] = {
    **DEVICE_ACTS,
    "Stop": _stop,
    "StopThat": _stop_that,
    "Ring": _ring,
    "Volume": _louder,
    **{intent: _playing(action) for intent, action in _PLAYING.items()},
}
