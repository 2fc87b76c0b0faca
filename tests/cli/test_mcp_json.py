"""Another client's `mcp.json` in a gateway as people run it: what works, what is told, what is asked."""

import json
import sys

import pytest
from tests.fakes.running_gateway import FAKES, parts
from tests.fakes.terminal import Terminal

SERVER = str(FAKES / "naming_server.py")
ONLY_ITS = '[mcp]\nmcp_config = "mcp.json"\nsimulated_home = false\n'
ASKING = {
    "inputs": [{"type": "promptString", "id": "token", "description": "Your token", "password": True}],
    "servers": {
        "hub": {"command": sys.executable, "args": [SERVER, "hub"], "env": {"MINE": "${input:token}"}}
    },
}


@pytest.fixture
def set_up(commands):
    def write(tree: object) -> None:
        commands.file("mcp.json", tree if isinstance(tree, str) else json.dumps(tree))

    commands.file("voice-gateway.toml", ONLY_ITS)
    write(ASKING)
    file = str(commands.folder / "voice-gateway.toml")
    return write, ("--config", file)


@pytest.mark.slow
async def test_a_bad_entry_is_told_by_status_and_doctor(commands, set_up):
    write, config = set_up
    good = {"command": sys.executable, "args": [SERVER, "good"]}
    write({"mcpServers": {"good one": good, "bad": {"command": "x", "cwd": "${NOWHERE}"}}})

    doctor = await commands.run("doctor", "--json", *config)
    checked = await commands.run("config", "check", *config)
    called = await commands.run("tools", "call", "good_one__get_owner", *config)

    reason = "The bad server of mcp.json is left out: the environment variable NOWHERE is not set"
    assert called.out == "good\n"
    assert "server left out (server=bad" in called.err
    told = {check["check"]: check for check in doctor.json["checks"]}
    assert told["server good_one"]["verdict"] == "ok"
    assert told["server bad"] | {"advice": ""} == {
        "check": "server bad",
        "verdict": "failed",
        "text": f"{reason}.",
        "advice": "",
    }
    assert checked.code == 2
    assert f"{reason}. (correct it in " in checked.out
    assert 'server "good one" is called good_one here' in checked.out


@pytest.mark.slow
async def test_the_gateway_runs_and_its_status_tells_of_an_entry_and_of_a_file(commands, set_up):
    _write, config = set_up
    process = await commands.start("run", *config)
    assert process.stderr is not None
    line = ""
    while "ready" not in line:
        line = (await process.stderr.readline()).decode()

    hub = (await parts(commands))["server hub"]
    process.terminate()
    await process.communicate()

    assert hub["state"] == "degraded"
    assert hub["sentence"] == "The hub server waits for what only you know: token."
    assert "`voice-gateway mcp inputs hub`" in hub["advice"]
    assert "The hub server waits for what only you know" in line


@pytest.mark.slow
async def test_an_input_that_was_never_said_is_told_with_the_command_that_asks(commands, set_up):
    _write, config = set_up

    before = await commands.run("tools", "call", "get_variable", *config)
    doctor = await commands.run("doctor", *config)
    checked = await commands.run("config", "check", *config)
    nobody = await commands.run("mcp", "inputs", *config)
    answered = await commands.run("mcp", "inputs", "--json", *config, text="hush-hush\n")
    after = await commands.run("tools", "call", "get_variable", *config)
    again = await commands.run("mcp", "inputs", *config)

    assert before.code == 1
    assert "waits for" in before.err
    assert "`voice-gateway mcp inputs hub`" in doctor.out
    assert (checked.code, "`voice-gateway mcp inputs hub`" in checked.out) == (0, True)
    assert (nobody.code, "still missing: token" in nobody.err) == (1, True)
    assert (answered.code, answered.json) == (0, {"ok": True, "missing": []})
    assert "hush-hush" not in answered.out + answered.err
    assert (after.out, after.code) == ("hush-hush\n", 0)
    assert (again.code, again.err) == (0, "Nothing is asked.\n")


@pytest.mark.slow
async def test_a_password_is_asked_once_at_a_terminal_and_not_echoed(commands, set_up):
    _write, config = set_up

    async with Terminal.opened(commands, "mcp", "inputs", *config) as terminal:
        await terminal.until("Your token: ")
        terminal.type("hush-hush\r")
        assert await terminal.ends() == 0
    called = await commands.run("tools", "call", "get_variable", *config)

    assert "hush-hush" not in terminal.shown
    assert called.out == "hush-hush\n"


@pytest.mark.slow
async def test_run_asks_at_a_terminal_before_it_starts(commands, set_up):
    _write, config = set_up

    async with Terminal.opened(commands, "run", *config) as terminal:
        await terminal.until("Your token: ")
        terminal.type("hush-hush\r")
        await terminal.until("> ", behind="ready")
        terminal.type("quit\r")
        assert await terminal.ends() == 0

    assert "connected to hub" in terminal.shown


async def test_a_question_ends_with_ctrl_c(commands, set_up):
    _write, config = set_up

    async with Terminal.opened(commands, "mcp", "inputs", *config) as terminal:
        await terminal.until("Your token: ")
        terminal.process.send_signal(2)
        assert await terminal.ends() == 130


@pytest.mark.slow
async def test_choices_are_shown_and_what_is_kept_can_be_forgotten(commands, set_up):
    write, config = set_up
    choice = {"type": "pickString", "id": "mode", "options": ["slow", {"label": "Fast", "value": "fast"}]}
    server = {"command": sys.executable, "args": [SERVER, "hub"], "env": {"MINE": "${input:mode}"}}
    write({"inputs": [choice], "servers": {"hub": server}})

    wrong = await commands.run("mcp", "inputs", *config, text="5\n")
    right = await commands.run("mcp", "inputs", "hub", *config, text="2\n")
    called = await commands.run("tools", "call", "get_variable", *config)
    forgotten = await commands.run("mcp", "inputs", "hub", "--forget", *config)
    unknown = await commands.run("mcp", "inputs", "hubb", *config)

    assert (wrong.code, right.code, called.out) == (1, 0, "fast\n")
    assert "2. Fast" in wrong.err
    assert forgotten.err == "forgotten: mode\n"
    assert (unknown.code, 'did you mean "hub"' in unknown.err) == (2, True)


KEYRING = """
import json, pathlib
FILE = pathlib.Path(__file__).with_name("kept.json")
class _Ring:
    priority = 5
def get_keyring():
    return _Ring()
def _kept():
    return json.loads(FILE.read_text()) if FILE.exists() else {}
def get_password(service, name):
    return _kept().get(f"{service} {name}")
def set_password(service, name, word):
    FILE.write_text(json.dumps(_kept() | {f"{service} {name}": word}))
"""


@pytest.mark.slow
async def test_a_keyring_is_used_where_there_is_one(commands, set_up):
    _write, config = set_up
    (commands.folder / "packages").mkdir()
    commands.file("packages/keyring.py", KEYRING)
    path = str(commands.folder / "packages")

    answered = await commands.run("mcp", "inputs", *config, text="hush-hush\n", PYTHONPATH=path)
    called = await commands.run("tools", "call", "get_variable", *config, PYTHONPATH=path)

    assert "token is kept in the system's keyring" in answered.err
    assert called.out == "hush-hush\n"
    assert "hush-hush" in (commands.folder / "packages" / "kept.json").read_text()
    assert not (commands.folder / "data" / "voice-gateway" / "mcp-inputs.json").exists()
