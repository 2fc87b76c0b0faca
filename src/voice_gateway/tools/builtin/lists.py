"""Shopping, to-do and other lists: their file, the tools `manage_list` and `read_list`, and a publisher."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from home_names.names import singular
from home_names.phrases import capital, listed
from voice_gateway.backoff import LOOK_SECONDS, look_again
from voice_gateway.errors import BadArguments, ToolError, ToolUnavailable
from voice_gateway.problems import LISTS_LOST
from voice_gateway.shared.rows import FileRows, Rows, RowStore
from voice_gateway.sqlite_file import Damage
from voice_gateway.tools.gateway_tool import declared_tool, parameters, short_text
from voice_gateway.turn import OutcomeStatus, ToolTraits

MAX_ITEMS = 5000  # of all lists; a model in a loop must not fill the disk

_TABLE = """
CREATE TABLE IF NOT EXISTS items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list TEXT NOT NULL,
  text TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0
)
"""


class Row(NamedTuple):
    list: str
    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    list: str  # "shopping"
    text: str
    done: bool = False


class ListStore(RowStore[Row, Item]):
    """Shopping, to-do and other lists."""

    def __init__(self, path: Path, *, on_damage: Callable[[Damage], None] = lambda _damage: None) -> None:
        rows = FileRows(path, "items", Row, (_TABLE,), LISTS_LOST, on_damage=on_damage)
        super().__init__(rows, lambda number, row: Item(number, row.list, row.text, bool(row.done)))

    def all(self) -> list[Item]:
        """Of all lists, in the order in which they were added."""
        return sorted(self.read(), key=lambda item: item.id)

    def of(self, name: str) -> list[Item]:
        return [item for item in self.all() if item.list == name]

    def add(self, name: str, texts: Sequence[str]) -> list[Item]:
        """Add texts; returns the items that are new or were ticked off before."""
        known = {item.text.casefold(): item for item in self.of(name)}
        there = {text for text, item in known.items() if not item.done}
        fresh = [text for text in dict.fromkeys(texts) if text.casefold() not in there]

        def work(rows: Rows[Row]) -> list[Item]:
            if rows.count + len(fresh) > MAX_ITEMS:
                raise ToolUnavailable(f"There are {rows.count} things on my lists already. Clear some first.")
            rows.clear()
            return [Item(rows.add(Row(name, text)), name, text) for text in fresh]

        ticked_off = [known[text.casefold()].id for text in fresh if text.casefold() in known]
        return self.changed(work, ticked_off)

    def tick(self, ids: Iterable[int]) -> list[Item]:
        """Returns the items that were still there."""

        def work(rows: Rows[Row]) -> list[Item]:
            rows.update({number: row._replace(done=True) for number, row in rows.items()})
            return self.parsed(rows)

        return self.changed(work, ids)


class ListPublisher:
    """Calls `publish` with a list's name and its items: first for every list, then for those that change."""

    def __init__(
        self,
        store: ListStore,
        publish: Callable[[str, Sequence[Item]], None],
        *,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._store, self._publish, self._look_seconds = store, publish, look_seconds
        self._known: dict[str, list[Item]] = {}
        self._stamp: object = None

    def again(self) -> None:
        """Publish all lists again, for a new subscriber."""
        for name, items in self._known.items():
            self._publish(name, items)

    async def run(self) -> None:
        await look_again([self._store.listen], self._look, self._look_seconds)

    async def _look(self) -> None:
        """Read the file if it has changed."""
        stamp = await asyncio.to_thread(self._store.stamp)
        if stamp in (None, self._stamp):
            return
        try:
            items = await asyncio.to_thread(self._store.all)
        except ToolUnavailable:
            return  # the next request for a list reports it
        self._stamp = stamp
        for name in self._known | {item.list: [] for item in items}:
            content = [item for item in items if item.list == name]
            if self._known.get(name) != content:
                self._known[name] = content
                self._publish(name, content)


# --- the tools

MAX_TEXT, MAX_AT_ONCE = 100, 50  # characters of one thing; things at once
MOST_SAID, FIRST_SAID = 8, 5  # of a longer list only the first few are read out
# What has an "and" in it and is one thing.
_ONE_THING = re.compile(
    r"\b(mac|macaroni|fish|half|gin|rum|cookies|pork|ham) and "
    r"(cheese|chips|half|tonic|coke|cream|beans|eggs)\b"
)
SHOPPING = "shopping"
_NAMES = {
    **dict.fromkeys(("", *"grocery groceries shop supermarket buying food".split()), SHOPPING),
    **dict.fromkeys(("to do", "todo", "task", "tasks", "to dos", "todos", "things to do"), "to-do"),
    **dict.fromkeys(("every", "any"), "all"),
}


def list_name(words: str) -> str:
    """One name for one list: "my grocery list" is the shopping list."""
    plain = re.sub(r"^(?:(?:the|my|our|a) )+| ?\b(?:lists?)$", "", " ".join(words.casefold().split())).strip()
    return _NAMES.get(plain, plain)


def spoken_list(name: str) -> str:
    return f"the {name} list"


# Things that are bought, of one word: speech has no commas.
_STAPLES = frozenset(
    """milk eggs bread butter cheese flour sugar salt pepper rice pasta coffee tea water juice beer wine
    apples bananas oranges lemons grapes tomatoes potatoes onions carrots garlic lettuce cucumbers
    mushrooms spinach chicken beef ham bacon fish salmon yogurt yoghurt cream cereal oats honey jam oil
    vinegar ketchup mustard chips cookies soap shampoo toothpaste napkins tissues batteries""".split()
)


ACTIONS = ("add", "remove", "complete", "clear")

DESCRIPTION = (
    "REQUIRED for shopping and to-do lists: you MUST call this whenever the user asks about changing a list. "
    'DO NOT use for timers.\nGood: "add milk and eggs to the shopping list". Bad: "list my timers".'
)
READ = (
    "REQUIRED to know a list: you MUST call this whenever the user asks about what is on it. "
    'DO NOT use for timers.\nGood: "what do I need to buy". Bad: "list my timers".'
)
LIST_NAME = short_text('For example "to-do"; shopping if left out', 40)
PARAMETERS = parameters(
    "action",
    action={"type": "string", "enum": list(ACTIONS), "description": "complete ticks off"},
    items='With commas, for example "milk, eggs"',
    list=LIST_NAME,
)
READ_PARAMETERS = parameters(list=LIST_NAME)

Answer = tuple[str, dict[str, Any]]


def list_tools(store: ListStore) -> list[BaseTool]:
    lists = _Lists(store)

    async def manage_list(action: str, items: str | None = None, list: str | None = None) -> Answer:  # noqa: A002
        name = list_name(list or "")
        if action == "clear":
            return await asyncio.to_thread(lists.clear, name)
        act = {"add": lists.add, "remove": lists.remove, "complete": lists.complete}[action]
        return await asyncio.to_thread(act, name, _texts(items, name))

    async def read_list(list: str | None = None) -> Answer:  # noqa: A002
        return await asyncio.to_thread(lists.read, list_name(list or ""))

    about = "Adds to shopping and to-do lists, removes, ticks off, clears."
    manage = ToolTraits(title="Lists", summary=about)
    about = "What is on a list, or which there are."
    read = ToolTraits(title="Read a list", summary=about, read_only=True, idempotent=True)
    return [
        declared_tool("manage_list", DESCRIPTION, PARAMETERS, manage_list, manage),
        declared_tool("read_list", READ, READ_PARAMETERS, read_list, read),
    ]


def _texts(items: str | None, name: str) -> list[str]:
    texts = split_items(items or "", name)
    if not texts:
        raise BadArguments(f"What shall I put on or take off {spoken_list(name)}?")
    if len(texts) > MAX_AT_ONCE or any(len(text) > MAX_TEXT for text in texts):
        raise BadArguments(f"I take up to {MAX_AT_ONCE} things of {MAX_TEXT} characters at once.")
    return texts


def split_items(items: str, name: str) -> list[str]:
    """ "Milk, eggs and bread" are three things to buy; "call mum and dad" is one thing to do."""
    kept = _ONE_THING.sub(r"\1 & \2", " ".join(items.split()))
    parts = re.split(r" ?[,;] ?(?:and )?", kept)
    if len(parts) > 1 or name == "shopping":
        parts = [piece for part in parts for piece in re.split(r" and (?:also )?", part)]
    if len(parts) > 1 and name == "shopping":
        # "milk eggs and bread" are three things; "olive oil" stays what it is.
        apart = (part.split() if {*part.casefold().split()} <= _STAPLES else [part] for part in parts)
        parts = [piece for pieces in apart for piece in pieces]
    bare = (re.sub(r"^(?:and|also|some|the|a|an|more) (?=\S)", "", part.strip(" .")) for part in parts)
    texts = (text.replace(" & ", " and ") for text in bare if text)
    return list({text.casefold(): text for text in texts}.values())


class _Lists:
    """What each action does; called in a thread."""

    def __init__(self, store: ListStore) -> None:
        self._store = store

    def add(self, name: str, texts: Sequence[str]) -> Answer:
        on_list = spoken_list(name)
        if added := self._store.add(name, texts):
            return self._done(f"Added {{}} to {on_list}.", "remove", name, added, "added")
        there = f"{capital(listed(texts))} {'is' if len(texts) == 1 else 'are'} already on {on_list}."
        return there, {"structured": self._facts(name, added=[])}

    def remove(self, name: str, texts: Sequence[str]) -> Answer:
        gone = self._store.remove(self._ids(name, texts))
        return self._done(f"Removed {{}} from {spoken_list(name)}.", "add", name, gone, "removed")

    def complete(self, name: str, texts: Sequence[str]) -> Answer:
        ticked_off = self._store.tick(self._ids(name, texts))
        return self._done("Ticked off {}.", "add", name, ticked_off, "completed")

    def clear(self, name: str) -> Answer:
        gone = self._store.remove([item.id for item in self._store.of(name)])
        if not gone:
            return f"{capital(spoken_list(name))} is already empty.", {"structured": self._facts(name)}
        facts = self._facts(name, before=[_call("add", name, gone[:MAX_AT_ONCE])])
        if len(gone) > MAX_AT_ONCE:
            facts["undo"] = f"Only {MAX_AT_ONCE} of {len(gone)} things can be put back."
        return f"{capital(name)} list cleared.", {"structured": facts}

    def read(self, name: str) -> Answer:
        if name == "all":
            return self._read_all()
        left = [item.text for item in self._store.of(name) if not item.done]
        return _say_list(name, left), {"structured": self._facts(name)}

    def _read_all(self) -> Answer:
        items = self._store.all()
        counts = Counter({item.list: 0 for item in items})
        counts.update(item.list for item in items if not item.done)
        each = [f"{count or 'nothing'} on {spoken_list(name)}" for name, count in counts.items()]
        text = (
            f"There {'is' if len(each) == 1 else 'are'} {listed(each)}." if each else "All lists are empty."
        )
        return text, {"structured": {"lists": dict(counts)}}

    def _ids(self, name: str, texts: Sequence[str]) -> list[int]:
        """All of them, or none is touched."""
        items = [item for item in self._store.of(name) if not item.done]
        matches = {text: _match(text, items) for text in texts}
        if missing := [text for text, item in matches.items() if item is None]:
            raise ToolError(
                f"There's no {listed(missing, 'or')} on {spoken_list(name)}.",
                structured={"outcome": OutcomeStatus.NOT_FOUND.value},
            )
        return [item.id for item in matches.values() if item is not None]

    def _done(self, sentence: str, undo: str, name: str, items: Sequence[Item], fact: str) -> Answer:
        texts = [item.text for item in items]
        facts = self._facts(name, **{fact: texts}, before=[_call(undo, name, items)])
        shown = f"{len(texts)} things" if len(texts) > MOST_SAID else listed(texts)
        return sentence.format(shown), {"structured": facts}

    def _facts(self, name: str, **more: Any) -> dict[str, Any]:
        items = [{"text": item.text, "done": item.done} for item in self._store.of(name)]
        return {"list": name, "items": items[:200], "count": len(items), **more}


def _match(text: str, items: Sequence[Item]) -> Item | None:
    wanted = text.casefold()
    for same in (
        lambda item: item.text.casefold() == wanted,
        lambda item: singular(item.text.casefold()) == singular(wanted),
        lambda item: set(wanted.split()) <= set(item.text.casefold().split()),
    ):
        matches = [item for item in items if same(item)]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def _call(action: str, name: str, items: Sequence[Item]) -> dict[str, Any]:
    texts = ", ".join(item.text for item in items)
    return {"name": "manage_list", "args": {"action": action, "items": texts, "list": name}}


def _say_list(name: str, left: Sequence[str]) -> str:
    on_list = spoken_list(name)
    if not left:
        return f"{capital(on_list)} is empty."
    if len(left) > MOST_SAID:
        first = listed(list(left[:FIRST_SAID]))
        return f"There are {len(left):,} things on {on_list}. The first are {first}."
    return f"On {on_list}: {listed(list(left))}."
