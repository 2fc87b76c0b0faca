"""Every row of the specification has a test, and every mark has a row."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = ROOT / "docs" / "spec" / "TOOL-EXECUTION.md"

# Rows that are not built yet. This set must only shrink: a row with a test may not stand here.
PENDING: frozenset[str] = frozenset()


def rows() -> set[str]:
    return set(re.findall(r"^\| ([A-Z]+-\d+) \|", SPECIFICATION.read_text(), re.MULTILINE))


@cache
def marks() -> dict[str, set[str]]:
    """Row id -> the test files that carry its mark on a test function."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "mark.scenario" in text else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and is_test(node.name):
                for row in (row for decorator in node.decorator_list for row in rows_of(decorator)):
                    found[row].add(str(path.relative_to(ROOT)))
    return found


def is_test(name: str) -> bool:
    return name.startswith(("test", "Test"))


def rows_of(decorator: ast.expr) -> list[str]:
    """The rows named by `@pytest.mark.scenario("EXE-1")`."""
    if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.scenario"):
        return []
    return [ast.literal_eval(argument) for argument in decorator.args]


def test_every_row_has_a_test():
    assert sorted(rows() - marks().keys() - PENDING) == []


def test_every_mark_has_a_row():
    unknown = {row: sorted(files) for row, files in marks().items() if row not in rows()}
    assert unknown == {}


def test_a_pending_row_is_a_row_without_a_test():
    assert sorted(PENDING - rows()) == [], "no such row"
    assert sorted(PENDING & marks().keys()) == [], "has a test: take it out of PENDING"


def test_the_specification_was_really_read():
    families = {row.split("-")[0] for row in rows()}
    assert families == {"EXE", "MGR", "DEF", "NORM", "MSG", "FMT", "MCP", "SRV"}
    assert len(rows()) == 67
