"""CI hides nothing: what passed only the second time is told, and more than two such tests fail the run."""

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

NOT_UNIT = "the script, again and again"

RUN = Path(__file__).resolve().parents[2] / ".ci" / "run"
# Stands for make: writes down how it was called; each line of fails/TARGET is one failure to come.
MAKE = """#!/bin/sh
echo "$*" >>called
[ -s "fails/$1" ] || exit 0
sed -i 1d "fails/$1"
[ -e "failed/$1" ] && mkdir -p .pytest_cache/v/cache && cp "failed/$1" .pytest_cache/v/cache/lastfailed
exit 2
"""


class Ci:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".ci").mkdir()
        shutil.copy(RUN, folder / ".ci" / "run")
        for name in ("bin", "fails", "failed"):
            (folder / name).mkdir()
        make = folder / "bin" / "make"
        make.write_text(MAKE, encoding="utf-8")
        make.chmod(make.stat().st_mode | stat.S_IXUSR)

    def failing(self, target: str, *tests: str, times: int = 1) -> "Ci":
        (self.folder / "fails" / target).write_text("once\n" * times, encoding="utf-8")
        if tests:
            failed = json.dumps(dict.fromkeys(tests, True))
            (self.folder / "failed" / target).write_text(failed, encoding="utf-8")
        return self

    def run(self) -> tuple[int, str]:
        env = {**os.environ, "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            [str(self.folder / ".ci" / "run")],
            capture_output=True,
            text=True,
            env=env,
            timeout=30,
            check=False,
        )
        return done.returncode, done.stdout

    @property
    def called(self) -> list[str]:
        return (self.folder / "called").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def ci(tmp_path: Path) -> Ci:
    return Ci(tmp_path)


def closing(text: str) -> list[str]:
    return text.partition("=== passed only the second time: ===\n")[2].splitlines()


def test_each_step_runs_once_and_its_share_of_the_hour_is_told(ci: Ci) -> None:
    code, text = ci.run()

    assert code == 0
    assert ci.called == [
        *("unit", "setup", "check", "eval", "test"),
        *("test-slow", "test-zwave", "test-voice", "soak SOAK_SECONDS=20"),
        *("test-web", "test-home-assistant", "test-others", "test-live"),
    ]
    shares = text.partition("=== where the time went")[2].splitlines()[1:]
    assert [line.partition("hour  ")[2] for line in shares] == [f"make {call}" for call in ci.called]
    planned = [int(line.partition("planned")[2].split()[0]) for line in shares]
    assert sum(planned) <= 50 * 60, "ten minutes of the hour are left to slower machines"
    assert closing(text) == []


def test_what_passes_only_the_second_time_is_listed_at_the_end(ci: Ci) -> None:
    code, text = ci.failing("test", "tests/a.py::test_b", "tests/a.py::test_c[1]").run()

    assert code == 0
    assert closing(text) == ["tests/a.py::test_b", "tests/a.py::test_c[1]"]
    assert "test ARGS=--last-failed" in ci.called


def test_more_than_two_of_them_fail_the_run_also_over_several_steps(ci: Ci) -> None:
    ci.failing("test", "tests/a.py::test_b", "tests/a.py::test_c").failing("test-live", "tests/d.py::test_e")
    code, text = ci.run()

    assert code == 1
    assert closing(text)[:3] == ["tests/a.py::test_b", "tests/a.py::test_c", "tests/d.py::test_e"]
    assert closing(text)[3] == "=== that is more than 2: failed ==="


def test_what_fails_twice_fails_the_run(ci: Ci) -> None:
    code, text = ci.failing("test-voice", "tests/a.py::test_b", times=2).run()

    assert code == 1
    assert "soak SOAK_SECONDS=20" not in ci.called
    assert closing(text) == []


@pytest.mark.parametrize("target", ["check", "setup", "eval", "soak"])
def test_some_steps_get_no_second_try(ci: Ci, target: str) -> None:
    code, _ = ci.failing(target, "tests/a.py::test_b").run()

    assert code == 1
    assert ci.called[-1].split()[0] == target
    assert not [call for call in ci.called if "--last-failed" in call]


@pytest.mark.parametrize("tests", [(), ("tests/a.py",), ("tests/a.py", "tests/a.py::test_b")])
def test_a_run_that_did_not_get_to_its_end_gets_none_either(ci: Ci, tests: tuple[str, ...]) -> None:
    code, _ = ci.failing("test", *tests).run()

    assert code == 1
    assert ci.called[-1] == "test"
