"""What the README shows is what one sees, and what it says can be typed, or pasted, as it stands."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.fakes.terminal import Terminal

from voice_gateway.channels.mqtt.topics import discovery_messages
from voice_gateway.config import MqttSettings, Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
CTRL_D = "\x04"
# What installs something, or needs a machine that is not here.
NOT_HERE = re.compile(r"(sudo|make|curl|ollama|OLLAMA_MODEL=\S+|mosquitto_\w+) ")
LIMIT_SECONDS = 170  # below the limit of a whole test


def shown() -> list[tuple[str, list[str]]]:
    """Each line that is typed in the transcript, and the lines that follow it."""
    (transcript,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    turns = [turn.splitlines() for turn in transcript.split("> ")[1:]]
    return [(lines[0], lines[1:]) for lines in turns]


@pytest.mark.slow
async def test_the_transcript_is_real(commands):
    turns = shown()
    assert len(turns) > 4, "it is found at all"

    async with Terminal.opened(commands, "chat") as terminal:
        await terminal.until("> ")
        seen = []
        for typed, _ in turns:
            terminal.type(f"{typed}\n")
            answer = await terminal.until("\n> ", behind=f"{typed}\r\n")
            seen.append((typed, answer.splitlines()[:-1]))
        terminal.type(CTRL_D)
        await terminal.ends()

    assert seen == turns


def installed(home: Path) -> None:
    """The commands where `make install` puts them."""
    for place, words in {
        "bin/voice-gateway": "-m voice_gateway",
        "bin/zwave-mcp-server": "-m zwave_mcp",
        "lib/voice-gateway/bin/python": "",
    }.items():
        program = home / ".local" / place
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        program.chmod(0o755)


@pytest.mark.slow
@pytest.mark.timeout(2 * LIMIT_SECONDS)
def test_the_blocks_can_be_pasted_one_after_the_other(commands, tmp_path):
    installed(tmp_path)
    lines = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)).splitlines()
    pasted = "\n".join(line for line in lines if not NOT_HERE.match(line))
    failures = tmp_path / "failures"
    script = f"trap 'echo \"$BASH_COMMAND\" >> {failures}' ERR\n{pasted}\n"
    env = {**commands.env, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config")}

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )

    failed = failures.read_text().splitlines() if failures.exists() else []
    # A machine without sound is a finding of the doctor, and right so.
    assert [line for line in failed if "doctor" not in line] == [], done.stderr
    for words in (
        "the front door is locked",
        "floor lamp off",
        "shall i use play music of jukebox",
        "now playing nina simone",
    ):
        assert words in done.stdout.lower(), done.stdout


@pytest.mark.slow
def test_the_client_that_the_zwave_page_shows_runs(commands, tmp_path):
    installed(tmp_path)
    (sample,) = [sample for page, sample in samples() if page == "zwave.md"]
    env = {**commands.env, "HOME": str(tmp_path), "PATH": f"{tmp_path}/.local/bin:{commands.env['PATH']}"}

    done = subprocess.run(
        [sys.executable, "-c", sample],
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )

    said = re.findall(r"print\(.*\)  # (.*)", sample)
    assert done.stdout.splitlines() == said, done.stderr


def test_every_settings_block_can_be_used():
    blocks = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    pasted = re.findall(r"cat > voice-gateway.toml <<END\n(.*?)END\n", README, re.DOTALL)

    assert blocks
    for block in blocks + pasted:
        Settings.model_validate(tomllib.loads(block))


def test_the_table_of_entities_is_what_home_assistant_is_told():
    page = (ROOT / "docs" / "home-assistant.md").read_text(encoding="utf-8")
    table = re.search(r"\| entity \|.*?\n\|[-|]+\n(.*?)\n\n", page, re.DOTALL)
    assert table is not None
    rows = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in table[1].splitlines()]
    told = [json.loads(message.payload) for message in discovery_messages(MqttSettings())]

    assert {(row[0], row[2]) for row in rows} == {
        (entity["name"], entity.get("state_topic") or entity["command_topic"]) for entity in told
    }


def samples() -> list[tuple[str, str]]:
    """Python on our pages, in a block of its own or inside one that writes a file."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        blocks += re.findall(r"cat > \S+\.py <<'END'\n(.*?)END\n", text, re.DOTALL)
        found += [(page.name, block) for block in blocks]
    return found
