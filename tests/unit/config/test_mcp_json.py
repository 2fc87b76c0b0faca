"""`mcp.json` as users of other clients have it: what is understood; one bad entry costs only itself."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_gateway.__main__ import main
from voice_gateway.config import Loaded, load
from voice_gateway.config.mcp_json import read_mcp_json
from voice_gateway.config.mcp_json.inputs import Answers
from voice_gateway.config.trust import Content, FileRead
from voice_gateway.tools.masking import without_secrets


def read(text: str | dict, name: str = "mcp.json", environ: dict[str, str] | None = None) -> Loaded:
    """What the gateway has of such a file."""
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    Path("voice-gateway.toml").write_text(f'mcp_config = "{name}"\n[mcp]\nsimulated_home = false\n')
    return load(Path("voice-gateway.toml"), environ=environ or {})


def one(entry: dict, environ: dict[str, str] | None = None, **around):
    found = read({"mcpServers": {"a": entry}, **around}, environ=environ)
    assert found.settings.left_out == (), found.settings.left_out
    return found.settings.mcpServers["a"]


def reason(entry: object, environ: dict[str, str] | None = None, **around) -> str:
    """Why the entry is left out; the one beside it is not."""
    found = read({"mcpServers": {"a": entry, "good": {"command": "g"}}, **around}, environ=environ)
    assert list(found.settings.mcpServers) == ["good"]
    (left,) = found.settings.left_out
    assert left.name == "a"
    return left.reason


def test_comments_trailing_commas_and_a_mark_at_the_start():
    found = read(
        '\ufeff{\n  // my servers\n  "mcpServers": {\n    /* the first */ "a": {"command": "x",'
        ' "args": ["http://host//path", "a,]",],},\n  },\n}\n'
    )

    assert found.settings.mcpServers["a"].args == ("http://host//path", "a,]")


@pytest.mark.parametrize(
    "tree",
    [
        {"mcpServers": {"a": {"command": "x"}}},
        {"servers": {"a": {"command": "x"}}},
        {"mcp": {"servers": {"a": {"command": "x"}}}},
        {"editor.fontSize": 14, "mcp": {"inputs": [], "servers": {"a": {"command": "x"}}}},
    ],
)
def test_each_client_has_its_own_shape(tree):
    assert read(tree).settings.mcpServers["a"].command == "x"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("My Server", "My_Server"),
        ("GitHub  MCP", "GitHub_MCP"),
        ("@scope/server", "scope_server"),
        ("io.github.upstash/context7", "io.github.upstash_context7"),
        ("a__b", "a_b"),
        ("Büro", "Buro"),
    ],
)
def test_what_no_name_may_have_becomes_an_underscore(written, name):
    found = read({"mcpServers": {written: {"command": "x"}}})

    assert list(found.settings.mcpServers) == [name]
    assert any(f"is called {name} here" in note for note in found.notes)


def test_two_names_that_become_one_are_not_mixed_up():
    found = read({"mcpServers": {"a b": {"command": "first"}, "a_b": {"command": "second"}}})

    assert found.settings.mcpServers["a_b"].command == "first"
    assert "another server of this file" in found.settings.left_out[0].reason


def test_numbers_and_booleans_are_texts_as_they_are_written():
    server = one(
        {"command": "x", "args": [8080, True, 1.5, "a"], "env": {"A": 1, "B": False, "C": 3.0, "D": None}}
    )

    assert server.args == ("8080", "true", "1.5", "a")
    assert dict(server.env) == {"A": "1", "B": "false", "C": "3.0"}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("${env:X}", "value"),
        ("${X}", "value"),
        ("a${X}b${env:X}", "avaluebvalue"),
        ("${X:-other}", "value"),
        ("${MISSING:-other}", "other"),
        ("${EMPTY:-other}", "other"),
        ("${env:MISSING:-other}", "other"),
        ("${MISSING:-}", ""),
        ("${MISSING:-${X}}", "value"),
        ("${MISSING:-http://h:1/a-b}", "http://h:1/a-b"),
        ("${HOLDS}", "${X}"),
        ("${workspaceFolderBasename}", "here"),
        ("${userHome}", "/home/me"),
        ("a${/}b${pathSeparator}c", "a/b/c"),
        ("$X ${ ${} $", "$X ${ ${} $"),
        ("${X%%.*}", "${X%%.*}"),
    ],
)
def test_variables(tmp_path, monkeypatch, written, text):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    environ = {"X": "value", "EMPTY": "", "HOLDS": "${X}", "HOME": "/home/me"}

    assert one({"command": "x", "args": [written]}, environ).args == (text,)


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("mcp.json", "."),
        ("project/.vscode/mcp.json", "project"),
        ("project/.cursor/mcp.json", "project"),
        ("project/.kiro/settings/mcp.json", "project"),
        ("some/where/claude_desktop_config.json", "some/where"),
    ],
)
def test_the_workspace_is_the_folder_of_the_file_or_of_its_project(tmp_path, file, folder):
    found = read({"servers": {"a": {"command": "${workspaceFolder}/x", "cwd": "data"}}}, file)

    server = found.settings.mcpServers["a"]
    assert server.command == str(tmp_path / folder / "x")
    assert server.cwd == tmp_path / folder / "data"


def test_a_folder_can_be_the_users():
    assert one({"command": "~/bin/x", "cwd": "~"}, {"HOME": "/home/me"}).cwd == Path("/home/me")
    assert one({"command": "~/bin/x", "cwd": "~/data"}, {"HOME": "/home/me"}).command == "/home/me/bin/x"


def test_an_env_file_is_read_and_env_wins():
    Path(".env").write_text("# keys\nexport A=1\nB='two words'\nC=\"x # y\"\nHALF\nD=${A}\n")

    found = read(
        {"servers": {"a": {"command": "x", "env": {"A": "own"}, "envFile": "${workspaceFolder}/.env"}}}
    )

    server = found.settings.mcpServers["a"]
    assert dict(server.env) == {"A": "own", "B": "two words", "C": "x # y", "D": "${A}"}
    assert any("envFile: HALF has no value" in note for note in found.notes)


@pytest.mark.parametrize(
    ("entry", "on"),
    [
        ({}, True),
        ({"disabled": True}, False),
        ({"enabled": False}, False),
        ({"enabled": "false"}, False),
        ({"disabled": False}, True),
        ({"enabled": True, "disabled": True}, False),
    ],
)
def test_a_server_can_be_switched_off(entry, on):
    found = read({"mcpServers": {"a": {"command": "x", **entry}}})

    assert ("a" in found.settings.mcpServers) is on
    assert found.settings.left_out == ()


@pytest.mark.parametrize(
    ("entry", "seconds"),
    [
        ({"timeout": 60}, 60),
        ({"timeout": 0.5}, 0.5),
        ({"timeout": 60000}, 60),
        ({"timeout": "30000"}, 30),
        ({"timeout": 1800, "alwaysAllow": []}, 1800),
        ({"timeout_seconds": 5}, 5),
        ({"timeout": None}, None),
    ],
)
def test_a_timeout_is_in_the_unit_of_its_client(entry, seconds):
    assert one({"command": "x", **entry}).timeout_seconds == seconds


def test_a_file_of_a_client_that_counts_in_seconds_is_known_by_its_name():
    found = read({"mcpServers": {"a": {"command": "x", "timeout": 3600}}}, "cline_mcp_settings.json")

    assert found.settings.mcpServers["a"].timeout_seconds == 3600


@pytest.mark.parametrize(
    ("entry", "url", "kind"),
    [
        ({"url": "https://h/mcp"}, "https://h/mcp", None),
        ({"serverUrl": "https://h/sse"}, "https://h/sse", None),
        ({"httpUrl": "https://h/mcp"}, "https://h/mcp", "http"),
        ({"type": "sse", "url": "https://h/sse"}, "https://h/sse", "sse"),
        ({"type": "http", "url": "https://h/mcp"}, "https://h/mcp", "http"),
        ({"type": "streamable-http", "url": "https://h/mcp"}, "https://h/mcp", "http"),
        ({"type": "streamableHttp", "url": "https://h/mcp"}, "https://h/mcp", "http"),
        ({"transport": "sse", "url": "https://h/${X}"}, "https://h/value", "sse"),
        ({"type": "http", "url": "https://h/mcp", "command": "x"}, "https://h/mcp", "http"),
        ({"httpUrl": "https://h/new", "url": "https://h/old"}, "https://h/new", "http"),
    ],
)
def test_an_address_by_any_of_its_names(entry, url, kind):
    server = one(entry, {"X": "value"})

    assert (server.url, server.type, server.command) == (url, kind, None)


def test_with_both_ways_the_type_says_which():
    server = one({"type": "stdio", "command": "x", "url": "https://h/mcp"})

    assert (server.command, server.url, server.type) == ("x", None, "stdio")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (1, "is not a table"),
        ({}, "needs either command or url"),
        ({"command": ""}, "needs either command or url"),
        ({"command": "x", "url": "https://h"}, "`type` must say which"),
        ({"command": ["x"]}, "command: must be a text"),
        ({"command": "x", "args": "b"}, "args: must be a valid list"),
        ({"command": "x", "args": [None]}, "args.0: must be a text"),
        ({"command": "x", "env": ["A=1"]}, "env: must be a table"),
        ({"command": "x", "env": {"A": {}}}, "env.A: must be a text"),
        ({"command": "x", "env": {"A=B": "1"}}, "is no name for a variable"),
        ({"command": "x", "env": {"A": "\0"}}, "env.A: has a zero byte"),
        ({"command": "x", "args": ["\ud800"]}, "args.0: has half a character"),
        ({"command": "x", "timeout": "soon"}, "timeout: must be a number"),
        ({"command": "x", "timeout": 0}, "timeout: must be more than 0"),
        ({"command": "x", "timeout": True}, "timeout: must be a number"),
        ({"command": "x", "trusted": "perhaps"}, "trusted: must be a valid boolean"),
        ({"command": "x", "envFile": "nowhere"}, "envFile: there is no file"),
        ({"command": "x", "envFile": "."}, "envFile: there is no file"),
        ({"command": "x", "args": ["${env:MISSING}"]}, "the environment variable MISSING is not set"),
        ({"command": "${MISSING}"}, "the environment variable MISSING is not set"),
        ({"command": "x", "args": ["${config:a.b}"]}, "${config:a.b} is known to another client only"),
        ({"command": "x", "args": ["${input:key}"]}, '${input:key} is not among its "inputs"'),
        ({"url": "ftp://h"}, "url: must start with http://"),
        ({"type": "websocket", "url": "https://h"}, "type: 'websocket' is not known"),
        ({"type": 1, "url": "https://h"}, "type: 'int' is not known"),
        ({"type": "stdio", "url": "https://h"}, 'type "stdio" needs a command'),
        ({"type": "sse", "command": "x"}, 'type "sse" needs a url'),
        ({"command": "x", "args": ["${A:-" * 3000 + "}" * 3000]}, "is nested too deeply"),
    ],
)
def test_a_bad_entry_costs_itself_and_says_why(entry, says):
    assert says in reason(entry)


@pytest.mark.parametrize("name", ["builtin", "", "日本", "___"])
def test_a_name_of_which_nothing_is_left_costs_its_entry(name):
    found = read({"mcpServers": {name: {"command": "x"}, "good": {"command": "g"}}})

    assert list(found.settings.mcpServers) == ["good"]
    assert "name" in found.settings.left_out[0].reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not valid JSON"),
        ("[]", 'has no table "mcpServers"'),
        ("{}", 'has no table "mcpServers"'),
        ('{"mcpServers": []}', '"mcpServers" is not a table'),
    ],
)
def test_a_file_that_is_no_json_costs_its_servers_and_nothing_else(text, says, caplog):
    found = read(text)

    assert found.settings.mcpServers == {}
    assert says in found.settings.left_out[0].reason
    assert says in caplog.records[0].reason


def test_a_file_that_is_named_and_not_there_is_a_mistake_of_the_settings():
    Path("voice-gateway.toml").write_text('mcp_config = "nowhere.json"\n')

    with pytest.raises(Exception, match=r"mcp_config: cannot read .*nowhere\.json"):
        load(Path("voice-gateway.toml"), environ={})


def test_what_means_nothing_here_is_named():
    found = read(
        {
            "theme": "dark",
            "mcpServers": {"a": {"command": "x", "autoApprove": ["y"], "icon": "z"}, "b": {"command": "x"}},
        }
    )

    notes = [note.partition(": ")[2] for note in found.notes]
    assert notes == ['"theme" means nothing here', 'server a: "autoApprove", "icon" mean nothing here']


def test_of_a_name_that_stands_twice_the_last_holds_and_it_is_told():
    found = read('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y", "command": "z"}}}')

    assert found.settings.mcpServers["a"].command == "z"
    assert len([note for note in found.notes if "stands there twice" in note]) == 2


# --- inputs

TOKEN = {"type": "promptString", "id": "token", "description": "Your token", "password": True}
ASKING = {
    "inputs": [TOKEN],
    "servers": {"hub": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${input:token}"}}},
}


def test_an_input_that_was_never_said_leaves_the_server_out_until_it_is():
    before = read(ASKING)
    Answers(Path("mcp.json")).put("token", "hush-hush")
    after = read(ASKING)

    assert (before.settings.left_out[0].name, before.settings.left_out[0].asks) == ("hub", ("token",))
    assert after.settings.left_out == ()
    server = after.settings.mcpServers["hub"]
    assert server.headers["Authorization"].get_secret_value() == "Bearer hush-hush"
    assert after.inputs["hub"][0].question == "Your token"


def test_answers_are_for_one_file_and_for_its_owner(tmp_path):
    Answers(Path("mcp.json")).put("token", "hush-hush")

    kept = tmp_path / "data" / "voice-gateway" / "mcp-inputs.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert read(ASKING, "other.json").settings.left_out[0].asks == ("token",)
    Answers(Path("mcp.json")).forget("token")
    assert "hush-hush" not in kept.read_text()


def test_a_mistake_is_told_before_anything_is_asked():
    found = read({"inputs": [TOKEN], "servers": {"a": {"command": "x", "args": ["${input:token}", "${NO}"]}}})

    assert found.settings.left_out[0].asks == ()


def test_a_password_in_an_argument_is_never_shown():
    Answers(Path("mcp.json")).put("token", "hush-hush")

    found = read({"inputs": [TOKEN], "servers": {"a": {"command": "x", "args": ["--x=${input:token}"]}}})

    server = found.settings.mcpServers["a"]
    assert server.args == ("--x=hush-hush",)
    assert without_secrets(server)(" ".join(server.args)) == "--x=***"


@pytest.mark.parametrize("inputs", [{}, "x", [1], [{}], [{"id": 5}]])
def test_odd_inputs_are_named(inputs):
    found = read({"inputs": inputs, "servers": {"a": {"command": "x"}}})

    assert list(found.settings.mcpServers) == ["a"]
    assert "inputs" in found.notes[0]


# --- where it is looked for, and who may have written it


def test_the_users_own_mcp_json_is_read_without_any_setting(tmp_path):
    place = tmp_path / "config" / "voice-gateway" / "mcp.json"
    place.parent.mkdir(parents=True)
    place.write_text('{"mcpServers": {"a": {"command": "x"}}}')

    assert "a" in load(environ={}).settings.mcpServers
    place.with_name("voice-gateway.toml").write_text("[brain]\nroom = 'Attic'\n")
    assert "a" in load(environ={}).settings.mcpServers
    Path("other.toml").write_text("")
    assert "a" not in load(Path("other.toml"), environ={}).settings.mcpServers
    place.chmod(0o666)
    assert "others may write it" in load(environ={}).settings.left_out[0].reason


def settings_here(text: str) -> Loaded:
    Path("voice-gateway.toml").write_text('mcp_config = "servers.jsonc"\n')
    Path("servers.jsonc").write_text(text)
    return load(environ={})


def test_a_change_in_a_file_of_any_name_is_not_allowed_with_the_first():
    Path("servers.jsonc").write_text('{"servers": {"good": {"command": "x"},}, /* c */ }')
    Path("voice-gateway.toml").write_text('mcp_config = "servers.jsonc"\n')
    assert main(["config", "allow"]) == 0
    assert "good" in load(environ={}).settings.mcpServers

    found = settings_here('{"servers": {"evil": {"command": "x"},}, /* c */ }')

    assert "evil" not in found.settings.mcpServers
    assert "has changed since you allowed it" in str(found.ignored)


def test_an_env_file_of_the_folder_has_to_be_allowed_too():
    text = '{"servers": {"a": {"command": "x", "envFile": ".env"}}}'
    Path(".env").write_text("A=1\n")
    Path("servers.jsonc").write_text(text)
    Path("voice-gateway.toml").write_text('mcp_config = "servers.jsonc"\n')
    assert main(["config", "allow"]) == 0
    assert dict(settings_here(text).settings.mcpServers["a"].env) == {"A": "1"}

    Path(".env").write_text("A=1\nLD_PRELOAD=/tmp/evil.so\n")

    found = settings_here(text)
    assert "a" not in found.settings.mcpServers
    assert "has changed since you allowed it" in found.settings.left_out[0].reason


def test_a_token_that_is_kept_elsewhere_is_none_of_the_file():
    Answers(Path("mcp.json")).put("token", "hush-hush")
    literal = {"servers": {"hub": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer x"}}}}
    read(ASKING)
    Path("mcp.json").chmod(0o644)
    Path().chmod(0o755)

    assert read(ASKING).readable == ()
    assert "hub" in read(literal).readable[0]


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://h/x", "headers": {"Authorization": "Bearer ${input:token}"}},
        {"url": "http://home:8123/api/mcp/", "timeout": "soon"},
        {"command": "zwave-mcp-server", "env": {"A": "${MISSING}"}},
    ],
)
def test_a_home_that_cannot_be_used_yet_is_not_played_by_the_simulated_one(entry):
    read({"inputs": [TOKEN], "servers": {"mine": entry}})
    Path("voice-gateway.toml").write_text('mcp_config = "mcp.json"\n')

    assert load(Path("voice-gateway.toml"), environ={}).settings.mcpServers == {}


# --- anything at all

TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "x",
        "${X}",
        "${env:X:-a}",
        "${input:i}",
        "${workspaceFolder}",
        "~",
        "http://h/mcp",
        "stdio",
        "sse",
        "\0",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "headers",
    "type",
    "timeout",
    "enabled",
    "envFile",
]
ENTRIES = st.dictionaries(st.sampled_from(KEYS) | TEXTS, JSON, max_size=5) | JSON
FILES = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": st.dictionaries(TEXTS, ENTRIES, max_size=3) | JSON,
        "servers": st.dictionaries(TEXTS, ENTRIES, max_size=3) | JSON,
        "mcp": JSON,
        "inputs": st.lists(st.fixed_dictionaries({"id": TEXTS}, optional={"default": JSON})) | JSON,
    },
)


@given(FILES)
def test_whatever_stands_in_the_file_each_entry_is_used_off_or_left_out_with_a_reason(tree):
    content = json.dumps(tree).encode()

    found = read_mcp_json(
        FileRead(Path("/nowhere/mcp.json"), content, kind=Content.MCP_JSON), {"X": "y"}, lambda _path: {}
    )

    for left in found.left_out:
        assert left.reason
    for server in found.servers.values():
        assert (server.command is None) != (server.url is None)
