"""Print the size of the project beside its budget in pyproject.toml, and fail above it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from pydantic import BaseModel

from voice_gateway.cli.parser import COMMANDS
from voice_gateway.config import Settings

ROOT = Path(__file__).parents[1]
GENERATED = re.compile(r"<!-- made by `make pages` -->.*?(<!-- end of what is made -->|\Z)", re.DOTALL)


def measure() -> dict[str, int]:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    files = [Path(name) for name in tracked if (ROOT / name).is_file()]
    source = [file for file in files if file.suffix == ".py" and file.parts[0] == "src"]
    tests = [file for file in files if file.suffix == ".py" and file.parts[0] == "tests"]
    pages = [file for file in files if file.match("docs/*.md") or file == Path("README.md")]
    return {
        "source_lines": sum(map(_lines, source)),
        "source_files": len(source),
        "test_lines": sum(map(_lines, tests)),
        "docs_words": sum(len(GENERATED.sub("", _text(page)).split()) for page in pages),
        "settings": _settings(Settings),
        "commands": len(COMMANDS),
    }


def _text(file: Path) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def _lines(file: Path) -> int:
    return _text(file).count("\n")


def _settings(section: type[BaseModel]) -> int:
    total = 0
    for field in section.model_fields.values():
        nested = field.annotation
        is_section = isinstance(nested, type) and issubclass(nested, BaseModel)
        total += _settings(nested) if is_section else 1
    return total


def main() -> int:
    budget = tomllib.loads(_text(Path("pyproject.toml")))["tool"]["voice-gateway"]["budget"]
    sizes = measure()
    for name, size in sizes.items():
        print(f"{name:14}{size:8,} of {budget[name]:,}{'   OVER BUDGET' if size > budget[name] else ''}")
    return int(any(size > budget[name] for name, size in sizes.items()))


if __name__ == "__main__":
    sys.exit(main())
