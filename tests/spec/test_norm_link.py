"""NORM-8: what normalisation rests on, shown over the link that the gateway uses."""

import json

import pytest
from tests.fakes.linked import fault_server, linked


@pytest.mark.scenario("NORM-8")
@pytest.mark.parametrize(
    "arguments",
    [
        {"device_name": "Switch One", "command": "on"},
        {"deviceName": "Switch One", "action": "on"},
        {"Device-Name": 1, "with space": [1, {"inner_name": None}], "ünïcödé": "ß", "": 0},
        {
            "config": {"a": 1},
            "runtime": "r",
            "self": 1,
            "callbacks": [],
            "run_manager": 2,
            "tags": ["t"],
            "args": 3,
        },
        {
            "input": {"deviceName": "Lamp"},
            "kwargs": {},
            "tool_input": 1,
            "tool": "x",
            "arguments": {},
            "name": "n",
        },
    ],
)
async def test_names_and_values_reach_a_real_server_exactly_as_they_were_sent(arguments):
    async with linked(fault_server()) as link:
        echo = link.tools["fault"]["echo"]

        assert json.loads((await echo.coroutine(**arguments))[0]) == arguments
        assert json.loads(await echo.ainvoke(arguments)) == arguments
        message = await echo.ainvoke({"type": "tool_call", "id": "1", "name": "echo", "args": arguments})
        assert json.loads(message.content) == arguments
        assert message.artifact == {"structured": None, "blobs": []}
