"""What a source file imports, without running it."""

import ast
from collections.abc import Iterator


def statements(tree: ast.AST, *, inside: bool) -> Iterator[ast.AST]:
    """What can import something: what is below an expression is most of a tree, and cannot. Not what is only
    for the type checker; `inside`: of functions, too."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(tree, part, ()):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            yield node
            if inside or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from statements(node, inside=inside)


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []
