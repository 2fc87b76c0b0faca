"""The stage between the local brain and the model: finds the tool by the meaning of a sentence."""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from pathlib import Path
from typing import Protocol

from langchain_core.tools import BaseTool

from voice_gateway.brain import router_minilm
from voice_gateway.brain.client import Turn
from voice_gateway.brain.told import told
from voice_gateway.config import BrainSettings
from voice_gateway.errors import BrainError
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import schema_of, traits
from voice_gateway.turn import Passed, Reply, ToolCall, new_id

log = logging.getLogger(__name__)

EXEMPLARS = Path(__file__).with_name("router_exemplars.txt")
LEAST = 0.35  # below this nothing is meant by it; measured: what it leaves is right as often as a 1.5 B model
SURE = 0.60  # at least this for a call; what lies between is only a hint for whoever answers next
LEAD = 0.05  # over the best sentence that means something else
LONGEST = 30  # words; a longer text is a story, not a wish
# Only what wants to know something is answered: "turn back time" is near to "what time is it", too.
_ASKS = re.compile(
    r"\?\s*$|^\W*(?:please |hey |okay |so |and |well )*"
    r"(?:what|which|who|whose|when|where|why|how|is|are|am|was|were|do|does|did|has|have|can|could|would|will|tell|show|list|give|read|check|find|search|look|google|any|"
    r"i wonder|i forgot|i lost track|i want to know|i need to know|i would like to know)\b",
    re.IGNORECASE,
)


class Embedder(Protocol):
    """Sentences as vectors of length 1; near in meaning is near in direction. May take its time."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a group of sentences stands for: a tool with arguments, or nothing for a tool."""

    tool: str
    args: Mapping[str, str] = field(default_factory=dict)
    complete: bool = True  # False: it needs arguments that no sentence gives for sure

    @property
    def looks(self) -> bool:
        return self.args.get("action") == "get"


NOTHING = Meaning("-")


def read_exemplars(path: Path = EXEMPLARS) -> list[tuple[str, Meaning]]:
    found: list[tuple[str, Meaning]] = []
    meaning = NOTHING
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            meaning = _heading(line.strip("[] "))
        elif line.strip() and not line.startswith("#"):
            found.append((line.strip(), meaning))
    return found


def _heading(text: str) -> Meaning:
    tool, *given = text.split()
    args = dict(part.split("=", 1) for part in given if "=" in part)
    return Meaning(tool, args, complete="?" not in given)


@dataclass(frozen=True, slots=True)
class Found:
    """The meaning of the nearest sentence, how near it is, and how much nearer than any other meaning."""

    meaning: Meaning
    score: float
    lead: float


@dataclass(frozen=True, slots=True)
class _Known:
    version: int
    meanings: list[Meaning]
    vectors: Sequence[Sequence[float]]


class Router:
    """Looks things up, and never acts; what is not a clear question goes on, with a hint why."""

    name = "router"

    def __init__(self, executor: ToolExecutor, settings: BrainSettings, embedder: Embedder) -> None:
        self._executor = executor
        self._english = settings.language.lower().startswith("en")  # model and exemplars know no other
        self._embedder = embedder
        self._known: _Known | None = None
        self._broken = False

    @staticmethod
    def available() -> bool:
        """Whether the optional extra is installed; without it there is no such stage."""
        there = router_minilm.installed()
        if not there:
            log.debug("embedding router is not installed")
        return there

    async def warm_up(self) -> None:
        """Load the model and read the exemplars before the first question needs them."""
        await self._nearest("warm up")

    async def answer(self, turn: Turn) -> Reply | Passed:
        text = turn.utterance.text
        if not self._english:
            return Passed(self.name, "only English is understood here")
        if len(text.split()) > LONGEST or not _ASKS.search(text):
            return Passed(self.name, "not a question")
        found = await self._nearest(text)
        if found is None:
            return Passed(self.name, "the router is not usable")
        reason = self._why_not(found)
        return Passed(self.name, reason) if reason else await self._carry_out(turn, found.meaning)

    def _why_not(self, found: Found) -> str | None:
        meaning, near = found.meaning, f"{found.meaning.tool} ({found.score:.2f})"
        if meaning == NOTHING or found.score < LEAST:
            return f"no tool means that (nearest {found.score:.2f})"
        if not meaning.complete:
            return f"probably {near}, which takes more than a look"
        if found.score < SURE or found.lead < LEAD:
            return f"perhaps {near}, but not for sure"
        tool = self._executor.tools.find(meaning.tool)
        if tool is None:
            return f"{meaning.tool} is not connected"
        # Near in meaning is no reason to act: "turn it off" lies next to "turn it up".
        return (
            None
            if traits(tool).read_only or meaning.looks
            else f"probably {near}, which takes more than a look"
        )

    async def _carry_out(self, turn: Turn, meaning: Meaning) -> Reply:
        call = ToolCall(new_id(), meaning.tool, dict(meaning.args))
        turn.history.add_user(turn.utterance.text)
        turn.history.add_ai("", [call])
        outcome = await self._executor.execute(call, gate=turn.gate)
        turn.history.add_outcomes([outcome])
        text = told([outcome])
        turn.history.add_ai(text)
        if turn.say is not None:
            turn.say(text)
        return Reply(text, (outcome,), stage=self.name, ok=outcome.ok)

    async def _nearest(self, text: str) -> Found | None:
        if self._broken:
            return None
        try:
            return await asyncio.to_thread(self._compare, text)
        except BrainError as error:
            self._broken = True
            log.warning("embedding router is not usable", extra={"reason": str(error)})
            return None

    def _compare(self, text: str) -> Found:
        known = self._current()
        vector = self._embedder.embed([text])[0]
        scores = [sum(map(mul, vector, other)) for other in known.vectors]
        best = max(range(len(scores)), key=scores.__getitem__)
        meaning = known.meanings[best]
        others = [score for score, other in zip(scores, known.meanings, strict=True) if other != meaning]
        return Found(meaning, scores[best], scores[best] - max(others, default=0.0))

    def _current(self) -> _Known:
        """The exemplars, and the descriptions of whatever read-only tools the user's own servers offer."""
        version = self._executor.tools.version
        if self._known is None or self._known.version != version:
            pairs = read_exemplars()
            ours = {meaning.tool for _, meaning in pairs}
            pairs += [
                pair
                for tool in self._executor.tools.all()
                if tool.name not in ours
                for pair in _described(tool)
            ]
            vectors = self._embedder.embed([sentence for sentence, _ in pairs])
            self._known = _Known(version, [meaning for _, meaning in pairs], vectors)
        return self._known


def _described(tool: BaseTool) -> list[tuple[str, Meaning]]:
    """A tool that only looks and needs nothing: its own words are its exemplars."""
    known = traits(tool)
    if not known.read_only or schema_of(tool).get("required"):
        return []
    first = tool.description.split(". ")[0][:200]
    words = [known.title, tool.name.replace("_", " "), first]
    return [(text, Meaning(tool.name)) for text in dict.fromkeys(words) if text.strip()]
