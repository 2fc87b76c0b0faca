"""NORM: parameter names of MCP tools. (NORM-8 is proven over a real link.)"""

import inspect
import logging

import pytest
from langchain_core.tools import tool
from tests.fakes.linked import fault_server, linked
from tests.fakes.model import Calls, FakeModel
from tests.fakes.some_tools import Seen, executor_with, mcp_tool, outcome_of

from voice_gateway.errors import ToolError
from voice_gateway.llm.loop import run_loop
from voice_gateway.tools import prepared
from voice_gateway.tools.executor import ToolExecutor
from voice_gateway.tools.manager import ToolManager
from voice_gateway.tools.permission.untrusted import QUOTED
from voice_gateway.turn import ToolCall, Utterance
from voice_gateway.turns.stage import Turn


@pytest.mark.scenario("NORM-1")
async def test_snake_case_names_reach_the_server_in_the_camel_case_it_declares():
    seen = Seen()

    outcome = await outcome_of(mcp_tool(seen=seen), {"device_name": "Switch One", "action": "on"})

    assert outcome.ok
    assert seen.last == outcome.args == {"deviceName": "Switch One", "action": "on"}


@pytest.mark.scenario("NORM-1")
async def test_a_server_that_declares_snake_case_keeps_it():
    seen = Seen()
    schema = {"type": "object", "properties": {"device_name": {"type": "string"}, "a_b": {}}}

    await outcome_of(mcp_tool("other", schema, seen=seen), {"device_name": "x", "a_b": 1})

    assert seen.last == {"device_name": "x", "a_b": 1}


@pytest.mark.scenario("NORM-2")
async def test_a_built_in_tool_gets_what_its_schema_accepts_unchanged(caplog):
    caplog.set_level(logging.INFO)
    got = []

    @tool
    async def note(device_name: str, new_parameter_name: str = "", level: str = "") -> str:
        """Note it."""
        got.append((device_name, new_parameter_name, level))
        return "noted"

    args = {"device_name": " 50", "new_parameter_name": "TRUE", "level": "5"}
    outcome = await outcome_of(note, args)

    assert got == [(" 50", "TRUE", "5")]
    assert outcome.args == args
    assert [record for record in caplog.records if "→" in record.getMessage()] == []


@pytest.mark.scenario("NORM-3")
async def test_a_known_tool_has_a_fixed_mapping():
    seen = Seen()

    await outcome_of(mcp_tool(seen=seen), {"device_name": "Switch One", "command": "on"})

    assert seen.last == {"deviceName": "Switch One", "action": "on"}


@pytest.mark.scenario("NORM-4")
async def test_a_name_outside_the_mapping_is_converted_by_rule():
    seen = Seen()

    await outcome_of(mcp_tool("any", {"type": "object"}, seen=seen), {"new_parameter_name": 1})
    declared = {"type": "object", "properties": {"newParameterName": {"type": "integer"}}}
    await outcome_of(mcp_tool("one", declared, seen=seen), {"new_parameter_name": 2})

    assert seen.calls == [{"newParameterName": 1}, {"newParameterName": 2}]


@pytest.mark.scenario("NORM-5")
async def test_a_name_without_underscores_passes_unchanged():
    seen = Seen()

    await outcome_of(mcp_tool(seen=seen), {"device_name": "Lamp", "command": "dim", "level": 30})
    await outcome_of(mcp_tool("any", {"type": "object"}, seen=seen), {"level": 30, "Other": 1})

    assert seen.calls == [{"deviceName": "Lamp", "action": "dim", "level": 30}, {"level": 30, "Other": 1}]


@pytest.mark.scenario("NORM-6")
async def test_changed_names_are_logged(caplog):
    caplog.set_level(logging.INFO)

    await outcome_of(mcp_tool(), {"device_name": "Switch One", "action": "on"})

    sentence = '{device_name: "Switch One"} → {deviceName: "Switch One"}'
    assert sentence in [record.getMessage() for record in caplog.records]


@pytest.mark.scenario("NORM-6")
async def test_a_secret_is_masked_also_in_the_line_about_names(caplog):
    caplog.set_level(logging.INFO)
    schema = {"type": "object", "properties": {"userToken": {"type": "string"}}}

    await outcome_of(mcp_tool("sign_in", schema), {"user_token": "t0ps3cret"})

    lines = [record.getMessage() for record in caplog.records]
    assert '{user_token: "***"} → {userToken: "***"}' in lines
    assert not any("t0ps3cret" in line for line in lines)


@pytest.mark.scenario("NORM-7")
async def test_the_servers_own_refusal_reaches_the_user_unchanged():
    said = 'Device "Lamp 9" not found.\nDevices you could mean: "Lamp", "Floor Lamp" (100 %).'

    async def refuse(**_):
        raise ToolError(said, structured={"code": "not_found"})

    outcome = await outcome_of(mcp_tool(answer=refuse), {"device_name": "Lamp 9", "command": "on"})

    assert outcome.text == f"Error: {said}"
    assert outcome.structured == {"code": "not_found"}


@pytest.mark.scenario("NORM-7")
@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("is_error", "device not found"),
        ("rpc_error", "Invalid arguments: deviceName is required"),
    ],
)
async def test_a_real_servers_refusal_reaches_the_user_through_link_executor_and_reply(tool, said):
    manager = ToolManager()
    async with linked(fault_server()) as link:
        manager.add_mcp_tools("fault", list(link.tools["fault"].values()))
        executor = ToolExecutor(manager, quotes=True)
        calls = Calls((tool, {"code": -32602, "device_name": "Lamp 9"}))
        outcome = await executor.execute(ToolCall("1", tool, calls.calls[0][1]))
        model = FakeModel([calls, "", ""], tools=manager.all())
        reply = await run_loop(model, Turn(Utterance("lamp 9 on")), executor, user_text="lamp 9 on")

    assert outcome.text == f"Error: {said}"
    assert model.asked[1][-1].content == f"Error: {QUOTED}\n> {said}", "a model reads it as quoted data"
    assert said in reply.text


@pytest.mark.scenario("NORM-9")
def test_the_decision_and_its_reason_stand_where_normalisation_lives():
    source = inspect.getsource(prepared)

    assert "Normalisation stays" in source
    assert "passes names to a server\n# exactly as they were sent" in source


async def test_two_names_for_one_parameter_are_refused_not_guessed_away():
    seen = Seen()
    executor = executor_with(mcp_tool(seen=seen))

    outcome = await executor.execute(
        ToolCall("1", "control_zwave_device", {"device_name": "A", "deviceName": "B", "action": "on"})
    )

    assert 'was not run: unknown parameter "device_name". Required' in outcome.text, "and says it once"
    assert seen.calls == []
