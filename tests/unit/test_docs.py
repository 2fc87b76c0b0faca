"""The pages say what holds: what is made from code is up to date, and what they name is there."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from voice_gateway.tools.traits import traits

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FILES = r"(?:py|md|toml|lock|in|json|svg|txt|yaml|conf|service)"
# Between backticks: a folder, a file in a folder, or the bare name of a module.
NAMED = re.compile(rf"`((?:[\w.*-]+/)+(?:[\w.*-]+\.{FILES})?|[\w-]+\.py)(?:::\w+)?`")
ROOMS = ("", "src/", "src/voice_gateway/", "src/zwave_mcp/", "docs/", "tests/", "src/**/")
# Names of what a user makes, and of topics.
ELSEWHERE = re.compile(r"voice/|zwave/")


def test_what_pages_take_from_the_code_is_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "pages.py", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def page_named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_readme_is_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 1000


def anchors(page: Path) -> set[str]:
    """The headings of a page as a link names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_named)
def test_every_link_of_a_page_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    inside = [(page.parent / link if link else page, anchor) for link, anchor in links if "://" not in link]

    assert [str(file) for file, _ in inside if not file.exists()] == []
    assert [anchor for file, anchor in inside if anchor and anchor not in anchors(file)] == []


@pytest.mark.parametrize("page", PAGES, ids=page_named)
def test_every_path_that_a_page_names_is_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = [name for name in NAMED.findall(text) if not ELSEWHERE.match(name)]

    assert [name for name in named if not any(any(ROOT.glob(room + name)) for room in ROOMS)] == []


def test_every_promise_names_a_test_that_is_there():
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = re.findall(r"^\| (?!promise|-).* \| `([\w/.]+)::(\w+)` \|$", page, re.MULTILINE)
    rows = re.findall(r"^\| (?!promise)", page, re.MULTILINE)

    assert len(promises) == len(rows) > 20
    assert [
        name for file, name in promises if f"def {name}(" not in (ROOT / "tests" / file).read_text()
    ] == []
    assert len(page.split()) <= 900


def test_every_page_is_reached_from_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [page.name for page in PAGES if page.name != "README.md" and f"{page.name})" not in text] == []


async def test_the_tool_that_the_architecture_page_shows_is_one():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(sample, names)
    tool = names["dice_tool"]()

    assert re.fullmatch(r"You rolled a [1-3]\.", await tool.ainvoke({"sides": 3}))
    assert traits(tool).read_only


def test_the_architecture_page_has_the_layers_that_are_checked():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = [one["layers"] for one in contracts["contracts"] if one["type"] == "layers"]

    (shown,) = re.findall(r"```\n(__main__ .*?)```", page, re.DOTALL)

    assert [layer.split() for layer in re.split("→", shown)] == [layer.split() for layer in layers]
