"""All tools of all sources, in one plain list."""

import inspect
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

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


def as_tool(tool: "BaseTool | Callable[..., Any]") -> "BaseTool":
    """The tool as it is, or a function as a LangChain tool."""
    from langchain_core.tools import BaseTool, StructuredTool

    if isinstance(tool, BaseTool):
        return tool
    if inspect.iscoroutinefunction(tool):
        return StructuredTool.from_function(coroutine=tool)
    if inspect.isroutine(tool):
        return StructuredTool.from_function(tool)
    raise InvalidTool(f"{tool!r} is neither a LangChain tool nor a function.")


class ToolManager:
    """Built-in tools in the order they were added, then every server's tools, in the order of the settings.

    That order does not depend on which server connected first, so a model's prompt keeps the same prefix, and
    a name that two servers have is always that of the later server (MGR-8).
    """

    def __init__(
        self, tools: "Iterable[BaseTool | Callable[..., Any]]" = (), *, servers: Iterable[str] = ()
    ) -> None:
        """Takes LangChain tools and functions. Servers that are not among these come last, by their names."""
        self._places = {server: place for place, server in enumerate(servers)}
        self._tools: list[BaseTool] = []
        self._index: dict[str, BaseTool] = {}  # derived from the list, made again when that changes
        self._offered: dict[int, str] = {}
        self.version = 0
        self.has_untrusted = False  # a model reads the descriptions of a server that is not trusted
        for tool in tools:
            self.add(as_tool(tool))

    def all(self) -> "list[BaseTool]":
        return list(self._tools)

    def add(self, tool: "BaseTool") -> None:
        """Take a tool as it is; one of the same name and source is replaced, with a warning (MGR-8)."""
        check_definition(tool)
        source = traits(tool).source
        for place, known in enumerate(self._tools):
            if known.name == tool.name and traits(known).source == source:
                _warn_of_replacing(tool.name, source)
                self._tools[place] = tool
                break
        else:
            self._tools.append(tool)
        self._changed()
        self._warn_of_namesakes([tool])

    def add_mcp_tools(self, server: str, tools: "Sequence[BaseTool]") -> None:
        """Replace all tools of that server. A bad definition costs only itself."""
        if server == BUILTIN:
            raise InvalidTool(f'No server may be called "{BUILTIN}": it would replace the built-in tools.')
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
        self._tools.extend(offered.values())
        self._changed()
        self._warn_of_namesakes(offered.values())

    def find(self, name: str) -> "BaseTool | None":
        """By name, `lc_name`, server-qualified name, or the name a model was offered; not found is None."""
        return self._index.get(name)

    def offered_name(self, tool: "BaseTool") -> str:
        """The name a model sees: its own, or `server__tool` where two tools share it."""
        return self._offered.get(id(tool)) or sendable_name(lc_name(tool))

    def _order(self, tool: "BaseTool") -> tuple[int, str]:
        source = traits(tool).source
        return (-1, "") if source == BUILTIN else (self._places.get(source, len(self._places)), source)

    def _changed(self) -> None:
        self._tools.sort(key=self._order)
        # Of two servers the trusted one, otherwise the later in the list, wins the bare name; both answer to
        # their qualified names, whatever another server calls its own tools.
        ranked = sorted(self._tools, key=_rank)
        self._index = {}
        for name_of in (lc_name, attrgetter("name"), qualified_name):
            self._index.update({name_of(tool): tool for tool in ranked})
        self._offered = self._names_for_models()
        self.has_untrusted = not all(traits(tool).trusted for tool in self._tools)
        self.version += 1

    def _names_for_models(self) -> dict[int, str]:
        """Every tool's name for a model, unique and sendable; a changed name enters the index too."""
        uses = Counter(lc_name(tool) for tool in self._tools)
        names: dict[int, str] = {}
        for tool in self._tools:
            wanted = lc_name(tool)
            offered = base = sendable_name(qualified_name(tool) if uses[wanted] > 1 else wanted)
            number = 2
            while self._index.setdefault(offered, tool) is not tool:
                suffix = f"_{number}"
                offered, number = base[: 64 - len(suffix)] + suffix, number + 1
            names[id(tool)] = offered
        return names

    def _warn_of_namesakes(self, newcomers: "Iterable[BaseTool]") -> None:
        for name in map(lc_name, newcomers):
            winner = self._index[name]
            others = [tool for tool in self._tools if lc_name(tool) == name and tool is not winner]
            if others:
                log.warning(
                    "two sources offer a tool of the same name; both answer to their qualified names",
                    extra={
                        "tool": name,
                        "winner": qualified_name(winner),
                        "other": qualified_name(others[0]),
                    },
                )


def _rank(tool: "BaseTool") -> tuple[bool, bool]:
    """A built-in tool keeps its name whatever a server offers, because it has no other; then trusted ones."""
    return traits(tool).source == BUILTIN, traits(tool).trusted


def _warn_of_replacing(name: str, source: str) -> None:
    log.warning("tool replaced by another of the same name", extra={"tool": name, "source": source})


def tool_of(tools: ToolManager, server: str, name: str) -> str | None:
    """The name under which this server's tool `name` is found here; None: the server has none."""
    tool = tools.find(f"{server}__{name}") if server != BUILTIN else tools.find(name)
    if tool is None or traits(tool).source != server:
        return None
    return name if tools.find(name) is tool else qualified_name(tool)


def tool_beside(tools: ToolManager, name: str, by: str) -> str | None:
    """The name under which the tool `name` of the server that has the tool `by` is found here."""
    known = tools.find(by)
    return tool_of(tools, traits(known).source, name) if known is not None else None


def contenders(
    tools: ToolManager, name: str, coming: Mapping[str, bool], servers: Sequence[str]
) -> list[str]:
    """Which servers, of those whose tools are not known yet, could have the tool that this name then means.

    `coming` says of each whether it is trusted; `servers` are all of them, in the order of the settings.
    """
    if asked := [server for server in servers if name.startswith(f"{server}__")]:
        return [server for server in coming if server in asked and tools.find(name) is None]
    known = tools.find(name)
    if known is None:
        return list(coming)
    own = traits(known)
    if own.source == BUILTIN:
        return []
    # A trusted server beats one that is not; of two alike the later wins.
    rank = own.trusted, servers.index(own.source) if own.source in servers else len(servers)
    return [server for server, trusted in coming.items() if (trusted, servers.index(server)) > rank]
