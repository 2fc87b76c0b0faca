"""Settings: command line over environment over file over default, and one clear line for each mistake."""

import json
import sys
from pathlib import Path

import pytest
from tests.fakes.allowed_settings import allowed

from voice_gateway.cli.config import commented_file
from voice_gateway.config import ServerSettings, load, remember_home
from voice_gateway.config.environment import KNOWN_NAMES, env_name
from voice_gateway.config.kinds import CHANNELS
from voice_gateway.config.tree import WITHOUT_EFFECT, setting_names
from voice_gateway.errors import ConfigError


def written(text: str, name: str = "voice-gateway.toml") -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return allowed(file)


def test_without_any_file_the_defaults_hold_and_the_simulated_home_is_the_server():
    loaded = load(environ={})

    assert loaded.settings.brain.provider == "local"
    server = loaded.settings.mcpServers["zwave"]
    assert server.command == sys.executable
    assert server.simulated
    assert loaded.file is None


def test_a_tool_of_one_s_own_keeps_the_simulated_home():
    written('[mcpServers.mine]\ncommand = "my-server"\n')

    servers = load(environ={}).settings.mcpServers
    assert list(servers) == ["mine", "zwave"]
    assert servers["zwave"].simulated


@pytest.mark.parametrize(
    "server",
    [
        'command = "zwave-mcp-server"',
        'url = "http://homeassistant.local:8123/api/mcp"',
        'url = "http://homeassistant.local:8123/mcp"\nheaders = { Authorization = "Bearer x" }',
    ],
)
def test_a_server_with_devices_replaces_the_simulated_home(server: str):
    written(f"[mcpServers.mine]\n{server}\n")

    assert list(load(environ={}).settings.mcpServers) == ["mine"]


def test_a_server_that_had_devices_before_is_the_home_also_while_it_is_away():
    written('[mcpServers.mine]\ncommand = "my-server"\n')
    remember_home("mine")
    remember_home("mine")

    assert list(load(environ={}).settings.mcpServers) == ["mine"]


def test_the_simulated_home_can_be_switched_off():
    written("[mcp]\nsimulated_home = false\n")

    assert load(environ={}).settings.mcpServers == {}


def test_command_line_wins_over_environment_over_file():
    written('[ollama]\nmodel = "from-file"\nnum_ctx = 2048\nkeep_alive = "1h"\n')
    environ = {"OLLAMA_MODEL": "from-environment", "VOICE_GATEWAY_OLLAMA_NUM_CTX": "8192"}

    loaded = load(environ=environ, overrides={"ollama.model": "from-command-line"})

    assert loaded.settings.ollama.model == "from-command-line"
    assert loaded.settings.ollama.num_ctx == 8192
    assert loaded.settings.ollama.keep_alive == "1h"
    assert loaded.origins["ollama.model"] == "command line"
    assert loaded.origins["ollama.num_ctx"] == "VOICE_GATEWAY_OLLAMA_NUM_CTX"
    assert loaded.origins["ollama.keep_alive"].endswith("voice-gateway.toml")


def test_our_own_variable_wins_over_a_known_name():
    environ = {"OLLAMA_MODEL": "known", "VOICE_GATEWAY_OLLAMA_MODEL": "own"}

    assert load(environ=environ).settings.ollama.model == "own"


def test_every_setting_has_a_twin_in_the_environment():
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


def test_a_key_in_the_environment_does_not_choose_the_cloud():
    assert load(environ={"ANTHROPIC_API_KEY": "sk-x"}).settings.brain.provider == "local"


def test_a_preset_changes_defaults_and_nothing_that_was_said():
    written('preset = "online"\n[tools]\nsearch = false\n')

    loaded = load(environ={})

    assert loaded.settings.brain.provider == "anthropic"
    assert loaded.settings.tools.search is False
    assert loaded.origins["brain.provider"] == "preset online"


def test_an_unknown_preset_is_named():
    with pytest.raises(ConfigError, match="VOICE_GATEWAY_PRESET: preset: must be 'offline'"):
        load(environ={"VOICE_GATEWAY_PRESET": "fast"})


def test_the_current_folder_wins_over_the_configuration_folder():
    written('[brain]\nroom = "far"\n', "config/voice-gateway/voice-gateway.toml")
    assert load(environ={}).settings.brain.room == "far"

    written('[brain]\nroom = "near"\n')
    assert load(environ={}).settings.brain.room == "near"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[ollama]\nnum_ct = 1\n", 'unknown setting "ollama.num_ct" (did you mean "num_ctx"?)'),
        ("[olama]\nmodel = 'x'\n", 'unknown setting "olama" (did you mean "ollama"?)'),
        ("[brain]\nprovider = 'gpt'\n", "brain.provider: must be 'local', 'ollama' or 'anthropic'"),
        ("[brain]\nlanguage = 'tlh'\n", 'brain.language: there are no sentences for "tlh"'),
        ("[mcp]\nattempts = 0\n", "mcp.attempts: must be greater than or equal to 1"),
        ("[mcpServers.a]\nargs = ['x']\n", "mcpServers.a: needs either command or url"),
        ("[mcpServers.a]\ncommand = 'x'\ntype = 'sse'\n", 'mcpServers.a: type "sse" does not fit a command'),
        (
            "[mcpServers.a]\nurl = 'http://x/'\ntype = 'stdio'\n",
            'mcpServers.a: type "stdio" does not fit a url',
        ),
        ("[mcpServers.a]\nurl = 'ftp://x'\n", "mcpServers.a.url: must start with http:// or https://"),
        ("[mcpServers.a]\ncomand = 'x'\n", 'did you mean "command"?'),
        ("[mcpServers.a]\ncommand = 'x'\n[mcpServers.a]\ncommand = 'y'\n", "is not valid TOML"),
        ("not toml", "is not valid TOML"),
        ("brain = 3\n", "brain: must be"),
        ("[mqtt]\nbroker_url = 'http://x'\n", "mqtt.broker_url: must start with mqtt:// or mqtts://"),
        ("[mqtt]\nprefix = 'a/#'\n", "mqtt.prefix: must be a plain topic"),
        ("[mqtt]\nshare_group = 'g'\n", 'mqtt.share_group needs brain.store = "redis://…"'),
        ("[brain]\nstore = 'disk'\n", "brain.store: must be memory, sqlite or redis://"),
        ("[mcpServers.builtin]\ncommand = 'x'\n", '"builtin" is the name of the tools of the gateway itself'),
        ("[mcpServers.'my server']\ncommand = 'x'\n", 'mcpServers: "my server" is no name for a server'),
        ("[mcpServers.a__b]\ncommand = 'x'\n", 'mcpServers: "a__b" is no name for a server'),
        ("[mcpServers.'']\ncommand = 'x'\n", 'mcpServers: "" is no name for a server'),
        ('[mcpServers."a\\n"]\ncommand = "x"\n', 'mcpServers: "a\\n" is no name for a server'),
        ("[mcpServers.a]\ncommand = 'x'\nargs = 'b'\n", "mcpServers.a.args: must be a valid list"),
        ("[ollama]\nbase_url = 'localhost'\n", "ollama.base_url: must start with http:// or https://"),
        ("[ollama]\nbase_url = 'http://'\n", "ollama.base_url: names no host"),
        ("[anthropic]\nbase_url = 'x:1'\n", "anthropic.base_url: must start with http:// or https://"),
    ],
)
def test_a_mistake_in_the_file_is_one_clear_line(text, says):
    written(text)

    with pytest.raises(ConfigError) as caught:
        load(environ={})

    assert says in str(caught.value)
    assert "voice-gateway.toml" in str(caught.value)
    assert "\n" not in str(caught.value).replace("(at line", "")


def test_a_wrong_value_in_the_environment_names_the_variable():
    with pytest.raises(ConfigError, match=r"MCP_RETRY_ATTEMPTS: mcp\.attempts"):
        load(environ={"MCP_RETRY_ATTEMPTS": "many"})


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("VOICE_GATEWAY_OLLAMA_NUM_CTXX", ' (did you mean "VOICE_GATEWAY_OLLAMA_NUM_CTX"?)'),
        ("VOICE_GATEWAY_MCP_SERVERS", ' (did you mean "VOICE_GATEWAY_MCPSERVERS"?)'),
        ("VOICE_GATEWAY_XYZZY", ""),
    ],
)
def test_an_unknown_name_with_our_prefix_is_one_clear_line(variable, hint):
    with pytest.raises(ConfigError) as caught:
        load(environ={variable: "x", "PATH": "/bin"})

    assert str(caught.value) == f'environment: unknown setting "{variable}"{hint}'


@pytest.mark.parametrize("name", ["zwave", "home-assistant", "a.b_c", "9"])
def test_an_ordinary_name_of_a_server_is_taken(name):
    written(f"[mcpServers.'{name}']\ncommand = 'x'\n")

    assert name in load(environ={}).settings.mcpServers


def test_a_secret_is_not_repeated_in_an_error():
    written('[anthropic]\napi_key = ["sk-very-secret"]\n')

    with pytest.raises(ConfigError) as caught:
        load(environ={})

    assert "sk-very-secret" not in str(caught.value)


def test_a_named_file_that_is_missing_is_an_error():
    with pytest.raises(ConfigError, match=r"cannot read nowhere\.toml"):
        load(Path("nowhere.toml"), environ={})


@pytest.mark.parametrize("place", ['mcp_config = "mcp.json"\n', '[mcp]\nmcp_config = "mcp.json"\n'])
def test_the_servers_of_another_client_are_read(place):
    written(place)
    table = {
        "kitchen": {"command": "k", "args": ["-v"], "env": {"A": "1"}, "type": "stdio", "autoApprove": ["x"]},
        "off": {"command": "o", "disabled": True},
        "far": {"url": "https://example.org/mcp"},
    }
    written(json.dumps({"mcpServers": table}), "mcp.json")

    servers = load(environ={}).settings.mcpServers

    assert list(servers) == ["kitchen", "far", "zwave"]
    assert servers["kitchen"].args == ("-v",)
    assert dict(servers["kitchen"].env) == {"A": "1"}


def test_a_server_in_both_files_is_taken_from_ours(caplog):
    written('mcp_config = "mcp.json"\n[mcpServers.a]\ncommand = "ours"\n')
    written('{"mcpServers": {"a": {"command": "theirs"}}}', "mcp.json")

    assert load(environ={}).settings.mcpServers["a"].command == "ours"
    assert "configured twice" in caplog.text


def test_each_server_has_the_origin_it_came_from():
    file = written(
        'mcp_config = "mcp.json"\n[mcpServers.one]\ncommand = "x"\n[mcpServers.two]\ncommand = "x"\n'
    )
    written('{"mcpServers": {"three": {"command": "x"}}}', "mcp.json")
    variable = "VOICE_GATEWAY_MCPSERVERS"

    from_files = load(environ={})
    loaded = load(environ={variable: '{"one": {"command": "y"}}'})

    assert from_files.origins["mcp.mcp_config"] == str(Path.cwd() / file)
    assert from_files.origins["mcpServers.two"] == str(Path.cwd() / file)
    assert list(loaded.settings.mcpServers) == ["one", "three", "zwave"]
    assert loaded.origins["mcpServers.one"] == variable
    assert loaded.origins["mcpServers.three"] == str(Path.cwd() / "mcp.json")
    assert "mcpServers.two" not in loaded.origins


def test_every_setting_stands_in_the_documentation():
    page = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")

    missing = [name for name in setting_names() if f"`{name.split('.')[1]}`" not in _section(page, name)]

    assert missing == []
    assert [name for name in KNOWN_NAMES if name not in page] == []


def _section(page: str, setting: str) -> str:
    """The part of the page between this section's heading and the next one."""
    return page.partition(f"## `[{setting.split('.')[0]}]`")[2].partition("\n## ")[0]


def test_the_doors_that_may_ask_for_sensitive_actions_all_exist():
    doors = load(environ={}).settings.permission.sensitive_channels

    assert doors == ("cli", "voice")
    assert set(doors) < set(CHANNELS)


@pytest.mark.parametrize("environ", [{}, {"VOICE_GATEWAY_BRAIN_ROUTER": "false"}])
def test_a_setting_of_what_is_gone_is_taken_with_a_warning(environ, caplog):
    if not environ:
        written("[brain]\nrouter = false\n")

    loaded = load(environ=environ)

    assert loaded.settings.brain.router is False
    (record,) = caplog.records
    assert record.getMessage() == "setting has no effect any more"
    assert (record.setting, record.origin) == ("brain.router", loaded.origins["brain.router"])


@pytest.mark.parametrize("setting", WITHOUT_EFFECT)
def test_nobody_is_led_to_a_setting_of_what_is_gone(setting):
    section, _, key = setting.partition(".")
    wrong = f"{key[:-1]}xx"
    written(f"[{section}]\n{wrong} = 1\n")

    with pytest.raises(ConfigError) as in_file:
        load(environ={})
    with pytest.raises(ConfigError) as in_environment:
        load(environ={env_name(f"{section}.{wrong}"): "1"})

    assert key not in str(in_file.value).partition("did you mean")[2]
    assert env_name(setting) not in str(in_environment.value)
    assert f"# {key} =" not in commented_file().partition(f"[{section}]")[2].partition("\n[")[0]


def test_an_empty_text_means_none_and_an_empty_list():
    environ = {"VOICE_GATEWAY_BRAIN_ROOM": "", "VOICE_GATEWAY_PERMISSION_SENSITIVE_CHANNELS": ""}

    settings = load(environ=environ).settings

    assert settings.brain.room is None
    assert settings.permission.sensitive_channels == ()


@pytest.mark.parametrize("table", ["[1]", "5", '"x"', '{"a": 1}', "{", '{"a": {"command": "x"}, "a": {}}'])
def test_a_table_of_servers_that_is_none_names_the_variable(table):
    with pytest.raises(ConfigError, match=r"^VOICE_GATEWAY_MCPSERVERS"):
        load(environ={"VOICE_GATEWAY_MCPSERVERS": table})


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
def test_only_our_own_server_is_trusted_unless_somebody_says_so(server, trusted):
    assert ServerSettings(**server).trusted is trusted


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[mcpServers.ha]\nurl = "http://ha"\nheaders = { Authorization = "Bearer s3cret" }', "server ha"),
        ('[mcpServers.z]\ncommand = "z"\nenv = { MQTT_PASSWORD = "s3cret" }', "server z"),
        ('[anthropic]\napi_key = "s3cret"', "anthropic.api_key"),
    ],
)
def test_a_token_in_a_file_that_others_can_read_is_told_of(tmp_path, text, what):
    file = tmp_path / "voice-gateway.toml"
    file.write_text(text)
    tmp_path.chmod(0o755)
    file.chmod(0o644)

    (sentence,) = load(file, environ={}).readable
    assert str(file) in sentence
    assert what in sentence
    assert "s3cret" not in sentence

    file.chmod(0o600)
    assert load(file, environ={}).readable == (), "closed"
    file.chmod(0o644)
    tmp_path.chmod(0o700)
    assert load(file, environ={}).readable == (), "in a closed folder"


def test_without_a_secret_a_file_may_be_read_by_all(tmp_path):
    file = tmp_path / "voice-gateway.toml"
    file.write_text('[mcpServers.ha]\nurl = "http://ha"\n[brain]\nroom = "Hall"\n')
    tmp_path.chmod(0o755)
    file.chmod(0o644)

    assert load(file, environ={}).readable == ()


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
