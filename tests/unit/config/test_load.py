"""Settings: command line over environment over file over default, and one line for each mistake."""

import sys
from pathlib import Path

import pytest

from voice_gateway.config import ServerSettings, Settings, load
from voice_gateway.config.environment import KNOWN_NAMES, env_name
from voice_gateway.config.moved import REMOVED, RENAMED
from voice_gateway.config.tree import setting_names
from voice_gateway.errors import ConfigError


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


@pytest.mark.parametrize(("variable", "setting"), KNOWN_NAMES.items())
def test_names_people_already_have_are_read(variable, setting):
    special = {
        "AI_PROVIDER": "ollama",
        "MCP_RETRY_ATTEMPTS": "7",
        "MCP_RETRY_BASE_DELAY": "0.5",
        "MQTT_BROKER_URL": "mqtt://b",
        "OLLAMA_BASE_URL": "http://b",
    }
    value = special.get(variable, "x")

    loaded = load(environ={variable: value})

    section, key = setting.split(".")
    found = getattr(getattr(loaded.settings, section), key)
    assert str(getattr(found, "get_secret_value", lambda: found)()) == value


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


@pytest.mark.parametrize(
    ("server", "trusted"),
    [
        ({"command": "zwave-mcp-server"}, True),
        ({"command": "/opt/venv/bin/zwave-mcp-server", "args": ("--simulate",)}, True),
        ({"command": "/usr/bin/python3.12", "args": ("-m", "zwave_mcp")}, True),
        ({"command": "zwave-mcp-server", "trusted": False}, False),
        ({"command": "weather-mcp-server"}, False),
        ({"command": "weather-mcp-server", "args": ("zwave-mcp-server", "--simulate")}, False),
        ({"command": "weather-mcp-server", "trusted": True}, True),
        ({"url": "http://127.0.0.1/zwave-mcp-server"}, False),
    ],
)
def test_only_our_own_server_is_trusted_by_default(server, trusted):
    assert ServerSettings(**server).trusted is trusted


@pytest.mark.parametrize(
    ("server", "home"),
    [
        ({"command": "zwave-mcp-server"}, True),
        ({"url": "http://ha.local:8123/api/mcp"}, True),
        ({"url": "https://ha.local/mcp_server/sse/"}, True),
        ({"url": "http://tools.local/mcp"}, False),
        ({"command": "npx", "args": ["some-server"]}, False),
    ],
)
def test_a_home_is_expected_where_its_address_says_so(server, home):
    assert ServerSettings(**server).is_home is home


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
    wrong = [
        ("[ollama]\nnum_ct = 1\n", 'unknown setting "ollama.num_ct" (did you mean "num_ctx"?)'),
        ("[olama]\nmodel = 'x'\n", 'unknown setting "olama" (did you mean "ollama"?)'),
        ("[brain]\nprovider = 'gpt'\n", "brain.provider: must be 'local', 'ollama' or 'anthropic'"),
        ("[mcp]\nattempts = 0\n", "mcp.attempts: must be greater than or equal to 1"),
        ("[mcpServers.a]\nargs = ['x']\n", "mcpServers.a: needs either command or url"),
        ("[mcpServers.a]\ncommand = 'x'\ntype = 'sse'\n", 'type "sse" does not fit a command'),
        ("[mcpServers.a]\nurl = 'http://x/'\ntype = 'stdio'\n", 'type "stdio" does not fit a url'),
        ("[mcpServers.a]\ncomand = 'x'\n", 'did you mean "command"?'),
        ("[mcpServers.a]\ncommand = 'x'\nargs = 'b'\n", "mcpServers.a.args: must be a valid list"),
        ("not toml", "is not valid TOML"),
        ("brain = 3\n", "brain: must be"),
        ("[mcpServers.builtin]\ncommand = 'x'\n", '"builtin" is the name'),
        ("[mcpServers.'my server']\ncommand = 'x'\n", '"my server" is not a server name'),
        ("[mcpServers.a__b]\ncommand = 'x'\n", '"a__b" is not a server name'),
        ("[mcpServers.'']\ncommand = 'x'\n", '"" is not a server name'),
    ]
    failures = []
    for text, says in wrong:
        file = written(text)
        try:
            load(environ={})
            failures.append((text, "was taken"))
        except ConfigError as error:
            if says not in str(error) or str(file) not in str(error) or "\n" in str(error):
                failures.append((text, str(error)))
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
