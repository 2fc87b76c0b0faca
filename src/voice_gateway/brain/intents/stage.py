"""The local brain as the first stage: instant answers without a model, by the same executor and history."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from voice_gateway.brain.client import Turn
from voice_gateway.brain.intents.abilities import abilities
from voice_gateway.brain.intents.compose import compose
from voice_gateway.brain.intents.followup import KEY, QUESTION_SECONDS, Memory, also, recall, settle
from voice_gateway.brain.intents.grammar import Frame, has_own_sentences
from voice_gateway.brain.intents.home import Home, build_home, name_key
from voice_gateway.brain.intents.normalise import Said, normalise, too_long
from voice_gateway.brain.intents.plan_look import LIST, LIST_ARGS
from voice_gateway.brain.intents.read_home import read_devices
from voice_gateway.brain.intents.speakable import speakable
from voice_gateway.brain.intents.understand import Reader
from voice_gateway.brain.intents.understanding import Ask, Context, No, Request, Step, Understanding
from voice_gateway.config import BrainSettings
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import traits
from voice_gateway.turn import Passed, Reply, ToolCall, ToolOutcome, new_id

log = logging.getLogger(__name__)

HomeReady = Callable[[], Awaitable[None]]


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
        now: Callable[[], float] = time.time,
    ) -> None:
        self._executor = executor
        self._settings = settings
        self._home_ready = home_ready
        self._now = now
        self._language = settings.language.split("-")[0].lower()
        self._home: Home | None = None
        self._seen_version = -1
        self._changed = asyncio.Event()
        self._reading = asyncio.Lock()

    # --- the home

    @property
    def home(self) -> Home:
        return self._home or Home()

    def home_changed(self) -> None:
        """Somebody announced a change: the names are read again soon."""
        self._changed.set()

    def kinds_of(self, name: str) -> frozenset[str]:
        """The kinds of every device that this name could mean, for permission."""
        return frozenset(device.kind for device in self.home.by_name.get(name_key(name), ()))

    async def refresh(self) -> None:
        """Reads the home and swaps the picture at once; a turn that is running keeps its own."""
        async with self._reading:
            self._seen_version = self._executor.tools.version
            devices = await read_devices(self._executor)
            if devices is not None:
                self._home = await asyncio.to_thread(build_home, devices)
            elif self._executor.tools.find(LIST) is None:
                self._home = None

    async def keep_fresh(self) -> None:
        """Runs until cancelled: at every announced change, and at least every `refresh_seconds`."""
        while True:
            self._changed.clear()
            await self.refresh()
            await asyncio.to_thread(self._warm_up)
            try:
                async with asyncio.timeout(self._settings.refresh_seconds) as limit:
                    await self._changed.wait()
            except TimeoutError:
                if not limit.expired():
                    raise

    def _warm_up(self) -> None:
        """The grammar is parsed by its first use: not by a user's."""
        self.understand("warm up", Context(home=self.home, tools=self._tool_names()))

    async def _ready_home(self) -> None:
        await self._home_ready()
        if self._home is None or self._seen_version != self._executor.tools.version:
            await self.refresh()

    # --- understanding

    def understand(
        self, text: str, context: Context | None = None, memory: Memory | None = None
    ) -> Understanding:
        """What is meant, without doing anything. Pure but for the grammar, loaded at the first use."""
        if too_long(text):
            return Understanding(no=No("too long for a command", forbid=True))
        known = context or Context(self.home, self._settings.room, tools=self._tool_names())
        return self._read(normalise(text), known, memory or Memory())

    def needs_home(self, text: str) -> bool:
        """False when built-in tools alone can answer."""
        if too_long(text):
            return False
        core = Reader(Context(tools=self._tool_names()), self._language, core_only=True)
        return not core.read(normalise(text)).steps

    def _read(self, said: Said, context: Context, memory: Memory) -> Understanding:
        reader = Reader(context, self._language)
        if memory.asked is not None and self._now() - memory.asked_at <= QUESTION_SECONDS:
            answered = settle(said, memory.asked, context)
            if isinstance(answered, Frame):
                return reader.planned(answered)
            if answered is not None:
                return (
                    Understanding((answered,)) if isinstance(answered, Step) else Understanding(ask=answered)
                )
        understood = reader.read(said)
        if understood.no is not None and (frame := also(said, memory, context)) is not None:
            return reader.planned(frame)
        if understood.no is not None and not understood.no.spoken:
            request = speakable(said.text, self._executor.tools.all())
            if request is not None:
                return Understanding((Step("Tool", (request,)),))
        return understood

    def _tool_names(self) -> frozenset[str]:
        return frozenset(traits(tool).original_name or tool.name for tool in self._executor.tools.all())

    # --- answering

    async def answer(self, turn: Turn) -> Reply | Passed:
        text = turn.utterance.text
        memory = recall(turn.history.state, self.home)
        waiting = memory.asked is not None
        if waiting or self._home_may_matter(text):
            await self._ready_home()
            memory = recall(turn.history.state, self.home)
        home = self.home  # one picture for the whole turn, whatever changes meanwhile
        room = turn.utterance.room or self._settings.room
        context = Context(home, room, memory.last, memory.topic, self._tool_names())
        understood = self.understand(text, context, memory)
        if understood.no is not None:
            self._forget_question(turn, memory)
            return Passed(self.name, understood.no.reason, understood.no.forbid, understood.no.spoken)
        if understood.ask is not None:
            return self._ask(turn, understood.ask, memory)
        return await self._carry_out(turn, understood, memory)

    def _home_may_matter(self, text: str) -> bool:
        if not has_own_sentences(self._language):
            return True
        return self.needs_home(text)

    def _ask(self, turn: Turn, ask: Ask, memory: Memory) -> Reply:
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai(ask.text)
        asked = replace(memory, asked=ask, asked_at=self._now())
        turn.history.state[KEY] = asked.to_json()
        return Reply(ask.text, stage=self.name, expects_answer=True)

    def _forget_question(self, turn: Turn, memory: Memory) -> None:
        if memory.asked is not None:
            turn.history.state[KEY] = replace(memory, asked=None).to_json()

    async def _carry_out(self, turn: Turn, understood: Understanding, memory: Memory) -> Reply:
        turn.history.add_user(turn.utterance.text)
        texts: list[str] = []
        outcomes: list[ToolOutcome] = []
        for batch in _batches(understood.steps):
            made = await self._call(turn, [request for step in batch for request in step.requests])
            outcomes += made
            for step in batch:
                own, made = made[: len(step.requests)], made[len(step.requests) :]
                own += await self._more_pages(turn, step, own)
                texts.append(
                    abilities(self._executor.tools.all(), self.home)
                    if step.intent == "Abilities"
                    else compose(step, own)
                )
        text = " ".join(texts)
        turn.history.add_ai(text)
        turn.history.state[KEY] = _remembered(memory, understood.steps).to_json()
        self._learn(understood.requests, outcomes)
        ok = all(outcome.ok for outcome in outcomes)
        return Reply(text, tuple(outcomes), stage=self.name, ok=ok, expects_answer=text.endswith("?"))

    async def _call(self, turn: Turn, requests: Sequence[Request]) -> list[ToolOutcome]:
        calls = [ToolCall(new_id(), request.tool, dict(request.args)) for request in requests]
        if not calls:
            return []
        turn.history.add_ai("", calls)
        outcomes = await self._executor.execute_all(calls, gate=turn.gate)
        turn.history.add_outcomes(outcomes)
        return outcomes

    async def _more_pages(self, turn: Turn, step: Step, outcomes: Sequence[ToolOutcome]) -> list[ToolOutcome]:
        """A list longer than one page is read to its end before it is told of."""
        more: list[ToolOutcome] = []
        while step.look is not None and (missing := _missing([*outcomes, *more])):
            page = await self._call(turn, [Request(LIST, {**LIST_ARGS, "offset": missing})])
            more += page
            if not page[0].ok or not _listed(page[0]):
                break
        return more

    def _learn(self, requests: Sequence[Request], outcomes: Sequence[ToolOutcome]) -> None:
        """What a device has just confirmed is its state: "brighter" counts from there."""
        for request, outcome in zip(requests, outcomes, strict=False):
            facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
            if (
                request.device
                and outcome.ok
                and facts.get("outcome") == "confirmed"
                and isinstance(facts.get("state"), str)
            ):
                self._home = self.home.with_state(request.device, facts["state"])
            elif facts.get("outcome") in ("not_found", "ambiguous"):
                self.home_changed()


def _listed(outcome: ToolOutcome) -> int:
    facts = outcome.structured if isinstance(outcome.structured, Mapping) else {}
    devices = facts.get("devices")
    return len(devices) if isinstance(devices, list) else 0


def _missing(pages: Sequence[ToolOutcome]) -> int:
    """Where the next page starts; 0 when there is none."""
    facts = pages[0].structured if pages and isinstance(pages[0].structured, Mapping) else {}
    total, have = facts.get("total"), sum(_listed(page) for page in pages)
    return have if isinstance(total, int) and 0 < have < total else 0


def _batches(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps run together unless two of them are about one device: those keep their order."""
    batches: list[list[Step]] = [[]]
    busy: set[object] = set()
    for step in steps:
        keys = {device.key for device in step.devices} if step.requests else set()
        if busy & keys:
            batches.append([])
            busy = set()
        batches[-1].append(step)
        busy |= keys
    return batches


def _remembered(memory: Memory, steps: Sequence[Step]) -> Memory:
    for step in steps:
        if step.devices:
            memory = replace(memory, last=step.devices, topic="device", frame=step.frame)
        elif step.intent.startswith("Volume"):
            memory = replace(memory, topic="volume")
    return replace(memory, asked=None)
