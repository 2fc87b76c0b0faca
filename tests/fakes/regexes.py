"""Every regular expression of a source file: those that it keeps, and those written where they are used."""

import ast
import contextlib
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

SRC = Path(__file__).parents[2] / "src"
ANCHORED = {"match", "fullmatch"}  # they begin at one place only
METHODS = ANCHORED | {"search", "sub", "subn", "split", "finditer", "findall", "compile"}
STAND_IN = "word"  # for what is put in where it is used: a name, a number word


@dataclass(frozen=True)
class Regex:
    pattern: re.Pattern[str]
    methods: frozenset[str] = frozenset({"search"})  # how it is used

    def apply(self, text: str) -> None:
        if self.methods <= ANCHORED:
            for method in self.methods:
                getattr(self.pattern, method)(text)
        else:
            for _ in self.pattern.finditer(text):
                pass


def source_files() -> list[Path]:
    return [file for file in sorted(SRC.rglob("*.py")) if "re." in file.read_text(encoding="utf-8")]


def regexes_of(file: Path) -> set[Regex]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    module = _imported(file)
    kept = {
        Regex(one, _methods(file, tree, module, one)) for one in _kept(vars(module) if module else {}, set())
    }
    return kept | set(_written(file, tree, module))


def _imported(file: Path) -> ModuleType | None:
    """None where a package is missing, of an extra that is not installed."""
    name = ".".join(file.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    if name.endswith("__main__"):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _kept(value: Any, seen: set[int]) -> Iterator[re.Pattern[str]]:
    """In a module's names, and in what stands there."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _kept(one, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _kept(one, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _kept(getattr(value, field.name, None), seen)


def _written(file: Path, tree: ast.Module, module: ModuleType | None) -> Iterator[Regex]:
    for node in ast.walk(tree):
        method = _method_of_re(node)
        if method is None or not isinstance(node, ast.Call) or not node.args:
            continue
        place = 2 if method in ("compile", "match", "fullmatch", "search", "findall", "finditer") else 9
        flags = [word.value for word in node.keywords if word.arg == "flags"] + node.args[place - 1 : place]
        pattern = _value(node.args[0], module)
        if isinstance(pattern, str):
            with contextlib.suppress(re.error):
                flag = _value(flags[0], module) if flags else 0
                compiled = re.compile(pattern, flag if isinstance(flag, int) else 0)
                named = method == "compile"
                yield Regex(
                    compiled, _methods(file, tree, module, compiled) if named else frozenset({method})
                )


def _method_of_re(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    return node.func.attr if of_re and node.func.attr in METHODS else None


def _value(node: ast.expr, module: ModuleType | None) -> Any:
    names = dict(vars(module)) if module else {"re": re}
    with contextlib.suppress(Exception):
        return eval(compile(ast.Expression(node), "regex", "eval"), names)
    if isinstance(node, ast.JoinedStr):
        parts = [_value(part, module) for part in node.values]
        return "".join(part if isinstance(part, str) else STAND_IN for part in parts)
    if isinstance(node, ast.BinOp):
        sides = [_value(node.left, module), _value(node.right, module)]
        return "".join(side if isinstance(side, str) else STAND_IN for side in sides)
    if isinstance(node, ast.FormattedValue):
        value = _value(node.value, module)
        return value if isinstance(value, str) else STAND_IN
    return None


def _methods(
    file: Path, tree: ast.Module, module: ModuleType | None, pattern: re.Pattern[str]
) -> frozenset[str]:
    """What is done with its name, here and where it is imported; without a name, anything."""
    kept = vars(module) if module else {}
    # Alike, not the same: `re` forgets what it compiled, and compiles it again.
    names = {name for name, value in kept.items() if isinstance(value, re.Pattern) and value == pattern}
    if not names:
        names = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _method_of_re(node.value) == "compile"
            for target in node.targets
            if isinstance(target, ast.Name)
            and isinstance(node.value, ast.Call)
            and _value(node.value.args[0], module) == pattern.pattern
        }
    used = {method for name in names for method in _uses(file).get(name, ())}
    for other in SRC.rglob("*.py"):
        used |= {method for name in names & _imports(other) for method in _uses(other).get(name, ())}
    return frozenset(used or {"search"})


@cache
def _imports(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    )


@cache
def _uses(file: Path) -> dict[str, set[str]]:
    """The methods that are called on each name; any other use may be a search."""
    uses: dict[str, set[str]] = {}
    tree, called = ast.parse(file.read_text(encoding="utf-8")), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called.add(node.value)
            uses.setdefault(node.value.id, set()).add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            uses.setdefault(node.id, set()).add("search")
    return uses
