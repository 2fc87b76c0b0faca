"""Text → what to do: an answer to our question, else the best reading that can be carried out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from voice_gateway.integrations.home import Home, Request
from voice_gateway.understanding import situations, talk
from voice_gateway.understanding.dialogue import Memory, Open, answered, topic_of
from voice_gateway.understanding.leaves import EXACT, PARTIAL, UNKNOWN
from voice_gateway.understanding.lexer import PAUSES, Spans, Tokens
from voice_gateway.understanding.nodes import (
    Answer,
    Command,
    Denied,
    Everyday,
    Node,
    Topic,
    Unread,
    Utterance,
    field_types,
    opened,
    unread,
)
from voice_gateway.understanding.plan import (
    Context,
    Plan,
    Question,
    Refused,
    Say,
    Step,
    acts,
    everyday,
    foreign,
    history,
    intents,
    looks,
    plan,
    routines,
    timers,
)
from voice_gateway.understanding.plan.foreign import Voice, spans
from voice_gateway.understanding.reader import Reader, Reading
from voice_gateway.understanding.resolver import Doubt, Resolver, Unknown
from voice_gateway.understanding.templates import Language

# Importing a subject registers its planners.
SUBJECTS: Final = (acts, everyday, foreign, history, intents, looks, routines, timers, situations, talk)
GUESSES: Final = 5.0  # what a name costs that was guessed, where two languages are compared
TIE: Final = 0.05  # readings this close whose effects differ are a question


@dataclass(frozen=True, slots=True)
class Understood:
    """Steps, all of them understood, or a question; `refused` says why there is neither."""

    steps: tuple[Step, ...] = ()
    question: Question | None = None
    refused: Refused | None = None
    reading: Node | None = None
    answers: bool = False  # our question is answered
    cost: float = math.inf  # of the reading; a guess at names counts on top

    @property
    def rank(self) -> tuple[int, float]:
        """Of the same words in two languages the lower one is meant."""
        asks = self.question is not None and self.question.expects == "none"
        said = self.refused is not None and self.refused.say is not None
        return 3 - said if self.refused is not None else int(asks), self.cost

    @property
    def acts(self) -> bool:
        return any(step.acts for step in self.steps)

    @property
    def calls(self) -> bool:
        return any(step.requests or step.undo for step in self.steps)

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(request for step in self.steps for request in step.requests)


class Interpreter:
    """Understands utterances in one language; keeps the index of the home's names until the home changes."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._reader: Reader | None = None
        self._voices: Mapping[str, Voice] = {}
        self._tools = Spans({})

    @property
    def code(self) -> str:
        return self.language.code

    def reader(self, home: Home) -> Reader:
        if self._reader is None or self._reader.index.home is not home:
            same = self._reader is not None and self._reader.index.renew(home)
            self._reader = self._reader if same else Reader(self.language, home)
        assert self._reader is not None
        return self._reader

    def understand(self, text: str, context: Context, memory: Memory) -> Understood:
        """What is meant, without doing anything."""
        reader = self.reader(context.home)
        if self._voices is not context.voices:
            self._voices, self._tools = context.voices, Spans(spans(context.voices, self.language))
        reader.index.spans["tool"] = self._tools
        said = reader.tokens(text)
        context = replace(
            context, **memory.known(), reader=reader, question=said.question, polite=said.polite, raw=text
        )
        if said.cut:
            return Understood(refused=Refused("it is too long", Say("too_long")))
        answer = self._answer(said, context, memory.asked) if memory.asked is not None else None
        return answer or self._fresh(said, context)

    def _fresh(self, said: Tokens, context: Context) -> Understood:
        """The best of all passes over words that answer no question."""
        if not said.words:
            return Understood(refused=Refused("nothing was said"))
        if self._cut_off(said):
            return self._more_wanted(said, context)
        refused: Understood | None = None
        unclear: Understood | None = None  # it asks what "it" is, and a later pass may know the name
        for readings in context.reader.passes(said):
            made = self._best(readings, context)
            if made.refused is None and (made.acts if unclear else not _asks_what(made)):
                return made
            if made.refused is None:
                unclear = unclear or made
                continue
            if refused is None or readings[0].level == UNKNOWN or made.refused.say is not None:
                refused = made
        return unclear or self._half_understood(said, context, refused)

    # --- answers

    def _answer(self, said: Tokens, context: Context, asked: Open) -> Understood | None:
        for level in (EXACT, PARTIAL):
            for reading in context.reader.read(said, "Answer", level) if said.words else ():
                assert isinstance(reading.node, Answer)
                try:
                    made = answered(reading.node, asked, context)
                except (Refused, Unread):
                    continue
                free = reading.node.kind == "text" and (
                    said.words[0] in self.language.groups["asking"] or self._fresh(said, context).steps
                )
                if made is not None and not free:
                    return replace(_understood(made, reading.node), answers=True)
        return self._denied_and_more(said, context)

    def _denied_and_more(self, said: Tokens, context: Context) -> Understood | None:
        """A no with a command behind it: "neither, the kitchen light off"."""
        end = context.reader.prefix(said, "no")
        paused = not PAUSES.isdisjoint(said.words[end : end + 1])
        rest = said.part(end + paused, len(said.words))
        more = self._fresh(rest, context) if end and rest.words else None
        return replace(more, answers=True) if more is not None and more.refused is None else None

    def after_nothing(self, text: str, understood: Understood, memory: Memory) -> Memory:
        """The memory behind words that were not carried out."""
        assert self._reader is not None
        assert understood.refused is not None
        reader, node = self._reader, understood.reading
        if understood.refused.talk:
            return memory.after_nothing(memory.last, memory.topic)
        last = node.step[-1] if isinstance(node, Utterance) and node.step else None
        say = understood.refused.say
        alone = isinstance(node, Utterance) and len(node.step) == 1
        if alone and isinstance(last, Command) and say is not None and say.key == "unknown.name":
            memory = replace(memory, asked=Open(last))  # "the desk lamp then" is what was meant
        words = reader.tokens(text).words
        hits = (reader.index.names(words, at, EXACT) for at in range(len(words)))
        places = {hit.places for found in hits for _, hit, _ in found}
        named = places.pop() if len(places) == 1 else ()
        devices = tuple(reader.index.home.devices[place] for place in named)
        return memory.after_nothing(devices, topic_of(last, "device" if devices else ""))

    # --- the best reading

    def _best(self, readings: Sequence[Reading], context: Context) -> Understood:
        """The first reading that can be carried out; a surer question wins, and a tie is a question."""
        done: list[tuple[float, Understood]] = []
        asked: tuple[float, Understood] | None = None
        refused: Understood | None = None
        unclear: Understood | None = None
        sure = math.inf  # what an acting reading costs
        for reading in readings:
            if reading.cost - sure >= TIE:
                break
            made = self._tried(reading, context)
            if made.refused is not None:
                refused = refused or made
            elif _asks_what(made):
                unclear = unclear or made  # another reading may name it: "make it bright in the bathroom"
            elif made.question is not None:
                asked = asked or (reading.cost, made)
            elif not (made.acts and asked is not None and reading.cost - asked[0] > TIE):
                done.append((reading.cost, made))
                if made.acts and made.calls:
                    sure = min(sure, reading.cost)
        costs = {id(made): cost for cost, made in (*done, *([asked] if asked else ()))}
        if _is_tie([(cost, made) for cost, made in done if made.acts]):
            return Understood(question=Question(Say("ask.meaning"), Utterance(), expects="none"))
        calling = next((made for _, made in done if made.calls), None)
        best = calling or (asked and asked[1]) or unclear or (done[0][1] if done else refused)
        if best is None:
            return Understood(refused=Refused("nothing was read"))
        return replace(best, cost=costs.get(id(best), math.inf) + GUESSES * readings[0].level)

    def _tried(self, reading: Reading, context: Context) -> Understood:
        try:
            return self._planned(reading.node, context)
        except (Refused, Unread) as error:
            refused = error if isinstance(error, Refused) else Refused(f"read, and not planned: {error}")
            return Understood(refused=refused, reading=reading.node)

    def _planned(self, node: Node, context: Context) -> Understood:
        assert isinstance(node, Utterance)
        utterance = opened(node)
        _ = utterance.polite, [one.text for one in utterance.talk], [one.text for one in utterance.remark]
        bare = any(getattr(one, "bare", False) for one in node.step)
        if node.talk and bare and not PAUSES & set(context.raw):
            raise Refused("talk and a bare word")
        denial = any(getattr(one, "action", "") == "denied" for one in node.step[:-1])
        apart = PAUSES & set(context.raw) or self.language.groups["contrast"] & set(
            context.raw.lower().split()
        )
        if denial and not apart:  # "do not turn on the lamp and the heater"
            raise Refused("what follows a denial may be denied, too")
        made = _steps(node.step, context)
        timers = [step for step in node.step[:-1] if isinstance(step, Everyday) and step.tool == "set_timer"]
        if utterance.then and timers:
            raise Refused("what follows is for later", Say("cannot.later"))
        for denied in utterance.denied:
            made = made if isinstance(made, Question) else self._without_denied(denied, made, context)
        if isinstance(made, Question):
            return Understood(question=made, reading=node)
        _ = utterance.step
        if left := [path for path in unread(utterance) if path.startswith("Utterance.")]:
            raise Unread(", ".join(left))
        question = _doubt(node, made, context)
        return Understood(question=question) if question else Understood(made, reading=node)

    def _without_denied(
        self, denied: Denied, steps: tuple[Step, ...], context: Context
    ) -> tuple[Step, ...] | Question:
        """The steps without what was denied: "all lights off and don't touch the desk lamp"."""
        command = denied.command
        which = denied.which if command is None else command.which
        if which is None:
            raise Refused("a part is denied")
        do = "off" if command is None else command.do
        found = Resolver(context.home, context.here, context.last).which(which, do, lambda device: True)
        touched = {device for step in steps for device in step.devices}
        if isinstance(found, Unknown) or (isinstance(found, Doubt) and touched & set(found.devices)):
            raise Refused("a part is denied")
        scene = next((one for step in steps for one in step.requests if one.scene), None)
        if scene is not None:
            return Question(Say("ask.scene_anyway", {"text": scene.scene}), steps[0].node, expects="yes")
        kept = []
        for step in steps:
            if command is None or not isinstance(step.node, Command) or step.node.do == do:
                left = tuple(one for one in step.requests if one.device not in found.devices)
                if step.requests and not left:
                    raise Refused("all of it is denied")
                devices = tuple(device for device in step.devices if device not in found.devices)
                step = replace(step, requests=left, devices=devices)  # noqa: PLW2901
            kept.append(step)
        return tuple(kept)

    # --- what is not understood as a whole

    def _cut_off(self, said: Tokens) -> bool:
        """Whether the last word needs another one behind it."""
        groups = self.language.groups
        if len(said.words) < 2 or said.words[0] in groups["asks"]:
            return False
        last = said.words[-1]
        starts = {said.words[0], *(b for a, b in pairwise(said.words) if a in PAUSES or a in groups["joins"])}
        return last in groups["cut_off"] or (last == "to" and not starts.isdisjoint(groups["order_verbs"]))

    def _more_wanted(self, said: Tokens, context: Context) -> Understood:
        """Asks for the value where a number would complete the order ("set the lamp to"), else for more."""
        number = "50"
        whole = replace(said, words=(*said.words, number), spans=(*said.spans, said.spans[-1]))
        for reading in context.reader.read(whole, "Utterance", EXACT)[:1]:
            order = reading.node.step[0] if isinstance(reading.node, Utterance) else None
            if isinstance(order, Command) and order.value is not None and order.value.number == float(number):
                asked = replace(order, value=None)
                return Understood(question=Question(Say("ask.value"), asked, expects="value"))
        return Understood(question=Question(Say("ask.more"), Utterance(), expects="none"))

    def _half_understood(self, said: Tokens, context: Context, refused: Understood | None) -> Understood:
        for reading in context.reader.read(said, "Same.described", EXACT):
            try:
                return _understood(plan(reading.node, context), reading.node)
            except (Refused, Unread):
                continue
        if half := self._half(context.reader, said):
            return Understood(question=Question(Say("ask.half", {"text": half}), Utterance(), expects="none"))
        unread = Understood(refused=Refused("no known sentence fits all of the words"))
        return _where_are_you(refused) if refused else unread

    def _half(self, reader: Reader, said: Tokens) -> str:
        """The side of an "and" that is no order, if the other is one: half a wish is not carried out."""
        groups = self.language.groups
        for at, word in enumerate(said.words):
            before, after = said.part(0, at), said.part(at + 1, len(said.words))
            if (word not in PAUSES and word not in groups["joins"]) or not (before.words and after.words):
                continue
            if after.words[0] in groups["talk_never"] | groups["talk_begins"]:
                continue
            first = [one.node for one in reader.read(before, "Utterance", EXACT)[:1]]
            follows = reader.read(after, "Utterance", EXACT)[:1]
            order = first and isinstance(first[0], Utterance) and isinstance(first[0].step[0], Command)
            steps = [one.node.step[0] for one in follows if isinstance(one.node, Utterance)]
            if order and all(getattr(step, "about", "") == "cannot" for step in steps):  # "feed the cat"
                return " ".join(after.words)
        return ""


def _steps(nodes: Sequence[Node], context: Context) -> tuple[Step, ...] | Question:
    """The steps of the nodes, in order; "it" in a step means the devices of the step before."""
    made: list[Step] = []
    orders = [one for one in nodes if not isinstance(one, Topic)]
    valued = all(isinstance(one, Command) and one.value is not None for one in orders)
    for at, node in enumerate(nodes):
        step = plan(node, replace(context, alone=valued or len(orders) == 1))
        if isinstance(step, Question):
            return step
        if not isinstance(node, Topic):
            made.append(step)
        elif not any(map(_points_back, nodes[at + 1 : at + 2])):
            raise Refused("a thing was named, and the words behind it are about another")
        context = replace(context, last=step.devices or context.last, recent=())
    impossible = [one.say for one in made if one.say is not None and one.say.key.startswith("cannot")]
    if impossible and len(made) > 1:
        raise Refused("a part cannot be done", impossible[0])
    return tuple(made)


def _doubt(node: Utterance, steps: Sequence[Step], context: Context) -> Question | None:
    """The question that must be asked first: of a contradiction, or of an act that was only asked about."""
    if _contradicts(steps):
        return Question(Say("ask.both"), Utterance(), expects="none")
    # "Could you …?" is a request, "turn off the light?" is not.
    request = node.polite or any(getattr(step, "polite", True) for step in node.step)
    if not context.question or request or len(steps) != 1 or not steps[0].acts:
        return None
    step = steps[0]
    say = Say("ask.shall_i", {"devices": step.devices, "do": getattr(step.node, "do", "")})
    return Question(say, step.node, step.devices, "yes", doubts=True)


def _where_are_you(made: Understood) -> Understood:
    """Asks for the room if "in here" was said and the speaker's room is unknown."""
    say, node = made.refused.say if made.refused else None, made.reading
    if say is None or say.key != "unknown.here" or not isinstance(node, Utterance) or len(node.step) != 1:
        return made
    return Understood(question=Question(Say("ask.here"), node.step[0], expects="room"), reading=node)


def _asks_what(made: Understood) -> bool:
    return made.question is not None and made.question.say.key == "ask.what_device"


def _points_back(node: object) -> bool:
    """Whether a step is about what was named just before: it says "it", or names nothing."""
    if isinstance(node, tuple):
        return any(map(_points_back, node))
    if not isinstance(node, Node):
        return False
    parts = (getattr(node, name) for name in field_types(type(node)))
    return bool(getattr(node, "bare", False) or getattr(node, "pronoun", False)) or any(
        map(_points_back, parts)
    )


def _understood(made: Plan, node: Node) -> Understood:
    if isinstance(made, Question):
        return Understood(question=made, reading=node)
    return Understood((made,), reading=node)


def _is_tie(acting: Sequence[tuple[float, Understood]]) -> bool:
    """Whether readings of nearly the same cost would do different things."""
    effects = [
        [step.effect for step in made.steps if step.acts]
        for cost, made in acting
        if cost - acting[0][0] < TIE
    ]
    return any(effect != effects[0] for effect in effects)


def _contradicts(steps: Sequence[Step]) -> bool:
    """Whether two steps want one device in different states."""
    wanted: dict[object, object] = {}
    for request in (request for step in steps if step.acts for request in step.requests):
        if request.device is None or request.wish is None:
            continue
        wish, key = request.wish, request.device.key
        before = wanted.setdefault(key, wish)
        if before != wish and {getattr(before, "action", ""), wish.action} != {"on", "dim"}:
            return True
    return False
