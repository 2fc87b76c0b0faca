"""Somebody at a terminal: what comes unasked does not run into what is being typed."""

from tests.fakes.running_gateway import server
from tests.fakes.terminal import Terminal

CTRL_D = "\x04"


async def test_ready_is_told_above_the_prompt_and_what_is_typed_stays(commands, tmp_path):
    go = tmp_path / "go"
    patient = "[mcp]\nconnect_timeout_seconds = 60.0\n"  # a warning would stand behind the prompt
    commands.file("voice-gateway.toml", patient + server("late", "late_server.py", tmp_path / "marks", 0, go))
    async with Terminal.opened(commands, "run") as terminal:
        await terminal.until("> ")  # the server keeps everybody waiting
        terminal.type("what time")
        await terminal.until("> what time")
        go.touch()
        told = await terminal.until("> what time", behind="ready: ")
        assert "connected to late.\r\n" in told
        assert "> ready" not in terminal.shown

        terminal.type(" is it\n")
        await terminal.until("\n> ", behind="It is ")
        terminal.type(CTRL_D)
        assert await terminal.ends() == 0
