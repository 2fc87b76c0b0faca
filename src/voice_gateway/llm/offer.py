"""Which tools a model sees, and in how many words: by a rule that never depends on the question."""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool

from voice_gateway.llm.prompt import Clock, is_rare, use_tool
from voice_gateway.tools.manager import BUILTIN, ToolManager
from voice_gateway.tools.permission.risk import name_words
from voice_gateway.tools.permission.untrusted import quoted_line
from voice_gateway.tools.traits import lc_name, qualified_name, schema_of, traits
from voice_gateway.turns.stage import Turn

log = logging.getLogger(__name__)

_FIRST_SENTENCE = re.compile(r".*?(?:(?<!e\.g)[.!?;](?=\s)|(?=\n)|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools as a model sees them, under the names it calls them by."""

    tools: tuple[BaseTool, ...] = ()
    tokens: int = 0  # what they cost, by our estimate
    shortened: bool = False  # of each description the first sentence is left
    left_out: Mapping[str, str] = field(default_factory=dict)  # name of the tool -> why
    rare: tuple[BaseTool, ...] = ()  # told of only when the words call for them

    def names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in (*self.tools, *self.rare))

    def descriptions(self) -> list[str]:
        return [tool.description for tool in self.tools]


def shorter(text: str) -> str:
    """The first sentence: what a tool or a parameter is for. Examples and exceptions stand behind it."""
    sentence = _FIRST_SENTENCE.match(text.strip())
    return sentence[0] if sentence else text


def make_offer(
    manager: ToolManager,
    *,
    cost: Callable[[BaseTool], int],
    budget: int | None = None,
    priority: Sequence[str] = (),
) -> Offer:
    """All tools within the budget; else shorter descriptions; else fewer tools, by priority and order. Who
    has a budget gets the rare ones by their words alone, unless the configuration names them."""
    tools = [_named(tool, manager.offered_name(tool)) for tool in manager.all()]
    rare: tuple[BaseTool, ...] = ()
    if budget is not None:
        rare = tuple(tool for tool in tools if is_rare(tool) and not _names(tool) & {*priority})
        seldom = {tool.name for tool in rare}
        tools = [tool for tool in tools if tool.name not in seldom] + ([use_tool()] if rare else [])
    made: list[BaseTool] = []
    shortened, total = False, 0
    for shortened in (False, True):
        made = [_quoted(_shorter(tool) if shortened else tool) for tool in tools]
        costs = {tool.name: cost(tool) for tool in made}
        total = sum(costs.values())
        if budget is None or total <= budget:
            return Offer(tuple(made), total, shortened, rare=rare)
    assert budget is not None
    kept: set[str] = set()
    left_out: dict[str, str] = {}
    room = budget
    for tool in sorted(made, key=lambda tool: _rank(tool, priority)):
        if costs[tool.name] <= room:
            kept.add(tool.name)
            room -= costs[tool.name]
        else:
            left_out[tool.name] = f"needs {costs[tool.name]} tokens, {room} of {budget} are left"
    return Offer(tuple(tool for tool in made if tool.name in kept), budget - room, shortened, left_out, rare)


def few(offer: Offer, turn: Turn) -> Offer:
    """For a small model behind a form: the tools whose words were said, and no act of the home."""
    said = set(re.findall(r"[^\W_]+", turn.utterance.text.casefold()))
    unspoken = frozenset().union(*(passed.unspoken_of for passed in turn.passed))

    def wanted(tool: BaseTool) -> bool:
        known = traits(tool)
        if known.server in turn.home.servers:
            return known.read_only and turn.home.meant
        if known.source == BUILTIN:
            return tool.name not in unspoken
        return not said.isdisjoint((*name_words(known.original_name or tool.name), *known.called_for))

    return Offer(tuple(filter(wanted, offer.tools)), rare=offer.rare)


class Offering:
    """The offer for one model, made again only when the tools or the year change.

    `limits` are those of `make_offer`.
    """

    def __init__(self, manager: ToolManager, clock: Clock, **limits: Any) -> None:
        self._manager, self._clock, self._limits = manager, clock, limits
        self._made: tuple[tuple[int, int], Offer] | None = None

    def current(self) -> Offer:
        key = (self._manager.version, self._clock().year)
        if self._made is None or self._made[0] != key:
            for tool in self._manager.all():
                if callable(renew := getattr(tool, "renew", None)):
                    renew(key[1])  # a tool whose examples carry the year
            offer = make_offer(self._manager, **self._limits)
            self._made = (key, offer)
            facts = {"tools": len(offer.tools), "tokens": offer.tokens, "shortened": offer.shortened}
            level = logging.WARNING if offer.left_out else logging.DEBUG
            log.log(level, "tools offered", extra={**facts, "left_out": dict(offer.left_out)})
        return self._made[1]


def _rank(tool: BaseTool, priority: Sequence[str]) -> tuple[int, bool]:
    """Configured first, built-in next; `sorted` keeps the list's own order for the rest."""
    names = _names(tool)
    places = [place for place, wanted in enumerate(priority) if wanted in names]
    return (min(places, default=len(priority)), traits(tool).source != BUILTIN)


def _names(tool: BaseTool) -> set[str]:
    return {tool.name, lc_name(tool), qualified_name(tool)}


def _named(tool: BaseTool, name: str) -> BaseTool:
    """The tool itself, or a copy under the name the model sees; either way it is a LangChain tool."""
    if tool.name == name == lc_name(tool):
        return tool
    return tool.model_copy(update={"name": name, "metadata": {**(tool.metadata or {}), "lc_name": name}})


def _shorter(tool: BaseTool) -> BaseTool:
    schema = _with_descriptions(schema_of(tool), shorter)
    return tool.model_copy(update={"description": shorter(tool.description), "args_schema": schema})


def _quoted(tool: BaseTool) -> BaseTool:
    """What a server that is not trusted says of its tool is data; the same bytes each time."""
    known = traits(tool)
    if known.trusted:
        return tool
    schema = _with_descriptions(schema_of(tool), lambda text: json.dumps(text, ensure_ascii=False))
    described = quoted_line(tool.description, known.source)
    return tool.model_copy(update={"description": described, "args_schema": schema})


def _with_descriptions(schema: Any, change: Callable[[str], str], key: str = "") -> Any:
    if isinstance(schema, Mapping):
        # Below "properties" a key is a parameter's name, also when it is called "description".
        inside = key == "properties"
        return {
            name: change(value)
            if name == "description" and isinstance(value, str) and not inside
            else _with_descriptions(value, change, "" if inside else name)
            for name, value in schema.items()
        }
    if isinstance(schema, list):
        return [_with_descriptions(item, change) for item in schema]
    return schema
