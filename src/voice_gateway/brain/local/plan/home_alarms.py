"""Alarms that are none of the clock: "how is the smoke alarm", where something in the home watches for it."""

import re
from dataclasses import replace

from home_words.event_words import danger_kind
from voice_gateway.brain.local.alarm_answer import KINDS
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Context, Meaning, NotHandled, Step
from voice_gateway.brain.local.plan.look import LOOKS

_DANGER = re.compile(
    r"^(?:(?P<place>.+) )?"
    r"(?P<danger>smoke|fire|carbon monoxide|gas|(?:water )?leak(?:age)?|water|flood(?:ing)?)$"
)


def may_be_of_the_home(frame: Frame) -> bool:
    """By its words alone."""
    if frame.intent not in ("ListTimers", "CancelTimer") or frame.text("kind") != "alarm":
        return False
    if frame.slots.get("due"):
        return False
    label = frame.text("label")
    return _DANGER.match(label) is not None if label else bool(frame.slots.get("there"))


def home_alarms(frame: Frame, context: Context) -> Meaning | None:
    """What a question for alarms is about the home; None: it is about the clock, or nothing here watches."""
    if not may_be_of_the_home(frame):
        return None
    said = _DANGER.match(frame.text("label"))
    if said is None:
        return _looked("alarms", "", context) if _watched(context) else None
    return _danger(said, context)


def quiet_alarm(frame: Frame, context: Context) -> Meaning:
    """ "Stop the smoke alarm" where none sounds: how it is. One that sounds is stopped before that."""
    said = _DANGER.match(frame.text("danger"))
    meaning = _danger(said, context) if said else None
    return meaning or NotHandled("nothing here watches for that")


def _watched(context: Context) -> set[str]:
    return {kind for device in context.home.devices for kind in KINDS if device.watches_for(kind)}


def _danger(said: re.Match[str], context: Context) -> Meaning | None:
    if danger_kind(said["danger"]) not in _watched(context):
        return None
    looked = _looked(f"{said['danger']} alarm", said["place"] or "", context)
    if isinstance(looked, Step) and looked.query is not None:  # "how is it" is not answered with yes or no
        return replace(looked, query=replace(looked.query, state="told"))
    return looked


def _looked(danger: str, place: str, context: Context) -> Meaning:
    slots = {"danger": danger, "place": place}
    return LOOKS["Alarms"](Frame("Alarms", {name: said for name, said in slots.items() if said}), context)
