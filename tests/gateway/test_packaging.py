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

from voice_gateway.config import WebSettings

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


@pytest.mark.parametrize(("name", "manager"), list(zip(UNITS, INSTALLED, strict=True)))
def test_a_unit_finds_the_command_that_was_installed_with_it(name, manager, prefix):
    """For one person below %h/.local, for the machine where systemd's own PATH has it."""
    service = unit(name)["Service"]
    given = re.search(r"PATH=(\S+)", service["Environment"]) if manager == "--user" else None
    path = given[1].replace("%h/.local", str(prefix)) if given else f"{prefix}/bin:/usr/bin:/bin"
    words = [*service["ExecStart"].split()[:-1], "--version"]

    done = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, timeout=30, check=False)

    assert (done.returncode, done.stdout[:13]) == (0, "voice-gateway"), done.stderr


def test_what_is_installed_does_not_lead_back_to_the_clone():
    """Else `ProtectHome` would hide it from the unit when the clone is below /home."""
    script = (ROOT / "scripts" / "install").read_text()

    assert unit("voice-gateway-system.service")["Service"]["ProtectHome"] == "yes"
    assert re.search(r"pip install .*--force-reinstall \.$", script, re.MULTILINE)
    assert 'ln -sf "$home/bin/$command" "$prefix/bin/$command"' in script


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_restarts_after_a_crash_not_after_a_mistake_and_is_hardened(name):
    service = unit(name)["Service"]

    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == "2"
    assert service["NoNewPrivileges"] == "yes"
    assert service["UMask"] == "0077"
    assert int(service["TimeoutStopSec"]) > 3


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_names_no_place_of_somebodys_machine(name):
    text = (PACKAGING / name).read_text()

    assert not re.search(r"/home/|/root|/opt|/srv|/usr/local/(?!bin)", text)
    assert unit(name)["Service"]["ExecStart"] == "/usr/bin/env voice-gateway run"


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


def test_what_the_image_copies_is_there_and_not_ignored():
    kept = [
        line[1:]
        for line in (PACKAGING / "Dockerfile.dockerignore").read_text().splitlines()
        if line[0] == "!"
    ]
    copied = [
        source
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]

    assert copied
    assert all((ROOT / source).exists() for source in copied)
    assert set(copied) == set(kept)


def test_the_compose_file_has_all_services_and_only_volumes_and_files_that_exist():
    tree = yaml.safe_load((PACKAGING / "compose.yaml").read_text())

    assert set(tree["services"]) == {"gateway", "mosquitto", "ollama", "zwave-js-ui"}
    for service in tree["services"].values():
        assert service["restart"] == "unless-stopped"
        assert "image" not in service or re.search(r":\d+\.\d+\.\d+$", service["image"]), "pinned"
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert (PACKAGING / source).exists() if source.startswith(".") else source in tree["volumes"]
    build = tree["services"]["gateway"]["build"]
    assert (PACKAGING / build["context"] / build["dockerfile"]).exists()
    published = [port for service in tree["services"].values() for port in service.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_console_in_the_container_is_reached_from_this_machine_with_a_token():
    gateway = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]["gateway"]
    web = WebSettings(host=gateway["environment"]["VOICE_GATEWAY_WEB_HOST"])

    assert f"127.0.0.1:{web.port}:{web.port}" in gateway["ports"]
    assert web.needs_token


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
