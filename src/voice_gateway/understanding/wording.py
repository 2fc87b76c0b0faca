"""Replies: keys of replies.yaml filled with facts, and outcomes in one sentence each."""

from collections.abc import Sequence
from typing import Any

from home_names.phrases import capital, listed
from home_names.states import spoken_state
from voice_gateway import languages
from voice_gateway.brain.local.compose import compose
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.meaning import Step as OldStep
from voice_gateway.brain.local.wording import choice, rooms_asked
from voice_gateway.integrations.home import Home
from voice_gateway.turn import ToolOutcome
from voice_gateway.understanding.nodes import Everyday
from voice_gateway.understanding.plan import Say, Step
from voice_gateway.understanding.plan.sensors import Sensing, answer


def say(what: Say, home: Home, code: str = "en") -> str:
    """A reply with its devices in words."""
    facts: dict[str, Any] = {key: _spoken(key, fact, home, code) for key, fact in what.facts.items()}
    devices = tuple(facts.get("devices", ()))
    if what.key == "ask.which" and (rooms := rooms_asked(devices)):
        return languages.say("ask.which_room", code, rooms=_either(rooms))
    if devices:
        facts["devices"] = choice(devices, home)
        facts["Devices"] = capital(facts["devices"])
        facts["state"] = spoken_state(home.state_of(devices[0]))
        facts["verb"] = "is" if len(devices) == 1 else "are"
    return languages.say(what.key, code, **facts)


def _spoken(key: str, fact: Any, home: Home, code: str) -> Any:
    """Replies within a reply, and lists of words: `all` of them, or `either`."""
    if key not in ("all", "either"):
        return fact
    words = [say(one, home, code) if isinstance(one, Say) else str(one) for one in fact]
    return listed(words, "or" if key == "either" else "and")


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)


def as_old(step: Step) -> OldStep:
    """The step as the old wording knows it."""
    node, frame, intent = step.node, None, type(step.node).__name__
    if isinstance(node, Everyday) and node.tool == "get_current_datetime":
        intent = "Date" if node.part or node.weekday else "Time"
        slots = {
            "part": node.part, "weekday": node.weekday, "offset": node.offset, "place": node.place,
        }  # fmt: skip
        frame = Frame(intent, {key: text for key, text in slots.items() if text})
    return OldStep(
        intent,
        step.requests,
        step.acts,
        frame,
        step.devices,
        None,
        step.query,
        step.state,
        step.measure,
        step.room,
    )


def reply(step: Step, old: OldStep, outcomes: Sequence[ToolOutcome], home: Home) -> str:
    if step.say is not None:
        return say(step.say, home)
    if isinstance(step.query, Sensing) and any(outcome.ok for outcome in outcomes):
        return answer(step.query, old.requests, outcomes)
    return compose(old, outcomes)
