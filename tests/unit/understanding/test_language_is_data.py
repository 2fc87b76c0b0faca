"""No natural language in a regular expression: words are data of `languages/`, and the lexer's."""

import ast
import re
from pathlib import Path

from voice_gateway import understanding

FOLDER = Path(understanding.__file__).parent
USED = frozenset({"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
# What is notation: names of groups, classes of letters, escapes, flags, counts.
NOTATION = re.compile(r"\(\?P[<=]\w+[>)]|\\[pPN]\{\w+\}|\\[A-Za-z]|\(\?[a-z-]+\)?|\{\d*,?\d*\}|\[[^\]]*\]")
WORD = re.compile(r"[^\W\d_]{3,}")


def text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text, node.values))
    return text(node.left) + text(node.right) if isinstance(node, ast.BinOp) else ""


def words_in_patterns(source: str) -> list[str]:
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args)
    patterns = (
        text(call.args[0])
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in USED
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "re"
    )
    return [word for pattern in patterns for word in WORD.findall(NOTATION.sub(" ", pattern))]


def test_a_word_in_a_pattern_is_found() -> None:
    assert words_in_patterns(r'import re; re.compile(rf"\b(?:turn|put)\b {x}")') == ["turn", "put"]
    assert words_in_patterns(r'import re; re.search(r"(?P<rule>[\w.]+)\d{1,2}", said)') == []


def test_no_pattern_of_the_understanding_holds_a_word() -> None:
    files = [file for file in FOLDER.rglob("*.py") if file.name != "lexer.py"]
    assert files
    assert {file.name: found for file in files if (found := words_in_patterns(file.read_text("utf-8")))} == {}
