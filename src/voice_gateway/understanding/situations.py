"""Indirect wishes: a situation becomes a question with a yes that names what would be done."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from voice_gateway.understanding.leaves import EXACT
from voice_gateway.understanding.nodes import Command, Node, Situation, Taught, Unread, Utterance, bare
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans

PARTING: Final = {
    "arriving": "talk.arriving", "leaving": "talk.bye", "night": "talk.night", "sleeping": "talk.night",
}  # fmt: skip
# The state that an act leads to.
BECOMES: Final = {"on": "on", "off": "off", "open": "open", "close": "closed", "lock": "locked"}


@plans(Situation)
def situation(node: Situation, context: Context) -> Plan:
    """The first proposal that would change something here; a scene for it comes first."""
    what, item, phrases = node.what, node.item, context.reader.language.phrases
    named = " ".join(phrases["propose_place"][0]).replace("{room}", node.room.lower()) if node.room else ""
    place = node.place or named
    read = context.reader.tokens
    if place in (" ".join(read(" ".join(words)).words) for words in phrases["propose_here"]):
        place = ""
    near = phrases["propose_here"][0][0]  # "here"
    if scene := _scene(context, phrases.get(f"scene_{what}", ())):
        return Question(Say("ask.scene", {"text": scene}), Command(do="scene", scene=scene), expects="yes")
    for words in phrases.get(f"propose_{what}", ()):
        order = " ".join(words).replace("{item}", item)
        here = context.here if near in words else None
        around = replace(context, last=(), question=False, alone=True, here=here)
        placed = near not in words or bool(place or context.here)
        if near in words and (place or not context.here):
            order = " ".join(order.replace(near, place).split())
        for wish in _read(order, context):
            if (asked := _proposal(wish, order, around, placed=placed)) is not None:
                return asked
    raise Refused("nothing here helps", Say(PARTING.get(what, "situation.none")))


@plans(Taught)
def taught(node: Taught, context: Context) -> Plan:
    """The plan of the order that the user's own sentence stands for."""
    for wish in _read(node.order, context):
        return plan(wish, replace(context, alone=True))
    raise Refused(
        "the order of an own sentence is not understood", Say("cannot.taught", {"text": node.order})
    )


def _scene(context: Context, names: tuple[tuple[str, ...], ...]) -> str:
    """The first scene of the home whose name contains one of `names`, or an empty string."""
    scenes, texts = context.home.scenes.items(), [f" {' '.join(name)} " for name in names]
    return next((scene for plain, scene in scenes if any(text in f" {plain} " for text in texts)), "")


def _read(order: str, context: Context) -> Iterator[Node]:
    reader = context.reader
    for reading in reader.read(reader.tokens(order), "Utterance", EXACT):
        if isinstance(reading.node, Utterance) and len(reading.node.step) == 1:
            yield reading.node.step[0]


def _proposal(wish: Node, order: str, context: Context, *, placed: bool) -> Question | None:
    """A question for this wish; None where it would change nothing."""
    try:
        made = plan(wish, context)
    except (Refused, Unread):
        return None
    if isinstance(made, Question):
        return made if made.candidates and not made.unknown else None
    if not made.acts or not made.requests or is_so(made, context):
        return None
    if not placed and len({device.room for device in made.devices}) > 1:
        return Question(Say("ask.which", {"devices": made.devices}), bare(wish), made.devices)
    return Question(Say("ask.propose", {"order": order}), bare(wish), made.devices, "yes", doubts=True)


def is_so(made: Step, context: Context) -> bool:
    """Whether all devices of the step are so already."""
    state = BECOMES.get(made.node.do, "") if isinstance(made.node, Command) else ""
    return bool(state) and all(context.home.is_so(device, state) for device in made.devices)
