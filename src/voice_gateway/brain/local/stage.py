"""The local brain as the first stage: instant answers without a model, by the same executor and history."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ParamSpec, TypeVar

from home_names.phrases import is_question
from voice_gateway.brain.local.about import GatewayFacts, abilities
from voice_gateway.brain.local.calls import make_calls, more_pages
from voice_gateway.brain.local.compose import compose, devices_shown
from voice_gateway.brain.local.device_cache import Change, DeviceCache, HomeReady
from voice_gateway.brain.local.fallback import AGAIN, fallback
from voice_gateway.brain.local.fitting import Fitting
from voice_gateway.brain.local.followup import (
    just_set,
    timer_question,
)
from voice_gateway.brain.local.grammar import Frame
from voice_gateway.brain.local.interpreter import ABILITIES, SEARCHES, Interpreter
from voice_gateway.brain.local.later import BACK
from voice_gateway.brain.local.meaning import (
    Clarification,
    Context,
    NotHandled,
    Request,
    Step,
    Understanding,
)
from voice_gateway.brain.local.memory import KEY, Memory, recall
from voice_gateway.brain.local.normalise import normalise
from voice_gateway.brain.local.plan.play import HOME_ACTS
from voice_gateway.brain.local.plan.scene import scene_missing, unknown_scene
from voice_gateway.brain.local.speakable import SPOKEN_TO
from voice_gateway.brain.local.speech_act import asks_for_action, not_spoken_of, words_of
from voice_gateway.brain.local.undo import Done, put_right
from voice_gateway.config import BrainSettings, HomeSettings
from voice_gateway.integrations.home import Home
from voice_gateway.integrations.listed import told_of
from voice_gateway.integrations.sources import Sources
from voice_gateway.routines.model import MAKE, calls_text
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission.target import Reach
from voice_gateway.turn import Passed, Reply, ToolCall, ToolOutcome, ToolTraits, Utterance
from voice_gateway.turns.acts import act_of
from voice_gateway.turns.stage import Turn

NOTHING_TO_TAKE_BACK = "It was so before, so I take nothing back then."
TELLS_STATES = re.compile(  # "if it is on", "whatever is still open", "one of the lamps"
    r"\b(?:(?:if|unless|in case) .{1,400}(?:'s|'re| is| are) |"
    r"(?:that|which|whatever|whichever)\b.{0,400}(?:'s|'re| is| are) "
    r"(?:\w+ )?(?:on|off|open|closed|lit|left)|"
    r"still (?:on|open|burning|lit)|one of (?:the|my|our))\b",
    re.IGNORECASE,
)
LARGE = 200  # devices: from here on understanding may take longer than a frame of sound

ToolReady = Callable[[str], Awaitable[None]]  # returns when it is decided whose tool this name means
P = ParamSpec("P")
R = TypeVar("R")


async def _at_once() -> None:
    """For a home that needs no waiting."""


class LocalBrain:
    """Understands what is simple, and passes on the rest. When unsure it asks or passes; it never guesses."""

    name = "local"

    def __init__(
        self,
        executor: ToolExecutor,
        settings: BrainSettings,
        *,
        home_ready: HomeReady = _at_once,
        tool_ready: ToolReady | None = None,
        home: HomeSettings | None = None,
        sources: Sources | None = None,
        about: GatewayFacts | None = None,
        now: Callable[[], float] = time.time,
        place: Place | None = None,  # where the home stands; without it nothing is kept for later
    ) -> None:
        self._tool_ready = tool_ready
        self._executor = executor
        self._settings = settings
        self._now = now
        self._cache = DeviceCache(
            executor, home_ready, settings.refresh_seconds, settings=home, sources=sources, now=now
        )
        self._interpreter = Interpreter(
            executor.tools, self._cache, settings, about=about or GatewayFacts(), now=now, place=place
        )
        self._warm = False

    # --- the home

    @property
    def home(self) -> Home:
        return self._cache.home

    def home_changed(self) -> None:
        """Somebody announced a change of the devices: they are read again soon."""
        self._cache.changed()

    @property
    def home_servers(self) -> frozenset[str]:
        return self._cache.servers()

    def reach(self, call: ToolCall, known: ToolTraits) -> Reach | None:
        """What a call would touch in the home, for permission."""
        return self._cache.reach(call, known)

    def acted(self, outcome: ToolOutcome) -> None:
        """Somebody's call may have changed the home: it is read again soon."""
        self._cache.acted(outcome)

    def subscribe(self, callback: Callable[[Change], None]) -> None:
        """Told of every device whose state is another than it was."""
        self._cache.subscribe(callback)

    def look_on(self, callback: Callable[[], None]) -> None:
        """Called whenever the home may look otherwise than before."""
        self._cache.look_on(callback)

    async def refresh(self) -> None:
        await self._cache.refresh()

    async def known(self) -> None:
        """Returns when the home is known, or cannot be."""
        await self._cache.known()

    async def keep_fresh(self) -> None:
        """A long task: reads the home at every change and at least every `refresh_seconds`."""
        await asyncio.to_thread(self._warm_up)
        await self._cache.keep_fresh()

    def _warm_up(self) -> None:
        """A grammar is parsed by its first use: not by a user's."""
        self.understand("warm up", Context(home=self.home))

    # --- understanding

    def understand(
        self, text: str, context: Context | None = None, memory: Memory | None = None
    ) -> Understanding:
        """What is meant, without doing anything."""
        return self._interpreter.understand(text, context, memory)

    def order_in(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls of words that are one plain order for now; none where they are anything else."""
        return self._interpreter.order_in(text, room)

    def fitting(self, utterance: Utterance, before: str) -> Fitting:
        """Whether a model's call is what these words mean, behind those before them."""
        return self._interpreter.fitting(utterance, before)

    async def recognise(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls that words of their own mean; nothing is done, asked or remembered."""
        if await self._off_the_loop(self._interpreter.needs_home, text):
            await self._cache.known()
        context = self._interpreter.context(room)
        return (await self._off_the_loop(self.understand, text, context)).requests

    # --- answering

    async def answer(self, turn: Turn) -> Reply | Passed:
        memory, context = await self._picture(turn)
        if turn.acts is not None:
            reader = self._interpreter.reader(context)
            right = await put_right(self._executor, turn, turn.acts, reader, memory)
            if isinstance(right, Clarification):
                return self._ask(turn, right, memory)
            if right is not None:
                return self._learnt(turn, right, memory)
        understood = await self._off_the_loop(self.understand, turn.utterance.text, context, memory)
        if _names_nobody(understood) and await self._cache.looked_again():  # it may just have got that name
            memory, context = await self._picture(turn)
            understood = await self._off_the_loop(self.understand, turn.utterance.text, context, memory)
        if self._tool_ready is not None and (tool := _spoken_tool(understood)) is not None:
            version = self._executor.tools.version
            await self._tool_ready(tool)  # another server may have it, too, and the later one is meant
            if self._executor.tools.version != version:
                understood = await self._off_the_loop(self.understand, turn.utterance.text, context, memory)
        if turn.trusted_next and _asks_for_yes(understood):
            understood = Understanding.of(NotHandled("understood, but not for sure", forbid=True))
        return await self._answered(turn, understood, memory)

    async def _picture(self, turn: Turn) -> tuple[Memory, Context]:
        """What is known of the conversation, and one picture of the home for the whole turn."""
        text, state = turn.utterance.text, turn.history.state
        memory = recall(state, self.home)
        if memory.asked is not None or await self._off_the_loop(
            self._interpreter.needs_home, text, memory.topic
        ):
            await self._cache.known()
        if TELLS_STATES.search(text):  # how it is now decides what is done
            await self._cache.refresh()
        memory, context = recall(state, self.home), self._interpreter.context(turn.utterance.room)
        return memory, replace(context, last=memory.last, topic=memory.topic, problem=self._cache.problem)

    async def _answered(self, turn: Turn, understood: Understanding, memory: Memory) -> Reply | Passed:
        if understood.not_handled is not None:
            if memory.asked is not None:
                turn.history.state[KEY] = replace(memory, asked=None).to_json()
            return self._pass_on(turn.utterance.text, understood.not_handled)
        if understood.clarification is not None:
            return self._ask(turn, understood.clarification, memory)
        if understood.steps[0].otherwise is not None:
            return await self._try_out(turn, understood, memory, understood.steps[0].otherwise)
        return await self._carry_out(turn.asking() if understood.asks else turn, understood, memory)

    def _learnt(self, turn: Turn, done: Done, memory: Memory) -> Reply:
        self._cache.learn(done.requests, done.outcomes)
        if done.right:
            devices = tuple(request.device for request in done.right if request.device is not None)
            # What is said next is done alike with another device, but not with a value that was wrong.
            frame = None if set(devices) == set(memory.last) else memory.frame
            kept = replace(memory, asked=None, last=devices or memory.last, frame=frame)
            turn.history.state[KEY] = kept.to_json()
        return done.reply

    async def _try_out(
        self, turn: Turn, understood: Understanding, memory: Memory, otherwise: NotHandled
    ) -> Reply | Passed:
        """A scene that nobody listed. If its server has none of that name, nothing happened: passed on."""
        length, state = len(turn.history.messages), dict(turn.history.state)
        reply = await self._carry_out(turn, understood, memory)
        if not scene_missing(reply.outcomes):
            return reply
        del turn.history.messages[length:]
        turn.history.state = state
        said = normalise(turn.utterance.text)
        forbid = otherwise.forbid or not asks_for_action(said, self.home, self._executor.tools.all())
        spoken = unknown_scene(understood.requests[0], self.home)
        return self._pass_on(turn.utterance.text, replace(otherwise, forbid=forbid, spoken=spoken))

    def _pass_on(self, text: str, no: NotHandled) -> Passed:
        words = words_of(text, self.home, self._executor.tools.all(), forbidden=no.forbid)
        unspoken = not_spoken_of(normalise(text)) | self._interpreter.searches_unasked(text)
        return Passed(self.name, no.reason, words, no.spoken, unspoken)

    def fallback(self, turn: Turn) -> Reply:
        """When no stage had an answer: why not, or a question whose yes searches the web."""
        raw, said = turn.utterance.text, normalise(turn.utterance.text)
        spoken = next((one.spoken for one in turn.passed if one.spoken), None)
        if AGAIN.fullmatch(said.text):
            spoken = turn.history.last_said() or spoken
        turn.history.add_user(raw)
        if spoken:
            text, asks = spoken, is_question(spoken)
        else:
            model = self._settings.provider != "local"
            search = partial(self._interpreter.searchable, said, raw)
            found = fallback(said, search=search, model=model, english=self._interpreter.english)
            text, asks = found.text, is_question(found.text)
            if found.query:
                asked = Clarification(text, Frame(SEARCHES, {"query": found.query}), confirm=True)
                memory = replace(recall(turn.history.state, self.home), asked=asked, asked_at=self._now())
                turn.history.state[KEY] = memory.to_json()
        turn.history.add_ai(text)
        return Reply(text, ok=False, passed=turn.passed, expects_answer=asks)

    async def _off_the_loop(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The first use parses a grammar, and a large home takes a while: both would hold up the sound."""
        if self._warm and len(self.home.devices) <= LARGE:
            return work(*args, **kwargs)
        result = await asyncio.to_thread(work, *args, **kwargs)
        self._warm = True
        return result

    def _ask(self, turn: Turn, ask: Clarification, memory: Memory) -> Reply:
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai(ask.text)
        turn.history.state[KEY] = replace(memory, asked=ask, asked_at=self._now()).to_json()
        return Reply(ask.text, stage=self.name, expects_answer=True)

    async def _carry_out(self, turn: Turn, understood: Understanding, memory: Memory) -> Reply:
        turn.history.add_user(turn.utterance.text)
        texts: list[str] = []
        outcomes: list[ToolOutcome] = []
        memory = replace(memory, asked=None)
        made = await make_calls(self._executor, turn, understood.requests)
        for step in understood.steps:
            own, made = made[: len(step.requests)], made[len(step.requests) :]
            if step.intent == BACK:
                outcomes += (back := await self._take_back_later(turn, step, outcomes))
                texts.append(compose(step, back) if back else NOTHING_TO_TAKE_BACK)
                continue
            step, own = await more_pages(self._executor, turn, step, own)  # noqa: PLW2901 (the same step, whole)
            outcomes += [outcome for outcome in own if outcome not in outcomes]
            own = [
                told_of(outcome, request.device, step.room)
                for request, outcome in zip(step.requests, own, strict=True)
            ]
            self._cache.learn(step.requests, own)
            texts.append(self._answer_to(step, own))
            memory = self._remembered(memory, step, own, texts[-1])
        text = " ".join(texts)
        turn.history.add_ai(text)
        turn.history.state[KEY] = memory.to_json()
        ok = all(outcome.ok for outcome in outcomes)
        asked = memory.asked is not None or is_question(text)
        read = "; ".join(str(step.frame) for step in understood.steps if step.frame)
        return Reply(text, tuple(outcomes), stage=self.name, ok=ok, expects_answer=asked, understood=read)

    async def _take_back_later(
        self, turn: Turn, step: Step, outcomes: Sequence[ToolOutcome]
    ) -> list[ToolOutcome]:
        """To what it was before."""
        act = act_of(outcomes, turn.acts.called) if turn.acts is not None else None
        changed = act is not None and any(call not in act.did for call in act.calls)
        before = calls_text(act.calls) if act is not None and changed else ""
        if step.frame is None or not any(outcome.ok for outcome in outcomes):
            return []
        if not (calls := step.frame.text("calls") or before):
            return []
        args = {"when": step.frame.text("when"), "calls": calls}
        return await make_calls(self._executor, turn, [Request(MAKE, args)])

    def _answer_to(self, step: Step, outcomes: Sequence[ToolOutcome]) -> str:
        if step.intent == ABILITIES:
            return abilities(self._executor.tools.all(), self.home, self._interpreter.speakable().called)
        return compose(step, outcomes)

    def _remembered(self, memory: Memory, step: Step, outcomes: Sequence[ToolOutcome], text: str) -> Memory:
        if step.query is not None and step.query.state:
            memory = replace(memory, last=devices_shown(step, outcomes), topic="device", frame=None)
        elif step.devices:
            memory = replace(memory, last=step.devices, topic="device", frame=step.frame)
        elif step.intent.startswith("Volume"):
            memory = replace(memory, topic="volume")
        if (timer := just_set(step, outcomes)) is not None:
            memory = replace(memory, timer=timer, timer_at=self._now())
        asked = timer_question(step, outcomes, text)
        return replace(memory, asked=asked, asked_at=self._now()) if asked else memory


def _spoken_tool(understood: Understanding) -> str | None:
    """The tool of another server that the words are for."""
    return next((one.requests[0].tool for one in understood.steps if one.intent == SPOKEN_TO), None)


def _names_nobody(understood: Understanding) -> bool:
    asked, passed = understood.clarification, understood.not_handled
    return (asked is not None and asked.unknown) or (passed is not None and passed.unknown)


def _asks_for_yes(understood: Understanding) -> bool:
    """Whether all that is missing is that somebody who knows better agrees; a greeting is no such wish."""
    asked = understood.clarification
    doubtful = asked is not None and asked.confirm and asked.frame.intent in HOME_ACTS
    return understood.asks or doubtful
