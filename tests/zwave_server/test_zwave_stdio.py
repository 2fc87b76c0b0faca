"""The server as a real process, by the official client."""

import asyncio
import json
import re
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.fakes import warm_python
from tests.fakes.waiting import until
from tests.fakes.zwave_server import Server, environment, owned, simulating

PAGE = (Path(__file__).parents[2] / "docs" / "zwave.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+_(?:zwave|sensor)\w*)` \|(.*?)\| (yes|no)\b", re.MULTILINE)


def documented() -> dict[str, tuple[set[str], set[str], bool]]:
    """Of each tool in docs/zwave.md its parameters, those it needs, and whether it only looks."""
    tools = {}
    for name, cell, changes in ROW.findall(PAGE):
        parameters = re.findall(r"`(\w+\??)`", cell)
        every = {parameter.rstrip("?") for parameter in parameters}
        tools[name] = every, every - {it.rstrip("?") for it in parameters if it[-1] == "?"}, changes == "no"
    return tools


# Starting a process takes longer than most tests: those that leave the home usable share one.
shared = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with owned(simulating(tmp_path_factory.mktemp("shared") / "state.json")) as talk:
        yield talk


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


@shared
async def test_the_tools_are_the_promised_ones(client: Server):
    tools = {tool.name: tool for tool in (await client.session.list_tools()).tools}
    assert {
        name: (
            set(tool.input_schema["properties"]),
            set(tool.input_schema.get("required", [])),
            tool.annotations.read_only_hint,
        )
        for name, tool in tools.items()
    } == documented()
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
    assert {name for name, tool in tools.items() if tool.annotations.destructive_hint} == {
        "control_zwave_lock"
    }
    assert not tools["control_zwave_device"].annotations.idempotent_hint  # toggle
    actions = tools["control_zwave_device"].input_schema["properties"]["action"]["enum"]
    assert actions == "on off dim toggle open close stop".split()
    assert len(tools) == 16


async def test_a_lamp_goes_on_and_stays_on_over_a_restart(state: Path):
    async with simulating(state) as client:
        answer = await client.control("floor lamp", "on")
        assert (answer.text, answer.is_error) == ("The Floor Lamp is now on.", False)
        assert answer.structured == {
            "device": "Floor Lamp",
            "room": "Living Room",
            "nodeId": 3,
            "endpoint": 0,
            "kind": "dimmer",
            "requested": {"action": "on"},
            "state": "on, 100 %",
            "was": "off",
            "reason": "",
            "outcome": "confirmed",
            "before": [
                {"name": "control_zwave_device", "args": {"deviceName": "Floor Lamp", "action": "off"}}
            ],
        }
    async with simulating(state) as client:
        looked = await client.call("get_zwave_device", deviceName="floor lamp")
        assert looked.text == "The Floor Lamp is on."


@shared
async def test_two_hundred_calls_at_once_are_all_answered(client: Server):
    async with asyncio.timeout(50):
        names = ["floor lamp", "desk lamp", "kitchen light", "nonsense", "bedside lamp"]
        answers = await asyncio.gather(
            *(
                client.control(names[number % 5], "on") if number % 2 else client.call("list_zwave_devices")
                for number in range(200)
            )
        )
    assert len(answers) == 200
    outcomes = [answer.outcome for answer in answers if answer.outcome]
    assert set(outcomes) == {"confirmed", "not_found"}
    assert outcomes.count("not_found") == 20


@shared
async def test_a_slow_device_holds_up_nobody(client: Server):
    waiting = asyncio.ensure_future(client.control("space heater", "on"))
    await asyncio.sleep(0)
    for _ in range(3):
        await client.call("list_zwave_devices")
    assert not waiting.done()
    assert (await waiting).is_error


@shared
async def test_an_unknown_tool_is_an_error_of_the_protocol(client: Server):
    with pytest.raises(MCPError, match="Unknown tool"):
        await client.session.call_tool("open_pod_bay_doors", {})


async def test_a_changed_set_of_devices_is_announced(state: Path):
    async with simulating(state) as client, asyncio.timeout(50):
        await client.call("rename_zwave_device", deviceName="node 17", newName="Renamed")
        await until(lambda: any("list_changed" in getattr(notice, "method", "") for notice in client.notices))
        listing = await client.call("list_zwave_devices", filter="renamed")
    assert [device["name"] for device in listing.structured["devices"]] == ["Renamed"]


async def test_an_unlock_can_be_forbidden(tmp_path: Path, state: Path):
    home = tmp_path / "home.toml"
    home.write_text('home.allow_unlock = false\n[[device]]\nname = "Door"\nkind = "lock"\n', encoding="utf-8")
    for allowed in ("", "true"):
        async with simulating(state, home=home, ZWAVE_ALLOW_UNLOCK=allowed) as client:
            answer = await client.call("control_zwave_lock", deviceName="door", action="unlock")
            assert answer.is_error is not bool(allowed)


async def test_a_client_of_the_newer_protocol_hears_of_changes(state: Path):
    command = ["-m", "zwave_mcp", "--simulate", "--state-file", str(state)]
    server = StdioServerParameters(command=warm_python.python(), args=command, env=environment())
    async with (
        asyncio.timeout(50),
        Client(stdio_client(server)) as client,
        client.listen(tools_list_changed=True) as news,
    ):
        await client.call_tool("rename_zwave_device", {"deviceName": "node 17", "newName": "Renamed"})
        event = await anext(news)
    assert type(event).__name__ == "ToolsListChanged"


def start(*arguments: str, **more) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [warm_python.python(), "-m", "zwave_mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**more),
    )


def hello(number: int = 1) -> str:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}) + "\n"


INITIALIZED = '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'


def called(number: int) -> str:
    """A call that turns the Floor Lamp on."""
    call = {"name": "control_zwave_device", "arguments": {"deviceName": "floor lamp", "action": "on"}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}) + "\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(state: Path, number: signal.Signals):
    server = start("--simulate", "--state-file", str(state))
    server.stdin.write(hello())
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.send_signal(number)
    _, errors = server.communicate(timeout=50)
    assert (server.returncode, errors) == (0, "")


def test_a_signal_while_it_starts_ends_it_cleanly(state: Path):
    server = start("--simulate", "--state-file", str(state), PYTHONVERBOSE="1")
    for line in server.stderr:
        if "zwave_mcp.cli" in line or "zwave_mcp/cli" in line:
            break
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=50)
    assert server.returncode == 0


def test_the_end_of_input_ends_it_cleanly_after_the_last_answer(state: Path):
    server = start("--simulate", "--state-file", str(state))
    output, errors = server.communicate(hello() + INITIALIZED + called(2), timeout=50)
    assert (server.returncode, errors) == (0, "")
    answers = {answer["id"]: answer for answer in map(json.loads, output.splitlines())}
    assert answers[2]["result"]["structuredContent"]["outcome"] == "confirmed"


def test_rubbish_on_its_input_does_not_stop_it(state: Path):
    server = start("--simulate", "--state-file", str(state))
    half_an_emoji = '{"jsonrpc": "2.0", "id": "\\ud83d", "method": "ping"}\n'
    ping = '{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n'
    rubbish = "not json\n\n[]\n{}\n\x00\n" + half_an_emoji
    output, _ = server.communicate(rubbish + hello() + rubbish + ping, timeout=50)
    assert {1, 7} <= {json.loads(line).get("id") for line in output.splitlines()}
    assert server.returncode == 0


def test_every_request_gets_an_answer_however_wrong_its_parameters_are(state: Path):
    lines = [
        hello(),
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 5}}\n',
        '{"jsonrpc": "2.0", "id": 4, "method": "no/such"}\n',
        '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"x": "' + "y" * 5_000_000 + '"}}\n',
        '{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n',
    ]
    server = start("--simulate", "--state-file", str(state))
    output, _ = server.communicate("".join(lines), timeout=60)
    answers = [json.loads(line) for line in output.splitlines()]
    codes = {answer["id"]: answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes == {3: -32602, 4: -32601, 5: -32602}
    assert {answer["id"] for answer in answers} == {1, 3, 4, 5, 7}


def test_help_shows_examples_on_stdout():
    server = start("--help")
    output, errors = server.communicate(timeout=50)
    assert (server.returncode, errors) == (0, "")
    assert "--simulate my-home.toml" in output
    assert "MQTT_PASSWORD" in output


def test_it_runs_without_a_broker_and_says_so():
    server = start("--broker", "mqtt://127.0.0.1:9")  # nobody listens there
    listing = '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}\n'
    server.stdin.write(hello() + INITIALIZED + listing + called(3))
    server.stdin.flush()
    answers = {answer["id"]: answer for answer in (json.loads(server.stdout.readline()) for _ in range(3))}
    server.communicate(timeout=50)
    assert len(answers[2]["result"]["tools"]) == len(documented())
    assert answers[3]["result"]["structuredContent"]["outcome"] == "system_down"
    assert server.returncode == 0
