"""NORM-8: what normalisation rests on, shown over the link that the gateway uses."""

import json

import pytest
from tests.fakes.linked import fault_server, linked

from voice_gateway.tools.gateway_tool import typed

RESERVED = {"config": {"a": 1}, "runtime": "r", "self": 1, "callbacks": [], "run_manager": 2, "tags": ["t"]}


@pytest.mark.scenario("NORM-8")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("echo", {"device_name": "Switch One", "command": "on"}),
        ("echo", {"deviceName": "Switch One", "action": "on"}),
        ("echo", {"Device-Name": 1, "with space": [1, {"inner_name": None}], "ünïcödé": "ß", "": 0}),
        (
            "echo",
            {"input": {"deviceName": "Lamp"}, "tool_input": 1, "tool": "x", "name": "n"},
        ),
        ("echo_reserved", RESERVED),
        ("echo_reserved", {"args": [1], "kwargs": {"a": 1}, "other_name": 2}),
    ],
)
async def test_names_and_values_reach_a_real_server_exactly_as_they_were_sent(tool, arguments):
    async with linked(fault_server()) as link:
        tool = typed(link.tools["fault"][tool])

        assert json.loads((await tool.coroutine(**arguments))[0]) == arguments
        assert json.loads(await tool.ainvoke(arguments)) == arguments
        message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": "echo", "args": arguments})
        assert json.loads(message.content) == arguments
        assert message.artifact == {"structured": None, "blobs": []}
