"""Scenes: by the word for them, or by the whole name of one that the home has. None is ever guessed."""

import re
from collections.abc import Sequence
from dataclasses import replace

from home_names.kinds import device_class
from home_names.names import name_key
from home_names.phrases import listed
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Clarification, Context, Meaning, NotHandled, Request, Step
from voice_gateway.brain.local.normalise import NormalisedText
from voice_gateway.brain.local.place import plain
from voice_gateway.brain.local.resolve import Resolver, Unknown
from voice_gateway.integrations.home import Home
from voice_gateway.turn import OutcomeStatus, ToolOutcome

_SAID = re.compile(
    r"^(?:activate|start|run|play|set|change|turn on|switch on|switch to|switch|enable|do) (?:the )?"
    r"(?:(?P<name>.+?) (?:scene|script)|(?:scene|script) (?:to )?(?P<behind>.+))$",
    re.DOTALL,
)
_SCENE = re.compile(r"^(?:scene|script) (?=\S)|(?<=\S) (?:scene|script)$")
_STATES = frozenset("on off up down open closed out".split())  # "set off" starts nothing
MOST_WORDS = 4  # of a scene's name that nobody listed
_NO_NAME = frozenset("the a an this that my our some any another it next first last".split())
_PLEASE = re.compile(r"^please |(?<=\S) please$")


def read_scene(text: str) -> list[Frame]:
    said = _SAID.match(text)
    return [Frame("Scene", {"scene": said["name"] or said["behind"]}, len(text))] if said else []


def scene_named(words: str, home: Home) -> str | None:
    """The scene of exactly this name. A word for a sort of device is never one: "lights" are lights."""
    said = plain(_SCENE.sub("", plain(words)))
    return None if said in _STATES or device_class(said) else home.scenes.get(name_key(said))


def start_scene(frame: Frame, name: str, home: Home) -> Step | NotHandled:
    meant = replace(frame, intent="Scene", slots={"scene": name})
    call = home.scene_source(name).scene(name)
    if call is None:
        return NotHandled("nobody has scenes", forbid=True, spoken=f"I know no scene called {name}.")
    return Step("Scene", (Request.of(call, scene=name),), acts=True, frame=meant)


def scene(frame: Frame, context: Context) -> Meaning:
    """The word "scene" was said: what the home does not list, its server may know."""
    said = frame.text("scene")
    if said in _NO_NAME:
        known = listed(list(context.home.scenes.values()), "or")
        spoken = f"Please say which scene{f': {known}' if known else ''}."
        return NotHandled("no scene is named", forbid=True, spoken=spoken)
    scenes = context.home.scenes
    whole = (scenes.get(name_key(f"{said} {kind}")) for kind in ("script", "scene"))  # "Broken Script"
    name = scene_named(said, context.home) or next(filter(None, whole), said)
    return start_scene(frame, name, context.home)


def tried_scene(frame: Frame, said: str, context: Context, no: NotHandled) -> Step | NotHandled:
    """Where nobody lists the scenes, their own server says whether there is one of exactly this name."""
    words = said.split()
    explicit = frame.slots.get("explicit") and not context.home.scenes_listed
    if not explicit or not 0 < len(words) <= MOST_WORDS or device_class(words[-1]):
        return no
    found = Resolver(context.home, context.room).resolve(said)
    unknown = isinstance(found, Unknown) and not found.note
    step = start_scene(frame, said, context.home) if unknown else no
    if isinstance(step, NotHandled) or step.requests[0].tool not in context.tools:
        return no
    return replace(step, otherwise=no)


def scene_missing(outcomes: Sequence[ToolOutcome]) -> bool:
    return any(outcome.status is OutcomeStatus.NOT_FOUND for outcome in outcomes)


def unknown_scene(request: Request, home: Home) -> str:
    known = listed(list(home.scenes.values()))
    there = f" I know the scenes {known}." if known else ""
    return f"I don't know a device or scene called {request.scene}.{there}"


def scene_alone(said: NormalisedText, home: Home) -> Meaning | None:
    """ "Movie night please" asks for it; the bare name may be a thought, and is asked about."""
    name = scene_named(said.text, home)
    if name is None or home.names.exact(said.text):
        return None
    asked_for = _PLEASE.search(said.whole) and not said.question
    return start_scene(Frame("Scene"), name, home) if asked_for else ask_for_scene(name)


def ask_for_scene(name: str) -> Clarification:
    return Clarification(f"Shall I start the scene {name}?", Frame("Scene", {"scene": name}), confirm=True)


def scenes_not_listed(home: Home) -> NotHandled:
    """Of a server that tells no scenes: those that were met."""
    known = listed(list(home.scenes.values()))
    spoken = f"I know the scenes {known}." if known else "I can start scenes, but not list them."
    return NotHandled("nobody lists the scenes", forbid=True, spoken=spoken)
