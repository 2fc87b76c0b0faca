"""The linked servers that have a home, recognised by their tools."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from voice_gateway.integrations.source import HomeSource
from voice_gateway.integrations.zwave import CONTROL, LIST, ZwaveSource
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.traits import traits, with_traits
from voice_gateway.turn import ToolOutcome

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from voice_gateway.integrations.home_assistant.source import HomeAssistant


@dataclass(eq=False, slots=True)
class Sources:
    """All homes. Each stays the same object while its server is set up, over every reconnect.

    `trouble` says in a sentence why one that could be a home is not there, where that is known.
    """

    executor: ToolExecutor
    trouble: Callable[[], str] = str
    _wrapping: dict[str, "HomeAssistant"] = field(default_factory=dict)
    _known: dict[str, ZwaveSource] = field(default_factory=dict)
    _there: tuple[int, tuple[HomeSource, ...]] = (-1, ())  # by the version of the tools

    def taken(self, server: str, tools: "Sequence[BaseTool]") -> "Sequence[BaseTool]":
        """The tools of a server as they are offered here: those whose answers say too little are wrapped."""
        if any(_own_name(tool) in (LIST, CONTROL) for tool in tools):
            return [with_traits(tool, replace(traits(tool), home=True)) for tool in tools]
        if server not in self._wrapping and not any(_own_name(tool).endswith("HassTurnOn") for tool in tools):
            return tools
        from voice_gateway.integrations.home_assistant.source import HomeAssistant, recognise

        if server not in self._wrapping and not recognise(tools):
            return tools
        home = self._wrapping.setdefault(server, HomeAssistant(server, self.executor))
        return home.wrap(tools)

    def all(self) -> tuple[HomeSource, ...]:
        """Those that are there now, in the order of the servers' names."""
        if self._there[0] != self.executor.tools.version:
            linked: dict[str, list[BaseTool]] = {}
            for tool in self.executor.tools.all():
                linked.setdefault(traits(tool).source, []).append(tool)
            sources = (self._source(server, tools) for server, tools in sorted(linked.items()))
            known = tuple(source for source in sources if source is not None)
            self._there = self.executor.tools.version, known
        return self._there[1]

    def looked(self) -> tuple[ToolOutcome, ...]:
        """What the servers said of their devices last: by that a turn can be run again elsewhere."""
        return tuple(outcome for source in self._known.values() for outcome in source.looked)

    def _source(self, server: str, tools: "Sequence[BaseTool]") -> HomeSource | None:
        if server in self._wrapping:
            return self._wrapping[server]
        ours = [tool for tool in tools if _own_name(tool) in (LIST, CONTROL)]
        if not ours:
            return None
        if server not in self._known:
            self._known[server] = ZwaveSource(server, self.executor)
        self._known[server].stranger = not traits(ours[0]).trusted
        return self._known[server]


def _own_name(tool: "BaseTool") -> str:
    return traits(tool).original_name or tool.name
