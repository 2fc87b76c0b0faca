"""What scripts rely on: shapes, exit codes, one clear line for a mistake."""

import json
import socket
import sys
from pathlib import Path

import pytest
from tests.fakes.gateway_process import Running
from tests.fakes.running_gateway import server

from voice_gateway.__main__ import main

OUTCOME_KEYS = {"call_id", "name", "args", "text", "ok", "error", "seconds", "structured"}
REPLY_KEYS = {"text", "parts", "ok", "stage", "expects_answer", "conversation_id", "outcomes", "seconds"}
TOOL_KEYS = {"name", "qualified_name", "source", "description", "parameters", "read_only", "offered"}
NO_SERVER = "[mcp]\nsimulated_home = false\n"


async def test_ask_json_has_the_promised_shape(commands):
    done = await commands.run("ask", "--json", "what time is it")

    assert set(done.json) == REPLY_KEYS
    assert done.json["ok"] is True
    assert done.json["stage"] == "local"
    assert set(done.json["outcomes"][0]) == OUTCOME_KEYS
    assert done.json["outcomes"][0]["name"] == "get_current_datetime"


async def test_an_impossible_request_is_exit_code_1(commands):
    file = commands.file("c.toml", NO_SERVER)

    done = await commands.run("ask", "--json", "--config", str(file), "fold my laundry")

    assert done.code == 1
    assert done.json["ok"] is False
    assert done.json["stage"] == "none"
    assert done.json["outcomes"] == []


async def test_a_lamp_of_the_simulated_home_really_goes_on(commands):
    done = await commands.run(
        "tools", "call", "control_zwave_device", "device_name=floor lamp", "--json", "command=on"
    )

    assert done.code == 0
    assert set(done.json) == OUTCOME_KEYS
    assert done.json["args"] == {"deviceName": "floor lamp", "action": "on"}
    assert done.json["structured"]["outcome"] == "confirmed"
    assert done.json["error"] is None

    asked = await commands.run("ask", "is the floor lamp on")
    assert asked.out.lower().startswith("yes")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("fly", "x=1"), "unknown_tool"),
        (("control_speaker_volume", "action=explode"), "bad_arguments"),
        (("get_current_datetime", "bogus=1"), "bad_arguments"),
    ],
)
async def test_a_failed_call_is_exit_code_1_with_its_kind(commands, words, error):
    file = commands.file("c.toml", NO_SERVER)

    done = await commands.run("tools", "call", *words, "--json", "--config", str(file))

    assert (done.code, done.json["error"], done.json["ok"]) == (1, error, False)
    assert "Traceback" not in done.err


async def test_tools_json_has_the_promised_shape(commands):
    done = await commands.run("tools", "--json")

    by_name = {entry["name"]: entry for entry in done.json}
    assert all(set(entry) == TOOL_KEYS for entry in done.json)
    assert by_name["get_current_datetime"]["source"] == "builtin"
    assert by_name["get_current_datetime"]["read_only"] is True
    assert by_name["control_zwave_device"]["source"] == "zwave"
    assert by_name["control_zwave_device"]["qualified_name"] == "zwave__control_zwave_device"
    assert by_name["control_zwave_device"]["read_only"] is False
    assert set(by_name["control_zwave_device"]["parameters"]["required"]) == {"deviceName", "action"}


WRONG = """
--bogus
fly
ask
ask hello --jsn
ask hello --config nowhere.toml
tools call
tools call x novalue
tools call x timezone=UTC timezone=Asia/Tokyo
tools call x --args {
tools call x --args [1]
tools call x --timeout soon
tools call x --timeout -1
"""


def test_wrong_usage_is_one_line_and_exit_code_2(capsys):
    wrong = {}
    for line in WRONG.strip().splitlines():
        try:
            code: object = main(line.split())
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        if (code, out, err.count("\n"), err.startswith("voice-gateway: ")) != (2, "", 1, True):
            wrong[line] = (code, out, err)
    assert wrong == {}


@pytest.mark.slow
async def test_chat_json_prints_an_object_a_line_and_keeps_conversations_apart(commands):
    lines = [
        json.dumps({"text": "turn on the floor lamp", "conversation_id": "a"}),
        json.dumps({"text": "unlock the front door", "conversation_id": "b"}),
        json.dumps({"text": "yes", "conversation_id": "a"}),
        json.dumps({"text": "yes", "conversation_id": "b"}),
        "what time is it",
    ]

    done = await commands.run("chat", "--json", text="\n".join(lines) + "\n")

    replies = [json.loads(line) for line in done.out.splitlines()]
    assert [set(reply) == REPLY_KEYS for reply in replies] == [True] * 5
    assert [reply["conversation_id"] for reply in replies[:4]] == ["a", "b", "a", "b"]
    assert replies[1]["expects_answer"] is True
    assert replies[1]["outcomes"] == []
    assert replies[2]["outcomes"] == []
    assert replies[3]["outcomes"][0]["structured"]["outcome"] == "confirmed"


async def test_explain_says_which_stage_answered_and_why(commands):
    file = commands.file("c.toml", NO_SERVER)

    done = await commands.run("ask", "--explain", "--config", str(file), "the capital of France is Paris")

    assert "local passed: " in done.err
    assert "answered by: " in done.err
    assert "answered by" not in done.out


async def test_commands_use_the_running_gateway_and_status_says_when_there_is_none(commands):
    home = f'[mcpServers.zwave]\ncommand = "{sys.executable}"\nargs = ["-m", "zwave_mcp", "--simulate"]\n'
    commands.file("voice-gateway.toml", home + server("big", "fault_server.py"))
    alone = await commands.run("status")
    async with Running.opened(commands):
        on = await commands.run("ask", "turn on the kitchen light")
        asked = await commands.run("ask", "is it on")
        status = await commands.run("status", "--json")
        half = await commands.run("tools", "call", "get_current_datetime", "bogus=x\udcff", "--json")
        large = await commands.run("tools", "call", "long_line", "--args", '{"bytes": 30000000}', "--json")
        socket = Path(commands.env["XDG_RUNTIME_DIR"]) / "voice-gateway" / "control.sock"
        modes = [path.stat().st_mode & 0o777 for path in (socket, socket.parent)]

    assert (alone.code, "No gateway is running" in alone.out) == (1, True)
    assert "kitchen light" in on.out.lower()
    assert asked.out.lower().startswith("yes")
    assert status.json["running"] is True
    assert [part["state"] for part in status.json["parts"] if part["part"] == "server zwave"] == ["ok"]
    assert (half.json["error"], half.json["args"]) == ("bad_arguments", {"bogus": "x\udcff"})
    assert len(large.json["text"]) > 29_000_000
    assert modes == [0o600, 0o700]


@pytest.mark.slow
async def test_a_terminal_without_our_characters_still_gets_the_answer(commands):
    done = await commands.run("tools", "call", "list_zwave_devices", PYTHONIOENCODING="ascii")

    assert done.code == 0
    assert "Floor Lamp" in done.out


# --- JSON that is odd on its way in comes out as JSON, or as one clear line


DEEP = '{"text":' * 20_000 + "1" + "}" * 20_000


@pytest.mark.parametrize(
    "args", [DEEP[:60_000], f'{{"a": {"[" * 10_000 + "]" * 10_000}}}', f'{{"a": {"9" * 6000}}}']
)
def test_arguments_that_cannot_be_read_are_wrong_usage(capsys, args):
    assert main(["tools", "call", "get_current_datetime", "--args", args]) == 2
    assert capsys.readouterr().err.startswith("voice-gateway: --args is ")


# --- What happens to stand in the environment sends nothing anywhere


async def test_langsmith_variables_send_no_traces(commands):
    file = commands.file("c.toml", NO_SERVER)
    with socket.create_server(("127.0.0.1", 0)) as collector:
        collector.setblocking(False)
        done = await commands.run(
            *("ask", "what time is it", "--json", "--config", str(file)),
            LANGSMITH_TRACING="true",
            LANGCHAIN_TRACING_V2="true",
            LANGSMITH_API_KEY="lsv2_none",
            LANGSMITH_ENDPOINT=f"http://127.0.0.1:{collector.getsockname()[1]}",
        )
        try:
            came, _ = collector.accept()
        except BlockingIOError:
            came = None
        else:
            came.close()
    assert done.json["ok"]
    assert came is None
