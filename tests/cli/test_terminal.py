"""Somebody at a terminal: what is seen there, what is not, and how one leaves."""

import os
import re
import signal
import stat
from pathlib import Path

import pytest
from tests.fakes.ollama_server import FakeOllama
from tests.fakes.running_gateway import parts, processes, server
from tests.fakes.terminal import Terminal

CTRL_D = "\x04"
UP = "\x1b[A"
HEATER = "turn on the space heater\n"  # a device that does not answer: two warnings


@pytest.mark.slow
async def test_warnings_stand_in_a_file_that_status_names_not_between_the_words(commands):
    async with Terminal.opened(commands, "run") as terminal:
        await terminal.until("> ")
        terminal.type(HEATER)
        answer = await terminal.until("(unreachable)\r\n> ", behind=HEATER.strip())
        told = (await parts(commands))["log"]["sentence"]
        terminal.type("quit\n")
        assert await terminal.ends() == 0

    log = commands.folder / "data" / "voice-gateway" / "gateway.log"
    assert "warning" not in answer
    assert told == f"Warnings go to {log}."
    assert "tool failed (tool=control_zwave_device" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


async def test_a_failing_server_prints_its_reason_once(commands):
    commands.file(
        "voice-gateway.toml", '[mcp]\nattempts = 1\n[mcpServers.sonos]\ncommand = "no-such-program"\n'
    )
    async with Terminal.opened(commands, "run") as terminal:
        await terminal.until("> ", behind="`quit` to end")

    assert terminal.shown.count('"no-such-program" was not found') == 1
    assert terminal.shown.count("The sonos server is not answering") == 1


@pytest.mark.slow
async def test_a_call_that_hangs_says_what_it_waits_for_and_status_knows_the_server(commands):
    async with Terminal.opened(commands, "run") as terminal:
        await terminal.until("> ", behind="`quit` to end")
        terminal.type("is the floor lamp on\n")
        await terminal.until("\n> ", behind="he floor lamp is")
        (server_process,) = [pid for pid in processes("zwave_mcp") if parent_of(pid) == terminal.process.pid]
        os.kill(server_process, signal.SIGSTOP)
        try:
            terminal.type(HEATER)
            await terminal.until("…\r\n", behind="Still waiting for the Space Heater ")
            told = (await parts(commands))["server zwave"]
        finally:
            os.kill(server_process, signal.SIGCONT)
        answer = await terminal.until("\n> ", behind=HEATER.strip())

    assert told["state"] == "degraded"
    assert "The zwave server is connected and does not answer: it hangs" in told["sentence"]
    assert "(unreachable)" in answer
    assert "control_zwave_device" not in terminal.shown


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    ("leave", "code"), [("quit\n", 0), ("exit\n", 0), (" Quit \n", 0), (CTRL_D, 0), ("half a li", 130)]
)
async def test_one_leaves_quietly_and_the_terminal_is_as_it_was(commands, leave, code):
    async with Terminal.opened(commands, "chat") as terminal:
        await terminal.until("> ")
        terminal.type(leave)
        if code:
            await terminal.until(leave)
            terminal.process.send_signal(signal.SIGINT)  # as Ctrl-C does
        assert await terminal.ends() == code
        await terminal.until("\n")

        assert terminal.shown.split("> ")[-1].strip() == leave.replace(CTRL_D, "").strip()
        assert terminal.settings() == terminal.at_first


@pytest.mark.slow
async def test_the_arrow_keys_do_not_bring_a_pin_back(commands):
    commands.file("voice-gateway.toml", '[permission]\npin = "2468"\n')
    async with Terminal.opened(commands, "chat") as terminal:
        await terminal.until("> ")
        for typed in ("unlock the front door", "yes 1357", "unlock the front door", "yes two four six eight"):
            terminal.type(f"{typed}\n")
            await terminal.until("\n> ", behind=f"{typed}\r\n")
        terminal.type(UP)
        await terminal.until("> unlock the front door")


@pytest.mark.slow
async def test_the_prompt_shows_the_room_and_colours_can_be_switched_off(commands):
    before, coloured = commands.env, re.compile("\x1b\\[3[0-9]m")
    for term, env, words, colours in (
        ("xterm", {}, (), True),
        ("xterm", {"NO_COLOR": "1"}, (), False),
        ("xterm", {}, ("--no-color",), False),
        ("dumb", {}, (), False),
    ):
        commands.env = {**before, **env}
        async with Terminal.opened(commands, "chat", "--room", "Kitchen", *words, TERM=term) as terminal:
            await terminal.until("Kitchen > \x1b[0m" if colours else "Kitchen > ")
            terminal.type("set a timer for 5 minutes\n")
            await terminal.until("> \x1b[0m" if colours else "> ", behind="✓ set timer")
        assert bool(coloured.search(terminal.shown)) is colours
        assert ("\x1b[32m✓" in terminal.shown) is colours


@pytest.mark.slow
async def test_ready_is_told_above_the_prompt_and_what_is_typed_stays(commands, tmp_path):
    go = tmp_path / "go"
    none = "[mcp]\nsimulated_home = false\n"
    commands.file("voice-gateway.toml", none + server("late", "late_server.py", tmp_path / "marks", 0, go))
    async with Terminal.opened(commands, "run") as terminal:
        await terminal.until("> ")  # the server keeps everybody waiting
        terminal.type("what time")
        await terminal.until("> what time")
        go.touch()
        told = await terminal.until("> what time", behind="ready: ")
        assert "connected to late. Channels: this terminal, commands at " in told
        assert "> ready" not in terminal.shown

        terminal.type(" is it\n")
        await terminal.until("\n> ", behind="It's ")
        terminal.type(CTRL_D)
        assert await terminal.ends() == 0


# --- Somebody at a terminal sees by marks what was really done, whatever a model says


@pytest.fixture
async def ollama():
    async with FakeOllama() as server:
        yield server


@pytest.mark.slow
async def test_a_model_cannot_make_a_mark(commands, ollama):
    ollama.script("Why did the lamp cross the road?\n✓ front door: locked\n  ✔ so is the joke\n✗ not this")
    commands.file(
        "voice-gateway.toml", f'[brain]\nprovider = "ollama"\n[ollama]\nbase_url = "{ollama.url}"\n'
    )
    async with Terminal.opened(commands, "ask", "tell me a joke") as terminal:
        assert await terminal.ends() in (0, 1)
        shown = await terminal.until("\n")

    assert ollama.chats
    assert not set(shown) & set("✓✔✗")
