"""The settings in environment variables: our own names, and names that people already have."""

import json
import os
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from voice_gateway.config.kinds import did_you_mean
from voice_gateway.config.moved import advice
from voice_gateway.config.tree import field_of, setting_names
from voice_gateway.errors import ConfigError

ENV_PREFIX = "VOICE_GATEWAY_"
CONFIG_FILE = "VOICE_GATEWAY_CONFIG"  # names the settings file
NO_COLOUR = "NO_COLOR"  # see no-color.org

# Names people already have in their environment, and the setting of each.
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


def wants_colours() -> bool:
    """Whether the terminal shows colours."""
    return not os.environ.get(NO_COLOUR) and os.environ.get("TERM", "dumb") not in ("", "dumb")


def switch_off_colours() -> None:
    """For this program and the libraries that read the same variable."""
    os.environ[NO_COLOUR] = "1"


def editor() -> str:
    """The user's editor, as a shell command."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"


def from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    """By setting: its value, and the variable's name. Raises ConfigError.

    Lists are given as `a, b, c`, tables as JSON.
    """
    values: dict[str, tuple[Any, str]] = {}
    for setting, variable in _variables(environ).items():
        value: Any = environ[variable]
        if setting in ("mcpServers", "permission.permit"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise ConfigError(f"{variable}: not valid JSON: {error}") from error
        elif value and (field := field_of(setting)) is not None and is_list(field.annotation):
            value = split_list(value)
        values[setting] = value, variable
    return values


def is_list(form: Any) -> bool:
    """Whether it is a tuple, or a tuple or nothing."""
    return any(get_origin(kind) is tuple for kind in (form, *get_args(form)))


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variable of each setting that has one: our own name wins over a known name."""
    own = {env_name(setting): setting for setting in setting_names()}
    known = {**KNOWN_NAMES, env_name("mcpServers"): "mcpServers"}
    given = {setting: name for name, setting in known.items() if environ.get(name)}
    return given | {setting: name for name, setting in own.items() if name in environ}


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A line for each variable with our prefix that is no setting."""
    known = [env_name(name) for name in ("mcpServers", *setting_names())]
    ends = [name.removeprefix(ENV_PREFIX) for name in known]
    problems = []
    for name in sorted(environ):
        if name.startswith(ENV_PREFIX) and name not in known and name != CONFIG_FILE:
            if (moved := advice(name, spelled=env_name)) is not None:
                problems.append(f"environment: {moved}")
            else:
                hint = did_you_mean(name.removeprefix(ENV_PREFIX), ends, ENV_PREFIX)
                problems.append(f'environment: unknown setting "{name}"{hint}')
    return problems


def split_list(text: str) -> tuple[str, ...]:
    """A list as an environment variable or a command line has it: `a, b, c`."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
