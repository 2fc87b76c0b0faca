"""The files for running it as a service: their syntax, and what must not be missing in them."""

import configparser
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.fakes.counterparts import program
from tests.fakes.ports import free_port
from tests.fakes.waiting import until

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
UNITS = ("voice-gateway.service", "voice-gateway-system.service")


def unit(name: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = lambda option: option  # type: ignore[assignment]
    parser.read_string((PACKAGING / name).read_text())
    return {section: dict(parser[section]) for section in parser.sections()}


# Where systemd looks for them below ~/.local and below /usr/local.
INSTALLED = {"--user": "share/systemd/user", "--system": "lib/systemd/system"}


@pytest.fixture
def prefix(tmp_path) -> Path:
    """What `make install` makes, without the packages."""
    subprocess.run([ROOT / "scripts" / "install-units", tmp_path], cwd=ROOT, check=True, timeout=30)
    command = tmp_path / "bin" / "voice-gateway"
    command.parent.mkdir()
    command.symlink_to(Path(sys.executable).with_name("voice-gateway"))
    return tmp_path


@pytest.mark.parametrize("manager", INSTALLED)
def test_systemd_accepts_the_installed_unit(manager, prefix):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    environment = {"XDG_RUNTIME_DIR": str(prefix), "HOME": str(prefix), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [
            *(analyze, "verify", manager, "--man=no", "--recursive-errors=no"),
            prefix / INSTALLED[manager] / "voice-gateway.service",
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert "voice-gateway.service" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_restarts_after_a_crash_not_after_a_mistake_and_is_hardened(name):
    service = unit(name)["Service"]

    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == "2"
    assert service["NoNewPrivileges"] == "yes"
    assert service["UMask"] == "0077"
    assert int(service["TimeoutStopSec"]) > 3


def instructions() -> list[tuple[str, str]]:
    """Every instruction of the Dockerfile with its arguments; lines that go on are one."""
    text = re.sub(r"\\\n\s*", "", (PACKAGING / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_image_is_built_from_hashes_and_runs_without_rights():
    known = {"FROM", "RUN", "ENV", "WORKDIR", "COPY", "USER", "VOLUME", "STOPSIGNAL", "HEALTHCHECK"}
    found = instructions()

    assert {word for word, _ in found} <= known | {"ENTRYPOINT", "CMD"}
    last = max(number for number, (word, _) in enumerate(found) if word == "FROM")
    assert ("USER", "voice-gateway") in found[last:]
    installs = [rest for word, rest in found if word == "RUN" and "pip install" in rest]
    assert installs
    assert all("--no-deps" in rest for rest in installs)
    assert "--only-binary :all: --require-hashes" in installs[0]
    assert all(re.match(r"python:3\.\d+\.\d+-", rest) for word, rest in found if word == "FROM")
    assert found[-2:] == [("ENTRYPOINT", '["voice-gateway"]'), ("CMD", '["run"]')]


async def test_the_gateway_takes_its_settings_in_the_container(commands):
    text = (PACKAGING / "gateway.toml").read_text()
    wanted = commands.file("with-stick.toml", re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE))
    environment = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]["gateway"][
        "environment"
    ]
    environment = {key: value for key, value in environment.items() if "$" not in value}

    done = await commands.run("config", "check", "--config", str(wanted), **environment)

    assert done.code == 0, done.err
    assert tomllib.loads(wanted.read_text())["mcpServers"]["zwave"]["command"] == "zwave-mcp-server"


async def test_mosquitto_takes_its_settings(tmp_path):
    text = (PACKAGING / "mosquitto.conf").read_text().replace("/mosquitto/data/", f"{tmp_path}/")
    config, port = tmp_path / "mosquitto.conf", free_port()
    config.write_text(text.replace("listener 1883", f"listener {port} localhost"))
    broker = subprocess.Popen([program("mosquitto"), "-c", str(config)], stderr=subprocess.PIPE, text=True)

    def listens() -> bool:
        assert broker.poll() is None, broker.stderr.read()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        await until(listens)
    finally:
        broker.kill()
        broker.communicate()
