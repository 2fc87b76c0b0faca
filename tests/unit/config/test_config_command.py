"""`voice-gateway config`: origins, masked secrets, and a file that changes nothing until it is edited."""

import json
import re
import tomllib

import pytest
from tests.fakes.allowed_settings import allowed

from voice_gateway.__main__ import main
from voice_gateway.cli.config import commented_file
from voice_gateway.config import Settings, load


def shown(capsys):
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_show_names_the_variable_a_value_came_from_and_masks_secrets(capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("MQTT_BROKER_URL", "mqtt://me:word@host")

    assert main(["config", "show", "--json"]) == 0

    rows = shown(capsys)
    assert rows["anthropic.api_key"] == {
        "name": "anthropic.api_key",
        "value": "***",
        "origin": "ANTHROPIC_API_KEY",
    }
    assert rows["mqtt.broker_url"]["value"] == "mqtt://***@host"
    assert rows["ollama.num_ctx"]["origin"] == "default"
    assert "--simulate" in rows["mcpServers.zwave"]["value"]


def test_show_for_people_hides_secrets_too(capsys, monkeypatch):
    monkeypatch.setenv("MQTT_PASSWORD", "very-secret")

    assert main(["config"]) == 0

    assert "very-secret" not in capsys.readouterr().out


@pytest.mark.parametrize("as_json", [True, False])
def test_show_hides_what_servers_and_addresses_were_told_in_confidence(tmp_path, capsys, as_json):
    (tmp_path / "voice-gateway.toml").write_text(
        """
        [tools]
        searxng_url = "http://searx.local/?key=hush-1&safe=2"
        [mqtt]
        broker_url = "mqtt://bob:hush@2@host"
        [mcpServers.a]
        command = "server"
        args = ["--token", "hush-3", "--password=hush-4", "--key", "sk-ant-hush-5", "http://b:hush-6@h/x?pwd=hush-7"]
        [mcpServers.b]
        url = "https://bob:hush@8@host/mcp?api_key=hush-9&units=metric"
        """
    )
    allowed(tmp_path / "voice-gateway.toml")

    assert main(["config", "show", *(["--json"] if as_json else [])]) == 0

    out = capsys.readouterr().out
    assert "hush" not in out
    assert "@2" not in out
    assert "@8" not in out
    if as_json:
        rows = {row["name"]: row["value"] for row in json.loads(out)}
        assert rows["tools.searxng_url"] == "http://searx.local/?key=***&safe=2"
        assert rows["mqtt.broker_url"] == "mqtt://***@host"
        assert rows["mcpServers.a"] == "server --token *** --password=*** --key *** http://***@h/x?pwd=***"
        assert rows["mcpServers.b"] == "https://***@host/mcp?api_key=***&units=metric"


def test_show_names_the_preset_and_where_servers_came_from(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("VOICE_GATEWAY_PRESET", "offline")
    monkeypatch.setenv("VOICE_GATEWAY_MCPSERVERS", '{"one": {"command": "y"}}')
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"three": {"command": "x"}}}')
    file = tmp_path / "voice-gateway.toml"
    file.write_text('mcp_config = "mcp.json"\n[mcpServers.one]\ncommand = "x"\n')
    allowed(file)
    allowed(tmp_path / "mcp.json")

    assert main(["config", "show", "--json"]) == 0

    rows = shown(capsys)
    assert next(iter(rows)) == "preset"
    assert (rows["preset"]["value"], rows["preset"]["origin"]) == ("offline", "VOICE_GATEWAY_PRESET")
    assert rows["mcp.mcp_config"]["origin"] == str(file)
    assert rows["mcpServers.one"]["origin"] == "VOICE_GATEWAY_MCPSERVERS"
    assert rows["mcpServers.three"]["origin"] == str(tmp_path / "mcp.json")


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
    allowed(tmp_path / "voice-gateway.toml")

    assert main(["config", "check"]) == 2

    err = capsys.readouterr().err
    assert 'unknown setting "voice.enabeld" (did you mean "enabled"?)' in err
    assert err.count("\n") == 1
    assert main(["config", "check", "--config", "nowhere.toml"]) == 2


@pytest.mark.parametrize(("language", "code"), [("en", 0), ("de-DE", 0), ("pt-BR", 0), ("xx", 2), ("", 2)])
def test_check_refuses_a_language_that_is_not_there_and_names_the_choices(tmp_path, capsys, language, code):
    file = tmp_path / "own.toml"
    file.write_text(f'[brain]\nlanguage = "{language}"\n')

    assert main(["config", "check", "--config", str(file)]) == code

    err = capsys.readouterr().err
    assert not code or f'no sentences for "{language}"; there are af, ar, bg, ' in err
