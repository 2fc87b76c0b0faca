"""JSON that is odd on its way in comes out as JSON, or as one clear line."""

import json

import pytest
from tests.fakes.gateway_process import Running

NO_SERVER = "[mcp]\nsimulated_home = false\n"
DEEP = '{"text":' * 20_000 + "1" + "}" * 20_000


def strict(text: str):
    def refused(constant: str):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refused)


async def test_a_number_that_json_does_not_know_is_null_in_the_outcome(commands):
    file = commands.file("c.toml", NO_SERVER)

    done = await commands.run(
        "tools", "call", "get_current_datetime", "--args", '{"a": Infinity}', "--json", "--config", str(file)
    )

    assert strict(done.out)["args"] == {"a": None}


@pytest.mark.parametrize(
    "args", [DEEP[:60_000], f'{{"a": {"[" * 10_000 + "]" * 10_000}}}', f'{{"a": {"9" * 6000}}}']
)
async def test_arguments_that_cannot_be_read_are_wrong_usage(commands, args):
    done = await commands.run("tools", "call", "get_current_datetime", "--args", args, "--json")

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("voice-gateway: --args is ")
    assert done.err.count("\n") == 1


async def test_half_a_character_reaches_the_running_gateway(commands):
    commands.file("voice-gateway.toml", NO_SERVER)
    async with Running.opened(commands):
        done = await commands.run("tools", "call", "get_current_datetime", "bogus=x\udcff", "--json")

    assert done.json["error"] == "bad_arguments"
    assert done.json["args"] == {"bogus": "x\udcff"}
