"""What words mean in this home, without doing anything: a command, an answer, talk, a tool's own words."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from voice_gateway.brain.local.about import GatewayFacts, about_itself
from voice_gateway.brain.local.device_cache import DeviceCache
from voice_gateway.brain.local.fitting import Fitting, devices_in
from voice_gateway.brain.local.followup import (
    IT_SECONDS,
    QUESTION_SECONDS,
    asks_first,
    cancel_it,
    repeated_wish,
    reply_to_nothing,
    resolve_answer,
)
from voice_gateway.brain.local.grammar import Frame, has_own_sentences
from voice_gateway.brain.local.meaning import (
    Clarification,
    Clock,
    Context,
    NotHandled,
    Request,
    Step,
    Understanding,
)
from voice_gateway.brain.local.memory import Memory
from voice_gateway.brain.local.normalise import NormalisedText, normalise, too_long
from voice_gateway.brain.local.small_talk import SmallTalk, small_talk
from voice_gateway.brain.local.speakable import Speakables, as_said, in_own_words
from voice_gateway.brain.local.speech_act import SpeechAct, asks_for_action, classify
from voice_gateway.brain.local.understand import Reader
from voice_gateway.brain.local.undo import acts_to_undo
from voice_gateway.brain.local.web_search import speaks_of_search
from voice_gateway.config import BrainSettings
from voice_gateway.routines.schedule import Place
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.risk import is_search
from voice_gateway.tools.permission.target import Reach
from voice_gateway.tools.traits import lc_name, qualified_name, traits
from voice_gateway.turn import ToolCall, ToolTraits, Utterance

ABILITIES = "Abilities"
UNDO = "Undo"  # the intent of words that take back what was done
SEARCH, SEARCHES = "search_web", "Search"  # the tool, and the intent of words that ask for it

# "Turn off the speaker" may be a plug of that name, so the home must be known first.
_SWITCHING = re.compile(r"\s*(?:turn|switch|put)\b.*\b(?:on|off)\b", re.IGNORECASE)


class Interpreter:
    """Pure but for the grammar, which its first use loads."""

    def __init__(
        self,
        tools: ToolManager,
        cache: DeviceCache,
        settings: BrainSettings,
        *,
        about: GatewayFacts,
        now: Callable[[], float],
        place: Place | None,
    ) -> None:
        self._tools, self._cache = tools, cache
        self._settings, self._about = settings, about
        self._now, self._place = now, place
        self._language = settings.language.replace("_", "-").split("-")[0].lower()
        self.english = has_own_sentences(self._language)  # or another language whose clauses are known
        self._speakables: tuple[int, Speakables] | None = None

    def reader(self, context: Context) -> Reader:
        return Reader(context, self._language)

    def understand(
        self, text: str, context: Context | None = None, memory: Memory | None = None
    ) -> Understanding:
        if too_long(text):
            return Understanding.of(NotHandled("too long for a command", forbid=True))
        return self._read(text, context or self.context(), memory or Memory())

    def context(self, room: str | None = None) -> Context:
        """The home now, and the tools; `room` is where the words were said."""
        now = datetime.fromtimestamp(self._now(), UTC)
        clock = Clock(now, self._place) if self._place is not None else None
        return Context(self._cache.home, room or self._settings.room, tools=self._tool_names(), clock=clock)

    def order_in(self, text: str, room: str | None = None) -> tuple[Request, ...]:
        """The calls of words that are one plain order for now; none where they are anything else."""
        reading = self.reader(self.context(room)).order_in(normalise(text).text)
        if (
            reading is None
            or reading.question
            or not all(step.acts and step.requests for step in reading.steps)
        ):
            return ()
        return tuple(request for step in reading.steps for request in step.requests)

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
        reader = self.reader(context)
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

    def _beyond_the_home(self, said: NormalisedText, raw: str, no: NotHandled) -> Understanding | None:
        """Talk, or words to a tool of another server."""
        if (talk := self._small_talk(said)) is not None:
            return Understanding.of(talk)
        return self.speakable().match(said.text, raw) if no.unknown or not no.spoken else None

    def _doubted(self, no: NotHandled, said: NormalisedText, context: Context) -> NotHandled:
        if no.forbid:
            return no
        forbid = not asks_for_action(said, context.home, self._tools.all())
        return replace(no, forbid=forbid, spoken=no.spoken or reply_to_nothing(said.text))

    def _small_talk(self, said: NormalisedText) -> Step | None:
        kind = None
        if has_own_sentences(self._language):
            kind = small_talk(said.text) or small_talk(said.whole)
        if kind is SmallTalk.ABILITIES:
            return Step(ABILITIES)
        tools = self._tools.all()
        return Step("Talk", say=about_itself(kind, self._about, self._settings, tools)) if kind else None

    def _asks_search(self, text: str) -> bool:
        return speaks_of_search(text, self._cache.home.spoken_names)

    def _follow_up(
        self, said: NormalisedText, context: Context, memory: Memory
    ) -> Step | Clarification | Frame | None:
        """What takes back the last act, answers our own question, or says "it" of the timer just set."""
        if has_own_sentences(self._language) and acts_to_undo(said):
            return Step(UNDO, acts=True)
        answered = None
        if memory.asked is not None and self._now() - memory.asked_at <= QUESTION_SECONDS:
            answered = resolve_answer(said, memory.asked, context)
        if answered is None and self._now() - memory.timer_at <= IT_SECONDS:
            answered = cancel_it(said, memory.timer, alone=not memory.last)
        return answered

    def speakable(self) -> Speakables:
        tools = self._tools
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
        tools = self._tools
        return frozenset(
            name
            for tool in tools.all()
            for name in (
                traits(tool).original_name or tool.name,
                tools.offered_name(tool),
                qualified_name(tool),
            )
        )

    def searchable(self, said: NormalisedText, raw: str) -> str:
        """The words that a yes would send: a question about the world, where a search is offered at all."""
        if self._tools.find(SEARCH) is None or too_long(raw) or not self._asks_search(raw):
            return ""
        names = [*(device.name for device in self._cache.home.devices), *self._cache.home.rooms]
        of_home = classify(raw, names, self._tools.all()) is SpeechAct.HOME
        return "" if of_home else as_said(said.text, raw)

    def searches_unasked(self, text: str) -> frozenset[str]:
        """The tools that would send these words to strangers, though nobody asked for it."""
        if self._asks_search(text):
            return frozenset()
        tools = self._tools
        found = [tool for tool in tools.all() if is_search(traits(tool), tool.name)]
        return frozenset(tools.offered_name(tool) for tool in found)

    def fitting(self, utterance: Utterance, before: str) -> Fitting:
        """Whether a model's call is what these words mean, behind those before them."""
        room, home = utterance.room or self._settings.room, self._cache.home
        context = Context(home, room, devices_in(before, home), tools=self._tool_names())
        return Fitting(utterance.text, self.reader(context), self._reach_of)

    def _reach_of(self, request: Request) -> Reach | None:
        tool = self._tools.find(request.tool)
        known = traits(tool) if tool is not None else ToolTraits()
        return self._cache.reach(ToolCall("", request.tool, dict(request.args)), known)
