"""How tools are shown to people: all of them in columns, or one with everything there is to know of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from voice_gateway.channels.terminal import printable
from voice_gateway.tools.masking import shorten
from voice_gateway.tools.schema import kind_of, properties_of, required_of

ENDLESS = 10_000  # characters: whoever reads a pipe wraps lines for himself
LONGEST_NAME, LONGEST_TITLE, LONGEST_SUMMARY = 34, 26, 200
TITLES_FROM = 100  # characters of width: in a narrow window the name has to do
FURTHER = "`voice-gateway tools NAME` shows all of one: its parameters, and what a model reads."


def show_all(records: Sequence[Mapping[str, Any]]) -> None:
    """By the program that has them. Titles and sentences are for people; models read the description."""
    console = _console()
    sources: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        sources.setdefault(record["origin"], []).append(record)
    width = min(LONGEST_NAME, max((len(record["tool"]["name"]) for record in records), default=0))
    titles = console.width >= TITLES_FROM
    for source, several in sources.items():
        console.print(Text(printable(source), "bold"))
        console.print(Padding(_columns(several, width, titles=titles), (0, 0, 0, 2), expand=False))
    if console.is_terminal:
        console.print(Text(FURTHER, "dim"))


def _columns(records: Sequence[Mapping[str, Any]], width: int, *, titles: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=width, max_width=LONGEST_NAME, overflow="fold")
    if titles:
        table.add_column(min_width=LONGEST_TITLE, max_width=LONGEST_TITLE)
    table.add_column()
    for record in records:
        says = Text(_summary(record))
        if record["left_out"]:
            says.append(f" Not offered to the model: {record['left_out']}", "yellow")
        name = Text(printable(record["tool"]["name"]), "cyan")
        table.add_row(name, *([Text(_title(record))] if titles else []), says)
    return table


def show_one(record: Mapping[str, Any]) -> None:
    console, tool = _console(), record["tool"]
    console.print(Text.assemble((printable(tool["name"]), "bold cyan"), ("  ", ""), (_title(record), "bold")))
    console.print(Text(_summary(record)))
    effect = "only looks" if tool["read_only"] else "changes something"
    console.print(Text(f"Of {printable(record['origin'])}; it {effect}."))
    if record["left_out"]:
        console.print(Text(f"Not offered to the model: {record['left_out']}", "yellow"))
    console.print(Text("\nParameters", "bold"))
    console.print(Padding(_parameters(tool["parameters"]), (0, 0, 0, 2), expand=False))
    console.print(Text("\nWhat a model reads", "bold"))
    console.print(Padding(Text(printable(tool["description"].strip())), (0, 0, 0, 2), expand=False))


def _parameters(schema: Mapping[str, Any]) -> Table | Text:
    required = required_of(schema)
    rows: list[tuple[str, ...]] = []
    for parameter, form in properties_of(schema).items():
        about = form.get("description") if isinstance(form, Mapping) else None
        needed = "needed" if parameter in required else ""
        rows.append((parameter, kind_of(form, schema), needed, about if isinstance(about, str) else ""))
    table = Table.grid(padding=(0, 2, 0, 0))
    filled = [column for column in zip(*rows, strict=True) if any(column)]  # an empty one would take room
    for _ in filled:
        table.add_column(overflow="fold")  # nothing is cut: this is the page that shows all
    for row in zip(*filled, strict=True):
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table if rows else Text("none")


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=ENDLESS)


def _title(record: Mapping[str, Any]) -> str:
    """A tool without one has a name that says much the same."""
    name = record["own_name"].replace("_", " ").replace("-", " ").strip()
    return shorten(_plain(record["title"]) or name[:1].upper() + name[1:], 60)


def _summary(record: Mapping[str, Any]) -> str:
    """Of a server that has no words for people: the first sentence of those for models."""
    first = record["tool"]["description"].strip().split("\n")[0]
    text = _plain(record["summary"]) or _plain(first).split(". ")[0]
    return shorten(f"{text.rstrip('.')}.", LONGEST_SUMMARY)


def _plain(text: str) -> str:
    return " ".join(printable(text).split())
