"""Whether words that were not understood ask for something to be done: only then may the next stage act."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from voice_gateway.brain.local.classes import device_class
from voice_gateway.brain.local.home import Home, singular
from voice_gateway.brain.local.normalise import Said, plain_words
from voice_gateway.tools.traits import traits

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_VERBS = frozenset(
    """turn switch set dim open close shut lock unlock make put play start stop activate deactivate enable
    disable raise lower increase decrease reduce change adjust mute unmute remind cancel add run
    bring toggle pull lift give wake prepare get move send create delete remove pause resume skip
    arm disarm light brighten darken heat cool warm roll kill cut power flip bump crank drop fill
    begin end finish schedule write save book reset restart reboot trigger launch execute use""".split()
)
_SUBJECTS = frozenset(
    """volume sound loudness brightness speaker timer timers alarm reminder scene scenes light lights lamp
    lamps heating temperature thermostat louder quieter brighter darker dimmer warmer cooler it them
    everything all""".split()
)
# Words in names that are said of other things too.
_DULL = frozenset(
    """get set list control check show the a an of to for and my new zwave device front back left right
    side top bottom upper lower main big small old first second one on off""".split()
)


_ALONE = frozenset({"remind", "wake"})  # these say what they are about
_LOUD = frozenset("volume sound loudness speaker louder quieter softer music".split())
# What only somebody with hands could do, or what a model would do by halves: "start with the kitchen",
# "switch the floor lamp with the desk lamp", "put the lamp in the bedroom", "delete all my reminders".
_FOR_HANDS = re.compile(
    r"\bwith\b|\b(?:all|every|both)\b.*\bremind|"
    r"^(?:put|move|bring|take|carry|send|get|give) .*\b(?:in|into|to|under|behind|beside|onto) "
    r"(?:the|my|our|a) "
)
_POINTED_AT = re.compile(r"\b(?:the|my|our|your|this|that) (\w+)")


def asks_for_action(said: Said, home: Home, tools: Iterable["BaseTool"]) -> bool:
    """It is put as a request, and it names something that a tool could act on.

    A small model that hears anything else still likes to call a tool: "light of my life" changed the volume.
    """
    words = [singular(word) for word in said.text.split()]
    if not words or said.question:
        return False
    offered = _tool_words(tools)
    if words[0] in offered or words[0] in _ALONE:
        return True
    if not said.polite and words[0] not in _VERBS:
        return False
    if _FOR_HANDS.search(said.text):
        return False
    things = _SUBJECTS | offered | _home_words(home)
    named = {word for word in words[1:] if word in things or device_class(word)}
    if named <= _LOUD and _points_elsewhere(said.text):
        return False
    return bool(named)


# What is said when one of these is meant. A small model that does not understand likes to call one of them.
_MEANT_BY = {
    "control_speaker_volume": re.compile(
        r"\b(?:volume|sound|speaker|loud|quiet|soft|mute|unmute|silen|music|audio|nois|hear|whisper|"
        r"(?:up|down|higher|lower)\b)"
    ),
    "set_timer": re.compile(
        r"\b(?:timer|alarm|remind|wake|minute|hour|second|day|week|o'?clock|later|tonight|tomorrow|morning|"
        r"evening|noon|midnight|when|until|half|quarter|\d)"
    ),
    "cancel_timer": re.compile(r"\b(?:timer|alarm|remind|it|that|them|all|stop|cancel)"),
}


def not_spoken_of(said: Said) -> frozenset[str]:
    """Tools that nothing in these words speaks of."""
    return frozenset(name for name, words in _MEANT_BY.items() if not words.search(said.text))


def _points_elsewhere(text: str) -> bool:
    """The loudness of "the tv" is not ours."""
    return any(singular(word) not in _LOUD for word in _POINTED_AT.findall(text))


def _home_words(home: Home) -> set[str]:
    named = {singular(word) for words in home.words.values() for word in words}
    return (named | {singular(word) for room in home.rooms for word in room.split()}) - _DULL


def _tool_words(tools: Iterable["BaseTool"]) -> set[str]:
    """What the tools of other servers are about, by their names and titles."""
    words: set[str] = set()
    for tool in tools:
        known = traits(tool)
        if known.side_effects and known.source != "builtin" and "zwave" not in tool.name:
            name = re.sub(r"[_-]", " ", known.original_name or tool.name)
            words |= {singular(word) for word in plain_words(f"{name} {known.title}")}
    return words - _DULL
