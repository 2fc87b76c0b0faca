"""An `mcp.json` of other MCP clients: a bad entry costs that entry alone, and says why."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.config import Loaded, load
from voice_gateway.config.servers import read_mcp_json
from voice_gateway.errors import ConfigError

VALUES = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text())
NO_HOME = "[mcp]\nsimulated_home = false\n"


def read(tree: object, environ: dict[str, str] | None = None, settings: str = NO_HOME) -> Loaded:
    Path("mcp.json").write_text(tree if isinstance(tree, str) else json.dumps(tree), encoding="utf-8")
    Path("settings.toml").write_text('mcp_config = "mcp.json"\n' + settings)
    return load(Path("settings.toml"), environ=environ or {})


def server(entry: dict, environ: dict[str, str] | None = None):
    found = read({"mcpServers": {"a": entry}}, environ)
    assert found.settings.left_out == ()
    return found.settings.mcpServers["a"]


def test_comments_trailing_commas_and_a_byte_order_mark_are_accepted():
    found = read(
        '\ufeff{\n  // my servers\n  "mcpServers": {\n    /* the first */ "a": {"command": "x",'
        ' "args": ["http://host//path", "a,]",],},\n  },\n}\n'
    )

    assert found.settings.mcpServers["a"].args == ("http://host//path", "a,]")


@pytest.mark.parametrize("table", ["mcpServers", "servers"])
def test_both_tables_are_read_and_disabled_servers_are_not(table):
    found = read(
        {table: {"a": {"command": "x"}, "b": {"command": "x", "disabled": True}, "c": {"url": "http://h"}}}
    )

    assert list(found.settings.mcpServers) == ["a", "c"]
    assert found.origins["mcpServers.a"] == "mcp.json"


def test_values_become_what_a_program_gets():
    entry = {
        "command": "x",
        "args": ["--level", 3, True, "${env:TOKEN}"],
        "env": {"PORT": 80, "DEBUG": False, "WHO": "me-${env:TOKEN}", "UNSET": None},
    }

    found = server(entry, {"TOKEN": "t0k"})

    assert found.args == ("--level", "3", "true", "t0k")
    assert dict(found.env) == {"PORT": "80", "DEBUG": "false", "WHO": "me-t0k"}


def test_a_bad_entry_costs_itself_and_says_why():
    failures = []
    for entry, says in VALUES["entry"]:
        found = read({"mcpServers": {"a": entry, "good": {"command": "g"}}})
        reasons = {left.name: left.reason for left in found.settings.left_out}
        if list(found.settings.mcpServers) != ["good"] or says not in reasons.get("a", ""):
            failures.append((entry, reasons))
    assert failures == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ("[]", 'has no table "mcpServers"'),
        ("{}", 'has no table "mcpServers"'),
        ('{"mcpServers": []}', '"mcpServers" is not a table'),
    ],
)
def test_a_file_that_cannot_be_read_costs_its_servers_and_nothing_else(text, says):
    found = read(text)

    assert found.settings.mcpServers == {}
    (left,) = found.settings.left_out
    assert says in left.reason


def test_a_named_file_that_is_missing_is_a_mistake_of_the_settings():
    Path("settings.toml").write_text('mcp_config = "nowhere.json"\n')

    with pytest.raises(ConfigError, match=r"mcp_config: cannot read .*nowhere\.json"):
        load(Path("settings.toml"), environ={})


def test_names_become_usable_and_what_has_no_effect_is_noted():
    found = read({"servers": {"GitHub MCP": {"command": "x", "envFile": ".env"}, "日本": {"command": "x"}}})

    assert list(found.settings.mcpServers) == ["GitHub_MCP"]
    assert [left.name for left in found.settings.left_out] == ["日本"]
    assert 'no effect here: "envFile"' in found.notes[0]
    assert "is called GitHub_MCP here" in found.notes[1]


def test_the_users_own_mcp_json_is_read_without_any_setting(written):
    written('{"mcpServers": {"a": {"command": "x"}}}', "mcp.json")

    assert "a" in load(environ={}).settings.mcpServers
    written('[brain]\nroom = "Attic"\n')
    assert "a" in load(environ={}).settings.mcpServers
    Path("other.toml").write_text("")
    assert "a" not in load(Path("other.toml"), environ={}).settings.mcpServers


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://h/x", "headers": {"Authorization": "Bearer ${env:MISSING}"}},
        {"url": "http://home:8123/api/mcp/", "type": "telepathy"},
        {"command": "zwave-mcp-server", "env": {"A": "${env:MISSING}"}},
    ],
)
def test_a_home_that_cannot_be_used_is_not_simulated(entry):
    assert read({"servers": {"mine": entry}}, settings="[brain]\n").settings.mcpServers == {}


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["x", "${X}", "${env:X}", "${env:Y}", "http://h/mcp", "stdio", "\0"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KEYS = ["command", "args", "env", "cwd", "url", "headers", "type", "enabled", "envFile", "timeout_seconds"]
ENTRIES = st.dictionaries(st.sampled_from(KEYS) | TEXTS, JSON, max_size=5) | JSON
FILES = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": st.dictionaries(TEXTS, ENTRIES, max_size=3) | JSON,
        "servers": st.dictionaries(TEXTS, ENTRIES, max_size=3) | JSON,
    },
)


@given(FILES)
def test_every_entry_of_any_file_is_used_off_or_left_out_with_a_reason(tree):
    file = Path("any.json")
    file.write_text(json.dumps(tree), encoding="utf-8")

    found = read_mcp_json(file, {"X": "y"})

    assert all(left.reason for left in found.left_out)
    assert all((server.command is None) != (server.url is None) for server in found.servers.values())
