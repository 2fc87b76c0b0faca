"""`voice-gateway config` and `mcp`: origins, masked secrets, checks, and changes to the settings file."""

import json
import re
import stat
import tomllib

import pytest

from voice_gateway.__main__ import main
from voice_gateway.config import BrainSettings, Settings, load
from voice_gateway.config.edit import commented_file
from voice_gateway.config.folders import user_file


def shown(capsys):
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_show_has_the_origin_of_every_value_and_masks_secrets(written, capsys, monkeypatch):
    file = written(
        """
        mcp_config = "mcp.json"
        [tools]
        searxng_url = "http://searx.local/?key=hush-1&safe=2"
        [mqtt]
        broker_url = "mqtt://bob:hush@2@host"
        [mcpServers.a]
        command = "server"
        args = ["--token", "hush-3", "--password=hush-4", "--key", "sk-ant-hush-5", "http://b:hush-6@h/x"]
        [mcpServers.b]
        url = "https://bob:hush@8@host/mcp?api_key=hush-9&units=metric"
        """
    )
    written('{"mcpServers": {"three": {"command": "x"}}}', "mcp.json")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-hush")

    assert main(["config"]) == 0
    assert "hush" not in capsys.readouterr().out
    assert main(["config", "show", "--json"]) == 0

    rows = shown(capsys)
    key = {"name": "anthropic.api_key", "value": "***", "origin": "ANTHROPIC_API_KEY"}
    assert rows["anthropic.api_key"] == key
    assert rows["ollama.num_ctx"]["origin"] == "default"
    assert rows["tools.searxng_url"]["value"] == "http://searx.local/?key=***&safe=2"
    assert (rows["mqtt.broker_url"]["value"], rows["mqtt.broker_url"]["origin"]) == (
        "mqtt://***@host",
        str(file),
    )
    assert rows["mcpServers.a"]["value"] == "server --token *** --password=*** --key *** http://***@h/x"
    assert rows["mcpServers.b"]["value"] == "https://***@host/mcp?api_key=***&units=metric"
    assert rows["mcpServers.three"]["origin"] == str(file.with_name("mcp.json"))


def test_check_lists_the_languages_there_are(written, capsys):
    codes = {"en": 0, "ja": 0, "xx": 2, "": 2}

    for language, code in codes.items():
        written(f'[brain]\nlanguages = ["{language}"]\n')
        assert main(["config", "check"]) == code, language

    assert 'no sentences for "xx"; there are ' in capsys.readouterr().err


# --- init, set, edit


def test_init_writes_where_the_gateway_reads_and_changes_nothing(capsys):
    assert main(["config", "init"]) == 0
    assert load(environ={}).file == user_file()
    assert load(environ={}).origins == {}
    assert stat.S_IMODE(user_file().stat().st_mode) == 0o600

    assert main(["config", "init"]) == 2
    assert "--force" in capsys.readouterr().err


def test_every_line_of_a_new_file_can_be_uncommented():
    text = "\n".join(
        re.sub(r"^# (\w+ = )", r"\1", line)
        for line in commented_file().partition("# Your own")[0].splitlines()
    )

    assert Settings.model_validate(tomllib.loads(text)).ollama.model == Settings().ollama.model


def test_set_writes_each_type_and_keeps_comments(written, capsys):
    file = written("# mine\n[brain]  # here\nroom = 'Hall' # old\n")
    changes = {
        "brain.room": "Living Room",
        "permission.pin": "2468",
        "voice.enabled": "true",
        "mqtt.broker_url": "",
        "voice.silence_seconds": "0.7",
        "voice.wake_words": "alexa, hey_jarvis",
        "home.location": "52.5, 13.4",
        "mcpServers.ha.url": "http://ha/api/mcp",
        "mcpServers.ha.headers": '{ Authorization = "Bearer x" }',
    }

    for key, value in changes.items():
        assert main(["config", "set", key, value]) == 0, capsys.readouterr().err

    text, settings = file.read_text(), load(environ={}).settings
    assert text.startswith("# mine\n")
    assert "[brain]  # here" in text
    assert settings.brain.room == "Living Room"
    assert settings.permission.pin.get_secret_value() == "2468"
    assert settings.voice.enabled is True
    assert settings.voice.silence_seconds == 0.7
    assert settings.voice.wake_words == ("alexa", "hey_jarvis")
    assert settings.home.location == (52.5, 13.4)
    assert settings.mcpServers["ha"].url == "http://ha/api/mcp"


def test_set_begins_a_private_file_and_follows_a_link(tmp_path):
    assert main(["config", "set", "brain.room", "Hall"]) == 0
    assert stat.S_IMODE(user_file().stat().st_mode) == 0o600

    real = user_file().rename(tmp_path / "dotfiles.toml")
    user_file().symlink_to(real)
    assert main(["config", "set", "brain.room", "Attic"]) == 0
    assert user_file().is_symlink()
    assert load(real, environ={}).settings.brain.room == "Attic"


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("brain.romo", "x", '(did you mean "room"?)'),
        ("voice.room", "x", '"voice.room" is now "brain.room"'),
        ("mcp.attempts", "many", "mcp.attempts: must be a valid integer"),
        ("permission.pin", "12", "at least 4 digits"),
        ("mcpServers.x.args", "[1", "is not a TOML value"),
    ],
)
def test_a_refused_change_leaves_the_file_as_it_was(written, capsys, key, value, says):
    file = written("[brain]\nroom = 'Hall'\n")
    before = file.read_bytes()

    assert main(["config", "set", key, value]) == 2

    assert says in capsys.readouterr().err
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(("edited", "code"), [("[brain]\nroom = 'Attic'\n", 0), ("[brain]\nroom = 1\n", 2)])
def test_edit_replaces_the_file_only_if_it_is_valid(written, tmp_path, monkeypatch, edited, code):
    file = written("[brain]\nroom = 'Hall'\n")
    (tmp_path / "new").write_text(edited)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"cp {tmp_path / 'new'}")

    assert main(["config", "edit"]) == code

    assert load(environ={}).settings.brain.room == ("Attic" if code == 0 else "Hall")
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_check_lists_old_names_and_every_other_mistake_at_once(written, capsys, monkeypatch):
    written("[permission]\nsensitive_doors = ['cli']\n[voice]\nwake = 3\n[brain]\nromo = 'x'\n")
    monkeypatch.setenv("VOICE_GATEWAY_BRAIN_COLOUR", "red")
    monkeypatch.setenv("VOICE_GATEWAY_MCPSERVERS", "{")

    assert main(["config", "check"]) == 2

    told = capsys.readouterr().err
    names = (
        "permission.sensitive_channels",
        "voice.wake",
        "brain.romo",
        "BRAIN_COLOUR",
        "MCPSERVERS: not valid",
    )
    assert [name for name in names if name not in told] == []


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("sensitive_doors", "permission.sensitive_channels"),
        ("num_ctx", "ollama.num_ctx"),
        ("router", "is gone"),
    ],
)
def test_set_names_the_key_that_was_meant_without_its_section(key, meant, capsys):
    assert main(["config", "set", key, "x"]) == 2
    assert meant in capsys.readouterr().err


def test_permit_is_kept_in_the_settings_file_and_removed_by_default(written, capsys):
    file = written("# mine\n[permission]\npin = '2468'\n")
    for words, kept in (
        (["Relay 3", "pin"], {"Relay 3": "pin"}),
        (["transfer.money", "never"], {"Relay 3": "pin", "transfer.money": "never"}),
        (["Relay 3", "always"], {"Relay 3": "always", "transfer.money": "never"}),
        (["transfer.money", "default"], {"Relay 3": "always"}),
    ):
        assert main(["permit", *words]) == 0, capsys.readouterr().err
        assert load(file).settings.permission.permit == kept
    capsys.readouterr()
    assert main(["permit", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"Relay 3": "always"}
    assert main(["permit", "Relay 3"]) == 2
    assert file.read_text().startswith("# mine\n[permission]\npin = '2468'\n")


@pytest.mark.parametrize(
    ("variables", "spoken"),
    [
        ({"LANG": "de_DE.UTF-8"}, ("de", "en")),
        ({"LC_ALL": "pt_BR", "LANG": "de_DE"}, ("pt-BR", "en")),
        ({"LANG": "en_GB.UTF-8"}, ("en",)),
        ({"LANG": "C.UTF-8"}, ("en",)),
        ({}, ("en",)),
    ],
)
def test_the_language_of_the_locale_and_english_are_spoken(variables, spoken, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert BrainSettings().languages == spoken
