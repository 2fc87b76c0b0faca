"""Settings: command line over environment over file over default, and one line for each mistake."""

import sys
from pathlib import Path

import pytest
import yaml

from voice_gateway.config import ServerSettings, Settings, load
from voice_gateway.config.environment import KNOWN_NAMES, env_name
from voice_gateway.config.moved import REMOVED, RENAMED
from voice_gateway.config.tree import setting_names
from voice_gateway.errors import ConfigError

VALUES = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text())


def test_without_any_file_the_defaults_hold_and_the_simulated_home_is_the_server():
    loaded = load(environ={})

    assert loaded.settings.brain.provider == "local"
    server = loaded.settings.mcpServers["zwave"]
    assert server.command == sys.executable
    assert server.simulated
    assert loaded.file is None


@pytest.mark.parametrize(
    "server", ['command = "my-server"', 'url = "http://homeassistant.local:8123/api/mcp"']
)
def test_a_configured_server_replaces_the_simulated_home(server: str, written):
    written(f"[mcpServers.mine]\n{server}\n")

    assert list(load(environ={}).settings.mcpServers) == ["mine"]


def test_command_line_wins_over_environment_over_file(written):
    written('[ollama]\nmodel = "from-file"\nnum_ctx = 2048\nkeep_alive = "1h"\n')
    environ = {"OLLAMA_MODEL": "from-environment", "VOICE_GATEWAY_OLLAMA_NUM_CTX": "8192"}

    loaded = load(environ=environ, overrides={"ollama.model": "from-command-line"})

    assert loaded.settings.ollama.model == "from-command-line"
    assert loaded.settings.ollama.num_ctx == 8192
    assert loaded.settings.ollama.keep_alive == "1h"
    assert loaded.origins["ollama.model"] == "command line"
    assert loaded.origins["ollama.num_ctx"] == "VOICE_GATEWAY_OLLAMA_NUM_CTX"
    assert loaded.origins["ollama.keep_alive"].endswith("voice-gateway.toml")


def test_every_setting_can_be_set_in_the_environment():
    defaults = load(environ={}).settings
    for setting in setting_names():
        section, key = setting.split(".")
        value = getattr(getattr(defaults, section), key)
        text = ", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)

        loaded = load(environ={env_name(setting): text})

        assert getattr(getattr(loaded.settings, section), key) == value, setting
        assert loaded.origins[setting] == env_name(setting)


def test_names_people_already_have_are_read():
    environ = dict.fromkeys(KNOWN_NAMES, "x") | {
        "AI_PROVIDER": "ollama",
        "MCP_RETRY_ATTEMPTS": "7",
        "MCP_RETRY_BASE_DELAY": "0.5",
        "MQTT_BROKER_URL": "mqtt://b",
        "OLLAMA_BASE_URL": "http://b",
    }
    settings = load(environ=environ).settings
    for variable, setting in KNOWN_NAMES.items():
        section, key = setting.split(".")
        value = getattr(getattr(settings, section), key)
        assert str(getattr(value, "get_secret_value", lambda: value)()) == environ[variable], variable  # noqa: B023


def test_a_secret_is_not_repeated_in_an_error(written):
    written('[anthropic]\napi_key = ["sk-very-secret"]\n')

    with pytest.raises(ConfigError) as caught:
        load(environ={})

    assert "sk-very-secret" not in str(caught.value)


def test_a_server_in_both_files_is_taken_from_ours(caplog, written):
    written('mcp_config = "mcp.json"\n[mcpServers.a]\ncommand = "ours"\n')
    written('{"mcpServers": {"a": {"command": "theirs"}}}', "mcp.json")

    assert load(environ={}).settings.mcpServers["a"].command == "ours"
    assert "configured twice" in caplog.text


def test_each_server_has_the_origin_it_came_from(written):
    file = written(
        'mcp_config = "mcp.json"\n[mcpServers.one]\ncommand = "x"\n[mcpServers.two]\ncommand = "x"\n'
    )
    written('{"mcpServers": {"three": {"command": "x"}}}', "mcp.json")
    variable = "VOICE_GATEWAY_MCPSERVERS"

    from_files = load(environ={})
    loaded = load(environ={variable: '{"one": {"command": "y"}}'})

    assert from_files.origins["mcp.mcp_config"] == str(file)
    assert from_files.origins["mcpServers.two"] == str(file)
    assert list(loaded.settings.mcpServers) == ["one", "three"]
    assert loaded.origins["mcpServers.one"] == variable
    assert loaded.origins["mcpServers.three"] == str(file.with_name("mcp.json"))
    assert "mcpServers.two" not in loaded.origins


def test_only_our_own_server_is_trusted_by_default_and_a_home_is_known_by_its_address():
    for server, trusted in VALUES["trusted"]:
        assert ServerSettings(**server).trusted is trusted, server
    for server, home in VALUES["home"]:
        assert ServerSettings(**server).is_home is home, server


def test_no_file_is_read_from_the_current_folder(tmp_path, written):
    Path("voice-gateway.toml").write_text('[brain]\nroom = "trap"\n')
    assert load(environ={}).file is None

    users = written('[brain]\nroom = "users"\n')
    assert load(environ={}).file == users

    other = tmp_path / "other.toml"
    other.write_text("")
    environ = {"VOICE_GATEWAY_CONFIG": str(other)}
    assert load(environ=environ).file == other
    assert load(users, environ=environ).file == users, "the command line wins"


@pytest.mark.parametrize("old", sorted([*RENAMED, *REMOVED]))
def test_an_old_setting_is_refused_with_its_replacement(old, written):
    section, _, key = old.partition(".")
    file = written(f"[{section}]\n{key} = 1\n" if key else f"{section} = 1\n")

    with pytest.raises(ConfigError) as in_file:
        load(environ={})
    file.unlink()
    with pytest.raises(ConfigError) as in_environment:
        load(environ={env_name(old): "1"})

    assert str(in_file.value).startswith(f'{file}: "{old}" is ')
    assert old not in setting_names()
    if old in RENAMED:
        new, _hint = RENAMED[old]
        assert new in setting_names()
        assert f'"{new}"' in str(in_file.value)
        assert env_name(new) in str(in_environment.value)


def test_a_mistake_in_the_file_is_one_line_that_says_what_to_write(written):
    failures = []
    for text, says in VALUES["file"]:
        file = written(text)
        with pytest.raises(ConfigError) as caught:
            load(environ={})
        if says not in str(caught.value) or str(file) not in str(caught.value) or "\n" in str(caught.value):
            failures.append((text, str(caught.value)))
    assert failures == []


def test_a_mistake_in_the_environment_names_the_variable():
    wrong = {
        "VOICE_GATEWAY_OLLAMA_NUM_CTXX": ("x", '(did you mean "VOICE_GATEWAY_OLLAMA_NUM_CTX"?)'),
        "VOICE_GATEWAY_XYZZY": ("x", 'unknown setting "VOICE_GATEWAY_XYZZY"'),
        "MCP_RETRY_ATTEMPTS": ("many", "MCP_RETRY_ATTEMPTS: mcp.attempts"),
        "VOICE_GATEWAY_MCPSERVERS": ("{", "VOICE_GATEWAY_MCPSERVERS: not valid JSON"),
    }
    for variable, (value, says) in wrong.items():
        with pytest.raises(ConfigError) as caught:
            load(environ={variable: value, "PATH": "/bin"})
        assert says in str(caught.value)


def test_a_secret_that_others_can_read_is_reported(tmp_path):
    file = tmp_path / "voice-gateway.toml"
    file.write_text('[mcpServers.ha]\nurl = "http://ha"\nheaders = { Authorization = "Bearer s3cret" }')
    tmp_path.chmod(0o755)
    file.chmod(0o644)
    assert load(file, environ={}).readable == "the token of the server ha"

    file.chmod(0o600)
    assert load(file, environ={}).readable is None, "closed"
    file.chmod(0o644)
    tmp_path.chmod(0o700)
    assert load(file, environ={}).readable is None, "in a closed folder"
    tmp_path.chmod(0o755)
    file.write_text('[brain]\nroom = "Hall"\n')
    assert load(file, environ={}).readable is None, "no secret in it"


def test_merged_settings_keep_their_meaning():
    settings = Settings.model_validate(
        {
            "home": {"location": [52.5, 13.4]},
            "recorder": {"days": 0},
            "voice": {"stt": "tcp://box:10300", "tts": "voices/amy.onnx"},
            "tools": {"weather_url": "http://meteo.local"},
        }
    )

    assert (settings.home.latitude, settings.home.longitude) == (52.5, 13.4)
    assert not settings.recorder.enabled
    assert (settings.voice.stt_engine, settings.voice.tts_engine) == ("wyoming", "piper")
    assert settings.tools.weather_towns_url == "http://meteo.local"
    assert Settings().tools.weather_towns_url.startswith("https://geocoding-api.open-meteo.com")
