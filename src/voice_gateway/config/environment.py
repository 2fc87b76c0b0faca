"""The settings that environment variables say: our own names, and those that people already have."""

from collections.abc import Mapping
from typing import Any

from pydantic.fields import FieldInfo

from voice_gateway.config.kinds import did_you_mean
from voice_gateway.config.servers import read_json
from voice_gateway.config.tree import WITHOUT_EFFECT, Settings, setting_names
from voice_gateway.errors import ConfigError

ENV_PREFIX = "VOICE_GATEWAY_"

# Names people already have in their environment, and the setting each stands for.
KNOWN_NAMES = {
    "AI_PROVIDER": "brain.provider",
    "OLLAMA_BASE_URL": "ollama.base_url",
    "OLLAMA_MODEL": "ollama.model",
    "ANTHROPIC_API_KEY": "anthropic.api_key",
    "ANTHROPIC_MODEL": "anthropic.model",
    "MQTT_BROKER_URL": "mqtt.broker_url",
    "MQTT_USERNAME": "mqtt.username",
    "MQTT_PASSWORD": "mqtt.password",
    "MCP_RETRY_ATTEMPTS": "mcp.attempts",
    "MCP_RETRY_BASE_DELAY": "mcp.base_delay_seconds",
}


def env_name(setting: str) -> str:
    """`ollama.num_ctx` is VOICE_GATEWAY_OLLAMA_NUM_CTX in the environment."""
    return ENV_PREFIX + setting.replace(".", "_").upper()


def from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    """Each setting that is said there: its value, and the variable's name."""
    variables = _variables(environ)
    if not variables:  # as most often: then the library that reads them is not even imported
        return {}
    given = _read_variables({env_name(setting): environ[name] for setting, name in variables.items()})
    found: dict[str, tuple[Any, str]] = {}
    for setting, variable in variables.items():
        section, _, key = setting.partition(".")
        found[setting] = (given[section][key] if key else given[section]), variable
    return found


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Which variable says what a setting is: our own twin of a known name wins over it."""
    own = {env_name(setting): setting for setting in setting_names()}
    whole = {env_name(name): name for name in ("preset", "mcpServers")}
    _refuse_unknown_names(environ, [*own, *whole])
    found = {setting: name for name, setting in (KNOWN_NAMES | whole).items() if environ.get(name)}
    return found | {setting: name for name, setting in own.items() if name in environ}


def _refuse_unknown_names(environ: Mapping[str, str], known: list[str]) -> None:
    gone = {env_name(setting) for setting in WITHOUT_EFFECT}
    ends = [name.removeprefix(ENV_PREFIX) for name in known if name not in gone]
    problems = [
        f'unknown setting "{name}"{did_you_mean(name.removeprefix(ENV_PREFIX), ends, ENV_PREFIX)}'
        for name in sorted(environ)
        if name.startswith(ENV_PREFIX) and name not in known
    ]
    if problems:
        raise ConfigError(f"environment: {'; '.join(problems)}")


def _read_variables(variables: Mapping[str, str]) -> dict[str, Any]:
    """Lists are given as `a, b, c`, a table of servers as JSON."""
    from pydantic_settings import EnvSettingsSource

    def decoded(name: str, _field: FieldInfo, text: str) -> Any:
        if name == "mcpServers":
            return read_json(text, env_name(name))
        return tuple(part.strip() for part in text.split(",") if part.strip())

    settings: Any = Settings  # it need not be one of the library's own: the tree is also read without it
    source: Any = EnvSettingsSource(
        settings, env_prefix=ENV_PREFIX, env_nested_delimiter="_", env_nested_max_split=1
    )
    source.env_vars = {name.lower(): text for name, text in variables.items()}
    source.decode_complex_value = decoded
    return dict(source())
