"""Every package that the source imports is declared, and the lists of what to install agree."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel
from tests.fakes.syntax import imported, statements

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"voice_gateway", "zwave_mcp", "home_names"}
NOT_INSTALLED = {"hibari": ["hibari-tts"]}  # where there are no speech engines, nobody knows who brings it


def named(requirement: str) -> str:
    """The distribution's name as everybody spells it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!;~ \[]", requirement, maxsplit=1)[0]).lower()


def declared() -> set[str]:
    extras = [entry for extra in PROJECT["optional-dependencies"].values() for entry in extra]
    return {named(entry) for entry in [*PROJECT["dependencies"], *extras]}


def foreign() -> dict[str, str]:
    """Each foreign package with a file that imports it, also where it is imported only when it is used."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in statements(ast.parse(path.read_text(encoding="utf-8")), inside=True):
            found.update({name.partition(".")[0]: str(path.relative_to(ROOT)) for name in imported(node)})
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names | OURS}


def requirements(name: str) -> set[str]:
    lines = (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith(("#", "-"))}


def locked(name: str) -> set[str]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return {named(entry) for entry in re.findall(r"^([A-Za-z0-9][\w.-]*)==", text, re.MULTILINE)}


@pytest.mark.slow
def test_every_package_that_is_imported_is_declared():
    known = NOT_INSTALLED | dict(packages_distributions())
    missing = {
        f"{name} ({path})"
        for name, path in foreign().items()
        if not {named(entry) for entry in known.get(name, [name])} & declared()
    }

    assert missing == set()


@pytest.mark.parametrize("extra", ["speech", "redis"])
def test_an_extra_and_its_requirements_are_the_same_list(extra):
    assert requirements(f"{extra}.in") == set(PROJECT["optional-dependencies"][extra])


def test_what_is_declared_is_locked():
    needed = [*PROJECT["dependencies"]]
    for extra in ("gateway", "ollama", "anthropic", "web", "mqtt"):
        needed += PROJECT["optional-dependencies"][extra]
    assert set(map(named, needed)) - {"voice-gateway"} <= locked("run.lock")
    for extra in ("speech", "redis"):
        assert {named(entry) for entry in requirements(f"{extra}.in")} <= locked(f"{extra}.lock")


def test_the_locks_have_hashes_and_name_no_index():
    locks = sorted((ROOT / "requirements").glob("*.lock"))

    assert len(locks) == len(list((ROOT / "requirements").glob("*.in")))
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text
        assert text.count("--hash=sha256:") >= len(re.findall(r"^\S+==", text, re.MULTILINE)) > 0


def test_the_wheel_has_every_file_of_every_package(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    wheel = ZipFile(tmp_path / build_wheel(str(tmp_path)))
    files = [
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    ]

    assert set(files) - set(wheel.namelist()) == set()
    assert {f"{package}/py.typed" for package in OURS} <= set(files)
