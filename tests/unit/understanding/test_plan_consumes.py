"""Rule 2: a planner consumes every field of a node, or the reading does not act."""

from dataclasses import fields, replace
from typing import Any

from tests.fakes.home_tools import ScriptedHome

from voice_gateway.integrations.home import Home, build_home
from voice_gateway.integrations.listed import read_devices
from voice_gateway.understanding.interpreter import SUBJECTS
from voice_gateway.understanding.nodes import (
    Amount,
    Command,
    Condition,
    Item,
    Length,
    Look,
    Name,
    Node,
    Place,
    Unread,
    Value,
    When,
    Which,
)
from voice_gateway.understanding.plan import Context, Question, Refused, plan

assert SUBJECTS
# A value for each field that makes a difference to what is meant.
SAMPLES: dict[str, Any] = {
    "name": Name((), "exact", "nothing"), "item": (Item(kind="blind"),), "without": (Item(unknown="wibble"),),
    "aside": (Item(unknown="wibble"),), "instead": (Item(unknown="wibble"),),
    "place": (Place(room=("Office",)),),
    "which": Which(item=(Item(kind="lock"),)), "value": Value(level=7.0), "amount": Amount(factor=2.0),
    "when": When(after=(Length(5.0, 60.0),)), "condition": Condition(which=None, state="on"),
    "fix": (Command(do="off"),), "state": "closed", "kind": "lock", "room": "Office", "scene": "Movie Night",
    "do": "toggle", "of": "heat", "unknown": "wibble", "everything": "all", "floor": "attic",
    "unit": "F", "mode": "cool", "colour": "red", "quant": "both", "keys": (), "measure": "humidity",
    "way": -1.0, "ask": "count", "danger": "smoke", "either": ("on",), "sense": "plug",
}  # fmt: skip


# "One of" a single device is that device; "at" only guards a bare number, which could be a time.
SAME_FOR_ONE = {("which", "one")}


def home() -> Home:
    scripted = ScriptedHome.default()
    return build_home(read_devices({"devices": scripted.devices}, ""), scripted.scenes)


def outcome(node: Node, known: Home) -> object:
    """The calls of a step, or why there is none."""
    try:
        made = plan(node, Context(home=known))
    except (Refused, Unread, AssertionError):
        return "refused"
    return (
        "asked"
        if isinstance(made, Question)
        else (made.effect, made.state, made.measure, made.query, made.say)
    )


def with_field(node: Node, path: tuple[str, ...], value: Any) -> Node:
    """The same node with another value at the end of a path through its parts."""
    name, *rest = path
    if not rest:
        return replace(node, **{name: value})
    part = getattr(node, name)
    if isinstance(part, tuple):
        return replace(node, **{name: (with_field(part[0], tuple(rest), value), *part[1:])})
    return replace(node, **{name: with_field(part, tuple(rest), value)})


def paths(node: Node) -> list[tuple[tuple[str, ...], Any, bool]]:
    """Every field of a node and of its parts, with its value, and whether an act may ignore it."""
    found: list[tuple[tuple[str, ...], Any, bool]] = []
    for field in fields(node):
        value = getattr(node, field.name)
        found.append(((field.name,), value, bool(field.metadata.get("harmless"))))
        part = value[0] if isinstance(value, tuple) and value else value
        if isinstance(part, Node) and not isinstance(part, Name):
            found += [((field.name, *path), inner, free) for path, inner, free in paths(part)]
    return found


def sample(name: str, value: Any) -> Any:
    if name in SAMPLES:
        return SAMPLES[name]
    return not value if isinstance(value, bool) else 7.0


def test_no_field_is_dropped_by_an_act() -> None:
    known = home()
    lamp = next(device for device in known.devices if device.name == "Floor Lamp")
    named = Which(item=(Item(name=Name((lamp.key,), "exact", "floor lamp")),))
    kind = Which(item=(Item(kind="blind", plural=True, quant="all"),))
    bases: tuple[Node, ...] = (
        Command(do="on", which=named),
        Command(do="set", which=named, value=Value(percent=30.0)),
        Command(do="change", way=1.0, which=named, amount=Amount(percent=10.0)),
        Command(do="close", which=kind),
        Look(ask="is", which=named, state="on"),
        Look(ask="which", which=Which(item=(Item(kind="light", plural=True),)), state="on"),
    )
    dropped = []
    for base in bases:
        plain = outcome(base, known)
        assert plain not in ("refused", "asked"), base
        for path, value, free in paths(base):
            changed = with_field(base, path, sample(path[-1], value))
            if path in SAME_FOR_ONE or path[-1] == "at":
                continue
            if not free and changed != base and outcome(changed, known) == plain:
                dropped.append((type(base).__name__, getattr(base, "do", ""), ".".join(path)))
    assert not dropped, "\n".join(map(str, dropped))
