"""The stage in the conversation: reads, plans, carries out, and remembers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, ParamSpec, TypeVar, cast

from home_names.phrases import is_question
from voice_gateway import languages
from voice_gateway.config import BrainSettings, HomeSettings
from voice_gateway.integrations.cache import HomeCache, HomeReady
from voice_gateway.integrations.device import Device
from voice_gateway.integrations.home import Home, Request
from voice_gateway.integrations.listed import told_of
from voice_gateway.integrations.sources import Sources
from voice_gateway.recorder.changes import ChangeStore
from voice_gateway.routines.model import MAKE, Later, Missing
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.permission.risk import is_search
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import qualified_name, traits
from voice_gateway.turn import (
    OutcomeStatus,
    Passed,
    Reply,
    ToolCall,
    ToolOutcome,
    ToolTraits,
    Utterance,
    Words,
)
from voice_gateway.turns.stage import HomeFacts, Turn
from voice_gateway.understanding import listing, wording
from voice_gateway.understanding.calls import correct, make_calls, more_pages, requests_of, take_back
from voice_gateway.understanding.dialogue import KEY, Memory, Open, recall
from voice_gateway.understanding.fitting import Fitting, devices_in, home_facts
from voice_gateway.understanding.for_a_while import KeptEnd, keep_end, settle_end
from voice_gateway.understanding.form import Filled, FormFiller
from voice_gateway.understanding.interpreter import Interpreter, Understood
from voice_gateway.understanding.leaves import EXACT
from voice_gateway.understanding.lexer import MOST_WORDS
from voice_gateway.understanding.listing import DeviceQuery
from voice_gateway.understanding.nodes import Everyday, Node, ToolUse, to_json
from voice_gateway.understanding.plan import Context, Question, Refused, Say, Step
from voice_gateway.understanding.plan.foreign import Voice, tool_words, voices
from voice_gateway.understanding.plan.when import when_of
from voice_gateway.understanding.reader import drawn
from voice_gateway.understanding.talk import (
    GatewayFacts,
    asks_world,
    bearing,
    names_something,
    unanswered,
    unspoken_of,
)
from voice_gateway.understanding.templates import language

# Tools of our own that the home may have, too: it must be known before they are used.
HOMES_OWN: Final = frozenset({"control_speaker_volume", "manage_list", "read_list", "get_weather"})
UNREAD: Final = 2  # the rank of words that no language reads
# Questions of ours behind which a part of the words was not read.
GUESSES: Final = frozenset({"ask.half", "ask.more", "ask.what_with", "ask.what_device"})
LARGE: Final = 200  # devices: from here on understanding may take longer than a frame of sound

ToolReady = Callable[[str], Awaitable[None]]  # returns when it is decided whose tool this name means
P = ParamSpec("P")
R = TypeVar("R")
N = TypeVar("N", bound=Node)


async def _at_once() -> None:
    """For a home that needs no waiting."""


class UnderstandingStage:
    """Answers what the grammar understands, asks when unsure, and passes on the rest."""

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
        history: ChangeStore | None = None,
    ) -> None:
        self._executor, self._settings = executor, settings
        self._tool_ready, self._about = tool_ready, about or GatewayFacts(provider=settings.provider)
        self._now, self._place = now, place
        self.cache = HomeCache(
            executor, home_ready, settings.refresh_seconds, settings=home, sources=sources, now=now
        )
        self._history = history
        if history is not None:
            self.cache.subscribe(lambda change: history.note(change.device, change.before, change.after))
        self._grammars: dict[str, Interpreter] = {}
        self.form: FormFiller | None = None  # asks a small model about words that are not understood
        self._voices: Mapping[str, Voice] = {}
        self._tool_names: frozenset[str] = frozenset()
        self._tools_version = -1
        self._warm = False

    @property
    def home(self) -> Home:
        return self.cache.home

    async def keep_fresh(self) -> None:
        """A long task: reads the home at every change and at least every `refresh_seconds`."""
        await asyncio.to_thread(self.read, "warm up")  # loads the language
        await self.cache.keep_fresh()

    def grammar(self, code: str = "") -> Interpreter:
        """Reads this language, or that of the turn."""
        known = (code, languages.current(), *self._settings.languages)
        code = next(one for one in known if one in self._settings.languages)
        if code not in self._grammars:
            self._grammars[code] = Interpreter(language(code))
        return self._grammars[code]

    def voices(self) -> Mapping[str, Voice]:
        """The tools of other servers that can be spoken to."""
        tools = self._executor.tools
        if self._tools_version != tools.version:
            self._voices = voices(tools, self.grammar().language, self.cache.servers())
            known = ((tool, traits(tool).original_name or tool.name) for tool in tools.all())
            names = ((own, tools.offered_name(tool), qualified_name(tool)) for tool, own in known)
            self._tool_names, self._tools_version = frozenset().union(*names), tools.version
        return self._voices

    def order_in(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls of one plain order for now; empty for any other words."""
        order = self.read(text, room)
        plain = all(step.acts and step.requests and not (step.corrects or step.back) for step in order.steps)
        return order.requests if plain and all(one.tool != MAKE for one in order.requests) else ()

    def fitting(self, utterance: Utterance, before: str) -> Fitting:
        """Whether a model's call is what these words mean, behind those before them."""
        context = replace(self.context(utterance.room), last=devices_in(before, self.home))
        return Fitting(utterance.text, self.grammar(), context, self._reach_of)

    def home_facts(self, text: str) -> HomeFacts:
        """The home's names and servers, and whether these words of a user are about it."""
        return home_facts(text, self.grammar(), self.context(), self.cache.servers())

    def reach(self, call: ToolCall, traits: ToolTraits) -> Reach | None:
        """The devices that a call reaches; None: it is no call of a home."""
        return self.cache.reach(call, traits)

    async def tool_known(self, tool: str) -> None:
        """Returns when it is clear which server's tool this name means, or after a limit."""
        if self._tool_ready is not None:
            await self._tool_ready(tool)

    def _reach_of(self, request: Request) -> Reach | None:
        tool = self._executor.tools.find(request.tool)
        known = traits(tool) if tool is not None else ToolTraits()
        return self.cache.reach(ToolCall("", request.tool, dict(request.args)), known)

    async def _off_the_loop(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the work in a thread where it takes long: at first use, which loads the language, and in large
        homes."""
        if self._warm and len(self.home.devices) <= LARGE:
            return work(*args, **kwargs)
        result = await asyncio.to_thread(work, *args, **kwargs)
        self._warm = True
        return result

    def read(self, text: str, here: str | None = None, memory: Memory | None = None) -> Understood:
        """What is meant, without doing anything."""
        return self.read_in(text, here, memory)[1]

    def read_in(
        self, text: str, here: str | None = None, memory: Memory | None = None, only: str | None = None
    ) -> tuple[str, Understood]:
        """The language in which the words are read best, and what they mean in it. Of two that read them
        alike, the language of the last turn is meant; words of none are in that which knows most of them."""
        context, memory = self.context(here), memory or Memory()
        spoken = self._settings.languages
        codes = (only,) if only in spoken else (languages.current(), *spoken)
        grammars = [self.grammar(code) for code in dict.fromkeys(codes) if code in self._settings.languages]
        known = {one.code: one.reader(self.home).known(text) for one in grammars} if len(grammars) > 1 else {}
        best: tuple[tuple[int, float], str, Understood] | None = None
        for grammar in sorted(grammars, key=lambda one: -known.get(one.code, 0.0)):
            strange = best is not None and known[grammar.code] < known[best[1]]
            if best is not None and strange and best[0][0] < UNREAD:
                break  # with fewer words of its own no language reads them better
            made = grammar.understand(text, context, memory)
            if best is None or (made.rank < best[0] and not (strange and made.rank[0])):
                best = made.rank, grammar.code, made
        assert best is not None
        return best[1], best[2]

    async def read_as(self, kind: type[N], text: str) -> N | None:
        """What the words are, read as this kind of node alone; None if no language has or reads it."""

        def read() -> N | None:
            for code in dict.fromkeys((languages.current(), *self._settings.languages)):
                reader = self.grammar(code).reader(self.home)
                heard = reader.tokens(text).without_pauses()
                if kind.__name__ in reader.language.grammar.rules and len(heard.words) <= MOST_WORDS:
                    for reading in reader.read(heard, kind.__name__, EXACT):
                        return cast(N, reading.node)
            return None

        return await self._off_the_loop(read)

    def context(self, here: str | None = None) -> Context:
        voices = self.voices()
        return Context(
            home=self.home,
            here=here or self._settings.room,
            tools=self._tool_names,
            voices=voices,
            about=self._about,
            now=datetime.fromtimestamp(self._now(), UTC),
            place=self._place,
            history=self._history,
        )

    def keeps(self, text: str) -> bool:
        """Whether the words are an order for another time."""
        understood = self.read(text)
        said = understood.refused.say if understood.refused is not None else None
        back = any(step.back for step in understood.steps)
        kept = back or any(request.tool == MAKE for request in understood.requests)
        return kept or (said is not None and said.key.startswith(("when.", "later.")))

    def when(self, text: str, here: str | None, place: Place) -> Later | Missing | None:
        """The trigger of a routine in a person's or a program's words."""
        return when_of(text, self.grammar().reader(self.home), replace(self.context(here), place=place))

    async def answer(self, turn: Turn) -> Reply | Passed:
        if turn.acts is not None and turn.acts.wanted is not None:
            await self.cache.known()  # a process that just started has no tools of servers yet
            return await take_back(self._executor, turn, 1)
        known = self.cache.settled  # not asked again: the home may become known while the words are read
        memory, understood = await self._read_turn(turn, wait=known)
        if not known and not _needs_no_home(understood):
            memory, understood = await self._read_turn(turn)
        tool = next((step.node.tool for step in understood.steps if isinstance(step.node, ToolUse)), None)
        version = self._executor.tools.version
        if tool is not None:
            await self.tool_known(tool)  # another server may have it, too, and the later one is meant
        unknown = understood.refused is not None and understood.refused.unknown
        if self._executor.tools.version != version or (unknown and await self.cache.looked_again()):
            memory, understood = await self._read_turn(turn)
        filled = Filled()
        if self.form is not None and self._is_for_form(self.form, turn, understood):
            context, reader = self.context(turn.utterance.room), self.grammar().reader(self.home)
            context = replace(context, **memory.known(), reader=reader)
            filled = await self.form.fill(turn, context, memory)
            if filled.question is not None:
                return replace(self._ask(turn, filled.question, memory), understood=filled.shown)
        if understood.refused is not None:
            left = self.grammar().after_nothing(turn.utterance.text, understood, memory)
            asked_at = memory.asked_at if left.asked is None or memory.asked is not None else self._now()
            self._keep(turn, replace(left, asked_at=asked_at))
            passed = await self._off_the_loop(self._passed, turn.utterance.text, understood.refused)
            return self._behind_form(passed, filled, turn.utterance.text)
        if understood.question is not None and understood.question.doubts and turn.trusted_next:
            return Passed(self.name, "understood, but not for sure", Words.DOUBTFUL)
        if understood.question is not None:
            return self._ask(turn, understood.question, memory)
        return await self._do(turn, understood, memory.begun(understood.steps, answers=understood.answers))

    async def _read_turn(self, turn: Turn, *, wait: bool = True) -> tuple[Memory, Understood]:
        if wait:
            await self.cache.known()
        memory = recall(turn.history.state, self.home, self._now())
        text, room, spoken = turn.utterance.text, turn.utterance.room, turn.utterance.language
        code, understood = await self._off_the_loop(self.read_in, text, room, memory, spoken)
        languages.speak(code)
        turn.history.state[languages.KEY] = code
        if any(self._executor.tools.find(request.tool) is None for request in understood.requests):
            say = None if self.home.devices else Say("no_home")
            understood = Understood(refused=Refused("no server has the tool", say, unknown=True))
        return memory, understood

    def _is_for_form(self, form: FormFiller, turn: Turn, understood: Understood) -> bool:
        """Whether the grammar has not read the words, or only a part of them."""
        refused, asked = understood.refused, understood.question
        unread = refused is not None and not (
            refused.talk or refused.later or (refused.say and not refused.unknown)
        )
        if not (unread or (asked is not None and (asked.unknown or asked.say.key in GUESSES))):
            return False
        return form.wanted(self.grammar().reader(self.home), turn.utterance.text)

    def _behind_form(self, passed: Passed, filled: Filled, text: str) -> Passed:
        """Words behind a form that gave nothing: a wish, or what asks nothing, is left to no model's text."""
        if filled.problem:
            spoken = f"{filled.problem} {passed.spoken or languages.say('not_understood')}"
            return replace(passed, spoken=spoken, last=True)
        if self.form is None or not self.form.model.fills_forms or passed.words is Words.TALK:
            return passed
        reader = self.grammar().reader(self.home)
        said = reader.tokens(text)
        last = filled.wish or (names_something(reader, said) and not bearing(reader, said).asks)
        return replace(passed, reason="; ".join(filter(None, [passed.reason, filled.shown])), last=last)

    def _passed(self, text: str, refused: Refused) -> Passed:
        """For later stages: how far the words are a wish, and which tools they do not speak of."""
        reader = self.grammar().reader(self.home)
        said = reader.tokens(text)
        words = (
            Words.TALK if refused.talk else bearing(reader, said, tool_words(self.voices().values())).words
        )
        words = Words.DOUBTFUL if refused.later else words
        unspoken = unspoken_of(reader.language, said)
        if refused.talk or not asks_world(reader, said):
            found = ((tool, traits(tool)) for tool in self._executor.tools.all())
            offered = self._executor.tools.offered_name
            unspoken |= {offered(tool) for tool, known in found if is_search(known, tool.name)}
        spoken = wording.say(refused.say, self.home) if refused.say is not None else None
        if spoken is not None and not self.home.devices:
            spoken = self.cache.problem or spoken
        return Passed(self.name, str(refused), words, spoken, unspoken)

    def fallback(self, turn: Turn) -> Reply:
        """The reply when no stage had an answer: why not, or an offer to search the web."""
        raw = turn.utterance.text
        text = next((one.spoken for one in turn.passed if one.spoken), "")
        memory = recall(turn.history.state, self.home, self._now())
        asks = is_question(text)
        turn.history.add_user(raw)
        if not text:
            reader = self.grammar().reader(self.home)
            reply = unanswered(reader, reader.tokens(raw), raw, self.context(turn.utterance.room))
            asks = isinstance(reply, Question)
            text = wording.say(reply.say if isinstance(reply, Question) else reply, self.home)
            if isinstance(reply, Question):
                memory = replace(memory, asked=Open(reply.node, expects=reply.expects), asked_at=self._now())
        self._tell(turn, text, memory)
        return Reply(text, ok=False, passed=turn.passed, expects_answer=asks)

    def _tell(self, turn: Turn, text: str, memory: Memory) -> None:
        turn.history.add_ai(text)
        self._keep(turn, replace(memory, said=text))

    def _keep(self, turn: Turn, memory: Memory) -> None:
        turn.history.state[KEY] = to_json(memory)

    def _ask(self, turn: Turn, ask: Question, memory: Memory) -> Reply:
        text = wording.say(ask.say, self.home)
        turn.history.add_user(turn.utterance.text)
        asked = None if ask.expects == "none" else Open(ask.node, ask.candidates, ask.expects, ask.instead)
        self._tell(turn, text, memory.asking(asked, self._now()))
        return Reply(text, stage=self.name, expects_answer=True)

    async def _do(self, turn: Turn, understood: Understood, memory: Memory) -> Reply:
        first = understood.steps[0]
        if first.undo:
            self._keep(turn, memory.undone())
            return await take_back(self._executor, turn, first.undo)
        if first.corrects:
            done = await correct(self._executor, turn, first.requests, self.home, first.keeps)
            self.cache.learn(requests_of(done.outcomes, self.home), done.outcomes)
            self._keep(turn, memory.after(replace(first, adds=False), first.devices, {}))
            return done
        turn.history.add_user(turn.utterance.text)
        told: list[tuple[Step, Sequence[ToolOutcome]]] = []
        outcomes: list[ToolOutcome] = []
        steps, ends = list(understood.steps), list[KeptEnd | None]()
        for at, step in enumerate(steps):
            ends.append(await keep_end(self._executor, turn, step, self.home) if step.back else None)
            if (end := ends[-1]) is not None and end.refused:
                steps[at] = replace(step, requests=(), devices=(), acts=False)
        requests = [request for step in steps for request in step.requests]
        made = await make_calls(self._executor, turn, requests)
        for step, end in zip(steps, ends, strict=True):
            own, made = made[: len(step.requests)], made[len(step.requests) :]
            step, own = await more_pages(self._executor, turn, step, own)  # noqa: PLW2901 (the same, whole)
            outcomes += [outcome for outcome in own if outcome not in outcomes]
            told.append((step, self._learnt(step, own)))
            memory = memory.after(step, _devices(*told[-1]), own[-1].facts if own else {})
            if isinstance(step.node, Everyday) and any(map(_asks_which, own)):
                memory = memory.asking(Open(step.node, expects="name"), self._now())
            if end is not None:
                back = await settle_end(self._executor, turn, step, end, own)
                outcomes += back
                unchanged = not back and all(outcome.ok for outcome in own)
                nothing = Say("later.nothing_to_take_back") if unchanged else None
                if back or nothing:
                    told.append((replace(step, requests=(), say=nothing), back))
        text = wording.replies(told, self.home)
        self._tell(turn, text, memory)
        return Reply(
            text,
            tuple(outcomes),
            stage=self.name,
            ok=all(outcome.ok for outcome in outcomes),
            expects_answer=is_question(text) or any(map(_asks_which, outcomes)),
            understood="\n".join(drawn(understood.reading)) if understood.reading is not None else "",
        )

    def _learnt(self, step: Step, outcomes: Sequence[ToolOutcome]) -> list[ToolOutcome]:
        """The outcomes to report: of a list only the device or room that was asked about."""
        told = [
            told_of(outcome, request.device, step.room)
            for request, outcome in zip(step.requests, outcomes, strict=True)
        ]
        self.cache.learn(step.requests, told)
        return told


def _asks_which(outcome: ToolOutcome) -> bool:
    return outcome.facts.get("outcome") == OutcomeStatus.AMBIGUOUS


def _devices(step: Step, outcomes: Sequence[ToolOutcome]) -> tuple[Device, ...]:
    """The devices that "it" means after this step."""
    if isinstance(step.query, DeviceQuery) and step.query.state:
        return listing.shown(step.query, [request.source for request in step.requests], outcomes)
    return step.devices


def _needs_no_home(understood: Understood) -> bool:
    """Whether built-in tools alone can answer; the speaker and lists may be the home's."""
    return bool(understood.steps) and all(
        isinstance(step.node, Everyday) and step.node.tool not in HOMES_OWN for step in understood.steps
    )
