"""A form for a small model: made from the home, filled from words that the grammar does not read.

The model chooses among acts and names of this home, so its answer is always a `Command` that the planner can
judge. It only ever becomes a question to the person; without a yes nothing is done.
"""

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any, Final, Protocol

from home_names.kinds import ENTRANCES
from voice_gateway.errors import BrainError
from voice_gateway.events import ModelRound, SentMessage, Waiting
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home
from voice_gateway.languages import shared_data
from voice_gateway.problems import MODEL_WITHOUT_FORMS
from voice_gateway.tools.permission.untrusted import is_order
from voice_gateway.turn import Words
from voice_gateway.turns.stage import Turn
from voice_gateway.understanding.dialogue import Memory
from voice_gateway.understanding.leaves import PARTIAL, UtteranceLeaves
from voice_gateway.understanding.lexer import Tokens
from voice_gateway.understanding.nodes import (
    Command,
    Item,
    Name,
    Node,
    Place,
    Unread,
    Value,
    Which,
    bare,
    closed,
)
from voice_gateway.understanding.plan import Context, Plan, Question, Refused, Say, Step, plan, plans
from voice_gateway.understanding.reader import Reader
from voice_gateway.understanding.situations import is_so
from voice_gateway.understanding.talk import bearing

log = logging.getLogger(__name__)

THINKING_SECONDS: Final = 3.0  # then the person is told
MOST_STEPS: Final = 2  # where no name is mentioned
MOST_WORDS: Final = 30
SCENE: Final = "scene "
MOST_NAMED: Final = 60  # devices in the prefix; of a larger home rooms and kinds
MOST_CANDIDATES: Final = 12  # of a larger home
ALIKE: Final = 86.0  # of 100: a name that the words mention
SHORTEST: Final = 4  # letters of such a name
# The act of the form, by the ability that it needs. Nothing here opens a way into the house.
ACTS: Final[Mapping[str, tuple[str, ...]]] = {
    "on": ("on", "start"), "off": ("off", "dock"), "set": ("dim", "set", "speed", "volume"),
    "more": ("dim", "set", "volume"), "less": ("dim", "set", "volume"), "open": ("open",),
    "close": ("close",), "lock": ("lock",), "play": ("play",), "pause": ("pause",),
}  # fmt: skip
# What is tried where the device cannot do the act: a blind that shall be "off" is closed.
INSTEAD: Final = {
    "on": ("open", "start"),
    "off": ("close", "dock"),
    "open": ("on",),
    "close": ("off", "lock"),
}

SYSTEM: Final = """\
You turn what people say at home into a form. They speak any language, often indirectly or misheard.
words: "order" if something in the home shall change now, "story" if they only tell, praise or complain.
An order has one step for each thing they name, seldom more than one. thing: exactly as below. \
act: on (also start, wake), off (also stop, rest), set with a number, more, less, open, close, lock.
"""
ORDER, STORY = "order", "story"
Prompt = tuple[tuple[str, str], ...]  # role and text of each message


class Proposed(Node):
    """Several commands that one yes carries out."""

    step: tuple[Command, ...] = ()


@dataclass(frozen=True)
class Form:
    """The form of one home. Its prefix is the same bytes until names or abilities of the home change."""

    prefix: Prompt
    acts: tuple[str, ...]
    things: Mapping[str, Which | str]  # by label: devices, or a scene
    listed: bool = True  # the prefix names the devices

    def request(self, text: str, facts: Sequence[str] = ()) -> tuple[Prompt, Mapping[str, Any]]:
        """The messages and the schema for these words. Mentioned things leave no others to choose."""
        from rapidfuzz import fuzz, process

        likely = named = self._mentioned(text)
        if not (named or self.listed):
            near = process.extract(text, [*self.things], scorer=fuzz.token_set_ratio, limit=MOST_CANDIDATES)
            likely = tuple(label for label, _, _ in near)
        known = [*facts, f"things: {', '.join(likely)}"] if likely and not self.listed else facts
        words = f"[{'; '.join(known)}] {text}" if known else text
        schema = _schema(likely or tuple(self.things), self.acts, len(named) or MOST_STEPS)
        return (*self.prefix, ("user", words)), schema

    def _mentioned(self, text: str) -> tuple[str, ...]:
        """The things whose whole names the words hold or nearly hold; of two such names the longer one."""
        from rapidfuzz import fuzz

        words, found = text.casefold(), dict[str, float]()
        for label in self.things:
            name = label.casefold().removeprefix(SCENE)
            if SHORTEST <= len(name) <= len(words) and (score := fuzz.partial_ratio(name, words)) >= ALIKE:
                found[label] = score

        def inside(label: str, score: float) -> bool:
            others = (other for other, own in found.items() if other != label and own >= score)
            return any(label.casefold() in other.casefold() for other in others)

        return tuple(label for label, score in found.items() if not inside(label, score))


@dataclass(frozen=True, slots=True)
class Filled:
    """What became of the words: a proposal, or why there is none."""

    question: Question | None = None
    shown: str = ""  # the answer of the model, for --explain
    wish: bool = False  # the model takes them for one
    problem: str = ""  # said once: the model cannot be asked


class FormModel(Protocol):
    """A model that fills a form: one that is not trusted to work in several steps."""

    @property
    def model_name(self) -> str: ...
    @property
    def fills_forms(self) -> bool: ...
    async def fill(self, messages: Prompt, schema: Mapping[str, Any]) -> str:
        """The answer as JSON. BrainError: there is none."""
        ...


class FormFiller:
    """Asks the model about words that may be a wish, and tells once when it cannot be asked."""

    def __init__(self, model: FormModel) -> None:
        self.model, self._failed = model, False

    def wanted(self, reader: Reader, text: str) -> bool:
        """Whether the words are for the form, and the model fills forms."""
        return self.model.fills_forms and is_for_form(reader, reader.tokens(text), text)

    async def fill(self, turn: Turn, context: Context, memory: Memory) -> Filled:
        """The proposal for these words. A model that fails is as good as none."""
        text = turn.utterance.text
        form = make_form(context.home)
        messages, schema = form.request(text, _facts(context, memory))
        notice = asyncio.get_running_loop().call_later(THINKING_SECONDS, turn.tell_step, Waiting, "")
        started, facts = perf_counter(), {"sent": (SentMessage(*messages[-1]),)}
        try:
            answer = await turn.interruption.cutting(self.model.fill(messages, schema))
            if answer is None:
                return Filled()
            made = commands(form, answer)
        except (BrainError, ValueError) as error:
            turn.tell_step(
                ModelRound, self.model.model_name, 1, perf_counter() - started, error=str(error), **facts
            )
            spoken = error.spoken if isinstance(error, BrainError) else MODEL_WITHOUT_FORMS
            log.warning("form was not filled", extra={"reason": str(error)})
            told, self._failed = self._failed, True
            return Filled(problem="" if told else spoken)
        finally:
            notice.cancel()
        self._failed = False
        turn.tell_step(ModelRound, self.model.model_name, 1, perf_counter() - started, text=answer, **facts)
        return Filled(proposal(made, context), f"form: {answer}", bool(made))


# --- the form of a home


def make_form(home: Home) -> Form:
    """The form of this home."""
    able = [device for device in home.told_devices if _acts_of(device) and not is_order(device.name)]
    things: dict[str, Which | str] = {
        home.called(one): Which(item=(Item(name=Name((one.key,), "exact", one.name), quant="all"),))
        for one in able
    }
    groups = dict(_groups(home))
    scenes = {f"{SCENE}{name}": name for name in sorted(home.scene_sources) if not is_order(name)}
    acts = tuple(act for act in ACTS if any(act in _acts_of(device) for device in able))
    listed = len(able) <= MOST_NAMED
    text = [SYSTEM, *_rooms(home, able, listed=listed)]
    text += [f"Groups: {', '.join(groups)}"] * bool(groups) + [f"Scenes: {', '.join(scenes)}"] * bool(scenes)
    prefix = (("system", "\n".join(text)), *_examples([*things]))
    return Form(prefix, acts, {**things, **groups, **scenes}, listed)


def _rooms(home: Home, devices: Sequence[Device], *, listed: bool) -> Iterator[str]:
    """A line for each room: its devices with their kinds, or the kinds alone."""
    lines: dict[str, dict[str, None]] = {}
    for device in devices:
        kind = "light" if device.is_light else device.kind.replace("_", " ")
        label = home.called(device)
        shown = kind if not listed else label if kind in label.lower() else f"{label} ({kind})"
        lines.setdefault(device.room or "-", {})[shown] = None
    return (f"{room}: {', '.join(labels)}" for room, labels in sorted(lines.items()))


def _examples(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Few, with this home's names, and in no words that a wish would have."""
    first, last = (names[0], names[-1]) if names else ("Lamp", "Lamp")
    step = {"thing": first, "act": "on"}
    set_to = {"thing": last, "act": "set", "to": 30}
    for text, answer in (
        ("Hello there, how are you today?", {"words": STORY}),
        (f"bitte {first.lower()} an", {"words": ORDER, "steps": [step]}),
        (f"I saw a {last.lower()} in a shop", {"words": STORY}),
        (f"{last} auf 30", {"words": ORDER, "steps": [set_to]}),
    ):
        yield "user", text
        yield "assistant", json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _acts_of(device: Device) -> frozenset[str]:
    """The acts of the form that this device can do."""
    return frozenset(act for act, ways in ACTS.items() if any(map(device.can, ways)))


def _groups(home: Home) -> Iterator[tuple[str, Which]]:
    """The lights of each room with several, all lights, and all blinds."""
    lights = [device for device in home.told_devices if device.is_light]
    for room, count in sorted(Counter(device.room for device in lights).items()):
        if room and count > 1:
            yield f"{room} lights", _all("light", Place(room=(room,)))
    if len(lights) > 1:
        yield "all lights", _all("light", Place(everywhere=True))
    if sum(device.kind == "blind" for device in home.told_devices) > 1:
        yield "all blinds", _all("blind", Place(everywhere=True))


def _all(kind: str, place: Place) -> Which:
    return Which(item=(Item(kind=kind, plural=True, quant="all", place=(place,)),))


def _schema(things: Sequence[str], acts: Sequence[str], most: int) -> Mapping[str, Any]:
    """An order with its steps, or nothing but that it is none. Only what is set has a number."""
    thing = {"enum": [*things]}
    plain = _object(thing=thing, act={"enum": [act for act in acts if act != "set"]})
    set_to = _object(thing=thing, act={"const": "set"}, to={"type": "number"})
    items = {"anyOf": [plain, set_to]} if "set" in acts else plain
    steps = {"type": "array", "items": items, "minItems": 1, "maxItems": most}
    return {"anyOf": [_object(words={"const": ORDER}, steps=steps), _object(words={"const": STORY})]}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties]}


# --- which words it is for


def is_for_form(reader: Reader, said: Tokens, text: str) -> bool:
    """Whether words that the grammar did not read may be a wish about this home.

    No question, denial, report or condition is one. Words of another language may be one unless their
    function words say otherwise.
    """
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if said.question or not 1 < len(words) <= MOST_WORDS:
        return False
    plain = [word for word in said.words if word not in reader.index.words]  # names may be of any language
    foreign = sum(word in reader.language.vocabulary for word in plain) * 2 < len(plain)
    first, anywhere = _never(reader.language.code, foreign=foreign)
    if words[0] in first or not anywhere.isdisjoint(words):
        return False
    if foreign:
        return True
    found, groups = bearing(reader, said), reader.language.groups
    forbidden = (
        reader.language.group("denial", "report", "condition", "later", "repeat") | groups["supposing"]
    )
    if found.words is Words.TALK or found.asks or not forbidden.isdisjoint(said.words):
        return False
    leaves = UtteranceLeaves(said, reader.language, reader.index, PARTIAL)
    return bool(leaves.every("name", "room", "scene", "kind", "kinds"))


@cache
def _never(code: str, *, foreign: bool) -> tuple[frozenset[str], frozenset[str]]:
    """The words with which no order begins, and those that none has: of this language, or of all others."""
    rows = [row for key, row in shared_data("no_wish.yaml").items() if (key == code) != foreign]
    first, anywhere = (
        frozenset(word for row in rows for word in row[key].split()) for key in ("first", "any")
    )
    return first, anywhere


def _facts(context: Context, memory: Memory) -> list[str]:
    """What helps to understand short words: the speaker's room, and what was done last."""
    last, command = [context.home.called(device) for device in memory.last], memory.command
    facts = [f"room: {context.here}"] * bool(context.here)
    return (
        [*facts, f"last: {command.do} {', '.join(last)}"] if last and isinstance(command, Command) else facts
    )


# --- its answer


def commands(form: Form, answer: str) -> list[Command]:
    """The commands of an answer; empty if it is no order. ValueError: it does not follow the schema."""
    given = json.loads(answer)
    if not isinstance(given, dict) or given.get("words") not in (ORDER, STORY):
        raise ValueError("the answer is no form")
    steps = given.get("steps", []) if given["words"] == ORDER else []
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ValueError("the answer has no steps")
    made = [_command(form, step) for step in steps]
    return list(dict.fromkeys(one for one in made if one is not None))


def _command(form: Form, step: Mapping[str, Any]) -> Command | None:
    """One step of the form."""
    thing, act, to = (step.get(key) for key in ("thing", "act", "to"))
    what = form.things.get(thing) if isinstance(thing, str) else None
    if what is None or act not in form.acts or (act == "set" and not isinstance(to, int | float)):
        raise ValueError(f"{thing!r} or {act!r} is not in the form")
    if isinstance(what, str):
        return None if act in ("off", "close", "less") else Command(do="scene", scene=what)
    if act == "set":
        return Command(do="set", which=what, value=Value(number=float(to or 0)))
    if act in ("more", "less"):
        return Command(do="change", which=what, way=1.0 if act == "more" else -1.0)
    return Command(do=act, which=what)


def proposal(made: Sequence[Command], context: Context) -> Question | None:
    """The question that proposes these commands; None if one of them cannot be carried out, or none would
    change anything."""
    around = replace(context, question=False, alone=len(made) == 1)
    steps = [_fitted(command, around) for command in made]
    known = [step for step in steps if step is not None and not is_so(step, context)]
    if None in steps or not known:
        return None
    nodes = tuple(bare(step.node) for step in known)
    node = nodes[0] if len(nodes) == 1 else Proposed(nodes)
    devices = tuple(device for step in known for device in step.devices)
    said = tuple(_said(step, context.home) for step in known)
    candidates = devices if len(nodes) == 1 else ()
    return Question(Say("ask.proposal", {"all": said}), node, candidates, "yes")


def _fitted(command: Command, context: Context) -> Step | None:
    """The step of this command, with the act that fits the kind of device; None where there is none."""
    for do in (command.do, *INSTEAD.get(command.do, ())):
        try:
            step = plan(replace(command, do=do), context)
        except (Refused, Unread):
            continue
        if isinstance(step, Step) and step.requests and not _lets_in(step):
            return step
    return None


def _lets_in(step: Step) -> bool:
    """Whether it opens a way into the house: never on the word of a model."""
    acts = ((one.device, one.wish.action if one.wish else "") for one in step.requests)
    return any(
        device is not None and device.kind in ENTRANCES and act not in ("close", "lock")
        for device, act in acts
    )


def _said(step: Step, home: Home) -> Say:
    node = step.node
    if not isinstance(node, Command) or node.do == "scene":
        return Say("propose.scene", {"text": step.requests[0].scene})
    wish = next(one.wish for one in step.requests if one.wish is not None)
    facts: dict[str, Any] = {"things": [home.called(device) for device in step.devices]}
    if node.do == "change":
        return Say(f"propose.{'more' if node.way > 0 else 'less'}", facts)
    if wish.temperature is not None:
        return Say("propose.degrees", {**facts, "degrees": wish.temperature})
    if wish.level is not None:
        return Say("propose.level", {**facts, "level": wish.level})
    return Say(f"propose.{wish.action}", facts)


@plans(Proposed)
def proposed(node: Proposed, context: Context) -> Plan:
    """The calls of all commands."""
    made = [plan(command, replace(context, alone=False)) for command in closed(node).step]
    steps = [step for step in made if isinstance(step, Step)]
    if len(steps) < len(made):
        raise Refused("a part of a proposal is a question now")
    requests = tuple(request for step in steps for request in step.requests)
    return Step(bare(node), requests, tuple(device for step in steps for device in step.devices), acts=True)
