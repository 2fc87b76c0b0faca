"""`voice-gateway config`: origins, masked secrets, and a file that changes nothing until it is edited."""

import json
import re
import tomllib

import pytest

from voice_gateway.__main__ import main
from voice_gateway.commands.config import commented_file
from voice_gateway.config import Settings, load


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def shown(capsys):
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_show_names_the_variable_a_value_came_from_and_masks_secrets(capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("MQTT_BROKER_URL", "mqtt://me:word@host")

    assert main(["config", "show", "--json"]) == 0

    rows = shown(capsys)
    assert rows["anthropic.api_key"] == {
        "name": "anthropic.api_key",
        "value": "********",
        "origin": "ANTHROPIC_API_KEY",
    }
    assert rows["mqtt.broker_url"]["value"] == "mqtt://********@host"
    assert rows["ollama.num_ctx"]["origin"] == "default"
    assert "--simulate" in rows["mcpServers.zwave"]["value"]


def test_show_for_people_hides_secrets_too(capsys, monkeypatch):
    monkeypatch.setenv("MQTT_PASSWORD", "very-secret")

    assert main(["config"]) == 0

    assert "very-secret" not in capsys.readouterr().out


def test_init_writes_a_file_that_changes_nothing_and_is_not_written_over(tmp_path, capsys):
    assert main(["config", "init"]) == 0
    assert load(environ={}).settings == load(tmp_path / "voice-gateway.toml", environ={}).settings
    assert load(environ={}).origins == {}

    assert main(["config", "init"]) == 2
    assert "--force" in capsys.readouterr().err


def test_every_line_of_the_file_can_be_uncommented():
    text = "\n".join(
        re.sub(r"^# (\w+ = )", r"\1", line)
        for line in commented_file().partition("# Your own")[0].splitlines()
    )

    tree = tomllib.loads(text)

    assert Settings.model_validate(tree).ollama.model == Settings().ollama.model


def test_check_suggests_what_was_meant(tmp_path, capsys):
    (tmp_path / "voice-gateway.toml").write_text("[voice]\nenabeld = true\n")

    assert main(["config", "check"]) == 2

    err = capsys.readouterr().err
    assert 'unknown setting "voice.enabeld" (did you mean "enabled"?)' in err
    assert err.count("\n") == 1
    assert main(["config", "check", "--config", "nowhere.toml"]) == 2
