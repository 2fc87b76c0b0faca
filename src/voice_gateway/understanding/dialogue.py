"""The memory of a conversation, and what is said about it: answers, "and the bedroom", corrections, undo."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.understanding.nodes import (
    Answer,
    Command,
    Correct,
    Everyday,
    Item,
    Look,
    Name,
    Node,
    Same,
    Undo,
    Which,
    altered,
    bare,
    closed,
    from_json,
    to_json,
)
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans

KEY: Final = "understanding"  # our corner of the conversation's state
QUESTION_SECONDS: Final = 60.0  # so long a question of ours can be answered


@dataclass(frozen=True, slots=True)
class Open:
    """A question of ours that waits for its answer."""

    node: Node
    candidates: tuple[Device, ...] = ()
    expects: str = "device"
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    last: tuple[Device, ...] = ()
    recent: tuple[Device, ...] = ()  # of the last command, and of those that only added devices to it
    topic: str = ""
    command: Node | None = None
    timer: str = ""
    said: str = ""  # our last words
    asked: Open | None = None
    asked_at: float = 0.0

    def closed(self) -> "Memory":
        """Without the open question."""
        return replace(self, asked=None)

    def to_json(self) -> dict[str, Any]:
        asked = self.asked
        return {
            "last": [list(device.key) for device in self.last],
            "recent": [list(device.key) for device in self.recent],
            "topic": self.topic,
            "timer": self.timer,
            "said": self.said,
            "command": to_json(self.command),
            "asked": asked and {
                "node": to_json(asked.node),
                "candidates": [list(device.key) for device in asked.candidates],
                "expects": asked.expects,
                "instead": asked.instead,
                "at": self.asked_at,
            },
        }  # fmt: skip


def recall(state: Mapping[str, Any], home: Home, now: float) -> Memory:
    """Devices that are gone meanwhile, old questions and what another version wrote are forgotten."""
    written = state.get(KEY)
    try:
        return _recalled(written, home, now) if isinstance(written, Mapping) else Memory()
    except (KeyError, TypeError, ValueError):
        return Memory()


def _recalled(written: Mapping[str, Any], home: Home, now: float) -> Memory:
    memory = Memory(
        _found(written["last"], home),
        _found(written["recent"], home),
        str(written["topic"]),
        from_json(written["command"]),
        written["timer"],
        written["said"],
    )
    asked = written["asked"]
    if not asked or now - asked["at"] > QUESTION_SECONDS:
        return memory
    question = Open(
        from_json(asked["node"]), _found(asked["candidates"], home), asked["expects"], asked["instead"]
    )
    return replace(memory, asked=question, asked_at=asked["at"])


def _found(keys: Sequence[Sequence[Any]], home: Home) -> tuple[Device, ...]:
    found = (home.find(key) for key in keys)
    return tuple(device for device in found if device is not None)


# --- what refers to the last turn


@plans(Undo)
def undo(node: Undo, context: Context) -> Plan:
    return Step(bare(node), undo=int(node.count), acts=True)


@plans(Same)
def same(node: Same, context: Context) -> Plan:
    """The last command or question, for other devices."""
    last, which = context.command, node.which
    if which is None or not isinstance(last, Command | Look) or last.which is None:
        raise Refused("nothing was done that could be repeated")
    again = replace(last, which=_like(closed(which), context))
    made = plan(again, context)
    if isinstance(made, Step):
        made = replace(made, adds=True)
    if isinstance(made, Question) or not node.hint or isinstance(last, Look):
        return made
    return Question(Say("ask.same", {"devices": made.devices}), again, made.devices, "yes", doubts=True)


def _like(which: Which, context: Context) -> Which:
    """ "And the bedroom": the same kind of thing there."""
    item = which.item[0] if which.item else Item()
    rooms = bool(item.place) and not (item.name or item.kind or item.everything or item.unknown)
    if not (item.alone or rooms):
        return which
    last = context.last
    if last and all(device.is_light for device in last):
        kind = "light"
    elif last and all(device.kind == "blind" for device in last):
        kind = "blind"
    else:
        return which
    return Which(item=(replace(item, alone=False, kind=kind, plural=True, quant="all"),))


@plans(Correct)
def correct(node: Correct, context: Context) -> Plan:
    """The last command, with the fields that were said now; it replaces what was done."""
    last, fix = context.command, node.fix
    if fix is None or not isinstance(last, Command) or not context.alone:
        raise Refused("nothing to put right")
    said = closed(fix)
    made = plan(_corrected(last, said), context)
    return replace(made, instead=True) if isinstance(made, Question) else replace(made, corrects=True)


def _corrected(last: Command, fix: Command) -> Command:
    changes: dict[str, Any] = {}
    if fix.do == "set" and fix.value is not None and fix.which is None:
        changes = {"do": "set", "value": fix.value, "amount": None, "way": 0.0, "of": ""}
    elif fix.do:
        changes = {name: getattr(fix, name) for name in ("do", "value", "amount", "way", "of")}
    if fix.which is not None:
        changes["which"] = fix.which
        changes["place"] = ()
    return replace(last, **changes, condition=None, hint=False)


# --- answers to a question of ours


def answered(answer: Answer, asked: Open, context: Context) -> Plan | None:
    """What follows from an answer; None where it answers something else."""
    if answer.kind == "no":
        return Step(answer, say=Say("no"), topic="")
    if answer.kind == "yes":
        return _yes(asked, context)
    read = _FIELDS.get(asked.expects)
    if read is not None:
        node = read(answer, asked.node)
        return None if node is None else _again(node, asked, context)
    if asked.expects in ("device", "yes"):
        return _chosen(answer, asked, context)
    return None


def _yes(asked: Open, context: Context) -> Plan | None:
    if asked.expects != "yes":
        return None
    node = asked.node
    if isinstance(node, Command) and node.do == "scene":
        return _again(replace(node, bare=False), asked, context)
    if isinstance(node, Everyday):
        return _again(replace(node, confirm=False), asked, context)
    return _again(_with(node, asked.candidates), asked, context)


def _chosen(answer: Answer, asked: Open, context: Context) -> Plan | None:
    """One or some of the candidates."""
    found = list(asked.candidates)
    if not found and answer.kind == "name" and answer.name is not None:
        named = (context.home.find(key) for key in answer.name.keys)
        found = [device for device in named if device is not None]
    if answer.kind == "nth" and answer.ordinal is not None:
        found = _nth(found, int(answer.ordinal))
    elif answer.kind == "room":
        found = [device for device in found if device.room == answer.room]
    elif answer.kind == "name" and answer.name is not None:
        found = [device for device in found if device.key in answer.name.keys]
    elif answer.kind != "all":
        return None
    if not found:
        return None
    if len(found) > 1 and answer.kind != "all":
        return Question(Say("ask.which", {"devices": found}), asked.node, tuple(found), instead=asked.instead)
    return _again(_with(asked.node, tuple(found)), asked, context)


def _nth(found: list[Device], place: int) -> list[Device]:
    """Of the rooms, where the question asked for rooms."""
    rooms = list(dict.fromkeys(device.room for device in found))
    if len(found) > 4 and 0 <= place < len(rooms):
        return [device for device in found if device.room == rooms[place]]
    return found[place : place + 1] if place >= 0 else found[-1:]


def _with(node: Node, devices: tuple[Device, ...]) -> Node:
    """The same command for these devices."""
    if not devices or not isinstance(node, Command | Look):
        return replace(node, hint=False) if isinstance(node, Command) else node
    name = Name(tuple(device.key for device in devices), "exact", "")
    changes: dict[str, Any] = {"which": Which(item=(Item(name=name, quant="all"),)), "place": ()}
    if isinstance(node, Command):
        changes |= {"without": (), "hint": False, "lights": False, "sweep": False}
    return replace(node, **changes)


def _again(node: Node, asked: Open, context: Context) -> Plan:
    made = plan(node, context)
    if not asked.instead:
        return made
    return replace(made, instead=True) if isinstance(made, Question) else replace(made, corrects=True)


def _at(answer: Answer, node: Node) -> Node | None:
    if not isinstance(node, Everyday):
        return None
    if answer.kind == "at" and answer.at:
        return replace(node, at=answer.at, missing="")
    if answer.kind == "span" and answer.span:
        return replace(node, span=answer.span, missing="")
    return None


def _half(answer: Answer, node: Node) -> Node | None:
    """ "In the afternoon", of a clock time that could be either."""
    if not isinstance(node, Everyday) or answer.kind != "half":
        return None
    return replace(node, at=f"{node.at} {answer.at}", missing="")


def _text(field: str) -> Callable[[Answer, Node], Node | None]:
    def read(answer: Answer, node: Node) -> Node | None:
        if not isinstance(node, Everyday) or answer.kind != "text" or not answer.text:
            return None
        changes: dict[str, Any] = {field: answer.text, "missing": ""}
        return replace(node, **changes)

    return read


def _value(answer: Answer, node: Node) -> Node | None:
    if not isinstance(node, Command) or answer.kind != "value" or answer.value is None:
        return None
    return replace(node, do="set", value=answer.value, amount=None, way=0.0)


def _act(answer: Answer, node: Node) -> Node | None:
    """What shall be done, or the value, where only the thing was named."""
    if isinstance(node, Command) and answer.kind == "act" and answer.command is not None:
        said = answer.command
        return replace(node, do=said.do, value=said.value, amount=said.amount, way=said.way, of=said.of)
    return _value(answer, node)


_FIELDS: Final[Mapping[str, Callable[[Answer, Node], Node | None]]] = {
    "at": _at,
    "duration": _at,
    "half_day": _half,
    "value": _value,
    "act": _act,
    "message": _text("message"),
    "items": _text("items"),
    "list": _text("list"),
}

__all__ = ["KEY", "Memory", "Open", "altered", "answered", "recall"]
