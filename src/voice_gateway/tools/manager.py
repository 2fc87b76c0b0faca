"""All tools of all sources, in one plain list."""

import logging
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from voice_gateway.tools.traits import (
    InvalidTool,
    check_definition,
    lc_name,
    of_server,
    qualified_name,
    sendable_name,
    traits,
)

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

log = logging.getLogger(__name__)

BUILTIN = "builtin"


class ToolManager:
    """Built-in tools in the order they were added, then every server's tools, in the order of the settings.

    That order does not depend on who connected first, so a model's prompt keeps the same prefix, and a name
    that two servers have is always that of the later one (MGR-8).
    """

    def __init__(self, servers: Iterable[str] = ()) -> None:
        """Servers that are not among these come behind them, by their names."""
        self._places = {server: place for place, server in enumerate(servers)}
        self._tools: list[BaseTool] = []
        self._index: dict[str, BaseTool] = {}  # derived from the list, made again when that changes
        self._offered: dict[int, str] = {}
        self.version = 0

    def all(self) -> "list[BaseTool]":
        return list(self._tools)

    def add(self, tool: "BaseTool") -> None:
        """Take a tool as it is; one of the same name is replaced, with a warning (MGR-8)."""
        check_definition(tool)
        index = self._index
        names = {tool.name, lc_name(tool), qualified_name(tool), sendable_name(lc_name(tool))}
        if index.keys().isdisjoint(names):  # by far the usual case, and no reason to make the index again
            insort(self._tools, tool, key=self._order)
            index.update(dict.fromkeys(names, tool))
            self._offered[id(tool)] = sendable_name(lc_name(tool))
        else:
            self._add_known_name(tool)
            self._make_index()
        self.version += 1

    def add_mcp_tools(self, server: str, tools: "Sequence[BaseTool]") -> None:
        """Replace what that server offered before, by nothing too. A bad definition costs only itself."""
        _check_server(server)
        offered: dict[str, BaseTool] = {}
        for tool in tools:
            try:
                check_definition(tool)
            except InvalidTool as error:
                log.warning("tool refused", extra={"server": server, "reason": str(error)})
                continue
            name = traits(tool).original_name or lc_name(tool)
            if name in offered:
                _warn_of_replacing(name, server)
            offered[name] = of_server(tool, server)
        self._tools = [tool for tool in self._tools if traits(tool).source != server]
        self._warn_of_namesakes(offered.values())
        self._tools.extend(offered.values())
        self._tools.sort(key=self._order)
        self._make_index()
        self.version += 1

    def find(self, name: str) -> "BaseTool | None":
        """By name, `lc_name`, server-qualified name, or the name a model was offered; not found is None."""
        return self._index.get(name)

    def offered_name(self, tool: "BaseTool") -> str:
        """The name a model sees: its own, or `server__tool` where two tools share it."""
        return self._offered.get(id(tool)) or sendable_name(lc_name(tool))

    def _order(self, tool: "BaseTool") -> tuple[int, str]:
        source = traits(tool).source
        return (-1, "") if source == BUILTIN else self._place(source)

    def _place(self, server: str) -> tuple[int, str]:
        return self._places.get(server, len(self._places)), server

    def _make_index(self) -> None:
        # A built-in tool keeps its name whatever a server offers, because it has no other; of two servers the
        # trusted one, else the later in the list, wins the bare name; both answer to their qualified names,
        # whatever another server calls its own tools.
        servers = [tool for tool in self._tools if traits(tool).source != BUILTIN]
        servers.sort(key=lambda tool: not traits(tool).stranger)
        builtins = [tool for tool in self._tools if traits(tool).source == BUILTIN]
        self._index = {}
        for group in (servers, builtins):
            self._index.update({lc_name(tool): tool for tool in group})
            self._index.update({tool.name: tool for tool in group})
            self._index.update({qualified_name(tool): tool for tool in group})
        self._offered = self._names_for_models(self._index)

    def _names_for_models(self, index: "dict[str, BaseTool]") -> dict[int, str]:
        """Every tool's name for a model, unique and sendable; a changed name enters the index too."""
        uses = Counter(lc_name(tool) for tool in self._tools)
        names: dict[int, str] = {}
        for tool in self._tools:
            wanted = lc_name(tool)
            offered = base = sendable_name(qualified_name(tool) if uses[wanted] > 1 else wanted)
            number = 2
            while index.setdefault(offered, tool) is not tool:
                suffix = f"_{number}"
                offered, number = base[: 64 - len(suffix)] + suffix, number + 1
            names[id(tool)] = offered
        return names

    def _add_known_name(self, tool: "BaseTool") -> None:
        source = traits(tool).source
        for place, known in enumerate(self._tools):
            if known.name == tool.name and traits(known).source == source:
                _warn_of_replacing(tool.name, source)
                self._tools[place] = tool
                return
        self._warn_of_namesakes([tool])
        insort(self._tools, tool, key=self._order)

    def _warn_of_namesakes(self, newcomers: "Iterable[BaseTool]") -> None:
        known = {lc_name(tool): tool for tool in self._tools}
        for tool in newcomers:
            other = known.get(lc_name(tool))
            if other is None:
                continue
            loser, winner = sorted(
                (other, tool),
                key=lambda one: (traits(one).source == BUILTIN, not traits(one).stranger, self._order(one)),
            )
            log.warning(
                "two sources offer a tool of the same name; both answer to their qualified names",
                extra={
                    "tool": lc_name(tool),
                    "winner": qualified_name(winner),
                    "other": qualified_name(loser),
                },
            )


def _check_server(server: str) -> None:
    if server == BUILTIN:
        raise InvalidTool(f'No server may be called "{BUILTIN}": it would replace the built-in tools.')


def _warn_of_replacing(name: str, source: str) -> None:
    log.warning("tool replaced by another of the same name", extra={"tool": name, "source": source})


def tool_of(tools: ToolManager, server: str, name: str) -> str | None:
    """How the tool is called here that this server knows by this name; None: it has none."""
    for tool in tools.all():
        own = traits(tool)
        if own.source == server and (own.original_name or tool.name) == name:
            return name if tools.find(name) is tool else qualified_name(tool)
    return None


def tool_beside(tools: ToolManager, name: str, by: str) -> str | None:
    """How the tool is called that the server of the tool `by` knows by this name; None: it has none."""
    known = tools.find(by)
    return tool_of(tools, traits(known).source, name) if known is not None else None


def contenders(
    tools: ToolManager, name: str, coming: Mapping[str, bool], servers: Sequence[str]
) -> list[str]:
    """Which servers could have the tool that this name then means, of those whose tools are not known yet.

    `coming` says of each whether it is trusted; `servers` are all of them, in the order of the settings.
    """
    if asked := [one for one in servers if name.startswith(f"{one}__")]:
        return [server for server in coming if server in asked and tools.find(name) is None]
    known = tools.find(name)
    if known is None:
        return list(coming)
    own = traits(known)
    if own.source == BUILTIN:
        return []
    later = servers[servers.index(own.source) + 1 :] if own.source in servers else ()
    # Of a trusted one and a stranger the trusted one wins; else the later.
    return [
        server
        for server, trusted in coming.items()
        if (trusted if own.stranger is trusted else server in later)
    ]
