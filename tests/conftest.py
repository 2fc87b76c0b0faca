"""Which tests belong to `make unit`: found out from what each file imports, never listed by hand."""

import ast
import gc
import importlib.metadata
import importlib.util
import os
import random
import re
import secrets
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.fakes.syntax import imported, statements

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
OURS = {"tests": ROOT, "bench": ROOT} | dict.fromkeys(("voice_gateway", "zwave_mcp", "home_names"), SRC)
LOCKS = ("run.lock", "dev.lock")  # what `make unit` installs
DECLARATION = "NOT_UNIT"  # a fake that starts something real says so in a constant of this name


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--unit", action="store_true", help="only files that need no service, program or engine")


def pytest_configure(config: pytest.Config) -> None:
    os.environ["LC_ALL"] = "C.UTF-8"  # the language of the machine is no language of a test
    from hypothesis import HealthCheck, settings

    # No example is given a time: machines are busy.
    settings.register_profile(
        "test", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile("unit", settings.get_profile("test"), max_examples=10)
    # pytest --hypothesis-profile=thorough
    settings.register_profile("thorough", settings.get_profile("test"), max_examples=1000)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("unit" if config.getoption("--unit") else "test")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays: it is not looked through for garbage, now or between tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file, or a folder by its conftest, is judged before it is imported: without the speech engines it
    could not be."""
    if not config.getoption("--unit"):
        return None
    file = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    judged = file.name.startswith(("test_", "conftest")) and file.exists()
    return True if judged and needs(file) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A soak's faults are random, and can be had again: SOAK_SEED=… make soak."""
    if item.get_closest_marker("soak") is None:
        return
    seed = int(os.environ.get("SOAK_SEED") or secrets.randbits(32))
    random.seed(seed)
    with item.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{item.name}: SOAK_SEED={seed}", flush=True)


@cache
def needs(test_file: Path) -> frozenset[str]:
    """What a test file uses beyond the two locks: through its imports, and the conftest files above it."""
    above = [folder / "conftest.py" for folder in test_file.parents if folder.is_relative_to(ROOT / "tests")]
    found: set[str] = set()
    seen: set[Path] = {Path(__file__)}
    todo = [test_file, *(file for file in above if file.exists())]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        modules, declared = read(file)
        found |= declared
        for module in modules:
            package = module.partition(".")[0]
            if package in OURS:
                todo += sources(module)
            elif not in_the_locks(package):
                found.add(package)
    return frozenset(found)


@cache
def read(file: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The modules that a file imports, and what it declares to start. In `src` a lazy import is not followed:
    a test that gets that far imports, or declares, what it needs."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    lazily = not file.is_relative_to(SRC)
    modules = {name for node in statements(tree, inside=lazily) for name in imported(node)}
    declared = {
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == DECLARATION
    }
    return frozenset(modules), frozenset(declared)


@cache
def sources(module: str) -> list[Path]:
    """The files that importing a module of ours runs: its own, and those of the packages above it."""
    folder, parts = OURS[module.partition(".")[0]], module.split(".")
    wholes = [folder.joinpath(*parts[: length + 1]) for length in range(len(parts))]
    files = [path / "__init__.py" for path in wholes] + [wholes[-1].with_suffix(".py")]
    return [file for file in files if file.exists()]


@cache
def in_the_locks(package: str) -> bool:
    if package in sys.stdlib_module_names or package in {"pytest", "_pytest"}:
        return True
    if importlib.util.find_spec(package) is None:
        return False
    distributions = installed().get(package, ())
    return any(re.sub(r"[-_.]+", "-", name).lower() in locked() for name in distributions)


installed = cache(importlib.metadata.packages_distributions)  # import name -> names of what brings it


@cache
def locked() -> frozenset[str]:
    texts = [(ROOT / "requirements" / lock).read_text(encoding="utf-8") for lock in LOCKS]
    return frozenset(
        name.lower() for text in texts for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    )
