"""How tools are shown to people: all of them in columns, or one with everything there is to know of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice_gateway.doors.terminal import printable
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.schema import kind_of, properties_of, required_of
from voice_gateway.tools.traits import schema_of, traits

if TYPE_CHECKING:
    from voice_gateway.app import Gateway

ENDLESS = 10_000  # characters: whoever reads a pipe wraps lines for himself
LONGEST_NAME, LONGEST_TITLE, LONGEST_SUMMARY = 34, 26, 200
TITLES_FROM = 100  # characters of width: in a narrow window the name has to do
FURTHER = "`voice-gateway tools NAME` shows all of one: its parameters, and what a model reads."


def show_all(gateway: "Gateway") -> None:
    """By the program that has them. Titles and sentences are for people; models read the description."""
    console = _console()
    sources: dict[str, list[Any]] = {}
    for tool in gateway.tools.all():
        sources.setdefault(_origin(gateway, tool), []).append(tool)
    names = [gateway.tools.offered_name(tool) for tool in gateway.tools.all()]
    width = min(LONGEST_NAME, max(map(len, names), default=0))
    titles = console.width >= TITLES_FROM
    for source, tools in sources.items():
        console.print(Text(source, "bold"))
        console.print(Padding(_columns(gateway, tools, width, titles=titles), (0, 0, 0, 2), expand=False))
    if console.is_terminal:
        console.print(Text(FURTHER, "dim"))


def _columns(gateway: "Gateway", tools: list[Any], width: int, *, titles: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=width, max_width=LONGEST_NAME, overflow="fold")
    if titles:
        table.add_column(min_width=LONGEST_TITLE, max_width=LONGEST_TITLE)
    table.add_column()
    left_out = gateway.left_out()
    for tool in tools:
        name = gateway.tools.offered_name(tool)
        says = Text(_summary(tool))
        if name in left_out:
            says.append(f" Not offered to the model: {left_out[name]}", "yellow")
        table.add_row(Text(printable(name), "cyan"), *([Text(_title(tool))] if titles else []), says)
    return table


def show_one(gateway: "Gateway", tool: Any) -> None:
    console, known = _console(), traits(tool)
    name, schema = gateway.tools.offered_name(tool), schema_of(tool)
    console.print(Text.assemble((printable(name), "bold cyan"), ("  ", ""), (_title(tool), "bold")))
    console.print(Text(_summary(tool)))
    effect = "only looks" if known.read_only else "changes something"
    console.print(Text(f"Of {_origin(gateway, tool)}; it {effect}."))
    if reason := gateway.left_out().get(name):
        console.print(Text(f"Not offered to the model: {reason}", "yellow"))
    console.print(Text("\nParameters", "bold"))
    console.print(Padding(_parameters(schema), (0, 0, 0, 2), expand=False))
    console.print(Text("\nWhat a model reads", "bold"))
    console.print(Padding(Text(printable(tool.description.strip())), (0, 0, 0, 2), expand=False))


def _parameters(schema: Mapping[str, Any]) -> Table | Text:
    required = required_of(schema)
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(4):
        table.add_column(overflow="fold")  # nothing is cut: this is the page that shows all
    for parameter, form in properties_of(schema).items():
        about = form.get("description") if isinstance(form, Mapping) else None
        needed = "needed" if parameter in required else ""
        cells = (parameter, kind_of(form, schema), needed, about if isinstance(about, str) else "")
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table if table.row_count else Text("none")


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=ENDLESS)


def _origin(gateway: "Gateway", tool: Any) -> str:
    source = traits(tool).source
    if source == "builtin":
        return "the gateway itself"
    if origin := traits(tool).origin:
        return f"{printable(origin)}{', which says nothing of itself' if traits(tool).stranger else ''}"
    simulated = [status.name for status in gateway.link.status() if status.simulated]
    about = ", simulated home" if source in simulated else ""
    return f"the server {source}{about}{', not trusted' if traits(tool).stranger else ''}"


def _title(tool: Any) -> str:
    """A tool without one has a name that says much the same."""
    known = traits(tool)
    name = (known.original_name or tool.name).replace("_", " ").replace("-", " ").strip()
    return shorten(_plain(known.title) or name[:1].upper() + name[1:], 60)


def _summary(tool: Any) -> str:
    """Of a server that has no words for people: the first sentence of those for models."""
    text = _plain(traits(tool).summary) or _plain(tool.description.strip().split("\n")[0]).split(". ")[0]
    return shorten(f"{text.rstrip('.')}.", LONGEST_SUMMARY)


def _plain(text: str) -> str:
    return " ".join(printable(text).split())
