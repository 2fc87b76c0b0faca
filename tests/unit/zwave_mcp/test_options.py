import io
import os
from pathlib import Path

import pytest
import yaml

from zwave_mcp.cli import _parser, start
from zwave_mcp.options import MqttOptions, Options, SimulationOptions, Wrong, read_options

DATA = yaml.safe_load(Path(__file__).with_name("settings.yaml").read_text(encoding="utf-8"))


def options(*arguments: str, **environment: str) -> Options:
    return read_options(_parser(io.StringIO()).parse_args(arguments), environment)


def test_flags_win_over_the_environment():
    chosen = options(
        "--broker", "mqtts://flag:8884", MQTT_BROKER_URL="mqtt://env", MQTT_USERNAME="me", ZWAVE_SIMULATE="1"
    )
    assert chosen.home == MqttOptions("mqtts://flag:8884", "me")
    assert not chosen.allow_unlock


def test_everything_can_come_from_the_environment(tmp_path: Path):
    authority = tmp_path / "ca.pem"
    authority.write_text("x", encoding="utf-8")
    chosen = options(
        MQTT_BROKER_URL="mqtt://[::1]:1884",
        MQTT_USERNAME="me",
        MQTT_PASSWORD="secret",
        MQTT_CA_FILE=str(authority),
        ZWAVE_MQTT_PREFIX="house/zwave",
        ZWAVE_GATEWAY="Home Gateway",
        ZWAVE_ALLOW_UNLOCK="true",
        ZWAVE_LOG_LEVEL="info",
    )
    assert chosen.home == MqttOptions(
        "mqtt://[::1]:1884", "me", "secret", authority, "house/zwave", "Home Gateway"
    )
    assert chosen.allow_unlock
    assert chosen.log_level == "INFO"


def test_a_password_file_is_read_and_shown_nowhere(tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("secret\n", encoding="utf-8")
    chosen = options("--broker", "mqtt://x", MQTT_PASSWORD_FILE=str(file)).home
    assert isinstance(chosen, MqttOptions)
    assert (chosen.password, "secret" in repr(chosen)) == ("secret", False)


def test_the_state_of_every_simulated_home_is_kept_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    default, own = options("--simulate").home, options("--simulate", "a.toml").home
    assert isinstance(default, SimulationOptions)
    assert isinstance(own, SimulationOptions)
    assert default.state_file == tmp_path / "voice-gateway" / "simulated-home.sqlite"
    assert own.state_file is not None
    assert own.state_file.parent == tmp_path / "voice-gateway"
    assert own.state_file.name.startswith("simulated-a-")
    assert own.home_file == Path("a.toml").resolve()


def test_a_mistake_is_named():
    for arguments, environment, expected in DATA["mistakes"]:
        with pytest.raises(Wrong) as caught:
            options(*arguments, **environment)
        assert expected in str(caught.value), arguments
        assert "secret" not in str(caught.value)


def test_a_mistake_ends_with_2(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    for arguments, expected in DATA["ends"]:
        wire = os.open(tmp_path / "wire", os.O_RDWR | os.O_CREAT)
        assert start(arguments, wire) == 2
        os.close(wire)
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("zwave-mcp-server: "), line
        assert expected in line
        assert (tmp_path / "wire").read_text(encoding="utf-8") == ""
