"""Any MCP server's resource starts a routine: subscribed where it can be, read now and again otherwise."""

import json
import os
import signal

import pytest
from tests.fakes.gateway_process import Commands, Running
from tests.fakes.running_gateway import processes, server, socket_of, state_of
from tests.fakes.waiting import until

from voice_gateway.channels.control import request
from voice_gateway.routines.model import LastRun
from voice_gateway.routines.store import kept_in

RESOURCE = 'server = "weather", resource = "weather://now"'
FILE = f"""
[[routine]]
text = "rain"
say = "Take an umbrella."
trigger = {{ kind = "event", {RESOURCE}, becomes = "rain" }}

[[routine]]
text = "cold"
say = "Take a coat."
trigger = {{ kind = "event", {RESOURCE}, becomes = "temperature < 10" }}
condition = {{ {RESOURCE}, state = "rain", unless = true }}

[[routine]]
text = "news"
say = "The weather has changed."
trigger = {{ kind = "event", {RESOURCE}, becomes = "updated" }}
"""


async def weather(commands: Commands, state: str, temperature: int) -> None:
    args = {"text": json.dumps({"state": state, "temperature": temperature})}
    said = await request(socket_of(commands), {"op": "call", "name": "set_weather", "args": args})
    assert said["ok"], said


def runs(commands: Commands) -> dict[str, LastRun | None]:
    store = kept_in(None, commands.folder / "data" / "voice-gateway")[0]
    return {one.say.rstrip(".").split()[-1]: one.last for one in store.all()}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["", "mute"])
async def test_any_servers_resource_starts_a_routine(commands: Commands, how):
    settings = "[home]\npoll_seconds = 1\n" + server("weather", "resource_server.py", how)
    commands.file("voice-gateway.toml", settings)
    file = commands.file("routines.toml", FILE)
    async with Running.opened(commands):
        taken = await commands.run("routines", "import", str(file))
        assert (taken.code, taken.out) == (0, "3 routines kept.\n"), taken.err
        found = (await commands.run("routines", "--json")).json
        assert found[0]["trigger"] == {
            "kind": "event", "server": "weather", "resource": "weather://now", "becomes": "rain"
        }  # fmt: skip

        async def told(state: str, temperature: int, *names: str) -> None:
            before = runs(commands)
            await weather(commands, state, temperature)
            await until(lambda: all(runs(commands)[name] != before[name] for name in names), 40)
            assert {name for name, last in runs(commands).items() if last != before[name]} == set(names)

        await told("sunny", 20, "changed")
        await told("rain", 20, "changed", "umbrella")
        await told("rain", 5, "changed")
        await told("sunny", 12, "changed")
        await told("sunny", 5, "changed", "coat")
        if how:
            return
        [pid] = processes("resource_server.py")
        os.kill(pid, signal.SIGKILL)  # it comes back, and is subscribed to again

        async def is_back() -> bool:
            new = processes("resource_server.py") not in ([], [pid])
            return new and await state_of(commands, "server weather") == "ok"

        await until(is_back)
        await told("rain", 20, "changed", "umbrella")


async def test_what_nobody_can_tell_is_not_kept(commands: Commands):
    commands.file("voice-gateway.toml", server("weather", "resource_server.py"))
    file = commands.file("routines.toml", FILE.replace('server = "weather"', 'server = "nobody"'))
    refused = await commands.run("routines", "import", str(file))

    assert (refused.code, refused.out) == (1, 'There is no server "nobody". I kept nothing.\n')
    assert (await commands.run("routines", "--json")).json == []
