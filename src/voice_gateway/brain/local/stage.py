"""The local brain as the first stage: instant answers without a model, by the same executor and history."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import ParamSpec, TypeVar

from home_words.question import is_question
from voice_gateway.brain.acts import act_of
from voice_gateway.brain.local.about import About, abilities, about_itself
from voice_gateway.brain.local.calls import make_calls, more_pages
from voice_gateway.brain.local.compose import compose, devices_shown
from voice_gateway.brain.local.device_cache import Change, DeviceCache, HomeReady
from voice_gateway.brain.local.fallback import AGAIN, fallback
from voice_gateway.brain.local.fitting import Fitting, devices_in
from voice_gateway.brain.local.followup import (
    IT_SECONDS,
    QUESTION_SECONDS,
    asks_first,
    cancel_it,
    just_set,
    repeated_wish,
    reply_to_nothing,
    resolve_answer,
    timer_question,
)
from voice_gateway.brain.local.grammar import Frame, has_own_sentences
from voice_gateway.brain.local.later import BACK
from voice_gateway.brain.local.meaning import (
    Clarification,
    Clock,
    Context,
    NotHandled,
    Request,
    Step,
    Understanding,
)
from voice_gateway.brain.local.memory import KEY, Memory, recall
from voice_gateway.brain.local.normalise import Said, normalise, too_long
from voice_gateway.brain.local.plan.play import HOME_ACTS
from voice_gateway.brain.local.plan.scene import scene_missing, unknown_scene
from voice_gateway.brain.local.small_talk import SmallTalk, small_talk
from voice_gateway.brain.local.speakable import SPOKEN_TO, Speakables, as_said, in_own_words
from voice_gateway.brain.local.speech_act import SpeechAct, asks_for_action, classify, not_spoken_of, words_of
from voice_gateway.brain.local.understand import Reader
from voice_gateway.brain.local.undo import Done, acts_to_undo, put_right
from voice_gateway.brain.local.web_search import speaks_of_search
from voice_gateway.brain.stage import Turn
from voice_gateway.config import BrainSettings, HomeSettings
from voice_gateway.homes.home import Home
from voice_gateway.homes.looks import told_of
from voice_gateway.homes.sources import Sources
from voice_gateway.routines.model import MAKE, calls_text
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.reach import Reach
from voice_gateway.tools.tier import is_search
from voice_gateway.tools.traits import lc_name, qualified_name, traits
from voice_gateway.turn import Passed, Reply, ToolCall, ToolOutcome, ToolTraits, Utterance

ABILITIES = "Abilities"
NOTHING_TO_TAKE_BACK = "It was so before, so I take nothing back then."
UNDO = "Undo"  # the intent of words that take back what was done
SEARCH, SEARCHES = "search_web", "Search"  # the tool, and the intent of words that ask for it
TELLS_STATES = re.compile(  # "if it is on", "whatever is still open", "one of the lamps"
    r"\b(?:(?:if|unless|in case) .{1,400}(?:'s|'re| is| are) |"
    r"(?:that|which|whatever|whichever)\b.{0,400}(?:'s|'re| is| are) "
    r"(?:\w+ )?(?:on|off|open|closed|lit|left)|"
    r"still (?:on|open|burning|lit)|one of (?:the|my|our))\b",
    re.IGNORECASE,
)
LARGE = 200  # devices: from here on understanding may take longer than a frame of sound

# "Turn off the speaker" may be a plug of that name, so the home must be known first.
_SWITCHING = re.compile(r"\s*(?:turn|switch|put)\b.*\b(?:on|off)\b", re.IGNORECASE)

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
        about: About | None = None,
        now: Callable[[], float] = time.time,
        place: Place | None = None,  # where the home stands; without it nothing is kept for later
    ) -> None:
        self._place = place
        self._tool_ready = tool_ready
        self._executor = executor
        self._about = about or About()
        self._settings = settings
        self._now = now
        self._language = settings.language.replace("_", "-").split("-")[0].lower()
        self._cache = DeviceCache(
            executor, home_ready, settings.refresh_seconds, settings=home, sources=sources, now=now
        )
        self._warm = False
        self._speakables: tuple[int, Speakables] | None = None

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

    @property
    def home_problems(self) -> Mapping[str, str]:
        """By server: why its devices could not be read."""
        return self._cache.problems

    def fitting(self, utterance: Utterance, before: str) -> Fitting:
        """Whether a model's call is what these words mean, behind those before them."""
        room, home = utterance.room or self._settings.room, self.home
        context = Context(home, room, devices_in(before, home), tools=self._tool_names())
        return Fitting(utterance.text, Reader(context, self._language), self._reach_of)

    def _reach_of(self, request: Request) -> Reach | None:
        tool = self._executor.tools.find(request.tool)
        known = traits(tool) if tool is not None else ToolTraits()
        return self.reach(ToolCall("", request.tool, dict(request.args)), known)

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
        """What is meant, without doing anything. Pure but for the grammar, loaded at the first use."""
        if too_long(text):
            return Understanding.of(NotHandled("too long for a command", forbid=True))
        known = context or self._context(self._settings.room)
        return self._read(text, known, memory or Memory())

    def _context(self, room: str | None) -> Context:
        now = datetime.fromtimestamp(self._now(), UTC)
        clock = Clock(now, self._place) if self._place is not None else None
        return Context(self.home, room, tools=self._tool_names(), clock=clock)

    def order_in(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls of words that are one plain order for now; none where they are anything else."""
        reading = Reader(self._context(room or self._settings.room), self._language).order_in(
            normalise(text).text
        )
        if (
            reading is None
            or reading.question
            or not all(step.acts and step.requests for step in reading.steps)
        ):
            return ()
        return tuple(request for step in reading.steps for request in step.requests)

    async def recognise(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls that words of their own mean; nothing is done, asked or remembered."""
        if await self._off_the_loop(self.needs_home, text):
            await self._cache.known()
        context = self._context(room or self._settings.room)
        return (await self._off_the_loop(self.understand, text, context)).requests

    def needs_home(self, text: str, topic: str = "") -> bool:
        """False when built-in tools alone can answer; `topic` is what was talked of before."""
        if too_long(text):
            return False
        if not has_own_sentences(self._language) or _SWITCHING.match(text):
            return True
        said = normalise(text)
        if (talk := self._small_talk(said)) is not None:
            return talk.intent == ABILITIES
        core = Reader(Context(topic=topic, tools=self._tool_names()), self._language, core_only=True)
        steps = core.read(said).steps
        return not steps or (self._cache.has_lists and any(step.intent == "List" for step in steps))

    def _read(self, raw: str, context: Context, memory: Memory) -> Understanding:
        said = normalise(raw)
        reader = Reader(context, self._language)
        answered = self._follow_up(said, context, memory)
        if isinstance(answered, Frame):
            return reader.planned(answered)
        if answered is not None:
            return Understanding.of(answered)
        # "What is up" is no question about the blinds.
        greeted = self._small_talk(said) if small_talk(said.text) is SmallTalk.HOW_ARE_YOU else None
        understood = Understanding.of(greeted) if greeted else reader.read(said)
        if any(one.tool == SEARCH for one in understood.requests) and not self._asks_search(raw):
            return Understanding.of(NotHandled("no search was asked for", forbid=True))
        if (no := understood.not_handled) is None:
            return in_own_words(understood, raw)
        if (frame := repeated_wish(said, memory, context)) is not None:
            return reader.planned(frame, ask=asks_first(said))
        return self._beyond_the_home(said, raw, no) or Understanding.of(self._doubted(no, said, context))

    def _beyond_the_home(self, said: Said, raw: str, no: NotHandled) -> Understanding | None:
        """Talk, or words to a tool of another server."""
        if (talk := self._small_talk(said)) is not None:
            return Understanding.of(talk)
        return self._speakable().match(said.text, raw) if no.unknown or not no.spoken else None

    def _doubted(self, no: NotHandled, said: Said, context: Context) -> NotHandled:
        if no.forbid:
            return no
        forbid = not asks_for_action(said, context.home, self._executor.tools.all())
        return replace(no, forbid=forbid, spoken=no.spoken or reply_to_nothing(said.text))

    def _small_talk(self, said: Said) -> Step | None:
        kind = None
        if has_own_sentences(self._language):
            kind = small_talk(said.text) or small_talk(said.whole)
        if kind is SmallTalk.ABILITIES:
            return Step(ABILITIES)
        tools = self._executor.tools.all()
        return Step("Talk", say=about_itself(kind, self._about, self._settings, tools)) if kind else None

    def _asks_search(self, text: str) -> bool:
        return speaks_of_search(text, self.home.spoken_names)

    def _follow_up(self, said: Said, context: Context, memory: Memory) -> Step | Clarification | Frame | None:
        """What takes back the last act, answers our own question, or says "it" of the timer just set."""
        if has_own_sentences(self._language) and acts_to_undo(said):
            return Step(UNDO, acts=True)
        answered = None
        if memory.asked is not None and self._now() - memory.asked_at <= QUESTION_SECONDS:
            answered = resolve_answer(said, memory.asked, context)
        if answered is None and self._now() - memory.timer_at <= IT_SECONDS:
            answered = cancel_it(said, memory.timer, alone=not memory.last)
        return answered

    def _speakable(self) -> Speakables:
        tools = self._executor.tools
        if self._speakables is None or self._speakables[0] != tools.version:
            homes = self._cache.servers()  # their tools are spoken to by their devices' names
            offered = [tool for tool in tools.all() if traits(tool).source not in homes]
            names = {id(tool): tools.offered_name(tool) for tool in offered}
            # Of two servers with a tool of one name, the words for it mean the one that has the name.
            second = {id(tool) for tool in offered if tools.find(lc_name(tool)) is not tool}
            self._speakables = (tools.version, Speakables(offered, names, second))
        return self._speakables[1]

    def _tool_names(self) -> frozenset[str]:
        """Of two servers with one tool, both by the names that they are called by."""
        tools = self._executor.tools
        return frozenset(
            name
            for tool in tools.all()
            for name in (
                traits(tool).original_name or tool.name,
                tools.offered_name(tool),
                qualified_name(tool),
            )
        )

    # --- answering

    async def answer(self, turn: Turn) -> Reply | Passed:
        memory, context = await self._picture(turn)
        if turn.acts is not None:
            reader = Reader(context, self._language)
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
        if memory.asked is not None or await self._off_the_loop(self.needs_home, text, memory.topic):
            await self._cache.known()
        if TELLS_STATES.search(text):  # how it is now decides what is done
            await self._cache.refresh()
        memory, room = recall(state, self.home), turn.utterance.room or self._settings.room
        context = self._context(room)
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
        unspoken = not_spoken_of(normalise(text)) | self._searches_unasked(text)
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
            found = fallback(said, search=lambda: self._searchable(said, raw), model=model)
            text, asks = found.text, is_question(found.text)
            if found.query:
                asked = Clarification(text, Frame(SEARCHES, {"query": found.query}), confirm=True)
                memory = replace(recall(turn.history.state, self.home), asked=asked, asked_at=self._now())
                turn.history.state[KEY] = memory.to_json()
        turn.history.add_ai(text)
        return Reply(text, ok=False, passed=turn.passed, expects_answer=asks)

    def _searchable(self, said: Said, raw: str) -> str:
        """The words that a yes would send: a question about the world, where a search is offered at all."""
        if self._executor.tools.find(SEARCH) is None or too_long(raw) or not self._asks_search(raw):
            return ""
        names = [*(device.name for device in self.home.devices), *self.home.rooms]
        of_home = classify(raw, names, self._executor.tools.all()) is SpeechAct.HOME
        return "" if of_home else as_said(said.text, raw)

    def _searches_unasked(self, text: str) -> frozenset[str]:
        """The tools that would send these words to strangers, though nobody asked for it."""
        if self._asks_search(text):
            return frozenset()
        tools = self._executor.tools
        found = [tool for tool in tools.all() if is_search(traits(tool), tool.name)]
        return frozenset(tools.offered_name(tool) for tool in found)

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
            return abilities(self._executor.tools.all(), self.home, self._speakable().called)
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
